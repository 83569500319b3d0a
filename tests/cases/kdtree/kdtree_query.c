/* Searches equal measuring every point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_checks.h"
#include "cases/kdtree/kdtree_order.h"
#include "kdtree/kdtree.h"

static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};

/* Queries: some are points of the tree, some are new. */
static struct reference_points make_queries(struct suite_random *r, const struct reference_points *p, int64_t m,
                                            enum kd_shape shape)
{
    struct reference_points q = kd_ordinary_points(r, p->dtype, p->dim, m, p->dim + (int64_t)suite_below(r, 2), shape);
    size_t size = bosc_dtype_size(p->dtype);
    for (int64_t i = 0; i < m && p->n; i += 2)
        memcpy((void *)kd_row(&q, i), kd_row(p, (int64_t)suite_below(r, (uint64_t)p->n)), size * (size_t)p->dim);
    return q;
}

static void check_row(const struct reference_points *p, const void *query, double r2, const int64_t *offsets,
                      int64_t row, const void *ids, const void *dist2, int32_t id_bits)
{
    int64_t at = offsets[row];
    for (int64_t i = 0; i < p->n; i++) {
        double d = reference_dist2(p, i, query);
        if (!(d <= r2)) continue;
        CHECK(at < offsets[row + 1]);
        CHECK_EQ(kd_id(ids, id_bits, at), i);
        CHECK((p->dtype == BOSC_F32 ? (double)((const float *)dist2)[at] : ((const double *)dist2)[at]) == d);
        at++;
    }
    CHECK_EQ(at, offsets[row + 1]);
}

static void check_radius(bosc_ctx *ctx, const bosc_kdtree *tree, const struct reference_points *p,
                         const struct reference_points *q, double radius, int32_t id_bits)
{
    double r2 = reference_square_limit(radius, p->dtype == BOSC_F32);
    int64_t *offsets = suite_alloc((size_t)(q->n + 1) * sizeof *offsets);
    int64_t *counts = suite_alloc((size_t)q->n * sizeof *counts);
    CHECK_OK(ctx, bosc_kdtree_radius(ctx, tree, q->data, q->n, q->stride, radius, offsets, NULL, NULL, 0));
    CHECK_OK(ctx, bosc_kdtree_radius_count(ctx, tree, q->data, q->n, q->stride, radius, counts));
    int64_t total = offsets[q->n];
    void *ids = suite_alloc((size_t)total * 8), *dist2 = suite_alloc((size_t)total * 8);
    CHECK_OK(ctx, bosc_kdtree_radius(ctx, tree, q->data, q->n, q->stride, radius, offsets, ids, dist2, total));
    for (int64_t i = 0; i < q->n; i++) {
        CHECK_EQ(counts[i], offsets[i + 1] - offsets[i]);
        check_row(p, kd_row(q, i), r2, offsets, i, ids, dist2, id_bits);
    }
    if (total)
        CHECK_STATUS(ctx,
                     bosc_kdtree_radius(ctx, tree, q->data, q->n, q->stride, radius, offsets, ids, dist2, total - 1),
                     BOSC_ERR_SPACE);
    free(offsets);
    free(counts);
    free(ids);
    free(dist2);
}

/* Boxes between two queries, coordinate by coordinate; every third one has its corners exchanged. */
static void *make_boxes(const struct reference_points *q, int64_t count)
{
    size_t size = bosc_dtype_size(q->dtype), dim = (size_t)q->dim;
    char *boxes = suite_alloc((size_t)count * 2 * dim * size);
    for (int64_t b = 0; b < count; b++) {
        const void *x = kd_row(q, b % q->n), *y = kd_row(q, (b * 7 + 1) % q->n);
        char *low = boxes + (size_t)b * 2 * dim * size, *high = low + dim * size;
        for (size_t c = 0; c < dim; c++) {
            bool less = kd_get(x, q->dtype, (int64_t)c) < kd_get(y, q->dtype, (int64_t)c) || b % 3 == 2;
            memcpy((less ? low : high) + c * size, (const char *)x + c * size, size);
            memcpy((less ? high : low) + c * size, (const char *)y + c * size, size);
        }
    }
    return boxes;
}

static bool in_box(const struct reference_points *p, int64_t i, const void *boxes, int64_t b)
{
    bool inside = true;
    for (int32_t c = 0; c < p->dim; c++) {
        int64_t low = 2 * b * p->dim + c, at = i * p->stride + c;
        if (p->dtype == BOSC_I64) { /* a double cannot represent every 64-bit integer */
            const int64_t *box = boxes, x = ((const int64_t *)p->data)[at];
            inside = inside && box[low] <= x && x <= box[low + p->dim];
        } else {
            double x = kd_get(p->data, p->dtype, at);
            inside = inside && kd_get(boxes, p->dtype, low) <= x && x <= kd_get(boxes, p->dtype, low + p->dim);
        }
    }
    return inside;
}

static void check_boxes(bosc_ctx *ctx, const bosc_kdtree *tree, const struct reference_points *p,
                        const struct reference_points *q, int32_t id_bits)
{
    int64_t count = q->n, *offsets = suite_alloc((size_t)(count + 1) * sizeof *offsets);
    void *boxes = make_boxes(q, count);
    CHECK_OK(ctx, bosc_kdtree_box(ctx, tree, boxes, count, offsets, NULL, 0));
    int64_t total = offsets[count], at = 0;
    void *ids = suite_alloc((size_t)total * 8 + 8);
    CHECK_OK(ctx, bosc_kdtree_box(ctx, tree, boxes, count, offsets, ids, total));
    for (int64_t b = 0; b < count; b++) {
        for (int64_t i = 0; i < p->n; i++) {
            if (!in_box(p, i, boxes, b)) continue;
            CHECK(at < offsets[b + 1]);
            CHECK_EQ(kd_id(ids, id_bits, at), i);
            at++;
        }
        CHECK_EQ(at, offsets[b + 1]);
    }
    if (total) CHECK_STATUS(ctx, bosc_kdtree_box(ctx, tree, boxes, count, offsets, ids, total - 1), BOSC_ERR_SPACE);
    free(boxes);
    free(offsets);
    free(ids);
}

