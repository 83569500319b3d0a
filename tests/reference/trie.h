/* Plain tries: a sorted array of rows of letters, searched from end to end. */
#ifndef TESTS_REFERENCE_TRIE_H
#define TESTS_REFERENCE_TRIE_H

#include <stdbool.h>
#include <stdint.h>

struct reference_trie {
    int32_t length, letter_bits;
    bool last; /* of rows with one key the last one's value */
    int64_t count, room;
    uint8_t *letters; /* (count x length), ascending */
    uint64_t *values;
    int64_t *counts;
};

/* The letters of a packed row; and back, with zeros behind them. */
void reference_trie_unpack(const struct reference_trie *t, const uint64_t *row, uint8_t *letters);
void reference_trie_pack(const struct reference_trie *t, const uint8_t *letters, uint64_t *row);

void reference_trie_insert(struct reference_trie *t, const uint8_t *letters, uint64_t value);
bool reference_trie_erase(struct reference_trie *t, const uint8_t *letters);
void reference_trie_clear(struct reference_trie *t);

const uint8_t *reference_trie_key(const struct reference_trie *t, int64_t rank);
/* How many letters they have in common at their begin. */
int32_t reference_trie_common(const struct reference_trie *t, const uint8_t *a, const uint8_t *b);
/* In how many letters they differ; *position: the last of them. */
int32_t reference_trie_differ(const struct reference_trie *t, const uint8_t *a, const uint8_t *b, int32_t *position);
/* How many keys are less than the letters. */
int64_t reference_trie_rank(const struct reference_trie *t, const uint8_t *letters);

#endif
