/* The steps of voxelisations: the work on item i, for the CPU and the device. */
#ifndef BI_VOXELS_STEPS_STEPS_H
#define BI_VOXELS_STEPS_STEPS_H

#include "voxels/steps/build.h"
#include "voxels/steps/feature.h"
#include "voxels/steps/kernel.h"
#include "voxels/steps/list.h"

struct bi_voxels_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "voxels/steps/steps.def"
#undef BI_STEP
};

#endif
