/* Minkowski distances, periodic or not, of a query from nodes and from boxes; and walks over the nodes near a query.
 *
 * Distances are compared by a measure: the sum of |x - y| for p = 1, the sum of squares for p = 2, the largest term for
 * p infinite, and the distance itself for any other p. Rounding is monotonic, and so are the first three in every term:
 * the nearest point of a box measures no more than any point in it, the farthest no less. Powers are monotonic within
 * BI_KDTREE_POWER_ERROR only, so their bounds are relaxed by that; but no distance is below its largest term.
 *
 * For p = 2 there are four kinds, with the same bits wherever all squares are in range. Squares of F32 are summed in
 * float, as by bosc_kdtree_dist2. Where floats over- or underflow they are doubles, rounded to the 24 bits of floats
 * after every operation: a sum or product of floats rounded to double first is the same. Where doubles over- or
 * underflow, squares are of terms scaled by a power of two of the largest, and the measure is the distance. */
#ifndef BI_KDTREE_STEPS_METRIC_H
#define BI_KDTREE_STEPS_METRIC_H

#include "base/radius.h"
#include "kdtree/order.h"
#include "kdtree/shape.h"

enum bi_kdtree_metric_kind {
    BI_KDTREE_SUM,
    BI_KDTREE_SQUARES, /* of doubles */
    BI_KDTREE_LARGEST,
    BI_KDTREE_POWER,
    BI_KDTREE_ROOTS,       /* of squares of doubles, relative to the largest term */
    BI_KDTREE_SQUARES_F32, /* of floats */
    BI_KDTREE_SQUARES_F24  /* of floats, with the exponents of double */
};

/* Relative error, above that of a sum of 1024 powers, each exact to a few ulp. */
#define BI_KDTREE_POWER_ERROR 0x1p-40

/* Products make the powers of integers up to this one: 15 products, with an error of as many units in the last place.
 * About where they take as long as exp and log; not measured. */
enum { BI_KDTREE_MOST_EXPONENT = 16 };

struct bi_kdtree_metric {
    enum bi_kdtree_metric_kind kind;
    double p, inverse;     /* of POWER: 1 / p */
    int32_t exponent;      /* of POWER: p if products make the powers; else 0 */
    double shrink, grow;   /* lower and upper bounds are multiplied by these */
    const double *periods; /* dim, in reach; NULL: none */
};

/* Returns |q - x|, or the shorter distance across the period, both coordinates being in [0, period]. Gaps are computed
 * without branches, as the order of q and x is random. */
BI_FN double bi_kdtree_gap(const struct bi_kdtree_metric *m, int32_t c, double q, double x)
{
    const double d = fabs(q - x);
    if (!m->periods || !(m->periods[c] > 0)) return d;
    double around = m->periods[c] - d;
    return around < d ? around : d;
}

/* Returns the least gap between q and a coordinate of [low, high], by the operations of bi_kdtree_gap. */
BI_FN double bi_kdtree_least_gap(const struct bi_kdtree_metric *m, int32_t c, double q, double low, double high)
{
    const double below = low - q, above = q - high, gap = below > above ? below : above, d = gap > 0 ? gap : 0;
    if (!m->periods || !(m->periods[c] > 0) || !(d > 0)) return d;
    double around = m->periods[c] - (q < low ? high - q : q - low);
    return around < d ? around : d;
}

/* Returns an upper bound of these gaps. */
BI_FN double bi_kdtree_most_gap(const struct bi_kdtree_metric *m, int32_t c, double q, double low, double high)
{
    const double below = fabs(q - low), above = fabs(q - high), d = below > above ? below : above;
    if (m->periods && m->periods[c] > 0 && d > 0.5 * m->periods[c]) return 0.5 * m->periods[c];
    return below == below && above == above ? d : BI_INFINITY;
}

BI_FN double bi_kdtree_add_gap(enum bi_kdtree_metric_kind kind, double sum, double gap)
{
    if (kind == BI_KDTREE_SUM) return sum + gap;
    if (kind == BI_KDTREE_SQUARES) return sum + gap * gap;
    if (kind <= BI_KDTREE_ROOTS) return gap > sum ? gap : sum; /* LARGEST, POWER, ROOTS: the largest gap */
    if (kind == BI_KDTREE_SQUARES_F32) return (double)((float)sum + (float)gap * (float)gap);
    const double g = bi_round_to_f24(gap);
    return bi_round_to_f24(sum + bi_round_to_f24(g * g));
}

/* True if distances are sums of powers of gaps relative to the largest gap. */
BI_FN bool bi_kdtree_is_relative(enum bi_kdtree_metric_kind kind)
{
    return kind == BI_KDTREE_POWER || kind == BI_KDTREE_ROOTS;
}

