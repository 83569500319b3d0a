/* Pairs within one tree or between two, and their counts by distance, equal measuring every pair. */
#include "cases/kdtree/kdtree_metric_data.h"

static int64_t *room(int64_t n) { return suite_alloc((size_t)n * 8 + 8); }

/* A radius equal to the distance of some pair, or close to it if the reference is inexact. */
static double some_radius(struct suite_random *r, const struct km_trial *t, const struct km_trial *other)
{
    static const double odd[] = {0, INFINITY, 1};
    if (t->points.n == 0 || other->points.n == 0 || suite_below(r, 4) == 0) return odd[suite_below(r, 3)];
    const void *q = kd_row(&t->points, (int64_t)suite_below(r, (uint64_t)t->points.n));
    int64_t row = (int64_t)suite_below(r, (uint64_t)other->points.n);
    double d = reference_distance(&t->metric, reference_measure(&other->points, row, q, &t->metric));
    return km_exact(&t->metric) ? d : d * 1.0001;
}

/* Compares the listed pairs with a search over all; other NULL: pairs within the tree. */
static void check_pairs(bosc_ctx *ctx, struct km_trial *t, const struct km_trial *other, double radius)
{
    const struct km_trial *searched = other ? other : t;
    bosc_kdtree_query_opts o = km_opts(t);
    bosc_kdtree *second = other ? other->tree : NULL;
    int64_t n = t->points.n, *offsets = room(n + 1);
    /* 1. Count, then list. */
    CHECK_OK(ctx, bosc_kdtree_pairs(ctx, t->tree, second, radius, &o, offsets, NULL, NULL, 0));
    int64_t total = offsets[n], at = 0, *ids = room(total);
    double *distances = (double *)room(total);
    CHECK_OK(ctx, bosc_kdtree_pairs(ctx, t->tree, second, radius, &o, offsets, ids, distances, total));
    /* 2. Measure every pair: the list has those within the radius, in order. */
    for (int64_t i = 0; i < n; i++) {
        CHECK_EQ(offsets[i], at);
        for (int64_t j = other ? 0 : i + 1; j < searched->points.n; j++) {
            double d = reference_measure(&searched->points, j, kd_row(&t->points, i), &t->metric);
            if (!reference_within(&t->points, &t->metric, d, radius)) continue;
            CHECK(at < offsets[i + 1]);
            CHECK_EQ(kd_id(ids, searched->opts.id_bits, at), j);
            CHECK(km_near(&t->metric, distances[at], reference_distance(&t->metric, d)));
            at++;
        }
    }
    CHECK_EQ(at, total);
    /* 3. Without distances the ids are the same. */
    int64_t *alone = room(total);
    CHECK_OK(ctx, bosc_kdtree_pairs(ctx, t->tree, second, radius, &o, offsets, alone, NULL, total));
    CHECK(memcmp(alone, ids, (size_t)(total * searched->opts.id_bits / 8)) == 0);
    free(alone);
    /* 4. A capacity one too small is refused. */
    if (total)
        CHECK_STATUS(ctx, bosc_kdtree_pairs(ctx, t->tree, second, radius, &o, offsets, ids, NULL, total - 1),
                     BOSC_ERR_SPACE);
    free(offsets);
    free(ids);
    free(distances);
}

/* Weights of few bits, so that sums are exact in every order. */
static double *make_weights(struct suite_random *r, int64_t n)
{
    double *weights = (double *)room(n);
    for (int64_t i = 0; i < n; i++) weights[i] = (double)suite_below(r, 33) - 8;
    return weights;
}

enum { MOST_RADII = 40 };

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static void count_plainly(const struct km_trial *t, const struct km_trial *other, const double *radii, int64_t bins,
                          const double *weights, const double *other_weights, int64_t *counts, double *sums)
{
    for (int64_t b = 0; b < bins; b++) sums[b] = (double)(counts[b] = 0);
    for (int64_t i = 0; i < t->points.n; i++)
        for (int64_t j = 0; j < other->points.n; j++) {
            double d = reference_measure(&other->points, j, kd_row(&t->points, i), &t->metric);
            int64_t b = 0;
            while (b < bins && !reference_within(&t->points, &t->metric, d, radii[b])) b++;
            if (b == bins) continue;
            counts[b]++;
            sums[b] += (weights ? weights[i] : 1) * (other_weights ? other_weights[j] : 1);
        }
}

