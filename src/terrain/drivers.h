/* What the drivers of terrains share. */
#ifndef BI_TERRAIN_DRIVERS_H
#define BI_TERRAIN_DRIVERS_H

#include "cbt/install.h"
#include "terrain/handle.h"
#include "terrain/steps/steps.h"

#define BI_TERRAIN_STEP(ctx, name, n, args) (ctx->ops->terrain->steps->terrain_##name((ctx), (n), (args)))

/* Whether each word of the tree's bits lies in one triangle. */
static inline bool bi_terrain_word_in_triangle(const struct bi_terrain_grid *g) { return g->depth - 6 >= g->first; }

/* A goal as steps read it. `regions` is left to bosc_terrain_select, which has a copy of them in reach. */
bosc_status bi_terrain_check_goal(bosc_ctx *ctx, const bosc_terrain *terrain, const bosc_terrain_goal *goal,
                                  bosc_terrain_goal *full, struct bi_terrain_criterion *criterion);

/* The tree takes over the splits that `step` decides; its bits are made here. */
bosc_status bi_terrain_refine_tree(bosc_ctx *ctx, bosc_terrain *terrain, struct bi_terrain_refinement *step);

/* Numbers the vertices and triangles of the mesh, in scratch; counts (host) of both. Waits. */
bosc_status bi_terrain_number_mesh(bosc_ctx *ctx, const bosc_terrain *terrain, struct bi_terrain_mesh *mesh,
                                   int64_t counts[2]);

#endif
