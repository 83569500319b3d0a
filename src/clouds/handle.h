/* The foundation of batches of clouds: checks of options, handles and arrays, and the blocks. */
#ifndef BI_CLOUDS_HANDLE_H
#define BI_CLOUDS_HANDLE_H

#include "base/bits.h"
#include "clouds/clouds.h"
#include "clouds/steps/steps.h"
#include "core/check.h"

/* Checks that the context can reach the batch. */
bosc_status bi_clouds_check(bosc_ctx *ctx, const bosc_clouds *clouds);

/* Checks the caller's array `array` of `count` rows, and describes it in *rows. */
bosc_status bi_clouds_check_rows(bosc_ctx *ctx, const bosc_clouds *clouds, const char *array, const void *data,
                                 const char *count_name, int64_t count, int64_t stride, struct bi_clouds_rows *rows);

/* Checks the numbers of points, clouds and queries against the limits. */
bosc_status bi_clouds_check_sizes(bosc_ctx *ctx, const bosc_clouds_opts *opts, int64_t n, int64_t cloud_count,
                                  int64_t query_count);

/* Checks that an array of offsets is there and aligned. */
bosc_status bi_clouds_check_offsets(bosc_ctx *ctx, const char *array, const int64_t *offsets);

/* Sets levels and slots of a view with n, cloud_count and largest; then makes the blocks long enough for it, and points
 * the view to them. */
void bi_clouds_shape(struct bi_clouds_view *view);
bosc_status bi_clouds_reserve_blocks(bosc_ctx *ctx, bosc_clouds *clouds, struct bi_clouds_view *view);

/* --- Shared by the drivers ---------------------------------------------------------------------------------------- */

/* Copies rows to memory that the backend reaches, if needed. */
bosc_status bi_clouds_stage_rows(bosc_ctx *ctx, struct bi_clouds_rows *rows, bool *staged);

/* Contents to check: offsets (count + 1) that ascend from 0 to `total`, and rows without NaN. */
struct bi_clouds_contents {
    const char *offsets_name, *rows_name; /* that messages begin with */
    const int64_t *offsets;               /* in reach */
    int64_t count, total;
    const struct bi_clouds_rows *rows; /* in reach; NULL: none */
    int64_t smallest, largest;         /* receive the items of the smallest and the largest cloud */
};

/* Checks contents. Waits. */
bosc_status bi_clouds_check_contents(bosc_ctx *ctx, struct bi_clouds_contents *contents);

/* A batch vector, which holds the cloud of each of n rows, and rows to check for NaN. */
struct bi_clouds_batch_vector {
    const char *name, *rows_name; /* that messages begin with */
    const int64_t *batch;         /* (n) in reach */
    int64_t n;
    int64_t count;                     /* clouds; -1: one more than the last number, and it is received */
    const struct bi_clouds_rows *rows; /* in reach; NULL: none */
    const int64_t *offsets;            /* receives offsets (count + 1), in scratch */
    int64_t smallest, largest;         /* receive the items of the smallest and the largest cloud */
};

/* Makes the offsets of clouds from a batch vector. Checks the vector and the rows, and waits, unless they are trusted;
 * `count` is given then, and no sizes are received. */
bosc_status bi_clouds_make_offsets(bosc_ctx *ctx, struct bi_clouds_batch_vector *vector, bool trusted);

/* Sorts the numbers of rows by cloud, and by Morton code in the extents of the view's clouds. *order: in scratch. */
bosc_status bi_clouds_order_rows(bosc_ctx *ctx, const struct bi_clouds_view *view, const struct bi_clouds_rows *rows,
                                 const int64_t *offsets, uint32_t *order);

/* Elements of a row in the format of a view. */
int32_t bi_clouds_pitch(int32_t dim, bool is_f64);

#endif
