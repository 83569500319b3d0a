/* Searches for the nearest with many equal queries, which CUDA searches once. */
#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_checks.h"
#include "cases/kdtree/kdtree_order.h"
#include "core/context.h"
#include "kdtree/kdtree.h"
#include "support/arrays.h"

static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};

/* Returns a number of queries that CUDA sorts. It is no multiple of a chunk of queries. */
static int64_t sorted_queries(bosc_ctx *ctx)
{
    return suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA ? 1024 * (int64_t)ctx->multiprocessors + 333 : 700;
}

struct search {
    int64_t k;
    double radius; /* negative: none */
    int32_t id_bits;
};

/* Searches twice: with tree->brackets as after a build of points that share coordinates, and as after one of others.
 * The answers are the same. */
static void compare_searches(bosc_ctx *ctx, bosc_kdtree *tree, const struct reference_points *q, struct search s)
{
    const size_t entries = (size_t)(q->n * s.k), id_bytes = entries * (size_t)s.id_bits / 8,
                 bytes = entries * (q->dtype == BOSC_F32 ? 4 : 8);
    char *ids[2], *dist2[2];
    for (int shares = 0; shares < 2; shares++) {
        ids[shares] = suite_alloc(id_bytes);
        dist2[shares] = suite_alloc(bytes);
        memset(ids[shares], 85, id_bytes);
        memset(dist2[shares], 85, bytes);
        tree->brackets = shares;
        void *distances = s.k % 2 ? dist2[shares] : NULL;
        if (s.radius < 0)
            CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, q->data, q->n, q->stride, s.k, ids[shares], distances));
        else
            CHECK_OK(ctx, bosc_kdtree_knn_within(ctx, tree, q->data, q->n, q->stride, s.k, s.radius, ids[shares],
                                                 distances));
    }
    CHECK(memcmp(ids[0], ids[1], id_bytes) == 0);
    CHECK(memcmp(dist2[0], dist2[1], bytes) == 0);
    for (int shares = 0; shares < 2; shares++) {
        free(ids[shares]);
        free(dist2[shares]);
    }
}

/* Makes queries at few sites, with zeros of both signs. Some sites are points. `far`: some are far from all points. */
static struct reference_points make_queries(struct suite_random *r, bosc_dtype dtype, int32_t dim, int64_t m, bool far)
{
    struct reference_points q = kd_points(r, dtype, dim, m, dim, KD_EQUAL);
    const int64_t sites = 1 + (int64_t)suite_below(r, 90);
    for (int64_t i = 0; i < m; i++) {
        const int64_t site = (int64_t)suite_below(r, (uint64_t)sites);
        const bool alone = suite_below(r, 8) == 0; /* these differ from most others */
        for (int32_t c = 0; c < dim; c++) {
            double x = far ? (double)(site * (c + 3) % 9 - 3) : (double)((site >> 2 * c) % 4 - 1); /* as KD_GRID has */
            if (alone) x += suite_unit(r) * (far ? 3 : 0.5) - (far ? 1 : 0);
            if (far && site % 3 == 0) x += 500 + (double)(site * 71 % 97);
            kd_set((void *)q.data, dtype, i * dim + c, x == 0 && suite_below(r, 2) ? -0.0 : x);
        }
    }
    return q;
}

/* Counts within a radius twice, likewise. */
static void compare_counts(bosc_ctx *ctx, bosc_kdtree *tree, const struct reference_points *q, double radius)
{
    int64_t *counts[2];
    for (int shares = 0; shares < 2; shares++) {
        counts[shares] = suite_alloc((size_t)q->n * sizeof *counts[shares]);
        memset(counts[shares], 85, (size_t)q->n * sizeof *counts[shares]);
        tree->brackets = !shares; /* first distinct ones: scratch may hold the answers of the call before */
        CHECK_OK(ctx, bosc_kdtree_radius_count(ctx, tree, q->data, q->n, q->stride, radius, counts[shares]));
    }
    CHECK(memcmp(counts[0], counts[1], (size_t)q->n * sizeof *counts[0]) == 0);
    free(counts[0]);
    free(counts[1]);
}

static void compare(bosc_ctx *ctx, struct suite_random *r, int trial, bool far)
{
    static const int64_t neighbours[] = {1, 8, 3, 32, 17, 9, 2};
    const bosc_dtype dtype = dtypes[trial % 4];
    const int32_t dim = 1 + trial / 4 % 4;
    const struct search s = {neighbours[trial % 7], trial % 3 ? -1 : 1 + (double)(trial % 5), trial % 5 ? 32 : 64};
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtype, .dim = dim, .id_bits = s.id_bits};
    struct reference_points p = kd_points(r, dtype, dim, 400 + 37 * trial, dim, KD_GRID),
                            q = make_queries(r, dtype, dim, sorted_queries(ctx), far), some = q;
    bosc_kdtree *tree = kd_build(ctx, &opts, &p);
    if (trial % 8 == 7) kd_want_order(tree);
    compare_searches(ctx, tree, &q, s);
    compare_counts(ctx, tree, &q, trial % 3);
    some.n = 20;
    check_knn(ctx, tree, &p, &some, s.k, s.radius, s.id_bits);
    bosc_kdtree_free(tree);
    free((void *)p.data);
    free((void *)q.data);
}

static void repeated(bosc_ctx *ctx)
{
    struct suite_random r = {1};
    for (int trial = 0; trial < 28; trial++)
        if (!suite_leaves_out()) compare(ctx, &r, trial, false);
}

