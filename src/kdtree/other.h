/* Steps that find, for each row, the nearest point with another label. */
#ifndef BI_KDTREE_OTHER_H
#define BI_KDTREE_OTHER_H

#include "kdtree/search.h"

#define BI_KD_MIXED UINT32_MAX /* no label */

/* The label of each node, from labels by row. */
struct bi_kd_node_labels {
    struct bi_kd_view view;
    const void *labels;
    bool wide;
    uint32_t *node_labels;
};

BI_FN void bi_step_node_labels(const struct bi_kd_node_labels *a, int64_t i)
{
    uint32_t id = bi_kd_id(&a->view, i);
    a->node_labels[i] = a->wide ? (uint32_t)((const int64_t *)a->labels)[id] : ((const uint32_t *)a->labels)[id];
}

/* The one label of all nodes of a subtree, or BI_KD_MIXED, at the place of its node. Levels are taken from the last to
 * the first; item i is subtree i of `level`. */
struct bi_kd_same_labels {
    int64_t nodes;
    int32_t level;
    const uint32_t *node_labels;
    uint32_t *same;
};

BI_FN void bi_step_same_labels(const struct bi_kd_same_labels *a, int64_t i)
{
    struct bi_kd_range r = bi_kd_subtree(a->nodes, a->level, (uint64_t)i);
    if (r.begin >= r.end) return;
    int64_t mid = bi_kd_mid(r);
    uint32_t label = a->node_labels[mid];
    struct bi_kd_range sides[2] = {bi_kd_less(r), bi_kd_greater(r)};
    for (int k = 0; k < 2; k++)
        if (sides[k].begin < sides[k].end && a->same[bi_kd_mid(sides[k])] != label) label = BI_KD_MIXED;
    a->same[mid] = label;
}

/* Of row i: the nearest node with another label, by (distance, id), not beyond the row's bound. */
struct bi_kd_other {
    struct bi_kd_view view;
    struct bi_kd_rows rows; /* by id */
    const void *labels;
    const uint32_t *node_labels, *same;
    const void *bounds; /* of the distance type; NULL: none */
    void *ids, *dist2;  /* dist2 may be NULL */
    bool wide;          /* labels and ids */
};

BI_FN void bi_step_nearest_other(const struct bi_kd_other *a, int64_t i)
{
    bool single = a->view.dtype == BOSC_F32;
    const void *q = bi_kd_row(&a->rows, a->view.dtype, i);
    struct bi_kd_row_out out = {a->ids, a->dist2, i, a->wide, single};
    struct bi_kd_walk walk;
    double limit = !a->bounds ? (double)INFINITY
                   : single   ? (double)((const float *)a->bounds)[i]
                              : ((const double *)a->bounds)[i];
    uint32_t best = BI_KD_NONE;
    int64_t node;
    if (limit >= 0) {
        bi_kd_walk_begin(&walk, &a->view, q);
        walk.left_out = a->same;
        walk.label = a->wide ? (uint32_t)((const int64_t *)a->labels)[i] : ((const uint32_t *)a->labels)[i];
        while ((node = bi_kd_walk_next(&walk, limit)) >= 0) {
            if (a->node_labels[node] == walk.label) continue;
            double d = bi_kd_dist2(&a->view, node, q);
            uint32_t id = bi_kd_id(&a->view, node);
            if (d > limit || (d == limit && id >= best)) continue;
            limit = d;
            best = id;
        }
    }
    bi_kd_out_set(&out, 0, best == BI_KD_NONE ? (double)INFINITY : limit, best);
}

#endif
