/* Steps of insertions and erasures, and of the check of loaded keys. */
#ifndef BI_TRIE_STEPS_CHANGE_H
#define BI_TRIE_STEPS_CHANGE_H

#include "trie/steps/query.h"

/* Copies a key with its value and multiplicity. */
BI_FN void bi_trie_copy_entry(const struct bi_trie_sorted *from, int64_t at, const struct bi_trie_sorted *to,
                              int64_t to_rank, int32_t words, int32_t value_bits)
{
    for (int32_t s = 0; s < words; s++) to->keys[to_rank * words + s] = from->keys[at * words + s];
    to->counts[to_rank] = from->counts[at];
    if (value_bits == 64)
        ((uint64_t *)to->values)[to_rank] = ((const uint64_t *)from->values)[at];
    else
        ((uint32_t *)to->values)[to_rank] = ((const uint32_t *)from->values)[at];
}

/* Merges new keys between the old ones. */
struct bi_trie_merge {
    struct bi_trie_view view;
    struct bi_trie_sorted old, fresh, merged;
    int32_t words, value_bits;
    bool last;            /* a new value replaces an old one */
    uint32_t *at;         /* by new key: smaller old keys */
    uint8_t *is_old;      /* by new key: it is an old one too */
    uint32_t *new_before; /* (new keys + 1) earlier new keys, without those equal to old ones */
};

/* Finds the position of new key k among the old ones. The item behind the last key only ends the array to be summed. */
BI_FN void bi_step_trie_locate_new(const struct bi_trie_merge *a, int64_t k)
{
    a->new_before[k] = 0;
    if (k == a->fresh.count) return;
    struct bi_trie_query x = bi_trie_query_of_key(&a->view.shape, a->fresh.keys + k * a->words);
    struct bi_trie_range range = bi_trie_locate(&a->view, &x, bi_trie_key_bits(&a->view.shape));
    a->at[k] = (uint32_t)range.begin;
    a->is_old[k] = range.end > range.begin;
    a->new_before[k] = !a->is_old[k];
}

/* Copies old key k behind the smaller new keys. */
BI_FN void bi_step_trie_merge_old(const struct bi_trie_merge *a, int64_t k)
{
    int64_t low = 0, high = a->fresh.count;
    /* Count the new keys up to old key k. */
    BI_PARTITION_POINT(low, high, middle, a->at[middle] <= k);
    bi_trie_copy_entry(&a->old, k, &a->merged, k + a->new_before[low], a->words, a->value_bits);
}

/* Copies new key k, or adds it to the equal old key. Runs after the old keys are copied. */
BI_FN void bi_step_trie_merge_new(const struct bi_trie_merge *a, int64_t k)
{
    int64_t to = (int64_t)a->at[k] + a->new_before[k];
    uint32_t before = a->is_old[k] ? a->merged.counts[to] : 0;
    if (!a->is_old[k] || a->last) bi_trie_copy_entry(&a->fresh, k, &a->merged, to, a->words, a->value_bits);
    a->merged.counts[to] = before + a->fresh.counts[k];
}

struct bi_trie_erase {
    struct bi_trie_view view;
    struct bi_trie_rows queries;
    struct bi_trie_sorted old, remaining;
    int32_t words, value_bits;
    uint32_t *erased; /* (keys) 1 or 0; words, as queries set them by atomics */
    uint8_t *remains;
    uint32_t *indices; /* 0, 1, 2, ...; then the remaining keys */
};

BI_FN void bi_step_trie_mark_erased(const struct bi_trie_erase *a, int64_t q)
{
    struct bi_trie_query x = bi_trie_query_of(&a->view.shape, &a->queries, q);
    int64_t rank = bi_trie_find_rank(&a->view, &x);
    if (rank >= 0) bi_atomic_or_u32(&a->erased[rank], 1);
}

BI_FN void bi_step_trie_flag_remaining(const struct bi_trie_erase *a, int64_t k)
{
    a->remains[k] = !a->erased[k];
    a->indices[k] = (uint32_t)k;
}

BI_FN void bi_step_trie_copy_remaining(const struct bi_trie_erase *a, int64_t k)
{
    bi_trie_copy_entry(&a->old, a->indices[k], &a->remaining, k, a->words, a->value_bits);
}

/* Errors of loaded keys: bits beyond the letters, keys not in order, a multiplicity of 0. */
enum { BI_TRIE_BEYOND = 1, BI_TRIE_UNORDERED = 2, BI_TRIE_ROWLESS = 4 };

struct bi_trie_check {
    struct bi_trie_shape shape;
    const uint64_t *keys;
    const uint32_t *counts;
    int64_t *counts_64bit;
    uint32_t *found; /* of the enum above */
};

BI_FN void bi_step_trie_check_loaded(const struct bi_trie_check *a, int64_t k)
{
    int32_t words = a->shape.letters.words;
    const uint64_t *key = a->keys + k * words, *before = key - words;
    bool greater = k == 0;
    for (int32_t s = 0; s < words; s++)
        if (key[s] & ~bi_trie_reverse(&a->shape, bi_letters_mask(&a->shape.letters, s)))
            bi_atomic_or_u32(a->found, BI_TRIE_BEYOND);
    for (int32_t s = 0; s < words && !greater; s++) {
        if (key[s] < before[s]) break;
        greater = key[s] > before[s];
    }
    if (!greater) bi_atomic_or_u32(a->found, BI_TRIE_UNORDERED);
    if (a->counts[k] == 0) bi_atomic_or_u32(a->found, BI_TRIE_ROWLESS);
    a->counts_64bit[k] = a->counts[k];
}

#endif
