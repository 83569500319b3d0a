/* Points for the k-d tree cases: every type, and the shapes that break builders. */
#ifndef TESTS_CASES_KDTREE_KDTREE_DATA_H
#define TESTS_CASES_KDTREE_KDTREE_DATA_H

#include <math.h>

#include "reference/kdtree.h"
#include "support/suite.h"

enum kd_shape {
    KD_RANDOM,
    KD_GRID,     /* few distinct values: many ties */
    KD_EQUAL,    /* all points the same */
    KD_LINE,     /* collinear, ascending */
    KD_REVERSED, /* collinear, descending */
    KD_HUGE,     /* values whose squares overflow, and the ends of the type */
    KD_SPECIAL,  /* infinities, -0, subnormals; for integers the ends */
    KD_CLUSTERS,
    KD_SHAPES
};

/* The ways of building one and the same tree. */
enum { KD_AUTO, KD_BROWN, KD_BROWN_HALVES, KD_BROWN_LAUNCH, KD_BUILDERS };

static inline void kd_set_builder(bosc_kdtree_opts *opts, int builder)
{
    opts->builder = builder == KD_AUTO ? BOSC_KDTREE_AUTO : BOSC_KDTREE_BROWN;
    opts->sort_halves = builder == KD_BROWN_HALVES;
    opts->blocks = builder == KD_BROWN_LAUNCH ? 3 : 0;
    opts->threads = builder == KD_BROWN_LAUNCH ? 64 : 0;
}

/* Builds that run different code: each builder in 3 dimensions, and AUTO in 5, where CUDA builds from sorted lists. */
enum { KD_BUILDS = KD_BUILDERS + 1 };

static inline void kd_set_build(bosc_kdtree_opts *opts, int build)
{
    kd_set_builder(opts, build == KD_BUILDERS ? KD_AUTO : build);
    opts->dim = build == KD_BUILDERS ? 5 : 3;
}

/* Sets one element. */
static inline void kd_set(void *data, bosc_dtype dtype, int64_t at, double x)
{
    switch (dtype) {
    case BOSC_F32: ((float *)data)[at] = (float)x; break;
    case BOSC_F64: ((double *)data)[at] = x; break;
    case BOSC_I32: ((int32_t *)data)[at] = x >= 0x1p31 ? INT32_MAX : x < -0x1p31 ? INT32_MIN : (int32_t)x; break;
    default: ((int64_t *)data)[at] = x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : (int64_t)x; break;
    }
}

static inline double kd_value(struct suite_random *r, enum kd_shape shape, int64_t i, int32_t c)
{
    static const double special[] = {0.0,    -0.0,           1.0,    -1.0,    (double)1e-40f, 1e300 * 1e300,
                                     1e-310, -1e300 * 1e300, 0x1p31, -0x1p31, 0x1p63,         2.5};
    switch (shape) {
    case KD_RANDOM: return suite_unit(r) * 2000 - 1000;
    case KD_GRID: return (double)suite_below(r, 4) - 1;
    case KD_EQUAL: return 7;
    case KD_LINE: return (double)(i / (c + 1));
    case KD_REVERSED: return (double)-i * (c + 1);
    case KD_HUGE: return (suite_unit(r) - 0.5) * 0x1p127;
    case KD_SPECIAL: return special[suite_below(r, sizeof special / sizeof special[0])];
    default: return (double)suite_below(r, 3) * 100 + suite_unit(r) * suite_unit(r) * 0.001;
    }
}

/* n rows; what lies between rows is NaN, or the end of the type. The caller frees data. */
static inline struct reference_points kd_points(struct suite_random *r, bosc_dtype dtype, int32_t dim, int64_t n,
                                                int64_t stride, enum kd_shape shape)
{
    void *data = suite_alloc((size_t)((n + 1) * stride) * bosc_dtype_size(dtype));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < stride; c++)
            kd_set(data, dtype, i * stride + c, c < dim ? kd_value(r, shape, i, (int32_t)c) : 0x1p63);
    return (struct reference_points){dtype, dim, n, stride, data};
}

/* The same with squared distances that fit their type, or are infinite as coordinates are: huge floats are divided by
 * 2^70, and one special number is 1, not only subnormal ones. The suite kdtree_range has the others. */
static inline struct reference_points kd_ordinary_points(struct suite_random *r, bosc_dtype dtype, int32_t dim,
                                                         int64_t n, int64_t stride, enum kd_shape shape)
{
    struct reference_points p = kd_points(r, dtype, dim, n, stride, shape);
    float *x = (float *)p.data;
    for (int64_t i = 0; i < n && dtype == BOSC_F32; i++)
        for (int64_t c = i * stride; c < i * stride + dim; c++)
            if (isfinite(x[c]) && fabsf(x[c]) > 0x1p57f) x[c] *= 0x1p-70f;
    if (n > 0 && shape == KD_SPECIAL) kd_set((void *)p.data, dtype, 0, 1);
    return p;
}

/* Coordinates without extent: in all nodes, in those of some subtrees, but for a few points, or with little. */
enum kd_flatness { KD_FLAT, KD_LAYERS, KD_BESIDE, KD_NEARLY_FLAT, KD_FLATNESSES };

static inline double kd_flat_value(struct suite_random *r, enum kd_flatness flatness, double level)
{
    if (flatness == KD_LAYERS) return (double)suite_below(r, 3) * 100;
    if (flatness == KD_BESIDE && suite_below(r, 5000) == 0) return suite_unit(r) * 20 - 10;
    if (flatness == KD_NEARLY_FLAT) return level + (suite_below(r, 2) ? 0 : 1e-3 * suite_unit(r));
    return level == 0 && suite_below(r, 2) ? -0.0 : level;
}

/* n points, flat in coordinate c if bit c % 8 of `axes` is set, and of the given shape in the others. */
static inline struct reference_points kd_flat_points(struct suite_random *r, bosc_dtype dtype, int32_t dim, int64_t n,
                                                     enum kd_flatness flatness, unsigned axes, enum kd_shape shape)
{
    static const double levels[] = {0, 7, INFINITY, -1e3, 0};
    struct reference_points p = kd_ordinary_points(r, dtype, dim, n, dim, shape);
    for (int32_t c = 0; c < dim; c++) {
        double level = levels[suite_below(r, sizeof levels / sizeof levels[0])];
        for (int64_t i = 0; i < n && axes >> c % 8 & 1; i++)
            kd_set((void *)p.data, dtype, i * dim + c, kd_flat_value(r, flatness, level));
    }
    return p;
}

static inline double kd_get(const void *data, bosc_dtype dtype, int64_t at)
{
    switch (dtype) {
    case BOSC_F32: return (double)((const float *)data)[at];
    case BOSC_F64: return ((const double *)data)[at];
    case BOSC_I32: return (double)((const int32_t *)data)[at];
    default: return (double)((const int64_t *)data)[at];
    }
}

static inline const void *kd_row(const struct reference_points *p, int64_t i)
{
    return (const char *)p->data + (size_t)(i * p->stride) * bosc_dtype_size(p->dtype);
}

static inline int64_t kd_id(const void *ids, int32_t id_bits, int64_t at)
{
    if (id_bits == 64) return ((const int64_t *)ids)[at];
    uint32_t id = ((const uint32_t *)ids)[at];
    return id == UINT32_MAX ? -1 : (int64_t)id;
}

static inline bosc_kdtree *kd_build(bosc_ctx *ctx, const bosc_kdtree_opts *opts, const struct reference_points *p)
{
    bosc_kdtree *tree = NULL;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, opts, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, p->data, p->n, p->stride));
    return tree;
}

#endif
