/* boscage/ranks/hash.h - hash tables over the ranks of a communicator.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_ranks_hash_build
 *
 * Every key has an owner, a rank chosen by a hash. Each rank holds an ordinary table (boscage/hash.h) of the keys that
 * it owns. Pairs and queries go to the owners of their keys, and results return. They are the results of one table
 * built from the pairs of all ranks in their order: the last pair of a key, for example, is on the highest rank with
 * that key.
 *
 * All calls but bosc_ranks_hash_free and bosc_ranks_hash_bytes are collective and wait (boscage/ranks.h), on the
 * communicator of bosc_ranks_hash_create, which must outlive the table. Numbers of pairs and queries are a rank's own
 * and may be 0. A NULL handle fails on its rank alone, which then misses the exchange.
 *
 * In the costs below `key` and `value` are the bytes of a key and of a value. Distinct keys are shared evenly, but all
 * pairs of one key go to one rank. Scratch comes on top of the calls of boscage/hash.h for a rank's share. */
#ifndef BOSCAGE_RANKS_HASH_H
#define BOSCAGE_RANKS_HASH_H

#include <boscage/comm.h>
#include <boscage/hash.h>

BOSC_BEGIN_DECLS

/* A rank's shard of a table. */
typedef struct bosc_ranks_hash bosc_ranks_hash;

/* Makes an empty table.
 * opts: NULL means the defaults; the same on all ranks. no_wait is ignored.
 * table: set on success. */
BOSC_API bosc_status bosc_ranks_hash_create(bosc_ctx *ctx, bosc_comm *comm, const bosc_hash_opts *opts,
                                            bosc_ranks_hash **table);

/* Frees a rank's shard; NULL is allowed. Not collective. */
BOSC_API void bosc_ranks_hash_free(bosc_ranks_hash *table);

/* Reserves memory so that later builds with this context allocate no more of the backend's. The table keeps its
 * contents.
 * Calls still allocate short lists in host memory. The number of keys that a rank owns varies: the call reserves for m
 * + 8 sqrt(m) + 64 pairs, m = total / P. A rank with more, possible where keys repeat, allocates. So does a build in
 * which a key repeats, or under BOSC_HASH_ERROR.
 * n: most pairs of this rank.
 * total: most pairs of all ranks; the same on all ranks.
 * Errors: BOSC_ERR_LIMIT for n or m of 2^32 - 1 or more. On failure the table is unchanged.
 * Cost: the memory of bosc_ranks_hash_bytes; a table that holds pairs is copied if its memory grows. */
BOSC_API bosc_status bosc_ranks_hash_reserve(bosc_ctx *ctx, bosc_ranks_hash *table, int64_t n, int64_t total);

/* Computes the backend memory, in bytes, of a build on this rank, for the share of bosc_ranks_hash_reserve.
 * Not collective; needs no device.
 * opts: NULL means the defaults.
 * n, total: as in bosc_ranks_hash_reserve.
 * kept: held by this rank's shard, at most; may be NULL.
 * scratch: of the context while it builds, at most, if no key repeats; may be NULL. */
BOSC_API bosc_status bosc_ranks_hash_bytes(const bosc_ctx *ctx, const bosc_comm *comm, const bosc_hash_opts *opts,
                                           int64_t n, int64_t total, int64_t *kept, int64_t *scratch);

/* Builds or rebuilds a table from the pairs of all ranks.
 * keys (n): n < 2^32 - 1 on each rank.
 * values (n x value_size): NULL for a set.
 * Errors: BOSC_ERR_DATA if a key repeats under BOSC_HASH_ERROR, with the row counted over all ranks. BOSC_ERR_LIMIT if
 *     a rank becomes the owner of 2^32 - 1 pairs or more, and as bosc_hash_build. The table is unchanged after
 *     BOSC_ERR_ARG, BOSC_ERR_DATA, and failures before the pairs have reached their owners; after any other failure it
 *     is empty, on all ranks.
 * Cost: bosc_hash_build of the pairs that a rank owns. Pairs are exchanged once; scratch of n (key + value + 1) bytes,
 *     n (key + value) more where ranks share no memory, and key + value for each received pair. Under BOSC_HASH_ERROR
 *     also bosc_hash_unique of the received keys. */
