/* boscage/device/kdtree_box.h - the points of a tree of boscage/kdtree.h in a box, in your own loop or kernel.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_kdtree_get_view
 *
 * As bosc_kdtree_box, over a view of boscage/device/kdtree.h. One thread searches for one box. */
#ifndef BOSCAGE_DEVICE_KDTREE_BOX_H
#define BOSCAGE_DEVICE_KDTREE_BOX_H

#include <boscage/device/kdtree.h>

BOSC_BEGIN_DTYPES

/* A walk over the nodes in a closed box, in unspecified order. A stack holds the remaining subtrees, the next one last.
 * A subtree is replaced by its two sides, so the stack never exceeds the number of levels. */
typedef struct bosc_kdtree_box_walk {
    const bosc_kdtree_view *view;
    const void *low, *high; /* the corners: dim elements of the tree's dtype each */
    int32_t size;
    int64_t leaf, leaf_end; /* remaining nodes of a small subtree; see bosc_kdtree_box_run */
    uint32_t begin[BOSC_KDTREE_VIEW_LEVELS + 1], end[BOSC_KDTREE_VIEW_LEVELS + 1];
    uint16_t coordinate[BOSC_KDTREE_VIEW_LEVELS + 1]; /* by which the subtree is split */
} bosc_kdtree_box_walk;

/* Begins a walk from the root. The view and the corners must stay where they are. */
BOSC_DEVICE_FN void bosc_kdtree_box_begin(bosc_kdtree_box_walk *walk, const bosc_kdtree_view *view, const void *low,
                                          const void *high)
{
    walk->view = view;
    walk->low = low;
    walk->high = high;
    walk->size = 1;
    walk->leaf = walk->leaf_end = 0;
    walk->begin[0] = 0;
    walk->end[0] = (uint32_t)view->nodes;
    walk->coordinate[0] = 0;
}

/* True if element i of x is at most element j of y, both of a dtype; integers are not rounded. */
BOSC_DEVICE_FN int bosc_kdtree_at_most(const void *x, int64_t i, const void *y, int64_t j, bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_F32: return ((const float *)x)[i] <= ((const float *)y)[j];
    case BOSC_F64: return ((const double *)x)[i] <= ((const double *)y)[j];
    case BOSC_I32: return ((const int32_t *)x)[i] <= ((const int32_t *)y)[j];
    default: return ((const int64_t *)x)[i] <= ((const int64_t *)y)[j];
    }
}

/* True if a node is in the box: no coordinate below the low corner's or above the high corner's. */
BOSC_DEVICE_FN int bosc_kdtree_box_holds(const bosc_kdtree_box_walk *walk, int64_t node)
{
    const bosc_kdtree_view *v = walk->view;
    int64_t at = bosc_kdtree_element(v, node, 0), next = (int64_t)1 << v->log2_block;
    for (int32_t c = 0; c < v->dim; c++, at += next)
        if (!bosc_kdtree_at_most(walk->low, c, v->points, at, v->dtype) ||
            !bosc_kdtree_at_most(v->points, at, walk->high, c, v->dtype))
            return 0;
    return 1;
}

BOSC_DEVICE_FN void bosc_kdtree_box_push(bosc_kdtree_box_walk *walk, uint32_t begin, uint32_t end, int32_t coordinate)
{
    walk->begin[walk->size] = begin;
    walk->end[walk->size] = end;
    walk->coordinate[walk->size++] = (uint16_t)coordinate;
}

/* Pops the next subtree that the box may reach. A small one becomes the leaf. Otherwise the sides that the box reaches
 * are pushed, and the middle becomes the leaf. */
BOSC_DEVICE_FN void bosc_kdtree_box_step(bosc_kdtree_box_walk *walk)
{
    const bosc_kdtree_view *v = walk->view;
    uint32_t begin = walk->begin[--walk->size], end = walk->end[walk->size], mid = begin + (end - begin) / 2;
    int32_t c = walk->coordinate[walk->size], below = c + 1 == v->dim ? 0 : c + 1;
    walk->leaf = begin;
    walk->leaf_end = end;
    if (end - begin <= BOSC_KDTREE_VIEW_LEAF) return;
    int64_t plane = bosc_kdtree_element(v, mid, c);
    int less = bosc_kdtree_at_most(walk->low, c, v->points, plane, v->dtype);
    int greater = bosc_kdtree_at_most(v->points, plane, walk->high, c, v->dtype);
    walk->leaf = mid;
    walk->leaf_end = (int64_t)mid + (less && greater);
    if (less) bosc_kdtree_box_push(walk, begin, mid, below);
    if (greater) bosc_kdtree_box_push(walk, mid + 1, end, below);
}

