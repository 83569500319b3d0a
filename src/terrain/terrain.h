/* Inside a terrain, and the operations that a backend provides. */
#ifndef BI_TERRAIN_TERRAIN_H
#define BI_TERRAIN_TERRAIN_H

#include "core/call.h"
#include "terrain/steps/grid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* heights, errors, bounds and tree are those of the raster; tree is NULL without a raster. */
struct bosc_terrain {
    struct bi_memory memory, host;
    bosc_terrain_opts opts; /* every field set */
    struct bi_terrain_grid grid;
    struct bi_block heights, errors, bounds; /* bounds: the cells of struct bi_terrain_bounds */
    bosc_cbt *tree;
    bosc_cbt *spare; /* a reserved tree, or that of an earlier raster, for the next raster of its depth */
};

struct bi_terrain_steps;
struct bi_terrain_raster_build;
struct bi_terrain_refinement;
struct bi_terrain_budget;
struct bi_terrain_mesh;

/* The room's table: steps, and fused operations. Each operation may be NULL. */
struct bi_terrain_ops {
    const struct bi_terrain_steps *steps;
    /* Copies a raster with squares of 64 or more intervals, both triangles of each, and computes its errors and
     * bounds. */
    bosc_status (*build_raster)(bosc_ctx *ctx, const struct bi_terrain_raster_build *a);
    /* Faster forms of the steps of these names. All but count_gain and write_vertices require
     * bi_terrain_word_in_triangle. */
    bosc_status (*refine)(bosc_ctx *ctx, const struct bi_terrain_refinement *a);
    bosc_status (*count_gain)(bosc_ctx *ctx, const struct bi_terrain_budget *a);
    bosc_status (*mark_vertices)(bosc_ctx *ctx, const struct bi_terrain_mesh *a);
    bosc_status (*count_triangles)(bosc_ctx *ctx, const struct bi_terrain_mesh *a);
    bosc_status (*write_vertices)(bosc_ctx *ctx, const struct bi_terrain_mesh *a);
    bosc_status (*write_triangles)(bosc_ctx *ctx, const struct bi_terrain_mesh *a);
};

#ifdef BOSC_HAVE_CUDA
extern const struct bi_terrain_ops bi_terrain_ops_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
