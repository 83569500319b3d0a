/* Steps that build a voxelisation. */
#ifndef BI_VOXELS_STEPS_BUILD_H
#define BI_VOXELS_STEPS_BUILD_H

#include "voxels/steps/voxel.h"

/* Item t reduces BI_VOXELS_EXTENT_ROWS rows from t * BI_VOXELS_EXTENT_ROWS on into the extents of the occupied voxels:
 * least coordinate and least of the negative ones, INT64_MAX at first; and into the first finite row in no voxel. More
 * rows: fewer atomics and fewer threads; not measured. */
enum { BI_VOXELS_EXTENT_ROWS = 64, BI_VOXELS_FAR_ROW = 2 * BI_VOXELS_DIM, BI_VOXELS_EXTENTS };

struct bi_voxels_extent {
    struct bi_voxels_box box;
    struct bi_voxels_rows points;
    int64_t *extents; /* (BI_VOXELS_EXTENTS) */
};

/* True if all coordinates of a row are finite. */
BI_FN bool bi_voxels_is_finite(const struct bi_voxels_extent *a, int64_t row)
{
    bool finite = true;
    for (int32_t c = 0; c < BI_VOXELS_DIM; c++) {
        if (c >= a->box.dim) continue;
        const double x = bi_voxels_coordinate(a->points.data, a->points.dtype, row * a->points.stride + c);
        finite &= x - x == 0;
    }
    return finite;
}

BI_FN void bi_step_extent(const struct bi_voxels_extent *a, int64_t t)
{
    const int64_t begin = t * BI_VOXELS_EXTENT_ROWS, most = begin + BI_VOXELS_EXTENT_ROWS;
    const int64_t end = most < a->points.n ? most : a->points.n;
    int64_t low[BI_VOXELS_DIM], high[BI_VOXELS_DIM], at[BI_VOXELS_DIM];
    for (int32_t c = 0; c < BI_VOXELS_DIM; c++) low[c] = INT64_MAX, high[c] = INT64_MIN;
    for (int64_t i = begin; i < end; i++) {
        if (!bi_voxels_locate(&a->box, &a->points, i, at)) {
            if (bi_voxels_is_finite(a, i)) bi_atomic_min_i64(a->extents + BI_VOXELS_FAR_ROW, i);
            continue;
        }
        for (int32_t c = 0; c < BI_VOXELS_DIM; c++) {
            if (c >= a->box.dim) continue;
            low[c] = at[c] < low[c] ? at[c] : low[c];
            high[c] = at[c] > high[c] ? at[c] : high[c];
        }
    }
    /* Reads first: few items change an extent. */
    for (int32_t c = 0; c < BI_VOXELS_DIM; c++) {
        if (c >= a->box.dim || low[c] > high[c]) continue;
        int64_t *extent = a->extents + 2 * c;
        if (low[c] < (int64_t)bi_atomic_load_u64((const uint64_t *)extent)) bi_atomic_min_i64(extent, low[c]);
        if (-high[c] < (int64_t)bi_atomic_load_u64((const uint64_t *)(extent + 1)))
            bi_atomic_min_i64(extent + 1, -high[c]);
    }
}

/* Finds the first rows in the first and the last occupied voxel along a coordinate. Items are rows. */
struct bi_voxels_end_rows {
    struct bi_voxels_box box; /* of the occupied voxels */
    struct bi_voxels_rows points;
    int32_t coordinate;
    int64_t *rows; /* (2) INT64_MAX at first */
};

BI_FN void bi_step_end_row(const struct bi_voxels_end_rows *a, int64_t i)
{
    int64_t at[BI_VOXELS_DIM];
    if (!bi_voxels_locate(&a->box, &a->points, i, at)) return;
    const int64_t from_low = at[a->coordinate] - a->box.low[a->coordinate];
    if (from_low == 0) bi_atomic_min_i64(a->rows, i);
    if (from_low == (int64_t)a->box.side[a->coordinate] - 1) bi_atomic_min_i64(a->rows + 1, i);
}

/* Key of row i, and the number i. */
struct bi_voxels_make_keys {
    struct bi_voxels_box box;
    struct bi_voxels_rows points;
    const int64_t *offsets;
    int64_t cloud_count;
    uint64_t none; /* the key of rows in no voxel */
    bool keys_64bit;
    void *keys;
    uint32_t *numbers;
};

BI_FN void bi_step_key(const struct bi_voxels_make_keys *a, int64_t i)
{
    int64_t at[BI_VOXELS_DIM];
    uint64_t key = a->none;
    if (bi_voxels_locate(&a->box, &a->points, i, at))
        key = bi_voxels_key(&a->box, bi_voxels_cloud_of(a->offsets, a->cloud_count, i), at);
    bi_set_word(a->keys, a->keys_64bit, i, key);
    a->numbers[i] = (uint32_t)i;
}

