/* The first item of each distinct key on one rank. */
#ifndef BI_RANKS_PRIMS_UNIQUE_H
#define BI_RANKS_PRIMS_UNIQUE_H

#include "ranks/ranks.h"

/* In scratch. ids[i]: index of item i's key among the distinct keys, by first occurrence. representative_ids[id]: the
 * first item with that key. */
struct bi_ranks_representatives {
    int64_t *ids;                /* (n) */
    uint8_t *is_first;           /* (n): 1 for representatives */
    int64_t *representative_ids; /* (count) */
    int64_t count;
};

/* Finds the representatives of keys (n), in reach. */
bosc_status bi_ranks_find_representatives(bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits,
                                          struct bi_ranks_representatives *items);

#endif
