/* boscage/trie.h - tries: dictionaries of long vectors over a small alphabet.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: motion
 * Start with: bosc_trie_build, _find
 *
 * A key is a vector of `length` letters of `letter_bits` = r bits, packed in words as in boscage/cellgraph.h: floor(64
 * / r) letters a word, letter k in bits r * j to r * j + r - 1 of word k / floor(64 / r), where j is k modulo floor(64
 * / r); bits beyond the letters are ignored. Keys are in lexicographic order, the first letter first. The rank of a
 * key, 0 to keys - 1, is the number of keys before it.
 *
 * Each key has one value and a multiplicity, the number of its rows. A node branches by one digit of digit_bits bits,
 * which are whole letters: the trie is a 2^digit_bits-ary search tree. The same rows make the same trie on every
 * backend and number of threads.
 *
 * Queries come in batches of query_count rows, `stride` words apart (0: words of a row). Arrays of words and ranks are
 * aligned to 8 bytes. An empty trie may be queried. In the costs below, w is the words of a row, and d the nodes above
 * a leaf (bosc_trie_info). Calls that queue can be captured in a CUDA graph.
 * Sources: Kaczmarski, Rzazewski, Wolant, Massively Parallel Construction of the Cell Graph (PPAM 2015), section 3, for
 *     the published layout; Morrison, PATRICIA (1968), and Karras, Maximizing Parallelism in the Construction of BVHs,
 *     Octrees, and k-d Trees (2012) for the compact one. */
#ifndef BOSCAGE_TRIE_H
#define BOSCAGE_TRIE_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A trie in the memory of one backend and device. Any number of contexts of that device may query it at once, while
 * none writes to it. It may outlive the context that made it. */
typedef struct bosc_trie bosc_trie;

typedef enum bosc_trie_layout {
    BOSC_TRIE_COMPACT = 0,  /* nodes of 48 bytes at the branchings of keys only; for rows of up to 256 words also a
                             * table of 8 bytes a key that finds keys in one step */
    BOSC_TRIE_PUBLISHED = 1 /* published: a node for every prefix of whole digits, with an array of all children. Finds
                             * and neighbours descend its levels; other queries search the sorted keys */
} bosc_trie_layout;

/* The value of a key with several rows. */
typedef enum bosc_trie_duplicates {
    BOSC_TRIE_FIRST = 0, /* of the first row */
    BOSC_TRIE_LAST = 1   /* of the last row */
} bosc_trie_duplicates;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_trie_opts {
    size_t size;
    int32_t length;      /* letters of a key, 1 to 65,536; required */
    int32_t letter_bits; /* 1 (default) to 8 */
    bosc_trie_layout layout;
    bosc_trie_duplicates duplicates;
    int32_t value_bits; /* of a value: 64 (default) or 32 */
    int32_t digit_bits; /* 1 to 8, a multiple of letter_bits; 0: the most letters within 8 bits. Results do not depend
                         * on it */
    /* PUBLISHED on a device: blocks of the launch that finds all pairs, and threads of a block, up to 1,024. Both 0:
     * fill the device. The CPU ignores them; neither is saved. */
    int32_t blocks, threads;
    /* PUBLISHED, not 0: builds each level by an item for each node and value of a digit, as published. A level then
     * takes scratch of 4 bytes an item. 0: by scans over the keys. The trie is the same; the option is not saved. */
    int32_t by_values;
} bosc_trie_opts;

/* Returns the words of a packed row; 0 for numbers that bosc_trie_create would refuse. */
BOSC_API int64_t bosc_trie_words(int32_t length, int32_t letter_bits);

/* Makes an empty trie.
 * opts: required, as length has no default.
 * trie: set on success. */
BOSC_API bosc_status bosc_trie_create(bosc_ctx *ctx, const bosc_trie_opts *opts, bosc_trie **trie);

/* Frees the trie once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_trie_free(bosc_trie *trie);

/* Reserves memory so that builds of up to n rows allocate nothing. The trie keeps its contents.
 * In PUBLISHED tries the nodes and the scratch of `by_values` are excepted: their size depends on the keys.
 * Cost: the allocations, and a copy of the trie's contents.
 * Waits. */
BOSC_API bosc_status bosc_trie_reserve(bosc_ctx *ctx, bosc_trie *trie, int64_t n);

/* Computes upper bounds on the backend memory, in bytes, of a build of n rows. Needs no device.
 * kept: held by the trie, in PUBLISHED tries without the nodes; may be NULL.
 * scratch: of the context while building, without the levels of `by_values`; may be NULL. */
BOSC_API bosc_status bosc_trie_bytes(const bosc_ctx *ctx, const bosc_trie_opts *opts, int64_t n, int64_t *kept,
                                     int64_t *scratch);

