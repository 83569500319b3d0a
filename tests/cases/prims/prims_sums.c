/* Sums and scans equal the reference, bit for bit, at every size around the edges of rows and tiles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "reference/prims.h"

static const bosc_op ops[] = {BOSC_SUM, BOSC_MIN, BOSC_MAX};

struct problem {
    bosc_op op;
    bosc_scan_kind kind;
    bosc_dtype dtype;
    int64_t n;
    const void *in;
    const uint8_t *heads; /* or NULL */
};

static bosc_status call_scan(bosc_ctx *ctx, const struct problem *p, const void *in, const uint8_t *heads, void *out)
{
    if (p->heads) return bosc_scan_segmented(ctx, p->op, p->kind, p->dtype, in, heads, p->n, out);
    return bosc_scan(ctx, p->op, p->kind, p->dtype, in, p->n, out);
}

static void check_scan(bosc_ctx *ctx, const struct problem *p, bool on_device, bool in_place)
{
    size_t bytes = (size_t)p->n * bosc_dtype_size(p->dtype);
    void *want = suite_alloc(bytes);
    reference_scan(p->op, p->kind, p->dtype, p->in, p->heads, p->n, want);
    struct array in = array_make(ctx, p->in, bytes, on_device), out = array_make(ctx, NULL, bytes, on_device);
    struct array heads = array_make(ctx, p->heads, p->heads ? (size_t)p->n : 0, on_device);
    struct array *to = in_place ? &in : &out;
    CHECK_OK(ctx, call_scan(ctx, p, in.p, heads.p, to->p));
    CHECK_OK(ctx, bosc_ctx_sync(ctx));
    if (memcmp(array_get(ctx, to), want, bytes) != 0)
        suite_fail(__FILE__, __LINE__, "scan of %lld %s, op %d, kind %d, segments %d, in place %d", (long long)p->n,
                   bosc_dtype_name(p->dtype), p->op, p->kind, p->heads != NULL, in_place);
    array_free(ctx, &in);
    array_free(ctx, &out);
    array_free(ctx, &heads);
    free(want);
}

static void check_reduce(bosc_ctx *ctx, const struct problem *p, bool on_device)
{
    size_t size = bosc_dtype_size(p->dtype);
    uint64_t want = 0;
    reference_reduce(p->op, p->dtype, p->in, p->n, &want);
    struct array in = array_make(ctx, p->in, (size_t)p->n * size, on_device),
                 out = array_make(ctx, NULL, size, on_device);
    CHECK_OK(ctx, bosc_reduce(ctx, p->op, p->dtype, in.p, p->n, out.p));
    CHECK_OK(ctx, bosc_ctx_sync(ctx));
    if (memcmp(array_get(ctx, &out), &want, size) != 0)
        suite_fail(__FILE__, __LINE__, "reduce of %lld %s, op %d", (long long)p->n, bosc_dtype_name(p->dtype), p->op);
    array_free(ctx, &in);
    array_free(ctx, &out);
}

static void check_all(bosc_ctx *ctx, bosc_dtype dtype, enum pattern pattern, int64_t n, bool in_place)
{
    if (suite_leaves_out()) return;
    void *in = suite_alloc((size_t)n * 8);
    uint8_t *heads = suite_alloc((size_t)n);
    struct suite_random r = {(uint64_t)n};
    uint64_t gap = suite_below(&r, 4) ? 40 : 3000;
    for (int64_t i = 0; i < n; i++) heads[i] = suite_below(&r, gap) ? 0 : (uint8_t)(1 + suite_below(&r, 255));
    for (int64_t i = 0; i < n && n == 40000; i += 1024) heads[i] = 1; /* segments that begin as threads' pieces do */
    fill_numbers(dtype, pattern, (uint64_t)n, n, in);
    for (int o = 0; o < 3; o++) {
        struct problem p = {ops[o], BOSC_INCLUSIVE, dtype, n, in, NULL};
        for (int device = 0; device <= has_device_memory(ctx); device++) {
            check_reduce(ctx, &p, device);
            for (int k = 0; k < 4; k++) {
                p.kind = k & 1 ? BOSC_EXCLUSIVE : BOSC_INCLUSIVE;
                p.heads = k & 2 ? heads : NULL;
                check_scan(ctx, &p, device, in_place);
            }
        }
    }
    free(in);
    free(heads);
}

