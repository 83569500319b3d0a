/* Counts of balls that hold many points: whole subtrees are counted without a visit. The numbers are those of a
 * measurement of every point, at radii equal to distances and just below them. Equal points cost no more work. */
#include <stdlib.h>
#include <time.h>

#include "cases/kdtree/kdtree_data.h"

enum { RADII = 6 };

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Checks the counts of a query at quantiles of its distances, just below some, and at infinity. */
static void check_query(bosc_ctx *ctx, const bosc_kdtree *tree, const struct reference_points *p, const void *query,
                        double *d, double *sorted)
{
    const bool single = p->dtype == BOSC_F32;
    for (int64_t i = 0; i < p->n; i++) sorted[i] = d[i] = reference_dist2(p, i, query);
    qsort(sorted, (size_t)p->n, sizeof *sorted, compare_doubles);
    for (int k = 0; k < RADII; k++) {
        double radius = k + 1 < RADII ? sqrt(sorted[(p->n - 1) * k / (RADII - 2)]) : (double)INFINITY;
        if (k % 2 && isfinite(radius)) radius = nextafter(radius, 0);
        if (!(radius >= 0)) continue; /* of a NaN */
        const double most = reference_square_limit(radius, single);
        int64_t want = 0, count = -1;
        for (int64_t i = 0; i < p->n; i++) want += d[i] <= most || (isnan(d[i]) && most == (double)INFINITY);
        CHECK_OK(ctx, bosc_kdtree_radius_count(ctx, tree, query, 1, 0, radius, &count));
        if (count != want)
            suite_fail(__FILE__, __LINE__, "dtype %d, dim %d, radius %g: %lld, not %lld", (int)p->dtype, (int)p->dim,
                       radius, (long long)count, (long long)want);
    }
}

static void check_points(bosc_ctx *ctx, struct suite_random *r, const struct reference_points *p)
{
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = p->dtype, .dim = p->dim};
    const int64_t queries = suite_slow(ctx) ? 4 : 16;
    double *d = suite_alloc((size_t)p->n * 8), *sorted = suite_alloc((size_t)p->n * 8);
    bosc_kdtree *tree = kd_build(ctx, &opts, p);
    struct reference_points q = kd_ordinary_points(r, p->dtype, p->dim, queries, p->dim, KD_RANDOM);
    for (int64_t i = 0; i < queries; i++) {
        const int64_t row = (int64_t)suite_below(r, (uint64_t)p->n);
        check_query(ctx, tree, p, i % 4 ? kd_row(p, row) : kd_row(&q, i), d, sorted);
    }
    bosc_kdtree_free(tree);
    free((void *)q.data);
    free(d);
    free(sorted);
}

static void many(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    static const int32_t dims[] = {1, 2, 3, 4, 7, 34};
    const int64_t n = suite_slow(ctx) ? 900 : 3000; /* counts beyond the first few hundred count subtrees */
    struct suite_random r = {21};
    for (int t = 0; t < 4; t++)
        for (int k = 0; k < 6; k++)
            for (int shape = 0; shape < KD_SHAPES + 2; shape++) {
                if (suite_leaves_out()) continue;
                struct reference_points p =
                    shape < KD_SHAPES ? kd_ordinary_points(&r, dtypes[t], dims[k], n, dims[k], (enum kd_shape)shape)
                                      : kd_flat_points(&r, dtypes[t], dims[k], n,
                                                       shape > KD_SHAPES ? KD_LAYERS : KD_FLAT, 5, KD_GRID);
                check_points(ctx, &r, &p);
                free((void *)p.data);
            }
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds of the counts of all n points, `distinct` different ones. All have `want` neighbours. */
static double time_counts(bosc_ctx *ctx, int64_t n, int64_t distinct, int64_t want)
{
    enum { DIM = 3 };
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = DIM};
    float *points = suite_alloc((size_t)(n * DIM) * sizeof *points);
    int64_t *counts = suite_alloc((size_t)n * sizeof *counts);
    bosc_kdtree *tree = NULL;
    for (int64_t i = 0; i < n; i++) /* points of a grid, 2 apart */
        for (int c = 0; c < DIM; c++) points[i * DIM + c] = (float)(2 * (i % distinct >> 6 * c & 63));
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &opts, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, points, n, 0));
    const double begin = cpu_seconds();
    CHECK_OK(ctx, bosc_kdtree_radius_count(ctx, tree, points, n, 0, 1, counts));
    const double seconds = cpu_seconds() - begin;
    for (int64_t i = 0; i < n; i++) CHECK_EQ(counts[i], want);
    bosc_kdtree_free(tree);
    free(points);
    free(counts);
    return seconds;
}

/* On the CPU counts of copies cost a few times as much as those of distinct points. n^2 distances would cost some
 * hundred times as much. */
static void copies(bosc_ctx *ctx)
{
    const int64_t n = 1 << 15;
    if (suite_opts_like(ctx).backend != BOSC_BACKEND_CPU) return;
    const double apart = time_counts(ctx, n, n, 1), equal = time_counts(ctx, n, 2, n / 2);
    if (equal > 40 * apart) suite_fail(__FILE__, __LINE__, "%g s for copies, %g s for distinct points", equal, apart);
}

static const struct suite_case suite_cases_kdtree_count[] = {{"many", many, NULL}, {"copies", copies, NULL}};
SUITE(kdtree_count);