/* All searches among these points; frees them. */
static void try_points(bosc_ctx *ctx, struct suite_random *r, struct reference_points p, enum kd_shape shape, int64_t k)
{
    static const double radii[] = {0, 0.5, 3, 150, 1500, 0x1p120, INFINITY};
    int32_t id_bits = suite_below(r, 2) ? 32 : 64;
    bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = p.dtype, .dim = p.dim, .id_bits = id_bits};
    struct reference_points q = make_queries(r, &p, 1 + (int64_t)suite_below(r, 20), shape);
    bosc_kdtree *tree = kd_build(ctx, &opts, &p);
    tree->brackets = id_bits == 32; /* CUDA: not 0, if coordinates repeat; then searches compare ids early */
    double radius = radii[suite_below(r, sizeof radii / sizeof radii[0])];
    check_knn(ctx, tree, &p, &q, k, -1, id_bits);
    check_knn(ctx, tree, &p, &q, k, radius, id_bits);
    check_self(ctx, tree, &p, k, id_bits);
    check_radius(ctx, tree, &p, &q, radius, id_bits);
    check_boxes(ctx, tree, &p, &q, id_bits);
    bosc_kdtree_free(tree);
    free((void *)p.data);
    free((void *)q.data);
}

static void try_one(bosc_ctx *ctx, struct suite_random *r, bosc_dtype dtype, int32_t dim, int64_t n, int64_t k,
                    enum kd_shape shape)
{
    if (!suite_leaves_out()) try_points(ctx, r, kd_ordinary_points(r, dtype, dim, n, dim, shape), shape, k);
}

static void every_shape_type_and_dimension(bosc_ctx *ctx)
{
    struct suite_random r = {1};
    for (int s = 0; s < KD_SHAPES; s++)
        for (int t = 0; t < 4; t++)
            for (int32_t dim = 1; dim <= 12; dim += suite_slow(ctx) ? 4 : 1)
                try_one(ctx, &r, dtypes[t], dim, (int64_t)suite_below(&r, 200), 1 + (int64_t)suite_below(&r, 12),
                        (enum kd_shape)s);
}

/* k from 1 to beyond the number of points. */
static void k_from_1_beyond_n(bosc_ctx *ctx)
{
    struct suite_random r = {2};
    for (int64_t n = 0; n < 40; n += suite_slow(ctx) ? 13 : 3)
        for (int64_t k = 1; k <= n + 3; k += suite_slow(ctx) ? 5 : 2)
            try_one(ctx, &r, dtypes[(n + k) % 4], 1 + (int32_t)((n * k) % 4), n, k,
                    (enum kd_shape)suite_below(&r, KD_SHAPES));
    try_one(ctx, &r, BOSC_F32, 3, 300, 100, KD_GRID);
    try_one(ctx, &r, BOSC_F64, 3, 300, 303, KD_RANDOM);
}

static void up_to_64_neighbours(bosc_ctx *ctx)
{
    struct suite_random r = {3};
    int64_t n = suite_slow(ctx) ? 300 : 1500;
    for (int32_t dim = 1; dim <= 5; dim += 2)
        for (int t = 0; t < 2; t++)
            for (int64_t k = 1; k <= 64; k *= 4)
                try_one(ctx, &r, dtypes[t], dim, n + (int64_t)suite_below(&r, 99), k,
                        (enum kd_shape)suite_below(&r, KD_SHAPES));
}

/* Points of few values, all equal, or half of them infinite. Searches must not visit all points as far as the last
 * neighbour, which would take long. */
static void ties(bosc_ctx *ctx)
{
    static const bosc_dtype types[] = {BOSC_F32, BOSC_F64, BOSC_F32, BOSC_I32};
    struct suite_random r = {4};
    int64_t n = suite_slow(ctx) ? 700 : 8000, m = suite_slow(ctx) ? 50 : 1500, k = 5;
    for (int t = 0; t < 4; t++) {
        /* 1. Points with few distances, some of them infinite. */
        struct reference_points p = kd_points(&r, types[t], 3, n, 3, KD_RANDOM);
        for (int64_t i = 0; i < n * 3; i++) {
            double x = t == 0   ? (double)suite_below(&r, 3)
                       : t == 1 ? 7
                       : t == 2 ? (i / 3 % 2 ? (double)INFINITY : 0.0)
                                : (double)suite_below(&r, 3) * 0x1p29;
            kd_set((void *)p.data, p.dtype, i, x);
        }
        /* 2. Search them with many queries, and compare some. */
        bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = p.dtype, .dim = 3, .id_bits = 32};
        bosc_kdtree *tree = kd_build(ctx, &opts, &p);
        struct reference_points q = make_queries(&r, &p, m, KD_GRID);
        struct reference_points some = q;
        some.n = 20;
        uint32_t *ids = suite_alloc((size_t)(m * k) * sizeof *ids);
        CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, q.data, m, q.stride, k, ids, NULL));
        CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, q.data, m, q.stride, 1, ids, NULL));
        check_knn(ctx, tree, &p, &some, k, -1, 32);
        check_knn(ctx, tree, &p, &some, 40, -1, 32);
        check_self(ctx, tree, &p, k, 32);
        bosc_kdtree_free(tree);
        free(ids);
        free((void *)p.data);
        free((void *)q.data);
    }
}

