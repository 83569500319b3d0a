/* The steps of spanning forests: what happens to item i, for the CPU and the device. */
#ifndef BI_FOREST_STEPS_STEPS_H
#define BI_FOREST_STEPS_STEPS_H

#include "core/call.h"
#include "forest/steps/boruvka.h"
#include "forest/steps/emst.h"
#include "forest/steps/linkage.h"
#include "forest/steps/replacements.h"
#include "forest/steps/results.h"
#include "forest/steps/tree.h"
#include "forest/steps/verify.h"

struct bi_forest_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "forest/steps/steps.def"
#undef BI_STEP
};

#endif
