/* The steps of graphs: what happens to item i, for the CPU and the device. */
#ifndef BI_GRAPH_STEPS_STEPS_H
#define BI_GRAPH_STEPS_STEPS_H

#include "core/call.h"
#include "graph/steps/build.h"
#include "graph/steps/copy.h"
#include "graph/steps/generate.h"
#include "graph/steps/load.h"
#include "graph/steps/parallel.h"

struct bi_graph_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "graph/steps/steps.def"
#undef BI_STEP
};

#endif
