/* Steps of structures over ranks: the work on item i, for the CPU and for CUDA. */
#ifndef BI_RANKS_STEPS_STEPS_H
#define BI_RANKS_STEPS_STEPS_H

#include "ranks/ranks.h"
#include "ranks/steps/cellgraph.h"
#include "ranks/steps/emst.h"
#include "ranks/steps/representatives.h"
#include "ranks/steps/forest_path_max.h"
#include "ranks/steps/forest_edges.h"
#include "ranks/steps/forest_rounds.h"
#include "ranks/steps/forest_sharded.h"
#include "ranks/steps/forest_verify.h"
#include "ranks/steps/graph.h"
#include "ranks/steps/ids.h"
#include "ranks/steps/route.h"
#include "ranks/steps/rows.h"
#include "ranks/steps/scan.h"
#include "ranks/steps/kdtree_duplicates.h"
#include "ranks/steps/kdtree_published.h"
#include "ranks/steps/kdtree_merge.h"
#include "ranks/steps/kdtree_move.h"
#include "ranks/steps/kdtree_reach.h"
#include "ranks/steps/kdtree_select.h"
#include "ranks/steps/kdtree_verify.h"

struct bi_ranks_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "ranks/steps/steps.def"
#undef BI_STEP
};

#endif