BOSC_API bosc_status bosc_ranks_hash_build(bosc_ctx *ctx, bosc_ranks_hash *table, const void *keys, const void *values,
                                           int64_t n);

/* Finds the values of keys. In a multimap: the first value.
 * queries (query_count): keys.
 * values (query_count x value_size): zero bytes for an absent key; may be NULL.
 * found (query_count): 1 or 0; may be NULL.
 * Cost: bosc_hash_find of the queries that a rank owns. Queries and results are exchanged once; scratch of 2 (key +
 *     value + 11) bytes a query and half of it for each received one. Threads on CPUs query the tables of all ranks in
 *     place: no query is exchanged, and scratch is of 16,384 queries for each thread. */
BOSC_API bosc_status bosc_ranks_hash_find(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *queries,
                                          int64_t query_count, void *values, uint8_t *found);

/* Counts the pairs of each key, as bosc_hash_count does.
 * queries (query_count): keys.
 * counts (query_count): the numbers.
 * Cost: as bosc_ranks_hash_find, for values of 8 bytes. */
BOSC_API bosc_status bosc_ranks_hash_count(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *queries,
                                           int64_t query_count, int64_t *counts);

/* Finds all values of keys as CSR rows, by two calls, as bosc_hash_retrieve does.
 * The first call, with values NULL on all ranks, writes the offsets; the second reads them and fills the rows. A rank
 * without results may then pass NULL too.
 * queries (query_count): keys.
 * offsets (query_count + 1): query q has values[offsets[q]] to values[offsets[q + 1] - 1], in the order of the ranks
 *     and their pairs.
 * values (capacity x value_size): NULL in the first call.
 * Errors: BOSC_ERR_SPACE if capacity < offsets[query_count]; BOSC_ERR_ARG if the offsets are not those of the first
 *     call.
 * Cost: bosc_hash_retrieve of the queries that a rank owns, twice in the second call; queries and counts are exchanged
 *     once, and values once. Scratch as bosc_ranks_hash_count, and two copies of the values. */
BOSC_API bosc_status bosc_ranks_hash_retrieve(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *queries,
                                              int64_t query_count, int64_t *offsets, void *values, int64_t capacity);

/* Adds the pairs of all ranks. A pair in the table counts as the first one of its key; duplicates are treated as in a
 * build.
 * keys, values, n: as in bosc_ranks_hash_build.
 * Errors: as bosc_ranks_hash_build.
 * Cost: bosc_hash_insert of the pairs that a rank owns, with the exchange and scratch of bosc_ranks_hash_build. Under
 *     BOSC_HASH_ERROR also bosc_hash_find of the received keys. */
BOSC_API bosc_status bosc_ranks_hash_insert(bosc_ctx *ctx, bosc_ranks_hash *table, const void *keys, const void *values,
                                            int64_t n);

/* Removes the keys that any rank names, in a multimap with all their values; absent keys are no failure.
 * keys (n): of key_bits.
 * erased: host; receives the number of keys removed by all ranks together; may be NULL.
 * Errors: as bosc_ranks_hash_build.
 * Cost: bosc_hash_erase of the keys that a rank owns, and their exchange. */
BOSC_API bosc_status bosc_ranks_hash_erase(bosc_ctx *ctx, bosc_ranks_hash *table, const void *keys, int64_t n,
                                           int64_t *erased);

typedef struct bosc_ranks_hash_info {
    size_t size;
    /* Of all ranks together, as in bosc_hash_info. */
    int64_t pairs, keys, slots;
    int64_t bytes;
    double load_factor;
    /* Of this rank. */
    int64_t own_pairs, own_keys, own_bytes;
} bosc_ranks_hash_info;

/* Describes the table. Set `size`. */
BOSC_API bosc_status bosc_ranks_hash_get_info(bosc_ctx *ctx, const bosc_ranks_hash *table, bosc_ranks_hash_info *info);

BOSC_END_DECLS
#endif
