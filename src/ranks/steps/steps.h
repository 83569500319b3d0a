/* Steps of structures over ranks: the work on item i, for the CPU and for CUDA. */
#ifndef BI_RANKS_STEPS_STEPS_H
#define BI_RANKS_STEPS_STEPS_H

#include "ranks/ranks.h"
#include "ranks/steps/cellgraph.h"
#include "ranks/steps/cluster.h"
#include "ranks/steps/emst.h"
#include "ranks/steps/exchange.h"
#include "ranks/steps/forest.h"
#include "ranks/steps/forest_sharded.h"
#include "ranks/steps/forest_verify.h"
#include "ranks/steps/graph.h"
#include "ranks/steps/kdtree_build.h"
#include "ranks/steps/kdtree_nodes.h"
#include "ranks/steps/kdtree_search.h"
#include "ranks/steps/scan.h"

struct bi_ranks_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "ranks/steps/steps.def"
#undef BI_STEP
};

#endif
