/* Walks over the leaves of a cloud that may hold near points: first the leaf of the query, then, level by level
 * upwards, the subtrees beside its path. No stack is needed, as nodes are numbers. */
#ifndef BI_CLOUDS_STEPS_WALK_H
#define BI_CLOUDS_STEPS_WALK_H

#include "clouds/steps/cloud.h"

/* The node (level, index) was the last one tested; it is in a subtree beside the node (path_level, path), which is an
 * ancestor of the query's leaf. */
struct bi_clouds_walk {
    int64_t cloud, offset, n;
    int64_t path, index;
    int path_level, level;
    bool begun;
};

BI_FN struct bi_clouds_walk bi_clouds_walk_of(const struct bi_clouds_view *v, int64_t cloud)
{
    const int64_t offset = v->offsets[cloud];
    return (struct bi_clouds_walk){cloud, offset, v->offsets[cloud + 1] - offset, 0, 0, 0, 0, false};
}

/* Sets the path to the leaf of a query: down from the root, always into the nearest box. */
BI_FN void bi_clouds_locate(const struct bi_clouds_view *v, struct bi_clouds_walk *w, const void *q)
{
    int level = v->levels - 1;
    int64_t node = 0;
    for (; level > 0; level--) {
        const int64_t first = node << BI_CLOUDS_FANOUT_BITS, count = bi_clouds_node_count(w->n, level - 1);
        const int64_t slot = bi_clouds_node_slot(v, level - 1, w->offset, w->cloud);
        double nearest = BI_INFINITY;
        node = first;
        for (int64_t j = first; j < first + BI_CLOUDS_FANOUT && j < count; j++) {
            const double d = count > 1 ? bi_clouds_box_dist2(v, slot + j, q) : 0;
            if (d < nearest) node = j;
            if (d < nearest) nearest = d;
        }
    }
    w->path = node;
}

/* Sets [*begin, *end) to the positions of the leaf `index`. */
BI_FN void bi_clouds_leaf_range(const struct bi_clouds_walk *w, int64_t *begin, int64_t *end)
{
    const int64_t first = w->index << BI_CLOUDS_LEAF_BITS;
    *begin = w->offset + first;
    *end = w->offset + (first + BI_CLOUDS_LEAF < w->n ? first + BI_CLOUDS_LEAF : w->n);
}

/* Moves to the next node that is not below the last one. False after the last. */
BI_FN bool bi_clouds_walk_on(struct bi_clouds_walk *w)
{
    const int64_t last = BI_CLOUDS_FANOUT - 1;
    while (w->level < w->path_level &&
           ((w->index & last) == last || w->index + 1 == bi_clouds_node_count(w->n, w->level))) {
        w->level++;
        w->index >>= BI_CLOUDS_FANOUT_BITS;
    }
    w->index++;
    if (w->level < w->path_level) return true;
    for (;;) {
        const int64_t count = bi_clouds_node_count(w->n, w->path_level), end = (w->path | last) + 1;
        if (w->index == w->path) w->index++;
        if (w->index < (end < count ? end : count)) return true;
        if (count <= 1) return false;
        w->path >>= BI_CLOUDS_FANOUT_BITS;
        w->level = ++w->path_level;
        w->index = w->path & ~last;
    }
}

/* Advances to the next leaf whose box is within `bound` (squared), at exactly that distance only if it has an id up to
 * least_id; the first is that of the path. False after the last. */
BI_FN bool bi_clouds_walk_next(const struct bi_clouds_view *v, struct bi_clouds_walk *w, const void *q, double bound,
                               uint32_t least_id, int64_t *begin, int64_t *end)
{
    if (!w->begun) {
        w->begun = true;
        w->index = w->path;
        bi_clouds_leaf_range(w, begin, end);
        w->index = (w->path & ~(int64_t)(BI_CLOUDS_FANOUT - 1)) - 1; /* the next is the first beside it */
        return w->n > 0;
    }
    while (bi_clouds_walk_on(w))
        for (;;) {
            const int64_t slot = bi_clouds_node_slot(v, w->level, w->offset, w->cloud) + w->index;
            const double d = bi_clouds_box_dist2(v, slot, q);
            if (d > bound || (d == bound && v->least_ids[slot] > least_id)) break;
            if (w->level == 0) {
                bi_clouds_leaf_range(w, begin, end);
                return true;
            }
            w->level--;
            w->index <<= BI_CLOUDS_FANOUT_BITS;
        }
    return false;
}

#endif
