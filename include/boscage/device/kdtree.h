/* boscage/device/kdtree.h - searches of a tree of boscage/kdtree.h in your own loop or kernel.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_kdtree_get_view
 *
 * bosc_kdtree_get_view describes a tree. The functions below read it, in C and C++ on the CPU for a tree of the CPU
 * backend, and in CUDA kernels for one of the CUDA backend. A view is valid until the tree is rebuilt or freed.
 * Distances are squared and Euclidean, with the bits of bosc_kdtree_knn if the compiler does not contract sums of
 * products (-ffp-contract=off, nvcc --fmad=false).
 *
 * One thread searches for one query. The calls of boscage/kdtree.h are faster for batches: they sort the queries and
 * share work. Use these functions for a search that is a part of other work, or with results that need no array. */
#ifndef BOSCAGE_DEVICE_KDTREE_H
#define BOSCAGE_DEVICE_KDTREE_H

#include <boscage/device/function.h>
#include <boscage/kdtree.h>

/* F32 in vectors of four nodes. The emulator runs the device's code. */
#if defined(__SSE2__) && defined(__GNUC__) && !defined(__CUDACC__) && !defined(BI_EMULATE)
#define BOSC_KDTREE_LANES
typedef float bosc_kdtree_4 __attribute__((vector_size(16)));
#endif

enum {
    BOSC_KDTREE_VIEW_VERSION = 1,
    BOSC_KDTREE_VIEW_LEVELS = 32, /* most levels of a tree */
    BOSC_KDTREE_VIEW_LEAF = 8,    /* nodes of a subtree that is scanned, not searched */
    BOSC_KDTREE_VIEW_RUN = 16,    /* the same, with four nodes measured at once */
    BOSC_KDTREE_SHORT = 8         /* most neighbours found with four nodes at once */
};

/* The in-order points: coordinate c of node i is points[((i >> log2_block) * pitch + c) << log2_block |
 * (i & (2^log2_block - 1))], its id is ids[i * id_stride]. Records of a row have log2_block 0 and pitch dim or more;
 * coordinate-major blocks of 16 have log2_block 4 and pitch dim. */
typedef struct bosc_kdtree_view {
    const void *points; /* of dtype */
    const uint32_t *ids;
    int64_t nodes;
    bosc_dtype dtype;
    int32_t dim, log2_block, pitch, id_stride;
    int32_t first;    /* the coordinate of the root's plane; 0 but for shards of trees over ranks */
    uint32_t version; /* BOSC_KDTREE_VIEW_VERSION */
} bosc_kdtree_view;

BOSC_BEGIN_DECLS

/* Describes the tree by a view.
 * Cost: O(1). */
BOSC_API bosc_status bosc_kdtree_get_view(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_kdtree_view *view);

BOSC_END_DECLS

BOSC_BEGIN_DTYPES

/* Element `at` of points or queries as a number: exact for all types but I64, which is rounded to double. */
BOSC_DEVICE_FN double bosc_kdtree_number(const void *data, int64_t at, bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_F32: return (double)((const float *)data)[at];
    case BOSC_F64: return ((const double *)data)[at];
    case BOSC_I32: return (double)((const int32_t *)data)[at];
    default: return (double)((const int64_t *)data)[at];
    }
}

/* Returns the index of coordinate c of a node. */
BOSC_DEVICE_FN int64_t bosc_kdtree_element(const bosc_kdtree_view *view, int64_t node, int32_t c)
{
    int64_t in_block = node & (((int64_t)1 << view->log2_block) - 1);
    return ((((node >> view->log2_block) * view->pitch) + c) << view->log2_block) | in_block;
}

/* Coordinate c of a node, and its id: the row of the build that it is. */
BOSC_DEVICE_FN double bosc_kdtree_coordinate(const bosc_kdtree_view *view, int64_t node, int32_t c)
{
    return bosc_kdtree_number(view->points, bosc_kdtree_element(view, node, c), view->dtype);
}

BOSC_DEVICE_FN uint32_t bosc_kdtree_id(const bosc_kdtree_view *view, int64_t node)
{
    return view->ids[node * view->id_stride];
}

/* The squared distance of a node from the query, dim elements of the tree's dtype: terms are added in the order of the
 * coordinates, in float for F32, in double otherwise. NaN counts as infinite. */
