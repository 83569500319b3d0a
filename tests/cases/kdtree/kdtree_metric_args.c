/* Searches by any metric refuse bad arguments by name, and leave outputs unchanged. */
#include "cases/kdtree/kdtree_metric_data.h"

/* Two trees of 20 points, and outputs that no refused call may touch. */
struct fixture {
    double points[60], queries[9], radii[3], periods[3];
    bosc_kdtree *tree, *unique, *single, *flat;
    bosc_kdtree_query_opts good;
    int64_t ids[64], offsets[21];
    double distances[64];
};

static bosc_kdtree *build_tree(bosc_ctx *ctx, const void *points, bosc_dtype dtype, int32_t dim,
                               bosc_kdtree_duplicates duplicates)
{
    const bosc_kdtree_opts o = {.size = sizeof o, .dtype = dtype, .dim = dim, .duplicates = duplicates};
    struct reference_points rows = {dtype, dim, 20, dim, points};
    return kd_build(ctx, &o, &rows);
}

static struct fixture make_fixture(bosc_ctx *ctx)
{
    struct fixture d = {.radii = {0.5, 1, 2}, .good = {.size = sizeof d.good}};
    d.tree = build_tree(ctx, d.points, BOSC_F64, 3, BOSC_KDTREE_DUPLICATES_KEEP);
    d.unique = build_tree(ctx, d.points, BOSC_F64, 3, BOSC_KDTREE_DUPLICATES_REMOVE);
    d.single = build_tree(ctx, d.points, BOSC_F32, 3, BOSC_KDTREE_DUPLICATES_KEEP);
    d.flat = build_tree(ctx, d.points, BOSC_F64, 2, BOSC_KDTREE_DUPLICATES_KEEP);
    memset(d.ids, 0x55, sizeof d.ids);
    memset(d.offsets, 0x55, sizeof d.offsets);
    memset(d.distances, 0x55, sizeof d.distances);
    return d;
}

static void check_and_free_fixture(struct fixture *d)
{
    for (int i = 0; i < 64; i++)
        CHECK(d->ids[i] == 0x5555555555555555 && memcmp(&d->distances[i], &d->ids[i], sizeof d->ids[i]) == 0);
    for (int i = 0; i < 21; i++) CHECK_EQ(d->offsets[i], 0x5555555555555555);
    bosc_kdtree_free(d->tree);
    bosc_kdtree_free(d->unique);
    bosc_kdtree_free(d->single);
    bosc_kdtree_free(d->flat);
}

#define KNN(ctx, first, opts) bosc_kdtree_knn_metric(ctx, first, d.queries, 3, 0, 2, opts, d.ids, d.distances)
#define RADIUS(ctx, first, opts) \
    bosc_kdtree_radius_metric(ctx, first, d.queries, 3, 0, d.radii, 3, opts, d.offsets, NULL, NULL, 0)
#define COUNT(ctx, first, opts) bosc_kdtree_radius_count_metric(ctx, first, d.queries, 3, 0, d.radii, 3, opts, d.ids)
#define PAIRS(ctx, first, opts) bosc_kdtree_pairs(ctx, first, NULL, 1.0, opts, d.offsets, NULL, NULL, 0)
#define COUNT_PAIRS(ctx, first, opts) \
    bosc_kdtree_count_pairs(ctx, first, d.tree, d.radii, 3, opts, NULL, NULL, 0, d.ids, d.distances)
#define EACH_REFUSES(first, opts, argument)                      \
    do {                                                         \
        CHECK_ARG(ctx, KNN(ctx, first, opts), argument);         \
        CHECK_ARG(ctx, RADIUS(ctx, first, opts), argument);      \
        CHECK_ARG(ctx, COUNT(ctx, first, opts), argument);       \
        CHECK_ARG(ctx, PAIRS(ctx, first, opts), argument);       \
        CHECK_ARG(ctx, COUNT_PAIRS(ctx, first, opts), argument); \
    } while (0)

