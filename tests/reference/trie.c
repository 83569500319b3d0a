#include "reference/trie.h"

#include <stdlib.h>
#include <string.h>

void reference_trie_unpack(const struct reference_trie *t, const uint64_t *row, uint8_t *letters)
{
    int32_t per_word = 64 / t->letter_bits;
    for (int32_t k = 0; k < t->length; k++)
        letters[k] = (uint8_t)(row[k / per_word] >> (k % per_word * t->letter_bits) & ((1u << t->letter_bits) - 1));
}

void reference_trie_pack(const struct reference_trie *t, const uint8_t *letters, uint64_t *row)
{
    int32_t per_word = 64 / t->letter_bits;
    for (int32_t s = 0; s < (t->length + per_word - 1) / per_word; s++) row[s] = 0;
    for (int32_t k = 0; k < t->length; k++)
        row[k / per_word] |= (uint64_t)letters[k] << (k % per_word * t->letter_bits);
}

const uint8_t *reference_trie_key(const struct reference_trie *t, int64_t rank)
{
    return t->letters + rank * t->length;
}

int64_t reference_trie_rank(const struct reference_trie *t, const uint8_t *letters)
{
    int64_t rank = 0;
    while (rank < t->count && memcmp(reference_trie_key(t, rank), letters, (size_t)t->length) < 0) rank++;
    return rank;
}

static bool is_key(const struct reference_trie *t, int64_t rank, const uint8_t *letters)
{
    return rank < t->count && memcmp(reference_trie_key(t, rank), letters, (size_t)t->length) == 0;
}

static void *reallocate(void *old, size_t bytes)
{
    void *p = realloc(old, bytes);
    if (!p) abort();
    return p;
}

void reference_trie_insert(struct reference_trie *t, const uint8_t *letters, uint64_t value)
{
    int64_t rank = reference_trie_rank(t, letters);
    size_t length = (size_t)t->length, behind = (size_t)(t->count - rank);
    if (is_key(t, rank, letters)) {
        t->counts[rank]++;
        if (t->last) t->values[rank] = value;
        return;
    }
    if (t->count == t->room) {
        t->room = 2 * t->room + 8;
        t->letters = reallocate(t->letters, (size_t)t->room * length);
        t->values = reallocate(t->values, (size_t)t->room * sizeof *t->values);
        t->counts = reallocate(t->counts, (size_t)t->room * sizeof *t->counts);
    }
    memmove(t->letters + (size_t)(rank + 1) * length, t->letters + (size_t)rank * length, behind * length);
    memmove(t->values + rank + 1, t->values + rank, behind * sizeof *t->values);
    memmove(t->counts + rank + 1, t->counts + rank, behind * sizeof *t->counts);
    memcpy(t->letters + (size_t)rank * length, letters, length);
    t->values[rank] = value;
    t->counts[rank] = 1;
    t->count++;
}

bool reference_trie_erase(struct reference_trie *t, const uint8_t *letters)
{
    int64_t rank = reference_trie_rank(t, letters);
    if (!is_key(t, rank, letters)) return false;
    size_t length = (size_t)t->length, behind = (size_t)(t->count - rank - 1);
    memmove(t->letters + (size_t)rank * length, t->letters + (size_t)(rank + 1) * length, behind * length);
    memmove(t->values + rank, t->values + rank + 1, behind * sizeof *t->values);
    memmove(t->counts + rank, t->counts + rank + 1, behind * sizeof *t->counts);
    t->count--;
    return true;
}

void reference_trie_clear(struct reference_trie *t)
{
    free(t->letters);
    free(t->values);
    free(t->counts);
    t->letters = NULL;
    t->values = NULL;
    t->counts = NULL;
    t->count = t->room = 0;
}

int32_t reference_trie_common(const struct reference_trie *t, const uint8_t *a, const uint8_t *b)
{
    int32_t k = 0;
    while (k < t->length && a[k] == b[k]) k++;
    return k;
}

int32_t reference_trie_differ(const struct reference_trie *t, const uint8_t *a, const uint8_t *b, int32_t *position)
{
    int32_t count = 0;
    for (int32_t k = 0; k < t->length; k++) {
        if (a[k] == b[k]) continue;
        count++;
        *position = k;
    }
    return count;
}
