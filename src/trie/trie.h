/* Inside a trie: the sorted keys, and nodes over them.
 *
 * Keys are stored letter-reversed: the letters of a word from its top bit down, so that keys compare as their words do,
 * one after the other as unsigned numbers. A place in a key is the number of a bit: 64 * word + bits below the top. A
 * digit of digit_bits bits begins at places 64 * word + digit_bits * j; the last one of a word may reach beyond its
 * end, where zeros are. Place p is in letter (p / 64) * per_word + (p % 64) / letter_bits.
 *
 * Compact layout: inner node v branches at place `depth`, the first digit in which its keys [first, end) differ. The
 * set bits of `bits` are their digits there. The children, in digit order, begin at children[base]: a node, or
 * BI_TRIE_LEAF | rank. The root is node 0 unless it is a leaf. The others are ordered by the rank at which their second
 * child begins, so that nodes of a subtree are close in memory.
 *
 * Published layout: level h has a node for every prefix of h digits. Its child for digit d is children[(levels[h] +
 * node) << digit_bits | d]: a node of the next level, a rank in the last level, or BI_TRIE_NONE. */
#ifndef BI_TRIE_TRIE_H
#define BI_TRIE_TRIE_H

#include <stdbool.h>

#include <boscage/trie.h>

#include "base/letters.h"
#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BI_TRIE_DIGIT = 8,   /* most bits of a digit: a node has a bit for each value */
    BI_TRIE_COLUMNS = 8, /* rows of up to this many words are sorted column by column: a sort a word. Not measured */
    BI_TRIE_FIND_GROUP = 16,   /* queries that a CPU core interleaves; not measured */
    BI_TRIE_BUCKET = 8,        /* slots of a bucket, half of them used on average */
    BI_TRIE_TABLE_WORDS = 256, /* longer rows have no table */
    BI_TRIE_THREADS = 1024     /* most threads of a block */
};

/* WHOLE_ROWS: up to this many rows a device sorts whole rows. DICTIONARY_ROWS: from this many on by prefixes, unless
 * words repeat and are fewer than DICTIONARY_WORDS. RUN: longest run of equal prefixes that is sorted by
 * comparisons. Not measured. */
#ifdef BI_EMULATE /* small, so that small tries are sorted by all methods */
enum { BI_TRIE_WHOLE_ROWS = 70, BI_TRIE_DICTIONARY_ROWS = 50, BI_TRIE_DICTIONARY_WORDS = 150, BI_TRIE_RUN = 6 };
#else
enum {
    BI_TRIE_WHOLE_ROWS = 1 << 21,
    BI_TRIE_DICTIONARY_ROWS = 1 << 19,
    BI_TRIE_DICTIONARY_WORDS = 6 << 20,
    BI_TRIE_RUN = 256
};
#endif
enum { BI_TRIE_DICTIONARY_SLOTS = 1 << 21 /* of the dictionary of words, at most */ };

#define BI_TRIE_LEAF 0x80000000u
#define BI_TRIE_NONE 0xffffffffu

/* Layout of letters in words, and of digits in reversed words. */
struct bi_trie_shape {
    struct bi_letters letters;
    int32_t digit_bits;     /* letters of a digit times letter_bits */
    int32_t digits, levels; /* digits of a word, but the last; of a key */
    uint64_t reversed_lows; /* the lowest bit of each letter of a reversed word */
};

struct __attribute__((aligned(16))) bi_trie_node { /* three 16-byte accesses on a device */
    uint64_t bits[4];
    uint32_t base, depth, first, end;
};

/* Hash table of keys (trie/steps/keys.h). */
struct bi_trie_table {
    uint32_t *slots; /* NULL: there is no table */
    uint32_t buckets;
    int32_t rank_bits; /* of a rank in a slot */
};

/* The part of a trie that steps read. */
struct bi_trie_view {
    struct bi_trie_shape shape;
    bool published;
    int64_t count;        /* keys */
    const uint64_t *keys; /* (count x words), reversed */
    const struct bi_trie_node *nodes;
    const uint32_t *children;
    const int64_t *levels; /* published: nodes before each level */
    struct bi_trie_table table;
};

enum {
    BI_TRIE_KEYS,
    BI_TRIE_VALUES, /* (keys) of value_bits */
    BI_TRIE_COUNTS, /* (keys) uint32: multiplicities */
    BI_TRIE_TABLE,
    BI_TRIE_NODES,
    BI_TRIE_CHILDREN,
    BI_TRIE_LEVELS, /* (levels + 1) int64 */
    BI_TRIE_BLOCKS
};

struct bosc_trie {
    struct bi_memory memory, host;
    bosc_trie_opts opts; /* every field set */
    struct bi_trie_shape shape;
    int64_t rows, keys, nodes;
    struct bi_block blocks[BI_TRIE_BLOCKS];
    bosc_trie_times times; /* of the last build */
};

/* The caller's rows. */
struct bi_trie_rows {
    const uint64_t *data;
    int64_t n, stride;
};

/* Sorted keys with values and multiplicities. */
struct bi_trie_sorted {
    uint64_t *keys;
    void *values;
    uint32_t *counts;
    int64_t count;
};

struct bi_trie_steps;
struct bi_trie_pairs;
struct bi_trie_append;

/* The room's table: the steps, and choices of the backend. */
struct bi_trie_ops {
    const struct bi_trie_steps *steps;
    bool finds_in_groups;    /* find by the table takes BI_TRIE_FIND_GROUP queries an item */
    bool gathers_by_word;    /* gathers a word of a key an item, and values in another step */
    int64_t dictionary_rows; /* from this many rows on prefixes are sorted, perhaps of word numbers */
    int64_t whole_rows;      /* up to this many rows are sorted whole */
    /* The step trie_pairs for all keys, with a chosen launch; NULL: no launches on this backend. */
    bosc_status (*launch_pairs)(bosc_ctx *ctx, const struct bi_trie_pairs *args, int32_t blocks, int32_t threads);
    /* The step trie_append_pairs for all keys, a block a key and a thread a letter or a thread a key; NULL as above. */
    bosc_status (*launch_append)(bosc_ctx *ctx, const struct bi_trie_append *args, bool block_a_key, int32_t blocks,
                                 int32_t threads);
};

#ifdef BOSC_HAVE_CUDA
extern const struct bi_trie_ops bi_trie_ops_cuda;
bosc_status bi_trie_cuda_launch_pairs(bosc_ctx *ctx, const struct bi_trie_pairs *args, int32_t blocks, int32_t threads);
bosc_status bi_trie_cuda_launch_append(bosc_ctx *ctx, const struct bi_trie_append *args, bool block_a_key,
                                       int32_t blocks, int32_t threads);
#endif

#ifdef __cplusplus
}
#endif
#endif
