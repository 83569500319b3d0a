/* Steps of the build of k-d trees over ranks: moves of rows, their ranks, bounding boxes, selection of medians, the
 * published build on two ranks. */
#ifndef BI_RANKS_STEPS_KDTREE_BUILD_H
#define BI_RANKS_STEPS_KDTREE_BUILD_H

#include "base/bits.h"
#include "kdtree/order.h"

/* Gathers element k of rows of `width` elements: row order[i] (NULL: i), `stride` elements apart, becomes row i of the
 * dense `out`. Scatters the other way around. Gathered rows are rotated to begin with their element `rotate`. */
struct bi_ranks_kdtree_rows {
    const void *in;
    void *out;
    const uint32_t *order;
    int64_t width, stride, rotate;
    bool is_64bit; /* elements of 8 bytes, else 4 */
};

BI_FN void bi_step_kdtree_gather(const struct bi_ranks_kdtree_rows *a, int64_t k)
{
    int64_t i = k / a->width, c = k - i * a->width + a->rotate, row = a->order ? (int64_t)a->order[i] : i;
    if (c >= a->width) c -= a->width;
    bi_set_word(a->out, a->is_64bit, k, bi_word(a->in, a->is_64bit, row * a->stride + c));
}

BI_FN void bi_step_kdtree_scatter(const struct bi_ranks_kdtree_rows *a, int64_t k)
{
    int64_t i = k / a->width, c = k - i * a->width;
    bi_set_word(a->out, a->is_64bit, (int64_t)a->order[i] * a->stride + c, bi_word(a->in, a->is_64bit, k));
}

/* out[i], of 64 (`is_64bit`) or 32 bits, = the id of row order[rows[i]] (order NULL: rows[i]); -1 where rows[i] is
 * BI_KDTREE_NONE. */
struct bi_ranks_kdtree_row_ids {
    const uint32_t *rows, *order;
    const int64_t *ids;
    void *out;
    bool is_64bit;
};

BI_FN void bi_step_kdtree_row_ids(const struct bi_ranks_kdtree_row_ids *a, int64_t i)
{
    uint32_t row = a->rows[i];
    int64_t id = row == BI_KDTREE_NONE ? -1 : a->ids[a->order ? a->order[row] : row];
    bi_set_word(a->out, a->is_64bit, i, (uint64_t)id);
}

/* bucket[i] = rank_of[subtree of part i]: the rank that receives point i. */
struct bi_ranks_kdtree_part_owner {
    const uint32_t *parts, *rank_of;
    uint32_t *bucket;
};

BI_FN void bi_step_kdtree_part_owner(const struct bi_ranks_kdtree_part_owner *a, int64_t i)
{
    a->bucket[i] = a->rank_of[a->parts[i] >> 1];
}

/* bucket[i] = parts[i] - first. */
struct bi_ranks_kdtree_local_parts {
    const uint32_t *parts;
    uint32_t first;
    uint32_t *bucket;
};

BI_FN void bi_step_kdtree_local_parts(const struct bi_ranks_kdtree_local_parts *a, int64_t i)
{
    a->bucket[i] = a->parts[i] - a->first;
}

/* bucket[i] = a hash, below `ranks`, of the coordinates of row i. Equal points share it. The constant, 2^64 / the
 * golden ratio, lets keys of 0 count. */
struct bi_ranks_kdtree_hash_owner {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim;
    uint32_t ranks;
    uint32_t *bucket;
};

BI_FN void bi_step_kdtree_hash_owner(const struct bi_ranks_kdtree_hash_owner *a, int64_t i)
{
    uint64_t h = 0;
    for (int32_t c = 0; c < a->dim; c++)
        h = bi_mix_u64(h + 0x9e3779b97f4a7c15ull + bi_kdtree_key(a->rows.data, i * a->rows.stride + c, a->dtype));
    a->bucket[i] = (uint32_t)((h >> 32) * a->ranks >> 32);
}

/* bucket[i] = the rank that owns row ids[i] of `n`; an existing rank for ids out of range too. */
struct bi_ranks_kdtree_owner_of_id {
    const uint32_t *ids;
    int64_t n;
    uint32_t ranks;
    uint32_t *bucket;
};

BI_FN void bi_step_kdtree_owner_of_id(const struct bi_ranks_kdtree_owner_of_id *a, int64_t i)
{
    uint64_t rank = (uint64_t)a->ids[i] * a->ranks / (uint64_t)a->n;
    a->bucket[i] = rank < a->ranks ? (uint32_t)rank : a->ranks - 1;
}

/* Boxes of blocks of BI_RANKS_BOX_ROWS rows, or of as many boxes: six levels for 2^36 rows. Box b: lowest keys of its
 * coordinates at low[b * dim], highest at high[b * dim]. Item i is coordinate i % dim of box i / dim. */
enum { BI_RANKS_BOX_ROWS = 64 };

struct bi_ranks_kdtree_box {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim;
    int64_t n; /* number of rows, or of boxes */
    const uint64_t *lows, *highs;
    uint64_t *low, *high;
};

