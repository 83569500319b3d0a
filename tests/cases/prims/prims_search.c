/* Searches in sorted keys: the rank of a query is the number of smaller keys. */
#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "reference/prims.h"

/* Expected ranks: in a stable order of the queries and then the keys, a query precedes its equal keys. */
static int64_t *ranks_of(bosc_dtype dtype, const char *keys, int64_t n, const char *queries, int64_t m)
{
    const size_t size = bosc_dtype_size(dtype);
    char *all = suite_alloc((size_t)(n + m) * size);
    int64_t *order = suite_alloc((size_t)(n + m) * sizeof *order), *ranks = suite_alloc((size_t)m * sizeof *ranks);
    int64_t less = 0;
    memcpy(all, queries, (size_t)m * size);
    memcpy(all + (size_t)m * size, keys, (size_t)n * size);
    reference_order(dtype, all, n + m, order);
    for (int64_t i = 0; i < n + m; i++)
        if (order[i] < m)
            ranks[order[i]] = less;
        else
            less++;
    free(all);
    free(order);
    return ranks;
}

static void check_search(bosc_ctx *ctx, bosc_dtype dtype, enum pattern pattern, int64_t n, int64_t m, bool on_device)
{
    if (suite_leaves_out()) return;
    const size_t size = bosc_dtype_size(dtype);
    char *k = suite_alloc((size_t)n * size), *q = suite_alloc((size_t)m * size);
    fill_numbers(dtype, pattern, (uint64_t)(n + 1), n, k);
    fill_numbers(dtype, pattern, (uint64_t)(m + 7), m, q);
    CHECK_OK(ctx, bosc_sort_keys(ctx, dtype, k, n, k));
    for (int64_t i = 0; i < m && n > 0; i += 3) /* some are there */
        memcpy(q + (size_t)i * size, k + (size_t)(i * 7 % n) * size, size);
    int64_t *want = ranks_of(dtype, k, n, q, m);
    struct array keys = array_make(ctx, k, (size_t)n * size, on_device);
    struct array queries = array_make(ctx, q, (size_t)m * size, on_device);
    struct array ranks = array_make(ctx, NULL, (size_t)m * sizeof *want, on_device);
    CHECK_OK(ctx, bosc_search_sorted(ctx, dtype, keys.p, n, queries.p, m, ranks.p));
    CHECK_OK(ctx, bosc_ctx_sync(ctx));
    if (memcmp(array_get(ctx, &ranks), want, (size_t)m * sizeof *want) != 0)
        suite_fail(__FILE__, __LINE__, "search of %lld in %lld %s, pattern %d", (long long)m, (long long)n,
                   bosc_dtype_name(dtype), pattern);
    CHECK(memcmp(array_get(ctx, &keys), k, (size_t)n * size) == 0);
    array_free(ctx, &keys);
    array_free(ctx, &queries);
    array_free(ctx, &ranks);
    free(k);
    free(q);
    free(want);
}

static void sizes_at_tile_edges(bosc_ctx *ctx)
{
    int64_t sizes[256];
    const int count = edge_sizes(suite_slow(ctx) ? 130 : 1100, sizes);
    for (int device = 0; device <= has_device_memory(ctx); device++)
        for (int t = 0; t < 6; t++)
            for (int s = 0; s < count; s += suite_slow(ctx) ? 7 : 2)
                check_search(ctx, number_types[t], (enum pattern)((s + t) % PATTERNS), sizes[s],
                             sizes[(s * 5 + t) % count], device);
}

static void patterns(bosc_ctx *ctx)
{
    for (int t = 0; t < 6; t++)
        for (int p = 0; p < PATTERNS; p++) check_search(ctx, number_types[t], (enum pattern)p, 777, 1300, false);
}

