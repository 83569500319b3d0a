/* Plain tries: a sorted array of rows of letters, searched linearly. */
#ifndef TESTS_REFERENCE_TRIE_H
#define TESTS_REFERENCE_TRIE_H

#include <stdbool.h>
#include <stdint.h>

struct reference_trie {
    int32_t length, letter_bits;
    bool last; /* true: the last row of a key sets its value */
    int64_t count, room;
    uint8_t *letters; /* (count x length), ascending */
    uint64_t *values;
    int64_t *counts;
};

/* Unpacks the letters of a row; and packs them, with zeros behind them. */
void reference_trie_unpack(const struct reference_trie *t, const uint64_t *row, uint8_t *letters);
void reference_trie_pack(const struct reference_trie *t, const uint8_t *letters, uint64_t *row);

void reference_trie_insert(struct reference_trie *t, const uint8_t *letters, uint64_t value);
bool reference_trie_erase(struct reference_trie *t, const uint8_t *letters);
void reference_trie_clear(struct reference_trie *t);

const uint8_t *reference_trie_key(const struct reference_trie *t, int64_t rank);
/* Returns the length of the common prefix. */
int32_t reference_trie_common(const struct reference_trie *t, const uint8_t *a, const uint8_t *b);
/* Returns the number of letters in which they differ; *position: the last of them. */
int32_t reference_trie_differ(const struct reference_trie *t, const uint8_t *a, const uint8_t *b, int32_t *position);
/* Returns the number of keys less than the letters. */
int64_t reference_trie_rank(const struct reference_trie *t, const uint8_t *letters);

#endif
