/* boscage/hash.h - hash tables built in bulk: sets, maps, multimaps, unique ids.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A table is built from all its pairs at once, in about the time of one radix sort pass, and queried in batches;
 * insertions and erasures come in batches too. No key value is reserved, and no build fails by bad luck. The same pairs
 * in the same order with the same options and seed make the same bytes on every backend and number of threads.
 *
 * Keys are 32 bits (uint32_t), 64 bits (uint64_t) or 128 bits (two uint64_t, low half first). Values are value_size
 * bytes, moved as they are. Arrays need the alignment of their elements: 4 for keys of 32 bits, else 8; values the
 * largest of 1, 2, 4 and 8 that divides value_size.
 * In the costs below `key` is the bytes of a key, `value` those of a value, and `stored` what the table stores with a
 * key: the value, and 4 bytes if it is counted; 8 bytes in a multimap. Arrays out of the backend's reach (host arrays
 * on CUDA) take their size in scratch as well.
 * Sources: Alcantara et al., Real-time Parallel Hashing on the GPU (SIGGRAPH Asia 2009); Alcantara, Efficient Hash
 * Tables on the GPU (2011); Fredman, Komlos, Szemeredi, Storing a Sparse Table with O(1) Worst Case Access Time (1984);
 * Pagh and Rodler, Cuckoo Hashing (2004); Azar, Broder, Karlin, Upfal, Balanced Allocations (1999); Gale and Shapley,
 * College Admissions (1962); Amble and Knuth, Ordered Hash Tables (1974); Gonnet and Munro, The Analysis of Linear
 * Probing Sort by the Use of a New Mathematical Transform (1984). */
#ifndef BOSCAGE_HASH_H
#define BOSCAGE_HASH_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A table in the memory of one backend and device. Any number of contexts of that device may query it at once, while
 * none writes to it. It may outlive the context that made it. */
typedef struct bosc_hash bosc_hash;

typedef enum bosc_hash_layout {
    BOSC_HASH_BUCKETED = 0, /* buckets of four slots, two buckets for each key; partitions built in fast memory */
    BOSC_HASH_PERFECT = 1,  /* one slot for each key, found through its group's pilot; for up to 2^31 keys */
    BOSC_HASH_HYBRID = 2,   /* published: buckets of at most 512 keys, three cuckoo subtables in each */
    BOSC_HASH_FKS = 3,      /* published: k * k slots for a bucket of k keys, without collisions */
    BOSC_HASH_CUCKOO = 4,   /* published: a slot by each of 2 to 4 functions over the whole table, and a stash */
    BOSC_HASH_CHAINED = 5,  /* published: each key in the less full of two buckets of any length */
    BOSC_HASH_ORDERED = 6   /* linear probing in the order of the hashes; for tables that a cache holds */
} bosc_hash_layout;

typedef enum bosc_hash_kind {
    BOSC_HASH_MAP = 0,     /* one value for a key; with value_size 0 a set */
    BOSC_HASH_MULTIMAP = 1 /* all values of a key, in the order of the input */
} bosc_hash_kind;

/* How a map treats several pairs of one key; a multimap takes the default. */
typedef enum bosc_hash_duplicates {
    BOSC_HASH_LAST = 0,  /* the last pair's value */
    BOSC_HASH_FIRST = 1, /* the first pair's value */
    BOSC_HASH_SUM = 2,   /* the sum of the values, of value_dtype: integers wrap, floats in the order of the pairs */
    BOSC_HASH_MIN = 3,   /* the smallest value, of value_dtype: floats as bosc_reduce orders them */
    BOSC_HASH_ERROR = 4  /* the build fails with BOSC_ERR_DATA and the row of a pair whose key came before */
} bosc_hash_duplicates;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_hash_opts {
    size_t size;
    bosc_hash_layout layout;
    bosc_hash_kind kind;
    int32_t key_bits;   /* 32 (default), 64 or 128 */
    int32_t value_size; /* bytes of a value, 0 (default: a set) to 64 */
    bosc_hash_duplicates duplicates;
    bosc_dtype value_dtype; /* SUM and MIN: the type of the values, of 32 or 64 bits, whose size is value_size */
    double load;            /* load factor, 0.5 to 0.97; 0: 0.8. CUCKOO with 2 functions 0.25 to 0.5, 0: 0.45; with 3
                             * at most 0.91. HYBRID, FKS and CHAINED have their own: 0.71, 0.25, 1 */
    uint64_t seed;
    int32_t counted;   /* not 0: the table counts the pairs of each key (maps) */
    int32_t functions; /* CUCKOO: hash functions, 2 to 4; 0: 4 */
    int32_t no_wait;   /* not 0: builds on CUDA return once launched (bosc_hash_build); the CPU builds as always */
} bosc_hash_opts;

