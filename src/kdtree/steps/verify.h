/* Steps that verify a tree: nodes against their ancestors, and ids. */
#ifndef BI_KDTREE_STEPS_VERIFY_H
#define BI_KDTREE_STEPS_VERIFY_H

#include "base/atomic.h"
#include "kdtree/order.h"
#include "kdtree/shape.h"

/* Lowers *bad to the smallest offending node; n: number of rows of the build. */
struct bi_kdtree_check {
    bosc_kdtree_view view;
    int64_t n;
    uint32_t *owners; /* n; all BI_KDTREE_NONE before own_ids */
    int64_t *bad;
};

/* True if node i is on the correct side of `mid`, an ancestor at `level`. */
BI_FN bool bi_kdtree_ordered(const bosc_kdtree_view *v, int64_t i, int64_t mid, int level)
{
    int order = bi_kdtree_compare_nodes(v, i, mid, level % v->dim);
    return i < mid ? order < 0 : order > 0;
}

BI_FN void bi_step_check_order(const struct bi_kdtree_check *a, int64_t i)
{
    struct bi_kdtree_range r = {0, a->view.nodes};
    for (int level = 0; r.begin < r.end; level++) {
        int64_t mid = bi_kdtree_mid(r);
        if (mid == i) return;
        if (!bi_kdtree_ordered(&a->view, i, mid, level)) {
            bi_atomic_min_i64(a->bad, i);
            return;
        }
        r = i < mid ? bi_kdtree_less(r) : bi_kdtree_greater(r);
    }
}

/* owners[id] = the first node with that id. */
BI_FN void bi_step_own_ids(const struct bi_kdtree_check *a, int64_t i)
{
    uint32_t id = bosc_kdtree_id(&a->view, i);
    if ((int64_t)id < a->n) bi_atomic_min_u32(&a->owners[id], (uint32_t)i);
}

BI_FN void bi_step_check_ids(const struct bi_kdtree_check *a, int64_t i)
{
    uint32_t id = bosc_kdtree_id(&a->view, i);
    if ((int64_t)id >= a->n || a->owners[id] != (uint32_t)i) bi_atomic_min_i64(a->bad, i);
}

#endif
