/* The blocks of a grid that runs together meet once a launch: each tells what it counted, and waits for what all others
 * tell. `words` are of the tree, 0 when it was made: the number of the last launch, then a word for each block of the
 * grid, with the number of the launch above what was told. So nothing has to be cleared, and a captured launch can be
 * replayed. Words of older launches stay behind only where grids differ in size; those of a tree do not. */
#ifndef BI_CBT_CUDA_MEETING_CUH
#define BI_CBT_CUDA_MEETING_CUH

#include "cbt/cuda.cuh"

enum { BI_CBT_TURN_SHIFT = 40 };
#define BI_CBT_CHANGED (1ull << (BI_CBT_TURN_SHIFT - 1))

struct bi_cbt_meeting {
    unsigned long long before, all, changed; /* shared: 0 when the block gets here */
};

__device__ __forceinline__ unsigned long long bi_cbt_turn(const unsigned long long *words)
{
    return (bi_load_relaxed(words) + 1) & ((1ull << (64 - BI_CBT_TURN_SHIFT)) - 1);
}

/* A barrier of the grid: *sum gets the counts of the blocks before this one and of all, and whether any one had changed
 * anything. All threads call it, once, with the turn; `count` is taken from the first one. */
static __device__ void bi_cbt_meet(unsigned long long *words, unsigned long long turn, unsigned long long count,
                                   bool changed, bi_cbt_meeting *sum)
{
    __syncthreads();
    if (threadIdx.x == 0)
        bi_store_release(&words[1 + blockIdx.x], turn << BI_CBT_TURN_SHIFT | (changed ? BI_CBT_CHANGED : 0) | count);
    unsigned long long before = 0, all = 0, any = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
        unsigned long long word;
        while ((word = bi_load_acquire(&words[1 + i])) >> BI_CBT_TURN_SHIFT != turn) __nanosleep(20);
        word &= (1ull << BI_CBT_TURN_SHIFT) - 1;
        any |= word & BI_CBT_CHANGED;
        word &= BI_CBT_CHANGED - 1;
        before += i < blockIdx.x ? word : 0;
        all += word;
    }
    if (before) atomicAdd(&sum->before, before);
    if (all) atomicAdd(&sum->all, all);
    if (any) atomicOr(&sum->changed, any);
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) bi_store_relaxed(words, turn); /* all have read it */
}

#endif