BOSC_DEVICE_FN double bosc_kdtree_dist2(const bosc_kdtree_view *view, int64_t node, const void *query)
{
    int64_t at = bosc_kdtree_element(view, node, 0), next = (int64_t)1 << view->log2_block;
    if (view->dtype == BOSC_F32) {
        float s = 0;
        for (int32_t c = 0; c < view->dim; c++, at += next) {
            float d = ((const float *)query)[c] - ((const float *)view->points)[at];
            s = s + d * d;
        }
        return s == s ? (double)s : __builtin_huge_val();
    }
    double s = 0;
    for (int32_t c = 0; c < view->dim; c++, at += next) {
        double d = bosc_kdtree_number(query, c, view->dtype) - bosc_kdtree_number(view->points, at, view->dtype);
        s = s + d * d;
    }
    return s == s ? s : __builtin_huge_val();
}

/* A walk over the nodes that may be near a query, nearer sides first: bosc_kdtree_walk_next returns one after the
 * other. Subtrees of a few nodes are scanned in order.
 *
 * The far side of a splitting plane is skipped only if its bound is above the limit. The bound is the sum, in the order
 * of the coordinates, of squared differences between the query and the crossed planes, by the operations of
 * bosc_kdtree_dist2. Rounding is monotonic, so no node beyond those planes measures less, and skipping is exact. A NaN
 * bound skips nothing. Only the first 32 coordinates are ever split. */
typedef struct bosc_kdtree_walk {
    const bosc_kdtree_view *view;
    const void *query;
    int32_t level, coordinate; /* by which the level's subtrees are split */
    int64_t leaf, leaf_end;    /* remaining nodes of a small subtree */
    uint32_t begin[BOSC_KDTREE_VIEW_LEVELS + 1], end[BOSC_KDTREE_VIEW_LEVELS + 1]; /* subtrees: nodes of each level */
    uint8_t phase[BOSC_KDTREE_VIEW_LEVELS + 1]; /* 0: new, 1: near side done, 2: far side done too */
    double away[BOSC_KDTREE_VIEW_LEVELS];       /* from the planes crossed, by coordinate */
    /* Phase 1: difference from the level's plane; phase 2: `away` of its coordinate before the plane was crossed. */
    double saved[BOSC_KDTREE_VIEW_LEVELS];
} bosc_kdtree_walk;

/* Begins a walk from the root. The view and the query must stay where they are. */
BOSC_DEVICE_FN void bosc_kdtree_walk_begin(bosc_kdtree_walk *walk, const bosc_kdtree_view *view, const void *query)
{
    int32_t used = view->dim < BOSC_KDTREE_VIEW_LEVELS ? view->dim : BOSC_KDTREE_VIEW_LEVELS;
    walk->view = view;
    walk->query = query;
    walk->level = 0;
    walk->coordinate = view->first;
    walk->leaf = walk->leaf_end = 0;
    walk->begin[0] = 0;
    walk->end[0] = (uint32_t)view->nodes;
    walk->phase[0] = 0;
    for (int32_t c = 0; c < used; c++) walk->away[c] = 0;
}

BOSC_DEVICE_FN double bosc_kdtree_walk_bound(const bosc_kdtree_walk *walk)
{
    int32_t used = walk->view->dim < BOSC_KDTREE_VIEW_LEVELS ? walk->view->dim : BOSC_KDTREE_VIEW_LEVELS;
    if (walk->view->dtype == BOSC_F32) {
        float s = 0;
        for (int32_t c = 0; c < used; c++) {
            float d = (float)walk->away[c];
            s = s + d * d;
        }
        return (double)s;
    }
    double s = 0;
    for (int32_t c = 0; c < used; c++) s = s + walk->away[c] * walk->away[c];
    return s;
}

/* query - plane, as bosc_kdtree_dist2 subtracts. */
BOSC_DEVICE_FN double bosc_kdtree_walk_difference(const bosc_kdtree_walk *walk, int64_t node, int32_t c)
{
    if (walk->view->dtype == BOSC_F32) {
        int64_t at = bosc_kdtree_element(walk->view, node, c);
        return (double)(((const float *)walk->query)[c] - ((const float *)walk->view->points)[at]);
    }
    return bosc_kdtree_number(walk->query, c, walk->view->dtype) - bosc_kdtree_coordinate(walk->view, node, c);
}

