/* The steps of planets: what happens to item i, for the CPU and the device. */
#ifndef BI_PLANET_STEPS_STEPS_H
#define BI_PLANET_STEPS_STEPS_H

#include "core/backend.h"
#include "planet/steps/criterion.h"
#include "planet/steps/mesh.h"
#include "planet/steps/shape.h"

struct bi_planet_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "planet/steps/steps.def"
#undef BI_STEP
};

/* Runs a step over n items. */
#define BI_PLANET_STEP(ctx, name, n, args) (ctx->ops->planet->steps->planet_##name((ctx), (n), (args)))

#endif