/* Builds or rebuilds the trie from n rows.
 * keys (n x words): rows `stride` words apart (0: words of a row).
 * values (n): of value_bits; NULL: row numbers.
 * n: less than 2^31.
 * Errors: on BOSC_ERR_ARG and BOSC_ERR_LIMIT the trie is unchanged; on any other failure it is empty.
 * Cost: a sort of the rows, by radix sorts of their words up to 8; then O(n (w + log n)), in PUBLISHED tries O(n) for
 *     each level, or by values O(2^r log n) for each node. bosc_trie_bytes gives the memory. A second build of the same
 *     or a smaller size allocates nothing, unless its keys need more nodes.
 * Waits. */
BOSC_API bosc_status bosc_trie_build(bosc_ctx *ctx, bosc_trie *trie, const uint64_t *keys, const void *values,
                                     int64_t n, int64_t stride);

/* Adds n rows. Rows in the trie count as earlier ones.
 * keys, stride: as in bosc_trie_build.
 * values (n): of value_bits; NULL: row numbers, continued from the earlier rows.
 * n: less than 2^31. Rows since the build must be less than 2^32 - 1, and keys less than 2^31.
 * Errors: on failure the trie is unchanged.
 * Cost: a sort of the new rows, a prefix query for each new key, O(keys w) to merge, and new nodes as in a build;
 *     memory for a second trie beside the first.
 * Waits. */
BOSC_API bosc_status bosc_trie_insert(bosc_ctx *ctx, bosc_trie *trie, const uint64_t *keys, const void *values,
                                      int64_t n, int64_t stride);

/* Removes n keys with all their rows; absent keys are no failure.
 * keys, stride: as in bosc_trie_build.
 * erased: host; the number of keys removed; may be NULL.
 * Errors: on failure the trie is unchanged.
 * Cost: n finds, O(keys w) to copy the rest, and new nodes as in a build; memory for a second trie beside the first,
 *     and 13 bytes of scratch a key.
 * Waits. */
BOSC_API bosc_status bosc_trie_erase(bosc_ctx *ctx, bosc_trie *trie, const uint64_t *keys, int64_t n, int64_t stride,
                                     int64_t *erased);

/* Finds the ranks and values of keys. Any output may be NULL.
 * queries (query_count x words): keys.
 * ranks (query_count): -1 for an absent key.
 * values (query_count): of value_bits; 0 for an absent key.
 * found (query_count): 1 or 0.
 * Cost: COMPACT: O(w) a query, expected, by a hash of the key, else O(d + w) by the nodes; PUBLISHED: a node for each
 *     level. No scratch.
 * Queues. */
BOSC_API bosc_status bosc_trie_find(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, int64_t query_count,
                                    int64_t stride, int64_t *ranks, void *values, uint8_t *found);

/* Finds the keys that begin with a prefix: ranks begins[q] to ends[q] - 1.
 * queries (query_count x words): prefixes.
 * lengths (query_count): letters of query q that count, clamped to 0 and the length of the keys; NULL: all.
 * begins, ends (query_count): both are the number of keys before the prefix if no key has it; either may be NULL.
 * Cost: COMPACT: O(d + w) a query; PUBLISHED: O(w log keys), two binary searches. No scratch.
 * Queues. */
BOSC_API bosc_status bosc_trie_prefix(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries,
                                      const int32_t *lengths, int64_t query_count, int64_t stride, int64_t *begins,
                                      int64_t *ends);

/* Finds the longest match of each query. Any output may be NULL; in an empty trie all are 0.
 * queries (query_count x words): keys.
 * lengths (query_count): the most letters that query q and a key begin with.
 * begins, ends (query_count): ranks begins[q] to ends[q] - 1 are all keys that begin with these letters.
 * Cost: O(d + w) a query by the nodes of COMPACT tries with less than a quarter as many nodes as keys; else O(w + log
 *     keys) typically, O(w log keys) at most, by binary search of the keys. No scratch.
 * Queues. */
BOSC_API bosc_status bosc_trie_longest(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries,
                                       int64_t query_count, int64_t stride, int32_t *lengths, int64_t *begins,
                                       int64_t *ends);

/* Finds all matches with wildcards, as CSR rows, by two calls.
 * The first call, with ranks NULL, writes the offsets; the second reads them and fills the rows.
 * masks (query_count x words): rows `stride` words apart. A match agrees with query q in every bit that is set in row
 *     q; a letter with all bits 0 matches any.
 * offsets (query_count + 1): row q is ranks[offsets[q]] to ranks[offsets[q + 1] - 1].
 * ranks (capacity): ascending in each row; NULL in the first call.
 * Errors: BOSC_ERR_SPACE if capacity < offsets[query_count].
 * Cost: a prefix query for each match and for each skipped run of keys; the first call takes 8 bytes of scratch a
 *     query.
 * Waits. */
BOSC_API bosc_status bosc_trie_matches(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries,
                                       const uint64_t *masks, int64_t query_count, int64_t stride, int64_t *offsets,
                                       int64_t *ranks, int64_t capacity);

