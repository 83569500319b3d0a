/* The step that checks the nodes of a rank against their ancestors. */
#ifndef BI_RANKS_STEPS_KDTREE_VERIFY_H
#define BI_RANKS_STEPS_KDTREE_VERIFY_H

#include "base/atomic.h"
#include "kdtree/order.h"
#include "kdtree/shape.h"

/* Rows are this rank's `count` nodes, from node `begin` on, and then for each subtree of level `level` the node after
 * it. */
struct bi_ranks_kdtree_verify {
    struct bi_kdtree_rows rows;
    const int64_t *ids;
    bosc_dtype dtype;
    int32_t dim, level;
    int64_t begin, count, nodes, n; /* n: points given to the build */
    int64_t *bad;                   /* becomes the smallest node that is out of order, if that is less */
};

/* The row of the node of a range of level `level`, to which the bits of `path` lead from the root. */
BI_FN int64_t bi_ranks_kdtree_ancestor(const struct bi_ranks_kdtree_verify *a, struct bi_kdtree_range r, int32_t level,
                                       int64_t path)
{
    const int32_t below = a->level - level; /* levels down to the cut */
    if (below <= 0) return bi_kdtree_mid(r) - a->begin;
    return a->count + (path << below) + ((int64_t)1 << (below - 1)) - 1; /* after the last subtree of its less side */
}

BI_FN void bi_step_kdtree_verify(const struct bi_ranks_kdtree_verify *a, int64_t i)
{
    const int64_t node = a->begin + i;
    struct bi_kdtree_range r = {0, a->nodes};
    bool right = a->ids[i] >= 0 && a->ids[i] < a->n;
    int64_t path = 0;
    for (int32_t level = 0; right && bi_kdtree_mid(r) != node; level++) {
        const bool less = node < bi_kdtree_mid(r);
        const int64_t above = bi_ranks_kdtree_ancestor(a, r, level, path);
        int order = bi_kdtree_compare_rows(&a->rows, a->dtype, a->dim, i, above, level % a->dim);
        if (order == 0) order = a->ids[i] < a->ids[above] ? -1 : a->ids[i] > a->ids[above];
        right = less ? order < 0 : order > 0;
        path = 2 * path + !less;
        r = less ? bi_kdtree_less(r) : bi_kdtree_greater(r);
    }
    if (!right) bi_atomic_min_i64(a->bad, node);
}

#endif