static void check_counts(bosc_ctx *ctx, struct suite_random *r, struct km_trial *t, const struct km_trial *other)
{
    static const int64_t sizes[] = {1, 3, 16, 17, MOST_RADII};
    bosc_kdtree_query_opts o = km_opts(t);
    double *weights = suite_below(r, 4) ? make_weights(r, t->points.n) : NULL;
    double *other_weights = suite_below(r, 4) ? make_weights(r, other->points.n) : NULL;
    double radii[MOST_RADII], sums[MOST_RADII], want_sums[MOST_RADII];
    int64_t counts[MOST_RADII], want[MOST_RADII], bins = sizes[suite_below(r, 5)];
    /* Ascending radii, some equal to distances, some negative. */
    for (int64_t b = 0; b < bins; b++) radii[b] = suite_below(r, 9) ? some_radius(r, t, other) : -1;
    qsort(radii, (size_t)bins, sizeof *radii, ascending);
    count_plainly(t, other, radii, bins, weights, other_weights, want, want_sums);
    o.epsilon = (double)suite_below(r, 2) * 3; /* counts are exact nevertheless */
    /* Counts and sums of each bin, then cumulative ones. */
    for (int32_t cumulative = 0; cumulative < 2; cumulative++) {
        CHECK_OK(ctx, bosc_kdtree_count_pairs(ctx, t->tree, other->tree, radii, bins, &o, weights, other_weights,
                                              cumulative, counts, sums));
        int64_t count = 0;
        double sum = 0;
        for (int64_t b = 0; b < bins; b++) {
            count = want[b] + (cumulative ? count : 0);
            sum = want_sums[b] + (cumulative ? sum : 0);
            CHECK_EQ(counts[b], count);
            CHECK(sums[b] == sum);
        }
    }
    /* Without sums. */
    CHECK_OK(ctx, bosc_kdtree_count_pairs(ctx, t->tree, other->tree, radii, bins, &o, weights, other_weights, 0, counts,
                                          NULL));
    CHECK(memcmp(counts, want, (size_t)bins * sizeof *want) == 0);
    free(weights);
    free(other_weights);
}

static void try_one(bosc_ctx *ctx, struct suite_random *r, bosc_dtype dtype, int32_t dim, int64_t n, int64_t others,
                    enum kd_shape shape, double norm, bool boxed)
{
    if (suite_leaves_out()) return;
    struct km_trial t = km_make(ctx, r, dtype, dim, n, 1, shape, norm, boxed);
    struct km_trial other = km_make(ctx, r, dtype, dim, others, 1, shape, norm, false);
    km_confine(r, &other.points, t.periods, false);
    CHECK_OK(ctx, bosc_kdtree_build(ctx, other.tree, other.points.data, others, 0));
    check_pairs(ctx, &t, NULL, some_radius(r, &t, &t));
    check_pairs(ctx, &t, &t, some_radius(r, &t, &t));
    check_pairs(ctx, &t, &other, some_radius(r, &t, &other));
    check_counts(ctx, r, &t, &other);
    check_counts(ctx, r, &t, &t);
    km_free(&t);
    km_free(&other);
}

static void every_shape_and_norm(bosc_ctx *ctx)
{
    struct suite_random r = {1};
    for (int s = 0; s < KD_SHAPES; s++)
        for (int p = 0; p < 7; p += suite_slow(ctx) ? 3 : 1)
            try_one(ctx, &r, km_dtypes[(p + s) % 4], 1 + (p + s) % 4, (int64_t)suite_below(&r, 70),
                    (int64_t)suite_below(&r, 70), (enum kd_shape)s, km_norms[p], (s + p) % 2);
}

static void small_trees_and_many_dimensions(bosc_ctx *ctx)
{
    struct suite_random r = {2};
    for (int64_t n = 0; n < 12; n += suite_slow(ctx) ? 3 : 1)
        for (int64_t others = 0; others < 12; others += 1 + n)
            try_one(ctx, &r, km_dtypes[n % 4], 1 + (int32_t)(n % 3), n, others, KD_RANDOM, km_norms[others % 4], n % 2);
    int64_t n = suite_slow(ctx) ? 120 : 250;
    for (int p = 0; p < 4; p++) try_one(ctx, &r, BOSC_F64, 2, n, n / 2, KD_RANDOM, km_norms[p], p % 2);
    try_one(ctx, &r, BOSC_F64, 36, 100, 100, KD_RANDOM, 3, true);
}

