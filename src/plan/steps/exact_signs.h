/* Signs that rounding may have decided, once more. Few rows have such a sign, and exact ones need memory to work in:
 * so an item is a worker, which has its own and looks at every so many rows. */
#ifndef BI_PLAN_STEPS_EXACT_SIGNS_H
#define BI_PLAN_STEPS_EXACT_SIGNS_H

#include "plan/steps/forms.h"

struct bi_plan_exact_signs {
    struct bi_plan_signs signs;
    int64_t workers;
    double *work;   /* (workers x exact_work) */
    uint8_t *zeros; /* (n) gets 1 where a sign is 0; may be NULL */
};

BI_FN void bi_step_exact_signs(const struct bi_plan_exact_signs *a, int64_t worker)
{
    const struct bi_plan_forms *f = &a->signs.forms;
    double *work = a->work + worker * f->exact_work;
    for (int64_t row = worker; row < a->signs.n; row += a->workers) {
        if (!a->signs.doubts[row]) continue;
        const double *q = a->signs.rotations + row * a->signs.stride;
        double scaled[4], products[BI_PLAN_COEFFICIENTS];
        bool zero = false;
        if (!bi_plan_is_rotation(q)) continue;
        bi_plan_scale(q, scaled);
        bi_plan_products(scaled, products);
        for (int64_t word = 0; word < f->words; word++) {
            uint64_t bits = 0;
            for (int64_t k = 64 * word; k < 64 * (word + 1) && k < f->constraints; k++) {
                int sign = bi_plan_sign(f, k, q, products, work);
                zero = zero || sign == 0;
                bits |= (uint64_t)(sign >= 0) << (k - 64 * word);
            }
            a->signs.vectors[row * f->words + word] = bits;
        }
        if (zero && a->zeros) a->zeros[row] = 1;
    }
}

#endif
