/* The nearest node with another label, by vectors of 16 nodes: the step nearest_other_label for trees of floats and
 * doubles. Results are those of the step, in any order of the searches. */
#include "kdtree/cpu/query_hot.h"
#include "kdtree/steps/nearest_other_label.h"

#define SEARCH_REAL float
#define SEARCH_SUFFIX f32
#include "kdtree/cpu/nearest_other.inc"

#define SEARCH_REAL double
#define SEARCH_SUFFIX f64
#include "kdtree/cpu/nearest_other.inc"

const struct bi_kdtree_other_hot BI_LEVEL_NAME(bi_kdtree_other_hot) = {search_others_f32, search_others_f64};
