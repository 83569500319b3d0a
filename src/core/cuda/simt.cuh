/* The one door to CUDA's thread model. Kernels are written with CUDA's own words (threadIdx, __syncthreads, shuffles,
 * atomics); what a host compiler cannot parse or an emulator must see goes through these wrappers. With BI_EMULATE the
 * emulator's headers stand in for all of it. */
#ifndef BI_CORE_CUDA_SIMT_CUH
#define BI_CORE_CUDA_SIMT_CUH

#ifdef BI_EMULATE
#include "simt.hpp"
#else
#include <cuda_runtime.h>

/* Launches kernel<<<grid, block, dynamic shared bytes, stream>>>(...). */
#define BI_LAUNCH(kernel, grid, block, shared_bytes, stream, ...) \
    kernel<<<(grid), (block), (shared_bytes), (cudaStream_t)(stream)>>>(__VA_ARGS__)

/* One struct of static shared memory a kernel: BI_SHARED(struct tile_shared, sh); then sh.field. */
#define BI_SHARED(type, name) __shared__ type name

/* The dynamic shared memory of the launch, as an array of `type`. */
#define BI_SHARED_DYNAMIC(type, name)                        \
    extern __shared__ __align__(16) unsigned char bi_dynamic_shared[]; \
    type *name = reinterpret_cast<type *>(bi_dynamic_shared)

/* Loads and stores between blocks: acquire, release and relaxed, at device scope. */
template <class T> __device__ __forceinline__ T bi_load_acquire(const T *p);
template <> __device__ __forceinline__ unsigned bi_load_acquire(const unsigned *p)
{
    unsigned v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
template <> __device__ __forceinline__ unsigned long long bi_load_acquire(const unsigned long long *p)
{
    unsigned long long v;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}
__device__ __forceinline__ void bi_store_release(unsigned *p, unsigned v)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ __forceinline__ void bi_store_release(unsigned long long *p, unsigned long long v)
{
    asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}
#endif

#endif
