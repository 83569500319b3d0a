/* Binary searches, for the CPU and the device. */
#ifndef BI_BASE_SEARCH_H
#define BI_BASE_SEARCH_H

#include "base/bits.h"

/* Binary search over [low, high), two variables of one integer type. Both become the first index at which `is_below` is
 * false, or the initial `high` if there is none. `is_below` is an expression of the index `middle`, which the macro
 * declares: true up to some index, false from there on. */
#define BI_PARTITION_POINT(low, high, middle, is_below)              \
    while ((low) < (high)) {                                         \
        const __typeof__(low) middle = (low) + ((high) - (low)) / 2; \
        if (is_below)                                                \
            (low) = middle + 1;                                      \
        else                                                         \
            (high) = middle;                                         \
    }

/* Defines bi_lower_bound_NAME, the number of entries of an ascending array below `value`, and bi_upper_bound_NAME, the
 * number of entries up to `value`. */
#define BI_BOUNDS(name, type)                                                         \
    BI_FN int64_t bi_lower_bound_##name(const type *array, int64_t count, type value) \
    {                                                                                 \
        int64_t low = 0, high = count;                                                \
        BI_PARTITION_POINT(low, high, middle, array[middle] < value);                 \
        return low;                                                                   \
    }                                                                                 \
    BI_FN int64_t bi_upper_bound_##name(const type *array, int64_t count, type value) \
    {                                                                                 \
        int64_t low = 0, high = count;                                                \
        BI_PARTITION_POINT(low, high, middle, array[middle] <= value);                \
        return low;                                                                   \
    }
BI_BOUNDS(i64, int64_t)
BI_BOUNDS(u32, uint32_t)
BI_BOUNDS(u64, uint64_t)
#undef BI_BOUNDS

/* Returns the first index in [low, high) whose word is not less than x, or `high` if there is none. Words ascend. */
BI_FN int64_t bi_lower_bound_word(const void *array, bool is_64bit, int64_t low, int64_t high, uint64_t x)
{
    BI_PARTITION_POINT(low, high, mid, bi_word(array, is_64bit, mid) < x);
    return low;
}

#endif
