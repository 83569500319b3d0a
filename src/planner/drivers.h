/* Functions that the drivers of planners share. */
#ifndef BI_PLANNER_DRIVERS_H
#define BI_PLANNER_DRIVERS_H

#include <string.h>

#include "planner/handle.h"
#include "planner/steps/steps.h"

/* Runs a step for items 0 to n - 1. */
#define BI_PLANNER_STEP(ctx, name, n, args) (ctx->ops->planner->steps->name((ctx), (n), (args)))

/* Stores the bodies of a scene that bosc_plan_build has accepted. */
bosc_status bi_planner_store_bodies(bosc_ctx *ctx, bosc_planner *planner, const bosc_plan_scene *scene);

/* Computes the bytes of the blocks for a valid scene, and of the host memory for storing it. */
void bi_planner_size_bodies(const bosc_plan_scene *scene, size_t bytes[BI_PLANNER_BLOCKS], size_t *work);

/* Returns the bytes of the mask of cells, with space for some more, which may be added one by one. */
static inline size_t bi_planner_mask_bytes(size_t cells) { return cells + cells / 8 + 64; }

/* Returns an accepted scene of any `size` with every field set. */
static inline bosc_plan_scene bi_planner_full_scene(const bosc_plan_scene *scene)
{
    bosc_plan_scene full;
    memset(&full, 0, sizeof full);
    memcpy(&full, scene, scene->size < sizeof full ? scene->size : sizeof full);
    return full;
}

/* Returns the cost of testing a body of the robot against the obstacle, in simple items, for progress. */
static inline double bi_planner_body_cost(const bosc_planner *planner) { return 1 + (double)planner->scene.node_count; }

/* Makes the cells of a planner that has none, if its scene has constraints. On failure there are none. */
bosc_status bi_planner_make_cells(bosc_ctx *ctx, bosc_planner *planner);

/* Certifies n steps: step i from `from` to `to`, each at i * stride doubles, in host or backend memory. failures: (n)
 * host; the fraction of the step at which the proof failed, times 2^20; UINT32_MAX: certified. */
bosc_status bi_planner_certify_host(bosc_ctx *ctx, const bosc_planner *planner, const double *from, const double *to,
                                    int64_t stride, int64_t n, uint32_t *failures);

#endif
