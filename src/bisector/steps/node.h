/* Nodes of a pool of bisectors: levels, positions, corners; and the steps of queries about leaves. */
#ifndef BI_BISECTOR_STEPS_NODE_H
#define BI_BISECTOR_STEPS_NODE_H

#include <stdbool.h>

#include "base/atomic.h"
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

/* True if this is the number of a node of the pool, at most as deep as its depth. */
BI_FN bool bi_bisector_is_node(const struct bi_bisector_view *v, uint64_t node)
{
    const int32_t level = bi_bisector_level(v, node);
    return level >= 0 && level <= v->depth && bi_bisector_root(v, node) < v->root_count;
}

/* Positions count nodes of the deepest level, at most 2^63 of them. A node covers bi_bisector_position_count of them
 * from this one on. */
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

/* ---- queries ---- */

/* Item i of a call's arrays; each step uses some of the fields. */
struct bi_bisector_query {
    struct bi_bisector_view view;
    int64_t first;          /* leaf of item 0 */
    const int64_t *numbers; /* of leaves or roots */
    const uint64_t *nodes;
    const double *points;
    uint64_t *nodes_out;
    int64_t *answers;
    double *corners;
    uint32_t *deepest;
};

BI_FN void bi_step_decode(const struct bi_bisector_query *a, int64_t i)
{
    const int64_t left = a->view.leaves - a->first;
    a->nodes_out[i] = i < left ? a->view.nodes[a->first + i] : 0;
}

BI_FN void bi_step_encode(const struct bi_bisector_query *a, int64_t i)
{
    a->answers[i] = bi_bisector_find_leaf(&a->view, a->nodes[i]);
}

BI_FN void bi_step_neighbours(const struct bi_bisector_query *a, int64_t i)
{
    const int64_t leaf = a->numbers[i];
    for (int e = 0; e < 3; e++) {
        int64_t answer = -1;
        if (leaf >= 0 && leaf < a->view.leaves) {
            const uint32_t edge = a->view.neighbours[3 * leaf + e];
            if (edge != BI_BISECTOR_BORDER) answer = 3 * (int64_t)(edge >> 2) + (edge & 3);
        }
        a->answers[3 * i + e] = answer;
    }
}

/* The corners v0, v1, v2 of a node in coordinates of its root, by descent from there. All are multiples of 2^-30 at
 * most, so nothing is rounded. */
BI_FN void bi_bisector_corners(const struct bi_bisector_view *v, uint64_t node, double corners[3][2])
{
    double c[3][2] = {{0, 0}, {1, 0}, {0, 1}};
    for (int32_t up = bi_bisector_level(v, node) - 1; up >= 0; up--) {
        const int second = (int)(node >> up & 1);
        for (int d = 0; d < 2; d++) {
            const double middle = (c[0][d] + c[1][d]) / 2, v2 = c[2][d], kept = second ? c[1][d] : c[0][d];
            c[0][d] = second ? kept : v2;
            c[1][d] = second ? v2 : kept;
            c[2][d] = middle;
        }
    }
    for (int k = 0; k < 3; k++)
        for (int d = 0; d < 2; d++) corners[k][d] = c[k][d];
}

BI_FN void bi_step_corners(const struct bi_bisector_query *a, int64_t i)
{
    double corners[3][2] = {{0, 0}, {0, 0}, {0, 0}};
    const bool is_leaf = i < a->view.leaves - a->first;
    const uint64_t node = is_leaf ? a->view.nodes[a->first + i] : 0;
    if (is_leaf && a->corners) bi_bisector_corners(&a->view, node, corners);
    if (a->answers) a->answers[i] = is_leaf ? bi_bisector_root(&a->view, node) : -1;
    for (int k = 0; k < 6 && a->corners; k++) a->corners[6 * i + k] = corners[k / 2][k % 2];
}

/* The leaf of a root that contains a point: a descent by its barycentric coordinates, which need not sum to 1. A point
 * lies in the child at the end of the base with the larger coordinate. */
BI_FN int64_t bi_bisector_descend_to_leaf(const struct bi_bisector_view *v, int64_t root, double l0, double l1,
                                          double l2)
{
    uint64_t position = (uint64_t)root;
    for (int32_t level = 0; level < v->depth; level++) {
        const bool second = l1 > l0;
        const double kept = second ? l1 - l0 : l0 - l1, middle = 2 * (second ? l0 : l1);
        l0 = second ? kept : l2;
        l1 = second ? l2 : kept;
        l2 = middle;
        position = 2 * position + second;
    }
    return bi_bisector_leaf_at(v, position);
}

/* The leaf that contains a point of a root; -1 if the point or the root is outside. */
BI_FN int64_t bi_bisector_locate(const struct bi_bisector_view *v, int64_t root, double x, double y)
{
    const double l0 = (1 - x) - y;
    if (root < 0 || root >= v->root_count || !(l0 >= 0 && x >= 0 && y >= 0)) return -1;
    return bi_bisector_descend_to_leaf(v, root, l0, x, y);
}

BI_FN void bi_step_locate(const struct bi_bisector_query *a, int64_t i)
{
    a->answers[i] = bi_bisector_locate(&a->view, a->numbers[i], a->points[2 * i], a->points[2 * i + 1]);
}

BI_FN void bi_step_deepest(const struct bi_bisector_query *a, int64_t i)
{
    bi_atomic_max_u32(a->deepest, (uint32_t)bi_bisector_level(&a->view, a->view.nodes[i]));
}

#endif