/* Finds the keys that differ from a query in exactly one letter, as CSR rows, by two calls as bosc_trie_matches.
 * The query need not be a key.
 * ranks (capacity): ascending in each row; may be NULL.
 * positions (capacity): the letter; may be NULL. With both NULL the call writes the offsets.
 * Errors: BOSC_ERR_SPACE if capacity < offsets[query_count].
 * Cost: COMPACT: O(d + w) a query, and for each child of the nodes on the path that differs in one letter; PUBLISHED:
 *     length (2^r - 1) finds. The first call takes 8 bytes of scratch a query.
 * Waits. */
BOSC_API bosc_status bosc_trie_neighbours(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries,
                                          int64_t query_count, int64_t stride, int64_t *offsets, int64_t *ranks,
                                          uint32_t *positions, int64_t capacity);

/* Finds all pairs of keys that differ in exactly one letter, each once, in the same order on every backend.
 * pairs (capacity x 2): the ranks, the smaller one first; may be NULL.
 * positions (capacity): the letter; may be NULL. With both NULL the call only counts.
 * count: host; the number of pairs, also on BOSC_ERR_SPACE.
 * Errors: BOSC_ERR_SPACE if *count is more than capacity; the arrays are then unchanged.
 * Cost: COMPACT: O(d + w) for each key, node above it and child that differs in one letter and has no fewer keys;
 *     PUBLISHED: length (2^r - 1) finds a key. Two passes, one to count. 8 bytes of scratch a key, and 8 a pair.
 * Waits. */
BOSC_API bosc_status bosc_trie_pairs(bosc_ctx *ctx, const bosc_trie *trie, int64_t *pairs, uint32_t *positions,
                                     int64_t capacity, int64_t *count);

/* Copies the keys of ranks begin to end - 1, in order. Any array may be NULL.
 * begin, end: 0 <= begin <= end <= keys.
 * keys (end - begin x words): bits beyond the letters are 0.
 * values (end - begin): of value_bits.
 * counts (end - begin): multiplicities.
 * Cost: O((end - begin) w).
 * Queues. */
BOSC_API bosc_status bosc_trie_get_keys(bosc_ctx *ctx, const bosc_trie *trie, int64_t begin, int64_t end,
                                        uint64_t *keys, void *values, int64_t *counts);

/* Reads the values of keys by their ranks.
 * ranks (rank_count): ranks of keys.
 * values (rank_count): of value_bits; 0 for a number that is no rank.
 * Cost: O(rank_count).
 * Queues. */
BOSC_API bosc_status bosc_trie_get_values(bosc_ctx *ctx, const bosc_trie *trie, const int64_t *ranks,
                                          int64_t rank_count, void *values);

typedef struct bosc_trie_info {
    size_t size;
    int64_t rows;  /* given to the build and inserted since, also of erased keys */
    int64_t keys;  /* distinct ones in the trie */
    int64_t words; /* of a packed row */
    int32_t length, letter_bits, value_bits;
    bosc_trie_layout layout;
    int64_t nodes;
    int64_t bytes;      /* backend memory held by the trie */
    int64_t node_bytes; /* of nodes and their children */
    int64_t depth_most; /* nodes above the deepest leaf */
    double depth;       /* and above the average leaf */
    int32_t digit_bits, reserved;
} bosc_trie_info;

/* Describes the trie. Set `size`.
 * Cost: a descent for each key, O(keys d), and 8 bytes of scratch a key.
 * Waits. */
BOSC_API bosc_status bosc_trie_get_info(bosc_ctx *ctx, const bosc_trie *trie, bosc_trie_info *info);

/* Seconds of the stages of the last build; zeros without one. Set `size`. `sort` sorts the rows and finds equal ones;
 * `build` copies the keys and makes the nodes. */
typedef struct bosc_trie_times {
    size_t size;
    double sort, build;
} bosc_trie_times;

/* Reads the times of the last build. Set `size`.
 * Cost: O(1). */
BOSC_API bosc_status bosc_trie_get_times(bosc_ctx *ctx, const bosc_trie *trie, bosc_trie_times *times);

/* Saves the trie: versioned, little-endian, with an xxHash checksum; the same bytes on every backend.
 * Cost: O(keys w).
 * Waits. */
BOSC_API bosc_status bosc_trie_write(bosc_ctx *ctx, const bosc_trie *trie, bosc_write_fn write, void *user);

/* Reads a saved trie into a new handle on the context's backend; the nodes are rebuilt.
 * trie: set on success.
 * Errors: BOSC_ERR_FORMAT, with the reason, for damaged, truncated or hostile bytes. Memory grows only with the bytes
 *     read.
 * Cost: O(keys w), and nodes as in a build.
 * Waits. */
BOSC_API bosc_status bosc_trie_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_trie **trie);

BOSC_END_DECLS
#endif
