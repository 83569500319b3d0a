/* The steps of cell graphs: what happens to item i, for the CPU and the device. */
#ifndef BI_CELLGRAPH_STEPS_STEPS_H
#define BI_CELLGRAPH_STEPS_STEPS_H

#include "cellgraph/steps/lookup.h"
#include "cellgraph/steps/get.h"
#include "cellgraph/steps/search.h"
#include "cellgraph/steps/heuristic.h"
#include "cellgraph/steps/join.h"
#include "cellgraph/steps/order.h"
#include "cellgraph/steps/route.h"
#include "cellgraph/steps/sample.h"
#include "cellgraph/steps/table.h"
#include "cellgraph/steps/vectors.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_cellgraph_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "cellgraph/steps/steps.def"
#undef BI_STEP
};

#ifdef __cplusplus
}
#endif
#endif
