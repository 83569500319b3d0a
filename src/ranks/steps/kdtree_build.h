/* Steps of the build of k-d trees over ranks: moves of rows, their ranks, bounding boxes, selection of medians, the
 * published build. */
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
    const void *ids; /* of 64 (`has_64bit_ids`) or 32 bits */
    bool has_64bit_ids;
    void *out;
    bool is_64bit;
};

BI_FN void bi_step_kdtree_row_ids(const struct bi_ranks_kdtree_row_ids *a, int64_t i)
{
    uint32_t row = a->rows[i];
    const int64_t at = a->order && row != BI_KDTREE_NONE ? a->order[row] : row;
    bi_set_word(a->out, a->is_64bit, i, row == BI_KDTREE_NONE ? UINT64_MAX : bi_word(a->ids, a->has_64bit_ids, at));
}

/* ---- cuts: the medians above the subtrees of the partition ----
 *
 * Node h of level l, 2^l <= h < 2^(l + 1), is the median of segment h - 2^l, as in a heap. Its dim + 1 words, from
 * cuts[h * (dim + 1)] on, are the ordered keys of its coordinates and its id. */

/* Points and the cuts. */
struct bi_ranks_kdtree_cuts {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim;
    int64_t first; /* the id of row 0 if `ids` is NULL */
    const int64_t *ids;
    bool by_row; /* in place of ids, rows are compared with the cuts of kdtree_local_cuts */
    const uint64_t *cuts;
};

BI_FN int64_t bi_ranks_kdtree_id_of(const struct bi_ranks_kdtree_cuts *a, int64_t i)
{
    return a->by_row ? 2 * i : a->ids ? a->ids[i] : a->first + i;
}

/* Compares row i with a cut by the superkey that begins at coordinate `first`, then by id. Returns -1, 0 or 1. */
BI_FN int bi_ranks_kdtree_compare_cut(const struct bi_ranks_kdtree_cuts *a, bosc_dtype dtype, int64_t i,
                                      const uint64_t *cut, int32_t first)
{
    for (int32_t t = 0, c = first; t < a->dim; t++, c = bi_kdtree_cycle(c, a->dim)) {
        const uint64_t key = bi_kdtree_key(a->rows.data, i * a->rows.stride + c, dtype);
        if (key != cut[c]) return key < cut[c] ? -1 : 1;
    }
    const int64_t id = bi_ranks_kdtree_id_of(a, i), of_cut = (int64_t)cut[a->dim];
    return id < of_cut ? -1 : id > of_cut;
}

/* Returns the segment of row i at `levels` as a heap index, 2^levels or more; less: that of the cut that row i is. */
BI_FN uint32_t bi_ranks_kdtree_descend(const struct bi_ranks_kdtree_cuts *a, bosc_dtype dtype, int64_t i,
                                       int32_t levels)
{
    uint32_t h = 1;
    for (int32_t level = 0, c = 0; level < levels; level++, c = bi_kdtree_cycle(c, a->dim)) {
        const int side = bi_ranks_kdtree_compare_cut(a, dtype, i, a->cuts + h * (int64_t)(a->dim + 1), c);
        if (side == 0) break;
        h = 2 * h + (side > 0);
    }
    return h;
}

/* Returns the part of a partition with the subtrees of level `levels`: of subtree or cut h, as a heap index. */
BI_FN uint32_t bi_ranks_kdtree_part_of_node(uint32_t h, int32_t levels)
{
    const uint32_t subtrees = 1u << levels;
    if (h >= subtrees) return 2 * (h - subtrees);
    /* The part after the last subtree j of the less side: 2 j + 1. */
    const int level = bi_bit_length(h) - 1;
    return ((2 * (h - (1u << level)) + 1) << (levels - level)) - 1;
}

/* In cuts of a shard, a cut's id becomes 2 r if it is that of row r; else 2 r - 1, if r rows have smaller ids. So cuts
 * are compared with rows by their order alone. Item h is a cut; there is no cut 0. */
