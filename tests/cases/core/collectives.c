/* The primitives in this context give the bits of the CPU with one thread, at sizes around the edges of tiles and
 * through several tiles, rows of tiles and runs. Other suites check that these bits are right. */
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"

enum { ROOM = 300000, SEGMENT_MEAN = 40 };

static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64, BOSC_U32, BOSC_U64};

/* Sizes at which tiles (1024, 2048, 4096, 8192), rows of 32 tiles and words end. */
static const int64_t sizes[] = {0,    1,    2,    31,   33,   1023, 1024,  1025,  2047,  2049,
                                4095, 4096, 4097, 8191, 8192, 8193, 33000, 70001, 130999};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static int size_count(const bosc_ctx *ctx) { return suite_slow(ctx) ? SIZES - 3 : SIZES; }

static bosc_ctx *plain_context(void)
{
    bosc_ctx_opts o = {.size = sizeof o, .backend = BOSC_BACKEND_CPU, .threads = 1, .cpu_level = BOSC_CPU_V1};
    bosc_ctx *cpu = NULL;
    CHECK(bosc_ctx_create(&o, &cpu) == BOSC_OK);
    return cpu;
}

/* Numbers of all signs and scales, with zeros of both signs, repeats and a few infinities. */
static void numbers(struct suite_random *r, bosc_dtype dtype, int64_t n, void *out)
{
    for (int64_t i = 0; i < n; i++) {
        double x = (suite_unit(r) - 0.5) * (double)(1 << suite_below(r, 20));
        uint64_t kind = suite_below(r, 16);
        if (kind == 0) x = suite_below(r, 2) ? 0.0 : -0.0;
        if (kind == 1) x = (double)suite_below(r, 4);
        switch (dtype) {
        case BOSC_F32: ((float *)out)[i] = (float)x; break;
        case BOSC_F64: ((double *)out)[i] = x; break;
        case BOSC_I32:
        case BOSC_U32: ((uint32_t *)out)[i] = kind > 7 ? (uint32_t)suite_next(r) : (uint32_t)(int32_t)x; break;
        default: ((uint64_t *)out)[i] = kind > 7 ? suite_next(r) : (uint64_t)(int64_t)x; break;
        }
    }
}

struct arrays {
    bosc_ctx *cpu;
    void *in, *values, *want, *got, *want_values, *got_values;
    uint8_t *flags;
    uint32_t *buckets;
    struct suite_random random;
};

static struct arrays make_arrays(void)
{
    struct arrays a = {.cpu = plain_context(),
                       .in = suite_alloc(ROOM * 8),
                       .values = suite_alloc(ROOM * 8),
                       .want = suite_alloc(ROOM * 8),
                       .got = suite_alloc(ROOM * 8),
                       .want_values = suite_alloc(ROOM * 8),
                       .got_values = suite_alloc(ROOM * 8),
                       .flags = suite_alloc(ROOM),
                       .buckets = suite_alloc(ROOM * 4),
                       .random = {20}};
    return a;
}

static void free_arrays(struct arrays *a)
{
    bosc_ctx_free(a->cpu);
    free(a->in);
    free(a->values);
    free(a->want);
    free(a->got);
    free(a->want_values);
    free(a->got_values);
    free(a->flags);
    free(a->buckets);
}

static void check_same(const char *what, bosc_dtype dtype, int64_t n, const void *want, const void *got, size_t bytes)
{
    if (memcmp(want, got, bytes) == 0) return;
    size_t at = 0;
    while (((const char *)want)[at] == ((const char *)got)[at]) at++;
    suite_fail(__FILE__, __LINE__, "%s, %s, n = %lld: byte %zu of %zu differs", what, bosc_dtype_name(dtype),
               (long long)n, at, bytes);
}

static void reductions(bosc_ctx *ctx)
{
    struct arrays a = make_arrays();
    for (int s = 0; s < size_count(ctx); s++)
        for (int t = 0; t < 6; t++) {
            if (suite_leaves_out()) continue;
            numbers(&a.random, dtypes[t], sizes[s], a.in);
            for (int op = 0; op < 3; op++) {
                CHECK_OK(a.cpu, bosc_reduce(a.cpu, (bosc_op)op, dtypes[t], a.in, sizes[s], a.want));
                CHECK_OK(ctx, bosc_reduce(ctx, (bosc_op)op, dtypes[t], a.in, sizes[s], a.got));
                check_same("reduce", dtypes[t], sizes[s], a.want, a.got, bosc_dtype_size(dtypes[t]));
            }
        }
    free_arrays(&a);
}