static void refuses_bad_options(bosc_ctx *ctx)
{
    static const size_t sizes[] = {0, 1, 7, sizeof(bosc_kdtree_query_opts) + 8, SIZE_MAX};
    static const double norms[] = {0.5, 0.999, -1, -INFINITY, (double)NAN};
    static const double bad[] = {-1, -1e-300, INFINITY, -INFINITY, (double)NAN};
    struct fixture d = make_fixture(ctx);
    /* No context and no tree. */
    CHECK_EQ(KNN(NULL, d.tree, NULL), BOSC_ERR_ARG);
    CHECK_EQ(RADIUS(NULL, d.tree, NULL), BOSC_ERR_ARG);
    CHECK_EQ(COUNT(NULL, d.tree, NULL), BOSC_ERR_ARG);
    CHECK_EQ(PAIRS(NULL, d.tree, NULL), BOSC_ERR_ARG);
    CHECK_EQ(COUNT_PAIRS(NULL, d.tree, NULL), BOSC_ERR_ARG);
    EACH_REFUSES(NULL, NULL, "tree");
    /* One bad option at a time, with five bad values each. */
    for (int i = 0; i < 5; i++) {
        bosc_kdtree_query_opts o = d.good;
        o.size = sizes[i];
        EACH_REFUSES(d.tree, &o, "opts: size");
        o = d.good;
        o.p = norms[i];
        EACH_REFUSES(d.tree, &o, "opts: p:");
        o = d.good;
        o.epsilon = bad[i];
        EACH_REFUSES(d.tree, &o, "opts: epsilon");
        o = d.good;
        o.periods = d.periods;
        d.periods[2] = bad[i];
        EACH_REFUSES(d.tree, &o, "opts: periods");
    }
    bosc_kdtree_query_opts o = d.good;
    o.periods = (const double *)(const void *)((const char *)d.periods + 4);
    EACH_REFUSES(d.tree, &o, "opts: periods");
    check_and_free_fixture(&d);
}

static void refuses_bad_queries(bosc_ctx *ctx)
{
    struct fixture d = make_fixture(ctx);
    bosc_kdtree_query_opts o = d.good, self = d.good, general = d.good;
    self.self = 1;
    general.p = 3;
    CHECK_ARG(ctx, KNN(ctx, d.tree, &self), "queries: not NULL");
    CHECK_ARG(ctx, bosc_kdtree_knn_metric(ctx, d.tree, NULL, 19, 0, 2, &self, d.ids, NULL), "query_count");
    CHECK_ARG(ctx, bosc_kdtree_knn_metric(ctx, d.unique, NULL, 1, 0, 2, &self, d.ids, NULL), "tree: duplicates");
    CHECK_ARG(ctx, bosc_kdtree_knn_metric(ctx, d.tree, NULL, 3, 0, 2, &o, d.ids, NULL), "queries");
    CHECK_ARG(ctx, bosc_kdtree_knn_metric(ctx, d.tree, d.queries, -1, 0, 2, &o, d.ids, NULL), "query_count");
    CHECK_ARG(ctx, bosc_kdtree_knn_metric(ctx, d.tree, d.queries, 3, 2, 2, &o, d.ids, NULL), "stride");
    CHECK_ARG(ctx, bosc_kdtree_knn_metric(ctx, d.tree, d.queries, 3, 0, 0, &o, d.ids, NULL), "k");
    CHECK_ARG(ctx, bosc_kdtree_knn_metric(ctx, d.tree, d.queries, 3, 0, INT64_MAX / 16, &o, d.ids, NULL), "k");
    CHECK_ARG(ctx, bosc_kdtree_knn_metric(ctx, d.tree, d.queries, 3, 0, 2, &o, NULL, d.distances), "ids");
    CHECK_ARG(ctx, bosc_kdtree_knn_metric(ctx, d.tree, d.queries, 3, 0, 2, &o, (char *)d.ids + 4, NULL), "ids");
    double *crooked = (double *)(void *)((char *)d.distances + 4);
    CHECK_ARG(ctx, bosc_kdtree_knn_metric(ctx, d.tree, d.queries, 3, 0, 2, &o, d.ids, crooked), "distances");
    o.bounds = d.radii;
    CHECK_ARG(ctx, KNN(ctx, d.tree, &o), "opts: bound_count");
    o.bound_count = 2;
    CHECK_ARG(ctx, KNN(ctx, d.tree, &o), "opts: bound_count");
    CHECK_ARG(ctx, RADIUS(ctx, d.tree, &o), "opts: bounds");
    CHECK_ARG(ctx, COUNT(ctx, d.tree, &o), "opts: bounds");
    o.bounds = crooked;
    o.bound_count = 3;
    CHECK_ARG(ctx, KNN(ctx, d.tree, &o), "opts: bounds");
    d.queries[4] = NAN;
    CHECK_STATUS(ctx, KNN(ctx, d.tree, NULL), BOSC_ERR_DATA);
    CHECK_STATUS(ctx, KNN(ctx, d.tree, &general), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "queries: row 1 "));
    d.queries[4] = 0;
    CHECK_OK(ctx,
             bosc_kdtree_knn_metric(ctx, d.tree, NULL, 0, 0, 1, &general, NULL, NULL)); /* no queries need no arrays */
    check_and_free_fixture(&d);
}

