/* Compaction, histograms and splits. */
#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "reference/prims.h"

static const size_t item_sizes[] = {1, 2, 3, 4, 8, 12, 16, 20, 32, 255, 256};
enum { ITEM_SIZES = sizeof item_sizes / sizeof item_sizes[0] };

static unsigned char *random_bytes(size_t bytes, uint64_t seed)
{
    struct suite_random r = {seed};
    unsigned char *p = suite_alloc(bytes);
    for (size_t i = 0; i < bytes; i++) p[i] = (unsigned char)suite_next(&r);
    return p;
}

/* One item of `one_of` is kept; 0: none; 1: all. */
static void check_compact(bosc_ctx *ctx, size_t size, int64_t n, uint64_t one_of, bool on_device)
{
    if (suite_leaves_out()) return;
    struct suite_random r = {(uint64_t)n + one_of};
    size_t bytes = (size_t)n * size;
    unsigned char *items = random_bytes(bytes, 3), *want = suite_alloc(bytes);
    uint8_t *flags = suite_alloc((size_t)n);
    for (int64_t i = 0; i < n; i++) flags[i] = one_of && !suite_below(&r, one_of) ? (uint8_t)(1u << (i % 8)) : 0;
    int64_t kept = reference_compact(size, items, flags, n, want), count[1] = {-1};
    struct array in = array_make(ctx, items, bytes, on_device), keep = array_make(ctx, flags, (size_t)n, on_device);
    struct array out = array_make(ctx, NULL, bytes, on_device);
    struct array counted = array_make(ctx, count, sizeof count, on_device);
    CHECK_OK(ctx, bosc_compact(ctx, size, in.p, keep.p, n, out.p, counted.p));
    CHECK_OK(ctx, bosc_ctx_sync(ctx));
    CHECK_EQ(*(int64_t *)array_get(ctx, &counted), kept);
    CHECK(memcmp(array_get(ctx, &out), want, (size_t)kept * size) == 0);
    CHECK_OK(ctx, bosc_compact(ctx, size, NULL, keep.p, n, NULL, count));
    CHECK_EQ(count[0], kept);
    array_free(ctx, &in);
    array_free(ctx, &keep);
    array_free(ctx, &out);
    array_free(ctx, &counted);
    free(items);
    free(want);
    free(flags);
}

static void compact_at_tile_edges(bosc_ctx *ctx)
{
    int64_t sizes[256];
    int count = edge_sizes(suite_slow(ctx) ? 300 : 2100, sizes);
    for (int device = 0; device <= has_device_memory(ctx); device++)
        for (int s = 0; s < count; s += suite_slow(ctx) ? 3 : 1)
            for (uint64_t one_of = 0; one_of < 4; one_of++)
                check_compact(ctx, item_sizes[(s + one_of) % ITEM_SIZES], sizes[s], one_of, device);
}

static void compact_many(bosc_ctx *ctx)
{
    for (int device = 0; device <= has_device_memory(ctx); device++)
        for (int i = 0; i < ITEM_SIZES; i++)
            check_compact(ctx, item_sizes[i], suite_slow(ctx) ? 5000 : 70000, (uint64_t)(i % 4), device);
}

/* Buckets for cases: random, all the last one, or in order. */
static void fill_buckets(uint32_t *b, int64_t n, int64_t n_buckets, int how)
{
    struct suite_random r = {(uint64_t)(n + n_buckets)};
    for (int64_t i = 0; i < n; i++)
        b[i] = (uint32_t)(how == 0   ? suite_below(&r, (uint64_t)n_buckets)
                          : how == 1 ? (uint64_t)(n_buckets - 1)
                                     : (uint64_t)(i % n_buckets));
}

static void check_split(bosc_ctx *ctx, size_t size, int64_t n, int64_t n_buckets, int how, bool on_device)
{
    if (suite_leaves_out()) return;
    size_t bytes = (size_t)n * size, offset_bytes = (size_t)(n_buckets + 1) * sizeof(int64_t);
    unsigned char *items = random_bytes(bytes, 5), *want = suite_alloc(bytes);
    int64_t *want_offsets = suite_alloc(offset_bytes);
    uint32_t *b = suite_alloc((size_t)n * sizeof *b);
    fill_buckets(b, n, n_buckets, how);
    /* The reference, then both calls; the histogram must agree with the offsets. */
    reference_split(size, items, b, n, n_buckets, want, want_offsets);
    struct array in = array_make(ctx, items, bytes, on_device), out = array_make(ctx, NULL, bytes, on_device);
    struct array bucket = array_make(ctx, b, (size_t)n * sizeof *b, on_device);
    struct array offsets = array_make(ctx, NULL, offset_bytes, on_device);
    struct array counts = array_make(ctx, NULL, offset_bytes - sizeof(int64_t), on_device);
    CHECK_OK(ctx, bosc_split(ctx, size, in.p, bucket.p, n, n_buckets, out.p, offsets.p));
    CHECK_OK(ctx, bosc_histogram(ctx, bucket.p, n, n_buckets, counts.p));
    CHECK_OK(ctx, bosc_ctx_sync(ctx));
    CHECK(memcmp(array_get(ctx, &offsets), want_offsets, offset_bytes) == 0);
    CHECK(memcmp(array_get(ctx, &out), want, bytes) == 0);
    const int64_t *counted = array_get(ctx, &counts);
    for (int64_t i = 0; i < n_buckets; i++) CHECK_EQ(counted[i], want_offsets[i + 1] - want_offsets[i]);
    array_free(ctx, &in);
    array_free(ctx, &out);
    array_free(ctx, &bucket);
    array_free(ctx, &offsets);
    array_free(ctx, &counts);
    free(items);
    free(want);
    free(want_offsets);
    free(b);
}

