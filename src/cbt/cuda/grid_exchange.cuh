/* The blocks of a grid that runs together meet once a launch: each publishes what it counted, and waits for what all
 * others tell. The words are of the tree, 0 when it was made: the number of the last launch, then words with the number
 * of the launch above what was published. So nothing has to be cleared, and a captured launch can be replayed. Every
 * launch on a tree publishes all the words that the ones before it published, so that no old one is ever taken for a
 * new one. */
#ifndef BI_CBT_CUDA_GRID_EXCHANGE_CUH
#define BI_CBT_CUDA_GRID_EXCHANGE_CUH

#include "cbt/cuda/cbt.cuh"

/* What is published: leaves, up to 2^36 of them, and how many changed something above these. */
enum { BI_CBT_EPOCH_SHIFT = 40, BI_CBT_CHANGED_SHIFT = 39 };
#define BI_CBT_CHANGED (1ull << BI_CBT_CHANGED_SHIFT)

__device__ __forceinline__ unsigned long long bi_cbt_epoch(const unsigned long long *words)
{
    return (bi_load_relaxed(words) + 1) & ((1ull << (64 - BI_CBT_EPOCH_SHIFT)) - 1);
}

__device__ __forceinline__ void bi_cbt_publish(unsigned long long *words, unsigned long long epoch, int64_t i,
                                               unsigned long long published)
{
    bi_store_release(&words[1 + i], epoch << BI_CBT_EPOCH_SHIFT | published);
}

__device__ __forceinline__ unsigned long long bi_cbt_await(const unsigned long long *words, unsigned long long epoch,
                                                           int64_t i)
{
    unsigned long long word;
    while ((word = bi_load_acquire(&words[1 + i])) >> BI_CBT_EPOCH_SHIFT != epoch) __nanosleep(20);
    return word & ((1ull << BI_CBT_EPOCH_SHIFT) - 1);
}

/* When the block has exchanged all: the next launch has another number. */
__device__ __forceinline__ void bi_cbt_end_epoch(unsigned long long *words, unsigned long long epoch)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) bi_store_relaxed(words, epoch);
}

struct bi_cbt_exchanged {
    unsigned long long before, all; /* of the blocks before this one, and of all */
};

/* A barrier of the grid. Each warp gives `published`, the same in all its lanes. `slots` is shared, three for each
 * warp. */
template <int WARPS>
static __device__ bi_cbt_exchanged bi_cbt_grid_exchange(unsigned long long *words, unsigned long long epoch,
                                                        unsigned long long published, unsigned long long *slots)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bi_cbt_exchanged exchanged = {0, 0};
    if (lane == 0) slots[warp] = published;
    __syncthreads();
    if (warp == 0) {
        const unsigned long long sum = bi_warp_sum(lane < WARPS ? slots[lane] : 0);
        const unsigned long long leaves = sum & (BI_CBT_CHANGED - 1);
        if (lane == 0) bi_cbt_publish(words, epoch, blockIdx.x, leaves | (sum >= BI_CBT_CHANGED ? BI_CBT_CHANGED : 0));
    }
    for (unsigned i = threadIdx.x; i < gridDim.x; i += WARPS * 32) {
        const unsigned long long word = bi_cbt_await(words, epoch, i);
        exchanged.before += i < blockIdx.x ? word : 0;
        exchanged.all += word;
    }
    __syncwarp();
    exchanged.before = bi_warp_sum(exchanged.before);
    exchanged.all = bi_warp_sum(exchanged.all);
    if (lane == 0) {
        slots[WARPS + warp] = exchanged.before;
        slots[2 * WARPS + warp] = exchanged.all;
    }
    __syncthreads();
    exchanged.before = exchanged.all = 0;
    for (int w = 0; w < WARPS; w++) {
        exchanged.before += slots[WARPS + w];
        exchanged.all += slots[2 * WARPS + w];
    }
    bi_cbt_end_epoch(words, epoch);
    return exchanged;
}

#endif