/* Makes an empty table.
 * opts: may be NULL, which is all defaults.
 * table: *table is set on success.
 * Waits: for ORDERED on CUDA, whose tables keep some zeroed words. */
BOSC_API bosc_status bosc_hash_create(bosc_ctx *ctx, const bosc_hash_opts *opts, bosc_hash **table);

/* Frees a table once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_hash_free(bosc_hash *table);

/* Reserves memory, so that builds of up to n pairs without repeated keys, and up to query_count queries, allocate
 * nothing.
 * Cost: the bytes that bosc_hash_bytes tells; a table that holds pairs is copied where its memory grows. */
BOSC_API bosc_status bosc_hash_reserve(bosc_ctx *ctx, bosc_hash *table, int64_t n, int64_t query_count);

/* Tells the bytes of backend memory that a build of n pairs takes. Needs no device.
 * kept: bytes that the table keeps; may be NULL.
 * scratch: bytes of the context's scratch while it builds, if no key repeats; may be NULL. */
BOSC_API bosc_status bosc_hash_bytes(const bosc_ctx *ctx, const bosc_hash_opts *opts, int64_t n, int64_t *kept,
                                     int64_t *scratch);

/* Builds or rebuilds a table from n pairs, n < 2^32 - 1. A second build of the same or a smaller size allocates
 * nothing, unless a key repeats.
 * keys: (n).
 * values: (n x value_size); NULL for a set.
 * Errors: BOSC_ERR_DATA if a key repeats under BOSC_HASH_ERROR. BOSC_ERR_LIMIT also if more than 4 * load * (2^26 - 1)
 * keys (134 million at least) share a partition, which happens only to keys chosen for it; another seed separates them.
 * After BOSC_ERR_ARG, BOSC_ERR_LIMIT for n and a lack of memory for the table it holds what it held before; after any
 * other failure it is empty.
 * Cost: O(n) expected work; scratch of n (key + value) bytes on the CPU, at most two thirds more up to 2^21 pairs,
 * and twice that on CUDA, with row numbers for values of other sizes than 4 and 8; of CUCKOO 8 bytes more a
 * slot and 16 a pair. For multimaps, where keys repeat, where a partition gets more keys than chance allows, and for
 * ORDERED tables that are too large to be made in one pass (on CUDA of more than 2^18 pairs, or 2^19 of 8 bytes or
 * less), also a radix sort of the hashes, O(n key), and n (5 key + stored + 40) bytes. ORDERED tables that are made in
 * one pass take scratch of up to six times the pairs on CUDA, and of 12 to 21 bytes a pair on the CPU, up to 2^23,
 * but at most 1.2 (key + stored + 12) above a MiB of pairs.
 * Waits: whether a key repeats is read back. With opts.no_wait the build of a map from device arrays is only launched:
 * of a BUCKETED one of up to 8 million pairs (4 million of keys of 64 or 128 bits), of an ORDERED one of up to 2^18
 * (2^19 of pairs of 8 bytes or less).
 * The next call on the table, whichever it is, waits for it once and then does its own work; or, if the build failed,
 * returns that failure and does nothing, with a message that begins with "table: its build failed". The pairs must stay
 * as they are until then: a build that finds repeated keys or a crowded partition is made again from them, within that
 * call. It cannot be recorded in a graph, and no call on the table can be before bosc_hash_wait. */
