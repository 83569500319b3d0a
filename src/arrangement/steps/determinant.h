/* Signs of determinants of up to four rows of planes: by an error bound and, where that does not decide, exactly.
 * Source: Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates (1997). */
#ifndef BI_ARRANGEMENT_STEPS_DETERMINANT_H
#define BI_ARRANGEMENT_STEPS_DETERMINANT_H

#include <math.h>

#include "base/expansion.h"

enum {
    BI_DETERMINANT_ROWS = 4,
    BI_DETERMINANT_PARTS = 8, /* of a product of four doubles */
    BI_DETERMINANT_WORK = 24 * BI_DETERMINANT_PARTS + 1
};

/* A determinant whose term t has the factor rows[i][columns[permutation[i]]] of row i. */
struct bi_determinant {
    const double *rows[BI_DETERMINANT_ROWS];
    int32_t columns[BI_DETERMINANT_ROWS];
    int32_t count;
};

/* Writes the factors of term t, 0 to count! - 1; the first one has the sign of the permutation. The digits of t in
 * the factorial number system choose a column for each row among those left, and sum to the inversions. */
BI_FN void bi_determinant_term(const struct bi_determinant *d, int32_t t, double factors[BI_DETERMINANT_ROWS])
{
    uint32_t left = (1u << d->count) - 1; /* columns that no row has yet */
    int32_t inversions = 0;
    for (int32_t i = 0; i < d->count; i++) {
        int32_t skip = t % (d->count - i), c = 0;
        t /= d->count - i;
        inversions += skip;
        while (!(left >> c & 1) || skip-- > 0) c++;
        left &= ~(1u << c);
        factors[i] = d->rows[i][d->columns[c]];
    }
    if (inversions & 1) factors[0] = -factors[0];
}

BI_FN int32_t bi_determinant_terms(int32_t count) { return count == 1 ? 1 : count == 2 ? 2 : count == 3 ? 6 : 24; }

/* Adds the product of the factors to the expansion e of n components, exactly. Returns the new length. */
BI_FN int bi_determinant_add(double *e, int n, const double *factors, int32_t count)
{
    double parts[BI_DETERMINANT_PARTS];
    int32_t length = 1;
    parts[0] = factors[0];
    for (int32_t i = 1; i < count; i++, length *= 2)
        for (int32_t p = length - 1; p >= 0; p--)
            bi_two_product(parts[p], factors[i], &parts[2 * p + 1], &parts[2 * p]);
    for (int32_t p = 0; p < length; p++)
        if (parts[p] != 0) n = bi_expansion_add(e, n, parts[p]);
    return n;
}

/* Returns the sign of the determinant: 1, 0 or -1. Exact for elements of 0 or of magnitude 2^-200 to 2^200. The
 * sum of 24 products of four numbers has at most 26 roundings in a term, less than 32 units of 2^-53. */
BI_CALLED_FN int bi_determinant_sign(const struct bi_determinant *d)
{
    const int32_t terms = bi_determinant_terms(d->count);
    double factors[BI_DETERMINANT_ROWS], sum = 0, bound = 0, e[BI_DETERMINANT_WORK];
    int n = 0;
    for (int32_t t = 0; t < terms; t++) {
        bi_determinant_term(d, t, factors);
        double product = factors[0];
        for (int32_t i = 1; i < d->count; i++) product *= factors[i];
        sum += product;
        bound += fabs(product);
    }
    bound *= 0x1p-48;
    if (sum > bound || -sum > bound || bound == 0) return sum > 0 ? 1 : sum < 0 ? -1 : 0;
    for (int32_t t = 0; t < terms; t++) {
        bi_determinant_term(d, t, factors);
        n = bi_determinant_add(e, n, factors, d->count);
    }
    return bi_expansion_sign(e, n);
}

#endif