/* Goes into the less (0) or greater (1) side of the subtree of this level. */
BOSC_DEVICE_FN void bosc_kdtree_walk_down(bosc_kdtree_walk *walk, uint32_t mid, int greater)
{
    int32_t level = walk->level++;
    walk->coordinate = walk->coordinate + 1 == walk->view->dim ? 0 : walk->coordinate + 1;
    walk->begin[level + 1] = greater ? mid + 1 : walk->begin[level];
    walk->end[level + 1] = greater ? walk->end[level] : mid;
    walk->phase[level + 1] = 0;
}

BOSC_DEVICE_FN void bosc_kdtree_walk_up(bosc_kdtree_walk *walk)
{
    walk->level--;
    walk->coordinate = (walk->coordinate == 0 ? walk->view->dim : walk->coordinate) - 1;
}

/* Returns the next node to measure, -1 after the last. `limit` is the largest squared distance that still counts, and
 * may decrease from call to call. A returned node may be farther. */
BOSC_DEVICE_FN int64_t bosc_kdtree_walk_next(bosc_kdtree_walk *walk, double limit)
{
    if (walk->leaf < walk->leaf_end) return walk->leaf++;
    while (walk->level >= 0) {
        int32_t level = walk->level, c = walk->coordinate;
        uint32_t begin = walk->begin[level], size = walk->end[level] - begin, mid = begin + size / 2;
        if (walk->phase[level] == 0 && size <= BOSC_KDTREE_VIEW_LEAF) {
            /* A small subtree: return its nodes in order, then go on at its parent. */
            walk->leaf = begin;
            walk->leaf_end = begin + size;
            bosc_kdtree_walk_up(walk);
            if (size > 0) return walk->leaf++;
        } else if (walk->phase[level] == 0) {
            /* First visit: descend into the near side. */
            double difference = bosc_kdtree_walk_difference(walk, mid, c);
            walk->phase[level] = 1;
            walk->saved[level] = difference;
            bosc_kdtree_walk_down(walk, mid, !(difference < 0));
        } else if (walk->phase[level] == 1) {
            /* Back from the near side: unless the bound rules it out, return the node and descend into the far side. */
            double difference = walk->saved[level];
            walk->phase[level] = 2;
            walk->saved[level] = walk->away[c];
            walk->away[c] = difference;
            if (bosc_kdtree_walk_bound(walk) > limit) continue;
            bosc_kdtree_walk_down(walk, mid, difference < 0);
            return mid;
        } else {
            /* Back from the far side: undo the crossing of the plane. */
            walk->away[c] = walk->saved[level];
            bosc_kdtree_walk_up(walk);
        }
    }
    return -1;
}

/* Returns the next node with a squared distance of at most r2, -1 after the last: visits all points within a radius.
 * dist2: receives its squared distance; may be NULL. */
BOSC_DEVICE_FN int64_t bosc_kdtree_walk_within(bosc_kdtree_walk *walk, double r2, double *dist2)
{
    int64_t node;
    while ((node = bosc_kdtree_walk_next(walk, r2)) >= 0) {
        double d = bosc_kdtree_dist2(walk->view, node, walk->query);
        if (!(d <= r2)) continue;
        if (dist2) *dist2 = d;
        return node;
    }
    return -1;
}

#ifdef BOSC_KDTREE_LANES
/* The far side of a plane, searched after the near one: F32 in at most 3 dimensions. */
typedef struct bosc_kdtree_far {
    uint32_t begin, end, mid;
    int32_t coordinate;
    float difference, away[3]; /* from its plane; from the planes crossed before, by coordinate */
} bosc_kdtree_far;

/* The k nearest points, F32, for small k: keys in the order of (squared distance, id). Unused keys at the front are 0,
 * so the last key is always the farthest; missing entries are UINT64_MAX. */
typedef struct bosc_kdtree_short_list {
    uint64_t keys[BOSC_KDTREE_SHORT];
    double r2;
} bosc_kdtree_short_list;

/* Adds a point without a branch on its position, which would be unpredictable. */
BOSC_DEVICE_INLINE void bosc_kdtree_short_add(bosc_kdtree_short_list *list, int64_t k, float distance, uint32_t id)
{
    const float d = distance == distance ? distance : __builtin_huge_valf();
    uint32_t bits;
    __builtin_memcpy(&bits, &d, sizeof bits);
    const uint64_t key = (uint64_t)bits << 32 | id;
    uint64_t *keys = list->keys;
    if (!((double)d <= list->r2) || key >= keys[BOSC_KDTREE_SHORT - 1]) return;
    if (k == 1) {
        keys[BOSC_KDTREE_SHORT - 1] = key;
    } else {
        for (int i = BOSC_KDTREE_SHORT - 1; i > 0; i--) {
            const uint64_t here = keys[i - 1] > key ? keys[i - 1] : key;
            keys[i] = keys[i] < here ? keys[i] : here;
        }
        keys[0] = keys[0] < key ? keys[0] : key;
    }
    if (keys[BOSC_KDTREE_SHORT - 1] == UINT64_MAX) return;
    float last;
    bits = (uint32_t)(keys[BOSC_KDTREE_SHORT - 1] >> 32);
    __builtin_memcpy(&last, &bits, sizeof last);
    list->r2 = (double)last;
}