/* Each set of flat axes; in 40 dimensions the axes beyond the levels of a tree are the first with extent, or the only
 * ones. */
static void flat(bosc_ctx *ctx)
{
    struct suite_random r = {5};
    int64_t n = suite_slow(ctx) ? 150 : 500;
    for (int f = 0; f < KD_FLATNESSES; f++) {
        for (int32_t dim = 2; dim <= 4; dim++)
            for (unsigned axes = 1; axes < 1u << dim; axes++)
                if (!suite_leaves_out())
                    try_points(ctx, &r,
                               kd_flat_points(&r, dtypes[(axes + (unsigned)f) % 4], dim,
                                              n + (int64_t)suite_below(&r, 99), (enum kd_flatness)f, axes,
                                              suite_below(&r, 4) ? KD_RANDOM : KD_SPECIAL),
                               KD_RANDOM, 1 + (int64_t)suite_below(&r, 40));
        for (unsigned axes = 0x7f; axes <= 0xff && !suite_slow(ctx); axes += 0x40)
            try_points(ctx, &r, kd_flat_points(&r, BOSC_F32, 40, n, (enum kd_flatness)f, axes, KD_RANDOM), KD_RANDOM,
                       5);
    }
}

/* Queries near a few points. Every second one has exactly the coordinates shared by all points (with any sign if
 * zero); the others leave the plane in one of these, or in all. */
static struct reference_points queries_beside(struct suite_random *r, const struct reference_points *p, unsigned axes,
                                              int64_t m)
{
    struct reference_points q = kd_ordinary_points(r, p->dtype, p->dim, m, p->dim, KD_RANDOM);
    for (int64_t i = 0; i < m; i++)
        for (int32_t c = 0; c < p->dim; c++) {
            double near = kd_get(kd_row(p, i / 40 * 7 % p->n), p->dtype, c), x = near + 20 * suite_unit(r);
            if (axes >> c & 1) x = near == 0 ? copysign(0, suite_unit(r) - 0.5) : near;
            if (i % 4 == 1 && axes >> c == 1) x += suite_below(r, 2) ? 1e-3 : 50;
            if (i % 4 == 3) x += 3;
            kd_set((void *)q.data, q.dtype, i * q.dim + c, x);
        }
    return q;
}

/* Trees with coordinates shared by all points (the last only, the first, a middle one, several), and trees without, in
 * one handle; many past queries make a device order it by extent. In some trees the other coordinates have few
 * values, so that whole subtrees are equal points. */
static void beside_flat(bosc_ctx *ctx)
{
    static const int64_t neighbors[] = {8, 1, 40, 2};
    struct suite_random r = {7};
    int64_t n = suite_slow(ctx) ? 300 : 700, m = suite_slow(ctx) ? 40 : 200;
    for (int i = 0; i < 3 * 4; i++) {
        int32_t dim = 2 + i % 3;
        bosc_dtype dtype = dtypes[i / 3];
        bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtype, .dim = dim, .id_bits = 32};
        bosc_kdtree *tree = NULL;
        CHECK_OK(ctx, bosc_kdtree_create(ctx, &opts, &tree));
        for (unsigned axes = 1u << dim; axes-- > 0;) {
            if (suite_leaves_out()) continue;
            struct reference_points p =
                kd_flat_points(&r, dtype, dim, n, KD_FLAT, axes, axes % 3 ? KD_RANDOM : KD_GRID);
            struct reference_points q = queries_beside(&r, &p, axes, m);
            CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p.data, n, dim));
            kd_want_order(tree);
            check_knn(ctx, tree, &p, &q, neighbors[axes % 4], -1, 32);
            check_knn(ctx, tree, &p, &q, neighbors[(axes + 1) % 4], 150, 32);
            check_radius(ctx, tree, &p, &q, 30, 32);
            free((void *)p.data);
            free((void *)q.data);
        }
        bosc_kdtree_free(tree);
    }
}

/* Many queries at few positions, which may be answered together. The points are sparse at the ends and dense in
 * between, so that one result's distance does not predict the next; or in layers, at many equal distances. */
static void crowds(bosc_ctx *ctx)
{
    static const int32_t dims[] = {1, 2, 3, 8, 9}, neighbors[] = {2, 8, 32};
    struct suite_random r = {6};
    int64_t n = suite_slow(ctx) ? 300 : 3000, m = suite_slow(ctx) ? 24 : 150;
    for (int i = 0; i < 2 * 5 * 3; i++) {
        if (suite_leaves_out()) continue;
        bosc_dtype dtype = dtypes[i % 4];
        int32_t dim = dims[i % 5];
        bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtype, .dim = dim, .id_bits = 32};
        struct reference_points p = kd_points(&r, dtype, dim, n, dim, KD_RANDOM);
        struct reference_points q = kd_points(&r, dtype, dim, m, dim, KD_RANDOM);
        /* Cubed coordinates crowd around 0; later trials use a grid of 12 layers. */
        for (int64_t at = 0; at < n * dim; at++) {
            double x = suite_unit(&r) * 2 - 1;
            kd_set((void *)p.data, dtype, at, i < 15 ? x * x * x * 1e6 : (double)suite_below(&r, 12));
        }
        /* Two thirds of the queries are in a tenth of the space. */
        for (int64_t at = 0; at < m * dim; at++) {
            double x = suite_unit(&r) * (at / dim % 3 ? 0.1 : 0.9);
            kd_set((void *)q.data, dtype, at, i < 15 ? x * x * x * 1e6 : floor(x * 12));
        }
        bosc_kdtree *tree = kd_build(ctx, &opts, &p);
        check_knn(ctx, tree, &p, &q, neighbors[i % 3], -1, 32);
        check_knn(ctx, tree, &p, &q, neighbors[i % 3], i < 15 ? 1e4 : 1, 32);
        bosc_kdtree_free(tree);
        free((void *)p.data);
        free((void *)q.data);
    }
}

