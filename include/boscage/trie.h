/* boscage/trie.h - tries: dictionaries of long vectors over a small alphabet.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A key is a vector of `length` letters of `letter_bits` = r bits, each one of 2^r values, packed in words as in
 * boscage/cellgraph.h: floor(64 / r) letters a word, letter k in bits r * j to r * j + r - 1 of word k / floor(64 / r),
 * where j is k modulo floor(64 / r); bits beyond the letters are ignored. Keys are in lexicographic order by their
 * letters, the first letter first; the number of keys before a key is its rank, 0 to keys - 1.
 *
 * Each key has one value, which stands in a leaf, and a multiplicity: how many rows it came with. A node branches by
 * one digit of digit_bits bits, which are whole letters: the trie is a 2^digit_bits-ary search tree. The same rows make
 * the same trie on every backend and number of threads.
 *
 * Queries come in batches of query_count rows, each `stride` words after the one before (0: as many as a row has);
 * arrays of words and ranks are aligned to 8 bytes. Queries of an empty trie are answered, too. In the costs below, w
 * is the words of a row, and d the nodes above a leaf (bosc_trie_info).
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
    int32_t digit_bits; /* 1 to 8, a multiple of letter_bits; 0: as many letters as 8 bits hold. Answers do not depend
                           on it */
    /* PUBLISHED on a device: blocks of the launch that finds all pairs, and threads of a block, up to 1,024. Both 0: as
     * many as fill the device. The CPU ignores them; neither is saved. */
    int32_t blocks, threads;
} bosc_trie_opts;

/* Words of a packed row; 0 where a bosc_trie_opts with these numbers would be refused. */
BOSC_API int64_t bosc_trie_words(int32_t length, int32_t letter_bits);

/* Makes an empty trie. `opts` is required (length has no default). *trie is set on success. */
BOSC_API bosc_status bosc_trie_create(bosc_ctx *ctx, const bosc_trie_opts *opts, bosc_trie **trie);

/* Frees the trie once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_trie_free(bosc_trie *trie);

/* Reserves memory, so that builds of up to n rows allocate nothing; of PUBLISHED tries all but the nodes, whose number
 * the keys decide. The trie keeps what it holds.
 * Cost: the allocations, and a copy of what the trie holds. Waits. */
BOSC_API bosc_status bosc_trie_reserve(bosc_ctx *ctx, bosc_trie *trie, int64_t n);

/* Upper bounds on the backend memory of a build of n rows with these options.
 * kept: bytes the trie keeps, of PUBLISHED tries without the nodes; may be NULL.
 * scratch: bytes of the context's scratch while building; may be NULL.
 * Needs no device. */
BOSC_API bosc_status bosc_trie_bytes(const bosc_ctx *ctx, const bosc_trie_opts *opts, int64_t n, int64_t *kept,
                                     int64_t *scratch);

/* Builds or rebuilds the trie from n rows.
 * values: (n, of value_bits) NULL: the number of the row.
 * n: less than 2^31.
 * stride: words from a row to the next; 0: as many as a row has.
 * Errors: on BOSC_ERR_ARG and BOSC_ERR_LIMIT the trie holds what it held before; on any other failure it is empty.
 * Cost: a sort of the rows, a radix sort for each word where a row has up to 8; then O(n (w + log n)), and of PUBLISHED
 * tries O(n) for each level. Memory by bosc_trie_bytes. A second build of the same or a smaller size allocates nothing,
 * unless its keys need more nodes. Waits. */
BOSC_API bosc_status bosc_trie_build(bosc_ctx *ctx, bosc_trie *trie, const uint64_t *keys, const void *values,
                                     int64_t n, int64_t stride);

/* Adds n rows. The rows in the trie count as those that came first.
 * values: (n, of value_bits) NULL: the number of the row, on from the rows that the trie got before.
 * n: less than 2^31; the rows since the build are less than 2^32 - 1, and the keys less than 2^31.
 * Errors: on failure the trie is as it was.
 * Cost: a sort of the new rows, a prefix query for each new key, O(keys w) to merge, and new nodes, as a build makes
 * them; a second trie is made beside the first. Waits. */