struct bi_ranks_kdtree_local_cuts {
    const uint64_t *cuts;
    int32_t dim;
    const void *ids; /* (n), ascending; of 64 (`is_64bit`) or 32 bits */
    bool is_64bit;
    int64_t n;
    uint64_t *out;
};

BI_FN void bi_step_kdtree_local_cuts(const struct bi_ranks_kdtree_local_cuts *a, int64_t h)
{
    if (h == 0) return; /* its words are never written */
    const uint64_t *cut = a->cuts + h * (a->dim + 1);
    const uint64_t id = cut[a->dim];
    int64_t low = 0, high = a->n;
    BI_PARTITION_POINT(low, high, r, bi_word(a->ids, a->is_64bit, r) < id);
    for (int32_t c = 0; c < a->dim; c++) a->out[h * (a->dim + 1) + c] = cut[c];
    a->out[h * (a->dim + 1) + a->dim] = (uint64_t)(2 * low - !(low < a->n && bi_word(a->ids, a->is_64bit, low) == id));
}

/* Returns the part of row i. */
BI_FN uint32_t bi_ranks_kdtree_part_of(const struct bi_ranks_kdtree_cuts *a, int64_t i, int32_t levels)
{
    return bi_ranks_kdtree_part_of_node(bi_ranks_kdtree_descend(a, a->dtype, i, levels), levels);
}

/* ids[i], of 64 (`is_64bit`) or 32 bits, = first + rows[i]: the id of a sender's row. */
struct bi_ranks_kdtree_sent_ids {
    const uint32_t *rows;
    int64_t first;
    void *ids;
    bool is_64bit;
};

BI_FN void bi_step_kdtree_sent_ids(const struct bi_ranks_kdtree_sent_ids *a, int64_t i)
{
    bi_set_word(a->ids, a->is_64bit, i, (uint64_t)(a->first + a->rows[i]));
}

/* bucket[i] = the part of row i, less `first`. */
struct bi_ranks_kdtree_local_parts {
    struct bi_ranks_kdtree_cuts points;
    int32_t levels;
    uint32_t first;
    uint32_t *bucket;
};

