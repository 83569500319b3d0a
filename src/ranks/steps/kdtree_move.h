/* Steps that move rows of k-d trees over ranks, choose their ranks, and compute bounding boxes. */
#ifndef BI_RANKS_STEPS_KDTREE_MOVE_H
#define BI_RANKS_STEPS_KDTREE_MOVE_H

#include "base/words.h"
#include "kdtree/order.h"

/* out[i] = i. */
struct bi_ranks_kdtree_iota {
    uint32_t *out;
};

BI_FN void bi_step_kdtree_iota(const struct bi_ranks_kdtree_iota *a, int64_t i) { a->out[i] = (uint32_t)i; }

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

/* bucket[i] = a hash, below `ranks`, of the coordinates of row i. Equal points share it. */
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

/* Boxes of blocks of BI_RANKS_BOX_ROWS rows, or of as many boxes. Box b: lowest keys of its coordinates at low[b *
 * dim], highest at high[b * dim]. Item i is coordinate i % dim of box i / dim. */
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

#endif
