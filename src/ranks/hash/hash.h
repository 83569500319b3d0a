/* A rank's part of a hash table over ranks.
 * `local_status`: this rank's own status, which is exchanged at the next agreement. */
#ifndef BI_RANKS_HASH_HASH_H
#define BI_RANKS_HASH_HASH_H

#include <boscage/ranks/hash.h>

#include "ranks/exchange/route.h"

struct bosc_ranks_hash {
    bosc_comm *comm;
    struct bi_memory host, memory;
    bosc_hash_opts opts; /* complete */
    bosc_hash *own;      /* the keys that this rank owns; NULL on all ranks if the table is empty */
};

/* Completes the caller's options by the defaults of all tables. */
bosc_status bi_ranks_hash_complete_opts(bosc_ctx *ctx, const bosc_hash_opts *opts, bosc_hash_opts *full);

/* Checks that the handle is not NULL; without its communicator no agreement is possible. */
bosc_status bi_ranks_hash_check(bosc_ctx *ctx, const bosc_ranks_hash *table);

/* Checks that the context reaches the table, and n keys, at most `most`. The handle is not NULL. */
bosc_status bi_ranks_hash_check_keys(bosc_ctx *ctx, const bosc_ranks_hash *table, const char *name, const void *keys,
                                     const char *count_name, int64_t n, int64_t most);

/* Checks n values; NULL is accepted if they `may_lack`. */
bosc_status bi_ranks_hash_check_values(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *values, int64_t n,
                                       bool may_lack);

/* Empties the table. All ranks do so, or none. */
void bi_ranks_hash_clear(bosc_ranks_hash *table);

#endif
