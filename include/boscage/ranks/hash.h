/* boscage/ranks/hash.h - hash tables over the ranks of a communicator.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every key has an owner, the rank that a hash of it names; each rank holds an ordinary table (boscage/hash.h) of the
 * keys that it owns. Pairs and queries of any rank go to the owners of their keys, and answers come back. What the
 * table answers is what one table answers that was given the pairs of all ranks one after the other: the last pair of a
 * key, say, is that of the highest rank which has the key.
 *
 * All calls but bosc_ranks_hash_free and bosc_ranks_hash_bytes are collective and wait (boscage/ranks.h), on the
 * communicator that the table was created with, which must outlive it. Numbers of pairs and queries are a rank's own
 * and may be 0. A handle that is NULL fails on its rank alone, which cannot meet the others then.
 *
 * In the costs below `key` and `value` are the bytes of a key and of a value. Keys that chance deals are shared evenly;
 * all pairs of one key go to one rank. Scratch comes to that of the calls of boscage/hash.h, for a rank's share. */
#ifndef BOSCAGE_RANKS_HASH_H
#define BOSCAGE_RANKS_HASH_H

#include <boscage/comm.h>
#include <boscage/hash.h>

BOSC_BEGIN_DECLS

/* A rank's part of a table. */
typedef struct bosc_ranks_hash bosc_ranks_hash;

/* Makes an empty table.
 * opts: may be NULL, which is all defaults; the same on all ranks. no_wait is ignored.
 * table: *table is set on success. */
BOSC_API bosc_status bosc_ranks_hash_create(bosc_ctx *ctx, bosc_comm *comm, const bosc_hash_opts *opts,
                                            bosc_ranks_hash **table);

/* Frees a rank's part; NULL is allowed. Not collective. */
BOSC_API void bosc_ranks_hash_free(bosc_ranks_hash *table);

/* Reserves memory, so that later builds with this context take none of the backend: neither for the table nor as
 * scratch. Short lists in host memory are taken and given back by every call. The table keeps what it holds.
 * n: pairs of this rank, at most. total: of all ranks, at most; the same on all ranks.
 * Which keys a rank owns is chance: room is made for m + 8 sqrt(m) + 64 pairs, m = total / P. A rank that gets more, as
 * it may where keys repeat, allocates, and so does a build where a key repeats, as after bosc_hash_reserve, or under
 * BOSC_HASH_ERROR.
 * Errors: BOSC_ERR_LIMIT for n of 2^32 - 1 or more, or such a share. On failure the table holds what it held before.
 * Cost: the bytes that bosc_ranks_hash_bytes tells; a table that holds pairs is copied where its memory grows. */
BOSC_API bosc_status bosc_ranks_hash_reserve(bosc_ctx *ctx, bosc_ranks_hash *table, int64_t n, int64_t total);

/* Tells the bytes of backend memory that a build takes on this rank, for the share that bosc_ranks_hash_reserve makes
 * room for. Not collective; needs no device.
 * opts: may be NULL. n, total: as there.
 * kept: bytes that this rank's part of the table keeps, at most; may be NULL.
 * scratch: bytes of the context's scratch while it builds, at most, if no key repeats; may be NULL. */
BOSC_API bosc_status bosc_ranks_hash_bytes(const bosc_ctx *ctx, const bosc_comm *comm, const bosc_hash_opts *opts,
                                           int64_t n, int64_t total, int64_t *kept, int64_t *scratch);

/* Builds or rebuilds a table from the pairs of all ranks, n < 2^32 - 1 of each.
 * keys: (n).
 * values: (n x value_size); NULL for a set.
 * Errors: BOSC_ERR_DATA if a key repeats under BOSC_HASH_ERROR; the row is counted over all ranks. BOSC_ERR_LIMIT if a
 * rank becomes the owner of 2^32 - 1 pairs or more, and as bosc_hash_build. After BOSC_ERR_ARG, BOSC_ERR_DATA, and all
 * that fails before each pair has come to its owner, the table holds what it held before; after any other failure it
 * is empty, on all ranks.
 * Cost: bosc_hash_build of the pairs that a rank owns. Pairs are exchanged once; scratch of
 * n (key + value + 20) bytes, and key + value for each pair that comes. Under BOSC_HASH_ERROR also a
 * bosc_hash_unique of the keys that come. */