BOSC_API bosc_status bosc_trie_insert(bosc_ctx *ctx, bosc_trie *trie, const uint64_t *keys, const void *values,
                                      int64_t n, int64_t stride);

/* Removes n keys with all their rows; absent keys are no failure.
 * erased: (host, may be NULL) the number of keys removed.
 * Errors: on failure the trie is as it was.
 * Cost: n finds, O(keys w) to copy the others, and new nodes, as a build makes them; a second trie is made beside the
 * first, and 13 bytes of scratch a key. Waits. */
BOSC_API bosc_status bosc_trie_erase(bosc_ctx *ctx, bosc_trie *trie, const uint64_t *keys, int64_t n, int64_t stride,
                                     int64_t *erased);

/* Looks keys up. Any output may be NULL.
 * ranks: (query_count, int64) the rank of each, or -1 where it is absent.
 * values: (query_count, of value_bits) its value, or 0.
 * found: (query_count) 1 or 0.
 * Cost: of a query, COMPACT: expected O(w) by a hash of the key, and O(d + w) by the nodes where that does not tell;
 * PUBLISHED: a node for each level. No scratch but for staged arrays. With device arrays it only queues, and is
 * capturable. */
BOSC_API bosc_status bosc_trie_find(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, int64_t query_count,
                                    int64_t stride, int64_t *ranks, void *values, uint8_t *found);

/* Finds the keys that begin with a prefix: ranks begins[q] to ends[q] - 1.
 * lengths: (query_count, int32) the letters of query q that count; NULL: all. Below 0 counts as 0, and above the length
 * of the keys as that.
 * begins, ends: (query_count each, int64; either may be NULL) where there is no such key, both are the number of keys
 * that come before the prefix.
 * Cost: of a query, COMPACT: O(d + w); PUBLISHED: O(w log keys), two binary searches. No scratch but for staged arrays.
 * With device arrays it only queues, and is capturable. */
BOSC_API bosc_status bosc_trie_prefix(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries,
                                      const int32_t *lengths, int64_t query_count, int64_t stride, int64_t *begins,
                                      int64_t *ends);

/* Finds the longest match. Any output may be NULL; of an empty trie all are 0.
 * lengths: (query_count, int32) the most letters that query q and some key begin with.
 * begins, ends: (query_count each, int64) ranks begins[q] to ends[q] - 1 are of all keys that have them.
 * Cost: of a query, O(d + w) down the nodes of COMPACT tries where these are few for their keys (less than a quarter as
 * many); else O(w + log keys) typically, and O(w log keys) at most, by a binary search of the keys. No scratch but for
 * staged arrays. With device arrays it only queues, and is capturable. */
BOSC_API bosc_status bosc_trie_longest(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries,
                                       int64_t query_count, int64_t stride, int32_t *lengths, int64_t *begins,
                                       int64_t *ends);

/* Matches with wildcards, as CSR rows, by two calls: the first, with ranks NULL, gets the offsets; the second, with the
 * same offsets, which it reads, fills the rows.
 * masks: (query_count rows, `stride` words apart like the queries) a match agrees with query q in every bit that is set
 * in row q; a letter whose bits are all 0 there matches any.
 * offsets: (query_count + 1, int64) row q is ranks[offsets[q]] to ranks[offsets[q + 1] - 1].
 * ranks: (capacity, int64) ascending in each row.
 * Errors: BOSC_ERR_SPACE if capacity < offsets[query_count].
 * Cost: of a query, a prefix query for each match and for each run of keys without one that is skipped; the first call
 * takes 8 bytes of scratch a query. Waits. */
BOSC_API bosc_status bosc_trie_matches(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries,
                                       const uint64_t *masks, int64_t query_count, int64_t stride, int64_t *offsets,
                                       int64_t *ranks, int64_t capacity);

/* Neighbours at distance 1: the keys that differ from a query in exactly one letter, as CSR rows by two calls like
 * those of bosc_trie_matches. The query need not be a key.
 * ranks: (capacity, int64) ascending in each row; positions: (capacity, uint32_t) the letter. Either may be NULL; with
 * both NULL the call gets the offsets.
 * Errors: BOSC_ERR_SPACE if capacity < offsets[query_count].
 * Cost: of a query, COMPACT: O(d + w), and the same for each child, of the nodes on the way, that differs in one
 * letter; PUBLISHED: length (2^r - 1) finds. The first call takes 8 bytes of scratch a query. Waits. */