/* Coordinates that all nodes share, or all but a few; the tree is split by the others. */
static void flat_coordinates(bosc_ctx *ctx)
{
    struct suite_random r = {4};
    const int64_t n = suite_slow(ctx) ? 80 : 200;
    for (int f = 0; f < KD_FLATNESSES; f++)
        for (unsigned axes = 1; axes < 8; axes++) {
            if (suite_leaves_out()) continue;
            const bosc_dtype dtype = km_dtypes[(f + (int)axes) % 4];
            struct km_trial t = km_make(ctx, &r, dtype, 3, n, 1, KD_RANDOM, km_norms[axes % 4], false);
            free((void *)t.points.data);
            t.points = kd_flat_points(&r, dtype, 3, n, (enum kd_flatness)f, axes, axes % 2 ? KD_GRID : KD_RANDOM);
            CHECK_OK(ctx, bosc_kdtree_build(ctx, t.tree, t.points.data, n, 0));
            for (int again = 0; again < 3; again++)
                check_pairs(ctx, &t, again < 2 ? NULL : &t, some_radius(&r, &t, &t));
            km_free(&t);
        }
}

/* Rows of hundreds of pairs, whose subtrees are within the radius as a whole, but not with greater ids. */
static void long_rows(bosc_ctx *ctx)
{
    struct suite_random r = {6};
    const int64_t n = suite_emulated(ctx) ? 300 : 1200;
    for (int k = 0; k < 4; k++) {
        if (suite_leaves_out()) continue;
        struct km_trial t = km_make(ctx, &r, km_dtypes[k], 1 + k, n, 1, KD_RANDOM, 2, false);
        check_pairs(ctx, &t, NULL, INFINITY);
        check_pairs(ctx, &t, NULL, some_radius(&r, &t, &t));
        km_free(&t);
    }
}

/* Large integers that round to the same double are not flat: splits by them order them, not the other coordinates. */
static void nearly_flat_integers(bosc_ctx *ctx)
{
    struct suite_random r = {5};
    const int64_t n = 150;
    struct km_trial t = km_make(ctx, &r, BOSC_I64, 2, n, 1, KD_RANDOM, 2, false);
    for (int64_t i = 0; i < n; i++) ((int64_t *)t.points.data)[2 * i] = ((int64_t)1 << 62) + i % 100;
    for (int64_t i = 0; i < n; i++) ((int64_t *)t.points.data)[2 * i + 1] = (int64_t)suite_below(&r, 500);
    CHECK_OK(ctx, bosc_kdtree_build(ctx, t.tree, t.points.data, n, 0));
    for (double radius = 0; radius < 20; radius += 3) check_pairs(ctx, &t, NULL, radius);
    km_free(&t);
}

/* Points are close in the coordinates that a tree splits, and apart in the others. */
static void coordinates_never_split(bosc_ctx *ctx)
{
    enum { N = 150, RADII = 6, MOST_DIM = 40 };
    static double x[N * MOST_DIM];
    const int dims[] = {32, 33, 34, MOST_DIM};
    for (int k = 0; k < 8; k++) {
        struct suite_random r = {(uint64_t)k};
        const int dim = dims[k % 4];
        const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F64, .dim = dim};
        const bosc_kdtree_query_opts o = {.size = sizeof o, .p = k < 4 ? 2 : 1};
        const double radii[RADII] = {0.25, 0.5, 0.75, 1, 1.5, 2};
        int64_t want[RADII] = {0}, counts[RADII];
        if (suite_leaves_out()) continue;
        for (int i = 0; i < N * dim; i++) /* multiples of 1 / 8 and 1 / 512: sums are exact */
            x[i] = i % dim < 32 ? (double)suite_below(&r, 2) / 512 : (double)suite_below(&r, 9) / 8;
        const struct reference_points points = {BOSC_F64, dim, N, dim, x};
        bosc_kdtree *tree = kd_build(ctx, &opts, &points);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double sum = 0;
                for (int c = 0; c < dim; c++) {
                    const double gap = fabs(x[i * dim + c] - x[j * dim + c]);
                    sum += k < 4 ? gap * gap : gap;
                }
                for (int b = 0; b < RADII; b++) want[b] += sum <= (k < 4 ? radii[b] * radii[b] : radii[b]);
            }
        CHECK_OK(ctx, bosc_kdtree_count_pairs(ctx, tree, tree, radii, RADII, &o, NULL, NULL, 1, counts, NULL));
        for (int b = 0; b < RADII; b++) CHECK_EQ(counts[b], want[b]);
        bosc_kdtree_free(tree);
    }
}

