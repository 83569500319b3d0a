/* A step on CSR row offsets. */
#ifndef BI_CORE_CSR_STEPS_H
#define BI_CORE_CSR_STEPS_H

#include "base/atomic.h"

/* Sets *bad to the lowest row whose offsets do not ascend from 0, if it is less. */
struct bi_ascending {
    const int64_t *offsets;
    int64_t *bad;
};

BI_FN void bi_step_ascending(const struct bi_ascending *a, int64_t i)
{
    if (a->offsets[i + 1] < a->offsets[i] || (i == 0 && a->offsets[0] != 0)) bi_atomic_min_i64(a->bad, i);
}

#endif