/* The results of `part` of the queries alone equal those of `all`, which are enough for a device to sort them. */
static void check_part(bosc_ctx *ctx, const bosc_kdtree *tree, const struct reference_points *all, int64_t begin,
                       int64_t count, int64_t k, const uint32_t *ids, const int64_t *counts, const int64_t *boxes)
{
    struct reference_points part = *all;
    uint32_t *some = suite_alloc((size_t)(count * k) * sizeof *some);
    int64_t *numbers = suite_alloc((size_t)(count + 1) * sizeof *numbers);
    void *corners = make_boxes(all, all->n);
    size_t size = 2 * (size_t)all->dim * bosc_dtype_size(all->dtype);
    part.data = kd_row(all, begin);
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, part.data, count, part.stride, k, some, NULL));
    CHECK(memcmp(some, ids + begin * k, (size_t)(count * k) * sizeof *some) == 0);
    CHECK_OK(ctx, bosc_kdtree_radius_count(ctx, tree, part.data, count, part.stride, 30, numbers));
    CHECK(memcmp(numbers, counts + begin, (size_t)count * sizeof *numbers) == 0);
    CHECK_OK(ctx, bosc_kdtree_box(ctx, tree, (char *)corners + (size_t)begin * size, count, numbers, NULL, 0));
    for (int64_t i = 0; i <= count; i++) CHECK_EQ(numbers[i], boxes[begin + i] - boxes[begin]);
    free(some);
    free(numbers);
    free(corners);
}

/* More queries than a device answers in the caller's order, and few of them. */
static void batches(bosc_ctx *ctx)
{
    static const int64_t neighbors[] = {8, 1, 16, 2};
    static const bosc_dtype types[] = {BOSC_I64, BOSC_F32, BOSC_F32, BOSC_F64};
    struct suite_random r = {8};
    /* 140,000 queries: a device sorts them first. */
    int64_t n = suite_slow(ctx) ? 400 : 1500, m = suite_slow(ctx) ? 2200 : 140000;
    for (int32_t dim = 1; dim <= 4; dim++) {
        const int64_t k = neighbors[dim - 1];
        bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = types[dim - 1], .dim = dim, .id_bits = 32};
        struct reference_points p = kd_points(&r, opts.dtype, dim, n, dim, KD_RANDOM);
        struct reference_points q = kd_points(&r, opts.dtype, dim, m, dim, KD_RANDOM), some = q;
        bosc_kdtree *tree = kd_build(ctx, &opts, &p);
        uint32_t *ids = suite_alloc((size_t)(m * k) * sizeof *ids);
        int64_t *counts = suite_alloc((size_t)m * sizeof *counts);
        int64_t *offsets = suite_alloc((size_t)(m + 1) * sizeof *offsets);
        void *boxes = make_boxes(&q, m);
        /* The first 40 against the reference, all at once, then parts of them against the whole. */
        some.n = 40;
        check_knn(ctx, tree, &p, &some, k, -1, 32);
        CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, q.data, m, q.stride, k, ids, NULL));
        CHECK_OK(ctx, bosc_kdtree_radius_count(ctx, tree, q.data, m, q.stride, 30, counts));
        CHECK_OK(ctx, bosc_kdtree_box(ctx, tree, boxes, m, offsets, NULL, 0));
        for (int i = 0; i < 4; i++)
            check_part(ctx, tree, &q, i ? (int64_t)suite_below(&r, (uint64_t)(m - 40)) : 0, 40, k, ids, counts,
                       offsets);
        bosc_kdtree_free(tree);
        free(ids);
        free(counts);
        free(offsets);
        free(boxes);
        free((void *)p.data);
        free((void *)q.data);
    }
}

/* Number of queries that a device answers with a warp each; smaller on a CPU, whose threads take them one by one. */
static int64_t warp_query_count(bosc_ctx *ctx)
{
    if (suite_slow(ctx)) return 100;
    return suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA ? 8000 : 800;
}

/* Searches all queries at once, then in parts: the first part gets a warp for each query on a device, the others have
 * `others` queries each. */
static void check_at_once(bosc_ctx *ctx, const bosc_kdtree *tree, const struct reference_points *q, int64_t k,
                          int64_t others)
{
    const int64_t first = warp_query_count(ctx);
    const size_t size = bosc_dtype_size(q->dtype), width = q->dtype == BOSC_F32 ? 4 : 8;
    uint32_t *ids = suite_alloc((size_t)(q->n * k) * 4), *some = suite_alloc((size_t)(others * k) * 4);
    char *dist2 = suite_alloc((size_t)(q->n * k) * width), *distances = suite_alloc((size_t)(others * k) * width);
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, q->data, q->n, q->stride, k, ids, dist2));
    for (int64_t begin = 0, count = first; begin < q->n; begin += count, count = others) {
        if (count > q->n - begin) count = q->n - begin;
        const char *part = (const char *)q->data + (size_t)(begin * q->stride) * size;
        CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, part, count, q->stride, k, some, distances));
        CHECK(memcmp(some, ids + begin * k, (size_t)(count * k) * 4) == 0);
        CHECK(memcmp(distances, dist2 + (size_t)(begin * k) * width, (size_t)(count * k) * width) == 0);
    }
    free(ids);
    free(some);
    free(dist2);
    free(distances);
}

enum distant_shape { DISTANT_CLUSTERS, DISTANT_PLACES, DISTANT_SHELL, DISTANT_PLANE, DISTANT_SHAPES };

