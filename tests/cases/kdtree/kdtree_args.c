/* k-d trees refuse bad arguments by name, and stay unchanged. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kdtree/drivers.h"
#include "cases/kdtree/kdtree_data.h"
#include "support/arrays.h"

static void refuses_bad_options(bosc_ctx *ctx)
{
    bosc_kdtree *tree = NULL;
    const bosc_kdtree_opts good = {.size = sizeof good, .dim = 3};
    static const int dims[] = {0, -1, 1025, INT32_MIN, INT32_MAX}, dtypes[] = {-1, 5, 6, 7, 8, 1000};
    static const int builders[] = {-1, 2}, duplicates[] = {-1, 2}, id_bits[] = {1, 16, 31, 33, 65, -64};
    static const size_t sizes[] = {0, 1, 7, sizeof good + 1, SIZE_MAX};
    CHECK_EQ(bosc_kdtree_create(NULL, &good, &tree), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_kdtree_create(ctx, NULL, &tree), "opts");
    CHECK_ARG(ctx, bosc_kdtree_create(ctx, &good, NULL), "tree");
    /* Sets one option to each bad value. */
    for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++) {
        bosc_kdtree_opts o = good;
        o.dim = dims[i];
        CHECK_ARG(ctx, bosc_kdtree_create(ctx, &o, &tree), "opts: dim");
    }
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        bosc_kdtree_opts o = good;
        o.dtype = (bosc_dtype)dtypes[i];
        CHECK_ARG(ctx, bosc_kdtree_create(ctx, &o, &tree), "opts: dtype");
    }
    for (size_t i = 0; i < 2; i++) {
        bosc_kdtree_opts o = good, p = good;
        o.builder = (bosc_kdtree_builder)builders[i];
        p.duplicates = (bosc_kdtree_duplicates)duplicates[i];
        CHECK_ARG(ctx, bosc_kdtree_create(ctx, &o, &tree), "opts: builder");
        CHECK_ARG(ctx, bosc_kdtree_create(ctx, &p, &tree), "opts: duplicates");
    }
    for (size_t i = 0; i < sizeof id_bits / sizeof id_bits[0]; i++) {
        bosc_kdtree_opts o = good;
        o.id_bits = id_bits[i];
        CHECK_ARG(ctx, bosc_kdtree_create(ctx, &o, &tree), "opts: id_bits");
    }
    static const int launches[][2] = {{-1, 32}, {65536, 32}, {2, 0}, {0, 32}, {2, 16}, {2, 1056}, {2, -32}};
    for (size_t i = 0; i < sizeof launches / sizeof launches[0]; i++) {
        bosc_kdtree_opts o = good;
        o.blocks = launches[i][0];
        o.threads = launches[i][1];
        CHECK_ARG(ctx, bosc_kdtree_create(ctx, &o, &tree), i < 4 ? "opts: blocks" : "opts: threads");
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        bosc_kdtree_opts o = good;
        int64_t kept = 5;
        o.size = sizes[i];
        CHECK_ARG(ctx, bosc_kdtree_create(ctx, &o, &tree), "opts: size");
        CHECK_ARG(ctx, bosc_kdtree_bytes(ctx, &o, 5, &kept, NULL), "opts: size");
        CHECK_EQ(kept, 5);
    }
    CHECK(tree == NULL);
    bosc_kdtree_free(NULL);
}

static const int64_t bad_sizes[] = {-1, -2, INT32_MIN, INT64_MIN};
static const int64_t bad_strides[] = {-1, 1, 2, -3, INT64_MIN};