/* Returns the exponent field of the power of two that brings a gap to [1, 2); the greatest gaps to [2, 4), subnormal
 * ones below 1. 2046 less the field is that of the inverse. */
BI_FN uint64_t bi_kdtree_scale_exponent(double gap)
{
    const uint64_t field = 2046 - (bi_f64_bits(gap) >> 52);
    return field < 1 ? 1 : field > 2045 ? 2045 : field;
}

BI_FN struct bi_kdtree_metric bi_kdtree_power_metric(double p)
{
    struct bi_kdtree_metric m = {BI_KDTREE_POWER, p, 1 / p, 0, 1, 1, NULL};
    m.shrink -= BI_KDTREE_POWER_ERROR;
    m.grow += BI_KDTREE_POWER_ERROR;
    if (p <= BI_KDTREE_MOST_EXPONENT && p == (double)(int32_t)p) m.exponent = (int32_t)p;
    return m;
}

/* Returns the metric of an order p other than 2, without periods. */
BI_FN struct bi_kdtree_metric bi_kdtree_metric_of_order(double p)
{
    struct bi_kdtree_metric m = bi_kdtree_power_metric(p);
    if (p == 1 || p == BI_INFINITY) {
        m.kind = p == 1 ? BI_KDTREE_SUM : BI_KDTREE_LARGEST;
        m.shrink = m.grow = 1;
    }
    return m;
}

/* Returns x to the power of n > 0, by products in one order. */
BI_FN double bi_kdtree_power_of(double x, int32_t n)
{
    double power = x;
    for (int32_t i = 1; i < n; i++) power *= x;
    return power;
}

/* add_power adds the power of a gap relative to the largest one, so that no power overflows; of_powers returns the
 * distance. */
BI_FN double bi_kdtree_add_power(const struct bi_kdtree_metric *m, double sum, double gap, double largest)
{
    if (m->kind == BI_KDTREE_POWER && m->exponent) return sum + bi_kdtree_power_of(gap / largest, m->exponent);
    if (m->kind == BI_KDTREE_POWER) return sum + bi_exp_f64(m->p * bi_log_f64(gap / largest));
    const double scaled = gap * bi_f64_from_bits(bi_kdtree_scale_exponent(largest) << 52);
    return sum + scaled * scaled;
}

BI_FN double bi_kdtree_of_powers(const struct bi_kdtree_metric *m, double sum, double largest)
{
    if (m->kind == BI_KDTREE_POWER) return largest * bi_exp_f64(m->inverse * bi_log_f64(sum));
    return bi_sqrt(sum) * bi_f64_from_bits((2046 - bi_kdtree_scale_exponent(largest)) << 52);
}

/* Returns the measure of node i of an F32 tree, by the operations of bosc_kdtree_dist2; the query's are floats. */
BI_FN double bi_kdtree_measure_f32(const bosc_kdtree_view *v, int64_t i, const double *q)
{
    const float *x = (const float *)v->points + bosc_kdtree_element(v, i, 0);
    float sum = 0;
    for (int32_t c = 0; c < v->dim; c++, x += (int64_t)1 << v->log2_block) {
        const float gap = (float)q[c] - *x;
        sum = sum + gap * gap;
    }
    return sum == sum ? (double)sum : BI_INFINITY;
}

/* Returns the measure of node i from the query at q; infinity for NaN. */
BI_FN double bi_kdtree_measure(const struct bi_kdtree_metric *m, const bosc_kdtree_view *v, int64_t i, const double *q)
{
    double sum = 0, powers = 0;
    if (m->kind == BI_KDTREE_SQUARES_F32) return bi_kdtree_measure_f32(v, i, q);
    for (int32_t c = 0; c < v->dim; c++) {
        double gap = bi_kdtree_gap(m, c, q[c], bosc_kdtree_coordinate(v, i, c));
        if (gap != gap) return BI_INFINITY;
        sum = bi_kdtree_add_gap(m->kind, sum, gap);
    }
    if (!bi_kdtree_is_relative(m->kind) || sum == 0 || sum == BI_INFINITY) return sum;
    for (int32_t c = 0; c < v->dim; c++) {
        double gap = bi_kdtree_gap(m, c, q[c], bosc_kdtree_coordinate(v, i, c));
        powers = bi_kdtree_add_power(m, powers, gap, sum);
    }
    return bi_kdtree_of_powers(m, powers, sum);
}

/* Returns the measure of the distance between two rows, by the operations of bi_kdtree_measure, without periods. */
BI_FN double bi_kdtree_measure_rows(const struct bi_kdtree_metric *m, int32_t dim, const double *x, const double *y)
{
    double sum = 0, powers = 0;
    for (int32_t c = 0; c < dim; c++) {
        const double gap = fabs(x[c] - y[c]);
        if (gap != gap) return BI_INFINITY;
        sum = bi_kdtree_add_gap(m->kind, sum, gap);
    }
    if (!bi_kdtree_is_relative(m->kind) || sum == 0 || sum == BI_INFINITY) return sum;
    for (int32_t c = 0; c < dim; c++) powers = bi_kdtree_add_power(m, powers, fabs(x[c] - y[c]), sum);
    return bi_kdtree_of_powers(m, powers, sum);
}

