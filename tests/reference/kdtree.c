#include "reference/kdtree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct reference_points *points; /* operands of qsort */
static int32_t coordinate;

static int compare_elements(int64_t a, int64_t b, int32_t c)
{
    int64_t i = a * points->stride + c, j = b * points->stride + c;
    switch (points->dtype) {
    case BOSC_F32: {
        const float *x = points->data;
        return x[i] < x[j] ? -1 : x[i] > x[j];
    }
    case BOSC_F64: {
        const double *x = points->data;
        return x[i] < x[j] ? -1 : x[i] > x[j];
    }
    case BOSC_I32: {
        const int32_t *x = points->data;
        return x[i] < x[j] ? -1 : x[i] > x[j];
    }
    default: {
        const int64_t *x = points->data;
        return x[i] < x[j] ? -1 : x[i] > x[j];
    }
    }
}

static int compare_superkeys(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    for (int32_t t = 0; t < points->dim; t++) {
        int order = compare_elements(a, b, (coordinate + t) % points->dim);
        if (order) return order;
    }
    return a < b ? -1 : a > b;
}

/* Sorts a subtree by its coordinate, and recurses into both halves. */
static void build_subtree(int64_t *order, int64_t n, int level)
{
    if (n < 2) return;
    coordinate = level % points->dim;
    qsort(order, (size_t)n, sizeof *order, compare_superkeys);
    build_subtree(order, n / 2, level + 1);
    build_subtree(order + n / 2 + 1, n - n / 2 - 1, level + 1);
}

void reference_kdtree(const struct reference_points *p, int64_t *order)
{
    points = p;
    for (int64_t i = 0; i < p->n; i++) order[i] = i;
    build_subtree(order, p->n, 0);
}

int reference_equal(const struct reference_points *p, int64_t a, int64_t b)
{
    points = p;
    for (int32_t c = 0; c < p->dim; c++)
        if (compare_elements(a, b, c)) return 0;
    return 1;
}

static int ascending(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return a < b ? -1 : a > b;
}

int64_t reference_unique(const struct reference_points *p, int64_t *rows)
{
    int64_t count = 0;
    points = p;
    coordinate = 0;
    for (int64_t i = 0; i < p->n; i++) rows[i] = i;
    if (p->n) qsort(rows, (size_t)p->n, sizeof *rows, compare_superkeys);
    for (int64_t i = 0; i < p->n; i++)
        if (i == 0 || !reference_equal(p, rows[count - 1], rows[i])) rows[count++] = rows[i];
    if (count) qsort(rows, (size_t)count, sizeof *rows, ascending);
    return count;
}

static double number_at(const struct reference_points *p, const void *data, int64_t at)
{
    switch (p->dtype) {
    case BOSC_F32: return (double)((const float *)data)[at];
    case BOSC_F64: return ((const double *)data)[at];
    case BOSC_I32: return ((const int32_t *)data)[at];
    default: return (double)((const int64_t *)data)[at];
    }
}

/* Returns the root of a squared distance, in the type of squared distances. */
static double root_of(double square, bool single) { return single ? (double)sqrtf((float)square) : sqrt(square); }

double reference_square_limit(double radius, bool single)
{
    const double r = single ? (double)(float)radius : radius;
    if (!(r >= 0)) return -1;
    if (isinf(r)) return r;
    double square = single ? (double)((float)r * (float)r) : r * r;
    if (isinf(square)) square = single ? (double)FLT_MAX : DBL_MAX;
    while (root_of(square, single) > r) square = single ? (double)nextafterf((float)square, -1) : nextafter(square, -1);
    for (;;) {
        const double above = single ? (double)nextafterf((float)square, INFINITY) : nextafter(square, INFINITY);
        if (isinf(above) || root_of(above, single) > r) return square;
        square = above;
    }
}

double reference_dist2(const struct reference_points *p, int64_t i, const void *query)
{
    volatile float single = 0;
    volatile double sum = 0;
    for (int32_t c = 0; c < p->dim; c++) {
        int64_t at = i * p->stride + c;
        if (p->dtype == BOSC_F32) {
            volatile float d = ((const float *)query)[c] - ((const float *)p->data)[at];
            volatile float square = d * d;
            single = single + square;
        } else {
            volatile double d = number_at(p, query, c) - number_at(p, p->data, at);
            volatile double square = d * d;
            sum = sum + square;
        }
    }
    double result = p->dtype == BOSC_F32 ? (double)single : sum;
    return isnan(result) ? INFINITY : result;
}

/* Returns |q - x|, or the shorter distance around the period; q may be outside the period. */
static double periodic_distance(double q, double x, double period)
{
    if (!(period > 0)) return fabs(q - x);
    q = fmod(q, period);
    if (q < 0) q += period;
    double d = fabs(q - x);
    return isnan(d) ? d : fmin(d, period - d);
}

/* True if distances are roots of squares in float. */
static bool has_float_squares(const struct reference_points *p, const struct reference_metric *metric)
{
    bool periodic = false;
    for (int32_t c = 0; c < p->dim && metric->periods; c++) periodic |= metric->periods[c] > 0;
    return p->dtype == BOSC_F32 && metric->p == 2 && !periodic;
}

bool reference_within(const struct reference_points *p, const struct reference_metric *metric, double measure,
                      double bound)
{
    if (has_float_squares(p, metric)) return root_of(measure, true) <= (double)(float)bound;
    return reference_distance(metric, measure) <= bound;
}

double reference_measure(const struct reference_points *p, int64_t i, const void *query,
                         const struct reference_metric *metric)
{
    if (has_float_squares(p, metric)) return reference_dist2(p, i, query);
    volatile double sum = 0, squares = 0;
    long double powers = 0;
    double largest = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t c = 0; c < p->dim; c++) {
            double period = metric->periods ? metric->periods[c] : 0;
            double d = periodic_distance(number_at(p, query, c), number_at(p, p->data, i * p->stride + c), period);
            if (isnan(d)) return INFINITY;
            if (pass == 1) {
                powers += powl((long double)d / (long double)largest, (long double)metric->p);
                continue;
            }
            volatile double square = d * d;
            sum = sum + d;
            squares = squares + square;
            largest = fmax(largest, d);
        }
    if (metric->p == 1) return sum;
    if (metric->p == 2) return squares;
    if (isinf(metric->p) || largest == 0 || isinf(largest)) return largest;
    return (double)((long double)largest * powl(powers, 1 / (long double)metric->p));
}

double reference_distance(const struct reference_metric *metric, double measure)
{
    return metric->p == 2 ? sqrt(measure) : measure;
}

void reference_knn(const struct reference_points *p, const void *query, int64_t k, double r2, int64_t *ids,
                   double *dist2)
{
    int64_t count = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double d = reference_dist2(p, i, query);
        if (d > r2) continue;
        if (count == k && d >= dist2[k - 1]) continue;
        int64_t at = count < k ? count++ : k - 1;
        for (; at > 0 && dist2[at - 1] > d; at--) {
            dist2[at] = dist2[at - 1];
            ids[at] = ids[at - 1];
        }
        dist2[at] = d;
        ids[at] = i;
    }
    for (; count < k; count++) {
        ids[count] = -1;
        dist2[count] = INFINITY;
    }
}
