/* The steps of collisions: what happens to item i, for the CPU and the device. */
#ifndef BI_COLLISION_STEPS_STEPS_H
#define BI_COLLISION_STEPS_STEPS_H

#include "collision/steps/answers.h"
#include "collision/steps/candidates.h"
#include "collision/steps/voxels.h"

struct bi_collision_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "collision/steps/steps.def"
#undef BI_STEP
};

#endif