static void refuses_bad_points(bosc_ctx *ctx)
{
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 3};
    float p[64] = {0};
    bosc_kdtree *tree = NULL;
    bosc_kdtree_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p, 20, 0));
    CHECK_EQ(bosc_kdtree_build(NULL, tree, p, 3, 0), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_kdtree_build(ctx, NULL, p, 3, 0), "tree");
    CHECK_ARG(ctx, bosc_kdtree_build(ctx, tree, NULL, 3, 0), "points");
    CHECK_ARG(ctx, bosc_kdtree_build(ctx, tree, (char *)p + 1, 3, 0), "points");
    for (size_t i = 0; i < 4; i++) {
        CHECK_ARG(ctx, bosc_kdtree_build(ctx, tree, p, bad_sizes[i], 0), "n");
        CHECK_ARG(ctx, bosc_kdtree_reserve(ctx, tree, bad_sizes[i], 0, 0), "n");
        CHECK_ARG(ctx, bosc_kdtree_reserve(ctx, tree, 0, bad_sizes[i], 0), "query_count");
        CHECK_ARG(ctx, bosc_kdtree_reserve(ctx, tree, 0, 0, bad_sizes[i]), "k");
        CHECK_ARG(ctx, bosc_kdtree_bytes(ctx, &o, bad_sizes[i], NULL, NULL), "n");
    }
    for (size_t i = 0; i < 5; i++) CHECK_ARG(ctx, bosc_kdtree_build(ctx, tree, p, 3, bad_strides[i]), "stride");
    CHECK_ARG(ctx, bosc_kdtree_build(ctx, tree, p, 3, INT64_MAX), "n");
    CHECK_ARG(ctx, bosc_kdtree_build(ctx, tree, p, 100, INT64_MAX / 128), "n");
    CHECK_ARG(ctx, bosc_kdtree_build(ctx, tree, p, 1, INT64_MAX / 4),
              "n"); /* the elements of the last row exceed the limit */
    CHECK_ARG(ctx, bosc_kdtree_reserve(ctx, NULL, 1, 1, 1), "tree");
    CHECK_ARG(ctx, bosc_kdtree_reserve(ctx, tree, 1, INT64_MAX, 1), "k");
    CHECK_ARG(ctx, bosc_kdtree_reserve(ctx, tree, 1, 1, INT64_MAX), "k");
    CHECK_ARG(ctx, bosc_kdtree_reserve(ctx, tree, 1, INT64_MAX / 8, INT64_MAX / 8), "k");
    CHECK_EQ(bosc_kdtree_reserve(NULL, tree, 1, 1, 1), BOSC_ERR_ARG);
    CHECK_EQ(bosc_kdtree_bytes(NULL, &o, 1, NULL, NULL), BOSC_ERR_ARG);
    static const int64_t large[] = {UINT32_MAX, (int64_t)UINT32_MAX + 1, INT64_MAX};
    for (size_t i = 0; i < 3; i++) {
        CHECK_STATUS(ctx, bosc_kdtree_build(ctx, tree, p, large[i], 0), BOSC_ERR_LIMIT);
        CHECK_STATUS(ctx, bosc_kdtree_reserve(ctx, tree, large[i], 0, 0), BOSC_ERR_LIMIT);
        CHECK_STATUS(ctx, bosc_kdtree_bytes(ctx, &o, large[i], NULL, NULL), BOSC_ERR_LIMIT);
    }
    p[31] = NAN;
    CHECK_STATUS(ctx, bosc_kdtree_build(ctx, tree, p, 20, 0), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "points: row 10 "));
    CHECK_EQ(bosc_kdtree_get_info(ctx, tree, &info), BOSC_OK);
    CHECK_EQ(info.nodes, 20);
    CHECK_OK(ctx, bosc_kdtree_verify(ctx, tree, NULL));
    bosc_kdtree_free(tree);
}

static void refuses_bad_queries(bosc_ctx *ctx)
{
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 3};
    float p[64] = {0}, d[64], q[9] = {0};
    int64_t ids[64], counts[8] = {9}, offsets[8] = {0};
    bosc_kdtree *tree = NULL;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p, 20, 0));
    memset(ids, 0x55, sizeof ids);
/* Each macro IS_x checks one failure for four searches. */
#define EACH(call_with, ...)                                                 \
    call_with(bosc_kdtree_knn(__VA_ARGS__, 2, ids, d));                      \
    call_with(bosc_kdtree_knn_within(__VA_ARGS__, 2, 1.0, ids, d));          \
    call_with(bosc_kdtree_radius(__VA_ARGS__, 1.0, offsets, NULL, NULL, 0)); \
    call_with(bosc_kdtree_radius_count(__VA_ARGS__, 1.0, counts));
#define IS_TREE(call) CHECK_ARG(ctx, call, "tree")
#define IS_COUNT(call) CHECK_ARG(ctx, call, "query_count")
#define IS_QUERIES(call) CHECK_ARG(ctx, call, "queries")
#define IS_STRIDE(call) CHECK_ARG(ctx, call, "stride")
#define IS_NULL(call) CHECK_EQ(call, BOSC_ERR_ARG)
#define IS_DATA(call) CHECK_STATUS(ctx, call, BOSC_ERR_DATA)
    /* No context, no tree, bad queries, numbers and strides. */
    EACH(IS_NULL, NULL, tree, q, 3, 0)
    EACH(IS_TREE, ctx, NULL, q, 3, 0)
    EACH(IS_QUERIES, ctx, tree, NULL, 3, 0)
    EACH(IS_QUERIES, ctx, tree, (const char *)q + 2, 3, 0)
    for (size_t i = 0; i < 4; i++) {
        EACH(IS_COUNT, ctx, tree, q, bad_sizes[i], 0)
    }
    for (size_t i = 0; i < 5; i++) {
        EACH(IS_STRIDE, ctx, tree, q, 3, bad_strides[i])
    }
    EACH(IS_COUNT, ctx, tree, q, INT64_MAX, 0)
    EACH(IS_COUNT, ctx, tree, q, 3, INT64_MAX)
    /* A NaN, then all outputs are unchanged. */
    q[4] = NAN;
    EACH(IS_DATA, ctx, tree, q, 3, 0)
    q[4] = 0;
    for (int i = 0; i < 64; i++) CHECK_EQ(ids[i], 0x5555555555555555);
    CHECK_EQ(counts[0], 9);
    bosc_kdtree_free(tree);
}

