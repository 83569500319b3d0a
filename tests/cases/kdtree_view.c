/* The functions of boscage/device/kdtree.h give the bits of the library's searches. (On a device they are the steps
 * that searches of many neighbours are made of: kdtree_query has those.) */
#include <boscage/device/kdtree.h>

#include <stdlib.h>

#include "cases/kdtree_data.h"

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
    CHECK_EQ(bosc_kdtree_walk_within(&walk, r2, NULL), -1); /* it stays at its end */
    for (int64_t i = 0; i < p->n; i++) CHECK((reference_dist2(p, i, query) <= r2) == seen[i]);
    free(seen);
}

static void searches(bosc_ctx *ctx)
{
    static const double limits[] = {0, 1, 40000, INFINITY, -1};
    struct suite_random r = {1};
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    if (info.backend != BOSC_BACKEND_CPU) return; /* out of the host's reach */
    for (int i = 0; i < 4 * KD_SHAPES; i++) {
        if (suite_leaves_out()) continue;
        int32_t dim = i % 5 == 4 ? 35 : 1 + i % 5;
        bosc_kdtree_opts o = {.size = sizeof o, .dtype = dtypes[i % 4], .dim = dim};
        struct reference_points p =
            kd_points(&r, o.dtype, dim, (int64_t)suite_below(&r, 300), dim, (enum kd_shape)(i / 4));
        struct reference_points q = kd_points(&r, o.dtype, dim, 6, dim, (enum kd_shape)(i / 4));
        bosc_kdtree *tree = kd_build(ctx, &o, &p);
        bosc_kdtree_view view;
        CHECK_OK(ctx, bosc_kdtree_get_view(ctx, tree, &view));
        CHECK(view.version == BOSC_KDTREE_VIEW_VERSION && view.nodes == p.n && view.dim == dim);
        for (int64_t j = 0; j < 6; j++)
            for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++) {
                const void *query = j < 3 || !p.n ? kd_row(&q, j) : kd_row(&p, (int64_t)suite_below(&r, (uint64_t)p.n));
                check_nearest(&p, &view, query, 1 + (int64_t)suite_below(&r, 9), limits[l]);
                check_within(&p, &view, query, limits[l]);
            }
        CHECK_EQ(bosc_kdtree_view_knn(&view, kd_row(&q, 0), 0, INFINITY, NULL, NULL), 0);
        bosc_kdtree_free(tree);
        free((void *)p.data);
        free((void *)q.data);
    }
}

static const struct suite_case suite_cases_kdtree_view[] = {{"searches", searches, NULL}};
SUITE(kdtree_view);