/* Sums of all kinds; minima and maxima, which share their code, of one type a size. */
static void scans(bosc_ctx *ctx)
{
    struct arrays a = make_arrays();
    for (int s = 0; s < size_count(ctx); s++) {
        int64_t n = sizes[s];
        for (int64_t i = 0; i < n; i++) a.flags[i] = suite_below(&a.random, SEGMENT_MEAN) == 0;
        for (int t = 0; t < 6; t++) {
            if (suite_leaves_out()) continue;
            numbers(&a.random, dtypes[t], n, a.in);
            size_t bytes = (size_t)n * bosc_dtype_size(dtypes[t]);
            for (int op = 0; op < (t == s % 6 ? 3 : 1); op++)
                for (int kind = 0; kind < 2; kind++) {
                    CHECK_OK(a.cpu, bosc_scan(a.cpu, (bosc_op)op, (bosc_scan_kind)kind, dtypes[t], a.in, n, a.want));
                    memcpy(a.got, a.in, bytes);
                    CHECK_OK(ctx, bosc_scan(ctx, (bosc_op)op, (bosc_scan_kind)kind, dtypes[t], a.got, n, a.got));
                    check_same("scan", dtypes[t], n, a.want, a.got, bytes);
                    CHECK_OK(a.cpu, bosc_scan_segmented(a.cpu, (bosc_op)op, (bosc_scan_kind)kind, dtypes[t], a.in,
                                                        a.flags, n, a.want));
                    CHECK_OK(ctx, bosc_scan_segmented(ctx, (bosc_op)op, (bosc_scan_kind)kind, dtypes[t], a.in, a.flags,
                                                      n, a.got));
                    check_same("segmented scan", dtypes[t], n, a.want, a.got, bytes);
                }
        }
    }
    free_arrays(&a);
}

/* Thousands of tiles, in one sum and one scan. */
static void many_tiles(bosc_ctx *ctx)
{
    const int64_t n = suite_slow(ctx) ? 70001 : 3000001;
    struct arrays a = make_arrays();
    float *in = suite_alloc((size_t)n * 4), *want = suite_alloc((size_t)n * 4), *got = suite_alloc((size_t)n * 4);
    numbers(&a.random, BOSC_F32, n, in);
    CHECK_OK(a.cpu, bosc_scan(a.cpu, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_F32, in, n, want));
    CHECK_OK(ctx, bosc_scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_F32, in, n, got));
    check_same("scan", BOSC_F32, n, want, got, (size_t)n * 4);
    CHECK_OK(a.cpu, bosc_reduce(a.cpu, BOSC_SUM, BOSC_F32, in, n, want));
    CHECK_OK(ctx, bosc_reduce(ctx, BOSC_SUM, BOSC_F32, in, n, got));
    check_same("reduce", BOSC_F32, n, want, got, 4);
    free(in);
    free(want);
    free(got);
    free_arrays(&a);
}

static void compactions(bosc_ctx *ctx)
{
    static const size_t item_sizes[] = {1, 3, 4, 8, 16, 24};
    static const uint64_t rarity[] = {1, 2, 100, 1u << 30};
    struct arrays a = make_arrays();
    numbers(&a.random, BOSC_U64, ROOM, a.in);
    for (int s = 0; s < size_count(ctx); s++)
        for (int k = 0; k < 4; k++) {
            if (suite_leaves_out()) continue;
            size_t item = item_sizes[(s + k) % 6];
            int64_t n = sizes[s] * (int64_t)item > ROOM * 8 ? ROOM * 8 / (int64_t)item : sizes[s], want, got;
            for (int64_t i = 0; i < n; i++) a.flags[i] = suite_below(&a.random, rarity[k]) == 0 ? 1 + i % 255 : 0;
            CHECK_OK(a.cpu, bosc_compact(a.cpu, item, a.in, a.flags, n, a.want, &want));
            CHECK_OK(ctx, bosc_compact(ctx, item, a.in, a.flags, n, a.got, &got));
            CHECK_EQ(want, got);
            check_same("compact", BOSC_U8, n, a.want, a.got, (size_t)want * item);
            CHECK_OK(ctx, bosc_compact(ctx, item, a.in, a.flags, n, NULL, &got));
            CHECK_EQ(want, got);
        }
    free_arrays(&a);
}

