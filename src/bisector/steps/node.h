/* Nodes of a pool of bisectors, and their positions. */
#ifndef BI_BISECTOR_STEPS_NODE_H
#define BI_BISECTOR_STEPS_NODE_H

#include <stdbool.h>

#include "base/bits.h"
#include "base/step.h"
#include "bisector/bisector.h"

/* The level of a node; less than 0 for numbers below the roots'. */
BI_FN int32_t bi_bisector_level(const struct bi_bisector_view *v, uint64_t node)
{
    return bi_bit_length(node) - 1 - v->root_bits;
}

/* The root above a node, from 0. */
BI_FN int64_t bi_bisector_root(const struct bi_bisector_view *v, uint64_t node)
{
    return (int64_t)((node >> bi_bisector_level(v, node)) - ((uint64_t)1 << v->root_bits));
}

BI_FN bool bi_bisector_is_node(const struct bi_bisector_view *v, uint64_t node)
{
    const int32_t level = bi_bisector_level(v, node);
    return level >= 0 && level <= v->depth && bi_bisector_root(v, node) < v->root_count;
}

/* Positions count nodes of the deepest level, at most 2^63 of them. A node covers position_count of them from
 * first_position on. */
BI_FN uint64_t bi_bisector_first_position(const struct bi_bisector_view *v, uint64_t node)
{
    const int32_t level = bi_bisector_level(v, node);
    return (node - ((uint64_t)1 << (level + v->root_bits))) << (v->depth - level);
}

BI_FN uint64_t bi_bisector_position_count(const struct bi_bisector_view *v, uint64_t node)
{
    return (uint64_t)1 << (v->depth - bi_bisector_level(v, node));
}

/* The leaf that covers a position, by binary search. */
BI_FN int64_t bi_bisector_leaf_at(const struct bi_bisector_view *v, uint64_t position)
{
    int64_t low = 0, high = v->leaves;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (bi_bisector_first_position(v, v->nodes[middle]) <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The number of the leaf that is this node, or -1. */
BI_FN int64_t bi_bisector_find_leaf(const struct bi_bisector_view *v, uint64_t node)
{
    if (!bi_bisector_is_node(v, node)) return -1;
    const int64_t leaf = bi_bisector_leaf_at(v, bi_bisector_first_position(v, node));
    return v->nodes[leaf] == node ? leaf : -1;
}

#endif
