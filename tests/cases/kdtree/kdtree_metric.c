/* Searches by any metric, in periodic boxes and within bounds equal measuring every point. */
#include "cases/kdtree/kdtree_metric_check.h"
#include "kdtree/handle.h"

/* Compares the entries from `at` to `end` of a result with the ids within the radius, in ascending order. */
static void check_row(const struct km_trial *t, const struct ranking *rank, int64_t at, int64_t end, const void *ids,
                      const double *distances)
{
    CHECK_EQ(end - at, rank->count);
    for (int64_t e = at; e < end; e++) {
        int64_t id = kd_id(ids, t->opts.id_bits, e);
        CHECK(id >= 0 && id < t->points.n && (e == at || kd_id(ids, t->opts.id_bits, e - 1) < id));
        CHECK(km_near(&t->metric, distances[e], reference_distance(&t->metric, rank->measures[id])));
    }
    for (int64_t i = 0; i < rank->count; i++) { /* ids are distinct and as many */
        bool found = false;
        for (int64_t e = at; e < end && !found; e++) found = kd_id(ids, t->opts.id_bits, e) == rank->ids[i];
        CHECK(found);
    }
}

static void check_radius(bosc_ctx *ctx, struct suite_random *r, struct km_trial *t)
{
    bosc_kdtree_query_opts o = km_opts(t);
    /* One radius for all, one for each query, and the points themselves as queries, without and with themselves. */
    for (int kind = 0; kind < 4; kind++) {
        const struct reference_points *q = kind >= 2 ? &t->points : &t->queries;
        int64_t m = q->n, radius_count = kind == 0 ? 1 : m;
        double *radii = make_bounds(r, t, m + 1);
        int64_t *offsets = suite_alloc((size_t)(m + 1) * 8), *counts = suite_alloc((size_t)m * 8);
        const void *rows = kind >= 2 ? NULL : q->data;
        o.self = kind >= 2;
        o.exclude_self = kind == 2;
        /* 1. Count, then list. */
        CHECK_OK(ctx, bosc_kdtree_radius_metric(ctx, t->tree, rows, m, q->stride, radii, radius_count, &o, offsets,
                                                NULL, NULL, 0));
        CHECK_OK(ctx,
                 bosc_kdtree_radius_count_metric(ctx, t->tree, rows, m, q->stride, radii, radius_count, &o, counts));
        int64_t total = offsets[m];
        void *ids = suite_alloc((size_t)total * 8 + 8);
        double *distances = suite_alloc((size_t)total * 8 + 8);
        CHECK_OK(ctx, bosc_kdtree_radius_metric(ctx, t->tree, rows, m, q->stride, radii, radius_count, &o, offsets, ids,
                                                distances, total));
        /* 2. Counts agree; every few rows are compared with the ranking. */
        for (int64_t i = 0; i < m; i++) CHECK_EQ(counts[i], offsets[i + 1] - offsets[i]);
        for (int64_t i = 0; i < m; i += 1 + m / 30) {
            double radius = radii[radius_count == 1 ? 0 : i];
            struct ranking rank = rank_rows(t, kd_row(q, i), radius, kind == 2 ? i : -1);
            check_row(t, &rank, offsets[i], offsets[i + 1], ids, distances);
            free_ranking(&rank);
        }
        /* 3. A capacity one too small is refused. */
        if (total)
            CHECK_STATUS(ctx,
                         bosc_kdtree_radius_metric(ctx, t->tree, rows, m, q->stride, radii, radius_count, &o, offsets,
                                                   ids, NULL, total - 1),
                         BOSC_ERR_SPACE);
        free(radii);
        free(offsets);
        free(counts);
        free(ids);
        free(distances);
    }
}

static void try_all(bosc_ctx *ctx, struct suite_random *r, bosc_dtype dtype, int32_t dim, int64_t n, int64_t k,
                    enum kd_shape shape, double norm, bool boxed)
{
    if (suite_leaves_out()) return;
    struct km_trial t = km_make(ctx, r, dtype, dim, n, 1 + (int64_t)suite_below(r, 12), shape, norm, boxed);
    check_knn(ctx, r, &t, k);
    if (n) check_self(ctx, &t, k);
    check_radius(ctx, r, &t);
    km_free(&t);
}

