/* Binary searches, for the CPU and the device. */
#ifndef BI_BASE_SEARCH_H
#define BI_BASE_SEARCH_H

#include "base/step.h"

/* Defines bi_lower_bound_NAME, the number of entries of an ascending array below `value`, and bi_upper_bound_NAME, the
 * number of entries up to `value`. */
#define BI_BOUNDS(name, type)                                                         \
    BI_FN int64_t bi_lower_bound_##name(const type *array, int64_t count, type value) \
    {                                                                                 \
        int64_t low = 0, high = count;                                                \
        while (low < high) {                                                          \
            int64_t middle = low + (high - low) / 2;                                  \
            if (array[middle] < value)                                                \
                low = middle + 1;                                                     \
            else                                                                      \
                high = middle;                                                        \
        }                                                                             \
        return low;                                                                   \
    }                                                                                 \
    BI_FN int64_t bi_upper_bound_##name(const type *array, int64_t count, type value) \
    {                                                                                 \
        int64_t low = 0, high = count;                                                \
        while (low < high) {                                                          \
            int64_t middle = low + (high - low) / 2;                                  \
            if (array[middle] <= value)                                               \
                low = middle + 1;                                                     \
            else                                                                      \
                high = middle;                                                        \
        }                                                                             \
        return low;                                                                   \
    }
BI_BOUNDS(i64, int64_t)
BI_BOUNDS(u32, uint32_t)
BI_BOUNDS(u64, uint64_t)
#undef BI_BOUNDS

#endif