/* Each element of rows, packed or with a stride, can be the only NaN. */
static void not_a_number(bosc_ctx *ctx)
{
    enum { ROWS = 11, DIM = 3, STRIDE = 4 };
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64};
    for (int32_t t = 0; t < 2; t++) {
        const bosc_kdtree_opts o = {.size = sizeof o, .dim = DIM, .dtype = dtypes[t]};
        bosc_kdtree *tree = NULL;
        CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
        for (int i = 0; i < ROWS * DIM; i++) {
            float f[ROWS * STRIDE] = {0};
            double d[ROWS * STRIDE] = {0};
            const void *rows = t ? (const void *)d : f;
            char named[32];
            snprintf(named, sizeof named, "points: row %d ", i / DIM);
            f[i] = NAN;
            d[i] = (double)NAN;
            CHECK_STATUS(ctx, bosc_kdtree_build(ctx, tree, rows, ROWS, 0), BOSC_ERR_DATA);
            CHECK(suite_begins(bosc_ctx_message(ctx), named));
            f[i] = 0;
            d[i] = 0;
            f[i / DIM * STRIDE + DIM] = NAN; /* between rows */
            d[i / DIM * STRIDE + DIM] = (double)NAN;
            CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, rows, ROWS, STRIDE));
        }
        bosc_kdtree_free(tree);
    }
}

/* NaNs in the last coordinate of rows `first` and `second` of m queries: the message names `first`, and no result is
 * written. */
static void check_nan_rows(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_dtype dtype, int64_t m, int64_t k,
                           int64_t first, int64_t second)
{
    enum { STRIDE = 3 };
    const size_t size = bosc_dtype_size(dtype);
    char *q = suite_alloc((size_t)m * STRIDE * size), text[64];
    fill_numbers(dtype, SMALL_INTEGERS, 5, m * STRIDE, q);
    /* NaN in two rows: the message must name the first. */
    for (int i = 0; i < 2; i++) {
        const int64_t at = (i ? second : first) * STRIDE + 2;
        if (dtype == BOSC_F32)
            ((float *)(void *)q)[at] = NAN;
        else
            ((double *)(void *)q)[at] = (double)NAN;
    }
    struct array queries = array_make(ctx, q, (size_t)m * STRIDE * size, true);
    struct array ids = array_make(ctx, NULL, (size_t)(m * k) * 8, true),
                 dist2 = array_make(ctx, NULL, (size_t)(m * k) * size, true);
    unsigned char *before = suite_alloc(ids.bytes + dist2.bytes);
    memcpy(before, array_get(ctx, &ids), ids.bytes);
    memcpy(before + ids.bytes, array_get(ctx, &dist2), dist2.bytes);
    /* Nothing may be written, also where the search and the NaN check overlap. */
    CHECK_STATUS(ctx, bosc_kdtree_knn(ctx, tree, queries.p, m, STRIDE, k, ids.p, dist2.p), BOSC_ERR_DATA);
    snprintf(text, sizeof text, "queries: row %lld holds a NaN", (long long)first);
    CHECK(suite_begins(bosc_ctx_message(ctx), text));
    CHECK(memcmp(before, array_get(ctx, &ids), ids.bytes) == 0);
    CHECK(memcmp(before + ids.bytes, array_get(ctx, &dist2), dist2.bytes) == 0);
    array_free(ctx, &queries);
    array_free(ctx, &ids);
    array_free(ctx, &dist2);
    free(before);
    free(q);
}

/* Numbers of queries for which each is answered by a warp or by a thread, sorted first, and by the plain walk. */
static void nan_rows(bosc_ctx *ctx)
{
    const int64_t many = suite_slow(ctx) ? 2200 : 40000;
    const int64_t sizes[] = {1, 50, 700, many, many}, neighbors[] = {1, 2, 8, 20, 33};
    for (int i = 0; i < 10; i++) {
        const bosc_dtype dtype = i % 2 ? BOSC_F64 : BOSC_F32;
        const int64_t m = sizes[i / 2], k = neighbors[i / 2];
        const bosc_kdtree_opts o = {.size = sizeof o, .dtype = dtype, .dim = 3};
        double p[900];
        bosc_kdtree *tree = NULL;
        fill_numbers(dtype, SMALL_INTEGERS, 6, 900, p);
        CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
        CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p, 300, 0));
        check_nan_rows(ctx, tree, dtype, m, k, 0, m - 1);
        check_nan_rows(ctx, tree, dtype, m, k, m - 1, m - 1);
        check_nan_rows(ctx, tree, dtype, m, k, m / 3, m / 2);
        bosc_kdtree_free(tree);
    }
}