#ifdef BOSC_KDTREE_LANES
/* Tests nodes begin to end - 1, at most BOSC_KDTREE_VIEW_RUN, four at a time. Bit i of leaf_end then means that node
 * leaf + i is in the box and not yet returned. */
BOSC_DEVICE_FN void bosc_kdtree_box_run(bosc_kdtree_box_walk *walk, uint32_t begin, uint32_t end)
{
    const bosc_kdtree_view *v = walk->view;
    const float *low = (const float *)walk->low, *high = (const float *)walk->high;
    uint32_t inside = 0, first = begin & ~3u;
    for (uint32_t at = first; at < end; at += 4) {
        const float *p = (const float *)v->points + bosc_kdtree_element(v, at, 0);
        uint32_t out = 0;
        for (int32_t c = 0; c < v->dim; c++) {
            const bosc_kdtree_4 lows = {low[c], low[c], low[c], low[c]}, highs = {high[c], high[c], high[c], high[c]};
            bosc_kdtree_4 x;
            __builtin_memcpy(&x, p + 16 * c, sizeof x);
            out |= 15 & ~(uint32_t)__builtin_ia32_movmskps((bosc_kdtree_4)((lows <= x) & (x <= highs)));
        }
        inside |= (15 & ~out) << (at - first);
    }
    inside &= ~0u << (begin - first);
    walk->leaf_end = inside & ((1u << (end - first)) - 1);
    walk->leaf = first;
}

/* As bosc_kdtree_box_step, for F32 in blocks of 16. */
BOSC_DEVICE_FN void bosc_kdtree_box_step_lanes(bosc_kdtree_box_walk *walk)
{
    const bosc_kdtree_view *v = walk->view;
    const int32_t size = --walk->size, c = walk->coordinate[size], below = c + 1 == v->dim ? 0 : c + 1;
    const uint32_t begin = walk->begin[size], end = walk->end[size], mid = begin + (end - begin) / 2;
    if (end - begin <= BOSC_KDTREE_VIEW_RUN) {
        bosc_kdtree_box_run(walk, begin, end);
        return;
    }
    const float plane = ((const float *)v->points)[bosc_kdtree_element(v, mid, c)];
    const int less = ((const float *)walk->low)[c] <= plane, greater = plane <= ((const float *)walk->high)[c];
    if (less) bosc_kdtree_box_push(walk, begin, mid, below);
    if (greater) bosc_kdtree_box_push(walk, mid + 1, end, below);
    if (less && greater) bosc_kdtree_box_run(walk, mid, mid + 1);
}
#endif

/* Returns the next node in the box, -1 after the last.
 * Cost of a whole walk: O(n^(1 - 1/dim) + r) nodes for r results, at worst all n, each O(dim). */
BOSC_DEVICE_FN int64_t bosc_kdtree_box_next(bosc_kdtree_box_walk *walk)
{
#ifdef BOSC_KDTREE_LANES
    if (walk->view->dtype == BOSC_F32 && walk->view->log2_block == 4) {
        while (walk->leaf_end == 0) {
            if (walk->size == 0) return -1;
            bosc_kdtree_box_step_lanes(walk);
        }
        const int lane = __builtin_ctz((unsigned)walk->leaf_end);
        walk->leaf_end &= walk->leaf_end - 1;
        return walk->leaf + lane;
    }
#endif
    for (;;) {
        while (walk->leaf < walk->leaf_end) {
            int64_t node = walk->leaf++;
            if (bosc_kdtree_box_holds(walk, node)) return node;
        }
        if (walk->size == 0) return -1;
        bosc_kdtree_box_step(walk);
    }
}

BOSC_END_DTYPES
#endif
