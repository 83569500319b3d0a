/* Sums over warps and blocks, in the order of the threads. */
#ifndef BI_CORE_CUDA_WARP_CUH
#define BI_CORE_CUDA_WARP_CUH

#include "core/cuda/simt.cuh"

/* The sum of what the lanes up to this one give; the whole warp calls it. Source: Hillis and Steele, Data Parallel
 * Algorithms (1986). */
__device__ __forceinline__ uint32_t bi_warp_sum_upto(uint32_t mine)
{
    const unsigned lane = threadIdx.x % 32;
    uint32_t sum = mine;
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
        const uint32_t left = __shfl_up_sync(~0u, sum, d);
        if (lane >= d) sum += left;
    }
    return sum;
}

/* The sum of what the threads before this one give; *total gets that of the block. `warps` is shared, WARPS words, and
 * free when the block gets here. One barrier. */
template <int WARPS>
__device__ __forceinline__ uint32_t bi_block_sum_before(uint32_t mine, uint32_t *warps, uint32_t *total)
{
    const unsigned warp = threadIdx.x / 32;
    const uint32_t upto = bi_warp_sum_upto(mine);
    uint32_t before = upto - mine, all = 0;
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
