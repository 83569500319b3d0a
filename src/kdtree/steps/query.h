/* Steps that search: the k nearest nodes, those within a radius, and those in a box, for one query. */
#ifndef BI_KDTREE_STEPS_QUERY_H
#define BI_KDTREE_STEPS_QUERY_H

#include <boscage/device/kdtree_box.h>

#include "base/atomic.h"
#include "core/csr_row_out.h"
#include "kdtree/order.h"
#include "kdtree/shape.h"

/* True if (d, id) is greater than entry e: by (distance, id), or by id alone in radius rows. */
BI_FN bool bi_kdtree_out_after(const struct bi_row_out *o, double d, uint32_t id, int64_t e, bool by_id)
{
    if (!by_id) {
        double other = bi_row_dist2(o, e);
        if (d != other) return d > other;
    }
    return id > bi_row_id(o, e);
}

/* Replaces the root of a max-heap of `count` entries by (d, id). */
BI_FN void bi_kdtree_heap_down(const struct bi_row_out *o, int64_t count, double d, uint32_t id, bool by_id)
{
    int64_t hole = 0;
    for (;;) {
        int64_t child = 2 * hole + 1;
        if (child >= count) break;
        double cd = bi_row_dist2(o, child);
        uint32_t cid = bi_row_id(o, child);
        if (child + 1 < count && !bi_kdtree_out_after(o, cd, cid, child + 1, by_id)) {
            child++;
            cd = bi_row_dist2(o, child);
            cid = bi_row_id(o, child);
        }
        if (bi_kdtree_out_after(o, d, id, child, by_id)) break;
        bi_row_set(o, hole, cd, cid);
        hole = child;
    }
    bi_row_set(o, hole, d, id);
}

/* Appends (d, id) to a max-heap of `count` entries. */
BI_FN void bi_kdtree_heap_up(const struct bi_row_out *o, int64_t count, double d, uint32_t id, bool by_id)
{
    int64_t hole = count;
    while (hole > 0) {
        int64_t parent = (hole - 1) / 2;
        if (!bi_kdtree_out_after(o, d, id, parent, by_id)) break;
        bi_row_set(o, hole, bi_row_dist2(o, parent), bi_row_id(o, parent));
        hole = parent;
    }
    bi_row_set(o, hole, d, id);
}

/* Sorts a max-heap in ascending order. */
BI_FN void bi_kdtree_heap_sort(const struct bi_row_out *o, int64_t count, bool by_id)
{
    for (int64_t last = count - 1; last > 0; last--) {
        double d = bi_row_dist2(o, last), top = bi_row_dist2(o, 0);
        uint32_t id = bi_row_id(o, last), top_id = bi_row_id(o, 0);
        bi_kdtree_heap_down(o, last, d, id, by_id);
        bi_row_set(o, last, top, top_id);
    }
}

/* The k nearest nodes of query i into row i of ids and dist2. dist2 may not be NULL. */
struct bi_kdtree_knn {
    bosc_kdtree_view view;
    struct bi_kdtree_rows queries;
    int64_t k;
    double limit; /* the largest distance that counts: infinity, or the squared radius */
    void *ids, *dist2;
    bool wide_ids;
};

BI_FN const void *bi_kdtree_row(const struct bi_kdtree_rows *r, bosc_dtype dtype, int64_t i)
{
    int64_t size = dtype == BOSC_F32 || dtype == BOSC_I32 ? 4 : 8;
    return (const char *)r->data + i * r->stride * size;
}

BI_FN void bi_step_knn(const struct bi_kdtree_knn *a, int64_t i)
{
    const void *q = bi_kdtree_row(&a->queries, a->view.dtype, i);
    struct bi_row_out out = {a->ids, a->dist2, i * a->k, a->wide_ids, a->view.dtype == BOSC_F32, false};
    bosc_kdtree_walk walk;
    double limit = a->limit;
    int64_t count = 0, node;
    /* Collect the k nearest in a max-heap in the output row; once it is full, its root is the limit. Then sort it. */
    bosc_kdtree_walk_begin(&walk, &a->view, q);
    while ((node = bosc_kdtree_walk_next(&walk, limit)) >= 0) {
        double d = bosc_kdtree_dist2(&a->view, node, q);
        if (d > limit) continue;
        uint32_t id = bosc_kdtree_id(&a->view, node);
        if (count < a->k)
            bi_kdtree_heap_up(&out, count++, d, id, false);
        else if (!bi_kdtree_out_after(&out, d, id, 0, false))
            bi_kdtree_heap_down(&out, count, d, id, false);
        if (count == a->k) limit = bi_row_dist2(&out, 0);
    }
    bi_kdtree_heap_sort(&out, count, false);
    for (; count < a->k; count++) bi_row_set(&out, count, (double)INFINITY, BI_KDTREE_NONE);
}

