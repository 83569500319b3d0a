/* The layout of k-d trees on the CPU: coordinate-major blocks of 16 nodes, so that a leaf is scanned by vectors, and an
 * array of ids. The index is an implicit tree of the levels above the leaves, in level order: node h has children 2h +
 * 1 and 2h + 2, and stores its split value and the intervals of its sides in that coordinate. A leaf is a subtree of at
 * most BI_KDTREE_CPU_LEAF nodes; between two leaves lies one node of the levels above. */
#ifndef BI_KDTREE_CPU_CPU_H
#define BI_KDTREE_CPU_CPU_H

#include "kdtree/steps/steps.h"

enum { BI_KDTREE_CPU_LOG2_BLOCK = 4, BI_KDTREE_CPU_BLOCK = 1 << BI_KDTREE_CPU_LOG2_BLOCK, BI_KDTREE_CPU_LEAF = 32 };

/* Returns the number of levels above the leaves of a tree of n nodes; a range has at most half the nodes of its
 * parent. */
static inline int bi_kdtree_cpu_index_levels(int64_t n)
{
    int levels = 0;
    while ((n >> levels) > BI_KDTREE_CPU_LEAF) levels++;
    return levels;
}

#endif