/* Coordinate c of a point: in few clusters, at few positions, at nearly one distance from the centre, or in a plane. */
static double distant_value(struct suite_random *r, enum distant_shape shape, int64_t i, int32_t c)
{
    const double turn = 0.7 * (double)i + c;
    if (shape == DISTANT_CLUSTERS) return (double)suite_below(r, 2) * 2e5 + suite_unit(r) * suite_unit(r) * 1e3;
    if (shape == DISTANT_PLACES) return (double)suite_below(r, 3) * 1e5;
    if (shape == DISTANT_SHELL) return 1e5 + (c % 2 ? 9e4 * sin(turn) : 9e4 * cos(turn - 1));
    return c == 1 ? 5e4 : suite_unit(r) * 1e3;
}

/* So many queries that a device sorts them, far from all points: close together, all around, and special values. */
static void distant(bosc_ctx *ctx)
{
    static const int64_t neighbors[] = {8, 1, 20, 9, 32, 2, 17, 3};
    struct suite_random r = {10};
    const bool device = suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA;
    const int64_t n = suite_slow(ctx) ? 700 : 3000, m = !device || suite_slow(ctx) ? 2112 : 140000;
    for (int i = 0; i < 8 * DISTANT_SHAPES; i++) {
        if (suite_leaves_out()) continue;
        const enum distant_shape shape = (enum distant_shape)(i % DISTANT_SHAPES);
        const bosc_dtype dtype = i < 16 ? dtypes[(i + i / 4) % 4] : BOSC_F32;
        const int32_t dim = 1 + i / 4 % 4;
        const int64_t k = neighbors[i < 16 ? i % 5 : i % 8];
        bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtype, .dim = dim, .id_bits = 32};
        struct reference_points p = kd_points(&r, dtype, dim, n, dim, KD_RANDOM);
        struct reference_points q = kd_ordinary_points(&r, dtype, dim, m, dim + 1, KD_SPECIAL), some = q;
        for (int64_t at = 0; at < n * dim; at++)
            kd_set((void *)p.data, dtype, at, distant_value(&r, shape, at / dim, (int32_t)(at % dim)));
        for (int64_t at = 0; at < m * (dim + 1); at++) {
            const int64_t group = at / (dim + 1) * 8 / m;
            if (group < 7)
                kd_set((void *)q.data, dtype, at, group < 5 ? 1e5 + suite_unit(&r) * 500 : suite_unit(&r) * 3e5 - 5e4);
        }
        bosc_kdtree *tree = kd_build(ctx, &opts, &p);
        some.n = 40;
        check_knn(ctx, tree, &p, &some, k, -1, 32);
        check_at_once(ctx, tree, &q, k, suite_slow(ctx) ? 2000 : 50000); /* not sorted */
        bosc_kdtree_free(tree);
        free((void *)p.data);
        free((void *)q.data);
    }
}

/* Numbers of queries for which a device uses several lanes each: more than it has warps for, but few. */
static void several_lanes(bosc_ctx *ctx)
{
    static const int64_t neighbors[] = {8, 2, 5}, times[] = {14, 30, 70};
    struct suite_random r = {13};
    for (int i = 0; i < 16; i++) {
        if (suite_leaves_out()) continue;
        const bosc_dtype dtype = dtypes[(i + i / 4) % 4];
        const int32_t dim = 1 + i / 4;
        const int64_t n = suite_slow(ctx) ? 700 : 20000, m = warp_query_count(ctx) * times[i % 3] / 10;
        bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtype, .dim = dim, .id_bits = 32};
        struct reference_points p = kd_ordinary_points(&r, dtype, dim, n, dim, i % 2 ? KD_RANDOM : KD_SPECIAL);
        struct reference_points q = kd_points(&r, dtype, dim, m, dim, KD_RANDOM);
        bosc_kdtree *tree = kd_build(ctx, &opts, &p);
        check_at_once(ctx, tree, &q, neighbors[(i + i / 3) % 3], warp_query_count(ctx));
        bosc_kdtree_free(tree);
        free((void *)p.data);
        free((void *)q.data);
    }
}

/* The square of a radius is rounded like the squares of distances, so a point is within its own distance. */
static void own_distances(bosc_ctx *ctx)
{
    struct suite_random r = {5};
    for (int t = 0; t < 2; t++) {
        bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtypes[t], .dim = 1};
        for (int trial = 0; trial < 20; trial++) {
            double radius = suite_unit(&r), point, query = 0;
            int64_t count, id;
            kd_set(&point, dtypes[t], 0, radius);
            struct reference_points p = {dtypes[t], 1, 1, 1, &point};
            bosc_kdtree *tree = kd_build(ctx, &opts, &p);
            CHECK_OK(ctx, bosc_kdtree_radius_count(ctx, tree, &query, 1, 0, radius, &count));
            CHECK_EQ(count, 1);
            CHECK_OK(ctx, bosc_kdtree_knn_within(ctx, tree, &query, 1, 0, 1, radius, &id, NULL));
            CHECK_EQ(id, 0);
            bosc_kdtree_free(tree);
        }
    }
}

/* The results of a search with some queries, with boxes between them, and with the points themselves. */
struct answers {
    int64_t k, m, self_count;
    uint32_t *ids, *self, *rows;
    char *dist2, *row_dist2;
    int64_t *offsets, *box_offsets;
};

enum { ROW_ROOM = 100 }; /* of a query; longer rows are left out */