BOSC_API bosc_status bosc_hash_build(bosc_ctx *ctx, bosc_hash *table, const void *keys, const void *values, int64_t n);

/* Waits for a build that opts.no_wait has only launched. The first call on the table after a build does the same; of
 * calls by several threads one tells of a failure, the others find an empty table.
 * Errors: those of the build, once; the table is empty then.
 * Cost: none if no build is pending; else that of a build where one must be made again.
 * Waits: if a build is pending. */
BOSC_API bosc_status bosc_hash_wait(bosc_ctx *ctx, const bosc_hash *table);

/* Looks keys up. Of a multimap: the first value.
 * queries: (query_count) keys.
 * values: (query_count x value_size), or NULL; zero bytes where the key is absent.
 * found: (query_count), or NULL; 1 or 0.
 * Cost: O(query_count) expected work: a query reads one bucket mostly and two at most in a BUCKETED table, one slot in
 * PERFECT and FKS, three in HYBRID, one for each function in CUCKOO and one of its stash, two chains in CHAINED, the
 * slots from its home on in ORDERED, 1 + (1 / (1 - load) - 1) / 2 on average, but on the CPU mostly a word of the
 * directory and then one slot, or none if the key is absent (info.max_probes tells of linear partitions). No
 * scratch, but query_count * stored bytes for the values of multimaps and counted maps.
 * Waits: only for host arrays on CUDA. With device arrays it queues and is capturable; a recorded call is valid until
 * the table is written to. */
BOSC_API bosc_status bosc_hash_find(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                                    void *values, uint8_t *found);

/* Counts the pairs that keys came with, in a multimap or a counted map; in other maps 1 for a present key, else 0.
 * queries: (query_count) keys.
 * counts: (query_count).
 * Cost: that of bosc_hash_find, and query_count (stored + 1) bytes of scratch.
 * Waits: as bosc_hash_find. */
BOSC_API bosc_status bosc_hash_count(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                                     int64_t *counts);

/* Retrieves all values of keys as CSR rows: those of query q are values[offsets[q]] to values[offsets[q + 1] - 1], in
 * the order of the input. Of a map: at most one. Call first with values NULL, which writes the offsets; then again with
 * values, which reads them.
 * queries: (query_count) keys.
 * offsets: (query_count + 1).
 * values: (capacity x value_size), or NULL.
 * Errors: BOSC_ERR_SPACE if capacity < offsets[query_count]; BOSC_ERR_ARG if the offsets do not ascend from 0 or a row
 * is not as long as its query's answer.
 * Cost: the first call that of bosc_hash_count and a scan, with 8 query_count bytes more scratch; the second one that
 * of bosc_hash_count and O(values * log query_count).
 * Waits. */
BOSC_API bosc_status bosc_hash_retrieve(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                                        int64_t *offsets, void *values, int64_t capacity);

/* Adds n pairs. The pair in the table counts as the first one of its key, and duplicates are treated as in a build.
 * keys, values, n: as in bosc_hash_build.
 * Errors: after BOSC_ERR_ARG, BOSC_ERR_LIMIT, BOSC_ERR_NOMEM and BOSC_ERR_DATA the table is as it was; after any other
 * failure it is that or empty.
 * Cost: in a BUCKETED map whose load factor stays at most 0.97 in each partition, a radix sort of the new pairs and of
 * all pairs in the partitions that get one, which are then filled again, and O(buckets). All other tables are listed
 * and built again from old and new pairs, in new memory.
 * Waits. */
BOSC_API bosc_status bosc_hash_insert(bosc_ctx *ctx, bosc_hash *table, const void *keys, const void *values, int64_t n);

/* Removes n keys, in a multimap with all their values; absent keys are no failure.
 * keys: (n).
 * erased: on the host, or NULL; *erased gets the number of keys removed.
 * Cost: O(n + buckets) in a BUCKETED map, with 3.5 bytes of scratch a bucket. Other tables are listed and built again.
 * Waits. */
