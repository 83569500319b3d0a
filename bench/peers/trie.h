/* Dictionaries of vectors by the standard library, on one thread of the CPU. */
#ifndef BENCH_PEERS_TRIE_H
#define BENCH_PEERS_TRIE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum peer_dictionary_kind { PEER_MAP, PEER_UNORDERED_MAP, PEER_SORTED, PEER_DICTIONARIES };

/* std::map; std::unordered_map; a sorted array and std::lower_bound. */
extern const char *const peer_dictionary_names[PEER_DICTIONARIES];

struct peer_dictionary;

/* A dictionary of n rows, possibly with duplicates, not copied; the value is the number of the first equal row. */
struct peer_dictionary *peer_dictionary_make(enum peer_dictionary_kind kind, const uint64_t *rows, int64_t n,
                                             int32_t words);
void peer_dictionary_free(struct peer_dictionary *dictionary);

/* Looks up m queries; values[q] receives the value or -1. Returns the number found. */
int64_t peer_dictionary_find(const struct peer_dictionary *dictionary, const uint64_t *queries, int64_t m,
                             int64_t *values);

#ifdef __cplusplus
}
#endif
#endif
