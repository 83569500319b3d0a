/* Cells of ORDERED builds on CUDA: a block scatters a share of the pairs to ranges, one cell a range, so that no
 * counter is shared. A word beside a cell publishes the number of its pairs to the block of the range. */
#ifndef BI_HASH_CUDA_ORDERED_CELLS_CUH
#define BI_HASH_CUDA_ORDERED_CELLS_CUH

#include <math.h>

#include "hash/cuda/notify_host.cuh"
#include "hash/cuda/ordered.cuh"
#include "hash/cuda/reduction_words.cuh"

/* RESIDENT: blocks of a multiprocessor. */
#ifdef BI_EMULATE /* the emulator runs few threads at once */
enum { MAX_RANGES = 8, RESIDENT = 4 };
#else
enum { MAX_RANGES = 128, RESIDENT = 1 };
#endif
static_assert((int)MAX_RANGES <= (int)MAX_REPORTS, "a word of each block");

/* Words that a table keeps between builds. The counts of cells are 0 between them. */
struct ordered_words {
    unsigned long long reached[MAX_RANGES];
    unsigned cell_counts[MAX_RANGES * MAX_RANGES];
    unsigned key_counts[MAX_RANGES];
    struct reduction_words reduction;
};

template <int SIZE> struct cooperative_shared : ordered_shared<SIZE> {
    unsigned counts[MAX_RANGES], begins[MAX_RANGES]; /* of the block's pairs for each range */
};

/* Publishes the number of pairs in each of the block's cells. */
template <class A, int SIZE>
static __device__ __forceinline__ void publish_cell_counts(const A &a, const cooperative_shared<SIZE> &sh)
{
    if (threadIdx.x >= gridDim.x) return;
    /* release: the cells are visible to a block that reads the count */
    bi_store_release(&a.cell_counts[threadIdx.x * gridDim.x + blockIdx.x], sh.counts[threadIdx.x] + 1);
}

/* Waits for a cell of the block's range and reads this thread's pairs from it. Returns true if the cell lacked room
 * for some pairs. */
template <class K, class P, int PAIRS>
static __device__ __forceinline__ bool read_cell(const ordered_args<K, P> &a, ordered_pairs<K, P, PAIRS> &own)
{
    const uint32_t lane = threadIdx.x % a.cell_lanes, from = threadIdx.x / a.cell_lanes;
    const uint32_t cell = blockIdx.x * gridDim.x + from;
    unsigned count = 0;
    if (from < gridDim.x) {
        while (!(count = bi_load_acquire(&a.cell_counts[cell])))
            ;
        count--;
    }
    __syncwarp(); /* all lanes have read the word, before it is cleared */
    if (from < gridDim.x && lane == 0) bi_store_relaxed(&a.cell_counts[cell], 0u);
#pragma unroll
    for (int k = 0; k < PAIRS; k++) {
        const uint32_t i = lane + k * a.cell_lanes;
        own.at[k] = own.NO_PAIR;
        if (i >= min(count, a.cell_pairs)) continue;
        own.pair[k] = a.cells[cell * a.cell_pairs + i];
        own.at[k] = 0;
    }
    return count > a.cell_pairs;
}

/* Returns the number of ranges, a power of two: one block each, and all blocks run at once. threads: of a block;
 * cell_pairs: mean of a cell, if there are ranges enough. */
static inline uint32_t ranges_for(const bosc_ctx *ctx, int threads, uint32_t cell_pairs, uint32_t n)
{
    const uint32_t most = bi_launch_cooperative_limit(threads, RESIDENT * (unsigned)ctx->multiprocessors);
    uint32_t ranges = 1;
    while (2 * ranges <= most && ranges < MAX_RANGES && ranges * ranges * cell_pairs < n) ranges *= 2;
    return ranges;
}

/* Sets the capacity of cells: the mean and six standard deviations, or what their threads read. */
template <class K, class P>
static void set_cells(ordered_args<K, P> *a, uint32_t ranges, uint32_t threads, uint32_t each)
{
    const double mean = (double)a->n / ((double)ranges * ranges), most = mean + 6 * sqrt(mean) + 6;
    const uint32_t lanes = threads / ranges < 32 ? threads / ranges : 32;
    a->cell_lanes = lanes;
    a->cell_pairs = most < lanes * each ? (uint32_t)most : lanes * each;
}

#endif
