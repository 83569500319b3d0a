/* Programmatic dependent launch: a kernel that starts while the previous one on the stream still runs, and waits before
 * it uses its results. For devices of compute capability 9; on others it starts afterwards. */
#ifndef BI_CORE_CUDA_DEPENDENT_CUH
#define BI_CORE_CUDA_DEPENDENT_CUH

#include "core/cuda/cluster.cuh"

#ifdef BI_EMULATE
static inline void bi_trigger_dependents() {}
static inline void bi_wait_for_previous_kernel() {}
#define BI_LAUNCH_EARLY(kernel, grid, block, shared_bytes, stream, ...) \
    BI_LAUNCH(kernel, grid, block, shared_bytes, stream, __VA_ARGS__)
#else

/* In the first kernel: the next one may start when all blocks have called this or ended. Does not order memory. */
__device__ __forceinline__ void bi_trigger_dependents()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* In the next kernel: waits until the first has ended; its writes are then visible. Every thread calls it before it
 * accesses memory that the first kernel uses, or, if that one was launched early, memory of the kernels before it. At
 * least one block must call it, so that later work on the stream follows both kernels. */
__device__ __forceinline__ void bi_wait_for_previous_kernel()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Launches the next kernel, if bi_has_clusters(): code without the wait must not start early. */
template <class... P>
static inline void bi_launch_early(void (*kernel)(P...), unsigned grid, unsigned block, size_t shared_bytes,
                                   void *stream, P... arguments)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = (cudaStream_t)stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    /* cudaPeekAtLastError reports the error, as for a plain launch. */
    (void)cudaLaunchKernelEx(&config, kernel, arguments...);
}
#define BI_LAUNCH_EARLY(kernel, grid, block, shared_bytes, stream, ...) \
    bi_launch_early((kernel), (unsigned)(grid), (unsigned)(block), (shared_bytes), (stream), __VA_ARGS__)
#endif

#endif
