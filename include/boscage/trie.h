/* boscage/trie.h - tries: dictionaries of long vectors over a small alphabet.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A key is a vector of `length` letters of `letter_bits` = r bits, each one of 2^r values, packed in words as in
 * boscage/cellgraph.h: floor(64 / r) letters a word, letter k in bits r * j to r * j + r - 1 of word
 * k / floor(64 / r), where j is k modulo floor(64 / r); bits beyond the letters are ignored. Keys are in lexicographic
 * order by their letters, the first letter first; the number of keys before a key is its rank, 0 to keys - 1.
 *
 * Each key has one value, which stands in a leaf, and a multiplicity: how many rows it came with. A node branches by
 * one digit, which is as many letters as 8 bits hold. The same rows make the same trie on every backend and number of
 * threads.
 *
 * Queries come in batches of query_count rows, each `stride` words after the one before (0: as many as a row has); arrays of
 * words and ranks are aligned to 8 bytes. Every query of an empty trie is answered, too.
 * Sources: Kaczmarski, Rzazewski, Wolant, Massively Parallel Construction of the Cell Graph (PPAM 2015), section 3, for
 * the published layout; Morrison, PATRICIA (1968), and Karras, Maximizing Parallelism in the Construction of BVHs,
 * Octrees, and k-d Trees (2012) for the compact one. */
#ifndef BOSCAGE_TRIE_H
#define BOSCAGE_TRIE_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A trie in the memory of one backend and device. Any number of contexts of that device may query it at once, while
 * none writes to it. It may outlive the context that made it. */
typedef struct bosc_trie bosc_trie;

typedef enum bosc_trie_layout {
    BOSC_TRIE_COMPACT = 0,  /* nodes of 48 bytes, where keys part and nowhere else; and, for rows of up to 256 words, a
                               table of 8 bytes a key by which keys are found at once */
    BOSC_TRIE_PUBLISHED = 1 /* published: a node for every prefix of whole digits, with an array of all children. Finds
                               and neighbours go down its levels; all else searches the sorted keys */
} bosc_trie_layout;

/* Which value a key has that came with several rows. */
typedef enum bosc_trie_duplicates {
    BOSC_TRIE_FIRST = 0, /* that of the first row */
    BOSC_TRIE_LAST = 1   /* that of the last row */
} bosc_trie_duplicates;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_trie_opts {
    size_t size;
    int32_t length;      /* letters of a key, 1 to 65,536; required */
    int32_t letter_bits; /* 1 (default) to 8 */
    bosc_trie_layout layout;
    bosc_trie_duplicates duplicates;
    int32_t value_bits; /* of a value: 64 (default) or 32 */
    int32_t reserved;
} bosc_trie_opts;

/* Words of a packed row; 0 where a bosc_trie_opts with these numbers would be refused. */
BOSC_API int64_t bosc_trie_words(int32_t length, int32_t letter_bits);

/* Makes an empty trie. `opts` is required (length has no default). *trie is set on success. */
BOSC_API bosc_status bosc_trie_create(bosc_ctx *ctx, const bosc_trie_opts *opts, bosc_trie **trie);

/* Frees the trie once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_trie_free(bosc_trie *trie);

/* Makes room so that builds of up to n rows allocate nothing; of PUBLISHED tries all but the nodes, whose number the
 * keys decide. Waits. */
BOSC_API bosc_status bosc_trie_reserve(bosc_ctx *ctx, bosc_trie *trie, int64_t n);

/* Bytes of backend memory for a build of n rows with these options, at most: kept by the trie (of PUBLISHED tries
 * without the nodes), and scratch while building (the context's). Either pointer may be NULL. Needs no device. */
BOSC_API bosc_status bosc_trie_bytes(const bosc_ctx *ctx, const bosc_trie_opts *opts, int64_t n, int64_t *kept,
                                     int64_t *scratch);

/* Builds or rebuilds the trie from n rows: keys, and values (n, of value_bits; NULL: the number of the row). n < 2^31.
 * A sort of the rows, and then O(n words) work whatever the keys; of PUBLISHED tries O(n) for each level. A second
 * build of the same or a smaller size allocates nothing, unless its keys need more nodes. On BOSC_ERR_ARG and
 * BOSC_ERR_LIMIT the trie holds what it held before; on any other failure it is empty. Waits. */
BOSC_API bosc_status bosc_trie_build(bosc_ctx *ctx, bosc_trie *trie, const uint64_t *keys, const void *values,
                                     int64_t n, int64_t stride);

/* Adds n rows. Without values their numbers go on from the rows that the trie got before. The rows in the trie count as
 * those that came first. The new keys are sorted and merged with the old ones; nodes are made anew. Rows since the
 * build are less than 2^32 - 1, keys less than 2^31. On failure the trie is as it was. Waits. */
BOSC_API bosc_status bosc_trie_insert(bosc_ctx *ctx, bosc_trie *trie, const uint64_t *keys, const void *values,
                                      int64_t n, int64_t stride);

/* Removes n keys with all their rows; keys that are absent are no failure. *erased (host, may be NULL) gets the number
 * of keys removed. On failure the trie is as it was. Waits. */
BOSC_API bosc_status bosc_trie_erase(bosc_ctx *ctx, bosc_trie *trie, const uint64_t *keys, int64_t n, int64_t stride,
                                     int64_t *erased);

/* Looks query_count keys up: ranks (query_count, int64) gets the rank of each, or -1 where it is absent; values (query_count, of value_bits) its
 * value, or 0; found (query_count) 1 or 0. Any may be NULL. COMPACT tries go by a hash of the key first, and down their nodes
 * where that does not tell, whatever the keys. With device arrays it only queues, and is capturable. */
