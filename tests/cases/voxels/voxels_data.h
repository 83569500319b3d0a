/* Batches of points to voxelise, for cases. */
#ifndef TESTS_CASES_VOXELS_VOXELS_DATA_H
#define TESTS_CASES_VOXELS_VOXELS_DATA_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/voxels.h"
#include "support/suite.h"

enum { VOXELS_CLOUDS = 12 };

/* Where the points are. */
enum voxels_shape {
    VOXELS_UNIFORM, /* some rows a voxel */
    VOXELS_FEW,     /* in few voxels, so that many have more than 32 rows */
    VOXELS_ALONE,   /* nearly every row in a voxel of its own */
    VOXELS_HOSTILE, /* NaN, infinities and edges of voxels among them, and huge numbers if the voxels have a shape */
    VOXELS_OUTSIDE, /* all rows in no voxel */
    VOXELS_SHAPES
};

struct voxels_batch {
    bosc_voxels_opts opts;
    void *points;
    int64_t n, stride;
    int64_t offsets[VOXELS_CLOUDS + 1], count;
};

static inline double voxels_coordinate(struct suite_random *r, enum voxels_shape shape, bool bounded)
{
    static const double hostile[] = {NAN, INFINITY, -INFINITY, -0.0, 2, -2, 0x1.fffffep0, 1e30, -1e30, 1e12};
    const uint64_t count = sizeof hostile / sizeof hostile[0] - (bounded ? 0 : 3);
    switch (shape) {
    case VOXELS_FEW: return 2 + 3 * suite_unit(r);
    case VOXELS_ALONE: return 4000 * suite_unit(r) - 1000;
    case VOXELS_OUTSIDE: return NAN;
    case VOXELS_HOSTILE:
        if (suite_below(r, 12) == 0) return hostile[suite_below(r, count)];
        return floor(16 * suite_unit(r)) / 2 - 3;
    default: return 14 * suite_unit(r) - 4;
    }
}

static inline void voxels_set(struct voxels_batch *b, int64_t at, double x)
{
    if (b->opts.dtype == BOSC_F32)
        ((float *)b->points)[at] = (float)x;
    else if (b->opts.dtype == BOSC_F64)
        ((double *)b->points)[at] = x;
    else
        ((int32_t *)b->points)[at] = x == x && fabs(x) < 2e9 ? (int32_t)x : -7;
}

/* About n points of a shape in `count` clouds. */
static inline struct voxels_batch voxels_make(struct suite_random *r, bosc_dtype dtype, int32_t dim, int64_t n,
                                              int64_t count, enum voxels_shape shape)
{
    struct voxels_batch b = {.opts = {.size = sizeof b.opts, .dtype = dtype, .dim = dim}, .count = count};
    for (int64_t c = 0; c < count; c++) {
        const int64_t most = c == count / 2 ? n : n / 8;
        b.offsets[c + 1] = b.offsets[c] + (c == 1           ? 0
                                           : c == count / 2 ? most
                                                            : (int64_t)suite_below(r, (uint64_t)most + 1));
    }
    b.n = b.offsets[count];
    b.stride = dim + (int64_t)suite_below(r, 3);
    for (int32_t c = 0; c < dim; c++) {
        b.opts.cell[c] = suite_below(r, 2) ? 1 : 0.3 + 2 * suite_unit(r);
        b.opts.low[c] = suite_below(r, 2) ? 0 : 3 * suite_unit(r) - 2;
    }
    if (suite_below(r, 2))
        for (int32_t c = 0; c < dim; c++) b.opts.shape[c] = 1 + (int64_t)suite_below(r, 9);
    b.points = suite_alloc((size_t)(b.n * b.stride) * 8);
    for (int64_t i = 0; i < b.n * b.stride; i++) voxels_set(&b, i, voxels_coordinate(r, shape, b.opts.shape[0] > 0));
    return b;
}

static inline void voxels_release(struct voxels_batch *b) { free(b->points); }

static inline bosc_voxels *voxels_build(bosc_ctx *ctx, const struct voxels_batch *b)
{
    bosc_voxels *voxels = NULL;
    CHECK_OK(ctx, bosc_voxels_create(ctx, &b->opts, &voxels));
    CHECK_OK(ctx, bosc_voxels_build(ctx, voxels, b->points, b->n, b->stride, b->offsets, b->count));
    return voxels;
}

static inline struct reference_voxels voxels_reference(const struct voxels_batch *b)
{
    return reference_voxels_make(&b->opts, b->points, b->n, b->stride, b->offsets, b->count);
}

/* Id i of an array of id_bits; -1: none. */
static inline int64_t voxels_id(const void *ids, int32_t id_bits, int64_t i)
{
    if (id_bits == 64) return ((const int64_t *)ids)[i];
    const uint32_t id = ((const uint32_t *)ids)[i];
    return id == UINT32_MAX ? -1 : (int64_t)id;
}

#endif
