/* The steps of motion planning: what happens to item i, for the CPU and the device. Steps that copy rows of a roadmap
 * are here. */
#ifndef BI_PLAN_STEPS_STEPS_H
#define BI_PLAN_STEPS_STEPS_H

#include <stdbool.h>

#include "base/step.h"
#include "plan/steps/circles.h"
#include "plan/steps/logic.h"
#include "plan/steps/forms.h"

struct bi_plan_rows {
    const double *from; /* (rows x stride) */
    int64_t stride;
    const void *rows;    /* rows to copy; NULL: all */
    bool rows_are_64bit; /* else uint32_t */
    const uint32_t *next;
    double *rotations; /* (n x 4) */
    int64_t *widened;  /* (n) */
};

BI_FN void bi_step_copy_rotation(const struct bi_plan_rows *a, int64_t i)
{
    int64_t row = !a->rows            ? i
                  : a->rows_are_64bit ? ((const int64_t *)a->rows)[i]
                                      : (int64_t)((const uint32_t *)a->rows)[i];
    for (int c = 0; c < 4; c++) a->rotations[4 * i + c] = a->from[row * a->stride + c];
}

BI_FN void bi_step_widen_next(const struct bi_plan_rows *a, int64_t i)
{
    a->widened[i] = a->next[i] == UINT32_MAX ? -1 : (int64_t)a->next[i];
}

struct bi_plan_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "plan/steps/steps.def"
#undef BI_STEP
};

#endif
