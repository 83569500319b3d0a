/* Words through which the blocks of a reduction of repeats agree (reduce_repeats.cuh). */
#ifndef BI_HASH_CUDA_REDUCTION_WORDS_CUH
#define BI_HASH_CUDA_REDUCTION_WORDS_CUH

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

#endif
