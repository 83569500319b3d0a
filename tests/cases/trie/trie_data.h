/* Shared by the cases of tries: rows of many shapes, tries made of them, their oracle, and queries near their keys. */
#ifndef TESTS_CASES_TRIE_TRIE_DATA_H
#define TESTS_CASES_TRIE_TRIE_DATA_H

#include "cases/plan/cells_data.h"
#include "reference/trie.h"
#include "support/saved.h"
#include "trie/save.h"
#include "trie/steps/keys.h"

/* Options number k: all letters, layouts, values and digits come up. */
static inline bosc_trie_opts trie_options(int k, int32_t length, int32_t letter_bits)
{
    return (bosc_trie_opts){.size = sizeof(bosc_trie_opts),
                            .length = length,
                            .letter_bits = letter_bits,
                            .layout = k % 3 == 2 ? BOSC_TRIE_PUBLISHED : BOSC_TRIE_COMPACT,
                            .duplicates = k % 2 ? BOSC_TRIE_LAST : BOSC_TRIE_FIRST,
                            .value_bits = k % 4 < 2 ? 64 : 32,
                            .by_values = k % 9 == 2,
                            .digit_bits = k % 5 == 4 || k % 6 == 2 ? letter_bits * (1 + k / 2 % (8 / letter_bits)) : 0};
}

static inline bosc_trie *trie_create(bosc_ctx *ctx, const bosc_trie_opts *o)
{
    bosc_trie *trie = NULL;
    CHECK_OK(ctx, bosc_trie_create(ctx, o, &trie));
    return trie;
}

/* A trie of the rows, whose values are their numbers. */
static inline bosc_trie *trie_of(bosc_ctx *ctx, const bosc_trie_opts *o, const struct reference_cells *c)
{
    bosc_trie *trie = trie_create(ctx, o);
    CHECK_OK(ctx, bosc_trie_build(ctx, trie, c->rows, NULL, c->n, c->stride));
    return trie;
}

static inline struct reference_trie trie_oracle(const bosc_trie_opts *o)
{
    return (struct reference_trie){
        .length = o->length, .letter_bits = o->letter_bits, .last = o->duplicates == BOSC_TRIE_LAST};
}

/* values: NULL, or of the rows; else their numbers from `first` on. */
static inline void trie_oracle_insert(struct reference_trie *t, const struct reference_cells *c, const uint64_t *values,
                                      uint64_t first)
{
    uint8_t *letters = suite_alloc((size_t)t->length);
    for (int64_t i = 0; i < c->n; i++) {
        reference_trie_unpack(t, c->rows + i * c->stride, letters);
        reference_trie_insert(t, letters, values ? values[i] : first + (uint64_t)i);
    }
    free(letters);
}

static inline uint64_t trie_value(const void *values, int32_t bits, int64_t at)
{
    return bits == 64 ? ((const uint64_t *)values)[at] : ((const uint32_t *)values)[at];
}

/* Queries: keys as they are, with a letter or two replaced, the extremes, and others. */
static inline struct reference_cells trie_queries(struct suite_random *r, const struct reference_cells *c, int64_t m)
{
    struct reference_cells q = cells_make(r, CELLS_RANDOM, c->length, c->letter_bits, m, c->stride - 1 > 0 ? 1 : 0);
    for (int64_t i = 0; i < m; i++) {
        int changes = (int)suite_below(r, 5);
        if (changes == 4 || c->n == 0) continue;
        int64_t from = (int64_t)suite_below(r, (uint64_t)c->n);
        for (int32_t k = 0; k < c->length; k++)
            reference_set_letter(&q, i, k, changes == 3 ? (i % 2 ? 255 : 0) : reference_letter(c, from, k));
        for (int k = 0; k < changes; k++) cells_change(&q, r, i);
    }
    return q;
}

SAVED_KIND(trie, "saved trie: ", bi_trie_header)

/* The trie holds what its oracle does. */
static inline void trie_check_keys(bosc_ctx *ctx, const bosc_trie *trie, const bosc_trie_opts *o,
                                   const struct reference_trie *t, bool on_device)
{
    bosc_trie_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_trie_get_info(ctx, trie, &info));
    CHECK_EQ(info.keys, t->count);
    CHECK_EQ(info.words, bosc_trie_words(t->length, t->letter_bits));
    CHECK(info.length == t->length && info.letter_bits == t->letter_bits && info.value_bits == o->value_bits);
    CHECK(info.layout == o->layout);
    size_t n = (size_t)t->count, words = (size_t)info.words;
    struct array keys = array_make(ctx, NULL, n * words * 8, on_device);
    struct array values = array_make(ctx, NULL, n * (size_t)o->value_bits / 8, on_device);
    struct array counts = array_make(ctx, NULL, n * 8, on_device);
    CHECK_OK(ctx, bosc_trie_get_keys(ctx, trie, 0, t->count, keys.p, values.p, counts.p));
    const uint64_t *rows = array_get(ctx, &keys);
    const int64_t *multiplicities = array_get(ctx, &counts);
    array_get(ctx, &values);
    uint64_t *row = suite_alloc(words * 8);
    /* Each key with its words, its number of rows and its value. */
    for (size_t k = 0; k < n; k++) {
        reference_trie_pack(t, reference_trie_key(t, (int64_t)k), row);
        CHECK(memcmp(row, rows + k * words, words * 8) == 0);
        CHECK_EQ(multiplicities[k], t->counts[k]);
        CHECK_EQ(trie_value(values.host, o->value_bits, (int64_t)k),
                 o->value_bits == 64 ? t->values[k] : (uint32_t)t->values[k]);
    }
    free(row);
    array_free(ctx, &keys);
    array_free(ctx, &values);
    array_free(ctx, &counts);
}

#endif
