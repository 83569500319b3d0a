/* Steps that copy rows of a roadmap. */
#ifndef BI_PLAN_STEPS_ROWS_H
#define BI_PLAN_STEPS_ROWS_H

#include <stdbool.h>

#include "base/step.h"

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

#endif