static void split_at_tile_edges(bosc_ctx *ctx)
{
    static const int64_t buckets[] = {1, 2, 3, 31, 32, 33, 255, 256, 257, 1000, 4096, 65535, 65536};
    int64_t sizes[256];
    int count = edge_sizes(suite_slow(ctx) ? 300 : 2100, sizes);
    for (int device = 0; device <= has_device_memory(ctx); device++)
        for (int s = 0; s < count; s += suite_slow(ctx) ? 9 : 1)
            check_split(ctx, item_sizes[s % ITEM_SIZES], sizes[s], buckets[s % 13], s % 3, device);
}

static void split_many(bosc_ctx *ctx)
{
    static const int64_t buckets[] = {2, 300, 65536, 65537};
    for (int device = 0; device <= has_device_memory(ctx); device++)
        for (int i = 0; i < 4; i++)
            for (int how = 0; how < 3; how++)
                check_split(ctx, item_sizes[3 + i], suite_slow(ctx) ? 5000 : 150000, buckets[i], how, device);
}

/* More buckets than are counted at once, also more than items; and items of more than 256 bytes. */
static void split_of_many_buckets(bosc_ctx *ctx)
{
    static const int64_t buckets[] = {65537, 100000, 1 << 17, (1 << 18) + 1};
    static const int64_t sizes[] = {0, 1, 2, 1000, 30000};
    for (int device = 0; device <= has_device_memory(ctx); device++)
        for (int b = 0; b < 4; b++)
            for (int s = 0; s < (suite_slow(ctx) ? 4 : 5); s++)
                check_split(ctx, item_sizes[(3 * b + s) % ITEM_SIZES], sizes[s], buckets[b], (b + s) % 3, device);
    for (int64_t size = 257; size < 5000; size *= 4) {
        check_split(ctx, (size_t)size, 300, 7, 0, false);
        check_split(ctx, (size_t)size, 300, 70000, 0, has_device_memory(ctx));
    }
}

/* More bins than items, so that counters of chunks would not fit. */
static void histogram_of_many_bins(bosc_ctx *ctx)
{
    enum { N = 50000, BINS = 1 << 20 };
    uint32_t *bins = suite_alloc(N * sizeof *bins);
    int64_t *counts = suite_alloc(BINS * sizeof *counts), sum = 0;
    for (uint32_t i = 0; i < N; i++) bins[i] = i < N / 2 ? 77 : i * 16;
    CHECK_OK(ctx, bosc_histogram(ctx, bins, N, BINS, counts));
    for (int64_t i = 0; i < BINS; i++) sum += counts[i];
    CHECK_EQ(sum, N);
    CHECK_EQ(counts[77], N / 2);
    for (uint32_t i = N / 2; i < N; i++) CHECK_EQ(counts[i * 16], 1);
    free(bins);
    free(counts);
}

static void bins_out_of_range(bosc_ctx *ctx)
{
    enum { N = 60000 };
    uint32_t *b = suite_alloc(N * sizeof *b), *out = suite_alloc(N * sizeof *out);
    int64_t *offsets = suite_alloc(101 * sizeof *offsets);
    /* The bad bin comes first, second, in the middle or last; it is one too large, or the largest number. */
    static const int64_t places[] = {0, 1, N / 2, N - 1};
    for (int p = 0; p < 4; p++)
        for (int how = 0; how < 2; how++) {
            fill_buckets(b, N, 100, 0);
            b[places[p]] = how ? 100 : UINT32_MAX;
            memset(out, 7, N * sizeof *out);
            memset(offsets, 7, 101 * sizeof *offsets);
            /* Refused by both calls; nothing is written. */
            CHECK_STATUS(ctx, bosc_histogram(ctx, b, N, 100, offsets), BOSC_ERR_DATA);
            CHECK(suite_begins(bosc_ctx_message(ctx), "bins"));
            memset(offsets, 7, 101 * sizeof *offsets);
            CHECK_STATUS(ctx, bosc_split(ctx, 4, b, b, N, 100, out, offsets), BOSC_ERR_DATA);
            CHECK(suite_begins(bosc_ctx_message(ctx), "bucket"));
            for (int i = 0; i < N; i++) CHECK_EQ(out[i], 0x07070707);
            for (int i = 0; i < 101; i++) CHECK_EQ(offsets[i], 0x0707070707070707);
            /* The same with more buckets than are counted at once. */
            int64_t *many = suite_alloc(100001 * sizeof *many);
            memset(many, 7, 100001 * sizeof *many);
            b[places[p]] = how ? 100000 : UINT32_MAX;
            CHECK_STATUS(ctx, bosc_split(ctx, 4, b, b, N, 100000, out, many), BOSC_ERR_DATA);
            CHECK(suite_begins(bosc_ctx_message(ctx), "bucket: one is not less than 100000"));
            for (int i = 0; i < N; i++) CHECK_EQ(out[i], 0x07070707);
            for (int i = 0; i <= 100000; i++) CHECK_EQ(many[i], 0x0707070707070707);
            free(many);
        }
    free(b);
    free(out);
    free(offsets);
}

static const struct suite_case suite_cases_prims_moves[] = {
    {"compact", compact_at_tile_edges, NULL},
    {"compact many", compact_many, NULL},
    {"split and histogram", split_at_tile_edges, NULL},
    {"split and histogram of many", split_many, NULL},
    {"split and histogram of many buckets", split_of_many_buckets, NULL},
    {"histogram of many bins", histogram_of_many_bins, NULL},
    {"bins out of range", bins_out_of_range, NULL},
};
SUITE(prims_moves);
