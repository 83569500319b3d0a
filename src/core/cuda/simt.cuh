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
#define BI_SHARED_DYNAMIC(type, name)                                  \
    extern __shared__ __align__(16) unsigned char bi_dynamic_shared[]; \
    type *name = reinterpret_cast<type *>(bi_dynamic_shared)

/* Loads and stores between blocks, at device scope: acquire and release order the memory around them, relaxed ones
 * order nothing. A loop that waits for another block reads through these alone, never through volatile. */
#define BI_ORDERED_ACCESS(type, bits, constraint)                                                          \
    __device__ __forceinline__ type bi_load_acquire(const type *p)                                         \
    {                                                                                                      \
        type v;                                                                                            \
        asm volatile("ld.acquire.gpu.global.u" bits " %0, [%1];" : "=" constraint(v) : "l"(p) : "memory"); \
        return v;                                                                                          \
    }                                                                                                      \
    __device__ __forceinline__ type bi_load_relaxed(const type *p)                                         \
    {                                                                                                      \
        type v;                                                                                            \
        asm volatile("ld.relaxed.gpu.global.u" bits " %0, [%1];" : "=" constraint(v) : "l"(p) : "memory"); \
        return v;                                                                                          \
    }                                                                                                      \
    __device__ __forceinline__ void bi_store_release(type *p, type v)                                      \
    {                                                                                                      \
        asm volatile("st.release.gpu.global.u" bits " [%0], %1;" ::"l"(p), constraint(v) : "memory");      \
    }                                                                                                      \
    __device__ __forceinline__ void bi_store_relaxed(type *p, type v)                                      \
    {                                                                                                      \
        asm volatile("st.relaxed.gpu.global.u" bits " [%0], %1;" ::"l"(p), constraint(v) : "memory");      \
    }
BI_ORDERED_ACCESS(unsigned, "32", "r")
BI_ORDERED_ACCESS(unsigned long long, "64", "l")
#undef BI_ORDERED_ACCESS
#endif

#endif