static void far(bosc_ctx *ctx)
{
    struct suite_random r = {2};
    for (int trial = 0; trial < 16; trial++)
        if (!suite_leaves_out()) compare(ctx, &r, trial, true);
}

/* A NaN among repeated queries: nothing is written, nor copied, to memory of the context either. */
static void bad_query(bosc_ctx *ctx)
{
    struct suite_random r = {3};
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = 3, .id_bits = 32};
    const int64_t m = sorted_queries(ctx);
    struct reference_points p = kd_points(&r, BOSC_F32, 3, 500, 3, KD_GRID),
                            q = make_queries(&r, BOSC_F32, 3, m, false);
    uint32_t *before = suite_alloc((size_t)m * 4);
    for (int64_t i = 0; i < m; i++) before[i] = (uint32_t)i + 1000;
    bosc_kdtree *tree = kd_build(ctx, &opts, &p);
    tree->brackets = 1;
    ((float *)q.data)[3 * m - 7] = NAN;
    for (int on_device = 0; on_device <= has_device_memory(ctx); on_device++) {
        struct array queries = array_make(ctx, q.data, (size_t)m * 12, on_device),
                     ids = array_make(ctx, before, (size_t)m * 4, on_device);
        CHECK_STATUS(ctx, bosc_kdtree_knn(ctx, tree, queries.p, m, 0, 1, ids.p, NULL), BOSC_ERR_DATA);
        CHECK(memcmp(array_get(ctx, &ids), before, (size_t)m * 4) == 0);
        array_free(ctx, &queries);
        array_free(ctx, &ids);
    }
    bosc_kdtree_free(tree);
    free(before);
    free((void *)p.data);
    free((void *)q.data);
}

/* All points as queries, many of them copies: the answers are those of a search for their coordinates. */
static void own_points(bosc_ctx *ctx)
{
    static const int64_t neighbours[] = {1, 9, 4, 32};
    struct suite_random r = {4};
    for (int trial = 0; trial < 16; trial++) {
        if (suite_leaves_out()) continue;
        const bosc_dtype dtype = dtypes[trial % 4];
        const int32_t dim = 1 + trial / 4, id_bits = trial % 3 ? 32 : 64;
        const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtype, .dim = dim, .id_bits = id_bits};
        struct reference_points p = make_queries(&r, dtype, dim, sorted_queries(ctx), false);
        bosc_kdtree *tree = kd_build(ctx, &opts, &p);
        if (trial % 8 == 7) kd_want_order(tree);
        tree->brackets = 1;
        check_self(ctx, tree, &p, neighbours[trial % 4], id_bits);
        bosc_kdtree_free(tree);
        free((void *)p.data);
    }
}

/* Arrays of answers that begin at no multiple of 16 bytes, and rows of 4 to 32 entries. */
static void not_aligned(bosc_ctx *ctx)
{
    static const int64_t neighbours[] = {8, 4, 6, 20, 32};
    struct suite_random r = {6};
    for (int trial = 0; trial < 10; trial++) {
        if (suite_leaves_out()) continue;
        /* 1. Build a tree, and make queries. */
        const bosc_dtype dtype = trial % 2 ? BOSC_F64 : BOSC_F32;
        const int64_t k = neighbours[trial / 2], m = sorted_queries(ctx);
        const size_t size = dtype == BOSC_F32 ? 4 : 8, entries = (size_t)(m * k);
        const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtype, .dim = 3, .id_bits = 32};
        struct reference_points p = kd_points(&r, dtype, 3, 700, 3, trial % 3 ? KD_GRID : KD_RANDOM),
                                q = make_queries(&r, dtype, 3, m, false);
        bosc_kdtree *tree = kd_build(ctx, &opts, &p);
        tree->brackets = 1;
        const bool on_device = has_device_memory(ctx);
        struct array queries = array_make(ctx, q.data, (size_t)m * 3 * size, on_device), ids[2], dist2[2];
        /* 2. Search with aligned arrays, then with others. */
        for (int moved = 0; moved < 2; moved++) {
            ids[moved] = array_make(ctx, NULL, (entries + 1) * 4, on_device);
            dist2[moved] = array_make(ctx, NULL, (entries + 1) * size, on_device);
            CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, queries.p, m, 0, k, (uint32_t *)ids[moved].p + moved,
                                          (char *)dist2[moved].p + (size_t)moved * size));
        }
        /* 3. Compare the answers. */
        CHECK(memcmp(array_get(ctx, &ids[0]), (uint32_t *)array_get(ctx, &ids[1]) + 1, entries * 4) == 0);
        CHECK(memcmp(array_get(ctx, &dist2[0]), (char *)array_get(ctx, &dist2[1]) + size, entries * size) == 0);
        array_free(ctx, &queries);
        for (int moved = 0; moved < 2; moved++) {
            array_free(ctx, &ids[moved]);
            array_free(ctx, &dist2[moved]);
        }
        bosc_kdtree_free(tree);
        free((void *)p.data);
        free((void *)q.data);
    }
}

static const struct suite_case suite_cases_kdtree_repeated[] = {
    {"repeated", repeated, NULL},       {"far", far, NULL},
    {"bad query", bad_query, NULL},     {"own points", own_points, NULL},
    {"not aligned", not_aligned, NULL},
};
SUITE(kdtree_repeated);
