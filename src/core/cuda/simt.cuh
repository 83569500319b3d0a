/* Wrappers around CUDA's thread model. Kernels use CUDA's own names (threadIdx, __syncthreads, shuffles, atomics);
 * these wrappers cover syntax that a host compiler cannot parse and accesses that the emulator must observe. With
 * BI_EMULATE the emulator's headers replace all of it. */
#ifndef BI_CORE_CUDA_SIMT_CUH
#define BI_CORE_CUDA_SIMT_CUH

#ifdef BI_EMULATE
#include "simt.hpp"
#else
#include <cuda_runtime.h>

/* Launches kernel<<<grid, block, dynamic shared bytes, stream>>>(...). */
#define BI_LAUNCH(kernel, grid, block, shared_bytes, stream, ...) \
    kernel<<<(grid), (block), (shared_bytes), (cudaStream_t)(stream)>>>(__VA_ARGS__)

/* The same for a grid whose blocks must all run at once; returns the runtime's status. */
template <class... P>
static inline cudaError_t bi_launch_cooperative(void (*kernel)(P...), unsigned grid, unsigned block,
                                                size_t shared_bytes, cudaStream_t stream, P... values)
{
    void *arguments[] = {const_cast<void *>(static_cast<const void *>(&values))...};
    return cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(kernel), grid, block, arguments, shared_bytes,
                                       stream);
}
#define BI_LAUNCH_COOPERATIVE(kernel, grid, block, shared_bytes, stream, ...) \
    bi_launch_cooperative((kernel), (grid), (block), (shared_bytes), (cudaStream_t)(stream), __VA_ARGS__)

/* Upper limit of concurrent blocks besides the occupancy: the emulator has few. */
static inline unsigned bi_launch_cooperative_limit(int, unsigned blocks) { return blocks; }

/* A device function that is called, not inlined. A macro of its own, since headers of libstdc++ use the name
 * __noinline__, which the emulator must not define. */
#define BI_NOINLINE __noinline__

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
/* Loads two words, aligned to 16 bytes, each as bi_load_relaxed does. */
__device__ __forceinline__ void bi_load_relaxed_pair(const unsigned long long *p, unsigned long long v[2])
{
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(v[0]), "=l"(v[1]) : "l"(p) : "memory");
}
__device__ __forceinline__ void bi_store_relaxed(unsigned char *p, unsigned char v)
{
    asm volatile("st.relaxed.gpu.global.u8 [%0], %1;" ::"l"(p), "r"((unsigned)v) : "memory");
}
__device__ __forceinline__ void bi_store_relaxed(unsigned long *p, unsigned long v)
{
    bi_store_relaxed(reinterpret_cast<unsigned long long *>(p), (unsigned long long)v);
}

/* Stores a word in page-locked host memory that the host polls (bi_cuda_await). To publish other writes of the block
 * with it, a barrier and __threadfence_system must come first. */
__device__ __forceinline__ void bi_notify_host(unsigned long long *p, unsigned long long v)
{
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

/* Loads a value that other threads change by atomics; it may be stale. Serves to skip atomics that would change
 * nothing. */
template <class T> __device__ __forceinline__ T bi_load_hint(const T *p) { return __ldca(p); }

/* The same for four words in shared memory, aligned to 16 bytes. */
__device__ __forceinline__ uint4 bi_load_hint_shared(const uint4 *p)
{
    uint4 v;
    const unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(at));
    return v;
}
#endif

#endif
