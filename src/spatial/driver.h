/* Between the front door and the drivers of voxel grids. */
#ifndef BI_SPATIAL_DRIVER_H
#define BI_SPATIAL_DRIVER_H

#include "core/check.h"
#include "spatial/steps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the context can reach the grid; BOSC_ERR_ARG with the reason. */
bosc_status bi_grid_check(bosc_ctx *ctx, const bosc_grid *grid);

/* A copy of the caller's options with the defaults filled in. */
bosc_status bi_grid_check_opts(bosc_ctx *ctx, const bosc_grid_opts *opts, bosc_grid_opts *full);

/* The view points to the grid's blocks. */
void bi_grid_show_blocks(const bosc_grid *grid, struct bi_grid_view *view);

/* Of the index over n points, where the keys have that many: two to four entries for a point. */
static inline int32_t bi_grid_index_bits(int64_t n) { return bi_bit_length((uint64_t)n) + 1; }

/* Rows of the caller's named `array`, `count` of them under the name `n_name`. */
bosc_status bi_grid_check_rows(bosc_ctx *ctx, const bosc_grid *grid, const char *array, const void *data,
                               const char *n_name, int64_t count, int64_t stride, struct bi_grid_rows *rows);

/* Brings rows in reach. */
bosc_status bi_grid_stage_rows(bosc_ctx *ctx, struct bi_grid_rows *rows, bool *staged);

/* The rows `ids` as points of the distance type: floats, or doubles if `wide`. */
bosc_status bi_grid_gather_rows(bosc_ctx *ctx, const struct bi_grid_rows *rows, const uint32_t *ids, int64_t count,
                                bool wide, void *points);

bosc_status bi_grid_build(bosc_ctx *ctx, bosc_grid *grid, struct bi_grid_rows rows);

/* The squared radius, rounded as distances are, and the smallest number whose square is more. */
void bi_grid_square(const bosc_grid *grid, double radius, double *r2, double *reach);

/* Room for a list of long rows, empty yet, of so many rows with so many entries in all; NULL where fills leave none.
 * And sorts what was listed. */
bosc_status bi_grid_list_rows(bosc_ctx *ctx, int64_t rows, int64_t entries, uint32_t **list);
bosc_status bi_grid_sort_rows(bosc_ctx *ctx, const struct bi_row_out *rows, const int64_t *offsets,
                              const uint32_t *list);

/* radius >= 0; ids and dist2 (either may be NULL) of the grid's types. */
bosc_status bi_grid_check_radius(bosc_ctx *ctx, double radius);
bosc_status bi_grid_check_answers(bosc_ctx *ctx, const bosc_grid *grid, const char *ids_name, const void *ids,
                                  const void *dist2);

#ifdef __cplusplus
}
#endif
#endif
