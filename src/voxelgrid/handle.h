/* The foundation of voxel grids: checks of options, handles and arrays, and the grid's blocks. */
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

/* A copy of the caller's options with the defaults filled in. */
bosc_status bi_voxelgrid_check_opts(bosc_ctx *ctx, const bosc_voxelgrid_opts *opts, bosc_voxelgrid_opts *full);

/* The caller's rows named `array`, `count` of them under the name `count_name`. */
bosc_status bi_voxelgrid_check_rows(bosc_ctx *ctx, const bosc_voxelgrid *grid, const char *array, const void *data,
                                    const char *count_name, int64_t count, int64_t stride,
                                    struct bi_voxelgrid_rows *rows);

/* radius >= 0; ids and dist2 (either may be NULL) of the grid's types. */
bosc_status bi_voxelgrid_check_radius(bosc_ctx *ctx, double radius);
bosc_status bi_voxelgrid_check_answers(bosc_ctx *ctx, const bosc_voxelgrid *grid, const char *ids_name, const void *ids,
                                       const void *dist2);

static inline int64_t bi_voxelgrid_entries(const struct bi_voxelgrid_view *v)
{
    return (int64_t)(v->last_key >> v->shift) + 1;
}

/* Makes the grid's blocks large enough for any dense view of n points; the grid keeps its own. */
bosc_status bi_voxelgrid_make_room(bosc_ctx *ctx, bosc_voxelgrid *grid, int64_t n);

/* Makes the grid's blocks large enough for a view whose n and key shape are set, and points the view to them. */
bosc_status bi_voxelgrid_reserve_blocks(bosc_ctx *ctx, bosc_voxelgrid *grid, struct bi_voxelgrid_view *view);

#ifdef __cplusplus
}
#endif
#endif