BI_FN void bi_step_kdtree_local_parts(const struct bi_ranks_kdtree_local_parts *a, int64_t i)
{
    a->bucket[i] = bi_ranks_kdtree_part_of(&a->points, i, a->levels) - a->first;
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

/* Dense rows, for their bounding box. */
struct bi_ranks_kdtree_box {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim;
};

/* ---- selection of the medians ---- */

/* A sampled row: row `sampled_row(j)` of all ranks' rows, in which each has a range from `begin` on. Item i writes the
 * dim + 1 words of sample number first + i. */
struct bi_ranks_kdtree_sample {
    struct bi_ranks_kdtree_cuts points;
    int64_t first, begin, samples, total;
    uint64_t *words;
};

/* Returns a row of stratum j of `samples` <= total strata, chosen by a hash: no regular order of rows biases it. */
BI_FN int64_t bi_ranks_kdtree_sampled_row(int64_t j, int64_t samples, int64_t total)
{
    const int64_t begin = j * total / samples, end = (j + 1) * total / samples;
    return begin + (int64_t)(bi_mix_u64((uint64_t)j) % (uint64_t)(end - begin));
}

BI_FN void bi_ranks_kdtree_write_words(const struct bi_ranks_kdtree_cuts *a, int64_t i, uint64_t *words)
{
    for (int32_t c = 0; c < a->dim; c++) words[c] = bi_kdtree_key(a->rows.data, i * a->rows.stride + c, a->dtype);
    words[a->dim] = (uint64_t)bi_ranks_kdtree_id_of(a, i);
}

BI_FN void bi_step_kdtree_sample(const struct bi_ranks_kdtree_sample *a, int64_t i)
{
    const int64_t row = bi_ranks_kdtree_sampled_row(a->first + i, a->samples, a->total) - a->begin;
    bi_ranks_kdtree_write_words(&a->points, row, a->words + i * (a->points.dim + 1));
}

/* The pass over all points of a level. The candidates for the median of a segment have keys within its bracket. The
 * results are 0 at first, `nan` INT64_MAX. */
struct bi_ranks_kdtree_filter {
    struct bi_ranks_kdtree_cuts points;
    int32_t level;
    bool checks_nan;          /* at level 0 */
    const uint64_t *brackets; /* by segment: lowest and highest key of the level's coordinate */
    int64_t *counts;          /* by segment: points below the bracket, and candidates */
    uint32_t *candidates;     /* (n): their rows, in any order */
    int64_t *candidate_count;
    int64_t *nan; /* the first row with a NaN, if checks_nan */
    /* At the last level: the rank that receives each row; those of candidates wait for the medians. Else NULL. */
    uint32_t *owners;
    int32_t levels;          /* of the partition */
    const uint32_t *rank_of; /* (2^levels): by subtree */
};

/* Sets the owner of row i, which is below or above the bracket of node h, or is the cut h of a level above. */
BI_FN void bi_ranks_kdtree_set_owner(const struct bi_ranks_kdtree_filter *a, int64_t i, uint32_t h, bool is_above)
{
    const uint32_t node = h >> a->level == 1 ? 2 * h + is_above : h;
    a->owners[i] = a->rank_of[bi_ranks_kdtree_part_of_node(node, a->levels) >> 1];
}

/* Sets the owner of candidate i, once all medians are known. */
BI_FN void bi_step_kdtree_candidate_owner(const struct bi_ranks_kdtree_filter *a, int64_t i)
{
    const int64_t row = a->candidates[i];
    a->owners[row] = a->rank_of[bi_ranks_kdtree_part_of(&a->points, row, a->levels) >> 1];
}

enum { BI_RANKS_NEITHER = -1 };

/* Returns the key of row i by which it is filtered. dtype, level here and below: those of the filter, constants in
 * kernels. */
BI_FN uint64_t bi_ranks_kdtree_filter_key(const struct bi_ranks_kdtree_filter *a, bosc_dtype dtype, int32_t level,
                                          int64_t i)
{
    return bi_kdtree_key(a->points.rows.data, i * a->points.rows.stride + level % a->points.dim, dtype);
}

/* Returns the index of row i in a->counts, which is odd for candidates; or BI_RANKS_NEITHER for a cut and for a row
 * above the bracket, which are not counted. Sets its owner at the last level. key: filter_key. */
BI_FN int32_t bi_ranks_kdtree_class_of(const struct bi_ranks_kdtree_filter *a, bosc_dtype dtype, int32_t level,
                                       int64_t i, uint64_t key)
{
    const uint32_t h = bi_ranks_kdtree_descend(&a->points, dtype, i, level), segments = 1u << level;
    const bool is_cut = h < segments;
    const uint64_t *bracket = is_cut ? NULL : a->brackets + 2 * (int64_t)(h - segments);
    const bool is_above = !is_cut && key > bracket[1];
    if (a->owners) bi_ranks_kdtree_set_owner(a, i, h, is_above);
    if (is_cut || is_above) return BI_RANKS_NEITHER;
    return (int32_t)(2 * (h - segments) + (key >= bracket[0]));
}

BI_FN bool bi_ranks_kdtree_has_nan(const struct bi_ranks_kdtree_cuts *a, bosc_dtype dtype, int64_t i)
{
    bool found = false;
    for (int32_t c = 0; c < a->dim; c++) {
        const double x = bosc_kdtree_number(a->rows.data, i * a->rows.stride + c, dtype);
        found |= x != x;
    }
    return found;
}

/* Sets the segments and the ids of the candidates. Item i is candidate i. */
struct bi_ranks_kdtree_candidates {
    struct bi_ranks_kdtree_cuts points;
    int32_t level;
    const uint32_t *candidates;
    uint32_t *state; /* see struct bi_ranks_kdtree_digit */
    int64_t *ids;
};

BI_FN void bi_step_kdtree_candidates(const struct bi_ranks_kdtree_candidates *a, int64_t i)
{
    const int64_t row = a->candidates[i];
    a->state[i] = bi_ranks_kdtree_descend(&a->points, a->points.dtype, row, a->level);
    a->ids[i] = bi_ranks_kdtree_id_of(&a->points, row);
}

/* A digit of each candidate's superkey is counted, then compared with the median's digit. */
#define BI_RANKS_ALONE 0x80000000u /* of median_digits: one point is left, which is the median */

struct bi_ranks_kdtree_digit {
    struct bi_ranks_kdtree_cuts points; /* the candidates; its ids are set */
    int32_t coordinate;                 /* of the digit; dim: the id */
    const uint64_t *brackets;           /* of the filter: lowest keys are subtracted; or NULL */
    int32_t shift, bits;                /* of the digit */
    int32_t level;
    uint32_t *state;               /* the segment as a heap index; 0: no longer a candidate */
    uint32_t *bins;                /* of kdtree_digit_bins */
    const uint32_t *median_digits; /* of kdtree_compare_digits: the median's digit in each segment */
    uint64_t *medians;             /* likewise: the words of each segment's median, once it is found */
};

BI_FN uint32_t bi_ranks_kdtree_digit_of(const struct bi_ranks_kdtree_digit *a, int64_t i)
{
    const struct bi_ranks_kdtree_cuts *p = &a->points;
    uint64_t key = a->coordinate < p->dim ? bi_kdtree_key(p->rows.data, i * p->rows.stride + a->coordinate, p->dtype)
                                          : (uint64_t)p->ids[i];
    if (a->brackets) key -= a->brackets[2 * (int64_t)(a->state[i] - (1u << a->level))];
    return (uint32_t)(key >> a->shift) & ((1u << a->bits) - 1);
}

/* bins[i] = (segment, digit); one past all of these for other points. */
BI_FN void bi_step_kdtree_digit_bins(const struct bi_ranks_kdtree_digit *a, int64_t i)
{
    const uint32_t segments = 1u << a->level, state = a->state[i];
    a->bins[i] = state ? (state - segments) << a->bits | bi_ranks_kdtree_digit_of(a, i) : segments << a->bits;
}

/* Points whose digit is not the median's are no longer candidates; if one point is left, it is the median. */
BI_FN void bi_step_kdtree_compare_digits(const struct bi_ranks_kdtree_digit *a, int64_t i)
{
    if (!a->state[i]) return;
    const uint32_t segment = a->state[i] - (1u << a->level), median = a->median_digits[segment];
    const bool is_kept = bi_ranks_kdtree_digit_of(a, i) == (median & ~BI_RANKS_ALONE);
    if (is_kept && median & BI_RANKS_ALONE)
        bi_ranks_kdtree_write_words(&a->points, i, a->medians + segment * (int64_t)(a->points.dim + 1));
    if (!is_kept || median & BI_RANKS_ALONE) a->state[i] = 0;
}

/* ---- the published build ---- */

/* Merges two runs of rows, [0, na) and [na, rows.n), each in the order of superkey `first`: order[k] is the k-th row;
 * of equal rows those of lower ids, or without ids those of the first run, come first. Item i writes BI_RANKS_MERGED
 * positions. A binary search on the diagonal of the merge matrix finds its start in both runs. Source: Green, McColl,
 * Bader, GPU Merge Path (2012). */
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
    uint32_t *position_of; /* (n): position of each number in by_id */
    uint32_t *ids; /* of the side's tree, id_stride apart: numbers at first, then positions not counting the root */
    int64_t id_stride;
};

BI_FN void bi_step_kdtree_side_positions(const struct bi_ranks_kdtree_side *a, int64_t i)
{
    a->position_of[a->by_id[i]] = (uint32_t)i;
}

BI_FN void bi_step_kdtree_side_ids(const struct bi_ranks_kdtree_side *a, int64_t i)
{
    const uint32_t position = a->position_of[a->ids[i * a->id_stride]];
    a->ids[i * a->id_stride] = position - (a->has_root && position > a->position_of[a->n - 1]);
}

#endif