static void several_threads(bosc_ctx *ctx)
{
    const int64_t n = suite_slow(ctx) ? 3000 : 70001;
    check_search(ctx, BOSC_U32, RANDOM, n, 2 * n, has_device_memory(ctx));
    check_search(ctx, BOSC_F64, SPECIAL, 3, n, has_device_memory(ctx));
    check_search(ctx, BOSC_I64, FEW_VALUES, n, 5, has_device_memory(ctx));
}

/* Keys out of order give wrong ranks, but valid ones. */
static void unsorted_keys_give_valid_ranks(bosc_ctx *ctx)
{
    uint32_t keys[500], queries[300];
    int64_t ranks[300];
    fill_numbers(BOSC_U32, RANDOM, 3, 500, keys);
    fill_numbers(BOSC_U32, RANDOM, 4, 300, queries);
    CHECK_OK(ctx, bosc_search_sorted(ctx, BOSC_U32, keys, 500, queries, 300, ranks));
    for (int i = 0; i < 300; i++) CHECK(ranks[i] >= 0 && ranks[i] <= 500);
}

static void arguments(bosc_ctx *ctx)
{
    static const int bad_types[] = {0, 7, 99, -1};
    static const int64_t bad_counts[] = {-1, INT64_MIN, INT64_MAX};
    uint64_t keys[8] = {1, 2, 3, 4, 5, 6, 7, 8}, queries[4] = {0, 3, 9, 8};
    int64_t ranks[4] = {-5, -5, -5, -5};
#define SEARCH(dtype, k, n, q, m, r) bosc_search_sorted(ctx, (bosc_dtype)(dtype), k, n, q, m, r)
    CHECK_EQ(bosc_search_sorted(NULL, BOSC_U64, keys, 8, queries, 4, ranks), BOSC_ERR_ARG);
    for (int i = 0; i < 4; i++) CHECK_ARG(ctx, SEARCH(bad_types[i], keys, 8, queries, 4, ranks), "dtype");
    for (int i = 0; i < 3; i++) {
        CHECK_ARG(ctx, SEARCH(BOSC_U64, keys, bad_counts[i], queries, 4, ranks), "n");
        CHECK_ARG(ctx, SEARCH(BOSC_U64, keys, 8, queries, bad_counts[i], ranks), "query_count");
    }
    CHECK_ARG(ctx, SEARCH(BOSC_U64, NULL, 8, queries, 4, ranks), "keys");
    CHECK_ARG(ctx, SEARCH(BOSC_U64, (char *)keys + 4, 7, queries, 4, ranks), "keys");
    CHECK_ARG(ctx, SEARCH(BOSC_U64, keys, 8, NULL, 4, ranks), "queries");
    CHECK_ARG(ctx, SEARCH(BOSC_U64, keys, 8, queries, 4, NULL), "ranks");
    CHECK_ARG(ctx, SEARCH(BOSC_U64, keys, 8, queries, 3, (int64_t *)queries + 1), "ranks");
    CHECK_ARG(ctx, SEARCH(BOSC_U64, keys, 8, queries, 3, (int64_t *)keys + 5), "ranks");
    CHECK_OK(ctx, SEARCH(BOSC_U64, NULL, 0, NULL, 0, NULL));
    for (int i = 0; i < 4; i++) CHECK_EQ(ranks[i], -5);
    CHECK_OK(ctx, SEARCH(BOSC_U64, NULL, 0, queries, 4, ranks));
    for (int i = 0; i < 4; i++) CHECK_EQ(ranks[i], 0);
    CHECK_OK(ctx, SEARCH(BOSC_U64, keys, 8, queries, 4, ranks));
    CHECK(ranks[0] == 0 && ranks[1] == 2 && ranks[2] == 8 && ranks[3] == 7);
#undef SEARCH
}

static const struct suite_case suite_cases_prims_search[] = {
    {"sizes", sizes_at_tile_edges, NULL}, {"patterns", patterns, NULL},
    {"large", several_threads, NULL},     {"disorder", unsorted_keys_give_valid_ranks, NULL},
    {"arguments", arguments, NULL},
};
SUITE(prims_search);
