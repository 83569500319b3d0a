/* Words through which the blocks of a reduction of repeats agree (reduce_repeats.cuh), and publish their result
 * (reduce_in_cells.cu too). */
#ifndef BI_HASH_CUDA_REDUCTION_WORDS_CUH
#define BI_HASH_CUDA_REDUCTION_WORDS_CUH

#include "hash/cuda/notify_host.cuh"

enum { REDUCE_MAX_RANGES = 4096 }; /* of up to some thousand pairs each: at least 2^23 keys. Not measured */

struct reduction_set {
    unsigned long long sums[2];                    /* of bi_grid_barrier_sum */
    unsigned long long reached[REDUCE_MAX_RANGES]; /* as of ordered_args */
};

/* All 0 before the first build. A launch uses the set of its turn, which is all 0, and zeroes the other one: the launch
 * before used it, and has published its result, or runs no more. */
struct reduction_words {
    struct reduction_set sets[2];
    unsigned turn; /* 0 or 1: the set of the next launch */
};

/* The host word of the number of keys, in place of the flag that keys repeat. */
enum { HOST_KEYS = HOST_REPEATS };
/* Fields of a word that a block publishes: the sum of distances from homes, and that the block failed. */
enum { REDUCE_FAILED_SHIFT = 62 };

/* Publishes the block's sum of distances and its failure; the last block also publishes the number of keys, 0 if some
 * found no entry. Thread 0 calls it, after a barrier. */
template <class A>
static __device__ __forceinline__ void publish_reduction(const A &a, unsigned long long keys, unsigned long long extra,
                                                         bool failed)
{
    const bool last = blockIdx.x == gridDim.x - 1;
    if (last) bi_notify_host(&a.host_words[HOST_KEYS], HOST_VALID | keys);
    __threadfence_system(); /* makes the table, the zeroed words, their turn and the number of keys visible first */
    if (last) bi_notify_host(&a.host_words[HOST_BUCKETS], HOST_VALID | 1);
    bi_notify_host(&a.host_words[HOST_COUNTS + blockIdx.x],
                   HOST_VALID | (unsigned long long)failed << REDUCE_FAILED_SHIFT | extra);
}

#endif
