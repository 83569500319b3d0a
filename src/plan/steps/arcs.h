/* Forms along arcs. The value of a form at u is the sum of P, B and Q (boscage/plan.h) weighted by (1 - u)^2,
 * 2 u (1 - u) and u^2. The weights sum to 1, so an error bound e of all three is one of the form. */
#ifndef BI_PLAN_STEPS_ARCS_H
#define BI_PLAN_STEPS_ARCS_H

#include "base/atomic.h"
#include "base/elementary.h"
#include "plan/steps/forms.h"

/* Products of the ends of an arc, in the order of the coefficients. */
struct bi_plan_arc {
    double p[BI_PLAN_COEFFICIENTS], b[BI_PLAN_COEFFICIENTS], q[BI_PLAN_COEFFICIENTS];
};

BI_FN struct bi_plan_arc bi_plan_arc_of(const double *from, const double *to)
{
    struct bi_plan_arc arc = {{0}, {0}, {0}};
    int k = 0;
    bi_plan_products(from, arc.p);
    bi_plan_products(to, arc.q);
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++) arc.b[k++] = (from[i] * to[j] + from[j] * to[i]) * 0.5;
    return arc;
}

/* Returns the form's sign, 1 or -1, if it is the same on the whole arc; 0 if it may change or be 0. */
BI_FN int bi_plan_arc_sign(const double *row, const struct bi_plan_arc *arc)
{
    double e = row[BI_PLAN_COEFFICIENTS], p = bi_plan_value(row, arc->p), sign = p >= 0 ? 1 : -1;
    double low_p = sign * p - e, low_q = sign * bi_plan_value(row, arc->q) - e;
    if (!(low_p > 0 && low_q > 0)) return 0;
    double low_b = sign * bi_plan_value(row, arc->b) - e;
    return low_b >= 0 || low_b * low_b < low_p * low_q * (1 - 0x1p-50) ? (int)sign : 0;
}

struct bi_plan_arcs {
    struct bi_plan_forms forms;
    const double *from, *to;  /* (n x 4) */
    uint64_t *vectors, *kept; /* (n x words); vectors may be NULL */
    int64_t *bad;             /* minimum with the first arc that has an end out of range */
};

/* Item: computes a word of an arc. The ends are scaled separately, which changes no sign. */
BI_FN void bi_step_arc_word(const struct bi_plan_arcs *a, int64_t at)
{
    int64_t row = at / a->forms.words, first = 64 * (at % a->forms.words);
    double from[4], to[4];
    uint64_t bits = 0, kept = 0;
    if (!bi_plan_is_rotation(a->from + 4 * row) || !bi_plan_is_rotation(a->to + 4 * row)) {
        bi_atomic_min_i64(a->bad, row);
        return;
    }
    bi_plan_scale(a->from + 4 * row, from);
    bi_plan_scale(a->to + 4 * row, to);
    struct bi_plan_arc arc = bi_plan_arc_of(from, to);
    for (int64_t k = first; k < first + 64 && k < a->forms.constraints; k++) {
        int sign = bi_plan_arc_sign(a->forms.rows + BI_PLAN_ROW * k, &arc);
        bits |= (uint64_t)(sign > 0) << (k - first);
        kept |= (uint64_t)(sign != 0) << (k - first);
    }
    if (a->vectors) a->vectors[at] = bits;
    a->kept[at] = kept;
}

/* ---- where forms may be 0 ---- */

/* The intervals of [0, 1], at most two, where a form may be 0. */
struct bi_plan_enclosures {
    int count;
    double lower[2], upper[2];
};

/* Inserts the roots of c + b u + a u^2 in (0, 1) into the ascending list; returns its new length. */
BI_FN int bi_plan_add_roots(double *list, int n, double c, double b, double a)
{
    double d = b * b - 4 * a * c;
    if (!(d >= 0)) return n;
    double w = -0.5 * (b + (b >= 0 ? bi_sqrt(d) : -bi_sqrt(d)));
    for (int k = 0; k < 2; k++) {
        double root = k ? c / w : w / a;
        if (!(root > 0 && root < 1)) continue;
        int at = n++;
        for (; list[at - 1] > root; at--) list[at] = list[at - 1];
        list[at] = root;
    }
    return n;
}

