#include "reference/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_keys(bosc_hash_word a, bosc_hash_word b)
{
    if (a.high != b.high) return a.high < b.high ? -1 : 1;
    return a.low < b.low ? -1 : a.low > b.low;
}

static int compare_pairs(const void *a, const void *b)
{
    const struct reference_pair *x = a, *y = b;
    int keys = compare_keys(x->key, y->key);
    return keys ? keys : x->row < y->row ? -1 : x->row > y->row;
}

#define COMBINE(type, sum)                       \
    do {                                         \
        type a, b;                               \
        memcpy(&a, to->value, sizeof a);         \
        memcpy(&b, from->value, sizeof b);       \
        if (t->opts.duplicates == BOSC_HASH_SUM) \
            a = (type)(sum);                     \
        else if (b < a)                          \
            a = b;                               \
        memcpy(to->value, &a, sizeof a);         \
    } while (0)

/* Combines a pair with an earlier one of the same key. */
static void combine_pairs(const struct reference_hash *t, struct reference_pair *to, const struct reference_pair *from)
{
    to->count += from->count;
    if (t->opts.duplicates == BOSC_HASH_LAST) memcpy(to->value, from->value, sizeof to->value);
    if (t->opts.duplicates != BOSC_HASH_SUM && t->opts.duplicates != BOSC_HASH_MIN) return;
    switch (t->opts.value_dtype) {
    case BOSC_F32: COMBINE(float, a + b); break;
    case BOSC_F64: COMBINE(double, a + b); break;
    case BOSC_I32: COMBINE(int32_t, (uint32_t)a + (uint32_t)b); break;
    case BOSC_I64: COMBINE(int64_t, (uint64_t)a + (uint64_t)b); break;
    case BOSC_U32: COMBINE(uint32_t, a + b); break;
    default: COMBINE(uint64_t, a + b); break;
    }
}

bool reference_hash_insert(struct reference_hash *t, const void *keys, const void *values, int64_t n, int64_t *bad)
{
    int32_t bits = t->opts.key_bits ? t->opts.key_bits : 32;
    int64_t old_count = t->n, first_bad = INT64_MAX, kept = 0;
    if (t->n + n > t->room) {
        t->room = 2 * (t->n + n);
        t->pairs = realloc(t->pairs, (size_t)t->room * sizeof *t->pairs);
        if (!t->pairs) abort();
    }
    /* 1. Append the pairs, and sort by (key, row). */
    for (int64_t i = 0; i < n; i++) {
        struct reference_pair *p = &t->pairs[t->n++];
        *p = (struct reference_pair){.key = bosc_hash_word_at(keys, i, bits), .row = t->rows + i, .count = 1};
        if (t->opts.value_size)
            memcpy(p->value, (const char *)values + i * t->opts.value_size, (size_t)t->opts.value_size);
    }
    if (t->n) qsort(t->pairs, (size_t)t->n, sizeof *t->pairs, compare_pairs);
    if (t->opts.kind == BOSC_HASH_MULTIMAP) {
        t->rows += n;
        return true;
    }
    /* 2. With ERROR, a repeated key removes the new pairs again. */
    for (int64_t i = 1; i < t->n; i++)
        if (compare_keys(t->pairs[i].key, t->pairs[i - 1].key) == 0 && t->pairs[i].row < first_bad)
            first_bad = t->pairs[i].row;
    if (t->opts.duplicates == BOSC_HASH_ERROR && first_bad < INT64_MAX) {
        for (int64_t i = 0; i < t->n; i++)
            if (t->pairs[i].row < t->rows) t->pairs[kept++] = t->pairs[i];
        t->n = old_count;
        *bad = first_bad - t->rows;
        return false;
    }
    /* 3. Combine the pairs of each key. */
    for (int64_t i = 0; i < t->n; i++)
        if (kept && compare_keys(t->pairs[i].key, t->pairs[kept - 1].key) == 0)
            combine_pairs(t, &t->pairs[kept - 1], &t->pairs[i]);
        else
            t->pairs[kept++] = t->pairs[i];
    t->n = kept;
    t->rows += n;
    return true;
}

const struct reference_pair *reference_hash_find(const struct reference_hash *t, bosc_hash_word key, int64_t *count)
{
    int64_t low = 0, high = t->n;
    while (low < high) {
        int64_t mid = (low + high) / 2;
        if (compare_keys(t->pairs[mid].key, key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    *count = 0;
    for (int64_t i = low; i < t->n && compare_keys(t->pairs[i].key, key) == 0; i++) *count += t->pairs[i].count;
    return *count ? &t->pairs[low] : NULL;
}

int64_t reference_hash_erase(struct reference_hash *t, const void *keys, int64_t n)
{
    int32_t bits = t->opts.key_bits ? t->opts.key_bits : 32;
    int64_t erased = 0, kept = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t count;
        bosc_hash_word key = bosc_hash_word_at(keys, i, bits);
        const struct reference_pair *p = reference_hash_find(t, key, &count);
        if (!p || p->row < 0) continue;
        erased++;
        for (int64_t k = p - t->pairs; k < t->n && compare_keys(t->pairs[k].key, key) == 0; k++) t->pairs[k].row = -1;
    }
    for (int64_t k = 0; k < t->n; k++)
        if (t->pairs[k].row >= 0) t->pairs[kept++] = t->pairs[k];
    t->n = kept;
    return erased;
}

int64_t reference_hash_keys(const struct reference_hash *t)
{
    int64_t keys = 0;
    for (int64_t i = 0; i < t->n; i++) keys += i == 0 || compare_keys(t->pairs[i].key, t->pairs[i - 1].key) != 0;
    return keys;
}

void reference_hash_clear(struct reference_hash *t)
{
    free(t->pairs);
    t->pairs = NULL;
    t->n = t->room = t->rows = 0;
}
