/* Steps that search boxes: the nodes within one, counted or listed. */
#ifndef BI_KDTREE_STEPS_BOX_H
#define BI_KDTREE_STEPS_BOX_H

#include <boscage/device/kdtree_box.h>

#include "kdtree/steps/query.h"

/* Nodes in the closed boxes: their number to counts[i], or their ids, ascending, to the row of box i. */
struct bi_kdtree_box {
    bosc_kdtree_view view;
    const void *corners; /* of box i: rows 2 i (low) and 2 i + 1 (high) of dim */
    int64_t *counts;
    const int64_t *offsets;
    void *ids;
    bool wide_ids;
    int64_t *bad; /* lowered to the smallest box whose row has the wrong length */
};

BI_FN void bi_kdtree_box_of(const struct bi_kdtree_box *a, int64_t i, bosc_kdtree_box_walk *walk)
{
    const struct bi_kdtree_rows corners = {a->corners, 2 * (i + 1), a->view.dim};
    bosc_kdtree_box_begin(walk, &a->view, bi_kdtree_row(&corners, a->view.dtype, 2 * i),
                          bi_kdtree_row(&corners, a->view.dtype, 2 * i + 1));
}

BI_FN void bi_step_box_count(const struct bi_kdtree_box *a, int64_t i)
{
    bosc_kdtree_box_walk walk;
    int64_t count = 0;
    bi_kdtree_box_of(a, i, &walk);
    while (bosc_kdtree_box_next(&walk) >= 0) count++;
    a->counts[i] = count;
}

BI_FN void bi_step_box_fill(const struct bi_kdtree_box *a, int64_t i)
{
    struct bi_row_out out = {a->ids, NULL, a->offsets[i], a->wide_ids, false, false};
    bosc_kdtree_box_walk walk;
    int64_t count = 0, capacity = a->offsets[i + 1] - a->offsets[i], node;
    /* As bi_step_radius_fill. */
    bi_kdtree_box_of(a, i, &walk);
    while ((node = bosc_kdtree_box_next(&walk)) >= 0) {
        if (count == capacity) {
            count = -1;
            break;
        }
        bi_kdtree_heap_up(&out, count++, 0, bosc_kdtree_id(&a->view, node), true);
    }
    if (count == capacity)
        bi_kdtree_heap_sort(&out, count, true);
    else
        bi_atomic_min_i64(a->bad, i);
}

#endif
