/* Inside a terrain, and between its drivers. */
#ifndef BI_TERRAIN_TERRAIN_H
#define BI_TERRAIN_TERRAIN_H

#include "cbt/drivers.h"
#include "terrain/steps/steps.h"

/* With a raster, errors, bounds and tree are its own; without one the tree is NULL. */
struct bosc_terrain {
    struct bi_memory memory, host;
    bosc_terrain_opts opts; /* every field set */
    struct bi_terrain_grid grid;
    struct bi_block heights, errors, bounds; /* bounds: as bi_terrain_bounds */
    bosc_cbt *tree, *spare;                  /* spare: of the last raster, for the next one of this depth */
};

#define BI_TERRAIN_STEP(ctx, name, n, args) (ctx->ops->terrain->steps->terrain_##name((ctx), (n), (args)))

/* Is a word of the tree within a triangle? */
static inline bool bi_terrain_anchored(const struct bi_terrain_grid *g) { return g->depth - 6 >= g->first; }

/* Whether the context can reach the terrain, and it has a raster; BOSC_ERR_ARG with the reason. */
bosc_status bi_terrain_check(bosc_ctx *ctx, const bosc_terrain *terrain);
bosc_status bi_terrain_check_raster(bosc_ctx *ctx, const bosc_terrain *terrain);

/* Are there n rows of `size` bytes in any memory? */
bosc_status bi_terrain_check_rows(bosc_ctx *ctx, const char *n_name, int64_t n, size_t size);

/* The grid of a raster; the reason why there is none. */
bosc_status bi_terrain_shape(bosc_ctx *ctx, bosc_terrain_roots roots, int64_t w, int64_t h,
                             struct bi_terrain_grid *grid);

static inline int64_t bi_terrain_samples(const struct bi_terrain_grid *g) { return (int64_t)g->w * g->h; }
static inline int64_t bi_terrain_slots(const struct bi_terrain_grid *g) { return (int64_t)g->pitch * g->rows; }
static inline int64_t bi_terrain_state_words(const struct bi_terrain_grid *g) { return (bi_terrain_slots(g) + 7) / 8; }

bosc_status bi_terrain_build(bosc_ctx *ctx, bosc_terrain *terrain, const float *heights, int64_t stride);

#endif
