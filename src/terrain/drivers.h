/* Declarations shared by the drivers of terrains. */
#ifndef BI_TERRAIN_DRIVERS_H
#define BI_TERRAIN_DRIVERS_H

#include "cbt/install.h"
#include "terrain/handle.h"
#include "terrain/steps/steps.h"

#define BI_TERRAIN_STEP(ctx, name, n, args) (ctx->ops->terrain->steps->terrain_##name((ctx), (n), (args)))

/* True if the node of each word of the tree lies in one root triangle. */
static inline bool bi_terrain_word_in_triangle(const struct bi_terrain_grid *g) { return g->depth - 6 >= g->first; }

/* Checks a goal: a full copy, and the criterion that steps read. The caller sets `regions` to a copy in reach. */
bosc_status bi_terrain_check_goal(bosc_ctx *ctx, const bosc_terrain *terrain, const bosc_terrain_goal *goal,
                                  bosc_terrain_goal *full, struct bi_terrain_criterion *criterion);

/* Computes the bits of a refinement in scratch and installs them in the tree. */
bosc_status bi_terrain_refine_tree(bosc_ctx *ctx, bosc_terrain *terrain, struct bi_terrain_refinement *step);

/* Numbers the vertices and triangles of the mesh, in scratch. counts (host): of both. Waits. */
bosc_status bi_terrain_number_mesh(bosc_ctx *ctx, const bosc_terrain *terrain, struct bi_terrain_mesh *mesh,
                                   int64_t counts[2]);

#endif