/* Trees of many boxes, whose points lie in a line, a plane, layers, or copies: their boxes are excluded or included as
 * a whole, or divided down to blocks. */
static void pairs_of_boxes(bosc_ctx *ctx)
{
    struct suite_random r = {6};
    const int64_t n = suite_emulated(ctx) ? 100 : suite_slow(ctx) ? 520 : 1100;
    for (int f = 0; f < KD_FLATNESSES + KD_SHAPES; f++)
        for (int p = 0; p < 4; p++) {
            if (suite_leaves_out()) continue;
            const int32_t dim = 1 + (f + p) % 4;
            const bosc_dtype dtype = km_dtypes[(f + p / 2) % 4];
            const enum kd_shape shape = f < KD_FLATNESSES ? KD_RANDOM : (enum kd_shape)(f - KD_FLATNESSES);
            /* 1. Make two trees: the second with fewer points, in the periods of the first. */
            struct km_trial t = km_make(ctx, &r, dtype, dim, n, 1, shape, km_norms[p], f % 3 == p % 3);
            const int64_t others = p % 2 ? n / 5 : 9;
            struct km_trial other = km_make(ctx, &r, dtype, dim, others, 1, shape, km_norms[p], false);
            if (f < KD_FLATNESSES) {
                free((void *)t.points.data);
                t.points = kd_flat_points(&r, dtype, dim, n, (enum kd_flatness)f, (unsigned)p + 1, KD_RANDOM);
                km_confine(&r, &t.points, t.periods, false);
                CHECK_OK(ctx, bosc_kdtree_build(ctx, t.tree, t.points.data, n, 0));
            }
            km_confine(&r, &other.points, t.periods, false);
            CHECK_OK(ctx, bosc_kdtree_build(ctx, other.tree, other.points.data, others, 0));
            memcpy(other.periods, t.periods, sizeof t.periods);
            /* 2. Count the pairs of one tree, and of two, with either as the queries. */
            check_counts(ctx, &r, &t, &t);
            check_counts(ctx, &r, &t, &other);
            check_counts(ctx, &r, &other, &t);
            km_free(&t);
            km_free(&other);
        }
}

/* Returns the seconds of counts and sums of n points of a line. Walks that split flat axes took 30 times as much. */
static double time_line(bosc_ctx *ctx, int axis, int64_t n)
{
    enum { REACH = 3 };
    const bosc_kdtree_query_opts o = {.size = sizeof o, .p = INFINITY};
    const double radius = REACH;
    double *x, sum;
    int64_t count;
    bosc_kdtree *tree = km_build_line(ctx, axis, n, &x);
    /* All points but the last few have as many neighbours. */
    const double begin = km_cpu_seconds();
    CHECK_OK(ctx, bosc_kdtree_count_pairs(ctx, tree, tree, &radius, 1, &o, NULL, NULL, 1, &count, &sum));
    const double seconds = km_cpu_seconds() - begin;
    CHECK_EQ(count, n * (2 * REACH + 1) - REACH * (REACH + 1));
    CHECK(sum == (double)count);
    bosc_kdtree_free(tree);
    free(x);
    return seconds;
}

static void lines(bosc_ctx *ctx) { km_compare_lines(ctx, time_line); }

/* Lists pairs of many points with and without an epsilon that changes no distance: with it the CPU does not use its
 * vector loops. */
