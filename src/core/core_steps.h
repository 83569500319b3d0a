/* The core's own steps: consecutive numbers, and a check of CSR row offsets. */
#ifndef BI_CORE_CORE_STEPS_H
#define BI_CORE_CORE_STEPS_H

#include "base/atomic.h"

/* Number i is i. */
struct bi_iota_u32 {
    uint32_t *numbers;
};
struct bi_iota_u64 {
    uint64_t *numbers;
};

BI_FN void bi_step_iota_u32(const struct bi_iota_u32 *a, int64_t i) { a->numbers[i] = (uint32_t)i; }
BI_FN void bi_step_iota_u64(const struct bi_iota_u64 *a, int64_t i) { a->numbers[i] = (uint64_t)i; }

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