/* Marks the position and the first row of each segment with 1, other positions with 0. Rows are 0 at first. */
struct bi_voxels_mark {
    const void *keys; /* (n) sorted */
    const uint32_t *rows;
    uint64_t none;
    bool keys_64bit;
    uint32_t *is_head, *is_first;
};

BI_FN bool bi_voxels_is_head(const void *keys, bool keys_64bit, uint64_t none, int64_t p)
{
    const uint64_t key = bi_word(keys, keys_64bit, p);
    return key != none && (p == 0 || bi_word(keys, keys_64bit, p - 1) != key);
}

BI_FN void bi_step_mark(const struct bi_voxels_mark *a, int64_t p)
{
    const bool head = bi_voxels_is_head(a->keys, a->keys_64bit, a->none, p);
    a->is_head[p] = head;
    if (head) a->is_first[a->rows[p]] = 1;
}

/* Item i: without a limit, the first voxel of cloud i; with one, the number of its voxels, which is scanned afterwards.
 * Item cloud_count ends the last cloud. */
struct bi_voxels_offset {
    const uint32_t *ranks; /* (n + 1) first rows before each row */
    const int64_t *offsets;
    int64_t n, cloud_count, max_voxels; /* 0: no limit */
    int64_t *voxel_offsets;
};

/* First rows before those of cloud c. */
BI_FN int64_t bi_voxels_rank_of_cloud(const uint32_t *ranks, const int64_t *offsets, int64_t n, int64_t c)
{
    return ranks[offsets ? offsets[c] : c == 0 ? 0 : n];
}

BI_FN void bi_step_offset(const struct bi_voxels_offset *a, int64_t i)
{
    const int64_t rank = bi_voxels_rank_of_cloud(a->ranks, a->offsets, a->n, i);
    if (a->max_voxels == 0) {
        a->voxel_offsets[i] = rank;
        return;
    }
    const int64_t count = i < a->cloud_count ? bi_voxels_rank_of_cloud(a->ranks, a->offsets, a->n, i + 1) - rank : 0;
    a->voxel_offsets[i] = count < a->max_voxels ? count : a->max_voxels;
}

/* Describes the segment that begins at position p. The last position of a segment writes the end of all so far. */
struct bi_voxels_number {
    const void *keys; /* (n) sorted */
    const uint32_t *rows;
    const uint32_t *segment_of; /* (n) segments up to each position */
    const uint32_t *ranks;
    const int64_t *offsets, *voxel_offsets;
    int64_t n, cloud_count, max_voxels;
    uint64_t none;
    bool keys_64bit;
    void *segment_keys;
    uint32_t *heads, *ids, *segments, *segment_count;
};

BI_FN void bi_step_number(const struct bi_voxels_number *a, int64_t p)
{
    /* 1. The last row in a voxel ends the last segment; if there is none, the first position does. */
    const uint64_t key = bi_word(a->keys, a->keys_64bit, p);
    const uint32_t segment = a->segment_of[p];
    if (key != a->none && (p + 1 == a->n || bi_word(a->keys, a->keys_64bit, p + 1) == a->none)) {
        *a->segment_count = segment;
        a->heads[segment] = (uint32_t)(p + 1);
    }
    if (key == a->none && p == 0) *a->segment_count = a->heads[0] = 0;
    if (!bi_voxels_is_head(a->keys, a->keys_64bit, a->none, p)) return;
    /* 2. The rank of its first row in its cloud numbers the voxel. */
    const uint32_t row = a->rows[p], slot = segment - 1;
    const int64_t cloud = bi_voxels_cloud_of(a->offsets, a->cloud_count, row);
    const int64_t rank = a->ranks[row] - bi_voxels_rank_of_cloud(a->ranks, a->offsets, a->n, cloud);
    const bool is_kept = a->max_voxels == 0 || rank < a->max_voxels;
    const uint32_t id = is_kept ? (uint32_t)(a->voxel_offsets[cloud] + rank) : BI_VOXELS_NONE;
    bi_set_word(a->segment_keys, a->keys_64bit, slot, key);
    a->heads[slot] = (uint32_t)p;
    a->ids[slot] = id;
    if (is_kept) a->segments[id] = slot;
}

/* The voxel of the row at position p. */
struct bi_voxels_invert {
    const uint32_t *rows, *segment_of, *ids, *heads, *segment_count;
    uint32_t *inverse;
};

BI_FN void bi_step_invert(const struct bi_voxels_invert *a, int64_t p)
{
    const bool inside = p < a->heads[*a->segment_count];
    a->inverse[a->rows[p]] = inside ? a->ids[a->segment_of[p] - 1] : BI_VOXELS_NONE;
}

#endif