/* Items of two tiles of 8192 on CUDA: all are kept, more words than a thread reads early; then the last one alone. */
static void compactions_of_two_tiles(bosc_ctx *ctx)
{
    enum { N = 16383 };
    static const size_t item_sizes[] = {4, 8, 12, 16};
    struct arrays a = make_arrays();
    numbers(&a.random, BOSC_U64, ROOM, a.in);
    for (int k = 0; k < 8; k++) {
        const size_t item = item_sizes[k / 2];
        const int64_t kept = k % 2 ? 1 : N;
        int64_t got;
        memset(a.flags, 0, N);
        memset(a.flags + N - kept, 1, (size_t)kept);
        CHECK_OK(ctx, bosc_compact(ctx, item, a.in, a.flags, N, a.got, &got));
        CHECK_EQ(got, kept);
        check_same("compact", BOSC_U8, N, (const char *)a.in + (size_t)(N - kept) * item, a.got, (size_t)kept * item);
    }
    free_arrays(&a);
}

static void histograms_and_splits(bosc_ctx *ctx)
{
    static const int64_t buckets[] = {1, 2, 7, 256, 257, 13000, 65536};
    static const size_t item_sizes[] = {1, 4, 8, 12, 16};
    struct arrays a = make_arrays();
    numbers(&a.random, BOSC_U64, ROOM, a.in);
    for (int s = 0; s < size_count(ctx); s++)
        for (int b = 0; b < 7; b++) {
            if (suite_leaves_out()) continue;
            size_t item = item_sizes[(s + b) % 5];
            int64_t n = sizes[s], m = buckets[b];
            for (int64_t i = 0; i < n; i++)
                a.buckets[i] = (uint32_t)suite_below(&a.random, i % 3 ? (uint64_t)m : 1 + (uint64_t)m / 2);
            CHECK_OK(a.cpu, bosc_histogram(a.cpu, a.buckets, n, m, a.want_values));
            CHECK_OK(ctx, bosc_histogram(ctx, a.buckets, n, m, a.got_values));
            check_same("histogram", BOSC_I64, n, a.want_values, a.got_values, (size_t)m * 8);
            CHECK_OK(a.cpu, bosc_split(a.cpu, item, a.in, a.buckets, n, m, a.want, a.want_values));
            CHECK_OK(ctx, bosc_split(ctx, item, a.in, a.buckets, n, m, a.got, a.got_values));
            check_same("split", BOSC_I64, n, a.want_values, a.got_values, (size_t)(m + 1) * 8);
            check_same("split", BOSC_U8, n, a.want, a.got, (size_t)n * item);
            if (n == 0) continue;
            a.buckets[suite_below(&a.random, (uint64_t)n)] = (uint32_t)m;
            CHECK_STATUS(ctx, bosc_histogram(ctx, a.buckets, n, m, a.got_values), BOSC_ERR_DATA);
            CHECK_STATUS(ctx, bosc_split(ctx, item, a.in, a.buckets, n, m, a.got, a.got_values), BOSC_ERR_DATA);
        }
    free_arrays(&a);
}