/* Encloses the intervals where |form| <= e, e = 16 times the error bound. Their ends are roots of the form plus and
 * minus e; the errors of these roots amount to far less than e. */
BI_FN struct bi_plan_enclosures bi_plan_enclose(const double *row, const struct bi_plan_arc *arc)
{
    struct bi_plan_enclosures found = {0, {0, 0}, {0, 0}};
    double e = 16 * row[BI_PLAN_COEFFICIENTS], list[6] = {0};
    double p = bi_plan_value(row, arc->p), b = bi_plan_value(row, arc->b), q = bi_plan_value(row, arc->q);
    double slope = 2 * (b - p), bend = (p - b) + (q - b);
    bool open = false;
    /* 1. Split [0, 1] at the roots of form - e and form + e. */
    int n = bi_plan_add_roots(list, 1, p - e, slope, bend);
    n = bi_plan_add_roots(list, n, p + e, slope, bend);
    list[n++] = 1;
    /* 2. Join the intervals where the middle is near 0. */
    for (int k = 0; k + 1 < n; k++) {
        double u = 0.5 * (list[k] + list[k + 1]), value = p + u * (slope + u * bend);
        bool near = fabs(value) <= e;
        if (near && !open && found.count < 2) found.lower[found.count++] = list[k];
        if (near) found.upper[found.count - 1] = list[k + 1];
        open = near;
    }
    return found;
}

struct bi_plan_crossings {
    struct bi_plan_forms forms;
    const double *from, *to;
    int64_t *offsets; /* counts, then the first entry of each arc */
    double *lower, *upper;
    int64_t *constraints;
    int64_t *bad;
};

/* Scales both ends by the same power of two, which keeps u. */
BI_FN struct bi_plan_arc bi_plan_scaled_arc(const double *from, const double *to)
{
    double p[4], q[4], most = 0;
    for (int c = 0; c < 4; c++) {
        most = fabs(from[c]) > most ? fabs(from[c]) : most;
        most = fabs(to[c]) > most ? fabs(to[c]) : most;
    }
    double by = bi_f64_from_bits((2046 - (bi_f64_bits(most) >> 52)) << 52);
    for (int c = 0; c < 4; c++) {
        p[c] = from[c] * by;
        q[c] = to[c] * by;
    }
    return bi_plan_arc_of(p, q);
}

BI_FN void bi_step_count_crossings(const struct bi_plan_crossings *a, int64_t row)
{
    int64_t count = 0;
    if (!bi_plan_is_rotation(a->from + 4 * row) || !bi_plan_is_rotation(a->to + 4 * row)) {
        bi_atomic_min_i64(a->bad, row);
        return;
    }
    struct bi_plan_arc arc = bi_plan_scaled_arc(a->from + 4 * row, a->to + 4 * row);
    for (int64_t k = 0; k < a->forms.constraints; k++)
        count += bi_plan_enclose(a->forms.rows + BI_PLAN_ROW * k, &arc).count;
    a->offsets[row] = count;
}

/* Inserts the entries of an arc in ascending order; the insertion is stable, so equal lower ends are ordered by
 * constraint. */
BI_FN void bi_step_fill_crossings(const struct bi_plan_crossings *a, int64_t row)
{
    int64_t begin = a->offsets[row], end = begin;
    struct bi_plan_arc arc = bi_plan_scaled_arc(a->from + 4 * row, a->to + 4 * row);
    for (int64_t k = 0; k < a->forms.constraints; k++) {
        struct bi_plan_enclosures found = bi_plan_enclose(a->forms.rows + BI_PLAN_ROW * k, &arc);
        for (int e = 0; e < found.count; e++) {
            int64_t at = end++;
            for (; at > begin && a->lower[at - 1] > found.lower[e]; at--) {
                a->lower[at] = a->lower[at - 1];
                a->upper[at] = a->upper[at - 1];
                a->constraints[at] = a->constraints[at - 1];
            }
            a->lower[at] = found.lower[e];
            a->upper[at] = found.upper[e];
            a->constraints[at] = k;
        }
    }
}

#endif
