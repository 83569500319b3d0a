/* A block of queries in the order of their owners, whose structures answer them where they lie. Only on the CPU. */
#ifndef BI_RANKS_EXCHANGE_QUERIES_H
#define BI_RANKS_EXCHANGE_QUERIES_H

#include "ranks/ranks.h"

enum {
    BI_RANKS_QUERY_BLOCK = 1 << 14 /* of a thread: keys, values and positions take 320 KB of a second-level cache */
};

struct bi_ranks_queries {
    int64_t n; /* at most BI_RANKS_QUERY_BLOCK for each thread of the context */
    uint32_t rank_count;
    const void *keys; /* (n) */
    int32_t key_bits; /* 32, 64 or 128 */
    /* Results: keys by owner, then by row; the position of each row's key there; each owner's first position. */
    void *ordered_keys;  /* (n) */
    uint32_t *positions; /* (n) */
    int64_t *offsets;    /* (rank_count + 1) */
};

#endif
