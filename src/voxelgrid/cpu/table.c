/* The CPU's table of voxel grids. */
#include "core/steps.h"
#include "voxelgrid/cpu/pairs.h"

#define STEP_LIST "voxelgrid/steps/steps.def"
#define STEP_TABLE static const struct bi_voxelgrid_steps cpu_steps
#include "core/step_table.inc"

const struct bi_voxelgrid_ops bi_voxelgrid_ops_cpu = {.steps = &cpu_steps,
                                                      .pair_collect = bi_voxelgrid_cpu_collect_pairs};
