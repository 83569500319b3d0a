/* An all-to-all exchange of counts in a cooperative grid, which is also its only barrier: each block publishes one word
 * and waits for the words of all others. The words belong to the tree and are 0 at first: the number of the last launch
 * (the epoch), then one word a block with the epoch in its upper bits. So nothing has to be cleared, and a captured
 * launch can be replayed. Every launch on a tree publishes all words that earlier launches published: otherwise a stale
 * word could match once the epoch wraps around. */
#ifndef BI_CBT_CUDA_GRID_EXCHANGE_CUH
#define BI_CBT_CUDA_GRID_EXCHANGE_CUH

#include "cbt/cuda/cbt.cuh"

/* A published word: 24 bits of epoch, a flag (the range has changed), and the number of leaves, up to 2^36. */
enum { BI_CBT_EPOCH_SHIFT = 40, BI_CBT_CHANGED_SHIFT = 39 };
#define BI_CBT_CHANGED (1ull << BI_CBT_CHANGED_SHIFT)

/* The number of this launch. */
__device__ __forceinline__ unsigned long long bi_cbt_next_epoch(const unsigned long long *words)
{
    return (bi_load_relaxed(words) + 1) & ((1ull << (64 - BI_CBT_EPOCH_SHIFT)) - 1);
}

/* Publishes word i. Release: whatever this thread has read is read before others act on the word. */
__device__ __forceinline__ void bi_cbt_publish(unsigned long long *words, unsigned long long epoch, int64_t i,
                                               unsigned long long published)
{
    bi_store_release(&words[1 + i], epoch << BI_CBT_EPOCH_SHIFT | published);
}

/* Waits for word i of this launch. Acquire: later writes of this thread follow the reads of the publisher. */
__device__ __forceinline__ unsigned long long bi_cbt_await_word(const unsigned long long *words,
                                                                unsigned long long epoch, int64_t i)
{
    unsigned long long word;
    while ((word = bi_load_acquire(&words[1 + i])) >> BI_CBT_EPOCH_SHIFT != epoch) __nanosleep(20);
    return word & ((1ull << BI_CBT_EPOCH_SHIFT) - 1);
}

/* Stores the number of this launch, once the block has received all words. */
__device__ __forceinline__ void bi_cbt_finish_epoch(unsigned long long *words, unsigned long long epoch)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) bi_store_relaxed(words, epoch);
}

struct bi_cbt_exchanged {
    unsigned long long exclusive_prefix, total; /* sums over the blocks before this one, and over all */
};

/* Exchanges the sums of the blocks: a barrier of the grid. published: the warp's sum, the same in all lanes. slots:
 * shared memory, three a warp. */
template <int WARPS>
static __device__ bi_cbt_exchanged bi_cbt_grid_exchange(unsigned long long *words, unsigned long long epoch,
                                                        unsigned long long published, unsigned long long *slots)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bi_cbt_exchanged exchanged = {0, 0};
    /* 1. Sum over the warps of the block, and publish. */
    if (lane == 0) slots[warp] = published;
    __syncthreads(); /* all warps have their sums in slots[], and have read what other blocks may change */
    if (warp == 0) {
        const unsigned long long sum = bi_warp_sum(lane < WARPS ? slots[lane] : 0);
        const unsigned long long leaves = sum & (BI_CBT_CHANGED - 1);
        if (lane == 0) bi_cbt_publish(words, epoch, blockIdx.x, leaves | (sum >= BI_CBT_CHANGED ? BI_CBT_CHANGED : 0));
    }
    /* 2. Receive the words of all blocks, a thread each. */
    for (unsigned i = threadIdx.x; i < gridDim.x; i += WARPS * 32) {
        const unsigned long long word = bi_cbt_await_word(words, epoch, i);
        exchanged.exclusive_prefix += i < blockIdx.x ? word : 0;
        exchanged.total += word;
    }
    __syncwarp(); /* lanes leave the loop one by one */
    exchanged.exclusive_prefix = bi_warp_sum(exchanged.exclusive_prefix);
    exchanged.total = bi_warp_sum(exchanged.total);
    if (lane == 0) {
        slots[WARPS + warp] = exchanged.exclusive_prefix;
        slots[2 * WARPS + warp] = exchanged.total;
    }
    __syncthreads(); /* the block has received all words: its threads may write */
    exchanged.exclusive_prefix = exchanged.total = 0;
    for (int w = 0; w < WARPS; w++) {
        exchanged.exclusive_prefix += slots[WARPS + w];
        exchanged.total += slots[2 * WARPS + w];
    }
    bi_cbt_finish_epoch(words, epoch);
    return exchanged;
}

#endif
