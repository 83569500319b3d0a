/* Shared memory: its size limits, relaxed access to words that other threads change, and asynchronous copies. */
#ifndef BI_CORE_CUDA_SHARED_CUH
#define BI_CORE_CUDA_SHARED_CUH

#include "core/cuda/launch.cuh"

enum { BI_SHARED_PLAIN = 48 * 1024 }; /* bytes that a kernel may use without opting in */

/* Bytes that a block may use if its kernel opts in. */
static inline size_t bi_shared_bytes(const bosc_ctx *ctx)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, ctx->memory.device) == cudaSuccess)
        return (size_t)value;
    (void)cudaGetLastError();
    return BI_SHARED_PLAIN;
}

#ifdef BI_EMULATE
template <class T> T bi_load_shared_relaxed(const T *p) { return bi_load_relaxed(p); }
template <class T> void bi_store_shared_relaxed(T *p, T v) { bi_store_relaxed(p, v); }
template <class T> void bi_copy_async(T *to, const T *from) { *to = *from; }
static inline void bi_wait_copies() {}
static inline void bi_commit_copies() {}
template <int LAST> void bi_wait_copies_but() {}
#else
__device__ __forceinline__ unsigned bi_load_shared_relaxed(const unsigned *p)
{
    unsigned v;
    const unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
    return v;
}
__device__ __forceinline__ unsigned long long bi_load_shared_relaxed(const unsigned long long *p)
{
    unsigned long long v;
    const unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ld.relaxed.cta.shared.u64 %0, [%1];" : "=l"(v) : "r"(at) : "memory");
    return v;
}
__device__ __forceinline__ void bi_store_shared_relaxed(unsigned *p, unsigned v)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"r"(at), "r"(v) : "memory");
}
__device__ __forceinline__ void bi_store_shared_relaxed(unsigned long long *p, unsigned long long v)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("st.relaxed.cta.shared.u64 [%0], %1;" ::"r"(at), "l"(v) : "memory");
}

/* Starts an asynchronous copy of 4, 8 or 16 bytes from device to shared memory. The data is visible to the thread after
 * bi_wait_copies(), and to the block after a barrier behind it. Devices before compute capability 8 copy at once. */
#if __CUDA_ARCH__ >= 800
template <class T> static __device__ __forceinline__ void bi_copy_async(T *to, const T *from)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(sizeof(T)) : "memory");
}
static __device__ __forceinline__ void bi_wait_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/* bi_commit_copies makes a group of the copies since the last one; bi_wait_copies_but waits for all but the `LAST` last
 * groups. */
static __device__ __forceinline__ void bi_commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int LAST> static __device__ __forceinline__ void bi_wait_copies_but()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LAST) : "memory");
}
#else
template <class T> static __device__ __forceinline__ void bi_copy_async(T *to, const T *from) { *to = *from; }
static __device__ __forceinline__ void bi_wait_copies() {}
static __device__ __forceinline__ void bi_commit_copies() {}
template <int LAST> static __device__ __forceinline__ void bi_wait_copies_but() {}
#endif
#endif

#endif
