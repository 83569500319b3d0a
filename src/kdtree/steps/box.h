/* Steps that search boxes: the nodes within one, counted or listed. */
#ifndef BI_KDTREE_STEPS_BOX_H
#define BI_KDTREE_STEPS_BOX_H

#include "kdtree/steps/query.h"

/* Nodes in the closed boxes: their number to counts[i], or their ids, ascending, to the row of box i. */
struct bi_kdtree_box {
    bosc_kdtree_view view;
    const void *corners; /* of box i: rows 2 i (low) and 2 i + 1 (high) of dim */
    int64_t *counts;
    const int64_t *offsets;
    void *ids;
    bool wide_ids;
    int64_t *bad; /* the smallest box whose row has another length than its answer */
};

/* Subtrees that a box may reach, the last one first. A subtree is replaced by its two halves, so there are never more
 * than levels. */
struct bi_kdtree_box_walk {
    const struct bi_kdtree_box *a;
    int64_t low, high; /* elements of `corners` where the box's begin */
    int size;
    struct bi_kdtree_range range[BI_KDTREE_MOST_LEVELS + 1];
    uint8_t level[BI_KDTREE_MOST_LEVELS + 1];
};

BI_FN void bi_kdtree_box_begin(struct bi_kdtree_box_walk *w, const struct bi_kdtree_box *a, int64_t i)
{
    w->a = a;
    w->low = 2 * i * a->view.dim;
    w->high = w->low + a->view.dim;
    w->size = 1;
    w->range[0].begin = 0;
    w->range[0].end = a->view.nodes;
    w->level[0] = 0;
}

BI_FN void bi_kdtree_box_push(struct bi_kdtree_box_walk *w, struct bi_kdtree_range r, int level)
{
    if (r.begin >= r.end) return;
    w->range[w->size] = r;
    w->level[w->size++] = (uint8_t)level;
}

/* Whether coordinate c of a node is not below the low corner (side 0), or not above the high one (side 1). */
BI_FN bool bi_kdtree_box_holds(const struct bi_kdtree_box_walk *w, int64_t node, int32_t c, int side)
{
    const bosc_kdtree_view *v = &w->a->view;
    uint64_t x = bi_kdtree_key(v->points, bosc_kdtree_element(v, node, c), v->dtype);
    uint64_t bound = bi_kdtree_key(w->a->corners, (side ? w->high : w->low) + c, v->dtype);
    return side ? x <= bound : x >= bound;
}

/* The next node in the box; -1 after the last. */
BI_FN int64_t bi_kdtree_box_next(struct bi_kdtree_box_walk *w)
{
    const int32_t dim = w->a->view.dim;
    while (w->size > 0) {
        struct bi_kdtree_range r = w->range[--w->size];
        int level = w->level[w->size];
        if (r.begin >= r.end) continue;
        int64_t mid = bi_kdtree_mid(r);
        int32_t c = level % dim;
        bool above = bi_kdtree_box_holds(w, mid, c, 0), below = bi_kdtree_box_holds(w, mid, c, 1), inside = true;
        if (above) bi_kdtree_box_push(w, bi_kdtree_less(r), level + 1);
        if (below) bi_kdtree_box_push(w, bi_kdtree_greater(r), level + 1);
        for (int32_t k = 0; k < dim && inside; k++)
            inside = bi_kdtree_box_holds(w, mid, k, 0) && bi_kdtree_box_holds(w, mid, k, 1);
        if (inside) return mid;
    }
    return -1;
}

BI_FN void bi_step_box_count(const struct bi_kdtree_box *a, int64_t i)
{
    struct bi_kdtree_box_walk walk;
    int64_t count = 0;
    bi_kdtree_box_begin(&walk, a, i);
    while (bi_kdtree_box_next(&walk) >= 0) count++;
    a->counts[i] = count;
}

BI_FN void bi_step_box_fill(const struct bi_kdtree_box *a, int64_t i)
{
    struct bi_row_out out = {a->ids, NULL, a->offsets[i], a->wide_ids, false, false};
    struct bi_kdtree_box_walk walk;
    int64_t count = 0, capacity = a->offsets[i + 1] - a->offsets[i], node;
    bi_kdtree_box_begin(&walk, a, i);
    while ((node = bi_kdtree_box_next(&walk)) >= 0) {
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