static void many_points(bosc_ctx *ctx)
{
    static const double norms[] = {2, 1, INFINITY};
    struct suite_random r = {8};
    for (int i = 0; i < 24; i++) {
        if (suite_leaves_out()) continue;
        const int64_t n = suite_slow(ctx) ? 200 : 2500, others = n / 3;
        const int32_t dim = 1 + i % 5;
        const enum kd_shape shape = i % 4 == 3 ? KD_GRID : i % 2 ? KD_CLUSTERS : KD_RANDOM;
        struct km_trial t = km_make(ctx, &r, km_dtypes[i / 2 % 4], dim, n, 1, shape, norms[i % 3], false);
        struct km_trial other = km_make(ctx, &r, km_dtypes[i / 2 % 4], dim, others, 1, shape, norms[i % 3], false);
        bosc_kdtree_query_opts o = km_opts(&t);
        const double radius = some_radius(&r, &t, &t) / (i % 3 == 2 ? 40 : i % 3 + 1);
        for (int two = 0; two < 2; two++) {
            bosc_kdtree *second = two ? other.tree : NULL;
            int64_t *offsets[2], *ids[2], total = 0;
            double *distances[2];
            /* 1. List the pairs by both searches. */
            for (int k = 0; k < 2; k++) {
                o.epsilon = k ? 1e-300 : 0;
                offsets[k] = room(n + 1);
                CHECK_OK(ctx, bosc_kdtree_pairs(ctx, t.tree, second, radius, &o, offsets[k], NULL, NULL, 0));
                total = offsets[k][n];
                ids[k] = room(total);
                distances[k] = (double *)room(total);
                CHECK_OK(ctx,
                         bosc_kdtree_pairs(ctx, t.tree, second, radius, &o, offsets[k], ids[k], distances[k], total));
            }
            /* 2. Compare the bits. */
            const int32_t id_bits = two ? other.opts.id_bits : t.opts.id_bits;
            CHECK(memcmp(offsets[0], offsets[1], (size_t)(n + 1) * 8) == 0);
            CHECK(memcmp(ids[0], ids[1], (size_t)(total * id_bits / 8)) == 0);
            CHECK(memcmp(distances[0], distances[1], (size_t)total * 8) == 0);
            for (int k = 0; k < 2; k++) {
                free(offsets[k]);
                free(ids[k]);
                free(distances[k]);
            }
        }
        km_free(&t);
        km_free(&other);
    }
}

/* The extents of two trees of equal points determine the bin of all pairs; the second count costs next to nothing. */
static void pairs_at_one_distance(bosc_ctx *ctx)
{
    enum { RADII = 5 };
    const int64_t n = suite_slow(ctx) ? 300 : 100000, others = n / 2;
    const double radii[RADII] = {-1, 0, 4, 5, INFINITY}, at[3] = {0, 3, 4};
    for (int i = 0; i < 12; i++) {
        const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = km_dtypes[i % 4], .dim = 2};
        const bosc_kdtree_query_opts o = {.size = sizeof o, .p = i / 4 == 2 ? 3 : 2};
        const struct reference_points a = kd_points(&(struct suite_random){1}, opts.dtype, 2, n, 2, KD_EQUAL),
                                      b = kd_points(&(struct suite_random){1}, opts.dtype, 2, others, 2, KD_EQUAL);
        for (int64_t j = 0; j < n; j++)
            for (int c = 0; c < 2; c++) {
                kd_set((void *)a.data, opts.dtype, 2 * j + c, 7);
                if (j < others) kd_set((void *)b.data, opts.dtype, 2 * j + c, 7 + (i / 4 == 0 ? 0 : at[1 + c]));
            }
        double begin = km_cpu_seconds();
        bosc_kdtree *tree = kd_build(ctx, &opts, &a), *other = kd_build(ctx, &opts, &b);
        const double build = km_cpu_seconds() - begin;
        int64_t counts[RADII], want = i / 4 == 0 ? 1 : 3; /* the distances are 0, 5, and 4.498 by p = 3 */
        for (int again = 0; again < 2; again++) {
            begin = km_cpu_seconds();
            CHECK_OK(ctx, bosc_kdtree_count_pairs(ctx, tree, other, radii, RADII, &o, NULL, NULL, 0, counts, NULL));
            for (int64_t r = 0; r < RADII; r++) CHECK_EQ(counts[r], r == want ? n * others : 0);
        }
        CHECK(suite_slow(ctx) || suite_opts_like(ctx).backend != BOSC_BACKEND_CPU ||
              10 * (km_cpu_seconds() - begin) < build);
        bosc_kdtree_free(tree);
        bosc_kdtree_free(other);
        free((void *)a.data);
        free((void *)b.data);
    }
}

