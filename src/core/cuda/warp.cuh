/* Sums over warps and blocks, in the order of the threads, and the least and greatest of a warp. */
#ifndef BI_CORE_CUDA_WARP_CUH
#define BI_CORE_CUDA_WARP_CUH

#include <cstdint>

#include "core/cuda/simt.cuh"

/* Bits of the lanes before this one. */
__device__ __forceinline__ uint32_t bi_lanes_below() { return (1u << (threadIdx.x % 32)) - 1; }

/* The sum of what the lanes up to this one give; the whole warp calls it. Source: Hillis and Steele, Data Parallel
 * Algorithms (1986). */
__device__ __forceinline__ uint32_t bi_warp_inclusive_sum(uint32_t own)
{
    const unsigned lane = threadIdx.x % 32;
    uint32_t sum = own;
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
        const uint32_t left = __shfl_up_sync(~0u, sum, d);
        if (lane >= d) sum += left;
    }
    return sum;
}

/* Of what all lanes give, to all of them. Devices of compute capability 8 have instructions for 32-bit integers. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__device__ __forceinline__ uint32_t bi_warp_sum(uint32_t x) { return __reduce_add_sync(~0u, x); }
__device__ __forceinline__ uint32_t bi_warp_least(uint32_t x) { return __reduce_min_sync(~0u, x); }
__device__ __forceinline__ int32_t bi_warp_least(int32_t x) { return __reduce_min_sync(~0u, x); }
__device__ __forceinline__ uint32_t bi_warp_greatest(uint32_t x) { return __reduce_max_sync(~0u, x); }
__device__ __forceinline__ int32_t bi_warp_greatest(int32_t x) { return __reduce_max_sync(~0u, x); }
__device__ __forceinline__ uint32_t bi_warp_or(uint32_t x) { return __reduce_or_sync(~0u, x); }
#else
__device__ __forceinline__ uint32_t bi_warp_sum(uint32_t x)
{
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(~0u, x, d);
    return x;
}

__device__ __forceinline__ uint32_t bi_warp_or(uint32_t x)
{
    for (int d = 16; d > 0; d /= 2) x |= __shfl_xor_sync(~0u, x, d);
    return x;
}
#endif

__device__ __forceinline__ unsigned long long bi_warp_sum(unsigned long long x)
{
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(~0u, x, d);
    return x;
}

template <class T> __device__ __forceinline__ T bi_warp_least(T x)
{
    for (int d = 16; d > 0; d /= 2) {
        const T other = __shfl_xor_sync(~0u, x, d);
        x = other < x ? other : x;
    }
    return x;
}

template <class T> __device__ __forceinline__ T bi_warp_greatest(T x)
{
    for (int d = 16; d > 0; d /= 2) {
        const T other = __shfl_xor_sync(~0u, x, d);
        x = other > x ? other : x;
    }
    return x;
}

/* The sum of what the threads before this one give; *total gets that of the block. `warps` is shared, WARPS words, and
 * free when the block gets here. One barrier. */
template <int WARPS>
__device__ __forceinline__ uint32_t bi_block_exclusive_sum(uint32_t own, uint32_t *warps, uint32_t *total)
{
    const unsigned warp = threadIdx.x / 32;
    const uint32_t upto = bi_warp_inclusive_sum(own);
    uint32_t before = upto - own, all = 0;
    if (threadIdx.x % 32 == 31) warps[warp] = upto;
    __syncthreads();
    for (unsigned w = 0; w < WARPS; w++) {
        if (w < warp) before += warps[w];
        all += warps[w];
    }
    *total = all;
    return before;
}

#endif
