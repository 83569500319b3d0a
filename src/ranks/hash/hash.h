/* A rank's part of a distributed hash table, for its drivers. */
#ifndef BI_RANKS_HASH_HASH_H
#define BI_RANKS_HASH_HASH_H

#include <boscage/ranks/hash.h>

#include "ranks/exchange/route.h"

struct bosc_ranks_hash {
    bosc_comm *comm;
    struct bi_memory host, memory;
    bosc_hash_opts opts; /* whole */
    bosc_hash *own;      /* the keys that this rank owns; NULL on all ranks: the table is empty */
};

/* The caller's options, with the defaults that all tables have. */
bosc_status bi_ranks_hash_take_opts(bosc_ctx *ctx, const bosc_hash_opts *opts, bosc_hash_opts *full);

/* Whether the handle is there, without which a rank cannot meet the others. */
bosc_status bi_ranks_hash_check(bosc_ctx *ctx, const bosc_ranks_hash *table);

/* The handle is there. Whether the context reaches it; and n keys, and whether more of them may be there than a table
 * holds. */
bosc_status bi_ranks_hash_check_keys(bosc_ctx *ctx, const bosc_ranks_hash *table, const char *name, const void *keys,
                                     const char *count_name, int64_t n, int64_t most);

/* n values, or none (NULL) if they `may_lack`. */
bosc_status bi_ranks_hash_check_values(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *values, int64_t n,
                                       bool may_lack);

/* Empties the table. All ranks do it, or none. */
void bi_ranks_hash_clear(bosc_ranks_hash *table);

#endif
