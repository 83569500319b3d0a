/* The steps of voxel grids on the CPU. */
#include "core/steps.h"
#include "spatial/steps.h"

#define BI_STEP BI_STEP_CPU
#include "spatial/steps.def"
#undef BI_STEP

const struct bi_grid_steps bi_grid_steps_cpu = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "spatial/steps.def"
#undef BI_STEP
};
