/* boscage/hash.h - hash tables built in bulk: sets, maps, multimaps, unique ids.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A table is built from all its pairs at once, in time near that of a sort by one digit, and read by batches of
 * queries; insertions and erasures come in batches too. No key is reserved, builds do not fail by bad luck, and
 * the same pairs in the same order with the same options and seed make the same bytes on every backend and number of
 * threads.
 *
 * Keys are 32 bits (uint32_t), 64 bits (uint64_t) or 128 bits (two uint64_t, low half first). Values are value_size
 * bytes, moved as they are. Arrays need the alignment of their elements: 4 for keys of 32 bits, else 8; values that of
 * their size (1, 2, 4 or 8: the largest that divides it).
 * Sources: Alcantara et al., Real-time Parallel Hashing on the GPU (SIGGRAPH Asia 2009); Alcantara, Efficient Hash
 * Tables on the GPU (2011); Fredman, Komlos, Szemeredi, Storing a Sparse Table with O(1) Worst Case Access Time (1984);
 * Pagh and Rodler, Cuckoo Hashing (2004); Gale and Shapley, College Admissions (1962). */
#ifndef BOSCAGE_HASH_H
#define BOSCAGE_HASH_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A table in the memory of one backend and device. Any number of contexts of that device may query it at once, while
 * none writes to it. It may outlive the context that made it. */
typedef struct bosc_hash bosc_hash;

typedef enum bosc_hash_layout {
    BOSC_HASH_BUCKETED = 0, /* buckets of four pairs, two for each key; parts made in fast memory */
    BOSC_HASH_PERFECT = 1,  /* one place for each key, found through a pilot of its group; for up to 2^31 keys */
    BOSC_HASH_HYBRID = 2,   /* published: buckets of at most 512 keys, three cuckoo subtables in each */
    BOSC_HASH_FKS = 3       /* published: k * k places for a bucket of k keys, without collisions */
} bosc_hash_layout;

typedef enum bosc_hash_kind {
    BOSC_HASH_MAP = 0,     /* one value for a key; with value_size 0 a set */
    BOSC_HASH_MULTIMAP = 1 /* all values of a key, in the order of the input */
} bosc_hash_kind;

/* What becomes of the pairs of one key in a map; a multimap takes the default. */
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
    double load; /* pairs for each place, 0.5 to 0.97; 0: 0.8. HYBRID and FKS have their own: 0.71 and 0.25 */
    uint64_t seed;
    int32_t counted; /* not 0: the table keeps how many pairs each key came with (maps) */
    int32_t reserved;
} bosc_hash_opts;

/* Makes an empty table. opts may be NULL. *table is set on success. */
BOSC_API bosc_status bosc_hash_create(bosc_ctx *ctx, const bosc_hash_opts *opts, bosc_hash **table);

/* Frees the table once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_hash_free(bosc_hash *table);

/* Makes room so that builds of up to n pairs without repeated keys, and queries of up to m keys, allocate nothing. */
BOSC_API bosc_status bosc_hash_reserve(bosc_ctx *ctx, bosc_hash *table, int64_t n, int64_t m);

/* Bytes of backend memory for a build of n pairs with these options: kept by the table, and scratch while building
 * (the context's) if no key repeats. Either pointer may be NULL. Needs no device. */
BOSC_API bosc_status bosc_hash_bytes(const bosc_ctx *ctx, const bosc_hash_opts *opts, int64_t n, int64_t *kept,
                                     int64_t *scratch);

/* Builds or rebuilds the table from n pairs: keys (n), values (n x value_size bytes; NULL for a set). A second build
 * of the same or a smaller size allocates nothing, unless a key repeats. n < 2^32 - 1. O(n) expected; where keys
 * repeat, or more of them fall into one part than chance allows, a sort of the hashes. BOSC_ERR_LIMIT too if more than
 * 4 * load * (2^26 - 1) keys share a part (134 million at least), which only keys that are chosen for it do: another
 * seed parts them. On BOSC_ERR_ARG, BOSC_ERR_LIMIT for n and a lack of memory for the table the table holds what it
 * held before; on any other failure it is empty. Waits: whether a key repeats is read back. */
BOSC_API bosc_status bosc_hash_build(bosc_ctx *ctx, bosc_hash *table, const void *keys, const void *values, int64_t n);

/* Looks m keys up: values (m x value_size, or NULL) gets the value of each, zero bytes where the key is absent; found
 * (m, or NULL) 1 or 0. Of a multimap: the first value. With device arrays it only queues, and is capturable; a recorded
 * call is good until the table is written to. */