/* Measures nodes begin to end - 1, four at a time. */
BOSC_DEVICE_INLINE void bosc_kdtree_short_scan(bosc_kdtree_short_list *list, int64_t k, const bosc_kdtree_view *view,
                                               const float *query, int32_t dim, uint32_t begin, uint32_t end)
{
    float limit = (float)list->r2;
    __builtin_prefetch(view->ids + begin);
    limit = limit + (limit * 3e-7f + 1e-36f); /* at least r2, whatever its rounding */
    for (uint32_t at = begin & ~3u; at < end; at += 4) {
        const float *p = (const float *)view->points + (uint64_t)(at >> 4) * (uint32_t)(16 * dim) + (at & 15);
        bosc_kdtree_4 sum = {0, 0, 0, 0};
        for (int32_t c = 0; c < dim; c++) {
            bosc_kdtree_4 x;
            __builtin_memcpy(&x, p + 16 * c, sizeof x);
            x = query[c] - x;
            sum = sum + x * x;
        }
        const bosc_kdtree_4 limits = {limit, limit, limit, limit};
        uint32_t near = 15 & ~(uint32_t)__builtin_ia32_movmskps((bosc_kdtree_4)(sum > limits)); /* or NaN */
        if (at < begin) near &= 15u << (begin - at);
        if (end - at < 4) near &= (1u << (end - at)) - 1;
        for (; near; near &= near - 1) {
            const int lane = __builtin_ctz(near);
            bosc_kdtree_short_add(list, k, sum[lane], view->ids[at + (uint32_t)lane]);
        }
    }
}

/* Prefetches the planes of both sides of a subtree before the near side is known. */
BOSC_DEVICE_INLINE void bosc_kdtree_prefetch_sides(const bosc_kdtree_view *view, const bosc_kdtree_far *at, int32_t dim)
{
    const uint32_t mid = at->begin + (at->end - at->begin) / 2;
    const uint32_t less = at->begin + (mid - at->begin) / 2, greater = mid + 1 + (at->end - mid - 1) / 2;
    const float *p = (const float *)view->points + 16 * (at->coordinate + 1 == dim ? 0 : at->coordinate + 1);
    __builtin_prefetch(p + (uint64_t)(less >> 4) * (uint32_t)(16 * dim));
    __builtin_prefetch(p + (uint64_t)(greater >> 4) * (uint32_t)(16 * dim));
}

/* Searches a tree of F32 in blocks of 16, near sides first, as bosc_kdtree_walk_next does. */
BOSC_DEVICE_INLINE void bosc_kdtree_short_fill(bosc_kdtree_short_list *list, int64_t k, const bosc_kdtree_view *view,
                                               const float *query, const int32_t dim)
{
    bosc_kdtree_far waiting[BOSC_KDTREE_VIEW_LEVELS], at = {0, (uint32_t)view->nodes, 0, 0, 0, {0, 0, 0}};
    int32_t depth = 0;
    for (;;) {
        /* 1. Descend into near sides; stack the far ones. */
        while (at.end - at.begin > BOSC_KDTREE_VIEW_RUN) {
            const uint32_t mid = at.begin + (at.end - at.begin) / 2;
            const float *p = (const float *)view->points + (uint64_t)(mid >> 4) * (uint32_t)(16 * dim) + (mid & 15);
            bosc_kdtree_far *far = &waiting[depth++];
            *far = at;
            far->mid = mid;
            far->difference = query[at.coordinate] - p[16 * at.coordinate];
            const int less = far->difference < 0;
            far->begin = less ? mid + 1 : at.begin;
            far->end = less ? at.end : mid;
            at.begin = less ? at.begin : mid + 1;
            at.end = less ? mid : at.end;
            at.coordinate = at.coordinate + 1 == dim ? 0 : at.coordinate + 1;
            bosc_kdtree_prefetch_sides(view, &at, dim);
        }
        /* 2. Measure the small subtree. */
        bosc_kdtree_short_scan(list, k, view, query, dim, at.begin, at.end);
        /* 3. Pop far sides until one is near enough; measure the node on its plane. */
        for (;;) {
            if (depth == 0) return;
            float bound = 0;
            at = waiting[--depth];
            at.away[at.coordinate] = at.difference;
            for (int32_t c = 0; c < dim; c++) bound = bound + at.away[c] * at.away[c];
            if (!((double)bound > list->r2)) break;
        }
        bosc_kdtree_short_add(list, k, (float)bosc_kdtree_dist2(view, at.mid, query), view->ids[at.mid]);
        at.coordinate = at.coordinate + 1 == dim ? 0 : at.coordinate + 1;
    }
}