/* Returns the measure of some gaps. */
BI_FN double bi_kdtree_measure_gaps(const struct bi_kdtree_metric *m, const double *gaps, int32_t count)
{
    double sum = 0, powers = 0;
    for (int32_t c = 0; c < count; c++) sum = bi_kdtree_add_gap(m->kind, sum, gaps[c]);
    if (!bi_kdtree_is_relative(m->kind) || sum == 0 || sum == BI_INFINITY) return sum;
    for (int32_t c = 0; c < count; c++) powers = bi_kdtree_add_power(m, powers, gaps[c], sum);
    return bi_kdtree_of_powers(m, powers, sum);
}

/* Returns the largest measure of distances within a bound; -1 if no distance is. */
BI_FN double bi_kdtree_measure_of(const struct bi_kdtree_metric *m, double bound)
{
    if (!(bound >= 0)) return -1;
    switch (m->kind) {
    case BI_KDTREE_SQUARES: return bi_largest_square(bound, false);
    case BI_KDTREE_SQUARES_F32: return bi_square_limit(bound, true);
    case BI_KDTREE_SQUARES_F24: return bi_largest_square(bound, true);
    default: return bound;
    }
}

BI_FN double bi_kdtree_distance_of_measure(const struct bi_kdtree_metric *m, double measure)
{
    switch (m->kind) {
    case BI_KDTREE_SQUARES:
    case BI_KDTREE_SQUARES_F32:
    case BI_KDTREE_SQUARES_F24: return bi_sqrt(measure);
    default: return measure;
    }
}

/* Returns a coordinate modulo its period, in [0, period]. */
BI_FN double bi_kdtree_wrap(double x, double period)
{
    if (x >= 0 && x <= period) return x;
    double y = x - period * bi_floor(x / period);
    return y < 0 ? 0 : y > period ? period : y;
}

/* --- Walks -------------------------------------------------------------------------------------------------------- */

/* A walk over the nodes that may be near a query, for any metric, as an iterator over runs of nodes to measure.
 *
 * It maintains the box of its current subtree, and the query's least gap to it in each coordinate. A subtree is pruned
 * only if the measure of its gaps, by the operations of bi_kdtree_measure, exceeds the limit. Only the first 32
 * coordinates are ever split, since a tree has at most 32 levels; the others have no gap. */

/* Largest subtree to measure without further tests. More: fewer tests of gaps, more distances. Other sizes are not
 * measured. */
enum { BI_KDTREE_WALK_LEAF = 8 };

/* The coordinate that splits each level, where some are flat: all nodes share them. A split by a flat coordinate is one
 * by the next coordinate that is not, as superkeys compare that one then. */
struct bi_kdtree_split_axes {
    uint32_t flat; /* bit c: coordinate c is value[c] in all nodes; 0: levels are split by all coordinates in turn */
    uint8_t of_level[BI_KDTREE_MOST_LEVELS];
    double value[BI_KDTREE_MOST_LEVELS];
};

/* The interval of the box in a coordinate, and the gap to it. */
struct bi_kdtree_side_of_box {
    double low, high, gap;
};

struct bi_kdtree_metric_walk {
    const bosc_kdtree_view *view;
    const struct bi_kdtree_metric *metric;
    const double *query;
    int32_t used;        /* coordinates that may be split */
    const uint8_t *axes; /* by level; NULL: in turn */
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
    w->axes = NULL;
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

/* Makes a walk that has begun skip splits by flat coordinates. */
BI_FN void bi_kdtree_metric_walk_skip_flat(struct bi_kdtree_metric_walk *w, const struct bi_kdtree_split_axes *axes)
{
    if (!axes->flat) return;
    w->axes = axes->of_level;
    for (int32_t c = 0; c < w->used; c++) {
        if (!(axes->flat >> c & 1)) continue;
        w->low[c] = w->high[c] = axes->value[c];
        w->gap[c] = bi_kdtree_least_gap(w->metric, c, w->query[c], axes->value[c], axes->value[c]);
    }
    w->bound[0] = bi_kdtree_measure_gaps(w->metric, w->gap, w->used);
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

/* Makes one move of the walk; `limit`: the largest measure that still counts, negative if none does. The caller may
 * leave a subtree that it has just entered by w->level--. */
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
    const int32_t c = w->axes ? w->axes[l] : (l + w->view->first) % w->view->dim;
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
