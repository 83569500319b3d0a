/* Batches of clouds for cases. */
#ifndef TESTS_CASES_CLOUDS_CLOUDS_DATA_H
#define TESTS_CASES_CLOUDS_CLOUDS_DATA_H

#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_data.h"
#include "reference/clouds.h"

enum { CLOUDS_MOST = 64 };

/* Sizes of the clouds of a batch. */
enum clouds_sizes {
    CLOUDS_NONE,   /* no cloud */
    CLOUDS_EMPTY,  /* clouds without points */
    CLOUDS_ONE,    /* a single cloud */
    CLOUDS_SMALL,  /* around the size of a leaf, empty ones and ones of a point among them */
    CLOUDS_UNEVEN, /* a large one, behind, between and before small ones */
    CLOUDS_SIZES
};

struct clouds_batch {
    struct reference_points points;
    int64_t offsets[CLOUDS_MOST + 1], count;
};

static inline int64_t clouds_size(struct suite_random *r, enum clouds_sizes sizes, int64_t c, int64_t most)
{
    switch (sizes) {
    case CLOUDS_NONE:
    case CLOUDS_EMPTY: return 0;
    case CLOUDS_ONE: return most;
    case CLOUDS_SMALL: return (int64_t)suite_below(r, 36) * (c % 5 != 2);
    default: return c == 3 ? most : (int64_t)suite_below(r, 12);
    }
}

/* A batch whose large clouds have `most` points, all of one shape, so that clouds overlap. */
static inline struct clouds_batch clouds_make(struct suite_random *r, bosc_dtype dtype, int32_t dim,
                                              enum clouds_sizes sizes, int64_t most, enum kd_shape shape)
{
    struct clouds_batch b = {.count = sizes == CLOUDS_NONE     ? 0
                                      : sizes == CLOUDS_ONE    ? 1
                                      : sizes == CLOUDS_UNEVEN ? 7
                                                               : 20};
    for (int64_t c = 0; c < b.count; c++) b.offsets[c + 1] = b.offsets[c] + clouds_size(r, sizes, c, most);
    b.points = kd_points(r, dtype, dim, b.offsets[b.count], dim + (int64_t)suite_below(r, 2), shape);
    return b;
}

static inline void clouds_release(struct clouds_batch *b) { free((void *)b->points.data); }

static inline bosc_clouds *clouds_build(bosc_ctx *ctx, const struct clouds_batch *b, const bosc_clouds_opts *opts)
{
    bosc_clouds *clouds = NULL;
    CHECK_OK(ctx, bosc_clouds_create(ctx, opts, &clouds));
    CHECK_OK(ctx, bosc_clouds_build(ctx, clouds, b->points.data, b->points.n, b->points.stride, b->offsets, b->count));
    return clouds;
}

static inline double clouds_dist2_at(const void *dist2, bosc_dtype dtype, int64_t at)
{
    return dtype == BOSC_F32 ? (double)((const float *)dist2)[at] : ((const double *)dist2)[at];
}

#endif
