/* Shared by the cases of hash tables: keys of all sizes and patterns, tables made of them, and their oracle. */
#ifndef TESTS_CASES_HASH_HASH_DATA_H
#define TESTS_CASES_HASH_HASH_DATA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/call.h"
#include "hash/save.h"
#include "hash/hash.h"
#include "reference/hash.h"
#include "support/saved.h"
#include "support/suite.h"

enum hash_pattern {
    HASH_RANDOM,
    HASH_SEQUENCE,
    HASH_FEW,
    HASH_EQUAL,
    HASH_STRIDED,       /* multiples of a power of two */
    HASH_EDGES,         /* among random ones 0 and the largest */
    HASH_ONE_PARTITION, /* hashes that agree in their top bits */
    HASH_ONE_FOLD,      /* whose buckets are the same whatever the seed, where keys are longer than 32 bits */
    HASH_PATTERNS
};

struct hash_pairs {
    int64_t n;
    int32_t key_bits, value_size;
    void *keys, *values;
};

static inline bosc_hash_word hash_key(enum hash_pattern pattern, int32_t key_bits, uint64_t seed, int64_t n, int64_t i,
                                      struct suite_random *r)
{
    bosc_hash_word key = {suite_next(r), suite_next(r)}, hash;
    switch (pattern) {
    case HASH_SEQUENCE: key = (bosc_hash_word){(uint64_t)i, 0}; break;
    case HASH_FEW: key = (bosc_hash_word){suite_below(r, (uint64_t)n / 8 + 1), 7}; break;
    case HASH_EQUAL: key = (bosc_hash_word){12345, 6}; break;
    case HASH_STRIDED: key = (bosc_hash_word){(uint64_t)i << (key_bits == 32 ? 12 : 40), (uint64_t)i << 32}; break;
    case HASH_EDGES:
        if (i % 5 == 0) key = (bosc_hash_word){0, 0};
        if (i % 5 == 1) key = (bosc_hash_word){UINT64_MAX, UINT64_MAX};
        break;
    case HASH_ONE_PARTITION:
        hash = (bosc_hash_word){(uint64_t)i, key_bits == 128 ? (uint64_t)i * 3 : 0};
        return bi_hash_key_of(hash, key_bits, seed);
    case HASH_ONE_FOLD:
        hash = (bosc_hash_word){(uint64_t)i << 32 | (uint64_t)i, 0}; /* 64 bits: the halves cancel */
        if (key_bits == 32) hash.low &= UINT32_MAX;
        return bi_hash_key_of(hash, key_bits, seed);
    default: break;
    }
    if (key_bits < 128) key.high = 0;
    if (key_bits < 64) key.low &= UINT32_MAX;
    return key;
}

static inline struct hash_pairs hash_make(enum hash_pattern pattern, const bosc_hash_opts *o, uint64_t random,
                                          int64_t n)
{
    struct hash_pairs p = {.n = n, .key_bits = o->key_bits ? o->key_bits : 32, .value_size = o->value_size};
    struct suite_random r = {random * 977 + 5};
    p.keys = suite_alloc((size_t)n * (size_t)p.key_bits / 8 + 16);
    p.values = suite_alloc((size_t)n * (size_t)p.value_size + 16);
    for (int64_t i = 0; i < n; i++)
        bi_hash_store(p.keys, p.key_bits, i, hash_key(pattern, p.key_bits, o->seed, n, i, &r));
    for (int64_t i = 0; i < n * p.value_size; i++) ((unsigned char *)p.values)[i] = (unsigned char)suite_next(&r);
    if (o->duplicates == BOSC_HASH_SUM || o->duplicates == BOSC_HASH_MIN)
        for (int64_t i = 0; i < n; i++) {
            double x = (double)suite_below(&r, 1000) / 7;
            if (o->value_dtype == BOSC_F32) ((float *)p.values)[i] = (float)x;
            if (o->value_dtype == BOSC_F64) ((double *)p.values)[i] = x;
        }
    return p;
}