static struct answers search_all(bosc_ctx *ctx, const bosc_kdtree *tree, const struct reference_points *q, int64_t k,
                                 double radius)
{
    const size_t width = q->dtype == BOSC_F32 ? 4 : 8;
    const int64_t m = q->n, room = m * ROW_ROOM;
    struct answers a = {.k = k, .m = m, .self_count = tree->opts.duplicates ? 0 : tree->nodes * k};
    void *boxes = make_boxes(q, m);
    a.ids = suite_alloc((size_t)(m * k) * 4);
    a.dist2 = suite_alloc((size_t)(m * k) * width);
    a.self = suite_alloc((size_t)a.self_count * 4);
    a.rows = suite_alloc((size_t)room * 4);
    a.row_dist2 = suite_alloc((size_t)room * width);
    a.offsets = suite_alloc((size_t)(m + 1) * 8);
    a.box_offsets = suite_alloc((size_t)(m + 1) * 8);
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, q->data, m, q->stride, k, a.ids, a.dist2));
    if (a.self_count) CHECK_OK(ctx, bosc_kdtree_knn_self(ctx, tree, k, a.self, NULL));
    CHECK_OK(ctx, bosc_kdtree_box(ctx, tree, boxes, m, a.box_offsets, NULL, 0));
    CHECK_OK(ctx, bosc_kdtree_radius(ctx, tree, q->data, m, q->stride, radius, a.offsets, NULL, NULL, 0));
    if (a.offsets[m] <= room)
        CHECK_OK(ctx, bosc_kdtree_radius(ctx, tree, q->data, m, q->stride, radius, a.offsets, a.rows, a.row_dist2,
                                         a.offsets[m]));
    free(boxes);
    return a;
}

static void check_same(const struct answers *a, const struct answers *b, size_t width)
{
    const size_t entries = (size_t)(a->m * a->k), offsets = (size_t)(a->m + 1) * 8;
    const size_t rows = a->offsets[a->m] <= a->m * ROW_ROOM ? (size_t)a->offsets[a->m] : 0;
    CHECK(memcmp(a->ids, b->ids, entries * 4) == 0);
    CHECK(memcmp(a->dist2, b->dist2, entries * width) == 0);
    CHECK(memcmp(a->self, b->self, (size_t)a->self_count * 4) == 0);
    CHECK(memcmp(a->offsets, b->offsets, offsets) == 0);
    CHECK(memcmp(a->box_offsets, b->box_offsets, offsets) == 0);
    CHECK(memcmp(a->rows, b->rows, rows * 4) == 0);
    CHECK(memcmp(a->row_dist2, b->row_dist2, rows * width) == 0);
}

static void free_answers(struct answers *a)
{
    void *all[] = {a->ids, a->self, a->rows, a->dist2, a->row_dist2, a->offsets, a->box_offsets};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
}

/* After many queries a search is of another order of the nodes, on the CPU if they are more than a leaf; the results
 * must not change. */
static void try_extent_order(bosc_ctx *ctx, struct suite_random *r, const struct reference_points *p,
                             const bosc_kdtree_opts *opts, unsigned axes, int64_t k, int64_t m)
{
    const size_t width = p->dtype == BOSC_F32 ? 4 : 8;
    struct reference_points q = queries_beside(r, p, axes, m), some = q;
    bosc_kdtree *tree = kd_build(ctx, opts, p);
    const bool ordered = suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA || tree->nodes > 32;
    bosc_kdtree_info before = {.size = sizeof before}, after = before;
    CHECK_OK(ctx, bosc_kdtree_get_info(ctx, tree, &before));
    tree->query_cache.order_decided = true;
    struct answers own = search_all(ctx, tree, &q, k, 30);
    CHECK(!tree->query_cache.by_extent);
    kd_want_order(tree);
    struct answers other = search_all(ctx, tree, &q, k, 30);
    CHECK((tree->query_cache.by_extent != NULL) == ordered);
    CHECK_OK(ctx, bosc_kdtree_get_info(ctx, tree, &after));
    CHECK((after.bytes > before.bytes) == ordered);
    check_same(&own, &other, width);
    some.n = 20;
    if (!opts->duplicates) check_knn(ctx, tree, p, &some, 5, -1, 32);
    CHECK_OK(ctx, bosc_kdtree_verify(ctx, tree, NULL));
    free_answers(&own);
    free_answers(&other);
    bosc_kdtree_free(tree);
    free((void *)q.data);
}

static void extent_order(bosc_ctx *ctx)
{
    static const int64_t neighbors[] = {8, 1, 20, 2, 32, 17};
    struct suite_random r = {11};
    const bool device = suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA;
    const int64_t n = suite_slow(ctx) ? 900 : 3000, many = !device ? 400 : suite_slow(ctx) ? 2112 : 140000;
    for (int32_t dim = 3, i = 0; dim <= 4; dim++)
        for (unsigned axes = 1; axes < 1u << dim; axes++) {
            if (__builtin_popcount(axes) > dim - 2) continue;
            for (int t = 0; t < 4; t++, i++) {
                if (suite_leaves_out()) continue;
                static const enum kd_shape shapes[] = {KD_RANDOM, KD_GRID, KD_CLUSTERS, KD_RANDOM, KD_SPECIAL};
                bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtypes[t], .dim = dim, .id_bits = 32};
                opts.duplicates = i % 7 == 3 ? BOSC_KDTREE_DUPLICATES_REMOVE : BOSC_KDTREE_DUPLICATES_KEEP;
                struct reference_points p = kd_flat_points(&r, dtypes[t], dim, i % 9 == 8 ? 35 : n, KD_FLAT, axes,
                                                           opts.duplicates ? KD_RANDOM : shapes[i % 5]);
                try_extent_order(ctx, &r, &p, &opts, axes, neighbors[i % 6], i % 13 ? 270 : many);
                free((void *)p.data);
            }
        }
}

/* Points at the corners of a cube, equally far from its centre, in an order that says nothing of their ids: searches in
 * the order by extent visit all leaves with smaller ids. */