static void sorts_and_merges(bosc_ctx *ctx)
{
    struct arrays a = make_arrays();
    for (int s = 0; s < size_count(ctx); s++)
        for (int t = 0; t < 6; t++) {
            if (suite_leaves_out()) continue;
            int64_t n = sizes[s], na = n ? (int64_t)suite_below(&a.random, (uint64_t)n + 1) : 0;
            size_t key = bosc_dtype_size(dtypes[t]), value = t % 2 ? 4 : 8;
            numbers(&a.random, dtypes[t], n, a.in);
            numbers(&a.random, BOSC_U64, n, a.values);
            /* 1. Sort pairs, then keys in place. */
            CHECK_OK(a.cpu, bosc_sort_pairs(a.cpu, dtypes[t], a.in, value, a.values, n, a.want, a.want_values));
            CHECK_OK(ctx, bosc_sort_pairs(ctx, dtypes[t], a.in, value, a.values, n, a.got, a.got_values));
            check_same("sorted keys", dtypes[t], n, a.want, a.got, (size_t)n * key);
            check_same("sorted values", dtypes[t], n, a.want_values, a.got_values, (size_t)n * value);
            memcpy(a.got, a.in, (size_t)n * key);
            CHECK_OK(ctx, bosc_sort_keys(ctx, dtypes[t], a.got, n, a.got));
            check_same("keys sorted in place", dtypes[t], n, a.want, a.got, (size_t)n * key);
            /* 2. Sort two parts of the input, of any lengths, and merge them. */
            char *b = (char *)a.in + (size_t)na * key;
            const char *b_values = (const char *)a.values + (size_t)na * value;
            CHECK_OK(a.cpu, bosc_sort_keys(a.cpu, dtypes[t], a.in, na, a.in));
            CHECK_OK(a.cpu, bosc_sort_keys(a.cpu, dtypes[t], b, n - na, b));
            CHECK_OK(a.cpu, bosc_merge_pairs(a.cpu, dtypes[t], value, a.in, a.values, na, b, b_values, n - na, a.want,
                                             a.want_values));
            CHECK_OK(ctx, bosc_merge_pairs(ctx, dtypes[t], value, a.in, a.values, na, b, b_values, n - na, a.got,
                                           a.got_values));
            check_same("merged keys", dtypes[t], n, a.want, a.got, (size_t)n * key);
            check_same("merged values", dtypes[t], n, a.want_values, a.got_values, (size_t)n * value);
            CHECK_OK(ctx, bosc_merge(ctx, dtypes[t], a.in, na, b, n - na, a.got));
            check_same("merged keys alone", dtypes[t], n, a.want, a.got, (size_t)n * key);
        }
    free_arrays(&a);
}

/* Merges that end beside the edge of a tile of 4352 keys on CUDA, the last key being of one side or the other. */
static void merge_edges(bosc_ctx *ctx)
{
    enum { MOST = 8705 };
    static const int64_t totals[] = {4351, 4352, 4353, MOST};
    uint32_t *sides[2] = {suite_alloc(MOST * 4), suite_alloc(MOST * 4)}, *out = suite_alloc(MOST * 4);
    for (int k = 0; k < 8; k++) {
        int64_t n = totals[k / 2], counts[2] = {0, 0};
        for (int64_t i = 0; i < n; i++) {
            int side = i == n - 1 ? k % 2 : i % 3 == 0;
            sides[side][counts[side]++] = (uint32_t)i;
        }
        CHECK_OK(ctx, bosc_merge(ctx, BOSC_U32, sides[0], counts[0], sides[1], counts[1], out));
        for (int64_t i = 0; i < n; i++) CHECK_EQ(out[i], i);
    }
    free(sides[0]);
    free(sides[1]);
    free(out);
}

static void superkeys(bosc_ctx *ctx)
{
    struct arrays a = make_arrays();
    for (int s = 0; s < size_count(ctx); s++)
        for (int t = 0; t < 4; t++) {
            if (suite_leaves_out()) continue;
            int32_t dim = 1 + (int32_t)suite_below(&a.random, 5);
            int64_t n = sizes[s] * dim > ROOM ? ROOM / dim : sizes[s];
            int32_t first = (int32_t)suite_below(&a.random, (uint64_t)dim);
            numbers(&a.random, dtypes[t], n * dim, a.in);
            if (s % 2) /* many ties */
                memset(a.in, 0, (size_t)(n * dim) * bosc_dtype_size(dtypes[t]) * 3 / 4);
            CHECK_OK(a.cpu, bosc_sort_superkey(a.cpu, dtypes[t], a.in, n, dim, first, a.want));
            CHECK_OK(ctx, bosc_sort_superkey(ctx, dtypes[t], a.in, n, dim, first, a.got));
            check_same("superkey", dtypes[t], n, a.want, a.got, (size_t)n * 4);
        }
    free_arrays(&a);
}

static const struct suite_case suite_cases_collectives[] = {
    {"reductions", reductions, NULL},
    {"scans", scans, NULL},
    {"many tiles", many_tiles, NULL},
    {"compactions", compactions, NULL},
    {"compactions of two tiles", compactions_of_two_tiles, NULL},
    {"histograms and splits", histograms_and_splits, NULL},
    {"sorts and merges", sorts_and_merges, NULL},
    {"edges of merges", merge_edges, NULL},
    {"superkeys", superkeys, NULL},
};
SUITE(collectives);
