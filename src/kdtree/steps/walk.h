/* A walk over the nodes that may be near a query, as an iterator: bi_kdtree_walk_next gives the next node to measure.
 *
 * A side of a splitting plane is left out only if its bound is above the limit. The bound is the sum, in the order of
 * the coordinates, of squared differences between the query and the planes crossed, by the very operations of
 * bi_kdtree_dist2; rounding is monotonic, so no node beyond those planes measures less, and leaving out is exact. A NaN
 * bound leaves nothing out. Only the first 32 coordinates are ever split, since a tree has at most 32 levels. */
#ifndef BI_KDTREE_STEPS_WALK_H
#define BI_KDTREE_STEPS_WALK_H

#include "kdtree/order.h"
#include "kdtree/shape.h"

enum { BI_KDTREE_MOST_LEVELS = 32 };

struct bi_kdtree_walk {
    const struct bi_kdtree_view *view;
    const void *query;
    int level;
    struct bi_kdtree_range range[BI_KDTREE_MOST_LEVELS + 1];
    uint8_t phase[BI_KDTREE_MOST_LEVELS + 1]; /* 0: new, 1: the near side is done, 2: the far side too */
    double away[BI_KDTREE_MOST_LEVELS];       /* from the planes crossed, by coordinate */
    double saved[BI_KDTREE_MOST_LEVELS];      /* away of the level's coordinate before its plane was crossed */
};

BI_FN void bi_kdtree_walk_begin(struct bi_kdtree_walk *w, const struct bi_kdtree_view *view, const void *query)
{
    w->view = view;
    w->query = query;
    w->level = 0;
    w->range[0].begin = 0;
    w->range[0].end = view->nodes;
    w->phase[0] = 0;
    for (int c = 0; c < BI_KDTREE_MOST_LEVELS; c++) w->away[c] = 0;
}

BI_FN double bi_kdtree_walk_bound(const struct bi_kdtree_walk *w)
{
    int used = w->view->dim < BI_KDTREE_MOST_LEVELS ? w->view->dim : BI_KDTREE_MOST_LEVELS;
    if (w->view->dtype == BOSC_F32) {
        float s = 0;
        for (int c = 0; c < used; c++) {
            float d = (float)w->away[c];
            s = s + d * d;
        }
        return (double)s;
    }
    double s = 0;
    for (int c = 0; c < used; c++) s = s + w->away[c] * w->away[c];
    return s;
}

/* query - plane, as bi_kdtree_dist2 subtracts. */
BI_FN double bi_kdtree_walk_difference(const struct bi_kdtree_walk *w, int64_t node, int32_t c)
{
    double q = bi_kdtree_number(w->query, c, w->view->dtype);
    double p = bi_kdtree_number(w->view->points, bi_kdtree_at(w->view, node, c), w->view->dtype);
    if (w->view->dtype == BOSC_F32) return (double)((float)q - (float)p);
    return q - p;
}

/* The next node to measure, -1 after the last; `limit` is the largest distance that still counts. */
BI_FN int64_t bi_kdtree_walk_next(struct bi_kdtree_walk *w, double limit)
{
    while (w->level >= 0) {
        int l = w->level;
        struct bi_kdtree_range r = w->range[l];
        if (r.begin >= r.end) {
            w->level--;
            continue;
        }
        int64_t mid = bi_kdtree_mid(r);
        int32_t c = l % w->view->dim;
        if (w->phase[l] == 2) {
            w->away[c] = w->saved[l];
            w->level--;
            continue;
        }
        double difference = bi_kdtree_walk_difference(w, mid, c);
        bool less = difference < 0;
        if (w->phase[l] == 0) {
            w->phase[l] = 1;
            w->range[l + 1] = less ? bi_kdtree_less(r) : bi_kdtree_greater(r);
            w->phase[++w->level] = 0;
            continue;
        }
        w->phase[l] = 2;
        w->saved[l] = w->away[c];
        w->away[c] = difference;
        if (bi_kdtree_walk_bound(w) > limit) continue;
        w->range[l + 1] = less ? bi_kdtree_greater(r) : bi_kdtree_less(r);
        w->phase[++w->level] = 0;
        return mid;
    }
    return -1;
}

#endif
