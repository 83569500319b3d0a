/* Exact polynomials of coordinates: sums of products of compressed expansions. Source: Shewchuk (1997), Compress; the
 * other operations are in base/expansion.h. */
#ifndef BI_PLAN_STEPS_EXACT_H
#define BI_PLAN_STEPS_EXACT_H

#include "base/expansion.h"

/* A compressed value of degree 6 in coordinates of 2^-110 to 2^100 has fewer than 40 parts; a sum is compressed once it
 * has more than BI_EXACT_LONG. */
enum { BI_EXACT_LONG = 64, BI_EXACT_PARTS = BI_EXACT_LONG + 2 };

struct bi_exact {
    int n;
    double part[BI_EXACT_PARTS]; /* ascending in size, nonoverlapping, nonzero */
};

BI_FN void bi_exact_set(struct bi_exact *x, double value)
{
    x->n = value != 0;
    x->part[0] = value;
}

BI_FN int bi_exact_sign(const struct bi_exact *x) { return bi_expansion_sign(x->part, x->n); }

/* Returns the nearest double of a compressed value, or one next to it. */
BI_FN double bi_exact_round(const struct bi_exact *x) { return x->n ? x->part[x->n - 1] : 0; }

/* Fast-Two-Sum: for |a| >= |b|, a + b = *high + the returned error. */
BI_FN double bi_fast_two_sum(double a, double b, double *high)
{
    double sum = a + b;
    *high = sum;
    return b - (sum - a);
}

/* Compresses to the fewest parts; the last part is then within half a unit in its last place of the value. */
BI_CALLED_FN void bi_exact_compress(struct bi_exact *x)
{
    int bottom = x->n - 1, top = 0;
    if (x->n < 2) return;
    /* 1. Downwards: sum into nonoverlapping parts at the end of the array. */
    double q = x->part[bottom];
    for (int i = x->n - 2; i >= 0; i--) {
        double low = bi_fast_two_sum(q, x->part[i], &q);
        if (low != 0) {
            x->part[bottom--] = q;
            q = low;
        }
    }
    x->part[bottom] = q;
    /* 2. Upwards: sum again and move the parts to the front. */
    for (int i = bottom + 1; i < x->n; i++) {
        double low = bi_fast_two_sum(x->part[i], q, &q);
        if (low != 0) x->part[top++] = low;
    }
    x->part[top++] = q;
    x->n = top;
}

/* sum += factor x; the factor is a power of two or its negative. */
BI_CALLED_FN void bi_exact_add(struct bi_exact *sum, const struct bi_exact *x, double factor)
{
    for (int i = 0; i < x->n; i++) {
        sum->n = bi_expansion_add(sum->part, sum->n, factor * x->part[i]);
        if (sum->n > BI_EXACT_LONG) bi_exact_compress(sum);
    }
    bi_exact_compress(sum);
}

/* sum += factor x y; the factor is a power of two or its negative. */
BI_CALLED_FN void bi_exact_add_product(struct bi_exact *sum, const struct bi_exact *x, const struct bi_exact *y,
                                       double factor)
{
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < y->n; j++) {
            double high, low;
            bi_two_product(factor * x->part[i], y->part[j], &high, &low);
            sum->n = bi_expansion_add(sum->part, sum->n, low);
            sum->n = bi_expansion_add(sum->part, sum->n, high);
            if (sum->n > BI_EXACT_LONG) bi_exact_compress(sum);
        }
    bi_exact_compress(sum);
}

#endif
