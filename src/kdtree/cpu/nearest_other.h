/* The loops of nearest_other_hot.c for distances of order 1, the sums of differences, and of order infinity, the
 * largest ones: for trees of doubles. cpu.h has those by squares. */
#ifndef BI_KDTREE_CPU_NEAREST_OTHER_H
#define BI_KDTREE_CPU_NEAREST_OTHER_H

#include "kdtree/cpu/cpu.h"

extern const struct bi_kdtree_other_hot bi_kdtree_other_sum_v1, bi_kdtree_other_sum_v3, bi_kdtree_other_sum_v4;
extern const struct bi_kdtree_other_hot bi_kdtree_other_largest_v1, bi_kdtree_other_largest_v3,
    bi_kdtree_other_largest_v4;

#endif