BI_FN void bi_step_kdtree_box_rows(const struct bi_ranks_kdtree_box *a, int64_t i)
{
    int64_t b = i / a->dim, c = i - b * a->dim, end = (b + 1) * BI_RANKS_BOX_ROWS;
    uint64_t low = UINT64_MAX, high = 0;
    for (int64_t row = b * BI_RANKS_BOX_ROWS; row < end && row < a->n; row++) {
        uint64_t key = bi_kdtree_key(a->rows.data, row * a->rows.stride + c, a->dtype);
        if (key < low) low = key;
        if (key > high) high = key;
    }
    a->low[i] = low;
    a->high[i] = high;
}

BI_FN void bi_step_kdtree_box_boxes(const struct bi_ranks_kdtree_box *a, int64_t i)
{
    int64_t b = i / a->dim, c = i - b * a->dim, end = (b + 1) * BI_RANKS_BOX_ROWS;
    uint64_t low = UINT64_MAX, high = 0;
    for (int64_t other = b * BI_RANKS_BOX_ROWS; other < end && other < a->n; other++) {
        if (a->lows[other * a->dim + c] < low) low = a->lows[other * a->dim + c];
        if (a->highs[other * a->dim + c] > high) high = a->highs[other * a->dim + c];
    }
    a->low[i] = low;
    a->high[i] = high;
}

/* ---- selection of medians: a digit of each candidate's superkey is counted, then compared with the median's digit
 * ---- */

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
    int32_t level, levels; /* the current level; the level of the partition's subtrees */
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
        /* The part after the last subtree j of the segment's less side: 2 j + 1. */
        a->state[i] = BI_RANKS_HAS_PART | (((2 * segment + 1) << (a->levels - a->level)) - 1);
}

/* Turns the state after the last level into the part of each point. */
BI_FN void bi_step_kdtree_write_parts(const struct bi_ranks_kdtree_digit *a, int64_t i)
{
    uint32_t state = a->state[i];
    a->state[i] = state & BI_RANKS_HAS_PART ? state & ~BI_RANKS_HAS_PART : 2 * (state - (1u << a->levels));
}

/* Every point is a candidate in the one segment of level 0. */
BI_FN void bi_step_kdtree_init_state(const struct bi_ranks_kdtree_digit *a, int64_t i) { a->state[i] = 1; }

/* ---- the published build ---- */

/* Merges two runs of rows, [0, na) and [na, rows.n), each in the order of superkey `first`: order[k] is the k-th row; of
 * equal rows those of lower ids, or without ids those of the first run, come first. Item i writes BI_RANKS_MERGED positions. A binary search on the
 * diagonal of the merge matrix finds its start in both runs. Source: Green, McColl, Bader, GPU Merge Path (2012). */
enum { BI_RANKS_MERGED = 16 };

struct bi_ranks_kdtree_merge_path {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim, first;
    const int64_t *ids; /* of the rows, ascending among equal rows of a run; NULL: those of the first run are lower */
    int64_t na;
    uint32_t *order;
};

/* True if row b of the second run precedes row a of the first. */
BI_FN bool bi_ranks_kdtree_second_precedes(const struct bi_ranks_kdtree_merge_path *m, int64_t a, int64_t b)
{
    const int order = bi_kdtree_compare_rows(&m->rows, m->dtype, m->dim, b, a, m->first);
    return order ? order < 0 : m->ids && m->ids[b] < m->ids[a];
}

/* 1. Find the start of the item's run in both inputs. 2. Merge BI_RANKS_MERGED rows from there. */
BI_FN void bi_step_kdtree_merge_path(const struct bi_ranks_kdtree_merge_path *m, int64_t i)
{
    const int64_t n = m->rows.n, nb = n - m->na, begin = i * BI_RANKS_MERGED;
    const int64_t end = begin + BI_RANKS_MERGED < n ? begin + BI_RANKS_MERGED : n;
    int64_t low = begin > nb ? begin - nb : 0, high = begin < m->na ? begin : m->na;
    BI_PARTITION_POINT(low, high, a, !bi_ranks_kdtree_second_precedes(m, a, m->na + begin - 1 - a));
    int64_t a = low, b = m->na + begin - low;
    for (int64_t k = begin; k < end; k++) {
        const bool from_second = a == m->na || (b < n && bi_ranks_kdtree_second_precedes(m, a, b));
        m->order[k] = (uint32_t)(from_second ? b++ : a++);
    }
}

/* A rank's subtree, with points numbered in the order of its parent's superkey. The node above it, if the rank has one,
 * is the last point. */
struct bi_ranks_kdtree_side {
    const uint32_t *by_id; /* (n): the numbers in the order of ids */
    int64_t n;
    bool has_root;
    uint32_t part;         /* of the side */
    uint32_t *position_of; /* (n): position of each number in by_id */
    uint32_t *parts;       /* (n), in the order of ids */
    uint32_t *ids; /* of the side's tree, id_stride apart: numbers at first, then positions not counting the root */
    int64_t id_stride;
};

BI_FN void bi_step_kdtree_side_parts(const struct bi_ranks_kdtree_side *a, int64_t i)
{
    const uint32_t number = a->by_id[i];
    a->position_of[number] = (uint32_t)i;
    a->parts[i] = a->part + (a->has_root && number == a->n - 1);
}

BI_FN void bi_step_kdtree_side_ids(const struct bi_ranks_kdtree_side *a, int64_t i)
{
    const uint32_t position = a->position_of[a->ids[i * a->id_stride]];
    a->ids[i * a->id_stride] = position - (a->has_root && position > a->position_of[a->n - 1]);
}

#endif
