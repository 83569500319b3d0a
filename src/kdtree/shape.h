/* The shape of a balanced tree is arithmetic on its size: where each node, range and leaf lies. */
#ifndef BI_KDTREE_SHAPE_H
#define BI_KDTREE_SHAPE_H

#include "base/step.h"

enum { BI_KDTREE_MOST_LEVELS = 32 }; /* n is below 2^32 */

/* A range [begin, end) of the in-order array: one subtree. */
struct bi_kdtree_range {
    int64_t begin, end;
};

BI_FN int64_t bi_kdtree_mid(struct bi_kdtree_range r) { return r.begin + (r.end - r.begin) / 2; }

BI_FN struct bi_kdtree_range bi_kdtree_less(struct bi_kdtree_range r)
{
    struct bi_kdtree_range side = {r.begin, bi_kdtree_mid(r)};
    return side;
}

BI_FN struct bi_kdtree_range bi_kdtree_greater(struct bi_kdtree_range r)
{
    struct bi_kdtree_range side = {bi_kdtree_mid(r) + 1, r.end};
    return side;
}

/* The range of subtree `i` of level `level` (its bits, from the top, choose less or greater) in a tree of n nodes. */
BI_FN struct bi_kdtree_range bi_kdtree_subtree(int64_t n, int level, uint64_t i)
{
    struct bi_kdtree_range r = {0, n};
    for (int bit = level - 1; bit >= 0; bit--) r = ((i >> bit) & 1) ? bi_kdtree_greater(r) : bi_kdtree_less(r);
    return r;
}

/* Levels of a tree of n nodes: the smallest d with n < 2^d. */
BI_FN int bi_kdtree_depth(int64_t n)
{
    int d = 0;
    while (n >> d) d++;
    return d;
}

/* The first level whose subtrees have at most 3 nodes (of n nodes, the largest of a level has n >> level). The list of
 * its coordinate, ordered, holds each of them in the order of its nodes, so no later list is needed. */
BI_FN int bi_kdtree_last_list_level(int64_t n)
{
    int depth = bi_kdtree_depth(n);
    return depth > 2 ? depth - 2 : 0;
}

/* The level after `level` that splits by coordinate p. */
BI_FN int bi_kdtree_next_use(int32_t p, int level, int32_t dim)
{
    return level + 1 + (p + dim - (level + 1) % dim) % dim;
}

#endif
