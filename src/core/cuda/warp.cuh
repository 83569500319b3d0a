/* Sums over warps and blocks in the order of the threads, and minima and maxima of a warp. */
#ifndef BI_CORE_CUDA_WARP_CUH
#define BI_CORE_CUDA_WARP_CUH

#include <cstdint>

#include "core/cuda/simt.cuh"

/* Bits of the lanes before this one. */
__device__ __forceinline__ uint32_t bi_lanes_below() { return (1u << (threadIdx.x % 32)) - 1; }

/* Inclusive sum over the lanes up to this one; the whole warp calls it. Source: Hillis and Steele, Data Parallel
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

/* Lanes own entries of a common list in lane order; `inclusive` is the inclusive sum of their numbers. Returns the lane
 * that owns an entry: the number of lanes whose sum is at most `entry`. Beyond the last entry: 31. The whole warp calls
 * it. */
__device__ __forceinline__ unsigned bi_find_entry_lane(uint32_t inclusive, uint32_t entry)
{
    unsigned lane = 0;
#pragma unroll
    for (unsigned step = 16; step > 0; step /= 2)
        if (__shfl_sync(~0u, inclusive, lane + step - 1) <= entry) lane += step;
    return lane;
}

/* Reductions over all lanes, returned to all of them. Compute capability 8 has instructions for 32-bit integers. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__device__ __forceinline__ uint32_t bi_warp_sum(uint32_t x) { return __reduce_add_sync(~0u, x); }
__device__ __forceinline__ uint32_t bi_warp_min(uint32_t x) { return __reduce_min_sync(~0u, x); }
__device__ __forceinline__ int32_t bi_warp_min(int32_t x) { return __reduce_min_sync(~0u, x); }
__device__ __forceinline__ uint32_t bi_warp_max(uint32_t x) { return __reduce_max_sync(~0u, x); }
__device__ __forceinline__ int32_t bi_warp_max(int32_t x) { return __reduce_max_sync(~0u, x); }
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

template <class T> __device__ __forceinline__ T bi_warp_min(T x)
{
    for (int d = 16; d > 0; d /= 2) {
        const T other = __shfl_xor_sync(~0u, x, d);
        x = other < x ? other : x;
    }
    return x;
}

template <class T> __device__ __forceinline__ T bi_warp_max(T x)
{
    for (int d = 16; d > 0; d /= 2) {
        const T other = __shfl_xor_sync(~0u, x, d);
        x = other > x ? other : x;
    }
    return x;
}

/* Exclusive sum over the threads of the block; *total: the sum of all. `warps`: WARPS words of shared memory that no
 * thread uses any more. One barrier, after which the sums of all warps are visible. */
template <int WARPS>
__device__ __forceinline__ uint32_t bi_block_exclusive_sum(uint32_t own, uint32_t *warps, uint32_t *total)
{
    const unsigned warp = threadIdx.x / 32;
    const uint32_t upto = bi_warp_inclusive_sum(own);
    uint32_t exclusive_prefix = upto - own, all = 0;
    if (threadIdx.x % 32 == 31) warps[warp] = upto;
    __syncthreads();
    for (unsigned w = 0; w < WARPS; w++) {
        if (w < warp) exclusive_prefix += warps[w];
        all += warps[w];
    }
    *total = all;
    return exclusive_prefix;
}

#endif
