/* The functions of boscage/device/kdtree.h and kdtree_box.h give the bits of the library's searches. On a device these
 * are the steps of searches for many neighbours, which kdtree_query covers. */
#include <boscage/device/kdtree.h>
#include <boscage/device/kdtree_box.h>

#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_data.h"

static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};

static void check_nearest(const struct reference_points *p, const bosc_kdtree_view *view, const void *query, int64_t k,
                          double r2)
{
    uint32_t *ids = suite_alloc((size_t)k * sizeof *ids);
    double *dist2 = suite_alloc((size_t)k * sizeof *dist2), *want_dist2 = suite_alloc((size_t)k * sizeof *dist2),
           d = -1;
    int64_t *want = suite_alloc((size_t)k * sizeof *want), count = bosc_kdtree_view_knn(view, query, k, r2, ids, dist2);
    reference_knn(p, query, k, r2, want, want_dist2);
    for (int64_t e = 0; e < k; e++) {
        CHECK_EQ(e < count ? (int64_t)ids[e] : -1, want[e]);
        if (e < count) CHECK(dist2[e] == want_dist2[e]);
    }
    CHECK_EQ(bosc_kdtree_view_nearest(view, query, r2, &d), want[0]);
    CHECK(want[0] < 0 ? d == -1 : d == want_dist2[0]);
    CHECK_EQ(bosc_kdtree_view_nearest(view, query, r2, NULL), want[0]);
    free(ids);
    free(dist2);
    free(want_dist2);
    free(want);
}

static void check_within(const struct reference_points *p, const bosc_kdtree_view *view, const void *query, double r2)
{
    unsigned char *seen = calloc((size_t)p->n + 1, 1);
    bosc_kdtree_walk walk;
    double d;
    int64_t node;
    CHECK(seen);
    bosc_kdtree_walk_begin(&walk, view, query);
    while ((node = bosc_kdtree_walk_within(&walk, r2, &d)) >= 0) {
        uint32_t id = bosc_kdtree_id(view, node);
        CHECK(id < p->n && !seen[id] && d == reference_dist2(p, id, query));
        for (int32_t c = 0; c < p->dim; c++)
            CHECK(bosc_kdtree_coordinate(view, node, c) == kd_get(p->data, p->dtype, id * p->stride + c));
        seen[id] = 1;
    }
    CHECK_EQ(bosc_kdtree_walk_within(&walk, r2, NULL), -1); /* a finished walk stays finished */
    for (int64_t i = 0; i < p->n; i++) CHECK((reference_dist2(p, i, query) <= r2) == seen[i]);
    free(seen);
}

static int compare_ids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The library's searches with one query. */
static void check_calls(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree_view *view, const void *query)
{
    enum { K = 5 };
    uint32_t ids[K];
    int64_t want[K], within, seen = 0;
    double dist2[K], wide[K];
    float narrow[K];
    bool single = view->dtype == BOSC_F32;
    bosc_kdtree_walk walk;
    int64_t count = bosc_kdtree_view_knn(view, query, K, INFINITY, ids, dist2);
    CHECK_EQ(count, view->nodes < K ? view->nodes : K);
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, query, 1, 0, K, want, single ? (void *)narrow : wide));
    for (int64_t e = 0; e < count; e++) CHECK(ids[e] == want[e] && dist2[e] == (single ? (double)narrow[e] : wide[e]));
    CHECK_OK(ctx, bosc_kdtree_radius_count(ctx, tree, query, 1, 0, 200, &within));
    bosc_kdtree_walk_begin(&walk, view, query);
    while (bosc_kdtree_walk_within(&walk, 40000, NULL) >= 0) seen++;
    CHECK_EQ(seen, within);
}

/* Nodes in the box of two rows, against the library's call and against every point. */
static void check_box(bosc_ctx *ctx, const bosc_kdtree *tree, const struct reference_points *p,
                      const bosc_kdtree_view *view, const void *a, const void *b)
{
    size_t row = (size_t)p->dim * bosc_dtype_size(p->dtype);
    char *corners = suite_alloc(2 * row);
    int64_t *ids = suite_alloc((size_t)(p->n + 1) * sizeof *ids),
            *want = suite_alloc((size_t)(p->n + 1) * sizeof *want);
    int64_t offsets[2], count = 0, node, inside = 0;
    bosc_kdtree_box_walk walk;
    /* 1. Walk the box from a view. */
    memcpy(corners, a, row);
    memcpy(corners + row, b, row);
    bosc_kdtree_box_begin(&walk, view, corners, corners + row);
    while ((node = bosc_kdtree_box_next(&walk)) >= 0) {
        CHECK(count < p->n);
        ids[count++] = bosc_kdtree_id(view, node);
    }
    CHECK_EQ(bosc_kdtree_box_next(&walk), -1);
    /* 2. The library's search lists the same ids. */
    qsort(ids, (size_t)count, sizeof *ids, compare_ids);
    CHECK_OK(ctx, bosc_kdtree_box(ctx, tree, corners, 1, offsets, NULL, 0));
    CHECK_EQ(offsets[1], count);
    CHECK_OK(ctx, bosc_kdtree_box(ctx, tree, corners, 1, offsets, want, p->n));
    for (int64_t i = 0; i < count; i++) CHECK_EQ(ids[i], want[i]);
    /* 3. Count the points inside the box one by one. */
    for (int64_t i = 0; i < p->n; i++) {
        bool in = true;
        for (int32_t c = 0; c < p->dim; c++) {
            double x = kd_get(p->data, p->dtype, i * p->stride + c);
            in = in && kd_get(corners, p->dtype, c) <= x && x <= kd_get(corners, p->dtype, p->dim + c);
        }
        inside += in;
    }
    CHECK_EQ(inside, count);
    free(corners);
    free(ids);
    free(want);
}