static void refuses_bad_outputs(bosc_ctx *ctx)
{
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 3};
    float p[64] = {0}, d[64], q[9] = {0};
    int64_t ids[64], counts[8] = {9}, offsets[8] = {0};
    bosc_kdtree *tree = NULL;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p, 20, 0));
    memset(ids, 0x55, sizeof ids);
    /* Bad numbers of neighbours. */
    static const int64_t bad_k[] = {0, -1, INT64_MIN, INT64_MAX, INT64_MAX / 16};
    for (size_t i = 0; i < 5; i++) {
        CHECK_ARG(ctx, bosc_kdtree_knn(ctx, tree, q, 3, 0, bad_k[i], ids, d), "k");
        CHECK_ARG(ctx, bosc_kdtree_knn_within(ctx, tree, q, 3, 0, bad_k[i], 1, ids, d), "k");
        CHECK_ARG(ctx, bosc_kdtree_knn_self(ctx, tree, bad_k[i], ids, d), "k");
    }
    CHECK_EQ(bosc_kdtree_knn_self(NULL, tree, 1, ids, d), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_kdtree_knn_self(ctx, NULL, 1, ids, d), "tree");
    CHECK_ARG(ctx, bosc_kdtree_knn_self(ctx, tree, 1, NULL, d), "ids");
    /* Bad radii, then missing outputs. */
    static const double bad_radius[] = {-1, -1e-300, -INFINITY, NAN};
    for (size_t i = 0; i < 4; i++) {
        CHECK_ARG(ctx, bosc_kdtree_knn_within(ctx, tree, q, 3, 0, 1, bad_radius[i], ids, d), "radius");
        CHECK_ARG(ctx, bosc_kdtree_radius(ctx, tree, q, 3, 0, bad_radius[i], offsets, NULL, NULL, 0), "radius");
        CHECK_ARG(ctx, bosc_kdtree_radius_count(ctx, tree, q, 3, 0, bad_radius[i], counts), "radius");
    }
    CHECK_ARG(ctx, bosc_kdtree_knn(ctx, tree, q, 3, 0, 1, NULL, d), "ids");
    CHECK_ARG(ctx, bosc_kdtree_knn_within(ctx, tree, q, 3, 0, 1, 1, NULL, d), "ids");
    CHECK_ARG(ctx, bosc_kdtree_radius_count(ctx, tree, q, 3, 0, 1, NULL), "counts");
    CHECK_ARG(ctx, bosc_kdtree_radius(ctx, tree, q, 3, 0, 1, NULL, NULL, NULL, 0), "offsets");
    CHECK_ARG(ctx, bosc_kdtree_radius(ctx, tree, q, 3, 0, 1, offsets, ids, d, -1), "capacity");
    /* No output has changed. */
    for (int i = 0; i < 64; i++) CHECK_EQ(ids[i], 0x5555555555555555);
    CHECK_EQ(counts[0], 9);
    bosc_kdtree_free(tree);
    /* A tree without duplicates cannot be searched for its own rows. */
    bosc_kdtree_opts unique = o;
    unique.duplicates = BOSC_KDTREE_DUPLICATES_REMOVE;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &unique, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p, 20, 0));
    CHECK_ARG(ctx, bosc_kdtree_knn_self(ctx, tree, 1, ids, d), "tree");
    bosc_kdtree_free(tree);
}

