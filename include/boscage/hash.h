/* boscage/hash.h - hash tables built in bulk: sets, maps, multimaps, unique ids.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_hash_create, _build, _find, _unique
 *
 * A table is built from all its pairs at once, in about the time of one radix sort pass, and queried in batches.
 * Insertions and erasures come in batches too. Every key value is allowed, and no build fails by chance. The same pairs
 * in the same order with the same options and seed make the same bytes on every backend and number of threads.
 *
 * Keys have 32 bits (uint32_t), 64 bits (uint64_t) or 128 bits (two uint64_t, low half first). Values are value_size
 * bytes, copied unchanged. Arrays need the alignment of their elements: 4 for keys of 32 bits, else 8; for values the
 * largest of 1, 2, 4 and 8 that divides value_size.
 *
 * In the costs below `key` is the bytes of a key, `value` the bytes of a value, and `stored` the bytes that the table
 * stores with a key: the value, and 4 bytes if it is counted; 8 bytes in a multimap.
 * Sources: Alcantara et al., Real-time Parallel Hashing on the GPU (SIGGRAPH Asia 2009); Alcantara, Efficient Hash
 *     Tables on the GPU (2011); Fredman, Komlos, Szemeredi, Storing a Sparse Table with O(1) Worst Case Access Time
 *     (1984); Pagh and Rodler, Cuckoo Hashing (2004); Azar, Broder, Karlin, Upfal, Balanced Allocations (1999);
 *     Voecking, How Asymmetry Helps Load Balancing (2003); Gale and Shapley, College Admissions (1962); Amble and
 *     Knuth, Ordered Hash Tables (1974); Gonnet and Munro, The Analysis of Linear Probing Sort by the Use of a New
 *     Mathematical Transform (1984). */
#ifndef BOSCAGE_HASH_H
#define BOSCAGE_HASH_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A table in the memory of one backend and device. Any number of contexts of that device may query it at once, while
 * none writes to it. It may outlive the context that made it. */
typedef struct bosc_hash bosc_hash;

/* AUTO is ORDERED for maps and sets of up to 2^18 distinct keys (2^19 if a key and its stored bytes take at most 8),
 * with keys of 32 or 64 bits, 0, 4 or 8 stored bytes and a load factor of at most 0.9; else BUCKETED. The same on every
 * backend. Builds and rehashes choose anew, and so do insertions and erasures that rebuild a table. info.layout names
 * the choice. A saved file has the chosen layout, and the table read from it keeps it.
 * Choose BUCKETED for bosc_hash_get_view, and for cheap insertions into small tables. */
typedef enum bosc_hash_layout {
    BOSC_HASH_AUTO = 0,     /* ORDERED or BUCKETED, chosen anew by each build (above) */
    BOSC_HASH_BUCKETED = 1, /* buckets of four slots, two buckets for each key; partitions built in fast memory */
    BOSC_HASH_PERFECT = 2,  /* one slot for each key, found by its group's pilot; up to 2^31 keys */
    BOSC_HASH_HYBRID = 3,   /* published: buckets of at most 512 keys, three cuckoo subtables in each */
    BOSC_HASH_FKS = 4,      /* published: k * k slots for a bucket of k keys, without collisions */
    BOSC_HASH_CUCKOO = 5,   /* published: a slot by each of 2 to 4 functions over the whole table, and a stash */
    BOSC_HASH_CHAINED = 6,  /* published: each key in the least full of 2 to 4 buckets of any length */
    BOSC_HASH_ORDERED = 7   /* linear probing in the order of the hashes; for tables that fit a cache */
} bosc_hash_layout;

typedef enum bosc_hash_kind {
    BOSC_HASH_MAP = 0,     /* one value for a key; with value_size 0 a set */
    BOSC_HASH_MULTIMAP = 1 /* all values of a key, in the order of the input */
} bosc_hash_kind;

