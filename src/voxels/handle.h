/* The foundation of voxelisations: checks of options, handles and arrays, and the blocks. */
#ifndef BI_VOXELS_HANDLE_H
#define BI_VOXELS_HANDLE_H

#include "base/bits.h"
#include "core/check.h"
#include "voxels/steps/steps.h"
#include "voxels/voxels.h"

/* Checks that the context can reach the voxelisation. */
bosc_status bi_voxels_check(bosc_ctx *ctx, const char *name, const bosc_voxels *voxels);

/* Checks the caller's array `array` of n rows of `width` elements, and describes it in *rows. */
bosc_status bi_voxels_check_rows(bosc_ctx *ctx, const char *array, const void *data, int64_t n, int64_t width,
                                 int64_t stride, bosc_dtype dtype, struct bi_voxels_rows *rows);

/* Makes the blocks long enough for n points in cloud_count clouds, and points the view to them. */
bosc_status bi_voxels_reserve_blocks(bosc_ctx *ctx, bosc_voxels *voxels, struct bi_voxels_view *view);

/* The number of voxels that a build of the view's points has at most. */
int64_t bi_voxels_limit(const bosc_voxels *voxels);

/* Copies rows to memory that the backend reaches, if needed. */
bosc_status bi_voxels_stage_rows(bosc_ctx *ctx, struct bi_voxels_rows *rows, bool *staged);

#endif