static void every_shape_and_norm(bosc_ctx *ctx)
{
    struct suite_random r = {1};
    for (int s = 0; s < KD_SHAPES; s++)
        for (size_t p = 0; p < sizeof km_norms / sizeof km_norms[0]; p++)
            for (int32_t dim = 1; dim <= 5; dim += suite_slow(ctx) ? 4 : 2)
                try_all(ctx, &r, km_dtypes[(p + (size_t)dim) % 4], dim, (int64_t)suite_below(&r, 120),
                        1 + (int64_t)suite_below(&r, 12), (enum kd_shape)s, km_norms[p], (s + dim) % 2);
}

/* Sizes at which the walk changes, k beyond n, more coordinates than a tree splits by. */
static void small_trees_and_many_dimensions(bosc_ctx *ctx)
{
    struct suite_random r = {2};
    for (int64_t n = 0; n < 20; n += suite_slow(ctx) ? 4 : 1)
        for (int boxed = 0; boxed < 2; boxed++)
            try_all(ctx, &r, km_dtypes[n % 4], 1 + (int32_t)(n % 3), n, n + 2, KD_RANDOM, km_norms[n % 5], boxed);
    try_all(ctx, &r, BOSC_F64, 2, 900, 40, KD_RANDOM, 3, true);
    try_all(ctx, &r, BOSC_F32, 3, 900, 5, KD_CLUSTERS, 2, false);
    try_all(ctx, &r, BOSC_F64, 40, 200, 5, KD_RANDOM, 3, true);
    try_all(ctx, &r, BOSC_F64, 40, 200, 5, KD_GRID, 1, true);
}

/* With epsilon a result is within (1 + epsilon) of the best, and only points nearly at the radius may be missing. */
static void approximate(bosc_ctx *ctx)
{
    static const double epsilons[] = {1e-3, 0.5, 10};
    struct suite_random r = {3};
    for (int i = 0; i < 24; i++) {
        if (suite_leaves_out()) continue;
        int64_t n = 50 + (int64_t)suite_below(&r, 400), m = 10, k = 4;
        struct km_trial t = km_make(ctx, &r, km_dtypes[i % 4], 1 + i % 4, n, m, i % 3 ? KD_RANDOM : KD_CLUSTERS,
                                    km_norms[i % 5], i % 2);
        bosc_kdtree_query_opts o = km_opts(&t);
        int64_t *ids = suite_alloc((size_t)(m * k) * 8), *counts = suite_alloc((size_t)m * 8);
        double *distances = suite_alloc((size_t)(m * k) * 8), epsilon = epsilons[i % 3];
        o.epsilon = epsilon;
        CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, t.tree, t.queries.data, m, t.queries.stride, k, &o, ids, distances));
        /* Nearest: each distance against the exact one of its rank. */
        for (int64_t q = 0; q < m; q++) {
            struct ranking rank = rank_rows(&t, kd_row(&t.queries, q), INFINITY, -1);
            for (int64_t e = 0; e < k; e++) {
                int64_t id = kd_id(ids, t.opts.id_bits, q * k + e);
                double d = distances[q * k + e], best = reference_distance(&t.metric, rank.measures[rank.ids[e]]);
                CHECK(id >= 0 && km_near(&t.metric, d, reference_distance(&t.metric, rank.measures[id])));
                CHECK(d <= best * (1 + epsilon) * (1 + 1e-12));
            }
            /* Within a radius: between the surely included and all points. */
            double radius = reference_distance(&t.metric, rank.measures[rank.ids[n / 2]]) * 1.0001;
            CHECK_OK(ctx,
                     bosc_kdtree_radius_count_metric(ctx, t.tree, kd_row(&t.queries, q), 1, 0, &radius, 1, &o, counts));
            struct ranking all = rank_rows(&t, kd_row(&t.queries, q), radius, -1);
            struct ranking sure = rank_rows(&t, kd_row(&t.queries, q), radius / (1 + epsilon) * (1 - 1e-12), -1);
            CHECK(sure.count <= counts[0] && counts[0] <= all.count);
            free_ranking(&rank);
            free_ranking(&all);
            free_ranking(&sure);
        }
        free(ids);
        free(counts);
        free(distances);
        km_free(&t);
    }
}

