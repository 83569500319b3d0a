/* The published search of a trie for all pairs, for callers that want them in any order. */
#ifndef BI_TRIE_APPEND_PAIRS_H
#define BI_TRIE_APPEND_PAIRS_H

#include <stdbool.h>

#include <boscage/trie.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Pairs in the order in which they are found. */
struct bi_trie_pair_list {
    uint64_t *pairs;     /* (capacity) values of both keys: the smaller one << value_bits | the larger one */
    uint32_t *positions; /* (capacity) the letter in which they differ */
    uint64_t *count;     /* pairs found, which may exceed the capacity */
    int64_t capacity;
    int32_t value_bits; /* of a value in `pairs` */
};

/* Appends all pairs of keys of a PUBLISHED trie that differ in one letter, each once. Each key is looked up once with
 * each letter replaced. block_a_key: the paper's launch on a device, a block a key and a thread a letter; else a thread
 * has a key. The launch takes blocks and threads from the trie's options. All values are below 2^value_bits, of 32
 * bits. The list's arrays are the backend's. */
bosc_status bi_trie_append_pairs(bosc_ctx *ctx, const bosc_trie *trie, bool block_a_key,
                                 const struct bi_trie_pair_list *to);

#ifdef __cplusplus
}
#endif
#endif
