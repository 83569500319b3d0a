/* Steps of the selection of medians: a digit of each candidate's superkey is counted, then compared with the median's
 * digit. */
#ifndef BI_RANKS_STEPS_KDTREE_SELECT_H
#define BI_RANKS_STEPS_KDTREE_SELECT_H

#include "kdtree/order.h"

/* state[i]: 2^level + s in segment s of the current level, where point i is a candidate for the median; or a segment
 * of the next level, once it is on a side; or BI_RANKS_HAS_PART | its part. */
#define BI_RANKS_HAS_PART 0x80000000u
#define BI_RANKS_ALONE 0x80000000u /* of median_digits: one point is left, which is the median */

struct bi_ranks_kdtree_digit {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim, coordinate; /* coordinate of the digit; dim: the id */
    int64_t first;
    const int64_t *ids;
    int32_t shift, bits;   /* of the digit */
    int32_t level, levels; /* the current level; the level of the partition */
    uint32_t *state;
    uint32_t *bins;                /* of kdtree_digit_bins */
    const uint32_t *median_digits; /* of kdtree_compare_digits: the median's digit in each segment */
};

BI_FN bool bi_ranks_kdtree_is_candidate(const struct bi_ranks_kdtree_digit *a, int64_t i)
{
    return a->state[i] >> a->level == 1;
}

BI_FN uint32_t bi_ranks_kdtree_digit_of(const struct bi_ranks_kdtree_digit *a, int64_t i)
{
    uint64_t key = a->coordinate < a->dim ? bi_kdtree_key(a->rows.data, i * a->rows.stride + a->coordinate, a->dtype)
                   : a->ids               ? (uint64_t)a->ids[i]
                                          : (uint64_t)(a->first + i);
    return (uint32_t)(key >> a->shift) & ((1u << a->bits) - 1);
}

/* bins[i] = (segment, digit); one past all of these for other points. */
BI_FN void bi_step_kdtree_digit_bins(const struct bi_ranks_kdtree_digit *a, int64_t i)
{
    uint32_t segments = 1u << a->level;
    bool candidate = bi_ranks_kdtree_is_candidate(a, i);
    a->bins[i] = candidate ? (a->state[i] - segments) << a->bits | bi_ranks_kdtree_digit_of(a, i) : segments << a->bits;
}

/* Moves candidates whose digit is not the median's to a side; if one point is left, it becomes the node of its
 * segment. */
BI_FN void bi_step_kdtree_compare_digits(const struct bi_ranks_kdtree_digit *a, int64_t i)
{
    if (!bi_ranks_kdtree_is_candidate(a, i)) return;
    uint32_t state = a->state[i], segment = state - (1u << a->level), median_digits = a->median_digits[segment];
    uint32_t digit = bi_ranks_kdtree_digit_of(a, i), median = median_digits & ~BI_RANKS_ALONE;
    if (digit != median)
        a->state[i] = 2 * state + (digit > median);
    else if (median_digits & BI_RANKS_ALONE)
        a->state[i] = BI_RANKS_HAS_PART | (((2 * segment + 1) << (a->levels - a->level)) - 1);
}

/* Turns the state after the last level into the part of each point. */
BI_FN void bi_step_kdtree_write_parts(const struct bi_ranks_kdtree_digit *a, int64_t i)
{
    uint32_t state = a->state[i];
    a->state[i] = state & BI_RANKS_HAS_PART ? state & ~BI_RANKS_HAS_PART : 2 * (state - (1u << a->levels));
}

/* Puts every point into the one segment of level 0. */
BI_FN void bi_step_kdtree_init_state(const struct bi_ranks_kdtree_digit *a, int64_t i) { a->state[i] = 1; }

#endif