static void ties_by_extent(bosc_ctx *ctx)
{
    static const int64_t neighbors[] = {1, 3, 8, 32};
    struct suite_random r = {16};
    for (int i = 0; i < 12; i++) {
        if (suite_leaves_out()) continue;
        const int32_t dim = 2 + i % 3;
        const int64_t n = suite_slow(ctx) ? 300 : 3000, m = 300, k = neighbors[i % 4];
        bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtypes[i / 3], .dim = dim, .id_bits = 32};
        struct reference_points p = kd_points(&r, opts.dtype, dim, n, dim, KD_EQUAL),
                                q = kd_points(&r, opts.dtype, dim, m, dim, KD_EQUAL), some = q;
        for (int64_t at = 0; at < n * dim; at++) kd_set((void *)p.data, p.dtype, at, suite_below(&r, 2) ? 10 : -10);
        for (int64_t at = 0; at < m * dim; at++)
            kd_set((void *)q.data, q.dtype, at, at / dim % 3 ? (double)suite_below(&r, 3) * 20 - 20 : 0);
        bosc_kdtree *tree = kd_build(ctx, &opts, &p);
        kd_want_order(tree);
        check_knn(ctx, tree, &p, &q, k, -1, 32);
        some.n = 200;
        check_knn(ctx, tree, &p, &some, 1, 10 * sqrt(dim), 32);
        bosc_kdtree_free(tree);
        free((void *)p.data);
        free((void *)q.data);
    }
}

/* A coordinate of little extent: the order is made in blocks, and level by level above 4,096 nodes. */
static void mixed(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {3000, 20001, 4097, 8192}, neighbors[] = {32, 1, 8, 17, 31};
    struct suite_random r = {15};
    for (int i = 0; i < 12; i++) {
        if (suite_leaves_out()) continue;
        const int32_t dim = 2 + i % 3;
        const int64_t n = suite_slow(ctx) ? 3000 + 1100 * (i % 2) : sizes[i / 3];
        bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtypes[i / 3], .dim = dim, .id_bits = 32};
        struct reference_points p = kd_mixed_points(&r, opts.dtype, dim, n);
        try_extent_order(ctx, &r, &p, &opts, 0, neighbors[i % 5], 270);
        free((void *)p.data);
    }
}

/* Builds of enough points, sampled or sorted, find if their levels mix distant points, on the CPU searches do; their
 * order is made once there were as many queries as nodes. Plain random points have none. */
static void many_queries(bosc_ctx *ctx)
{
    struct suite_random r = {16};
    const bool device = suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA;
    const int64_t least = kd_sampled_nodes(ctx), most = least > 9000 ? least : 9000; /* 9,000: builds have passes */
    uint32_t *ids = suite_alloc((size_t)most * 4);
    for (int i = 0; i < 5; i++) { /* mixed: by AUTO, BROWN, AUTO; random; mixed, but too few */
        const bool large = i < 4, is_mixed = i < 3;
        const int64_t n = large ? most : least - 1;
        bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtypes[i % 4], .dim = 2 + i % 2, .id_bits = 32};
        opts.builder = i == 1 ? BOSC_KDTREE_BROWN : BOSC_KDTREE_AUTO;
        struct reference_points p = i == 3 ? kd_points(&r, opts.dtype, opts.dim, n, opts.dim, KD_RANDOM)
                                           : kd_mixed_points(&r, opts.dtype, opts.dim, n);
        bosc_kdtree *tree = kd_build(ctx, &opts, &p);
        CHECK_EQ(tree->mixing, !device || !large ? BI_KDTREE_NOT_SAMPLED
                               : is_mixed        ? BI_KDTREE_MIXES
                                                 : BI_KDTREE_SEPARATES);
        CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, p.data, p.n / 2, 0, 1, ids, NULL));
        CHECK(!tree->query_cache.by_extent && !tree->query_cache.order_decided);
        CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, p.data, p.n / 2 + 1, 0, 1, ids, NULL));
        CHECK((tree->query_cache.by_extent != NULL) == is_mixed);
        /* An uneven tree, which a device finds, needs 2^21 queries more. */
        tree->query_cache = (struct bi_kdtree_query_cache){.query_count = p.n + (1 << 21) - 600};
        tree->mixing = BI_KDTREE_UNEVEN;
        CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, p.data, 599, 0, 1, ids, NULL));
        CHECK(!tree->query_cache.by_extent);
        CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, p.data, 1, 0, 1, ids, NULL));
        CHECK((tree->query_cache.by_extent != NULL) == device);
        CHECK_EQ(ids[0], 0);
        bosc_kdtree_free(tree);
        free((void *)p.data);
    }
    free(ids);
}

/* Points close together, far from zero, and a few others, farther still: floats do not resolve distances between the
 * many. Boxes that hold floats must not lose a point. A device searches its order by extent too. */
static void offsets(bosc_ctx *ctx)
{
    static const double far[] = {1e7, 0x1p40, 0x1p30, 0x1p52}, steps[] = {0.5, 0x1p-10, 1, 1};
    static const int64_t neighbors[] = {1, 17, 5, 31, 9, 32};
    struct suite_random r = {14};
    const int64_t n = suite_slow(ctx) ? 400 : 2500;
    for (int i = 0; i < 24; i++) {
        if (suite_leaves_out()) continue;
        const int t = i % 4, dim = 1 + i / 4 % 4;
        struct reference_points p = kd_points(&r, dtypes[t], dim, i % 5 == 4 ? 14 : n, dim, KD_RANDOM);
        for (int64_t at = 0; at < p.n * dim; at++) {
            const double x = far[t] + steps[t] * (double)suite_below(&r, 40);
            kd_set((void *)p.data, p.dtype, at, i >= 12 && at / dim % 300 == 7 ? -x / (double)(1 + at % 5) : x);
        }
        const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = p.dtype, .dim = dim, .id_bits = 32};
        if (dim > 1) try_extent_order(ctx, &r, &p, &opts, 0, neighbors[i % 6], 270);
        try_points(ctx, &r, p, KD_RANDOM, neighbors[i % 6]);
    }
}