/* Treatment of several pairs of one key in a map; a multimap takes the default. */
typedef enum bosc_hash_duplicates {
    BOSC_HASH_LAST = 0,  /* the last pair's value */
    BOSC_HASH_FIRST = 1, /* the first pair's value */
    BOSC_HASH_SUM = 2,   /* the sum of the values, of value_dtype: integers wrap, floats in the order of the pairs */
    BOSC_HASH_MIN = 3,   /* the smallest value, of value_dtype: floats as bosc_reduce orders them */
    BOSC_HASH_ERROR = 4  /* the build fails with BOSC_ERR_DATA and the row of a repeated key */
} bosc_hash_duplicates;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_hash_opts {
    size_t size;
    bosc_hash_layout layout;
    bosc_hash_kind kind;
    int32_t key_bits;   /* 32 (default), 64 or 128 */
    int32_t value_size; /* bytes of a value, 0 (default: a set) to 64 */
    bosc_hash_duplicates duplicates;
    bosc_dtype value_dtype; /* SUM and MIN: type of the values, 32 or 64 bits, of value_size */
    double load_factor;     /* 0.5 to 0.97; 0: 0.8. CUCKOO with 2 functions 0.25 to 0.5, 0: 0.45; with 3 at
                             * most 0.91. HYBRID, FKS and CHAINED have fixed ones: 0.71, 0.25, 1 */
    uint64_t seed;
    int32_t counted;   /* not 0: the table counts the pairs of each key (maps) */
    int32_t functions; /* CUCKOO and CHAINED: hash functions, 2 to 4; 0: 4 and 2 */
    int32_t no_wait;   /* not 0: builds on CUDA return once launched (bosc_hash_build); the CPU builds as always */
    int32_t go_left;   /* CHAINED, not 0: "always go left": each function has a subtable of buckets of its own */
} bosc_hash_opts;

/* Makes an empty table.
 * opts: NULL means the defaults.
 * table: set on success.
 * Waits for AUTO and ORDERED on CUDA. */
BOSC_API bosc_status bosc_hash_create(bosc_ctx *ctx, const bosc_hash_opts *opts, bosc_hash **table);

/* Frees a table once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_hash_free(bosc_hash *table);

/* Reserves memory so that builds of up to n distinct keys and up to query_count queries allocate nothing. An AUTO table
 * gets memory for either layout that such a build may choose.
 * Cost: the memory of bosc_hash_bytes; a table that holds pairs is copied if its memory grows. */
BOSC_API bosc_status bosc_hash_reserve(bosc_ctx *ctx, bosc_hash *table, int64_t n, int64_t query_count);

/* Computes the backend memory, in bytes, of a build of n pairs. Needs no device.
 * opts: NULL means the defaults.
 * kept: held by the table (AUTO: at most, for builds of up to n pairs); may be NULL.
 * scratch: of the context while it builds, if no key repeats; may be NULL. */
BOSC_API bosc_status bosc_hash_bytes(const bosc_ctx *ctx, const bosc_hash_opts *opts, int64_t n, int64_t *kept,
                                     int64_t *scratch);

/* Builds or rebuilds a table from n pairs.
 * keys (n): of key_bits. n < 2^32 - 1.
 * values (n x value_size): NULL for a set.
 * Errors: BOSC_ERR_DATA if a key repeats under BOSC_HASH_ERROR; BOSC_ERR_LIMIT for n, or if more than 4 * load_factor *
 *     (2^26 - 1) keys (at least 134 million) share a partition: only keys chosen for it do, and another seed separates
 *     them. The table is unchanged after BOSC_ERR_ARG, BOSC_ERR_LIMIT for n and BOSC_ERR_NOMEM for its own memory;
 *     after any other failure it is empty.
 * Cost: O(n) expected work and a few copies of the pairs as scratch. Multimaps (CUDA: of frequent keys), some
 *     repeats, crowded partitions and (CPU) large ORDERED tables add a radix sort of the hashes. bosc_hash_bytes gives
 *     the memory, and docs/design/hash.md the cases. A second build of the same or a smaller size allocates nothing
 *     without repeats. If keys repeat under LAST or FIRST, the next build of the table on CUDA expects that, and is
 *     faster.
 * Waits, unless opts.no_wait is set and a build on CUDA reads device arrays of a map, up to 8 million pairs (BUCKETED;
 * 4 million for keys of 64 or 128 bits) or 2^18 (ORDERED; 2^19 for pairs of up to 8 bytes), and expects no repeats. The
 * build is then only launched. Keep keys and values unchanged until the next call on the table: that call waits for the
 * build, repeats it if keys repeat or a partition is crowded, and then does its own work. If the build failed, that
 * call returns the failure, with a message that begins with "table: its build failed", and does nothing else. A
 * launched build cannot be recorded in a graph; call bosc_hash_wait before recording calls on the table. */
