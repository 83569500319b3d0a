/* A walk over the nodes that may be near a query, for any metric, as an iterator over runs of nodes to measure.
 *
 * It maintains the box of its current subtree, and the query's least gap to it in each coordinate. A subtree is pruned
 * only if the measure of its gaps, by the operations of bi_kdtree_measure, exceeds the limit. Only the first 32
 * coordinates are ever split, since a tree has at most 32 levels; the others have no gap. */
#ifndef BI_KDTREE_STEPS_METRIC_WALK_H
#define BI_KDTREE_STEPS_METRIC_WALK_H

#include "kdtree/shape.h"
#include "kdtree/steps/metric.h"

enum { BI_KDTREE_WALK_LEAF = 8 /* largest subtree to measure without further tests; chosen */ };

/* The interval of the box in a coordinate, and the gap to it. */
struct bi_kdtree_side_of_box {
    double low, high, gap;
};

struct bi_kdtree_metric_walk {
    const bosc_kdtree_view *view;
    const struct bi_kdtree_metric *metric;
    const double *query;
    int32_t used; /* coordinates that may be split */
    int level;
    struct bi_kdtree_range range[BI_KDTREE_MOST_LEVELS + 1];
    uint8_t phase[BI_KDTREE_MOST_LEVELS + 1];                  /* 0: new; else 1 + the children entered or pruned */
    double bound[BI_KDTREE_MOST_LEVELS + 1];                   /* the measure of the gaps */
    struct bi_kdtree_side_of_box saved[BI_KDTREE_MOST_LEVELS]; /* of the level's coordinate */
    double low[BI_KDTREE_MOST_LEVELS], high[BI_KDTREE_MOST_LEVELS], gap[BI_KDTREE_MOST_LEVELS];
};

/* extents: the least and the greatest of each coordinate (2 x dim); NULL if unknown. */
BI_FN void bi_kdtree_metric_walk_begin(struct bi_kdtree_metric_walk *w, const bosc_kdtree_view *view,
                                       const struct bi_kdtree_metric *metric, const double *query,
                                       const double *extents)
{
    w->view = view;
    w->metric = metric;
    w->query = query;
    w->used = view->dim < BI_KDTREE_MOST_LEVELS ? view->dim : BI_KDTREE_MOST_LEVELS;
    w->level = 0;
    w->range[0].begin = 0;
    w->range[0].end = view->nodes;
    w->phase[0] = 0;
    for (int32_t c = 0; c < w->used; c++) {
        double period = metric->periods ? metric->periods[c] : 0;
        w->low[c] = extents ? extents[c] : period > 0 ? 0 : -BI_INFINITY;
        w->high[c] = extents ? extents[view->dim + c] : period > 0 ? period : BI_INFINITY;
        w->gap[c] = bi_kdtree_least_gap(metric, c, query[c], w->low[c], w->high[c]);
    }
    w->bound[0] = bi_kdtree_measure_gaps(metric, w->gap, w->used);
}

/* Enters a side of the current subtree, given its box in coordinate c, unless it is beyond the limit. */
BI_FN void bi_kdtree_metric_walk_down(struct bi_kdtree_metric_walk *w, int32_t c, struct bi_kdtree_range side,
                                      struct bi_kdtree_side_of_box box, double limit)
{
    int l = w->level;
    if (side.begin >= side.end) return;
    w->low[c] = box.low;
    w->high[c] = box.high;
    double bound = w->bound[l];
    if (w->metric->kind == BI_KDTREE_POWER && box.gap * w->metric->shrink > limit) return; /* saves the powers */
    if (box.gap != w->gap[c]) {
        w->gap[c] = box.gap;
        bound = bi_kdtree_measure_gaps(w->metric, w->gap, w->used);
    }
    if (bound * w->metric->shrink > limit) return;
    w->range[l + 1] = side;
    w->bound[l + 1] = bound;
    w->phase[l + 1] = 0;
    w->level = l + 1;
}

enum bi_kdtree_walk_event {
    BI_KDTREE_WALK_OVER,
    BI_KDTREE_WALK_MOVED,
    BI_KDTREE_WALK_ENTERED, /* the subtree range[level] */
    BI_KDTREE_WALK_NODES    /* to be measured: *run */
};

/* Makes one move of the walk; `limit`: the largest measure that still counts. */
BI_FN enum bi_kdtree_walk_event bi_kdtree_metric_walk_move(struct bi_kdtree_metric_walk *w, double limit,
                                                           struct bi_kdtree_range *run)
{
    const int l = w->level;
    if (l < 0) return BI_KDTREE_WALK_OVER;
    const struct bi_kdtree_range r = w->range[l];
    /* 1. A small subtree is one run. */
    if (r.end - r.begin <= BI_KDTREE_WALK_LEAF) {
        w->level--;
        *run = r;
        return r.begin < r.end ? BI_KDTREE_WALK_NODES : BI_KDTREE_WALK_MOVED;
    }
    const int32_t c = l % w->view->dim;
    const int64_t mid = bi_kdtree_mid(r);
    /* 2. A new subtree first returns its root. */
    if (w->phase[l] == 0) {
        w->phase[l] = 1;
        w->saved[l].low = w->low[c];
        w->saved[l].high = w->high[c];
        w->saved[l].gap = w->gap[c];
        run->begin = mid;
        run->end = mid + 1;
        return BI_KDTREE_WALK_NODES;
    }
    /* 3. Restore the box after a side. After both sides, go up. */
    w->low[c] = w->saved[l].low;
    w->high[c] = w->saved[l].high;
    w->gap[c] = w->saved[l].gap;
    if (w->phase[l] == 3) {
        w->level--;
        return BI_KDTREE_WALK_MOVED;
    }
    /* 4. Enter the nearer side first. */
    const double x = bosc_kdtree_coordinate(w->view, mid, c);
    struct bi_kdtree_side_of_box less = {w->low[c], x, 0}, greater = {x, w->high[c], 0};
    less.gap = bi_kdtree_least_gap(w->metric, c, w->query[c], less.low, less.high);
    greater.gap = bi_kdtree_least_gap(w->metric, c, w->query[c], greater.low, greater.high);
    const bool less_now = (less.gap <= greater.gap) == (w->phase[l] == 1);
    w->phase[l]++;
    bi_kdtree_metric_walk_down(w, c, less_now ? bi_kdtree_less(r) : bi_kdtree_greater(r), less_now ? less : greater,
                               limit);
    return w->level > l ? BI_KDTREE_WALK_ENTERED : BI_KDTREE_WALK_MOVED;
}

/* The next run of nodes to measure, empty after the last. */
BI_FN struct bi_kdtree_range bi_kdtree_metric_walk_next(struct bi_kdtree_metric_walk *w, double limit)
{
    struct bi_kdtree_range run = {0, 0};
    enum bi_kdtree_walk_event event;
    do event = bi_kdtree_metric_walk_move(w, limit, &run);
    while (event != BI_KDTREE_WALK_OVER && event != BI_KDTREE_WALK_NODES);
    if (event == BI_KDTREE_WALK_OVER) run.begin = run.end = 0;
    return run;
}

#endif