static void boxes(bosc_ctx *ctx)
{
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 2};
    float p[40] = {0}, box[12] = {0};
    int64_t ids[60], offsets[4] = {-7, -7, -7, -7}, none = 5;
    bosc_kdtree *tree = NULL;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p, 20, 0));
    memset(ids, 0x55, sizeof ids);
    CHECK_EQ(bosc_kdtree_box(NULL, tree, box, 3, offsets, NULL, 0), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_kdtree_box(ctx, NULL, box, 3, offsets, NULL, 0), "tree");
    CHECK_ARG(ctx, bosc_kdtree_box(ctx, tree, NULL, 3, offsets, NULL, 0), "boxes");
    CHECK_ARG(ctx, bosc_kdtree_box(ctx, tree, (const char *)box + 2, 3, offsets, NULL, 0), "boxes");
    for (size_t i = 0; i < 4; i++)
        CHECK_ARG(ctx, bosc_kdtree_box(ctx, tree, box, bad_sizes[i], offsets, NULL, 0), "box_count");
    CHECK_ARG(ctx, bosc_kdtree_box(ctx, tree, box, INT64_MAX, offsets, NULL, 0), "box_count");
    CHECK_ARG(ctx, bosc_kdtree_box(ctx, tree, box, 3, NULL, NULL, 0), "offsets");
    CHECK_ARG(ctx, bosc_kdtree_box(ctx, tree, box, 3, (int64_t *)((char *)offsets + 4), NULL, 0), "offsets");
    CHECK_ARG(ctx, bosc_kdtree_box(ctx, tree, box, 3, offsets, ids, -1), "capacity");
    box[6] = NAN;
    CHECK_STATUS(ctx, bosc_kdtree_box(ctx, tree, box, 3, offsets, NULL, 0), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "boxes: row 3 "));
    box[6] = 0;
    for (int i = 0; i < 4; i++) CHECK_EQ(offsets[i], -7);
    CHECK_OK(ctx, bosc_kdtree_box(ctx, tree, box, 3, offsets, NULL, 0));
    CHECK_EQ(offsets[3], 60);
    offsets[2] = 39; /* differs from the result */
    CHECK_ARG(ctx, bosc_kdtree_box(ctx, tree, box, 3, offsets, ids, 60), "offsets");
    CHECK_STATUS(ctx, bosc_kdtree_box(ctx, tree, box, 3, offsets, ids, 59), BOSC_ERR_SPACE);
    CHECK_ARG(ctx, bosc_kdtree_box(ctx, tree, box, 3, offsets, (char *)ids + 2, 60), "ids");
    CHECK_OK(ctx, bosc_kdtree_box(ctx, tree, NULL, 0, &none, NULL, 0));
    CHECK_EQ(none, 0);
    bosc_kdtree_free(tree);
}

/* Arrays misaligned for their element type. */
static void refuses_misaligned_arrays(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64};
    double p[12] = {0}, dist2[12];
    int64_t ids[16], counts[8], offsets[8];
    for (int kind = 0; kind < 4; kind++) {
        const bosc_kdtree_opts o = {
            .size = sizeof o, .dtype = dtypes[kind % 2], .dim = 2, .id_bits = kind < 2 ? 32 : 64};
        struct reference_points rows = {o.dtype, 2, 5, 2, p};
        bosc_kdtree *tree = kd_build(ctx, &o, &rows);
        /* Each is misaligned by half an element. */
        void *bad_ids = (char *)ids + o.id_bits / 16, *bad_dist2 = (char *)dist2 + bosc_dtype_size(o.dtype) / 2;
        int64_t *bad_counts = (int64_t *)(void *)((char *)counts + 4);
        CHECK_ARG(ctx, bosc_kdtree_knn(ctx, tree, p, 5, 0, 2, bad_ids, dist2), "ids");
        CHECK_ARG(ctx, bosc_kdtree_knn(ctx, tree, p, 5, 0, 2, ids, bad_dist2), "dist2");
        CHECK_ARG(ctx, bosc_kdtree_knn_within(ctx, tree, p, 5, 0, 2, 1, bad_ids, dist2), "ids");
        CHECK_ARG(ctx, bosc_kdtree_knn_within(ctx, tree, p, 5, 0, 2, 1, ids, bad_dist2), "dist2");
        CHECK_ARG(ctx, bosc_kdtree_knn_self(ctx, tree, 2, bad_ids, NULL), "ids");
        CHECK_ARG(ctx, bosc_kdtree_knn_self(ctx, tree, 2, ids, bad_dist2), "dist2");
        CHECK_ARG(ctx, bosc_kdtree_radius_count(ctx, tree, p, 5, 0, 1, bad_counts), "counts");
        CHECK_ARG(ctx, bosc_kdtree_radius(ctx, tree, p, 5, 0, 1, bad_counts, NULL, NULL, 0), "offsets");
        CHECK_OK(ctx, bosc_kdtree_radius(ctx, tree, p, 2, 0, 1, offsets, NULL, NULL, 0));
        CHECK_ARG(ctx, bosc_kdtree_radius(ctx, tree, p, 2, 0, 1, offsets, bad_ids, dist2, 10), "ids");
        CHECK_ARG(ctx, bosc_kdtree_radius(ctx, tree, p, 2, 0, 1, offsets, ids, bad_dist2, 10), "dist2");
        CHECK_ARG(ctx, bosc_kdtree_get_nodes(ctx, tree, bad_dist2, NULL), "points");
        CHECK_ARG(ctx, bosc_kdtree_get_nodes(ctx, tree, NULL, bad_ids), "ids");
        CHECK_ARG(ctx, bosc_kdtree_get_duplicates(ctx, tree, bad_ids, NULL), "inverse");
        CHECK_ARG(ctx, bosc_kdtree_get_duplicates(ctx, tree, NULL, bad_counts), "counts");
        bosc_kdtree_free(tree);
    }
}