/* Every backend, level and number of threads gives the bits of one plain thread. */
static void same_bits(bosc_ctx *ctx)
{
    struct suite_random r = {4};
    bosc_ctx *plain = km_plain_context();
    for (int i = 0; i < 14; i++) {
        if (suite_leaves_out()) continue;
        int64_t n = suite_slow(ctx) ? 150 : 1500, m = 40, k = 6;
        struct km_trial t = km_make(ctx, &r, km_dtypes[i % 4], 1 + i % 4, n, m, KD_RANDOM, km_norms[i % 7], i % 2);
        bosc_kdtree_query_opts o = km_opts(&t);
        bosc_kdtree *twin = kd_build(plain, &t.opts, &t.points);
        size_t size = (size_t)(m * k) * 8;
        void *ids = calloc(2, size);
        double *distances = suite_alloc(2 * size);
        CHECK(ids);
        o.epsilon = i % 3 ? 0 : 0.7;
        CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, t.tree, t.queries.data, m, t.queries.stride, k, &o, ids, distances));
        CHECK_OK(plain, bosc_kdtree_knn_metric(plain, twin, t.queries.data, m, t.queries.stride, k, &o,
                                               (char *)ids + size, distances + m * k));
        CHECK(memcmp(ids, (char *)ids + size, size) == 0);
        CHECK(memcmp(distances, distances + m * k, size) == 0);
        bosc_kdtree_free(twin);
        free(ids);
        free(distances);
        km_free(&t);
    }
    bosc_ctx_free(plain);
}

/* A point outside the box is reported, in whichever coordinate; after a rebuild it is detected again. */
static void outside(bosc_ctx *ctx)
{
    struct suite_random r = {5};
    static const double bad[] = {-0x1p-20, 8.5, INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++) {
        struct km_trial t = km_make(ctx, &r, BOSC_F64, 3, 60, 3, KD_RANDOM, 2, false);
        t.periods[1] = KM_PERIOD;
        km_confine(&r, &t.points, t.periods, false);
        bosc_kdtree_query_opts o = km_opts(&t);
        int64_t ids[3], row = 10 + (int64_t)suite_below(&r, 40);
        char text[80];
        CHECK_OK(ctx, bosc_kdtree_build(ctx, t.tree, t.points.data, 60, 0));
        CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, t.tree, t.queries.data, 1, 0, 1, &o, ids, NULL));
        kd_set((void *)t.points.data, BOSC_F64, row * 3 + 1, bad[i]);
        kd_set((void *)t.points.data, BOSC_F64, 55 * 3 + 1, bad[i]);
        CHECK_OK(ctx, bosc_kdtree_build(ctx, t.tree, t.points.data, 60, 0));
        CHECK_STATUS(ctx, bosc_kdtree_knn_metric(ctx, t.tree, t.queries.data, 1, 0, 1, &o, ids, NULL), BOSC_ERR_DATA);
        snprintf(text, sizeof text, "tree: row %d is outside the periodic box", (int)row);
        CHECK(strcmp(bosc_ctx_message(ctx), text) == 0);
        o.periods = NULL;
        CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, t.tree, t.queries.data, 1, 0, 1, &o, ids, NULL));
        km_free(&t);
    }
}

/* Coordinates a few units in the last place apart, where powers are not monotonic: within each reported distance are
 * the points up to it. */
