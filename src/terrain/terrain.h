/* The inside of a terrain, the functions that its drivers share, and the operations that a backend provides. */
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

/* ---- handle.c ---- */

/* BOSC_ERR_ARG if the context cannot reach the terrain; check_raster: or if it has no raster. */
bosc_status bi_terrain_check(bosc_ctx *ctx, const bosc_terrain *terrain);
bosc_status bi_terrain_check_raster(bosc_ctx *ctx, const bosc_terrain *terrain);

/* Checks an array of n elements of `size` bytes: present, aligned, and no larger than memory. */
bosc_status bi_terrain_check_array(bosc_ctx *ctx, const char *n_name, int64_t n, const char *name, const void *array,
                                   size_t size);
/* BOSC_ERR_ARG if n rows of `size` bytes exceed any memory. */
bosc_status bi_terrain_check_rows(bosc_ctx *ctx, const char *n_name, int64_t n, size_t size);

/* Makes the grid of a raster, or fails with the reason. */
bosc_status bi_terrain_make_grid(bosc_ctx *ctx, bosc_terrain_roots roots, int64_t width, int64_t height,
                                 struct bi_terrain_grid *grid);

/* Sizes of the arrays of a raster. */
static inline int64_t bi_terrain_samples(const struct bi_terrain_grid *g) { return (int64_t)g->width * g->height; }
static inline int64_t bi_terrain_slots(const struct bi_terrain_grid *g) { return (int64_t)g->pitch * g->rows; }
static inline int64_t bi_terrain_state_words(const struct bi_terrain_grid *g) { return (bi_terrain_slots(g) + 7) / 8; }
/* Blocks of 8 x 8 samples. */
static inline int64_t bi_terrain_sample_blocks(const struct bi_terrain_grid *g)
{
    return (int64_t)(g->last_x / 8 + 1) * (g->last_y / 8 + 1);
}

enum { BI_TERRAIN_HEIGHTS, BI_TERRAIN_ERRORS, BI_TERRAIN_BOUNDS, BI_TERRAIN_BLOCKS };
/* Bytes of the blocks of a raster. */
void bi_terrain_size_blocks(const struct bi_terrain_grid *g, size_t bytes[BI_TERRAIN_BLOCKS]);

/* Makes the spare tree one of the grid's depth; a new one has the largest triangles as leaves. */
bosc_status bi_terrain_reserve_tree(bosc_ctx *ctx, bosc_terrain *terrain, const struct bi_terrain_grid *g);

/* ---- the table ---- */

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
     * bi_terrain_words_in_triangles. */
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
