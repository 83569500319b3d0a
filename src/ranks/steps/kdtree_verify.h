/* The step that checks a rank's nodes against their ancestors. */
#ifndef BI_RANKS_STEPS_KDTREE_VERIFY_H
#define BI_RANKS_STEPS_KDTREE_VERIFY_H

#include "base/atomic.h"
#include "kdtree/order.h"
#include "kdtree/shape.h"

/* Rows: this rank's `count` nodes from node `begin` on, then, for each subtree of level `level`, the node after it. */
struct bi_ranks_kdtree_verify {
    struct bi_kdtree_rows rows;
    const int64_t *ids;
    bosc_dtype dtype;
    int32_t dim, level;
    int64_t begin, count, nodes, n; /* n: points of the build */
    int64_t *bad;                   /* becomes the smallest node that is out of order, if that is less */
};

/* Returns the row of the root of range r of level `level`. The bits of `path` lead to it from the root. */
BI_FN int64_t bi_ranks_kdtree_ancestor(const struct bi_ranks_kdtree_verify *a, struct bi_kdtree_range r, int32_t level,
                                       int64_t path)
{
    const int32_t levels_left = a->level - level; /* levels down to the partition */
    if (levels_left <= 0) return bi_kdtree_mid(r) - a->begin;
    return a->count + (path << levels_left) + ((int64_t)1 << (levels_left - 1)) -
           1; /* the node after the last subtree of its less side */
}

BI_FN void bi_step_kdtree_verify(const struct bi_ranks_kdtree_verify *a, int64_t i)
{
    const int64_t node = a->begin + i;
    struct bi_kdtree_range r = {0, a->nodes};
    bool is_ordered = a->ids[i] >= 0 && a->ids[i] < a->n;
    int64_t path = 0;
    for (int32_t level = 0; is_ordered && bi_kdtree_mid(r) != node; level++) {
        const bool less = node < bi_kdtree_mid(r);
        const int64_t ancestor = bi_ranks_kdtree_ancestor(a, r, level, path);
        int order = bi_kdtree_compare_rows(&a->rows, a->dtype, a->dim, i, ancestor, level % a->dim);
        if (order == 0) order = a->ids[i] < a->ids[ancestor] ? -1 : a->ids[i] > a->ids[ancestor];
        is_ordered = less ? order < 0 : order > 0;
        path = 2 * path + !less;
        r = less ? bi_kdtree_less(r) : bi_kdtree_greater(r);
    }
    if (!is_ordered) bi_atomic_min_i64(a->bad, node);
}

#endif
