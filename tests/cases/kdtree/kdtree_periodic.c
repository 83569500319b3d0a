/* Searches of periodic boxes by plain ones around queries and their images equal measuring every point. */
#include "cases/kdtree/kdtree_metric_check.h"

/* 64 queries and more: plain searches answer those far from the borders; near them, plain searches around images. */
static void inside_periodic_boxes(bosc_ctx *ctx)
{
    static const enum kd_shape shapes[] = {KD_RANDOM, KD_GRID, KD_CLUSTERS};
    struct suite_random r = {8};
    for (int i = 0; i < 24; i++) {
        if (suite_leaves_out()) continue;
        const int64_t n = suite_slow(ctx) ? 150 : 600, k = 1 + (int64_t)suite_below(&r, 8);
        struct km_trial t = km_make(ctx, &r, i % 2 ? BOSC_F32 : BOSC_F64, 1 + i % 4, n, n / 2, shapes[i % 3], 2, true);
        check_knn(ctx, &r, &t, k);
        check_self(ctx, &t, k);
        km_free(&t);
    }
}

/* F32 points of a circle around the queries: squares of floats order them otherwise than those of doubles. Inside the
 * box, and across its borders, where images of the queries are rounded to floats too. */
static void nearly_equal_distances(bosc_ctx *ctx)
{
    enum { N = 200, QUERIES = 70 };
    static const double centers[] = {KM_PERIOD / 2, 0.001, KM_PERIOD - 0.001, 0.7};
    struct suite_random r = {12};
    for (int center = 0; center < 4; center++) {
        struct km_trial t = {.metric = {.p = 2}, .periods = {KM_PERIOD, KM_PERIOD}};
        t.opts = (bosc_kdtree_opts){.size = sizeof t.opts, .dtype = BOSC_F32, .dim = 2, .id_bits = 64};
        t.points = kd_points(&r, BOSC_F32, 2, N, 2, KD_RANDOM);
        t.queries = kd_points(&r, BOSC_F32, 2, QUERIES, 2, KD_RANDOM);
        for (int i = 0; i < 2 * N; i++) {
            const double angle = 0.0314 * (i / 2), x = centers[center] + (i % 2 ? sin(angle) : cos(angle));
            kd_set((void *)t.points.data, BOSC_F32, i, x - KM_PERIOD * floor(x / KM_PERIOD));
        }
        for (int i = 0; i < 2 * QUERIES; i++) kd_set((void *)t.queries.data, BOSC_F32, i, centers[center]);
        t.tree = kd_build(ctx, &t.opts, &t.points);
        for (int64_t k = 1; k < 9; k += 7) check_knn(ctx, &r, &t, k);
        km_free(&t);
    }
}

static const struct suite_case suite_cases_kdtree_periodic[] = {
    {"inside periodic boxes", inside_periodic_boxes, NULL}, {"nearly equal distances", nearly_equal_distances, NULL}};
SUITE(kdtree_periodic);