static void refuses_bad_radii(bosc_ctx *ctx)
{
    struct fixture d = make_fixture(ctx);
    const double *q = d.queries, *crooked = (const double *)(const void *)((const char *)d.radii + 4);
    int64_t *off = d.offsets, good[4], crooked_ids[64], none = 5;
    CHECK_ARG(ctx, bosc_kdtree_radius_metric(ctx, d.tree, q, 3, 0, NULL, 3, NULL, off, NULL, NULL, 0), "radii");
    CHECK_ARG(ctx, bosc_kdtree_radius_metric(ctx, d.tree, q, 3, 0, crooked, 3, NULL, off, NULL, NULL, 0), "radii");
    CHECK_ARG(ctx, bosc_kdtree_radius_metric(ctx, d.tree, q, 3, 0, d.radii, 2, NULL, off, NULL, NULL, 0),
              "radius_count");
    CHECK_ARG(ctx, bosc_kdtree_radius_metric(ctx, d.tree, q, 3, 0, d.radii, -1, NULL, off, NULL, NULL, 0),
              "radius_count");
    CHECK_ARG(ctx, bosc_kdtree_radius_metric(ctx, d.tree, q, 3, 0, d.radii, 3, NULL, NULL, NULL, NULL, 0), "offsets");
    CHECK_ARG(ctx, bosc_kdtree_radius_metric(ctx, d.tree, q, 3, 0, d.radii, 3, NULL, off, d.ids, NULL, -1), "capacity");
    CHECK_ARG(ctx, bosc_kdtree_radius_count_metric(ctx, d.tree, q, 3, 0, d.radii, 3, NULL, NULL), "counts");
    CHECK_OK(ctx, bosc_kdtree_radius_metric(ctx, d.tree, q, 3, 0, d.radii, 3, NULL, good, NULL, NULL, 0));
    CHECK_EQ(good[3], 60);
    CHECK_ARG(
        ctx, bosc_kdtree_radius_metric(ctx, d.tree, q, 3, 0, d.radii, 3, NULL, good, (char *)crooked_ids + 4, NULL, 63),
        "ids");
    bosc_kdtree_query_opts general = d.good;
    general.p = 3;
    for (int kind = 0; kind < 2; kind++) { /* offsets of another search, by the plain and by the general method */
        const bosc_kdtree_query_opts *o = kind ? &general : NULL;
        good[1] = 19;
        CHECK_ARG(ctx, bosc_kdtree_radius_metric(ctx, d.tree, q, 3, 0, d.radii, 3, o, good, crooked_ids, NULL, 64),
                  "offsets");
        good[1] = 20;
        CHECK_STATUS(ctx, bosc_kdtree_radius_metric(ctx, d.tree, q, 3, 0, d.radii, 3, o, good, d.ids, NULL, 59),
                     BOSC_ERR_SPACE);
    }
    CHECK_OK(ctx, bosc_kdtree_radius_metric(ctx, d.tree, NULL, 0, 0, NULL, 0, &general, &none, NULL, NULL, 0));
    CHECK_EQ(none, 0);
    check_and_free_fixture(&d);
}

