/* The steps of voxel grids: what happens to item i, for the CPU and the device. */
#ifndef BI_VOXELGRID_STEPS_STEPS_H
#define BI_VOXELGRID_STEPS_STEPS_H

#include "voxelgrid/steps/build.h"
#include "voxelgrid/steps/copies.h"
#include "voxelgrid/steps/pairs.h"
#include "voxelgrid/steps/query.h"

struct bi_voxelgrid_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "voxelgrid/steps/steps.def"
#undef BI_STEP
};

#endif
