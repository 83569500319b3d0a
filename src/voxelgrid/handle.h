/* The foundation of voxel grids: checks of options, handles and arrays, and the blocks. */
#ifndef BI_VOXELGRID_HANDLE_H
#define BI_VOXELGRID_HANDLE_H

#include "base/bits.h"
#include "core/check.h"
#include "voxelgrid/voxelgrid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Checks that the context can reach the grid. */
bosc_status bi_voxelgrid_check(bosc_ctx *ctx, const bosc_voxelgrid *grid);

/* Copies the options with defaults filled in. */
bosc_status bi_voxelgrid_check_opts(bosc_ctx *ctx, const bosc_voxelgrid_opts *opts, bosc_voxelgrid_opts *full);

/* Checks the caller's array `array` of `count` rows, and describes it in *rows. */
bosc_status bi_voxelgrid_check_rows(bosc_ctx *ctx, const bosc_voxelgrid *grid, const char *array, const void *data,
                                    const char *count_name, int64_t count, int64_t stride,
                                    struct bi_voxelgrid_rows *rows);

/* Checks that radius >= 0; that ids and dist2 (either may be NULL) are aligned for the grid's types. */
bosc_status bi_voxelgrid_check_radius(bosc_ctx *ctx, double radius);
bosc_status bi_voxelgrid_check_answers(bosc_ctx *ctx, const bosc_voxelgrid *grid, const char *ids_name, const void *ids,
                                       const void *dist2);

/* Entries of the index of a view. */
static inline int64_t bi_voxelgrid_entries(const struct bi_voxelgrid_view *v)
{
    return (int64_t)(v->last_key >> v->shift) + 1;
}

/* Grows the grid's blocks for any dense view of n points, keeping the contents. */
bosc_status bi_voxelgrid_reserve_dense(bosc_ctx *ctx, bosc_voxelgrid *grid, int64_t n);

/* Grows the grid's blocks for a view whose n and key shape are set, and points the view to them. */
bosc_status bi_voxelgrid_reserve_blocks(bosc_ctx *ctx, bosc_voxelgrid *grid, struct bi_voxelgrid_view *view);

#ifdef __cplusplus
}
#endif
#endif