static void nearest_other(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    double p[12] = {0}, bounds[8], dist2[8];
    int64_t labels[8] = {0}, ids[8];
    memset(ids, 0x55, sizeof ids);
    memset(dist2, 0x55, sizeof dist2);
    for (int kind = 0; kind < 8; kind++) {
        bosc_kdtree_opts o = {.size = sizeof o, .dtype = dtypes[kind % 4], .dim = 2, .id_bits = kind < 4 ? 32 : 64};
        struct reference_points rows = {o.dtype, 2, 5, 2, p};
        bosc_kdtree *tree = kd_build(ctx, &o, &rows);
        size_t half_id = (size_t)o.id_bits / 16, half = o.dtype == BOSC_F32 ? 2 : 4;
        CHECK_EQ(bosc_kdtree_nearest_other(NULL, tree, labels, bounds, ids, dist2), BOSC_ERR_ARG);
        CHECK_ARG(ctx, bosc_kdtree_nearest_other(ctx, NULL, labels, bounds, ids, dist2), "tree");
        CHECK_ARG(ctx, bosc_kdtree_nearest_other(ctx, tree, NULL, bounds, ids, dist2), "labels");
        CHECK_ARG(ctx, bosc_kdtree_nearest_other(ctx, tree, labels, bounds, NULL, dist2), "ids");
        for (size_t off = 1; off <= half_id; off += half_id > 1 ? half_id - 1 : 1) {
            CHECK_ARG(ctx, bosc_kdtree_nearest_other(ctx, tree, (char *)labels + off, bounds, ids, dist2), "labels");
            CHECK_ARG(ctx, bosc_kdtree_nearest_other(ctx, tree, labels, bounds, (char *)ids + off, dist2), "ids");
        }
        for (size_t off = 1; off <= half; off += half - 1) {
            CHECK_ARG(ctx, bosc_kdtree_nearest_other(ctx, tree, labels, (char *)bounds + off, ids, NULL), "bounds");
            CHECK_ARG(ctx, bosc_kdtree_nearest_other(ctx, tree, labels, NULL, ids, (char *)dist2 + off), "dist2");
        }
        bosc_kdtree_free(tree);
        o.duplicates = BOSC_KDTREE_DUPLICATES_REMOVE;
        tree = kd_build(ctx, &o, &rows);
        CHECK_ARG(ctx, bosc_kdtree_nearest_other(ctx, tree, labels, bounds, ids, dist2), "tree: duplicates");
        bosc_kdtree_free(tree);
        o.duplicates = BOSC_KDTREE_DUPLICATES_KEEP;
        CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree)); /* without points nothing is read */
        CHECK_OK(ctx, bosc_kdtree_nearest_other(ctx, tree, NULL, NULL, NULL, NULL));
        bosc_kdtree_free(tree);
    }
    for (int i = 0; i < 8; i++) CHECK(ids[i] == 0x5555555555555555 && memcmp(&dist2[i], &ids[i], sizeof ids[i]) == 0);
}

/* Offsets that a previous call did not compute. */
static void refuses_foreign_offsets(bosc_ctx *ctx)
{
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 1};
    /* Rows of the wrong lengths, or not ascending; then totals beyond the capacity. */
    static const int64_t wrong[][4] = {{1, 3, 6, 9},  {-1, 3, 6, 9}, {0, 4, 3, 9},        {0, 3, 9, 6},
                                       {0, 0, 0, 0},  {0, 2, 5, 8},  {0, 4, 8, 12},       {0, -3, 6, 9},
                                       {0, 3, 6, 10}, {0, 3, 6, 8},  {0, INT64_MIN, 6, 9}};
    static const int64_t too_large[][4] = {{0, 3, 6, 13}, {0, 3, 6, INT64_MAX}, {0, 3, INT64_MAX, INT64_MAX}};
    double p[9] = {1, 1, 1, 2, 2, 2, 3, 3, 3}, q[3] = {1, 2, 3};
    bosc_kdtree_opts wide = o;
    int64_t off[4] = {-7, -7, -7, -7}, ids[12];
    bosc_kdtree *tree = NULL;
    wide.dtype = BOSC_F64;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &wide, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p, 9, 0));
    /* The right offsets: three points for each query. */
    CHECK_OK(ctx, bosc_kdtree_radius(ctx, tree, q, 3, 0, 0.5, off, NULL, NULL, 0));
    for (int i = 0; i < 4; i++) CHECK_EQ(off[i], 3 * i);
    CHECK_OK(ctx, bosc_kdtree_radius(ctx, tree, q, 3, 0, 0.5, off, ids, NULL, 9));
    for (int i = 0; i < 9; i++) CHECK_EQ(ids[i], i);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_ARG(ctx, bosc_kdtree_radius(ctx, tree, q, 3, 0, 0.5, (int64_t *)wrong[i], ids, NULL, 12), "offsets");
    for (size_t i = 0; i < 3; i++)
        CHECK_STATUS(ctx, bosc_kdtree_radius(ctx, tree, q, 3, 0, 0.5, (int64_t *)too_large[i], ids, NULL, 12),
                     BOSC_ERR_SPACE);
    int64_t none = 5, huge[] = {0, 3, 6, INT64_MAX};
    CHECK_ARG(ctx, bosc_kdtree_radius(ctx, tree, q, 0, 0, 0.5, &none, ids, NULL, 12), "offsets");
    CHECK_ARG(ctx, bosc_kdtree_radius(ctx, tree, q, 3, 0, 0.5, huge, ids, NULL, INT64_MAX), "offsets");
    bosc_kdtree_free(tree);
}

