/* What the drivers of planners share. */
#ifndef BI_PLANNER_DRIVERS_H
#define BI_PLANNER_DRIVERS_H

#include <string.h>

#include "planner/handle.h"
#include "planner/steps/steps.h"

/* Runs a step for items 0 to n - 1. */
#define BI_PLANNER_STEP(ctx, name, n, args) (ctx->ops->planner->steps->name((ctx), (n), (args)))

/* The planner's bodies become those of a scene that bosc_plan_build has taken. */
bosc_status bi_planner_take_bodies(bosc_ctx *ctx, bosc_planner *planner, const bosc_plan_scene *scene);

/* Bytes of the blocks for a scene that is as it should be, and of the host's memory that taking it needs. */
void bi_planner_size_bodies(const bosc_plan_scene *scene, size_t bytes[BI_PLANNER_BLOCKS], size_t *work);

/* Bytes of the mask of cells: of some more than there are, which may be added one by one. */
static inline size_t bi_planner_mask_bytes(size_t cells) { return cells + cells / 8 + 64; }

/* A scene of any size that bosc_plan_build or bosc_plan_bytes has taken, with every field set. */
static inline bosc_plan_scene bi_planner_full_scene(const bosc_plan_scene *scene)
{
    bosc_plan_scene full;
    memset(&full, 0, sizeof full);
    memcpy(&full, scene, scene->size < sizeof full ? scene->size : sizeof full);
    return full;
}

/* How many simple items one of the robot's bodies is, among all of the obstacle's, for progress. */
static inline double bi_planner_weight(const bosc_planner *planner) { return 1 + (double)planner->scene.node_count; }

/* Makes the cells of a planner that has none, if its scene has constraints. On failure it has none. */
bosc_status bi_planner_make_cells(bosc_ctx *ctx, bosc_planner *planner);

/* Certifies steps from `from` to `to`, of which step i has rotations i * stride doubles behind the first. In backend
 * memory, or host: places and what it gives are the caller's on the host. places: (n) of steps without a certificate,
 * times 2^-20; UINT32_MAX: certified. */
bosc_status bi_planner_certify_host(bosc_ctx *ctx, const bosc_planner *planner, const double *from, const double *to,
                                    int64_t stride, int64_t n, uint32_t *places);

#endif