/* Few points in 5 to 16 dimensions: less than a leaf of wide boxes, one, and some; every length of the list. */
static void wide(bosc_ctx *ctx)
{
    static const int32_t dims[] = {5, 8, 9, 16};
    static const int64_t sizes[] = {130, 31, 32, 33, 1}, neighbors[] = {8, 1, 2, 31, 32, 33, 17};
    struct suite_random r = {13};
    for (int d = 0, i = 0; d < 4; d++)
        for (int t = 0; t < 4; t++)
            for (int s = 0; s < KD_SHAPES; s++, i++)
                try_one(ctx, &r, dtypes[t], dims[d], sizes[i % 5], neighbors[i % 7], (enum kd_shape)s);
}

/* Element of point i: uniform, clusters far from 0, copies of 8 points, or one coordinate much longer than others. */
static double wide_value(struct suite_random *r, int shape, int64_t i, int32_t c)
{
    const double x = suite_unit(r);
    switch (shape) {
    case 0: return x * 1000;
    case 1: return 0x1p20 + (double)(i % 7 * (c + 1)) + x * 0.125;
    case 2: return (double)((i % 8) * (c + 3) % 11);
    default: return c == 2 ? x * 100 : x;
    }
}

/* Several segments of the order by extent, and up to three levels of boxes. */
static void wide_levels(bosc_ctx *ctx)
{
    static const int32_t dims[] = {5, 8, 9, 16};
    static const int64_t sizes[] = {9000, 1057, 4097, 33000}, neighbors[] = {1, 8, 32, 5};
    struct suite_random r = {14};
    for (int i = 0; i < 16; i++) {
        const int64_t n = sizes[(i + i / 4) % 4], m = suite_slow(ctx) ? 12 : 40;
        if (suite_leaves_out() || (suite_slow(ctx) && n > 4097 && i > 4)) continue;
        const int32_t dim = dims[i / 4];
        const int shape = i % 4 ^ i / 4 ^ 2; /* copies at first: the median's bin has many points */
        const bosc_dtype dtype = dtypes[i % 4];
        const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtype, .dim = dim, .id_bits = 32};
        struct reference_points p = kd_points(&r, dtype, dim, n, dim, KD_RANDOM);
        for (int64_t at = 0; at < n * dim; at++)
            kd_set((void *)p.data, dtype, at, wide_value(&r, shape, at / dim, (int32_t)(at % dim)));
        struct reference_points q = kd_points(&r, dtype, dim, m, dim, KD_RANDOM);
        for (int64_t at = 0; at < m * dim; at++)
            kd_set((void *)q.data, dtype, at, wide_value(&r, shape, at / dim, (int32_t)(at % dim)) + suite_unit(&r));
        bosc_kdtree *tree = kd_build(ctx, &opts, &p);
        check_knn(ctx, tree, &p, &q, neighbors[i / 4], -1, 32);
        check_knn(ctx, tree, &p, &q, neighbors[i % 4], 2, 32);
        check_radius(ctx, tree, &p, &q, i % 2 ? 100 : 3, 32);
        bosc_kdtree_free(tree);
        free((void *)p.data);
        free((void *)q.data);
    }
}

/* Doubles whose squared distances differ only in their last bits, or not at all, for long lists. Points are near the
 * corners of a box, queries near its middle. */
static void close_distances(bosc_ctx *ctx)
{
    struct suite_random r = {22};
    const int64_t n = suite_slow(ctx) ? 150 : 900, m = suite_slow(ctx) ? 300 : 600;
    for (int32_t dim = 1; dim <= 3; dim += 2) {
        const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F64, .dim = dim, .id_bits = 32};
        struct reference_points p = kd_points(&r, BOSC_F64, dim, n, dim, KD_RANDOM);
        struct reference_points q = kd_points(&r, BOSC_F64, dim, m, dim, KD_RANDOM);
        for (int64_t at = 0; at < n * dim; at++) {
            const double x = 1 + (double)(at % dim) + (double)suite_below(&r, 40) * 0x1p-44;
            kd_set((void *)p.data, BOSC_F64, at, suite_below(&r, 2) ? x : -x);
        }
        for (int64_t at = 0; at < m * dim; at++)
            kd_set((void *)q.data, BOSC_F64, at, at % 3 ? 0 : (double)suite_below(&r, 3) * 0x1p-43);
        bosc_kdtree *tree = kd_build(ctx, &opts, &p);
        check_knn(ctx, tree, &p, &q, 32, -1, 32);
        check_knn(ctx, tree, &p, &q, 20, dim == 1 ? 1 + 9 * 0x1p-44 : 4, 32);
        bosc_kdtree_free(tree);
        free((void *)p.data);
        free((void *)q.data);
    }
}

static const struct suite_case suite_cases_kdtree_query[] = {
    {"shapes", every_shape_type_and_dimension, NULL},
    {"flat", flat, NULL},
    {"neighbours", k_from_1_beyond_n, NULL},
    {"larger", up_to_64_neighbours, NULL},
    {"ties", ties, NULL},
    {"own distances", own_distances, NULL},
    {"close distances", close_distances, NULL},
    {"crowds", crowds, NULL},
    {"batches", batches, NULL},
    {"beside flat", beside_flat, NULL},
    {"distant", distant, NULL},
    {"several lanes", several_lanes, NULL},
    {"extent order", extent_order, NULL},
    {"ties by extent", ties_by_extent, NULL},
    {"mixed", mixed, NULL},
    {"many queries", many_queries, NULL},
    {"offsets", offsets, NULL},
    {"wide", wide, NULL},
    {"wide levels", wide_levels, NULL},
};
SUITE(kdtree_query);