static void powers_at_reported_distances(bosc_ctx *ctx)
{
    enum { N = 160, MOST_DIM = 3 };
    static double x[N * MOST_DIM], queries[N * MOST_DIM], distances[N];
    static int64_t ids[N], counts[N];
    for (int k = 0; k < (suite_slow(ctx) ? 12 : 60); k++) {
        struct suite_random r = {(uint64_t)k};
        const int dim = 2 + k % 2;
        const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F64, .dim = dim};
        const bosc_kdtree_query_opts o = {.size = sizeof o, .p = 1.37 + 0.37 * (k % 7)};
        if (suite_leaves_out()) continue;
        /* 1. Points, and one query as often. */
        for (int i = 0; i < N * dim; i++) {
            x[i] = (double)(1 + suite_below(&r, 3));
            for (uint64_t up = suite_below(&r, 4); up > 0; up--) x[i] = nextafter(x[i], 9);
        }
        for (int c = 0; c < dim; c++) queries[c] = (double)suite_below(&r, 1000) / 250;
        for (int i = dim; i < N * dim; i++) queries[i] = queries[i - dim];
        const struct reference_points points = {BOSC_F64, dim, N, dim, x};
        bosc_kdtree *tree = kd_build(ctx, &opts, &points);
        /* 2. All distances, and the number of points within each. */
        CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, tree, queries, 1, dim, N, &o, ids, distances));
        CHECK_OK(ctx, bosc_kdtree_radius_count_metric(ctx, tree, queries, N, dim, distances, N, &o, counts));
        for (int i = N - 1, within = N; i >= 0; i--) {
            if (i + 1 < N && distances[i] < distances[i + 1]) within = i + 1;
            CHECK_EQ(counts[i], within);
        }
        bosc_kdtree_free(tree);
    }
}

/* The answers to many queries: by the CPU's vector loops for p up to 16 and infinity, or, with an epsilon that changes
 * no distance, by the general walk. */
struct answers {
    void *ids, *row_ids;
    double *distances, *row_distances;
    int64_t *offsets, *counts;
};

/* Rows without distances have the same ids: the CPU then measures only some of the nodes. */
static void check_ids_alone(bosc_ctx *ctx, struct km_trial *t, const double *bounds, int64_t bound_count,
                            const bosc_kdtree_query_opts *o, const struct answers *a)
{
    const int64_t m = t->queries.n, total = a->offsets[m];
    int64_t *offsets = suite_alloc((size_t)(m + 1) * 8);
    void *ids = suite_alloc((size_t)total * 8 + 8);
    memcpy(offsets, a->offsets, (size_t)(m + 1) * 8);
    CHECK_OK(ctx, bosc_kdtree_radius_metric(ctx, t->tree, t->queries.data, m, t->queries.stride, bounds, bound_count, o,
                                            offsets, ids, NULL, total));
    CHECK(memcmp(ids, a->row_ids, (size_t)total * (size_t)t->opts.id_bits / 8) == 0);
    free(offsets);
    free(ids);
}

static struct answers search_within(bosc_ctx *ctx, struct km_trial *t, int64_t k, const double *bounds,
                                    int64_t bound_count, double epsilon)
{
    const int64_t m = t->queries.n, stride = t->queries.stride;
    const size_t entries = (size_t)(m * k);
    bosc_kdtree_query_opts o = km_opts(t);
    struct answers a = {.ids = suite_alloc(entries * 8), .distances = suite_alloc(entries * 8)};
    o.epsilon = epsilon;
    a.offsets = suite_alloc((size_t)(m + 1) * 8);
    a.counts = suite_alloc((size_t)m * 8);
    /* 1. Rows of points within the bounds. */
    CHECK_OK(ctx, bosc_kdtree_radius_count_metric(ctx, t->tree, t->queries.data, m, stride, bounds, bound_count, &o,
                                                  a.counts));
    CHECK_OK(ctx, bosc_kdtree_radius_metric(ctx, t->tree, t->queries.data, m, stride, bounds, bound_count, &o,
                                            a.offsets, NULL, NULL, 0));
    const size_t total = (size_t)a.offsets[m];
    a.row_ids = suite_alloc(total * 8 + 8);
    a.row_distances = suite_alloc(total * 8 + 8);
    CHECK_OK(ctx, bosc_kdtree_radius_metric(ctx, t->tree, t->queries.data, m, stride, bounds, bound_count, &o,
                                            a.offsets, a.row_ids, a.row_distances, (int64_t)total));
    check_ids_alone(ctx, t, bounds, bound_count, &o, &a);
    /* 2. The nearest. */
    o.bounds = bounds;
    o.bound_count = bound_count;
    CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, t->tree, t->queries.data, m, stride, k, &o, a.ids, a.distances));
    return a;
}

