/* Points, queries and options for the cases of searches by any metric. */
#ifndef TESTS_CASES_KDTREE_KDTREE_METRIC_DATA_H
#define TESTS_CASES_KDTREE_KDTREE_METRIC_DATA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cases/kdtree/kdtree_data.h"

#define KM_PERIOD 8.0

static const bosc_dtype km_dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
static const double km_norms[] = {1, 2, INFINITY, 3, 1.5, 100, 1e6};

/* A trial: a tree, queries, a metric. */
struct km_trial {
    struct reference_points points, queries;
    struct reference_metric metric;
    double periods[40];
    bosc_kdtree_opts opts;
    bosc_kdtree *tree;
};

/* True if the library's distances equal those of the reference bit by bit. */
static inline bool km_exact(const struct reference_metric *m) { return m->p == 1 || m->p == 2 || isinf(m->p); }

/* A number in [0, KM_PERIOD], often on the border; sums with periods are exact. */
static inline double km_inside(struct suite_random *r, bosc_dtype dtype)
{
    uint64_t kind = suite_below(r, 8);
    if (kind < 2) return kind * KM_PERIOD;
    return dtype == BOSC_I32 || dtype == BOSC_I64 ? (double)suite_below(r, 9) : (double)suite_below(r, 8193) / 1024;
}

/* Brings the periodic coordinates of the rows into the box; those of queries then go around it. */
static inline void km_confine(struct suite_random *r, const struct reference_points *p, const double *periods,
                              bool query)
{
    for (int64_t i = 0; i < p->n; i++)
        for (int32_t c = 0; c < p->dim; c++)
            if (periods[c] > 0) {
                double turns = query ? (double)suite_below(r, 5) - 2 : 0;
                kd_set((void *)p->data, p->dtype, i * p->stride + c, km_inside(r, p->dtype) + turns * KM_PERIOD);
            }
}

/* n points of the shape and m queries, half of them points of the tree; `boxed`: some coordinates are periodic. */
static inline struct km_trial km_make(bosc_ctx *ctx, struct suite_random *r, bosc_dtype dtype, int32_t dim, int64_t n,
                                      int64_t m, enum kd_shape shape, double norm, bool boxed)
{
    struct km_trial t = {.metric = {.p = norm}};
    t.opts =
        (bosc_kdtree_opts){.size = sizeof t.opts, .dtype = dtype, .dim = dim, .id_bits = suite_below(r, 2) ? 32 : 64};
    t.points = kd_ordinary_points(r, dtype, dim, n, dim, shape);
    t.queries = kd_ordinary_points(r, dtype, dim, m, dim + (int64_t)suite_below(r, 2), shape);
    for (int32_t c = 0; boxed && c < dim; c++) t.periods[c] = suite_below(r, 4) ? KM_PERIOD : 0;
    km_confine(r, &t.points, t.periods, false);
    for (int64_t i = 0; i < m && n; i += 2)
        memcpy((void *)kd_row(&t.queries, i), kd_row(&t.points, (int64_t)suite_below(r, (uint64_t)n)),
               bosc_dtype_size(dtype) * (size_t)dim);
    if (suite_below(r, 4)) km_confine(r, &t.queries, t.periods, true);
    t.tree = kd_build(ctx, &t.opts, &t.points);
    return t;
}

static inline void km_free(struct km_trial *t)
{
    bosc_kdtree_free(t->tree);
    free((void *)t->points.data);
    free((void *)t->queries.data);
}

/* Options of the trial's metric; the trial must not be moved meanwhile. */
static inline bosc_kdtree_query_opts km_opts(struct km_trial *t)
{
    t->metric.periods = t->periods;
    return (bosc_kdtree_query_opts){.size = sizeof(bosc_kdtree_query_opts), .p = t->metric.p, .periods = t->periods};
}

static inline bool km_near(const struct reference_metric *m, double got, double want)
{
    return got == want || (!km_exact(m) && fabs(got - want) <= 1e-14 * want);
}

/* Returns the processor time of all threads. */
static inline double km_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Builds a tree of n points on the line of an axis, or on the diagonal (axis 3). They are 0 to n - 1 in another order,
 * as 4099 and n have no common factor. The caller frees the tree and *coordinates. */
static inline bosc_kdtree *km_build_line(bosc_ctx *ctx, int axis, int64_t n, double **coordinates)
{
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F64, .dim = 3};
    double *x = *coordinates = suite_alloc((size_t)n * 3 * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) x[3 * i + c] = axis == c || axis == 3 ? (double)(i * 4099 % n) : 0.5;
    const struct reference_points points = {BOSC_F64, 3, n, 3, x};
    return kd_build(ctx, &opts, &points);
}

/* Requires that, on the CPU, the line of an axis takes no more time than the diagonal: the tree knows its flat
 * coordinates. time_line: returns the seconds of searches of km_build_line's points. */
static inline void km_compare_lines(bosc_ctx *ctx, double (*time_line)(bosc_ctx *ctx, int axis, int64_t n))
{
    const int64_t n = suite_emulated(ctx) ? 500 : 1 << 15;
    const double diagonal = time_line(ctx, 3, n);
    for (int axis = 0; axis < 3; axis++) {
        const double seconds = time_line(ctx, axis, n);
        if (suite_opts_like(ctx).backend == BOSC_BACKEND_CPU && seconds > 8 * diagonal)
            suite_fail(__FILE__, __LINE__, "axis %d: %g s, the diagonal: %g s", axis, seconds, diagonal);
    }
}

/* A CPU context of one thread, to compare bits with. */
static inline bosc_ctx *km_plain_context(void)
{
    bosc_ctx_opts o = {.size = sizeof o, .backend = BOSC_BACKEND_CPU, .threads = 1, .cpu_level = BOSC_CPU_V1};
    return suite_open(&o);
}

#endif
