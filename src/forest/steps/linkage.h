/* Steps of dendrograms. */
#ifndef BI_FOREST_STEPS_LINKAGE_H
#define BI_FOREST_STEPS_LINKAGE_H

#include "base/atomic.h"

/* *bad: the first element that is NaN. */
struct bi_linkage_find_nan {
    const double *in;
    int64_t *bad;
};

BI_FN void bi_step_linkage_find_nan(const struct bi_linkage_find_nan *a, int64_t i)
{
    if (a->in[i] != a->in[i]) bi_atomic_min_i64(a->bad, i);
}

#endif
