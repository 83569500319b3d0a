/* First items of equal keys on one rank. */
#ifndef BI_DIST_FIRSTS_H
#define BI_DIST_FIRSTS_H

#include "dist/dist.h"

/* In scratch: ids[i], the number of distinct keys before the first item of item i's key; whether that is item i; and
 * it, by id. */
struct bi_dist_first_items {
    int64_t *ids;      /* (n) */
    uint8_t *is_first; /* (n) */
    int64_t *firsts;   /* (count) */
    int64_t count;
};

/* keys: (n), in reach. */
bosc_status bi_dist_find_firsts(bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits,
                                struct bi_dist_first_items *items);

#endif
