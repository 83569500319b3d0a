/* The steps of k-d trees: functions of one item, for the CPU and the device. They read trees through a view, so they
 * work for any type, dimension and layout; backends have faster operations for common cases. */
#ifndef BI_KDTREE_STEPS_STEPS_H
#define BI_KDTREE_STEPS_STEPS_H

#include "kdtree/steps/copies.h"
#include "kdtree/steps/images.h"
#include "kdtree/steps/inside.h"
#include "kdtree/steps/query.h"
#include "kdtree/steps/sort.h"
#include "kdtree/steps/metric_query.h"
#include "kdtree/steps/nearest_other_label.h"
#include "kdtree/steps/pair_blocks.h"
#include "kdtree/steps/pair_counts.h"
#include "kdtree/steps/pair_sums.h"
#include "kdtree/steps/rows.h"

struct bi_kdtree_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "kdtree/steps/steps.def"
#undef BI_STEP
};

#endif
