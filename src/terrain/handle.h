/* The foundation of terrains: handles, their memory, and the checks that calls share. */
#ifndef BI_TERRAIN_HANDLE_H
#define BI_TERRAIN_HANDLE_H

#include "core/call.h"
#include "terrain/terrain.h"

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
/* Words of the tree's bit field, and whole blocks of it in words. */
static inline int64_t bi_terrain_words(const struct bi_terrain_grid *g)
{
    return g->depth > 6 ? (int64_t)1 << (g->depth - 6) : 1;
}
static inline int64_t bi_terrain_block_words(const struct bi_terrain_grid *g)
{
    int64_t words = bi_terrain_words(g);
    return words > BOSC_CBT_BLOCK_WORDS ? words : BOSC_CBT_BLOCK_WORDS;
}

enum { BI_TERRAIN_HEIGHTS, BI_TERRAIN_ERRORS, BI_TERRAIN_BOUNDS, BI_TERRAIN_BLOCKS };
/* Bytes of the blocks of a raster. */
void bi_terrain_size_blocks(const struct bi_terrain_grid *g, size_t bytes[BI_TERRAIN_BLOCKS]);

/* Makes the spare tree one of the grid's depth; a new one has the largest triangles as leaves. */
bosc_status bi_terrain_reserve_tree(bosc_ctx *ctx, bosc_terrain *terrain, const struct bi_terrain_grid *g);

#endif