BOSC_API bosc_status bosc_hash_build(bosc_ctx *ctx, bosc_hash *table, const void *keys, const void *values, int64_t n);

/* Waits for a build that opts.no_wait has launched. The first other call on the table does the same.
 * With concurrent callers, one receives the error; the others see an empty table.
 * Errors: as bosc_hash_build, once; the table is then empty.
 * Cost: none if no build is pending, else a build if it must be repeated.
 * Waits if a build is pending. */
BOSC_API bosc_status bosc_hash_wait(bosc_ctx *ctx, const bosc_hash *table);

/* Finds the values of keys. In a multimap: the first value.
 * queries (query_count): keys.
 * values (query_count x value_size): zero bytes for an absent key; may be NULL.
 * found (query_count): 1 or 0; may be NULL.
 * Cost: O(query_count) expected work. A query reads one or two buckets in BUCKETED tables, one slot in PERFECT and FKS,
 *     up to three in HYBRID, one a function and one of the stash in CUCKOO, a chain for each function in CHAINED, and
 *     1 + (1 / (1 - load_factor) - 1) / 2 slots on average in ORDERED (info.max_probes covers linear partitions).
 *     Scratch of query_count * stored bytes for values of multimaps and counted maps only.
 * Queues. A call recorded in a CUDA graph is valid until the table is written to. */
BOSC_API bosc_status bosc_hash_find(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                                    void *values, uint8_t *found);

/* Counts the pairs of each key, in a multimap or a counted map; in other maps 1 for a present key, else 0.
 * queries (query_count): keys.
 * counts (query_count): the numbers.
 * Cost: as bosc_hash_find, and query_count (stored + 1) bytes of scratch.
 * Queues, as bosc_hash_find. */
BOSC_API bosc_status bosc_hash_count(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                                     int64_t *counts);

/* Finds all values of keys, as CSR rows, by two calls. In a map: at most one a key.
 * The first call, with values NULL, writes the offsets; the second reads them and fills the rows.
 * queries (query_count): keys.
 * offsets (query_count + 1): query q has values[offsets[q]] to values[offsets[q + 1] - 1], in the order of the input.
 * values (capacity x value_size): NULL in the first call.
 * Errors: BOSC_ERR_SPACE if capacity < offsets[query_count]; BOSC_ERR_ARG if the offsets do not ascend from 0 or do not
 *     fit the rows.
 * Cost: the first call: bosc_hash_count, a scan and 8 query_count bytes more scratch. The second: bosc_hash_count and
 *     O(values * log query_count).
 * Waits. */
BOSC_API bosc_status bosc_hash_retrieve(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                                        int64_t *offsets, void *values, int64_t capacity);

/* Adds n pairs. A pair in the table counts as the first one of its key; duplicates are treated as in a build.
 * keys, values, n: as in bosc_hash_build.
 * Errors: as bosc_hash_build. The table is unchanged after BOSC_ERR_ARG, BOSC_ERR_LIMIT, BOSC_ERR_DATA and
 *     BOSC_ERR_NOMEM, but for a launch on CUDA that lacks memory; after that and any other failure unchanged or empty.
 * Cost: a BUCKETED map whose partitions stay within a load factor of 0.97: O(buckets), a radix sort of the new pairs
 *     and of all pairs in their partitions, which are rebuilt. Other tables are rebuilt from old and new pairs, in new
 *     memory.
 * Waits. */
BOSC_API bosc_status bosc_hash_insert(bosc_ctx *ctx, bosc_hash *table, const void *keys, const void *values, int64_t n);

/* Removes n keys, in a multimap with all their values; absent keys are no failure.
 * keys (n): of key_bits.
 * erased: host; receives the number of keys removed; may be NULL.
 * Errors: on failure the table is unchanged, or empty if the device fails or a launch on CUDA lacks memory.
 * Cost: O(n + buckets) in a BUCKETED map, with 3.5 bytes of scratch a bucket. Other tables are rebuilt.
 * Waits. */
BOSC_API bosc_status bosc_hash_erase(bosc_ctx *ctx, bosc_hash *table, const void *keys, int64_t n, int64_t *erased);

