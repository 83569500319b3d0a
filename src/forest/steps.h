/* The steps of graphs and forests: what happens to item i, for the CPU and the device. */
#ifndef BI_FOREST_STEPS_H
#define BI_FOREST_STEPS_H

#include "core/context.h"
#include "forest/emst_steps.h"
#include "forest/generate_steps.h"
#include "forest/graph_steps.h"
#include "forest/label_steps.h"
#include "forest/msf_steps.h"
#include "forest/prove_steps.h"
#include "forest/tour_steps.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_forest_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "forest/steps.def"
#undef BI_STEP
};

extern const struct bi_forest_steps bi_forest_steps_cpu;
#ifdef BOSC_HAVE_CUDA
extern const struct bi_forest_steps bi_forest_steps_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