BOSC_API bosc_status bosc_hash_erase(bosc_ctx *ctx, bosc_hash *table, const void *keys, int64_t n, int64_t *erased);

/* Builds a table again from its own pairs.
 * load: the new load factor; 0: the same.
 * Errors: after BOSC_ERR_ARG, BOSC_ERR_LIMIT and BOSC_ERR_NOMEM the table is as it was.
 * Cost: bosc_hash_get_pairs and bosc_hash_build; a copy of the table is scratch.
 * Waits. */
BOSC_API bosc_status bosc_hash_rehash(bosc_ctx *ctx, bosc_hash *table, double load, uint64_t seed);

/* Copies all pairs out, in the order of the table: of an ORDERED one, in that of the hashes. Each array may be NULL.
 * keys: (info.keys).
 * values: (info.keys x value_size); of a multimap (info.pairs x value_size), grouped by key in the order of the keys.
 * counts: (info.keys); counts[i] is the number of pairs of keys[i].
 * Cost: O(slots + pairs) work (a multimap's values O(pairs * log keys)); scratch of keys (key + stored) bytes, and of
 * 8 bytes a bucket (BUCKETED) or 1 byte a slot and a copy of the slots; 8 bytes a key for a multimap's values.
 * Waits: not for device arrays and a BUCKETED table; it then queues and is capturable as bosc_hash_find. */
BOSC_API bosc_status bosc_hash_get_pairs(bosc_ctx *ctx, const bosc_hash *table, void *keys, void *values,
                                         int64_t *counts);

typedef struct bosc_hash_info {
    size_t size;
    int64_t pairs; /* built and inserted, less those erased; of a map that is not counted: keys */
    int64_t keys;  /* distinct keys in the table */
    int64_t slots;
    double load; /* load factor: keys / slots */
    int64_t bytes;
    int32_t partitions; /* of BUCKETED and PERFECT; buckets of HYBRID, FKS and CHAINED; CUCKOO 2 (stash); ORDERED 1 */
    int32_t reseeded;   /* partitions whose first seed failed */
    int32_t linear;     /* partitions for which no seed worked; searched linearly */
    int32_t max_probes; /* buckets, or slots, read for a key at most */
    double mean_probes; /* and on average for the keys in the table */
} bosc_hash_info;

/* Tells about a table. Set info->size.
 * Cost: O(1); O(partitions) if some are linear, and of CHAINED; O(slots) of ORDERED.
 * Waits: unless the table is empty. */
BOSC_API bosc_status bosc_hash_get_info(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_info *info);

/* Gives keys dense ids by first occurrence (the published work's compacting table).
 * keys: (n), of key_bits: 32, 64 or 128.
 * ids: (n); the number of distinct keys before the first one equal to it.
 * unique: capacity for n keys, or NULL; the distinct keys in that order.
 * count: on the host; their number.
 * Cost: a radix sort of the hashes, O(n key); n (2 key + 26) bytes of scratch beside the sort's.
 * Waits. */
BOSC_API bosc_status bosc_hash_unique(bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits, int64_t *ids,
                                      void *unique, int64_t *count);

/* Saves a table: versioned, little-endian, with an xxHash checksum; the same bytes on every backend.
 * Cost: O(bytes of the table), through 1 MB of host memory.
 * Waits. */
BOSC_API bosc_status bosc_hash_write(bosc_ctx *ctx, const bosc_hash *table, bosc_write_fn write, void *user);

/* Reads a saved table into a new handle on the context's backend.
 * table: *table is set on success.
 * Errors: BOSC_ERR_FORMAT with the reason for damaged, truncated or hostile bytes.
 * Cost: O(bytes read) work and host memory, and a check of every slot.
 * Waits. */
BOSC_API bosc_status bosc_hash_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_hash **table);

BOSC_END_DECLS
#endif