BOSC_API bosc_status bosc_ranks_hash_build(bosc_ctx *ctx, bosc_ranks_hash *table, const void *keys, const void *values,
                                           int64_t n);

/* Looks keys up. Of a multimap: the first value.
 * queries: (query_count) keys.
 * values: (query_count x value_size), or NULL; zero bytes where the key is absent.
 * found: (query_count), or NULL; 1 or 0.
 * Cost: bosc_hash_find of the queries that a rank owns. Queries are exchanged once, and so are answers; scratch of
 * 2 (key + value + 11) bytes a query and half of it for each that comes. */
BOSC_API bosc_status bosc_ranks_hash_find(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *queries,
                                          int64_t query_count, void *values, uint8_t *found);

/* Counts the pairs that keys came with, as bosc_hash_count.
 * queries: (query_count) keys. counts: (query_count).
 * Cost: as bosc_ranks_hash_find, for values of 8 bytes. */
BOSC_API bosc_status bosc_ranks_hash_count(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *queries,
                                           int64_t query_count, int64_t *counts);

/* Retrieves all values of keys as CSR rows, as bosc_hash_retrieve: those of query q are values[offsets[q]] to
 * values[offsets[q + 1] - 1], in the order of the ranks and their pairs. Call first with values NULL on all ranks,
 * which writes the offsets; then again with values, which reads them. A rank without answers may then have none.
 * queries: (query_count) keys.
 * offsets: (query_count + 1).
 * values: (capacity x value_size), or NULL.
 * Errors: BOSC_ERR_SPACE if capacity < offsets[query_count]; BOSC_ERR_ARG if the offsets are not what the first call
 * wrote.
 * Cost: bosc_hash_retrieve of the queries that a rank owns, twice in the second call; queries and counts are exchanged
 * once, and values once. Scratch as bosc_ranks_hash_count, and two copies of the values. */
BOSC_API bosc_status bosc_ranks_hash_retrieve(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *queries,
                                              int64_t query_count, int64_t *offsets, void *values, int64_t capacity);

/* Adds the pairs of all ranks. The pair in the table counts as the first one of its key, and duplicates are treated as
 * in a build.
 * keys, values, n: as in bosc_ranks_hash_build.
 * Errors: as there.
 * Cost: bosc_hash_insert of the pairs that a rank owns, with the exchange and scratch of bosc_ranks_hash_build. Under
 * BOSC_HASH_ERROR also a bosc_hash_find of the keys that come. */
BOSC_API bosc_status bosc_ranks_hash_insert(bosc_ctx *ctx, bosc_ranks_hash *table, const void *keys, const void *values,
                                            int64_t n);

/* Removes the keys that any rank names, in a multimap with all their values; absent keys are no failure.
 * keys: (n).
 * erased: on the host, or NULL; *erased gets the number of keys removed by all ranks together.
 * Errors: the table as after those of bosc_ranks_hash_build.
 * Cost: bosc_hash_erase of the keys that a rank owns, and their exchange. */
BOSC_API bosc_status bosc_ranks_hash_erase(bosc_ctx *ctx, bosc_ranks_hash *table, const void *keys, int64_t n,
                                           int64_t *erased);

typedef struct bosc_ranks_hash_info {
    size_t size;
    /* Of all ranks together, as in bosc_hash_info. */
    int64_t pairs, keys, slots;
    int64_t bytes;
    double load;
    /* Of this rank. */
    int64_t own_pairs, own_keys, own_bytes;
} bosc_ranks_hash_info;

/* Tells about a table. Set info->size. */
BOSC_API bosc_status bosc_ranks_hash_get_info(bosc_ctx *ctx, const bosc_ranks_hash *table, bosc_ranks_hash_info *info);

BOSC_END_DECLS
#endif
