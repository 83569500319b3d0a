/* The steps of distributed structures: what happens to item i, for the CPU and the device. */
#ifndef BI_DIST_STEPS_STEPS_H
#define BI_DIST_STEPS_STEPS_H

#include "dist/dist.h"
#include "dist/steps/cellgraph.h"
#include "dist/steps/emst.h"
#include "dist/steps/firsts.h"
#include "dist/steps/forest_climb.h"
#include "dist/steps/forest_edges.h"
#include "dist/steps/forest_rounds.h"
#include "dist/steps/forest_sharded.h"
#include "dist/steps/forest_verify.h"
#include "dist/steps/graph.h"
#include "dist/steps/ids.h"
#include "dist/steps/route.h"
#include "dist/steps/rows.h"
#include "dist/steps/scan.h"
#include "dist/steps/kdtree_duplicates.h"
#include "dist/steps/kdtree_halves.h"
#include "dist/steps/kdtree_merge.h"
#include "dist/steps/kdtree_move.h"
#include "dist/steps/kdtree_reach.h"
#include "dist/steps/kdtree_select.h"
#include "dist/steps/kdtree_verify.h"

struct bi_dist_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "dist/steps/steps.def"
#undef BI_STEP
};

#endif
