/* Shared by the drivers of voxel grids. */
#ifndef BI_VOXELGRID_DRIVERS_H
#define BI_VOXELGRID_DRIVERS_H

#include "voxelgrid/handle.h"
#include "voxelgrid/steps/steps.h"

/* Cost of a search around one point, in simple items, for progress; estimated. */
enum { BI_VOXELGRID_SEARCH_COST = 32 };

#ifdef __cplusplus
extern "C" {
#endif

/* Copies rows to memory that the backend reaches, if needed. */
bosc_status bi_voxelgrid_stage_rows(bosc_ctx *ctx, struct bi_voxelgrid_rows *rows, bool *staged);

/* Gathers the rows `ids` as points of the distance type: floats, or doubles if `is_f64`. */
bosc_status bi_voxelgrid_gather_rows(bosc_ctx *ctx, const struct bi_voxelgrid_rows *rows, const uint32_t *ids,
                                     int64_t count, bool is_f64, void *points);

/* Sets the squared radius, rounded as distances are, and `reach`, the smallest number whose square is more. */
void bi_voxelgrid_square_radius(const bosc_voxelgrid *grid, double radius, double *r2, double *reach);

/* The fastest searches for a view and a squared radius. */
struct bi_voxelgrid_searches bi_voxelgrid_select_searches(const bosc_ctx *ctx, const struct bi_voxelgrid_view *view,
                                                          double r2);

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