BOSC_DEVICE_FN int bosc_kdtree_is_short(const bosc_kdtree_view *view, int64_t k)
{
    return k <= BOSC_KDTREE_SHORT && view->dtype == BOSC_F32 && view->log2_block == 4 && view->pitch == view->dim &&
           view->id_stride == 1 && (view->dim == 2 || view->dim == 3);
}

/* As bosc_kdtree_view_knn, if bosc_kdtree_is_short. */
BOSC_DEVICE_FN int64_t bosc_kdtree_short_knn(const bosc_kdtree_view *view, const float *query, int64_t k, double r2,
                                             uint32_t *ids, double *dist2)
{
    const int64_t first = BOSC_KDTREE_SHORT - k;
    bosc_kdtree_short_list list = {{0}, r2};
    for (int64_t i = first; i < BOSC_KDTREE_SHORT; i++) list.keys[i] = UINT64_MAX;
    if (view->dim == 3) bosc_kdtree_short_fill(&list, k, view, query, 3);
    if (view->dim == 2) bosc_kdtree_short_fill(&list, k, view, query, 2);
    int64_t count = 0;
    for (; count < k && list.keys[first + count] != UINT64_MAX; count++) {
        const uint32_t bits = (uint32_t)(list.keys[first + count] >> 32);
        float d;
        __builtin_memcpy(&d, &bits, sizeof d);
        dist2[count] = (double)d;
        ids[count] = (uint32_t)list.keys[first + count];
    }
    return count;
}
#endif

/* Finds the k nearest points with squared distances of at most r2 (infinity for all), by (distance, id).
 * ids, dist2 (k): the points found, in order.
 * Returns their number.
 * Cost: as bosc_kdtree_knn, and O(k) for each inserted point: for small k. */
BOSC_DEVICE_FN int64_t bosc_kdtree_view_knn(const bosc_kdtree_view *view, const void *query, int64_t k, double r2,
                                            uint32_t *ids, double *dist2)
{
    bosc_kdtree_walk walk;
    int64_t count = 0, node;
    if (k < 1) return 0;
#ifdef BOSC_KDTREE_LANES
    if (bosc_kdtree_is_short(view, k)) return bosc_kdtree_short_knn(view, (const float *)query, k, r2, ids, dist2);
#endif
    bosc_kdtree_walk_begin(&walk, view, query);
    while ((node = bosc_kdtree_walk_next(&walk, r2)) >= 0) {
        double d = bosc_kdtree_dist2(view, node, query);
        if (!(d <= r2)) continue;
        uint32_t id = bosc_kdtree_id(view, node);
        if (count == k && d == dist2[k - 1] && id > ids[k - 1]) continue;
        int64_t at = count < k ? count++ : k - 1;
        for (; at > 0 && (dist2[at - 1] > d || (dist2[at - 1] == d && ids[at - 1] > id)); at--) {
            dist2[at] = dist2[at - 1];
            ids[at] = ids[at - 1];
        }
        dist2[at] = d;
        ids[at] = id;
        if (count == k) r2 = dist2[k - 1];
    }
    return count;
}

/* Finds the nearest point with a squared distance of at most r2, by (distance, id).
 * dist2: receives its squared distance if there is one; may be NULL.
 * Returns its id, -1 if there is none. */
BOSC_DEVICE_FN int64_t bosc_kdtree_view_nearest(const bosc_kdtree_view *view, const void *query, double r2,
                                                double *dist2)
{
    uint32_t id = 0;
    double d = 0;
    if (bosc_kdtree_view_knn(view, query, 1, r2, &id, &d) == 0) return -1;
    if (dist2) *dist2 = d;
    return (int64_t)id;
}

BOSC_END_DTYPES
#endif
