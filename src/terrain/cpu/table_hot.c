/* Terrains on the CPU: the steps, compiled for each level, since they are counts and searches of bits. */
#include "terrain/steps/steps.h"
#include "terrain/terrain.h"
#include "core/cpu/level.h"
#include "core/steps.h"

#define BI_STEP BI_STEP_CPU
#include "terrain/steps/steps.def"
#undef BI_STEP

static const struct bi_terrain_steps steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "terrain/steps/steps.def"
#undef BI_STEP
};

extern const struct bi_terrain_ops BI_LEVEL_NAME(bi_terrain_ops_cpu);
const struct bi_terrain_ops BI_LEVEL_NAME(bi_terrain_ops_cpu) = {.steps = &steps};