static int no_bytes(void *user, void *bytes, size_t count)
{
    (void)user, (void)bytes, (void)count;
    return 1;
}

static int refuse(void *user, const void *bytes, size_t count)
{
    (void)user, (void)bytes, (void)count;
    return 1;
}

static void refuses_other_arguments(bosc_ctx *ctx)
{
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 2};
    float p[20] = {0};
    bosc_kdtree *tree = NULL, *other = NULL;
    bosc_kdtree_info info = {.size = sizeof info + 1};
    bosc_kdtree_times times = {.size = 3};
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p, 10, 0));
    CHECK_ARG(ctx, bosc_kdtree_get_info(ctx, tree, &info), "info: size");
    CHECK_ARG(ctx, bosc_kdtree_get_info(ctx, NULL, &info), "tree");
    CHECK_ARG(ctx, bosc_kdtree_get_info(ctx, tree, NULL), "info");
    CHECK_EQ(bosc_kdtree_get_info(NULL, tree, &info), BOSC_ERR_ARG);
    info.size = 0;
    CHECK_ARG(ctx, bosc_kdtree_get_info(ctx, tree, &info), "info: size");
    CHECK_ARG(ctx, bosc_kdtree_get_times(ctx, tree, &times), "times: size");
    CHECK_ARG(ctx, bosc_kdtree_get_times(ctx, NULL, &times), "tree");
    CHECK_ARG(ctx, bosc_kdtree_get_times(ctx, tree, NULL), "times");
    CHECK_EQ(bosc_kdtree_get_times(NULL, tree, &times), BOSC_ERR_ARG);
    times.size = SIZE_MAX;
    CHECK_ARG(ctx, bosc_kdtree_get_times(ctx, tree, &times), "times: size");
    CHECK_ARG(ctx, bosc_kdtree_get_links(ctx, NULL, NULL, NULL, NULL), "tree");
    CHECK_EQ(bosc_kdtree_get_links(NULL, tree, NULL, NULL, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_kdtree_get_nodes(NULL, tree, p, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_kdtree_get_duplicates(NULL, tree, NULL, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_kdtree_verify(NULL, tree, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_kdtree_write(NULL, tree, refuse, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_kdtree_read(NULL, no_bytes, NULL, &other), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_kdtree_get_nodes(ctx, NULL, p, NULL), "tree");
    bosc_kdtree_view view;
    CHECK_EQ(bosc_kdtree_get_view(NULL, tree, &view), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_kdtree_get_view(ctx, NULL, &view), "tree");
    CHECK_ARG(ctx, bosc_kdtree_get_view(ctx, tree, NULL), "view");
    CHECK_ARG(ctx, bosc_kdtree_get_duplicates(ctx, NULL, NULL, NULL), "tree");
    CHECK_ARG(ctx, bosc_kdtree_verify(ctx, NULL, NULL), "tree");
    CHECK_ARG(ctx, bosc_kdtree_write(ctx, NULL, refuse, NULL), "tree");
    CHECK_ARG(ctx, bosc_kdtree_write(ctx, tree, NULL, NULL), "write");
    CHECK_ARG(ctx, bosc_kdtree_read(ctx, NULL, NULL, &other), "read");
    CHECK_ARG(ctx, bosc_kdtree_read(ctx, no_bytes, NULL, NULL), "tree");
    CHECK_STATUS(ctx, bosc_kdtree_write(ctx, tree, refuse, NULL), BOSC_ERR_IO);
    CHECK_STATUS(ctx, bosc_kdtree_read(ctx, no_bytes, NULL, &other), BOSC_ERR_FORMAT);
    CHECK(other == NULL);
    tree->memory.device++; /* as if it were built on the next device */
    CHECK_ARG(ctx, bosc_kdtree_verify(ctx, tree, NULL), "tree: it is on device");
    tree->memory.device--;
    bosc_kdtree_free(tree);
}

/* Reported bytes of every kind of tree; a repeated or smaller reserve changes nothing. */
static void reports_bytes_and_reserves(bosc_ctx *ctx)
{
    float p[50] = {0};
    for (int kind = 0; kind < 2 * KD_BUILDS; kind++) {
        bosc_kdtree_opts o = {.size = sizeof o,
                              .duplicates = kind & 1 ? BOSC_KDTREE_DUPLICATES_REMOVE : BOSC_KDTREE_DUPLICATES_KEEP};
        int64_t kept = -1, scratch = -1, more = -1;
        kd_set_build(&o, kind / 2);
        CHECK_OK(ctx, bosc_kdtree_bytes(ctx, &o, 10, &kept, &scratch));
        /* More points need more bytes, kept and scratch. */
        CHECK(kept > 0 && scratch > 0);
        CHECK_OK(ctx, bosc_kdtree_bytes(ctx, &o, 1000, &more, NULL));
        CHECK(more > kept);
        CHECK_OK(ctx, bosc_kdtree_bytes(ctx, &o, 1000, NULL, &more));
        CHECK(more > scratch);
        CHECK_OK(ctx, bosc_kdtree_bytes(ctx, &o, 0, NULL, NULL));
        bosc_kdtree *tree = NULL;
        bosc_kdtree_info before = {.size = sizeof before}, after = before;
        bosc_kdtree_times times = {.size = sizeof times};
        CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
        CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p, 10, 0));
        /* Only the published builder reports the time of a sort. */
        CHECK_EQ(bosc_kdtree_get_times(ctx, tree, &times), BOSC_OK);
        CHECK((times.sort > 0) == (o.builder != BOSC_KDTREE_AUTO));
        CHECK((times.init > 0) == (o.builder != BOSC_KDTREE_AUTO));
        CHECK_OK(ctx, bosc_kdtree_reserve(ctx, tree, 100, 0, 0));
        /* A second reserve of the same size, and smaller ones. */
        CHECK_EQ(bosc_kdtree_get_info(ctx, tree, &before), BOSC_OK);
        CHECK_OK(ctx, bosc_kdtree_reserve(ctx, tree, 100, 0, 0));
        CHECK_OK(ctx, bosc_kdtree_reserve(ctx, tree, 1, 10, 5));
        CHECK_OK(ctx, bosc_kdtree_reserve(ctx, tree, 0, 0, 0));
        CHECK_EQ(bosc_kdtree_get_info(ctx, tree, &after), BOSC_OK);
        CHECK(before.bytes == after.bytes && before.nodes == after.nodes && before.depth == after.depth);
        bosc_kdtree_free(tree);
    }
}

/* More elements than a 64-bit number of bytes can hold. */
static void refuses_uncountable_elements(bosc_ctx *ctx)
{
    void *p;
    CHECK_STATUS(ctx, bi_scratch_of(ctx, INT64_MAX, 8, &p), BOSC_ERR_NOMEM);
    CHECK_STATUS(ctx, bi_scratch_of(ctx, INT64_MAX / 1024, 8192, &p), BOSC_ERR_NOMEM);
    CHECK(suite_begins(bosc_ctx_message(ctx), "out of "));
}

static void other_backend(void)
{
    bosc_ctx_opts cpu = {.size = sizeof cpu}, cuda = {.size = sizeof cuda, .backend = BOSC_BACKEND_CUDA};
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 2};
    bosc_ctx *a = NULL, *b = NULL;
    bosc_kdtree *tree = NULL;
    if (bosc_device_count() == 0) return;
    CHECK_EQ(bosc_ctx_create(&cpu, &a), BOSC_OK);
    CHECK_EQ(bosc_ctx_create(&cuda, &b), BOSC_OK);
    CHECK_OK(a, bosc_kdtree_create(a, &o, &tree));
    CHECK_ARG(b, bosc_kdtree_build(b, tree, NULL, 0, 0), "tree");
    CHECK_ARG(b, bosc_kdtree_verify(b, tree, NULL), "tree");
    bosc_kdtree_free(tree);
    bosc_ctx_free(a);
    bosc_ctx_free(b);
}

static const struct suite_case suite_cases_kdtree_args[] = {
    {"create", refuses_bad_options, NULL},
    {"build", refuses_bad_points, NULL},
    {"queries", refuses_bad_queries, NULL},
    {"NaN rows", nan_rows, NULL},
    {"results", refuses_bad_outputs, NULL},
    {"offsets", refuses_foreign_offsets, NULL},
    {"others", refuses_other_arguments, NULL},
    {"sizes", reports_bytes_and_reserves, NULL},
    {"alignment", refuses_misaligned_arrays, NULL},
    {"nearest other", nearest_other, NULL},
    {"not a number", not_a_number, NULL},
    {"boxes", boxes, NULL},
    {"scratch", refuses_uncountable_elements, NULL},
    {"another backend", NULL, other_backend},
};
SUITE(kdtree_args);