static inline void hash_free_pairs(struct hash_pairs *p)
{
    free(p->keys);
    free(p->values);
}

/* Queries: the keys of p in turn, and others, most of them absent. */
static inline void *hash_queries(const struct hash_pairs *p, uint64_t random, int64_t m)
{
    struct suite_random r = {random};
    void *queries = suite_alloc((size_t)m * (size_t)p->key_bits / 8 + 16);
    for (int64_t i = 0; i < m; i++) {
        bosc_hash_word key = {suite_next(&r), suite_next(&r)};
        if (p->key_bits < 128) key.high = 0;
        if (p->key_bits < 64) key.low &= UINT32_MAX;
        if (p->n > 0 && i % 3) key = bosc_hash_word_at(p->keys, (int64_t)suite_below(&r, (uint64_t)p->n), p->key_bits);
        bi_hash_store(queries, p->key_bits, i, key);
    }
    return queries;
}

static inline bool hash_has_zeros(const void *bytes, int64_t size)
{
    for (int64_t i = 0; i < size; i++)
        if (((const unsigned char *)bytes)[i]) return false;
    return true;
}

/* find, count and retrieve agree with the oracle on these queries. */
static inline void hash_check_queries(bosc_ctx *ctx, const bosc_hash *table, const struct reference_hash *oracle,
                                      const void *queries, int64_t m)
{
    const bosc_hash_opts *o = &table->opts;
    const size_t size = (size_t)o->value_size;
    unsigned char *values = suite_alloc((size_t)m * size + 1), *found = suite_alloc((size_t)m + 1), *all;
    int64_t *counts = suite_alloc(((size_t)m + 1) * 8), *offsets = suite_alloc(((size_t)m + 1) * 8), at = 0;
    CHECK_OK(ctx, bosc_hash_find(ctx, table, queries, m, values, found));
    CHECK_OK(ctx, bosc_hash_count(ctx, table, queries, m, counts));
    CHECK_OK(ctx, bosc_hash_retrieve(ctx, table, queries, m, offsets, NULL, 0));
    all = suite_alloc((size_t)offsets[m] * size + 1);
    CHECK_OK(ctx, bosc_hash_retrieve(ctx, table, queries, m, offsets, all, offsets[m]));
    for (int64_t q = 0; q < m; q++) {
        int64_t count;
        const struct reference_pair *p =
            reference_hash_find(oracle, bosc_hash_word_at(queries, q, o->key_bits), &count);
        bool counts_pairs = o->counted || o->kind == BOSC_HASH_MULTIMAP;
        if (!counts_pairs) count = count > 0;
        int64_t kept = o->kind == BOSC_HASH_MULTIMAP ? count : p != NULL; /* values */
        CHECK_EQ(found[q], p != NULL);
        CHECK_EQ(counts[q], count);
        CHECK_EQ(offsets[q], at);
        if (p)
            CHECK(memcmp(values + (size_t)q * size, p->value, size) == 0);
        else
            CHECK(hash_has_zeros(values + (size_t)q * size, (int64_t)size));
        for (int64_t k = 0; k < kept; k++)
            CHECK(memcmp(all + (size_t)(at + k) * size, p[o->kind == BOSC_HASH_MULTIMAP ? k : 0].value, size) == 0);
        at += kept;
    }
    CHECK_EQ(offsets[m], at);
    free(values);
    free(found);
    free(counts);
    free(offsets);
    free(all);
}