BOSC_API bosc_status bosc_hash_find(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m, void *values,
                                    uint8_t *found);

/* counts[q] = how many pairs the key came with: of a multimap or a counted map; else 1 if it is there, 0 if not. Queues
 * and is capturable as bosc_hash_find. */
BOSC_API bosc_status bosc_hash_count(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m,
                                     int64_t *counts);

/* All values of each key, as rows of compressed sparse form: those of query q are values[offsets[q]] to
 * values[offsets[q + 1] - 1], in the order of the input. offsets (m + 1, int64). Call first with values NULL to get
 * offsets; then again with values of room `room` (in values) and the same offsets, which are read then; BOSC_ERR_SPACE
 * if room < offsets[m]. Of a map: at most one. Waits. */
BOSC_API bosc_status bosc_hash_retrieve(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m,
                                        int64_t *offsets, void *values, int64_t room);

/* Adds n pairs: the pair in the table counts as the first one of its key, and the duplicates are treated as in a build.
 * BUCKETED maps whose load stays in bounds make anew only the parts that get a key; all others are built again from
 * their pairs. On BOSC_ERR_ARG, BOSC_ERR_LIMIT, BOSC_ERR_NOMEM and BOSC_ERR_DATA the table is as it was. Waits. */
BOSC_API bosc_status bosc_hash_insert(bosc_ctx *ctx, bosc_hash *table, const void *keys, const void *values, int64_t n);

/* Removes n keys, of a multimap with all their values; keys that are absent are no failure. *erased (host, may be
 * NULL) gets the number of keys removed. Waits. */
BOSC_API bosc_status bosc_hash_erase(bosc_ctx *ctx, bosc_hash *table, const void *keys, int64_t n, int64_t *erased);

/* Builds the table again from its own pairs, with another load (0: the same) and seed. Waits. */
BOSC_API bosc_status bosc_hash_rehash(bosc_ctx *ctx, bosc_hash *table, double load, uint64_t seed);

/* Copies every key out, in the order in which the table keeps them: keys (info.keys), values (info.keys x value_size),
 * counts (info.keys, int64), each or NULL. Of a multimap: values (info.pairs x value_size), grouped by key in the same
 * order, counts[i] for keys[i]. Of a BUCKETED table with device arrays it only queues, and is capturable as
 * bosc_hash_find; else it waits. */
BOSC_API bosc_status bosc_hash_get_pairs(bosc_ctx *ctx, const bosc_hash *table, void *keys, void *values,
                                         int64_t *counts);

typedef struct bosc_hash_info {
    size_t size;
    int64_t pairs; /* given to the build and inserted since, less those that were erased; of a map not counted: keys */
    int64_t keys;  /* distinct keys in the table */
    int64_t places;
    double load; /* keys / places */
    int64_t bytes;
    int32_t parts;       /* made apart: BUCKETED and PERFECT parts, HYBRID and FKS buckets */
    int32_t reseeded;    /* parts whose first seed did not serve */
    int32_t linear;      /* parts that no seed served: they are searched from end to end */
    int32_t probes_most; /* buckets, or places, read for a key at most */
    double probes_hit;   /* and for the average key of the table */
} bosc_hash_info;

/* Set `size`. Waits. */
BOSC_API bosc_status bosc_hash_get_info(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_info *info);

/* Dense ids by first occurrence, the compacting table of the published work: ids (n, int64) gets for each key the
 * number of distinct keys before the first one equal to it; unique (room for n keys, or NULL) the distinct keys in that
 * order; *count (host) their number. A sort of the hashes. Waits. */
BOSC_API bosc_status bosc_hash_unique(bosc_ctx *ctx, int32_t key_bits, const void *keys, int64_t n, int64_t *ids,
                                      void *unique, int64_t *count);

/* Saves the table: versioned, little-endian, with an xxHash checksum. The bytes are the same on every backend. Waits.
 */
BOSC_API bosc_status bosc_hash_write(bosc_ctx *ctx, const bosc_hash *table, bosc_write_fn write, void *user);

/* Reads a saved table into a new handle on the context's backend. BOSC_ERR_FORMAT with the reason for damaged,
 * truncated or hostile bytes; memory grows with what was really read. *table is set on success. */
BOSC_API bosc_status bosc_hash_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_hash **table);

BOSC_END_DECLS
#endif
