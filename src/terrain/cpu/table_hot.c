/* Terrains on the CPU: the steps, compiled for each level, since they are counts and searches of bits. */
#include "terrain/steps/steps.h"
#include "terrain/terrain.h"
#include "core/cpu/level.h"
#include "core/steps.h"

#define STEP_LIST "terrain/steps/steps.def"
#define STEP_TABLE static const struct bi_terrain_steps steps
#include "core/step_table.inc"

extern const struct bi_terrain_ops BI_LEVEL_NAME(bi_terrain_ops_cpu);
const struct bi_terrain_ops BI_LEVEL_NAME(bi_terrain_ops_cpu) = {.steps = &steps};