/* The pairs of the table are those of the oracle, and so are its figures. */
static inline void hash_check_pairs(bosc_ctx *ctx, const bosc_hash *table, const struct reference_hash *oracle)
{
    const bosc_hash_opts *o = &table->opts;
    const size_t size = (size_t)o->value_size;
    bool multimap = o->kind == BOSC_HASH_MULTIMAP;
    bosc_hash_info info = {.size = sizeof info};
    int64_t pairs = 0, at = 0;
    CHECK_OK(ctx, bosc_hash_get_info(ctx, table, &info));
    for (int64_t i = 0; i < oracle->n; i++) pairs += o->counted || multimap ? oracle->pairs[i].count : 1;
    /* 1. The figures. */
    CHECK_EQ(info.keys, reference_hash_keys(oracle));
    CHECK_EQ(info.pairs, pairs);
    CHECK(info.keys == 0 || (info.load_factor > 0 && info.load_factor <= 1 && info.mean_probes >= 1));
    /* 2. The pairs: each key once, with its count and the values in the order of insertion. */
    int64_t n_values = multimap ? pairs : info.keys;
    void *keys = suite_alloc((size_t)info.keys * (size_t)o->key_bits / 8 + 1);
    unsigned char *values = suite_alloc((size_t)n_values * size + 1);
    int64_t *counts = suite_alloc((size_t)info.keys * 8 + 1);
    CHECK_OK(ctx, bosc_hash_get_pairs(ctx, table, keys, values, counts));
    for (int64_t i = 0; i < info.keys; i++) {
        int64_t count;
        const struct reference_pair *p = reference_hash_find(oracle, bosc_hash_word_at(keys, i, o->key_bits), &count);
        CHECK(p != NULL);
        CHECK_EQ(counts[i], o->counted || multimap ? count : 1);
        for (int64_t k = 0; k < (multimap ? count : 1); k++)
            CHECK(memcmp(values + (size_t)(at++) * size, p[k].value, size) == 0);
    }
    CHECK_EQ(at, n_values);
    free(keys);
    free(values);
    free(counts);
}

/* Options of many kinds. */
static inline bosc_hash_opts hash_options(int k)
{
    static const int32_t bits[] = {32, 64, 128}, sizes[] = {4, 0, 8, 1, 3, 12, 16, 64, 2};
    static const double loads[] = {0, 0.97, 0.5, 0.7, 0.95};
    bosc_hash_opts o = {.key_bits = bits[k % 3],
                        .value_size = sizes[k % 9],
                        .load_factor = loads[k % 5],
                        .seed = (uint64_t)k * 0x123456789abcdefull,
                        .counted = k % 7 == 3,
                        .duplicates = (bosc_hash_duplicates)(k % 4 == 1 ? BOSC_HASH_FIRST : BOSC_HASH_LAST)};
    o.no_wait = k / 3 % 2;
    o.layout = k / 3 % 3 == 1 ? BOSC_HASH_AUTO : BOSC_HASH_BUCKETED;
    if (k % 11 == 5) o.duplicates = BOSC_HASH_ERROR;
    if (k % 4 == 2)
        o = (bosc_hash_opts){
            .layout = o.layout, .kind = BOSC_HASH_MULTIMAP, .key_bits = o.key_bits, .value_size = o.value_size};
    if (k % 13 == 7) {
        o.layout = (bosc_hash_layout)(BOSC_HASH_PERFECT + k / 13 % 3);
        o.load_factor = 0;
    }
    return o;
}

/* The operations of a context, without number_keys, reduce_repeats and group_pairs. */
struct hash_sorting_ops {
    struct bi_ops ops;
    struct bi_hash_ops hash;
};

/* Makes builds of the context sort where keys repeat; returns its own operations. */
static inline const struct bi_ops *hash_use_sorts(bosc_ctx *ctx, struct hash_sorting_ops *sorting)
{
    const struct bi_ops *own = ctx->ops;
    *sorting = (struct hash_sorting_ops){.ops = *own, .hash = *own->hash};
    sorting->hash.number_keys = NULL;
    sorting->hash.reduce_repeats = NULL;
    sorting->hash.group_pairs = NULL;
    sorting->ops.hash = &sorting->hash;
    ctx->ops = &sorting->ops;
    return own;
}

SAVED_KIND(hash, "saved table: ", bi_hash_header)

#endif
