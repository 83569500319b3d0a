/* First items of equal keys on one rank. */
#ifndef BI_RANKS_PRIMS_REPRESENTATIVES_H
#define BI_RANKS_PRIMS_REPRESENTATIVES_H

#include "ranks/ranks.h"

/* In scratch: ids[i], the number of distinct keys before the first item of item i's key; whether that is item i; and
 * it, by id. */
struct bi_ranks_first_items {
    int64_t *ids;      /* (n) */
    uint8_t *is_first; /* (n) */
    int64_t *firsts;   /* (count) */
    int64_t count;
};

/* keys: (n), in reach. */
bosc_status bi_ranks_find_firsts(bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits,
                                 struct bi_ranks_first_items *items);

#endif
