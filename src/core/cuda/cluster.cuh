/* Clusters: blocks that run at once on multiprocessors beside each other, and reach each other's shared memory. For
 * devices of compute capability 9; a launch is one cluster. */
#ifndef BI_CORE_CUDA_CLUSTER_CUH
#define BI_CORE_CUDA_CLUSTER_CUH

#include "core/cuda/launch.cuh"

#ifdef BI_EMULATE
#include "cluster.hpp"
#else

template <class... P>
static inline cudaLaunchConfig_t bi_cluster_config(void (*kernel)(P...), unsigned blocks, unsigned threads,
                                                   cudaLaunchAttribute *attribute)
{
    cudaLaunchConfig_t config = {};
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = blocks;
    attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
    config.gridDim = blocks;
    config.blockDim = threads;
    config.attrs = attribute;
    config.numAttrs = 1;
    if (blocks > 8) /* more than every device with clusters has */
        (void)cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    return config;
}

/* Does the device have clusters of this size for the kernel, and was the code that it runs compiled for them? */
template <class... P> static inline bool bi_cluster_fits(void (*kernel)(P...), unsigned blocks, unsigned threads)
{
    int count = 0;
    cudaFuncAttributes code = {};
    cudaLaunchAttribute attribute = {};
    const cudaLaunchConfig_t config = bi_cluster_config(kernel, blocks, threads, &attribute);
    const bool known = cudaFuncGetAttributes(&code, kernel) == cudaSuccess &&
                       cudaOccupancyMaxActiveClusters(&count, kernel, &config) == cudaSuccess;
    if (!known) (void)cudaGetLastError();
    return known && code.ptxVersion >= 90 && count > 0;
}

template <class... P>
static inline cudaError_t bi_launch_cluster(void (*kernel)(P...), unsigned blocks, unsigned threads, void *stream,
                                            P... given)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = bi_cluster_config(kernel, blocks, threads, &attribute);
    config.stream = (cudaStream_t)stream;
    return cudaLaunchKernelEx(&config, kernel, given...);
}

/* The same with dynamic shared memory, for kernels whose callers know by bi_has_clusters that there are clusters. A
 * device that has none of this size says so, by an error that is not left behind. */
template <class... P>
static inline cudaError_t bi_launch_cluster_shared(void (*kernel)(P...), unsigned blocks, unsigned threads,
                                                   size_t shared_bytes, void *stream, P... given)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = bi_cluster_config(kernel, blocks, threads, &attribute);
    config.stream = (cudaStream_t)stream;
    config.dynamicSmemBytes = shared_bytes;
    const cudaError_t error = cudaLaunchKernelEx(&config, kernel, given...);
    if (error != cudaSuccess) (void)cudaGetLastError();
    return error;
}

/* Whether the device has clusters and this file's kernels were compiled for it. */
static inline bool bi_has_clusters(const bosc_ctx *ctx)
{
#ifdef __CUDA_ARCH_LIST__
    static constexpr int compiled[] = {__CUDA_ARCH_LIST__};
    int major = 0;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ctx->memory.device) != cudaSuccess)
        (void)cudaGetLastError();
    for (int one : compiled)
        if (one >= 900 && one / 100 == major) return true;
#else
    (void)ctx;
#endif
    return false;
}

/* In shared memory: bytes that others are to send. */
struct bi_cluster_mail {
    unsigned long long state;
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define BI_CLUSTER_ASM(...) asm volatile(__VA_ARGS__)
#else
#define BI_CLUSTER_ASM(...) __trap()
#endif

/* By one thread of each block, before it arrives. */
__device__ __forceinline__ void bi_cluster_expect(bi_cluster_mail *mail, unsigned bytes)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(&mail->state);
    BI_CLUSTER_ASM("{\n .reg .b64 state;\n mbarrier.init.shared.b64 [%0], 1;\n fence.mbarrier_init.release.cluster;\n"
                   " mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1;\n}"
                   :
                   : "r"(at), "r"(bytes)
                   : "memory");
}

/* A barrier of the cluster in two parts: nothing is sent or read before all blocks have begun, and none ends while
 * another one reads what it has. */
__device__ __forceinline__ void bi_cluster_arrive() { BI_CLUSTER_ASM("barrier.cluster.arrive.release;" ::: "memory"); }
__device__ __forceinline__ void bi_cluster_wait() { BI_CLUSTER_ASM("barrier.cluster.wait.acquire;" ::: "memory"); }

/* Where block `block` has what lies at p in this block's shared memory. */
template <class T> __device__ __forceinline__ T *bi_cluster_at(T *p, unsigned block)
{
    unsigned long long at = 0;
    BI_CLUSTER_ASM("mapa.u64 %0, %1, %2;" : "=l"(at) : "l"(p), "r"(block));
    return reinterpret_cast<T *>(at);
}

/* Stores where block `block` has what lies at p in this block's shared memory, aligned to 16 bytes; what this thread
 * did before comes before whatever that block does when it has all its mail. */
__device__ __forceinline__ void bi_cluster_send(bi_cluster_mail *mail, void *p, unsigned block, uint4 v)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(p), state = (unsigned)__cvta_generic_to_shared(&mail->state);
    BI_CLUSTER_ASM(
        "{\n .reg .b32 there, tell;\n mapa.shared::cluster.u32 there, %0, %2;\n"
        " mapa.shared::cluster.u32 tell, %1, %2;\n"
        " st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [there], {%3, %4, %5, %6}, [tell];\n}"
        :
        : "r"(at), "r"(state), "r"(block), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
        : "memory");
}

/* Waits until all bytes that were expected are there. */
__device__ __forceinline__ void bi_cluster_receive(bi_cluster_mail *mail)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(&mail->state);
    unsigned all = 0;
    while (!all)
        BI_CLUSTER_ASM("{\n .reg .pred all;\n"
                       " mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 all, [%1], 0;\n"
                       " selp.u32 %0, 1, 0, all;\n}"
                       : "=r"(all)
                       : "r"(at)
                       : "memory");
}
#endif

#endif
