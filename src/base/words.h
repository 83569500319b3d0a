/* Arrays of words of 32 or 64 bits, where a flag says which. */
#ifndef BI_BASE_WORDS_H
#define BI_BASE_WORDS_H

#include <stdbool.h>

#include "base/step.h"

/* Word i of an array of 32 or (`wide`) 64 bits. */
BI_FN uint64_t bi_word(const void *array, bool wide, int64_t i)
{
    return wide ? ((const uint64_t *)array)[i] : ((const uint32_t *)array)[i];
}

/* The first place of [low, high) whose word is not less than x; words ascend there. `high` if there is none. */
BI_FN int64_t bi_lower_bound_word(const void *array, bool wide, int64_t low, int64_t high, uint64_t x)
{
    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        if (bi_word(array, wide, mid) < x)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

BI_FN void bi_set_word(void *array, bool wide, int64_t i, uint64_t x)
{
    if (wide)
        ((uint64_t *)array)[i] = x;
    else
        ((uint32_t *)array)[i] = (uint32_t)x;
}

#endif
