/* The nearest node with another label, by vectors of 16 nodes and of 16 boxes: the steps nearest_other_label and prune
 * for trees of floats and doubles. Results are those of the steps, in any order of the searches. */
#include "kdtree/cpu/nearest_other.h"

#include "kdtree/cpu/query_hot.h"
#include "kdtree/steps/nearest_other_label.h"

/* Most boxes on a stack: 16 of each level of groups. Trees of 2^32 nodes have 28 levels of boxes. */
enum { MAX_WAITING = 8 * BI_KDTREE_GROUP };

/* Returns the labels of 16 that differ from `own`, as bits. */
static inline uint32_t find_other_labels(const uint32_t *labels, uint32_t own)
{
#if BI_LEVEL == 4
    return _mm512_cmpneq_epu32_mask(_mm512_loadu_si512(labels), _mm512_set1_epi32((int)own));
#else
    uint32_t bits = 0;
    for (int i = 0; i < BI_KDTREE_GROUP; i++) bits |= (uint32_t)(labels[i] != own) << i;
    return bits;
#endif
}

#define SEARCH_REAL float
#define SEARCH_TYPE f32
#define SEARCH_SUFFIX f32
#define SEARCH_ORDER 2
#include "kdtree/cpu/nearest_other.inc"

#define SEARCH_REAL double
#define SEARCH_TYPE f64
#define SEARCH_SUFFIX f64
#define SEARCH_ORDER 2
#include "kdtree/cpu/nearest_other.inc"

#define SEARCH_REAL double
#define SEARCH_TYPE f64
#define SEARCH_SUFFIX sum_f64
#define SEARCH_ORDER 1
#include "kdtree/cpu/nearest_other.inc"

#define SEARCH_REAL double
#define SEARCH_TYPE f64
#define SEARCH_SUFFIX largest_f64
#define SEARCH_ORDER 0
#include "kdtree/cpu/nearest_other.inc"

const struct bi_kdtree_other_hot BI_LEVEL_NAME(bi_kdtree_other_hot) = {search_others_f32, search_others_f64,
                                                                       prune_blocks_f32, prune_blocks_f64};
const struct bi_kdtree_other_hot BI_LEVEL_NAME(bi_kdtree_other_sum) = {NULL, search_others_sum_f64, NULL,
                                                                       prune_blocks_sum_f64};
const struct bi_kdtree_other_hot BI_LEVEL_NAME(bi_kdtree_other_largest) = {NULL, search_others_largest_f64, NULL,
                                                                           prune_blocks_largest_f64};
