/* The CPU's table of voxelisations. */
#include "core/steps.h"
#include "voxels/steps/steps.h"

#define STEP_LIST "voxels/steps/steps.def"
#define STEP_TABLE static const struct bi_voxels_steps cpu_steps
#include "core/step_table.inc"

const struct bi_voxels_ops bi_voxels_ops_cpu = {.steps = &cpu_steps};
