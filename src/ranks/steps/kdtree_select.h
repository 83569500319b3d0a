/* Steps of the selection of medians: a digit of each candidate's superkey is counted, then compared with the
 * median's. */
#ifndef BI_RANKS_STEPS_KDTREE_SELECT_H
#define BI_RANKS_STEPS_KDTREE_SELECT_H

#include "kdtree/order.h"

/* state[i] says where point i is: 2^level + s in segment s of a level, which is a candidate for its median while that
 * level is done; on one of its sides, in a segment of the next level; or BI_RANKS_PLACED | its piece. */
#define BI_RANKS_PLACED 0x80000000u
#define BI_RANKS_ALONE 0x80000000u /* of choice: one point has all digits of the median */

struct bi_ranks_kdtree_digit {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim, coordinate; /* dim: the id */
    int64_t first;
    const int64_t *ids;
    int32_t shift, bits;   /* of the digit */
    int32_t level, levels; /* this one, and that of the cut */
    uint32_t *state;
    uint32_t *bins;         /* of kdtree_bins */
    const uint32_t *choice; /* of kdtree_choose: the median's digit in each segment */
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

/* bins[i] = (segment, digit); behind all of these for a point that is no candidate. */
BI_FN void bi_step_kdtree_bins(const struct bi_ranks_kdtree_digit *a, int64_t i)
{
    uint32_t segments = 1u << a->level;
    bool candidate = bi_ranks_kdtree_is_candidate(a, i);
    a->bins[i] = candidate ? (a->state[i] - segments) << a->bits | bi_ranks_kdtree_digit_of(a, i) : segments << a->bits;
}

BI_FN void bi_step_kdtree_choose(const struct bi_ranks_kdtree_digit *a, int64_t i)
{
    if (!bi_ranks_kdtree_is_candidate(a, i)) return;
    uint32_t state = a->state[i], segment = state - (1u << a->level), choice = a->choice[segment];
    uint32_t digit = bi_ranks_kdtree_digit_of(a, i), median = choice & ~BI_RANKS_ALONE;
    if (digit != median)
        a->state[i] = 2 * state + (digit > median);
    else if (choice & BI_RANKS_ALONE)
        a->state[i] = BI_RANKS_PLACED | (((2 * segment + 1) << (a->levels - a->level)) - 1);
}

/* After the last level: the piece of each point. */
BI_FN void bi_step_kdtree_pieces(const struct bi_ranks_kdtree_digit *a, int64_t i)
{
    uint32_t state = a->state[i];
    a->state[i] = state & BI_RANKS_PLACED ? state & ~BI_RANKS_PLACED : 2 * (state - (1u << a->levels));
}

/* state[i] = in the one segment of level 0. */
BI_FN void bi_step_kdtree_begin(const struct bi_ranks_kdtree_digit *a, int64_t i) { a->state[i] = 1; }

#endif
