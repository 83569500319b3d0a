/* Splits sorted arrays, which lie in the memory of several ranks, at a position of their merged order. Equal keys are
 * ordered by array. The answer is the number of each array's items before the position. */
#ifndef BI_RANKS_PRIMS_SPLITTER_H
#define BI_RANKS_PRIMS_SPLITTER_H

#include "base/bits.h"
#include "ranks/ranks.h"

struct bi_ranks_splitter {
    bosc_dtype dtype;
    int32_t count;      /* of arrays */
    char *const *keys;  /* (count), host: sorted arrays, in memory that the backend reaches */
    const int64_t *n;   /* (count), host: items of each array */
    int64_t position;   /* 0 to the sum of n: items before the splitter */
    int64_t *positions; /* (count), host: the answer */
};

/* Key i of an array, as an integer in the order of the keys (base/bits.h). */
BI_FN uint64_t bi_ranks_key_at(bosc_dtype dtype, const void *keys, int64_t i)
{
    switch (dtype) {
    case BOSC_F32: return bi_key_u32_of_f32(((const float *)keys)[i]);
    case BOSC_F64: return bi_key_u64_of_f64(((const double *)keys)[i]);
    case BOSC_I32: return bi_key_u32_of_i32(((const int32_t *)keys)[i]);
    case BOSC_I64: return bi_key_u64_of_i64(((const int64_t *)keys)[i]);
    case BOSC_U32: return ((const uint32_t *)keys)[i];
    default: return ((const uint64_t *)keys)[i]; /* BOSC_U64: callers refuse other types */
    }
}

/* Returns the number of keys less than `key`. The caller knows that it is at least low and at most high. */
BI_FN int64_t bi_ranks_count_less(bosc_dtype dtype, const void *keys, int64_t low, int64_t high, uint64_t key)
{
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (bi_ranks_key_at(dtype, keys, middle) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Finds the answer from the items equal to the splitter's key: low[q] to high[q] - 1 of array q. The first ones are
 * assigned in the order of the arrays. The position is at least the sum of low and at most the sum of high.
 * positions: (count); may be `low`. */
BI_FN void bi_ranks_assign_equal(int32_t count, int64_t position, const int64_t *low, const int64_t *high,
                                 int64_t *positions)
{
    for (int32_t q = 0; q < count; q++) position -= low[q];
    for (int32_t q = 0; q < count; q++) {
        const int64_t equal = high[q] - low[q], assigned = position < equal ? position : equal;
        positions[q] = low[q] + assigned;
        position -= assigned;
    }
}

#endif
