/* The steps of collisions: what happens to item i, for the CPU and the device. Steps that return pairs to the caller
 * are here. */
#ifndef BI_COLLISION_STEPS_STEPS_H
#define BI_COLLISION_STEPS_STEPS_H

#include <stdbool.h>

#include "base/atomic.h"
#include "collision/steps/candidates.h"
#include "collision/steps/voxels.h"

struct bi_collision_results {
    const uint32_t *pairs; /* (count x 2) ascending */
    int64_t count;
    int64_t *counts;        /* by triangle of A */
    const int64_t *offsets; /* the caller's */
    void *ids;              /* of pairs, or of rows */
    bool ids_64bit;
    int64_t *bad; /* first triangle of A whose row does not have the expected length */
};

BI_FN void bi_collision_write_id(const struct bi_collision_results *a, int64_t at, uint32_t id)
{
    if (a->ids_64bit)
        ((int64_t *)a->ids)[at] = (int64_t)id;
    else
        ((uint32_t *)a->ids)[at] = id;
}

/* Item `at` is one of the two numbers of a pair. */
BI_FN void bi_step_copy_ids(const struct bi_collision_results *a, int64_t at)
{
    bi_collision_write_id(a, at, a->pairs[at]);
}

/* Returns the first pair whose triangle of A is at least i. */
BI_FN int64_t bi_collision_row_begin(const struct bi_collision_results *a, int64_t i)
{
    int64_t low = 0, high = a->count;
    BI_PARTITION_POINT(low, high, middle, a->pairs[2 * middle] < i);
    return low;
}

BI_FN void bi_step_count_row(const struct bi_collision_results *a, int64_t i)
{
    a->counts[i] = bi_collision_row_begin(a, i + 1) - bi_collision_row_begin(a, i);
}

BI_FN void bi_step_fill_row(const struct bi_collision_results *a, int64_t i)
{
    int64_t begin = bi_collision_row_begin(a, i), end = bi_collision_row_begin(a, i + 1), to = a->offsets[i];
    if (a->offsets[i + 1] - to != end - begin) {
        bi_atomic_min_i64(a->bad, i);
        return;
    }
    for (int64_t k = begin; k < end; k++) bi_collision_write_id(a, to++, a->pairs[2 * k + 1]);
}

struct bi_collision_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "collision/steps/steps.def"
#undef BI_STEP
};

#endif
