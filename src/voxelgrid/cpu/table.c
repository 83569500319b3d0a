/* The CPU's table of voxel grids. */
#include "core/steps.h"
#include "voxelgrid/steps/steps.h"

#define BI_STEP BI_STEP_CPU
#define BI_QUICK_STEP BI_QUICK_STEP_CPU
#include "voxelgrid/steps/steps.def"
#undef BI_STEP

static const struct bi_voxelgrid_steps cpu_steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "voxelgrid/steps/steps.def"
#undef BI_STEP
};

const struct bi_voxelgrid_ops bi_voxelgrid_ops_cpu = {.steps = &cpu_steps};
