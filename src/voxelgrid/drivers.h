/* What the drivers of voxel grids share. */
#ifndef BI_VOXELGRID_DRIVERS_H
#define BI_VOXELGRID_DRIVERS_H

#include "voxelgrid/handle.h"
#include "voxelgrid/steps/steps.h"

/* A search in the voxels around a point takes as long as so many simple items. */
enum { BI_VOXELGRID_SEARCH = 32 };

#ifdef __cplusplus
extern "C" {
#endif

/* Brings rows in reach. */
bosc_status bi_voxelgrid_stage_rows(bosc_ctx *ctx, struct bi_voxelgrid_rows *rows, bool *staged);

/* The rows `ids` as points of the distance type: floats, or doubles if `wide`. */
bosc_status bi_voxelgrid_gather_rows(bosc_ctx *ctx, const struct bi_voxelgrid_rows *rows, const uint32_t *ids,
                                     int64_t count, bool wide, void *points);

/* The squared radius, rounded as distances are, and the smallest number whose square is more. */
void bi_voxelgrid_square(const bosc_voxelgrid *grid, double radius, double *r2, double *reach);

/* The searches that serve a view within a squared radius. */
struct bi_voxelgrid_searches bi_voxelgrid_searches_of(const bosc_ctx *ctx, const struct bi_voxelgrid_view *view,
                                                      double r2);

/* Scratch for a list of long rows, empty yet, of `rows` rows with `entries` entries in all; NULL where fills sort
 * every row themselves. And sorts the listed rows. */
bosc_status bi_voxelgrid_list_rows(bosc_ctx *ctx, int64_t rows, int64_t entries, uint32_t **list);
bosc_status bi_voxelgrid_sort_rows(bosc_ctx *ctx, const struct bi_row_out *rows, const int64_t *offsets,
                                   const uint32_t *list);

#ifdef __cplusplus
}
#endif
#endif