/* Nodes with dist2 <= r2: their number to counts[i], or their ids (ascending) and distances to the row of query i. */
struct bi_kdtree_radius {
    bosc_kdtree_view view;
    struct bi_kdtree_rows queries;
    double r2;
    int64_t *counts;
    const int64_t *offsets;
    void *ids, *dist2; /* dist2 may be NULL */
    bool wide_ids;
    int64_t *bad; /* lowered to the smallest query whose row has the wrong length */
};

BI_FN void bi_step_radius_count(const struct bi_kdtree_radius *a, int64_t i)
{
    const void *q = bi_kdtree_row(&a->queries, a->view.dtype, i);
    bosc_kdtree_walk walk;
    int64_t count = 0, node;
    bosc_kdtree_walk_begin(&walk, &a->view, q);
    while ((node = bosc_kdtree_walk_next(&walk, a->r2)) >= 0) count += bosc_kdtree_dist2(&a->view, node, q) <= a->r2;
    a->counts[i] = count;
}

BI_FN void bi_step_radius_fill(const struct bi_kdtree_radius *a, int64_t i)
{
    const void *q = bi_kdtree_row(&a->queries, a->view.dtype, i);
    struct bi_row_out out = {a->ids, a->dist2, a->offsets[i], a->wide_ids, a->view.dtype == BOSC_F32, false};
    bosc_kdtree_walk walk;
    int64_t count = 0, capacity = a->offsets[i + 1] - a->offsets[i], node;
    /* Collect the nodes in a max-heap by id in the output row, then sort it. A count of -1 is a row too short. */
    bosc_kdtree_walk_begin(&walk, &a->view, q);
    while ((node = bosc_kdtree_walk_next(&walk, a->r2)) >= 0) {
        double d = bosc_kdtree_dist2(&a->view, node, q);
        if (!(d <= a->r2)) continue;
        if (count == capacity) {
            count = -1;
            break;
        }
        bi_kdtree_heap_up(&out, count++, d, bosc_kdtree_id(&a->view, node), true);
    }
    if (count == capacity)
        bi_kdtree_heap_sort(&out, count, true);
    else
        bi_atomic_min_i64(a->bad, i);
}

/* --- Boxes -------------------------------------------------------------------------------------------------------- */

/* Nodes in the closed boxes: their number to counts[i], or their ids, ascending, to the row of box i. */
struct bi_kdtree_box_query {
    bosc_kdtree_view view;
    const void *corners; /* of box i: rows 2 i (low) and 2 i + 1 (high) of dim */
    int64_t *counts;
    const int64_t *offsets;
    void *ids;
    bool wide_ids;
    int64_t *bad; /* lowered to the smallest box whose row has the wrong length */
};

BI_FN void bi_kdtree_box_of(const struct bi_kdtree_box_query *a, int64_t i, bosc_kdtree_box_walk *walk)
{
    const struct bi_kdtree_rows corners = {a->corners, 2 * (i + 1), a->view.dim};
    bosc_kdtree_box_begin(walk, &a->view, bi_kdtree_row(&corners, a->view.dtype, 2 * i),
                          bi_kdtree_row(&corners, a->view.dtype, 2 * i + 1));
}

BI_FN void bi_step_box_count(const struct bi_kdtree_box_query *a, int64_t i)
{
    bosc_kdtree_box_walk walk;
    int64_t count = 0;
    bi_kdtree_box_of(a, i, &walk);
    while (bosc_kdtree_box_next(&walk) >= 0) count++;
    a->counts[i] = count;
}

BI_FN void bi_step_box_fill(const struct bi_kdtree_box_query *a, int64_t i)
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
