/* A kernel that begins while the one before it on the stream still runs, and waits for it where it needs what that one
 * makes. For devices of compute capability 9; on others it begins afterwards. */
#ifndef BI_CORE_CUDA_DEPENDENT_CUH
#define BI_CORE_CUDA_DEPENDENT_CUH

#include "core/cuda/cluster.cuh"

#ifdef BI_EMULATE
static inline void bi_trigger_dependents() {}
static inline void bi_wait_for_previous_kernel() {}
#define BI_LAUNCH_EARLY(kernel, grid, block, shared_bytes, stream, ...) \
    BI_LAUNCH(kernel, grid, block, shared_bytes, stream, __VA_ARGS__)
#else

/* In the first kernel: the next one may begin when all blocks have called it or ended. It orders no memory. */
__device__ __forceinline__ void bi_trigger_dependents()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* In the next one: waits until the first has ended and all that it wrote is there. Every thread that reads or writes
 * what the first one touches calls it before, or what those before touched, if the first one was launched early, too.
 * Some block calls it in any case, so that what follows on the stream comes after both. */
__device__ __forceinline__ void bi_wait_for_previous_kernel()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Launches the next one, if bi_has_clusters(): a device that may run code without the wait is to have it afterwards. */
template <class... P>
static inline void bi_launch_early(void (*kernel)(P...), unsigned grid, unsigned block, size_t shared_bytes,
                                   void *stream, P... given)
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
    (void)cudaLaunchKernelEx(&config, kernel, given...); /* as of a plain launch, the error is the last one */
}
#define BI_LAUNCH_EARLY(kernel, grid, block, shared_bytes, stream, ...) \
    bi_launch_early((kernel), (unsigned)(grid), (unsigned)(block), (shared_bytes), (stream), __VA_ARGS__)
#endif

#endif
