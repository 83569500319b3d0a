/* Exact arithmetic: sums and products of doubles as expansions, that is, as sums of non-overlapping doubles of
 * ascending magnitude. Source: Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
 * Predicates (1997). Requires rounding to nearest, no fused multiply-add, and neither overflow nor underflow. */
#ifndef BI_BASE_EXPANSION_H
#define BI_BASE_EXPANSION_H

#include "base/step.h"

/* a + b = *high + *low (Two-Sum). */
BI_FN void bi_two_sum(double a, double b, double *high, double *low)
{
    double sum = a + b, b_part = sum - a, a_part = sum - b_part;
    *low = (a - a_part) + (b - b_part);
    *high = sum;
}

/* a = *high + *low, each of 26 bits (Split). */
BI_FN void bi_two_split(double a, double *high, double *low)
{
    double c = 134217729.0 * a /* 2^27 + 1 */, big = c - a;
    *high = c - big;
    *low = a - *high;
}

/* a b = *high + *low (Two-Product). */
BI_FN void bi_two_product(double a, double b, double *high, double *low)
{
    double a_high, a_low, b_high, b_low, product = a * b;
    bi_two_split(a, &a_high, &a_low);
    bi_two_split(b, &b_high, &b_low);
    double error = product - a_high * b_high;
    error = error - a_low * b_high;
    error = error - a_high * b_low;
    *low = a_low * b_low - error;
    *high = product;
}

/* Adds b to the expansion e of n components, omits zeros, and returns the new length (Grow-Expansion). */
BI_FN int bi_expansion_add(double *e, int n, double b)
{
    int length = 0;
    for (int i = 0; i < n; i++) {
        double low;
        bi_two_sum(b, e[i], &b, &low);
        if (low != 0) e[length++] = low;
    }
    if (b != 0) e[length++] = b;
    return length;
}

/* Adds the product of two expansions of two components each, which adds at most eight components. */
BI_FN int bi_expansion_add_product(double *e, int n, const double *a, const double *b)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double high, low;
            if (a[i] == 0 || b[j] == 0) continue;
            bi_two_product(a[i], b[j], &high, &low);
            n = bi_expansion_add(e, n, low);
            n = bi_expansion_add(e, n, high);
        }
    return n;
}

/* The largest component, which is the last one, has the sign of the sum. */
BI_FN int bi_expansion_sign(const double *e, int n) { return n == 0 ? 0 : e[n - 1] > 0 ? 1 : -1; }

#endif