BOSC_API bosc_status bosc_trie_neighbours(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries,
                                          int64_t query_count, int64_t stride, int64_t *offsets, int64_t *ranks,
                                          uint32_t *positions, int64_t capacity);

/* Finds all pairs of keys that differ in exactly one letter, each once, in an order that is the same on every backend.
 * pairs: (capacity x 2, int64) the ranks, the smaller one first; positions: (capacity, uint32_t) the letter. Either may
 * be NULL; with both NULL the call only counts.
 * count: (host) the number of pairs.
 * Errors: BOSC_ERR_SPACE if that is more than capacity; the arrays are then as they were, and *count is set.
 * Cost: COMPACT: a key is looked up, for each node above it, in the children that differ in one letter and have no
 * fewer keys than its own, O(d + w) each; PUBLISHED: length (2^r - 1) finds a key. All is done twice, once to count.
 * 8 bytes of scratch a key, and 8 a pair. Waits. */
BOSC_API bosc_status bosc_trie_pairs(bosc_ctx *ctx, const bosc_trie *trie, int64_t *pairs, uint32_t *positions,
                                     int64_t capacity, int64_t *count);

/* Copies keys out in order: those of ranks begin to end - 1. Any array may be NULL. 0 <= begin <= end <= keys.
 * keys: (end - begin rows of bosc_trie_words words) bits beyond the letters are 0.
 * values: (end - begin, of value_bits).
 * counts: (end - begin, int64) multiplicities.
 * Cost: O((end - begin) w). Waits unless all arrays are on the device. */
BOSC_API bosc_status bosc_trie_get_keys(bosc_ctx *ctx, const bosc_trie *trie, int64_t begin, int64_t end,
                                        uint64_t *keys, void *values, int64_t *counts);

/* Reads the values of keys by their ranks.
 * values: (rank_count, of value_bits) values[q] is that of the key with rank ranks[q]; 0 where that is no rank.
 * Cost: O(rank_count). With device arrays it only queues, and is capturable. */
BOSC_API bosc_status bosc_trie_get_values(bosc_ctx *ctx, const bosc_trie *trie, const int64_t *ranks,
                                          int64_t rank_count, void *values);

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
    int64_t depth_most; /* nodes above the deepest leaf */
    double depth;       /* and above the average leaf */
    int32_t digit_bits, reserved;
} bosc_trie_info;

/* Describes the trie. Set `size`.
 * Cost: a descent for each key, O(keys d), and 8 bytes of scratch a key. Waits. */
BOSC_API bosc_status bosc_trie_get_info(bosc_ctx *ctx, const bosc_trie *trie, bosc_trie_info *info);

/* Seconds of the stages of the last build, zeros without one: `sort` puts the rows in order and finds equal ones,
 * `build` copies the keys and makes the nodes. Set `size`. */
typedef struct bosc_trie_times {
    size_t size;
    double sort, build;
} bosc_trie_times;

/* Gets the times of the last build. Cost: O(1). */
BOSC_API bosc_status bosc_trie_get_times(bosc_ctx *ctx, const bosc_trie *trie, bosc_trie_times *times);

/* Saves the trie: versioned, little-endian, with an xxHash checksum. The bytes are the same on every backend.
 * Cost: O(keys w). Waits. */
BOSC_API bosc_status bosc_trie_write(bosc_ctx *ctx, const bosc_trie *trie, bosc_write_fn write, void *user);

/* Reads a saved trie into a new handle on the context's backend; the nodes are made anew.
 * trie: set on success.
 * Errors: BOSC_ERR_FORMAT with the reason for damaged, truncated or hostile bytes; memory grows with what was really
 * read.
 * Cost: O(keys w), and nodes, as a build makes them. Waits. */
BOSC_API bosc_status bosc_trie_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_trie **trie);

BOSC_END_DECLS
#endif
