/* Quadratic forms in a quaternion: their value in double with an error bound, their exact sign, and the recomputation
 * of doubtful signs. */
#ifndef BI_PLAN_STEPS_FORMS_H
#define BI_PLAN_STEPS_FORMS_H

#include <math.h>

#include "base/atomic.h"
#include "base/bits.h"
#include "base/expansion.h"
#include "plan/plan.h"

/* ---- exact polynomials of coordinates ----
 *
 * Sums of products of compressed expansions. Source: Shewchuk (1997), Compress; the
 * other operations are in base/expansion.h. */

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

/* ---- forms ---- */

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

/* Computes the products of q / |q|, in float. */
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

/* Returns the sign of form k at q: by its value in double if that is certain, else exactly. products: of the scaled
 * q. */
BI_FN int bi_plan_sign(const struct bi_plan_forms *f, int64_t k, const double *q, const double *products, double *work)
{
    const double *row = f->rows + BI_PLAN_ROW * k;
    double value = bi_plan_value(row, products), bound = row[BI_PLAN_COEFFICIENTS];
    if (value > bound) return 1;
    if (value < -bound) return -1;
    return bi_plan_exact_sign(f, k, q, work);
}

/* ---- doubtful signs ----
 *
 * They are recomputed in double, then exactly. The final signs are exact, so they do not depend on which ones
 * the first pass doubted. */

struct bi_plan_recheck {
    struct bi_plan_signs signs;
    uint32_t *left; /* 1: some word is still doubtful */
    int64_t workers;
    double *work;    /* (workers x exact_work) */
    uint32_t *zeros; /* (n + 1) 1: a sign is 0; the last element: of any row; may be NULL */
};

/* Returns the doubts of eight words, a byte each. */
BI_FN uint64_t bi_plan_doubts(const struct bi_plan_signs *s, int64_t group)
{
    return ((const uint64_t *)(const void *)s->doubts)[group];
}

/* Loads a rotation, and the products of its scaled components. */
BI_FN void bi_plan_load_rotation(const struct bi_plan_signs *s, int64_t row, double *q, double *products)
{
    double scaled[4];
    for (int c = 0; c < 4; c++) q[c] = s->rotations[row * s->stride + c];
    bi_plan_scale(q, scaled);
    bi_plan_products(scaled, products);
}

/* Item: recomputes the doubtful words of a group of eight in double. */
BI_FN void bi_step_recheck_signs(const struct bi_plan_recheck *a, int64_t group)
{
    const struct bi_plan_signs *s = &a->signs;
    if (bi_plan_doubts(s, group) == 0) return;
    for (int64_t at = 8 * group; at < 8 * (group + 1); at++) {
        if (!s->doubts[at]) continue;
        double q[4], products[BI_PLAN_COEFFICIENTS];
        int64_t row = at / s->forms.words, first = 64 * (at % s->forms.words);
        uint64_t bits = 0;
        bool sure = true;
        bi_plan_load_rotation(s, row, q, products);
        for (int64_t k = first; k < first + 64 && k < s->forms.constraints; k++) {
            const double *form = s->forms.rows + BI_PLAN_ROW * k;
            double value = bi_plan_value(form, products);
            sure = sure && fabs(value) > form[BI_PLAN_COEFFICIENTS];
            bits |= (uint64_t)(value >= 0) << (k - first);
        }
        s->vectors[at] = bits;
        s->doubts[at] = !sure;
        if (!sure) bi_atomic_or_u32(a->left, 1);
    }
}

/* Item: a worker, which recomputes the doubtful words of every workers-th group exactly. Few words are left, and exact
 * signs need working memory, so there are few workers. */
BI_FN void bi_step_exact_signs(const struct bi_plan_recheck *a, int64_t worker)
{
    const struct bi_plan_signs *s = &a->signs;
    double *work = a->work + worker * s->forms.exact_work, q[4], products[BI_PLAN_COEFFICIENTS];
    int64_t groups = (s->n * s->forms.words + 7) / 8;
    for (int64_t group = worker; *a->left && group < groups; group += a->workers) {
        if (bi_plan_doubts(s, group) == 0) continue;
        for (int64_t at = 8 * group; at < 8 * (group + 1); at++) {
            if (!s->doubts[at]) continue;
            int64_t row = at / s->forms.words, first = 64 * (at % s->forms.words);
            uint64_t bits = 0;
            bi_plan_load_rotation(s, row, q, products);
            for (int64_t k = first; k < first + 64 && k < s->forms.constraints; k++) {
                int sign = bi_plan_sign(&s->forms, k, q, products, work);
                if (sign == 0 && a->zeros) {
                    bi_atomic_or_u32(a->zeros + row, 1);
                    bi_atomic_or_u32(a->zeros + s->n, 1);
                }
                bits |= (uint64_t)(sign >= 0) << (k - first);
            }
            s->vectors[at] = bits;
        }
    }
}

#endif
