/* Quadratic forms in a quaternion: their value in double with an error bound, and their exact sign. */
#ifndef BI_PLAN_STEPS_FORMS_H
#define BI_PLAN_STEPS_FORMS_H

#include <math.h>

#include "base/bits.h"
#include "base/expansion.h"
#include "plan/plan.h"

/* True if q is not 0 and its components are 0 or of a size for which exact arithmetic neither over- nor underflows. */
BI_FN bool bi_plan_is_rotation(const double *q)
{
    bool fits = true, any = false;
    for (int c = 0; c < 4; c++) {
        double size = fabs(q[c]);
        fits = fits && (size == 0 || (size >= 0x1p-110 && size <= 0x1p100));
        any = any || size > 0;
    }
    return fits && any;
}

/* Scales q by the power of two that brings its largest component into [1, 2). */
BI_FN void bi_plan_scale(const double *q, double *scaled)
{
    double most = 0;
    for (int c = 0; c < 4; c++) most = fabs(q[c]) > most ? fabs(q[c]) : most;
    uint64_t exponent = bi_f64_bits(most) >> 52;
    double by = bi_f64_from_bits((2046 - exponent) << 52);
    for (int c = 0; c < 4; c++) scaled[c] = q[c] * by;
}

/* Computes the products of the components of q, in the order of the coefficients. */
BI_FN void bi_plan_products(const double *q, double *products)
{
    int k = 0;
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++) products[k++] = q[i] * q[j];
}

/* The same of q / |q|, in float. */
BI_FN void bi_plan_fast_products(const double *q, float *products)
{
    double scaled[4], all[BI_PLAN_COEFFICIENTS];
    bi_plan_scale(q, scaled);
    bi_plan_products(scaled, all);
    double by = 1 / (all[0] + all[4] + all[7] + all[9]);
    for (int k = 0; k < BI_PLAN_COEFFICIENTS; k++) products[k] = (float)(all[k] * by);
}

BI_FN double bi_plan_value(const double *row, const double *products)
{
    double sum = row[0] * products[0];
    for (int k = 1; k < BI_PLAN_COEFFICIENTS; k++) sum = sum + row[k] * products[k];
    return sum;
}

/* Returns the exact sign of form k at q: 1, 0 or -1. work: exact_work doubles. */
BI_CALLED_FN int bi_plan_exact_sign(const struct bi_plan_forms *f, int64_t k, const double *q, double *work)
{
    int n = 0, at = 0;
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++, at++) {
            double product[2];
            bi_two_product(q[i], q[j], &product[1], &product[0]);
            for (int64_t p = f->offsets[10 * k + at]; p < f->offsets[10 * k + at + 1]; p++) {
                const double part[2] = {0, f->parts[p]};
                n = bi_expansion_add_product(work, n, part, product);
            }
        }
    return bi_expansion_sign(work, n);
}

/* The same, but only if the value in double does not decide it. products: of the scaled q. */
BI_FN int bi_plan_sign(const struct bi_plan_forms *f, int64_t k, const double *q, const double *products, double *work)
{
    const double *row = f->rows + BI_PLAN_ROW * k;
    double value = bi_plan_value(row, products), bound = row[BI_PLAN_COEFFICIENTS];
    if (value > bound) return 1;
    if (value < -bound) return -1;
    return bi_plan_exact_sign(f, k, q, work);
}

#endif