/* Sums of arbitrary weights have the bits of one plain thread. */
static void same_bits(bosc_ctx *ctx)
{
    enum { RADII = 20 };
    static const struct {
        bosc_dtype dtype;
        int32_t dim;
        double p;
        bool boxed;
    } trials[] = {{BOSC_F64, 1, 1, false}, {BOSC_F64, 2, 2, true},  {BOSC_F64, 3, INFINITY, false},
                  {BOSC_F64, 1, 3, true},  {BOSC_F64, 3, 2, false}, {BOSC_F64, 2, 2, false},
                  {BOSC_F64, 7, 2, false}, {BOSC_F32, 3, 2, false}, {BOSC_F32, 5, 2, false},
                  {BOSC_I32, 3, 2, false}, {BOSC_F64, 18, 2, false}};
    struct suite_random r = {3};
    bosc_ctx *plain = km_plain_context();
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        const int64_t n = suite_slow(ctx) ? 100 : 1200, others = n / 3;
        const int32_t dim = trials[i].dim;
        /* 1. Two trees, and the same ones in the plain context. */
        struct km_trial t = km_make(ctx, &r, trials[i].dtype, dim, n, 1, KD_RANDOM, trials[i].p, trials[i].boxed);
        struct km_trial other = km_make(ctx, &r, trials[i].dtype, dim, others, 1, KD_RANDOM, trials[i].p, false);
        memcpy(other.periods, t.periods, sizeof t.periods);
        km_confine(&r, &other.points, t.periods, false);
        CHECK_OK(ctx, bosc_kdtree_build(ctx, other.tree, other.points.data, others, 0));
        bosc_kdtree_query_opts o = km_opts(&t);
        bosc_kdtree *twin = kd_build(plain, &t.opts, &t.points), *second = kd_build(plain, &other.opts, &other.points);
        /* 2. Weights of both signs, and radii up to the distance of two points. */
        double *weights = (double *)room(n), radii[RADII], sums[RADII], plain_sums[RADII];
        const double reach =
            reference_distance(&t.metric, reference_measure(&t.points, 1, kd_row(&t.points, 0), &t.metric));
        for (int64_t k = 0; k < n; k++) weights[k] = suite_unit(&r) - 0.4;
        for (int b = 0; b < RADII; b++) radii[b] = b * reach / (i % 2 ? 15 : 60);
        /* 3. Sums of one tree, and of two. */
        for (int two = 0; two < 2; two++) {
            CHECK_OK(ctx, bosc_kdtree_count_pairs(ctx, t.tree, two ? other.tree : t.tree, radii, RADII, &o, weights,
                                                  weights, 1, NULL, sums));
            CHECK_OK(plain, bosc_kdtree_count_pairs(plain, twin, two ? second : twin, radii, RADII, &o, weights,
                                                    weights, 1, NULL, plain_sums));
            CHECK(memcmp(sums, plain_sums, sizeof sums) == 0);
        }
        bosc_kdtree_free(twin);
        bosc_kdtree_free(second);
        free(weights);
        km_free(&t);
        km_free(&other);
    }
    bosc_ctx_free(plain);
}

static const struct suite_case suite_cases_kdtree_metric_pairs[] = {{"shapes", every_shape_and_norm, NULL},
                                                                    {"long rows", long_rows, NULL},
                                                                    {"sizes", small_trees_and_many_dimensions, NULL},
                                                                    {"never split", coordinates_never_split, NULL},
                                                                    {"flat", flat_coordinates, NULL},
                                                                    {"large integers", nearly_flat_integers, NULL},
                                                                    {"boxes", pairs_of_boxes, NULL},
                                                                    {"lines", lines, NULL},
                                                                    {"one distance", pairs_at_one_distance, NULL},
                                                                    {"many points", many_points, NULL},
                                                                    {"same bits", same_bits, NULL}};
SUITE(kdtree_metric_pairs);
