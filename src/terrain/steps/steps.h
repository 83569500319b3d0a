/* The steps of terrains: what happens to item i, on the CPU and on the device. */
#ifndef BI_TERRAIN_STEPS_STEPS_H
#define BI_TERRAIN_STEPS_STEPS_H

#include "core/backend.h"
#include "terrain/steps/errors.h"
#include "terrain/steps/mesh.h"
#include "terrain/steps/query.h"
#include "terrain/steps/refine.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_terrain_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "terrain/steps/steps.def"
#undef BI_STEP
};

/* Runs a step over n items. */
#define BI_TERRAIN_STEP(ctx, name, n, args) (ctx->ops->terrain->steps->terrain_##name((ctx), (n), (args)))

#ifdef __cplusplus
}
#endif
#endif