/* Rebuilds a table from its own pairs.
 * load_factor: the new one; 0: the same.
 * Errors: as bosc_hash_build. The table is unchanged after BOSC_ERR_ARG, BOSC_ERR_LIMIT and BOSC_ERR_NOMEM.
 * Cost: bosc_hash_get_pairs and bosc_hash_build; a copy of the table is scratch.
 * Waits. */
BOSC_API bosc_status bosc_hash_rehash(bosc_ctx *ctx, bosc_hash *table, double load_factor, uint64_t seed);

/* Copies all pairs, in the order of the table (ORDERED: of the hashes). Each array may be NULL.
 * keys (info.keys): of key_bits.
 * values (info.keys x value_size): in a multimap (info.pairs x value_size), grouped by key in the order of the keys.
 * counts (info.keys): counts[i] is the number of pairs of keys[i].
 * Cost: O(slots + pairs) work (values of a multimap: O(pairs * log keys)). Scratch of keys (key + stored) bytes, and 8
 *     bytes a bucket (BUCKETED) or 1 byte a slot and a copy of the slots; 8 bytes a key for values of a multimap.
 * Queues for BUCKETED tables, as bosc_hash_find; else waits. */
BOSC_API bosc_status bosc_hash_get_pairs(bosc_ctx *ctx, const bosc_hash *table, void *keys, void *values,
                                         int64_t *counts);

typedef struct bosc_hash_info {
    size_t size;
    int64_t pairs; /* built and inserted, less erased; in a map that is not counted: keys */
    int64_t keys;  /* distinct keys in the table */
    int64_t slots;
    double load_factor; /* keys / slots */
    int64_t bytes;
    int32_t partitions; /* BUCKETED, PERFECT: partitions; HYBRID, FKS, CHAINED: buckets; CUCKOO: 2 (stash); ORDERED:
                         *     1 */
    int32_t reseeded;   /* partitions whose first seed failed */
    int32_t linear;     /* partitions for which no seed worked; searched linearly */
    int32_t max_probes; /* most buckets or slots read for a key */
    double mean_probes; /* average over the keys in the table */
    bosc_hash_layout layout; /* of the present table, chosen if the options say AUTO; never AUTO */
    int32_t rounds; /* CUCKOO: rounds of the last build, in steps of 8, over all seeds; else, and after a load, 0 */
    int32_t key_bits, value_size; /* of the options, as the next ones; for tables read from a file */
    bosc_hash_kind kind;
    bosc_dtype value_dtype;
    int32_t counted;
} bosc_hash_info;

/* Describes the table. Set `size`.
 * Cost: O(1); O(partitions) if some are linear, and for CHAINED; O(slots) for ORDERED.
 * Waits, unless the table is empty. */
BOSC_API bosc_status bosc_hash_get_info(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_info *info);

/* Assigns dense ids to keys by first occurrence (the compacting table of the published work).
 * keys (n): of key_bits: 32, 64 or 128.
 * ids (n): the number of distinct keys before the first occurrence of the key.
 * unique (n, at most): the distinct keys in that order; may be NULL.
 * count: host; the number of distinct keys.
 * Cost: a radix sort of the hashes (CPU: if keys are many), O(n key); n (2 key + 26) bytes of scratch beside the
 *     sort's.
 * Waits. */
BOSC_API bosc_status bosc_hash_unique(bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits, int64_t *ids,
                                      void *unique, int64_t *count);

/* Saves the table: versioned, little-endian, with an xxHash checksum; the same bytes on every backend.
 * Errors: BOSC_ERR_IO if write fails.
 * Cost: O(bytes of the table); 1 MB of host memory.
 * Waits. */
BOSC_API bosc_status bosc_hash_write(bosc_ctx *ctx, const bosc_hash *table, bosc_write_fn write, void *user);

/* Reads a saved table into a new handle on the context's backend.
 * table: set on success.
 * Errors: BOSC_ERR_FORMAT, with the reason, for damaged, truncated or hostile bytes.
 * Cost: O(bytes read) work and host memory, and a check of every slot.
 * Waits. */
BOSC_API bosc_status bosc_hash_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_hash **table);

BOSC_END_DECLS
#endif