BOSC_API bosc_status bosc_trie_find(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, int64_t query_count,
                                    int64_t stride, int64_t *ranks, void *values, uint8_t *found);

/* The keys that begin with a prefix: ranks begins[q] to ends[q] - 1 (query_count each, int64; either may be NULL) begin with the
 * first lengths[q] letters (query_count, int32) of query q; NULL: with all of them. A length below 0 counts as 0, one above the
 * length of the keys as that. Where there is none, both are the number of keys that come before the prefix. With device
 * arrays it only queues, and is capturable. */
BOSC_API bosc_status bosc_trie_prefix(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries,
                                      const int32_t *lengths, int64_t query_count, int64_t stride, int64_t *begins,
                                      int64_t *ends);

/* The longest match: lengths[q] (query_count, int32) gets how many letters query q and some key have in common at their begin,
 * the largest such number; ranks begins[q] to ends[q] - 1 (query_count each, int64) are of all keys that have so many. Any may be
 * NULL. Of an empty trie all are 0. With device arrays it only queues, and is capturable. */
BOSC_API bosc_status bosc_trie_longest(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, int64_t query_count,
                                       int64_t stride, int32_t *lengths, int64_t *begins, int64_t *ends);

/* Matches with wildcards, as rows of compressed sparse form: ranks[offsets[q]] to ranks[offsets[q + 1] - 1], ascending,
 * are of the keys that agree with query q in every bit that is set in row q of masks (query_count rows, `stride` words apart like
 * the queries): a letter whose bits are all 0 there matches any. offsets (query_count + 1, int64). Call first with ranks NULL to
 * get offsets; then again with ranks of `capacity` entries and the same offsets, which are read then; BOSC_ERR_SPACE if
 * capacity < offsets[query_count]. Each match, and each part of the trie without one that is gone into, costs a prefix query. Waits.
 */
BOSC_API bosc_status bosc_trie_matches(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries,
                                       const uint64_t *masks, int64_t query_count, int64_t stride, int64_t *offsets,
                                       int64_t *ranks, int64_t capacity);

/* Neighbours at distance 1, as rows of compressed sparse form like the above: ranks, ascending, of the keys that differ
 * from query q in exactly one letter, and positions (uint32, as many): that letter. Either may be NULL; with both NULL
 * the call gets offsets. The query need not be a key. COMPACT tries go down once, and from each node on the way into
 * the children that differ in one letter; PUBLISHED ones look up each vector with one letter replaced. Waits. */
BOSC_API bosc_status bosc_trie_neighbours(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, int64_t query_count,
                                          int64_t stride, int64_t *offsets, int64_t *ranks, uint32_t *positions,
                                          int64_t capacity);

/* All pairs of keys that differ in exactly one letter, each once: pairs (capacity x 2, int64) gets the ranks, the smaller
 * one first, positions (capacity, uint32) the letter; either may be NULL, and with both NULL the call only counts. *count
 * (host) gets their number; if that is more than capacity, BOSC_ERR_SPACE, and the arrays are as they were.
 * The pairs come in an order of their own, the same on every backend. COMPACT tries look the keys below a smaller child
 * up below the larger one alone. Waits. */
BOSC_API bosc_status bosc_trie_pairs(bosc_ctx *ctx, const bosc_trie *trie, int64_t *pairs, uint32_t *positions,
                                     int64_t capacity, int64_t *count);

/* Copies out what has ranks begin to end - 1, in order: keys (end - begin rows of bosc_trie_words words, bits beyond
 * the letters 0), values (of value_bits), counts (int64: multiplicities). Any may be NULL. 0 <= begin <= end <= keys.
 * Waits unless all arrays are on the device. */
BOSC_API bosc_status bosc_trie_get_keys(bosc_ctx *ctx, const bosc_trie *trie, int64_t begin, int64_t end,
                                        uint64_t *keys, void *values, int64_t *counts);

/* values[q] (of value_bits) = the value of the key with rank ranks[q] (rank_count, int64); 0 where that is no rank. With device
 * arrays it only queues, and is capturable. */
BOSC_API bosc_status bosc_trie_get_values(bosc_ctx *ctx, const bosc_trie *trie, const int64_t *ranks, int64_t rank_count,
                                          void *values);

typedef struct bosc_trie_info {
    size_t size;
    int64_t rows;  /* given to the build and inserted since, also of keys that were erased */
    int64_t keys;  /* distinct ones in the trie */
    int64_t words; /* of a packed row */
    int32_t length, letter_bits, value_bits;
    bosc_trie_layout layout;
    int64_t nodes;
    int64_t bytes;      /* backend memory held by the trie */
    int64_t node_bytes; /* of it, what nodes and their children take */
    int64_t depth_most; /* nodes above a leaf at most */
    double depth;       /* and above the average leaf */
} bosc_trie_info;

/* Set `size`. Waits. */
BOSC_API bosc_status bosc_trie_get_info(bosc_ctx *ctx, const bosc_trie *trie, bosc_trie_info *info);

/* Saves the trie: versioned, little-endian, with an xxHash checksum. The bytes are the same on every backend. Waits. */
BOSC_API bosc_status bosc_trie_write(bosc_ctx *ctx, const bosc_trie *trie, bosc_write_fn write, void *user);

/* Reads a saved trie into a new handle on the context's backend; nodes are made anew. BOSC_ERR_FORMAT with the reason
 * for damaged, truncated or hostile bytes; memory grows with what was really read. *trie is set on success. */
BOSC_API bosc_status bosc_trie_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_trie **trie);

BOSC_END_DECLS
#endif