static void refuses_bad_pairs(bosc_ctx *ctx)
{
    struct fixture d = make_fixture(ctx);
    static const double bad[] = {-1, -INFINITY, (double)NAN};
    double unordered[] = {1, 0.5}, nan[] = {1, NAN}, *crooked = (double *)(void *)((char *)d.distances + 4);
    bosc_kdtree_query_opts o = d.good;
    for (int i = 0; i < 3; i++)
        CHECK_ARG(ctx, bosc_kdtree_pairs(ctx, d.tree, NULL, bad[i], NULL, d.offsets, NULL, NULL, 0), "radius");
    o.bounds = d.radii;
    CHECK_ARG(ctx, PAIRS(ctx, d.tree, &o), "opts: bounds");
    CHECK_ARG(ctx, COUNT_PAIRS(ctx, d.tree, &o), "opts: bounds");
    o = d.good;
    o.self = 1;
    CHECK_ARG(ctx, PAIRS(ctx, d.tree, &o), "opts: self");
    CHECK_ARG(ctx, COUNT_PAIRS(ctx, d.tree, &o), "opts: self");
    o = d.good;
    o.exclude_self = 1;
    CHECK_ARG(ctx, PAIRS(ctx, d.tree, &o), "opts: exclude_self");
    CHECK_ARG(ctx, COUNT_PAIRS(ctx, d.tree, &o), "opts: exclude_self");
    CHECK_ARG(ctx, PAIRS(ctx, d.unique, NULL), "tree: duplicates");
    CHECK_ARG(ctx, COUNT_PAIRS(ctx, d.unique, NULL), "tree: duplicates");
    CHECK_ARG(ctx, bosc_kdtree_pairs(ctx, d.tree, d.single, 1, NULL, d.offsets, NULL, NULL, 0), "other");
    CHECK_ARG(ctx, bosc_kdtree_pairs(ctx, d.tree, d.flat, 1, NULL, d.offsets, NULL, NULL, 0), "other");
    CHECK_ARG(ctx, bosc_kdtree_pairs(ctx, d.tree, NULL, 1, NULL, NULL, NULL, NULL, 0), "offsets");
    CHECK_ARG(ctx, bosc_kdtree_pairs(ctx, d.tree, NULL, 1, NULL, d.offsets, d.ids, NULL, -1), "capacity");
    CHECK_ARG(ctx, bosc_kdtree_pairs(ctx, d.tree, NULL, 1, NULL, d.offsets, (char *)d.ids + 4, NULL, 9), "ids");
    CHECK_ARG(ctx, bosc_kdtree_pairs(ctx, d.tree, NULL, 1, NULL, d.offsets, d.ids, crooked, 9), "distances");
#define COUNTS(other, radii, n, w, ow, counts, sums) \
    bosc_kdtree_count_pairs(ctx, d.tree, other, radii, n, NULL, w, ow, 0, counts, sums)
    CHECK_ARG(ctx, COUNTS(NULL, d.radii, 3, NULL, NULL, d.ids, NULL), "other");
    CHECK_ARG(ctx, COUNTS(d.single, d.radii, 3, NULL, NULL, d.ids, NULL), "other");
    CHECK_ARG(ctx, COUNTS(d.unique, d.radii, 3, NULL, NULL, d.ids, NULL), "other: duplicates");
    CHECK_ARG(ctx, COUNTS(d.tree, NULL, 3, NULL, NULL, d.ids, NULL), "radii");
    CHECK_ARG(ctx, COUNTS(d.tree, unordered, 2, NULL, NULL, d.ids, NULL), "radii: radius 1");
    CHECK_ARG(ctx, COUNTS(d.tree, nan, 2, NULL, NULL, d.ids, NULL), "radii: radius 1");
    CHECK_ARG(ctx, COUNTS(d.tree, d.radii, -1, NULL, NULL, d.ids, NULL), "radius_count");
    CHECK_ARG(ctx, COUNTS(d.tree, d.radii, INT64_MAX, NULL, NULL, d.ids, NULL), "radius_count");
    CHECK_ARG(ctx, COUNTS(d.tree, d.radii, 3, crooked, NULL, NULL, d.distances), "weights");
    CHECK_ARG(ctx, COUNTS(d.tree, d.radii, 3, NULL, crooked, NULL, d.distances), "other_weights");
    CHECK_ARG(ctx, COUNTS(d.tree, d.radii, 3, NULL, NULL, (int64_t *)(void *)((char *)d.ids + 4), NULL), "counts");
    CHECK_ARG(ctx, COUNTS(d.tree, d.radii, 3, NULL, NULL, NULL, crooked), "sums");
    CHECK_OK(ctx, COUNTS(d.tree, NULL, 0, NULL, NULL, d.ids, d.distances)); /* no radii need no outputs */
    CHECK_OK(ctx, COUNTS(d.tree, d.radii, 3, NULL, NULL, NULL, NULL));
    check_and_free_fixture(&d);
}

static const struct suite_case suite_cases_kdtree_metric_args[] = {{"options", refuses_bad_options, NULL},
                                                                   {"queries", refuses_bad_queries, NULL},
                                                                   {"radii", refuses_bad_radii, NULL},
                                                                   {"pairs", refuses_bad_pairs, NULL}};
SUITE(kdtree_metric_args);