static void sizes_at_tile_edges(bosc_ctx *ctx)
{
    int64_t sizes[256];
    int count = edge_sizes(suite_slow(ctx) ? 1100 : 4200, sizes);
    for (int t = 0; t < 6; t++)
        for (int s = 0; s < count; s += suite_slow(ctx) ? 5 : 1)
            check_all(ctx, number_types[t], (enum pattern)((s + t) % PATTERNS), sizes[s], s % 2);
}

static void patterns(bosc_ctx *ctx)
{
    for (int t = 0; t < 6; t++)
        for (int p = 0; p < PATTERNS; p++) check_all(ctx, number_types[t], (enum pattern)p, 2500 + 7 * p, p % 2);
}

/* Enough for several threads and rounds, and for tiles of tiles. */
static void many_tiles(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {40000, 150001, 1024 * 1024 + 1, 1400000};
    int count = suite_slow(ctx) ? 1 : 4;
    for (int s = 0; s < count; s++)
        for (int t = 0; t < 2; t++) {
            if (s > 1 && t != s % 2) continue;
            check_all(ctx, number_types[t], RANDOM, sizes[s], s == 2);
        }
}

/* Small integers are added exactly in any order, so the result proves that each element is added once. */
static void exact_sums(bosc_ctx *ctx)
{
    enum { N = 100003 };
    float *in = suite_alloc(N * sizeof *in), *out = suite_alloc(N * sizeof *out), sum = 0, total;
    for (int64_t i = 0; i < N; i++) in[i] = (float)(i % 7);
    CHECK_OK(ctx, bosc_scan(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_F32, in, N, out));
    CHECK_OK(ctx, bosc_reduce(ctx, BOSC_SUM, BOSC_F32, in, N, &total));
    for (int64_t i = 0; i < N; i++) {
        sum += in[i];
        CHECK(out[i] == sum);
    }
    CHECK(total == sum);
    free(in);
    free(out);
}

static void signs_and_nans(bosc_ctx *ctx)
{
    float in[3] = {-0.0f, -0.0f, -0.0f}, x;
    CHECK_OK(ctx, bosc_reduce(ctx, BOSC_SUM, BOSC_F32, in, 3, &x));
    CHECK(x == 0 && signbit(x));
    CHECK_OK(ctx, bosc_reduce(ctx, BOSC_SUM, BOSC_F32, NULL, 0, &x));
    CHECK(x == 0 && !signbit(x));
    in[1] = 0.0f;
    CHECK_OK(ctx, bosc_reduce(ctx, BOSC_MAX, BOSC_F32, in, 3, &x));
    CHECK(x == 0 && !signbit(x));
    CHECK_OK(ctx, bosc_reduce(ctx, BOSC_MIN, BOSC_F32, in, 3, &x));
    CHECK(x == 0 && signbit(x));
    in[1] = -NAN;
    for (int o = 0; o < 3; o++) {
        uint32_t bits;
        CHECK_OK(ctx, bosc_reduce(ctx, ops[o], BOSC_F32, in, 3, &bits));
        CHECK_EQ(bits, 0x7fc00000);
    }
    in[0] = INFINITY;
    in[1] = -INFINITY;
    uint32_t bits;
    CHECK_OK(ctx, bosc_reduce(ctx, BOSC_SUM, BOSC_F32, in, 2, &bits));
    CHECK_EQ(bits, 0x7fc00000);
}

static const struct suite_case suite_cases_prims_sums[] = {
    {"reduce and scans at the edges of rows and tiles", sizes_at_tile_edges, NULL},
    {"reduce and scans of patterns", patterns, NULL},
    {"reduce and scans of many tiles", many_tiles, NULL},
    {"exact sums", exact_sums, NULL},
    {"zeros of both signs, and NaNs", signs_and_nans, NULL},
};
SUITE(prims_sums);
