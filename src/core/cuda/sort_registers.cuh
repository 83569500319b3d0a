/* Sorts of a few keys in a thread's registers, by a sorting network: a fixed sequence of minima and maxima, without
 * branches. Source: Batcher, Sorting Networks and Their Applications (1968), odd-even merges. */
#ifndef BI_CORE_CUDA_SORT_REGISTERS_CUH
#define BI_CORE_CUDA_SORT_REGISTERS_CUH

#include <cstdint>

#include "core/cuda/simt.cuh"

/* Orders keys I < J. Keys from N on do not exist, as if they were the greatest. */
template <int N, int I, int J> __device__ __forceinline__ void bi_order_two(uint32_t (&keys)[N])
{
    if constexpr (J < N) {
        const uint32_t less = min(keys[I], keys[J]);
        keys[J] = max(keys[I], keys[J]);
        keys[I] = less;
    }
}

/* Orders the pairs (FIRST, FIRST + STEP), (FIRST + 2 STEP, FIRST + 3 STEP), ... before END. */
template <int N, int FIRST, int END, int STEP> __device__ __forceinline__ void bi_order_each(uint32_t (&keys)[N])
{
    if constexpr (FIRST + STEP < END) {
        bi_order_two<N, FIRST, FIRST + STEP>(keys);
        bi_order_each<N, FIRST + 2 * STEP, END, STEP>(keys);
    }
}

/* Merges the two sorted halves of the list of every STEP-th of COUNT keys from FIRST on: merges its even and its odd
 * members, then orders neighbours. */
template <int N, int FIRST, int COUNT, int STEP> __device__ __forceinline__ void bi_merge_halves(uint32_t (&keys)[N])
{
    if constexpr (2 * STEP < COUNT) {
        bi_merge_halves<N, FIRST, COUNT, 2 * STEP>(keys);
        bi_merge_halves<N, FIRST + STEP, COUNT, 2 * STEP>(keys);
        bi_order_each<N, FIRST + STEP, FIRST + COUNT, STEP>(keys);
    } else {
        bi_order_two<N, FIRST, FIRST + STEP>(keys);
    }
}

/* Sorts COUNT keys from FIRST on; a power of two. */
template <int N, int FIRST, int COUNT> __device__ __forceinline__ void bi_sort_range(uint32_t (&keys)[N])
{
    if constexpr (COUNT > 1 && FIRST < N) {
        bi_sort_range<N, FIRST, COUNT / 2>(keys);
        bi_sort_range<N, FIRST + COUNT / 2, COUNT / 2>(keys);
        bi_merge_halves<N, FIRST, COUNT, 1>(keys);
    }
}

/* Sorts the first `count` of N <= 64 words of the thread, STRIDE words apart, in place and ascending. There is no
 * barrier. */
template <int N, int STRIDE> __device__ __forceinline__ void bi_sort_by_registers(uint32_t *words, uint32_t count)
{
    constexpr int POWER = N <= 8 ? 8 : N <= 16 ? 16 : N <= 32 ? 32 : 64;
    static_assert(N <= POWER, "a power of two, no less than N");
    uint32_t keys[N];
#pragma unroll
    for (int k = 0; k < N; k++) keys[k] = (uint32_t)k < count ? words[k * STRIDE] : UINT32_MAX;
    bi_sort_range<N, 0, POWER>(keys);
#pragma unroll
    for (int k = 0; k < N; k++)
        if ((uint32_t)k < count) words[k * STRIDE] = keys[k];
}

#endif
