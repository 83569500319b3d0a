/* The foundation of voxel grids: checks of options, handles and arrays, and the blocks. */
#ifndef BI_VOXELGRID_HANDLE_H
#define BI_VOXELGRID_HANDLE_H

#include "base/bits.h"
#include "core/check.h"
#include "voxelgrid/steps/steps.h"
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

/* check_radius: checks that radius >= 0 and that its square fits. own_points: the queries are the grid's points; then a
 * radius may be too large to be squared, unless the points are far apart.
 * check_answers: checks that ids and dist2 (either may be NULL) are aligned for the grid's types. */
bosc_status bi_voxelgrid_check_radius(bosc_ctx *ctx, const bosc_voxelgrid *grid, double radius, bool own_points);
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

/* --- Shared by the drivers ---------------------------------------------------------------------------------------- */

/* Cost of a search around one point, in simple items, for progress; estimated. */
enum { BI_VOXELGRID_SEARCH_COST = 32 };

/* Copies rows to memory that the backend reaches, if needed. */
bosc_status bi_voxelgrid_stage_rows(bosc_ctx *ctx, struct bi_voxelgrid_rows *rows, bool *staged);

/* Gathers the rows `ids` as points of the distance type: floats, or doubles if `is_f64`. */
bosc_status bi_voxelgrid_gather_rows(bosc_ctx *ctx, const struct bi_voxelgrid_rows *rows, const uint32_t *ids,
                                     int64_t count, bool is_f64, void *points);

/* Sets the largest squared distance within a radius, and `reach`, the smallest number whose square is more. */
void bi_voxelgrid_square_radius(const bosc_voxelgrid *grid, double radius, double *r2, double *reach);

/* The fastest searches for a view and a squared radius. */
struct bi_voxelgrid_searches bi_voxelgrid_select_searches(const bosc_ctx *ctx, const struct bi_voxelgrid_view *view,
                                                          double r2);

/* Returns the bytes of a point in a view. */
size_t bi_voxelgrid_point_bytes(int32_t dim, bool is_f64);

/* In crowded voxels, joins the copies of each point (same coordinates, finite): they get the smallest id of them as
 * parent (by id; each its own before), and the view becomes one of the other points, in scratch. Waits. */
bosc_status bi_voxelgrid_join_copies(bosc_ctx *ctx, struct bi_voxelgrid_view *view, uint32_t *parent);

/* Allocates an empty list for the long rows among `rows` rows of `entries` entries in all; NULL if fills sort every
 * row themselves. */
bosc_status bi_voxelgrid_alloc_long_rows(bosc_ctx *ctx, int64_t rows, int64_t entries, uint32_t **list);
/* Sorts the listed rows. */
bosc_status bi_voxelgrid_sort_long_rows(bosc_ctx *ctx, const struct bi_row_out *rows, const int64_t *offsets,
                                        const uint32_t *list);

#ifdef __cplusplus
}
#endif
#endif
