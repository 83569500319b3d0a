/* Steps that order the points of a dendrogram, and its cophenetic distances. */
#ifndef BI_CLUSTER_STEPS_ORDER_H
#define BI_CLUSTER_STEPS_ORDER_H

#include "base/atomic.h"
#include "base/bits.h"

/* A node is a point, or n + a merge. Its offset is the number of points left of it. */
struct bi_dendrogram_order {
    const double *z;
    int64_t n;
    const uint32_t *parent; /* by node: the merge of it; UINT32_MAX: none */
    /* By node: a merge above, and the number of its points left of the node; now and after the next jump. */
    uint32_t *above, *offset, *next_above, *next_offset;
    uint32_t *flag;    /* set if a node has not reached the root */
    uint32_t *order;   /* by position: the point */
    int64_t *order_of; /* the caller's */
    double *gaps;      /* by position: the height of the merge between it and the next position */
    double *distances; /* of pairs i < j, row by row */
};

/* Begins the path of node x at its merge: the points of the merge's first cluster are left of its second. */
BI_FN void bi_step_order_begin(const struct bi_dendrogram_order *a, int64_t x)
{
    const uint32_t p = a->parent[x];
    const bool is_root = p == UINT32_MAX;
    const double *merge = a->z + 4 * (is_root ? 0 : (int64_t)p);
    uint32_t left = 0;
    if (!is_root && (int64_t)merge[1] == x)
        left = (int64_t)merge[0] < a->n ? 1 : (uint32_t)a->z[4 * ((int64_t)merge[0] - a->n) + 3];
    a->above[x] = is_root ? (uint32_t)x : (uint32_t)(a->n + p);
    a->offset[x] = left;
}

/* Doubles the path of node x towards the root. The root stays: nothing is left of it. */
BI_FN void bi_step_order_jump(const struct bi_dendrogram_order *a, int64_t x)
{
    const uint32_t above = a->above[x], next = a->above[above];
    a->next_above[x] = next;
    a->next_offset[x] = a->offset[x] + a->offset[above];
    if (next != (uint32_t)(2 * a->n - 2)) bi_atomic_or_u32(a->flag, 1);
}

/* Stores point v at its position. */
BI_FN void bi_step_order_scatter(const struct bi_dendrogram_order *a, int64_t v)
{
    a->order[a->offset[v]] = (uint32_t)v;
}

/* Writes the point at position k to the caller's array. */
BI_FN void bi_step_order_write(const struct bi_dendrogram_order *a, int64_t k) { a->order_of[k] = a->order[k]; }

/* Stores the height of merge t at the last position of its first cluster; its second cluster begins at the next. */
BI_FN void bi_step_order_gaps(const struct bi_dendrogram_order *a, int64_t t)
{
    a->gaps[a->offset[(int64_t)a->z[4 * t + 1]] - 1] = a->z[4 * t + 2];
}

/* Writes the distances of position k to later ones: the greatest height between, as heights do not descend. */
BI_FN void bi_cophenet_row(const struct bi_dendrogram_order *a, int64_t k)
{
    const int64_t u = a->order[k];
    double height = 0;
    for (int64_t e = k + 1; e < a->n; e++) {
        const int64_t v = a->order[e], i = u < v ? u : v, j = u < v ? v : u;
        height = a->gaps[e - 1] > height ? a->gaps[e - 1] : height;
        a->distances[i * a->n - i * (i + 1) / 2 + j - i - 1] = height;
    }
}

/* Item k is positions k and n - 2 - k, so that all items cost the same. */
BI_FN void bi_step_cophenet(const struct bi_dendrogram_order *a, int64_t k)
{
    bi_cophenet_row(a, k);
    if (a->n - 2 - k != k) bi_cophenet_row(a, a->n - 2 - k);
}

#endif
