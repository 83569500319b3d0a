/* Shared memory: how much of it a block may have, and words of it that other threads change meanwhile. */
#ifndef BI_CORE_CUDA_SHARED_CUH
#define BI_CORE_CUDA_SHARED_CUH

#include "core/cuda/launch.cuh"

enum { BI_SHARED_PLAIN = 48 * 1024 }; /* bytes that every kernel may have */

/* Bytes that a block may have if its kernel asks for them. */
static inline size_t bi_shared_bytes(const bosc_ctx *ctx)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, ctx->memory.device) == cudaSuccess)
        return (size_t)value;
    (void)cudaGetLastError();
    return BI_SHARED_PLAIN;
}

#ifdef BI_EMULATE
template <class T> T bi_load_shared(const T *p) { return bi_load_relaxed(p); }
template <class T> void bi_store_shared(T *p, T v) { bi_store_relaxed(p, v); }
template <class T> void bi_copy_async(T *to, const T *from) { *to = *from; }
static inline void bi_await_copies() {}
#else
__device__ __forceinline__ unsigned bi_load_shared(const unsigned *p)
{
    unsigned v;
    const unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
    return v;
}
__device__ __forceinline__ unsigned long long bi_load_shared(const unsigned long long *p)
{
    unsigned long long v;
    const unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ld.relaxed.cta.shared.u64 %0, [%1];" : "=l"(v) : "r"(at) : "memory");
    return v;
}
__device__ __forceinline__ void bi_store_shared(unsigned *p, unsigned v)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"r"(at), "r"(v) : "memory");
}

/* Copies 4, 8 or 16 bytes from the device's memory to shared memory; the thread has them after bi_await_copies(), and
 * the block after a barrier. Until then any number of copies are under way. */
template <class T> static __device__ __forceinline__ void bi_copy_async(T *to, const T *from)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(sizeof(T)) : "memory");
}
static __device__ __forceinline__ void bi_await_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }
#endif

#endif
