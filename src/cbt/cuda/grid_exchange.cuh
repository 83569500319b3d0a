/* The blocks of a grid that runs together meet once a launch: each tells what it counted, and waits for what all others
 * tell. The words are of the tree, 0 when it was made: the number of the last launch, then words with the number of the
 * launch above what was told. So nothing has to be cleared, and a captured launch can be replayed. Every launch on a
 * tree tells all the words that the ones before it told, so that no old one is ever taken for a new one. */
#ifndef BI_CBT_CUDA_GRID_EXCHANGE_CUH
#define BI_CBT_CUDA_GRID_EXCHANGE_CUH

#include "cbt/cuda/cbt.cuh"

/* What is told: leaves, up to 2^36 of them, and how many changed something above these. */
enum { BI_CBT_TURN_SHIFT = 40, BI_CBT_CHANGED_SHIFT = 39 };
#define BI_CBT_CHANGED (1ull << BI_CBT_CHANGED_SHIFT)

__device__ __forceinline__ unsigned long long bi_cbt_turn(const unsigned long long *words)
{
    return (bi_load_relaxed(words) + 1) & ((1ull << (64 - BI_CBT_TURN_SHIFT)) - 1);
}

__device__ __forceinline__ void bi_cbt_tell(unsigned long long *words, unsigned long long turn, int64_t i,
                                            unsigned long long told)
{
    bi_store_release(&words[1 + i], turn << BI_CBT_TURN_SHIFT | told);
}

__device__ __forceinline__ unsigned long long bi_cbt_hear(const unsigned long long *words, unsigned long long turn,
                                                          int64_t i)
{
    unsigned long long word;
    while ((word = bi_load_acquire(&words[1 + i])) >> BI_CBT_TURN_SHIFT != turn) __nanosleep(20);
    return word & ((1ull << BI_CBT_TURN_SHIFT) - 1);
}

/* When the block has heard all: the next launch has another number. */
__device__ __forceinline__ void bi_cbt_end_turn(unsigned long long *words, unsigned long long turn)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) bi_store_relaxed(words, turn);
}

__device__ __forceinline__ unsigned long long bi_cbt_warp_sum(unsigned long long x)
{
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(~0u, x, d);
    return x;
}

struct bi_cbt_heard {
    unsigned long long before, all; /* of the blocks before this one, and of all */
};

/* A barrier of the grid. Each warp gives `told`, the same in all its lanes. `slots` is shared, three for each warp. */
template <int WARPS>
static __device__ bi_cbt_heard bi_cbt_meet(unsigned long long *words, unsigned long long turn, unsigned long long told,
                                           unsigned long long *slots)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bi_cbt_heard heard = {0, 0};
    if (lane == 0) slots[warp] = told;
    __syncthreads();
    if (warp == 0) {
        const unsigned long long sum = bi_cbt_warp_sum(lane < WARPS ? slots[lane] : 0);
        const unsigned long long leaves = sum & (BI_CBT_CHANGED - 1);
        if (lane == 0) bi_cbt_tell(words, turn, blockIdx.x, leaves | (sum >= BI_CBT_CHANGED ? BI_CBT_CHANGED : 0));
    }
    for (unsigned i = threadIdx.x; i < gridDim.x; i += WARPS * 32) {
        const unsigned long long word = bi_cbt_hear(words, turn, i);
        heard.before += i < blockIdx.x ? word : 0;
        heard.all += word;
    }
    __syncwarp();
    heard.before = bi_cbt_warp_sum(heard.before);
    heard.all = bi_cbt_warp_sum(heard.all);
    if (lane == 0) {
        slots[WARPS + warp] = heard.before;
        slots[2 * WARPS + warp] = heard.all;
    }
    __syncthreads();
    heard.before = heard.all = 0;
    for (int w = 0; w < WARPS; w++) {
        heard.before += slots[WARPS + w];
        heard.all += slots[2 * WARPS + w];
    }
    bi_cbt_end_turn(words, turn);
    return heard;
}

#endif