static void free_answers(const struct answers *a)
{
    free(a->ids);
    free(a->row_ids);
    free(a->distances);
    free(a->row_distances);
    free(a->offsets);
    free(a->counts);
}

static void check_equal_answers(const struct km_trial *t, const struct answers *a, const struct answers *b, int64_t k)
{
    const size_t m = (size_t)t->queries.n, id_size = (size_t)t->opts.id_bits / 8, entries = m * (size_t)k;
    CHECK(memcmp(a->ids, b->ids, entries * id_size) == 0);
    CHECK(memcmp(a->distances, b->distances, entries * 8) == 0);
    CHECK(memcmp(a->counts, b->counts, m * 8) == 0);
    CHECK(memcmp(a->offsets, b->offsets, (m + 1) * 8) == 0);
    CHECK(memcmp(a->row_ids, b->row_ids, (size_t)a->offsets[m] * id_size) == 0);
    CHECK(memcmp(a->row_distances, b->row_distances, (size_t)a->offsets[m] * 8) == 0);
}

/* Multiplies F64 rows. */
static void scale_rows(const struct reference_points *p, double scale)
{
    for (int64_t i = 0; i < p->n; i++)
        for (int32_t c = 0; c < p->dim; c++) ((double *)p->data)[i * p->stride + c] *= scale;
}

/* Many queries at once, some infinite, among points with infinite coordinates, or flat in a coordinate. Powers of some
 * coordinates are beyond the range of double. */
static void many_queries(bosc_ctx *ctx)
{
    static const double norms[] = {1, INFINITY, 3, 1.5, 7, 2.5, 16}, scales[] = {1, 0x1p-340, 0x1p-200, 0x1p200};
    static const int32_t dims[] = {3, 1, 2, 9, 40};
    static const int64_t ks[] = {8, 1, 40};
    static const enum kd_shape shapes[] = {KD_RANDOM, KD_GRID, KD_CLUSTERS, KD_EQUAL, KD_LINE};
    struct suite_random r = {7};
    for (int i = 0; i < 84; i++) {
        if (suite_leaves_out()) continue;
        const double scale = km_dtypes[i % 4] == BOSC_F64 ? scales[suite_below(&r, 4)] : 1;
        const double p = norms[i % 7];
        const bool fast = p == 1 || isinf(p); /* else the general search computes many powers */
        const int64_t n = suite_slow(ctx) ? 150
                          : fast          ? 2000
                                          : 500,
                      m = suite_slow(ctx) ? 40
                          : fast          ? 500
                                          : 100,
                      k = ks[i % 3];
        const bosc_dtype dtype = km_dtypes[i % 4];
        const int32_t dim = dims[i % 5];
        /* 1. Points and queries. */
        struct km_trial t = km_make(ctx, &r, dtype, dim, n, m, shapes[suite_below(&r, 5)], p, false);
        const bool flat = suite_below(&r, 4) == 0, infinite = i / 4 % 2 && (dtype == BOSC_F32 || dtype == BOSC_F64);
        for (int64_t j = 0; j < n && flat; j++) kd_set((void *)t.points.data, dtype, j * dim, 3);
        for (int64_t j = 0; j < m && flat; j += 2) kd_set((void *)t.queries.data, dtype, j * t.queries.stride, 3);
        for (int64_t j = 0; j < n && infinite; j += 50)
            kd_set((void *)t.points.data, dtype, j * dim + j % dim, j % 100 ? -INFINITY : INFINITY);
        for (int64_t j = 0; j < m && infinite; j += 10)
            kd_set((void *)t.queries.data, dtype, j * t.queries.stride + j / 10 % dim, INFINITY);
        /* 2. A bound that is a distance, for all; then others for some. */
        double *bounds = suite_alloc((size_t)m * sizeof *bounds);
        const double bound =
            i % 8 == 0 ? (double)INFINITY
                       : scale * reference_distance(&t.metric, reference_measure(&t.points, n / 2,
                                                                                 kd_row(&t.queries, m / 2), &t.metric));
        if (scale != 1) {
            scale_rows(&t.points, scale);
            scale_rows(&t.queries, scale);
        }
        CHECK_OK(ctx, bosc_kdtree_build(ctx, t.tree, t.points.data, n, dim));
        for (int each = 0; each < 2; each++) {
            for (int64_t j = 0; j < m; j++)
                bounds[j] = each && j % 3 ? j % 7 ? bound * (double)(j % 5) / 4 : -1 : bound;
            const int64_t bound_count = each ? m : 1;
            const struct answers loops = search_within(ctx, &t, k, bounds, bound_count, 0),
                                 walk = search_within(ctx, &t, k, bounds, bound_count, 1e-300);
            check_equal_answers(&t, &loops, &walk, k);
            free_answers(&loops);
            free_answers(&walk);
        }
        free(bounds);
        km_free(&t);
    }
}

