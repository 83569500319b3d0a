/* Points with few values, so that many coincide or have equal distances. Some values are extremes: of integers, of
 * reals whose distances have squares in the range of a float, as the plain versions need, and infinite. */
#ifndef FUZZ_POINTS_H
#define FUZZ_POINTS_H

#include <float.h>
#include <math.h>

#include "reference/kdtree.c"
#include "fuzz.h"

enum { POINTS_MOST = 40, DIM_MOST = 6 };

struct point_set {
    struct reference_points p; /* p.data: values */
    int64_t values[POINTS_MOST * (DIM_MOST + 1)];
};

static inline bosc_dtype read_dtype(struct input *in)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    return dtypes[next_byte(in) % 4];
}

static inline void read_value(struct input *in, bosc_dtype dtype, void *data, int64_t at)
{
    static const float reals[8] = {INFINITY, -INFINITY, 0x1p57f, -0x1p57f, 0x1p-40f, 0x1p-60f, -0.0f, 0x1p56f};
    static const int64_t wholes[8] = {INT64_MIN, INT64_MAX, INT64_MAX - 1, INT32_MAX, INT32_MIN, (1LL << 53) + 1, 3, 9};
    uint32_t byte = next_byte(in);
    float real = byte >= 248 ? reals[byte % 8] : byte < 128 ? (float)(byte % 8) : (float)(byte - 128) / 16;
    int64_t whole = byte >= 248 ? wholes[byte % 8] : (int64_t)(byte % 32) - 8;
    if (dtype == BOSC_F32) ((float *)data)[at] = real;
    if (dtype == BOSC_F64) ((double *)data)[at] = (double)real;
    if (dtype == BOSC_I32) ((int32_t *)data)[at] = (int32_t)whole;
    if (dtype == BOSC_I64) ((int64_t *)data)[at] = whole;
}

static inline void read_points(struct input *in, bosc_dtype dtype, int32_t dim, struct point_set *set)
{
    int64_t stride = dim + next_byte(in) % 2, n = next_byte(in) % (POINTS_MOST + 1);
    set->p = (struct reference_points){dtype, dim, n, stride, set->values};
    memset(set->values, 0, sizeof set->values);
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = 0; c < dim; c++) read_value(in, dtype, set->values, i * stride + c);
}

static inline const void *point_of(const struct reference_points *p, int64_t i)
{
    return (const char *)p->data + (size_t)(i * p->stride) * bosc_dtype_size(p->dtype);
}

static inline double read_radius(struct input *in)
{
    static const double radii[8] = {0, 0.5, 1, 1.5, 2.25, 4, 1e17, 1e18};
    return radii[next_byte(in) % 8];
}

/* Returns the squared radius, rounded as distances of the points are. */
static inline double square_of(const struct reference_points *p, double radius)
{
    if (p->dtype != BOSC_F32) return radius * radius;
    float r = radius > (double)FLT_MAX ? INFINITY : (float)radius;
    return (double)(r * r);
}

static inline double distance_at(bosc_dtype dtype, const void *dist2, int64_t at)
{
    return dtype == BOSC_F32 ? (double)((const float *)dist2)[at] : ((const double *)dist2)[at];
}

static inline int64_t id_at(const void *ids, int32_t id_bits, int64_t at)
{
    if (id_bits == 64) return ((const int64_t *)ids)[at];
    uint32_t id = ((const uint32_t *)ids)[at];
    return id == UINT32_MAX ? -1 : (int64_t)id;
}

#endif
