/* Arrays of 32-bit or 64-bit words; a flag selects the width. */
#ifndef BI_BASE_WORDS_H
#define BI_BASE_WORDS_H

#include <stdbool.h>

#include "base/step.h"

/* Returns word i. */
BI_FN uint64_t bi_word(const void *array, bool is_64bit, int64_t i)
{
    return is_64bit ? ((const uint64_t *)array)[i] : ((const uint32_t *)array)[i];
}

/* Returns the first index in [low, high) whose word is not less than x, or `high` if there is none. Words ascend. */
BI_FN int64_t bi_lower_bound_word(const void *array, bool is_64bit, int64_t low, int64_t high, uint64_t x)
{
    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        if (bi_word(array, is_64bit, mid) < x)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

BI_FN void bi_set_word(void *array, bool is_64bit, int64_t i, uint64_t x)
{
    if (is_64bit)
        ((uint64_t *)array)[i] = x;
    else
        ((uint32_t *)array)[i] = (uint32_t)x;
}

#endif
