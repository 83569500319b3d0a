/* Words through which the blocks of a reduction of repeats agree (reduce_repeats.cuh). */
#ifndef BI_HASH_CUDA_REDUCTION_WORDS_CUH
#define BI_HASH_CUDA_REDUCTION_WORDS_CUH

enum { REDUCE_MAX_RANGES = 4096 }; /* of up to some thousand pairs each: at least 2^23 keys. Not measured */

/* All 0 between builds: the kernel zeroes them before its result is complete. */
struct reduction_words {
    unsigned long long sums[2];                    /* of bi_grid_barrier_sum */
    unsigned leaving;                              /* number of blocks that have read their last word */
    unsigned long long reached[REDUCE_MAX_RANGES]; /* as of ordered_args */
};

#endif
