/* Thread block clusters: blocks that run concurrently and access each other's shared memory. For devices of compute
 * capability 9; a launch is one cluster. */
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
    if (blocks > 8) /* the portable limit of CUDA */
        (void)cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    return config;
}

/* True if the device supports clusters of this size for the kernel, and its code was compiled for them. */
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
                                            P... arguments)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = bi_cluster_config(kernel, blocks, threads, &attribute);
    config.stream = (cudaStream_t)stream;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/* True if the device has clusters and this file's kernels were compiled for it. */
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

/* In shared memory: an mbarrier that counts the bytes that other blocks send. It serves once a launch. */
struct bi_cluster_inbox {
    unsigned long long state;
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define BI_CLUSTER_ASM(...) asm volatile(__VA_ARGS__)
#else
#define BI_CLUSTER_ASM(...) __trap()
#endif

/* Initialises the barrier to expect `bytes`. Called by one thread of each block, before it arrives. */
__device__ __forceinline__ void bi_cluster_expect(bi_cluster_inbox *inbox, unsigned bytes)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(&inbox->state);
    BI_CLUSTER_ASM("{\n .reg .b64 state;\n mbarrier.init.shared.b64 [%0], 1;\n fence.mbarrier_init.release.cluster;\n"
                   " mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1;\n}"
                   :
                   : "r"(at), "r"(bytes)
                   : "memory");
}

/* A barrier of the cluster, split in two. It is needed before the first remote access, so that all blocks run, and
 * after the last one, so that no block ends while others read its memory. */
__device__ __forceinline__ void bi_cluster_arrive() { BI_CLUSTER_ASM("barrier.cluster.arrive.release;" ::: "memory"); }
__device__ __forceinline__ void bi_cluster_wait() { BI_CLUSTER_ASM("barrier.cluster.wait.acquire;" ::: "memory"); }

/* Stores 16 bytes at the address p of block `block`'s shared memory and counts them at its barrier. Earlier writes of
 * this thread are visible to that block once it has received all its bytes. */
__device__ __forceinline__ void bi_cluster_send(bi_cluster_inbox *inbox, void *p, unsigned block, uint4 v)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(p),
                   state = (unsigned)__cvta_generic_to_shared(&inbox->state);
    BI_CLUSTER_ASM(
        "{\n .reg .b32 there, mbar;\n mapa.shared::cluster.u32 there, %0, %2;\n"
        " mapa.shared::cluster.u32 mbar, %1, %2;\n"
        " st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [there], {%3, %4, %5, %6}, [mbar];\n}"
        :
        : "r"(at), "r"(state), "r"(block), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
        : "memory");
}

/* Waits until all expected bytes have arrived: the end of the barrier's phase 0. */
__device__ __forceinline__ void bi_cluster_receive(bi_cluster_inbox *inbox)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(&inbox->state);
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
