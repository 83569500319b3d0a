/* Minkowski distances, periodic or not, of a query from nodes and from boxes.
 *
 * Distances are compared by a measure: the sum of |x - y| for p = 1, the sum of squares for p = 2, the largest term for
 * p infinite, and the distance itself for any other p. Rounding is monotonic, and so are the first three in every term:
 * the nearest point of a box measures no more than any point in it, the farthest no less. Powers are monotonic within
 * BI_KDTREE_POWER_ERROR only, so their bounds are relaxed by that; but no distance is below its largest term. */
#ifndef BI_KDTREE_STEPS_METRIC_H
#define BI_KDTREE_STEPS_METRIC_H

#include "base/elementary.h"
#include "kdtree/order.h"

enum bi_kdtree_metric_kind { BI_KDTREE_SUM, BI_KDTREE_SQUARES, BI_KDTREE_LARGEST, BI_KDTREE_POWER };

/* Relative error, above that of a sum of 1024 powers, each exact to a few ulp. */
#define BI_KDTREE_POWER_ERROR 0x1p-40

struct bi_kdtree_metric {
    enum bi_kdtree_metric_kind kind;
    double p, inverse;     /* of POWER: 1 / p */
    double shrink, grow;   /* lower and upper bounds are multiplied by these */
    const double *periods; /* dim, in reach; NULL: none */
};

/* Returns |q - x|, or the shorter distance across the period, both coordinates being in [0, period]. */
BI_FN double bi_kdtree_gap(const struct bi_kdtree_metric *m, int32_t c, double q, double x)
{
    double d = q < x ? x - q : q - x;
    if (!m->periods || !(m->periods[c] > 0)) return d;
    double around = m->periods[c] - d;
    return around < d ? around : d;
}

/* Returns the least gap between q and a coordinate of [low, high], by the operations of bi_kdtree_gap. */
BI_FN double bi_kdtree_least_gap(const struct bi_kdtree_metric *m, int32_t c, double q, double low, double high)
{
    if (!(q < low) && !(q > high)) return 0;
    double d = q < low ? low - q : q - high;
    if (!m->periods || !(m->periods[c] > 0)) return d;
    double around = m->periods[c] - (q < low ? high - q : q - low);
    return around < d ? around : d;
}

/* Returns an upper bound of these gaps. */
BI_FN double bi_kdtree_most_gap(const struct bi_kdtree_metric *m, int32_t c, double q, double low, double high)
{
    double below = q < low ? low - q : q - low, above = q < high ? high - q : q - high;
    double d = below > above ? below : above;
    if (m->periods && m->periods[c] > 0 && d > 0.5 * m->periods[c]) return 0.5 * m->periods[c];
    return below == below && above == above ? d : BI_INFINITY;
}

BI_FN double bi_kdtree_add_gap(enum bi_kdtree_metric_kind kind, double sum, double gap)
{
    if (kind == BI_KDTREE_SUM) return sum + gap;
    if (kind == BI_KDTREE_SQUARES) return sum + gap * gap;
    return gap > sum ? gap : sum;
}

/* add_power adds the power of a gap over the largest one, so that no power overflows; of_powers returns the distance.
 * */
BI_FN double bi_kdtree_add_power(const struct bi_kdtree_metric *m, double sum, double gap, double largest)
{
    return sum + bi_exp_f64(m->p * bi_log_f64(gap / largest));
}

BI_FN double bi_kdtree_of_powers(const struct bi_kdtree_metric *m, double sum, double largest)
{
    return largest * bi_exp_f64(m->inverse * bi_log_f64(sum));
}

/* Returns the measure of node i from the query at q; infinity for NaN. */
BI_FN double bi_kdtree_measure(const struct bi_kdtree_metric *m, const bosc_kdtree_view *v, int64_t i, const double *q)
{
    double sum = 0, powers = 0;
    for (int32_t c = 0; c < v->dim; c++) {
        double gap = bi_kdtree_gap(m, c, q[c], bosc_kdtree_coordinate(v, i, c));
        if (gap != gap) return BI_INFINITY;
        sum = bi_kdtree_add_gap(m->kind, sum, gap);
    }
    if (m->kind != BI_KDTREE_POWER || sum == 0 || sum == BI_INFINITY) return sum;
    for (int32_t c = 0; c < v->dim; c++) {
        double gap = bi_kdtree_gap(m, c, q[c], bosc_kdtree_coordinate(v, i, c));
        powers = bi_kdtree_add_power(m, powers, gap, sum);
    }
    return bi_kdtree_of_powers(m, powers, sum);
}

/* Returns the measure of some gaps. */
BI_FN double bi_kdtree_measure_gaps(const struct bi_kdtree_metric *m, const double *gaps, int32_t count)
{
    double sum = 0, powers = 0;
    for (int32_t c = 0; c < count; c++) sum = bi_kdtree_add_gap(m->kind, sum, gaps[c]);
    if (m->kind != BI_KDTREE_POWER || sum == 0 || sum == BI_INFINITY) return sum;
    for (int32_t c = 0; c < count; c++) powers = bi_kdtree_add_power(m, powers, gaps[c], sum);
    return bi_kdtree_of_powers(m, powers, sum);
}

/* Returns the measure of a bound of distances; -1 if no distance is within it. */
BI_FN double bi_kdtree_measure_of(const struct bi_kdtree_metric *m, double distance)
{
    if (!(distance >= 0)) return -1;
    return m->kind == BI_KDTREE_SQUARES ? distance * distance : distance;
}

BI_FN double bi_kdtree_distance_of(const struct bi_kdtree_metric *m, double measure)
{
    return m->kind == BI_KDTREE_SQUARES ? bi_sqrt(measure) : measure;
}

/* Returns a coordinate modulo its period, in [0, period]. */
BI_FN double bi_kdtree_wrap(double x, double period)
{
    if (x >= 0 && x <= period) return x;
    double y = x - period * bi_floor(x / period);
    return y < 0 ? 0 : y > period ? period : y;
}

#endif
