/* Recomputes doubtful signs: in double, then exactly. The final signs are exact, so they do not depend on which ones
 * the
 * first pass doubted. */
#ifndef BI_PLAN_STEPS_SIGNS_H
#define BI_PLAN_STEPS_SIGNS_H

#include "base/atomic.h"
#include "plan/steps/forms.h"

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