/* Returns the seconds of searches around an eighth of n points of a line. */
static double time_line(bosc_ctx *ctx, int axis, int64_t n)
{
    const bosc_kdtree_query_opts o = {.size = sizeof o, .p = 1, .epsilon = 1e-3};
    const int64_t m = n / 8;
    double *x, *distances = suite_alloc((size_t)m * 8);
    int64_t *ids = suite_alloc((size_t)m * 8);
    bosc_kdtree *tree = km_build_line(ctx, axis, n, &x);
    const double begin = km_cpu_seconds();
    CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, tree, x, m, 3, 1, &o, ids, distances));
    const double seconds = km_cpu_seconds() - begin;
    for (int64_t i = 0; i < m; i++) CHECK(distances[i] == 0 && ids[i] == i);
    bosc_kdtree_free(tree);
    free(x);
    free(distances);
    free(ids);
    return seconds;
}

static void few_queries_on_lines(bosc_ctx *ctx) { km_compare_lines(ctx, time_line); }

/* A tree whose root splits by another coordinate, as shards of trees over ranks do, has the answers of a usual one;
 * with a coordinate shared by all points too. */
static void other_first_coordinate(bosc_ctx *ctx)
{
    enum { N = 400, QUERIES = 150, K = 5 };
    struct suite_random r = {31};
    for (int t = 0; t < 6; t++) {
        const int32_t dim = 2 + t / 2;
        const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = dim, .id_bits = 64};
        const bosc_kdtree_query_opts by = {.size = sizeof by, .p = 3};
        struct reference_points p = kd_points(&r, BOSC_F32, dim, N, dim, KD_RANDOM);
        int64_t ids[2][QUERIES * K];
        double distances[2][QUERIES * K];
        for (int64_t i = 0; i < N && t % 2; i++) kd_set((void *)p.data, BOSC_F32, i * dim + dim - 1, 1);
        for (int other = 0; other < 2; other++) {
            bosc_kdtree *tree;
            CHECK_OK(ctx, bosc_kdtree_create(ctx, &opts, &tree));
            bi_kdtree_begin_at(tree, other ? dim - 1 : 0);
            CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p.data, N, 0));
            CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, tree, p.data, QUERIES, 0, K, &by, ids[other], distances[other]));
            bosc_kdtree_free(tree);
        }
        CHECK(memcmp(ids[0], ids[1], sizeof ids[0]) == 0);
        CHECK(memcmp(distances[0], distances[1], sizeof distances[0]) == 0);
        free((void *)p.data);
    }
}

static const struct suite_case suite_cases_kdtree_metric[] = {
    {"many queries", many_queries, NULL},
    {"lines", few_queries_on_lines, NULL},
    {"reported distances", powers_at_reported_distances, NULL},
    {"shapes", every_shape_and_norm, NULL},
    {"sizes", small_trees_and_many_dimensions, NULL},
    {"approximate", approximate, NULL},
    {"same bits", same_bits, NULL},
    {"outside", outside, NULL},
    {"other first coordinate", other_first_coordinate, NULL},
};
SUITE(kdtree_metric);