/* Turns two rows into the corners of a box: the lower and the higher of each coordinate. */
static void order_corners(bosc_dtype dtype, int32_t dim, void *a, void *b)
{
    size_t size = bosc_dtype_size(dtype);
    for (int32_t c = 0; c < dim; c++) {
        char low[8], *x = (char *)a + (size_t)c * size, *y = (char *)b + (size_t)c * size;
        if (kd_get(a, dtype, c) <= kd_get(b, dtype, c)) continue;
        memcpy(low, y, size);
        memcpy(y, x, size);
        memcpy(x, low, size);
    }
}

static void check_boxes(bosc_ctx *ctx, const bosc_kdtree *tree, const struct reference_points *p,
                        const bosc_kdtree_view *view, const struct reference_points *q, struct suite_random *r)
{
    size_t row = (size_t)p->dim * bosc_dtype_size(p->dtype);
    for (int64_t j = 0; j + 1 < q->n; j++) {
        const void *other = p->n && j % 2 ? kd_row(p, (int64_t)suite_below(r, (uint64_t)p->n)) : kd_row(q, j + 1);
        char *a = suite_alloc(row), *b = suite_alloc(row);
        memcpy(a, kd_row(q, j), row);
        memcpy(b, other, row);
        check_box(ctx, tree, p, view, a, b); /* corners as they come: most boxes are empty */
        order_corners(p->dtype, p->dim, a, b);
        check_box(ctx, tree, p, view, a, b);
        check_box(ctx, tree, p, view, b, b); /* one point's place */
        free(a);
        free(b);
    }
}

/* All searches of a tree, by queries of their own and by its points. */
static void check_tree(bosc_ctx *ctx, struct suite_random *r, bosc_dtype dtype, int32_t dim, int64_t n,
                       enum kd_shape shape)
{
    static const double limits[] = {0, 1, 40000, INFINITY, -1};
    bosc_kdtree_opts o = {.size = sizeof o, .dtype = dtype, .dim = dim};
    struct reference_points p = kd_ordinary_points(r, dtype, dim, n, dim, shape),
                            q = kd_ordinary_points(r, dtype, dim, 6, dim, shape);
    bosc_kdtree *tree = kd_build(ctx, &o, &p);
    bosc_kdtree_view view;
    CHECK_OK(ctx, bosc_kdtree_get_view(ctx, tree, &view));
    CHECK(view.version == BOSC_KDTREE_VIEW_VERSION && view.nodes == p.n && view.dim == dim);
    for (int64_t j = 0; j < 6; j++)
        for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++) {
            const void *query = j < 3 || !p.n ? kd_row(&q, j) : kd_row(&p, (int64_t)suite_below(r, (uint64_t)p.n));
            check_nearest(&p, &view, query, 1 + (int64_t)suite_below(r, 9), limits[l]);
            check_within(&p, &view, query, limits[l]);
        }
    for (int64_t j = 0; j < 6; j++) check_calls(ctx, tree, &view, kd_row(&q, j));
    check_boxes(ctx, tree, &p, &view, &q, r);
    CHECK_EQ(bosc_kdtree_view_knn(&view, kd_row(&q, 0), 0, INFINITY, NULL, NULL), 0);
    bosc_kdtree_free(tree);
    free((void *)p.data);
    free((void *)q.data);
}

static bool in_reach(bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    return info.backend == BOSC_BACKEND_CPU;
}

static void searches(bosc_ctx *ctx)
{
    struct suite_random r = {1};
    if (!in_reach(ctx)) return;
    for (int i = 0; i < 4 * KD_SHAPES; i++) {
        if (suite_leaves_out()) continue;
        int32_t dim = i % 5 == 4 ? 35 : 1 + i % 5;
        check_tree(ctx, &r, dtypes[i % 4], dim, (int64_t)suite_below(&r, 300), (enum kd_shape)(i / 4));
    }
}

/* F32 points in few dimensions, which are searched by vectors. */
static void by_vectors(bosc_ctx *ctx)
{
    struct suite_random r = {2};
    if (!in_reach(ctx)) return;
    for (int i = 0; i < 6 * KD_SHAPES; i++) {
        if (suite_leaves_out()) continue;
        int64_t n = (int64_t)suite_below(&r, i % 2 ? 40 : 900);
        check_tree(ctx, &r, BOSC_F32, 1 + i % 3, n, (enum kd_shape)(i / 6));
    }
}

static const struct suite_case suite_cases_kdtree_view[] = {{"searches", searches, NULL},
                                                            {"by vectors", by_vectors, NULL}};
SUITE(kdtree_view);
