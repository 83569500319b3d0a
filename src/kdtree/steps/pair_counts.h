/* Steps that count pairs of nodes of two trees by distance. */
#ifndef BI_KDTREE_STEPS_PAIR_COUNTS_H
#define BI_KDTREE_STEPS_PAIR_COUNTS_H

#include "base/search.h"
#include "kdtree/steps/metric.h"

/* Bins that a search fills at once: 256 bytes of counts and sums a query. More: fewer searches, more registers and
 * stack. Not measured. */
enum { BI_KDTREE_BINS = 16 };

/* sums[mid] = the weight of the subtree whose root is mid, for one level; the levels from the bottom up. */
struct bi_kdtree_sum_weights {
    bosc_kdtree_view view;
    const double *weights; /* by id; NULL: all 1 */
    double *sums;
    int level;
};

BI_FN double bi_kdtree_weight(const double *weights, const bosc_kdtree_view *v, int64_t node)
{
    return weights ? weights[bosc_kdtree_id(v, node)] : 1;
}

BI_FN double bi_kdtree_sum_of(const double *sums, struct bi_kdtree_range r)
{
    return r.begin < r.end ? sums[bi_kdtree_mid(r)] : 0;
}

BI_FN void bi_step_sum_weights(const struct bi_kdtree_sum_weights *a, int64_t i)
{
    const struct bi_kdtree_range r = bi_kdtree_subtree(a->view.nodes, a->level, (uint64_t)i);
    if (r.begin >= r.end) return;
    const int64_t mid = bi_kdtree_mid(r);
    a->sums[mid] = (bi_kdtree_sum_of(a->sums, bi_kdtree_less(r)) + bi_kdtree_sum_of(a->sums, bi_kdtree_greater(r))) +
                   bi_kdtree_weight(a->weights, &a->view, mid);
}

/* to[i] = the largest measure within bounds[i]. */
struct bi_kdtree_measures {
    struct bi_kdtree_metric metric;
    const double *bounds;
    double *to;
};

BI_FN void bi_step_measures(const struct bi_kdtree_measures *a, int64_t i)
{
    a->to[i] = bi_kdtree_measure_of(&a->metric, a->bounds[i]);
}

/* Bins first to first + bins - 1 of query i, which is node i of the other tree: bin b of it goes to counts or
 * totals[b * queries + i]. */
struct bi_kdtree_count_bins {
    bosc_kdtree_view view;
    struct bi_kdtree_metric metric;
    const double *extents; /* of the searched tree */
    struct bi_kdtree_split_axes axes;
    const double *queries;
    const uint32_t *numbers; /* the ids of the queries */
    int64_t n;               /* queries */
    const double *limits;    /* the measures of the radii, ascending */
    int64_t first;
    int32_t bins;
    const double *weights, *sums, *query_weights; /* of nodes by id, of subtrees by root; of queries by id, or NULL */
    int64_t *counts;                              /* NULL where weights are summed */
    double *totals;
};

/* Returns the least bin whose radius is not below the distance: first - 1 if it is an earlier one, first + bins if
 * there is none. */
BI_FN int64_t bi_kdtree_bin_of(const struct bi_kdtree_count_bins *a, double measure)
{
    int64_t low = a->first, high = a->first + a->bins;
    if (a->first > 0 && measure <= a->limits[a->first - 1]) return a->first - 1;
    BI_PARTITION_POINT(low, high, mid, !(measure <= a->limits[mid]));
    return low;
}

/* Returns an upper bound of the measures of nodes in the box of the walk. */
BI_FN double bi_kdtree_count_farthest(const struct bi_kdtree_count_bins *a, const struct bi_kdtree_metric_walk *w)
{
    double sum = 0, powers = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t c = 0; c < a->view.dim; c++) {
            const double low = c < w->used ? w->low[c] : a->extents[c],
                         high = c < w->used ? w->high[c] : a->extents[a->view.dim + c];
            const double gap = bi_kdtree_most_gap(&a->metric, c, w->query[c], low, high);
            if (pass == 0)
                sum = bi_kdtree_add_gap(a->metric.kind, sum, gap);
            else
                powers = bi_kdtree_add_power(&a->metric, powers, gap, sum);
        }
        if (!bi_kdtree_is_relative(a->metric.kind) || sum == 0 || sum == BI_INFINITY) return sum;
    }
    return bi_kdtree_of_powers(&a->metric, powers, sum) * a->metric.grow;
}

/* The bins of a query. */
struct bi_kdtree_bins {
    int64_t counts[BI_KDTREE_BINS];
    double totals[BI_KDTREE_BINS];
};

/* If the entered subtree is entirely in one bin, counts it as a whole and leaves it. */
BI_FN void bi_kdtree_count_subtree(const struct bi_kdtree_count_bins *a, struct bi_kdtree_bins *bins,
                                   struct bi_kdtree_metric_walk *w)
{
    const struct bi_kdtree_range r = w->range[w->level];
    if (r.end - r.begin <= BI_KDTREE_WALK_LEAF) return;
    const int64_t bin = bi_kdtree_bin_of(a, bi_kdtree_count_farthest(a, w));
    if (bin >= a->first && bi_kdtree_bin_of(a, w->bound[w->level] * a->metric.shrink) != bin) return;
    w->level--;
    if (bin < a->first || bin >= a->first + a->bins) return;
    if (a->counts)
        bins->counts[bin - a->first] += r.end - r.begin;
    else
        bins->totals[bin - a->first] += a->sums[bi_kdtree_mid(r)];
}

BI_FN void bi_kdtree_count_node(const struct bi_kdtree_count_bins *a, struct bi_kdtree_bins *bins, const double *q,
                                int64_t node)
{
    const int64_t bin = bi_kdtree_bin_of(a, bi_kdtree_measure(&a->metric, &a->view, node, q));
    if (bin < a->first || bin >= a->first + a->bins) return;
    if (a->counts)
        bins->counts[bin - a->first]++;
    else
        bins->totals[bin - a->first] += bi_kdtree_weight(a->weights, &a->view, node);
}

BI_FN void bi_step_count_bins(const struct bi_kdtree_count_bins *a, int64_t i)
{
    const double *q = a->queries + i * a->view.dim;
    const double limit = a->limits[a->first + a->bins - 1];
    struct bi_kdtree_metric_walk w;
    struct bi_kdtree_bins bins;
    struct bi_kdtree_range run = {0, 0};
    for (int b = 0; b < BI_KDTREE_BINS; b++) bins.totals[b] = (double)(bins.counts[b] = 0);
    bi_kdtree_metric_walk_begin(&w, &a->view, &a->metric, q, a->extents);
    bi_kdtree_metric_walk_skip_flat(&w, &a->axes);
    enum bi_kdtree_walk_event event = BI_KDTREE_WALK_ENTERED;
    for (; event != BI_KDTREE_WALK_OVER; event = bi_kdtree_metric_walk_move(&w, limit, &run)) {
        if (event == BI_KDTREE_WALK_ENTERED) bi_kdtree_count_subtree(a, &bins, &w);
        if (event != BI_KDTREE_WALK_NODES) continue;
        for (int64_t node = run.begin; node < run.end; node++) bi_kdtree_count_node(a, &bins, q, node);
    }
    const double weight = a->query_weights ? a->query_weights[a->numbers[i]] : 1;
    for (int32_t b = 0; b < a->bins; b++)
        if (a->counts)
            a->counts[b * a->n + i] = bins.counts[b];
        else
            a->totals[b * a->n + i] = weight * bins.totals[b];
}

#endif
