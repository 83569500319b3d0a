/* Steps that check and build a batch. */
#ifndef BI_CLOUDS_STEPS_BUILD_H
#define BI_CLOUDS_STEPS_BUILD_H

#include "base/atomic.h"
#include "clouds/steps/cloud.h"

/* Sets *row to the smallest row with a NaN. */
struct bi_clouds_find_nan {
    struct bi_clouds_rows rows;
    int64_t *row;
};

BI_FN void bi_step_find_nan(const struct bi_clouds_find_nan *a, int64_t i)
{
    bool nan = false;
    for (int32_t c = 0; c < a->rows.dim; c++) {
        const double x = bi_clouds_coordinate(a->rows.data, a->rows.is_f64, i * a->rows.stride + c);
        nan |= x != x;
    }
    if (nan) bi_atomic_min_i64(a->row, i);
}

/* *negative_largest = the smallest of -(items of a segment); *smallest = the smallest of the items; *last = the last
 * offset. Offsets may be any numbers, as they are checked in the same batch of work: differences wrap. */
struct bi_clouds_sizes {
    const int64_t *offsets;
    int64_t count;
    int64_t *negative_largest, *smallest, *last;
};

BI_FN void bi_step_sizes(const struct bi_clouds_sizes *a, int64_t i)
{
    const int64_t negative = (int64_t)((uint64_t)a->offsets[i] - (uint64_t)a->offsets[i + 1]);
    if (negative < 0) bi_atomic_min_i64(a->negative_largest, negative);
    bi_atomic_min_i64(a->smallest, negative > -INT64_MAX ? -negative : 0);
    if (i == a->count - 1) *a->last = a->offsets[a->count];
}

/* The offsets of clouds from the cloud of each row, which ascends from 0: item i is the border before row i, item n the
 * end. Numbers below `limit` are good; `count` clouds are there, or one more than the last number if it is -1. Offsets
 * beyond `capacity` are left out. *bad: the first row with a wrong number. *last: the last number, or -1. */
struct bi_clouds_offsets_of_batch {
    const int64_t *batch; /* (n) */
    int64_t n, count, limit, capacity;
    int64_t *offsets; /* (capacity) */
    int64_t *bad, *negative_largest, *smallest, *last;
};

/* The first row behind i of another cloud: steps that double, then a binary search. */
BI_FN int64_t bi_clouds_run_end(const int64_t *batch, int64_t n, int64_t i)
{
    const int64_t number = batch[i];
    int64_t step = 1;
    while (step < n - i && batch[i + step] == number) step *= 2;
    int64_t low = i + step / 2, high = step < n - i ? i + step : n;
    BI_PARTITION_POINT(low, high, row, batch[row] == number);
    return low;
}

/* Items store the same offset only where numbers are wrong. */
BI_FN void bi_clouds_store_offset(int64_t *to, int64_t value)
{
#ifdef __CUDA_ARCH__
    bi_store_relaxed((unsigned long long *)to, (unsigned long long)value);
#else
    __atomic_store_n(to, value, __ATOMIC_RELAXED);
#endif
}

BI_FN void bi_step_offsets_of_batch(const struct bi_clouds_offsets_of_batch *a, int64_t i)
{
    /* 1. The clouds on both sides of the border. Numbers may be any until they are checked. */
    const int64_t before = i > 0 ? a->batch[i - 1] : -1;
    const int64_t behind = a->count >= 0 ? a->count : (int64_t)((uint64_t)before + 1);
    const int64_t cloud = i < a->n ? a->batch[i] : behind;
    if (i == a->n) *a->last = before;
    if (i > 0 && i < a->n && cloud == before) return;
    if (cloud < 0 || cloud < before || (i < a->n && cloud >= a->limit)) {
        bi_atomic_min_i64(a->bad, i);
        return;
    }
    /* 2. Offsets of the clouds from the one before to this one. */
    for (int64_t c = before < 0 ? 0 : before + 1; c <= cloud && c < a->capacity; c++)
        bi_clouds_store_offset(&a->offsets[c], i);
    /* 3. Sizes: clouds in between are empty. */
    if (before < cloud - 1) bi_atomic_min_i64(a->smallest, 0);
    if (i == a->n) return;
    const int64_t size = bi_clouds_run_end(a->batch, a->n, i) - i;
    bi_atomic_min_i64(a->smallest, size);
    bi_atomic_min_i64(a->negative_largest, -size);
}

/* Item t reduces BI_CLOUDS_EXTENT_ROWS rows from t * BI_CLOUDS_EXTENT_ROWS on into the extents of their clouds, which
 * are all ones at first. More rows: fewer atomics and fewer threads; not measured. */
enum { BI_CLOUDS_EXTENT_ROWS = 64 };

struct bi_clouds_extent {
    struct bi_clouds_rows rows;
    const int64_t *offsets;
    int64_t cloud_count;
    uint64_t *extents; /* (cloud_count x 2 x axes) */
};

BI_FN void bi_step_extent(const struct bi_clouds_extent *a, int64_t t)
{
    const int32_t axes = bi_clouds_axes(a->rows.dim);
    int64_t i = t * BI_CLOUDS_EXTENT_ROWS;
    const int64_t last = i + BI_CLOUDS_EXTENT_ROWS < a->rows.n ? i + BI_CLOUDS_EXTENT_ROWS : a->rows.n;
    int64_t cloud = bi_clouds_cloud_of(a->offsets, a->cloud_count, i);
    while (i < last) {
        const int64_t end = a->offsets[cloud + 1] < last ? a->offsets[cloud + 1] : last;
        for (int32_t c = 0; c < axes && i < end; c++) {
            uint64_t low = UINT64_MAX, not_high = UINT64_MAX;
            for (int64_t r = i; r < end; r++) {
                const double x = bi_clouds_coordinate(a->rows.data, a->rows.is_f64, r * a->rows.stride + c);
                const uint64_t key = bi_key_u64_of_f64(x);
                low = key < low ? key : low;
                not_high = ~key < not_high ? ~key : not_high;
            }
            bi_atomic_min_u64(&a->extents[(cloud * axes + c) * 2], low);
            bi_atomic_min_u64(&a->extents[(cloud * axes + c) * 2 + 1], not_high);
        }
        i = end;
        cloud++;
    }
}

/* Key of row i, its cloud and the Morton code of its coordinates in the cloud's extent; and the number i. */
struct bi_clouds_key {
    struct bi_clouds_rows rows;
    const int64_t *offsets;
    const uint64_t *extents;
    int64_t cloud_count;
    int bits; /* of each coordinate */
    bool keys_64bit;
    void *keys;
    uint32_t *numbers;
};

/* The cell of x among 2^bits in the extent; a NaN quotient, of an extent without length or of infinities, gives 0. */
BI_FN uint32_t bi_clouds_cell(double x, double low, double high, int bits)
{
    const double cells = (double)((uint64_t)1 << bits), at = (x - low) / (high - low) * cells;
    if (!(at > 0)) return 0;
    return at < cells ? (uint32_t)at : (uint32_t)(((uint64_t)1 << bits) - 1);
}

BI_FN void bi_step_key(const struct bi_clouds_key *a, int64_t i)
{
    const int32_t axes = bi_clouds_axes(a->rows.dim);
    const int64_t cloud = bi_clouds_cloud_of(a->offsets, a->cloud_count, i);
    uint32_t cells[BI_CLOUDS_AXES];
    for (int32_t c = 0; c < BI_CLOUDS_AXES; c++) {
        if (c >= axes) continue;
        const uint64_t *extent = &a->extents[(cloud * axes + c) * 2];
        const double x = bi_clouds_coordinate(a->rows.data, a->rows.is_f64, i * a->rows.stride + c);
        cells[c] = bi_clouds_cell(x, bi_f64_of_key(extent[0]), bi_f64_of_key(~extent[1]), a->bits);
    }
    uint64_t key = (uint64_t)cloud;
    for (int b = a->bits - 1; b >= 0; b--)
        for (int32_t c = 0; c < BI_CLOUDS_AXES; c++)
            if (c < axes) key = key << 1 | (cells[c] >> b & 1);
    bi_set_word(a->keys, a->keys_64bit, i, key);
    a->numbers[i] = (uint32_t)i;
}

/* The point of row numbers[i], in the format of a view; numbers NULL: of row i. */
struct bi_clouds_gather {
    struct bi_clouds_rows rows;
    const uint32_t *numbers;
    int32_t pitch;
    void *points;
};

BI_FN void bi_step_gather(const struct bi_clouds_gather *a, int64_t i)
{
    const int64_t from = (a->numbers ? (int64_t)a->numbers[i] : i) * a->rows.stride, to = i * a->pitch;
    for (int32_t c = 0; c < a->pitch; c++) {
        const double x = c < a->rows.dim ? bi_clouds_coordinate(a->rows.data, a->rows.is_f64, from + c) : 0;
        if (a->rows.is_f64)
            ((double *)a->points)[to + c] = x;
        else
            ((float *)a->points)[to + c] = (float)x;
    }
}

/* Box and smallest id of the node in slot `first_slot[level] + i`, of points in level 0, else of the level below. */
struct bi_clouds_boxes {
    struct bi_clouds_view view;
    void *boxes;
    uint32_t *least_ids;
    int level;
};

/* Writes coordinate c of both corners of a slot's box. */
BI_FN void bi_clouds_set_corners(const struct bi_clouds_boxes *a, int64_t slot, int32_t c, double low, double high)
{
    const int64_t at = 2 * slot * a->view.pitch + c;
    if (a->view.is_f64) {
        ((double *)a->boxes)[at] = low;
        ((double *)a->boxes)[at + a->view.pitch] = high;
    } else {
        ((float *)a->boxes)[at] = (float)low;
        ((float *)a->boxes)[at + a->view.pitch] = (float)high;
    }
}

BI_FN void bi_clouds_make_box(const struct bi_clouds_boxes *a, int64_t i)
{
    /* 1. The cloud of the slot: the last one whose first slot is not behind it. Slots behind its nodes are free. */
    const struct bi_clouds_view *v = &a->view;
    const bool is_leaf = a->level == 0;
    const int bits = bi_clouds_node_bits(a->level);
    int64_t low = 0, high = v->cloud_count;
    BI_PARTITION_POINT(low, high, c, (v->offsets[c] >> bits) + c <= i);
    if (low == 0) return;
    const int64_t cloud = low - 1, offset = v->offsets[cloud], n = v->offsets[cloud + 1] - offset;
    const int64_t node = i - (offset >> bits) - cloud, slot = v->first_slot[a->level] + i;
    if (node >= bi_clouds_node_count(n, a->level)) return;
    /* 2. Its points, or the nodes below: rows of one array, with high corners behind low ones. */
    const int64_t all = is_leaf ? n : bi_clouds_node_count(n, a->level - 1);
    const int64_t begin = node << (is_leaf ? BI_CLOUDS_LEAF_BITS : BI_CLOUDS_FANOUT_BITS);
    const int64_t most = is_leaf ? BI_CLOUDS_LEAF : BI_CLOUDS_FANOUT, count = most < all - begin ? most : all - begin;
    const int64_t first = (is_leaf ? offset : bi_clouds_node_slot(v, a->level - 1, offset, cloud)) + begin;
    const int64_t row = is_leaf ? v->pitch : 2 * v->pitch, behind = is_leaf ? 0 : v->pitch;
    const void *from = is_leaf ? v->points : v->boxes;
    const uint32_t *ids = is_leaf ? v->ids : v->least_ids;
    /* 3. The box, coordinate by coordinate, and the smallest id. */
    for (int32_t c = 0; c < v->pitch; c++) {
        double least = bi_clouds_coordinate(from, v->is_f64, first * row + c);
        double greatest = bi_clouds_coordinate(from, v->is_f64, first * row + behind + c);
        for (int64_t j = first + 1; j < first + count; j++) {
            const double x = bi_clouds_coordinate(from, v->is_f64, j * row + c);
            const double y = bi_clouds_coordinate(from, v->is_f64, j * row + behind + c);
            least = x < least ? x : least;
            greatest = y > greatest ? y : greatest;
        }
        bi_clouds_set_corners(a, slot, c, least, greatest);
    }
    uint32_t least_id = ids[first];
    for (int64_t j = first + 1; j < first + count; j++) least_id = ids[j] < least_id ? ids[j] : least_id;
    a->least_ids[slot] = least_id;
}

BI_FN void bi_step_boxes(const struct bi_clouds_boxes *a, int64_t i)
{
    struct bi_clouds_boxes b = *a;
    BI_CLOUDS_WITH_VIEW(a->view, view, {
        b.view = view;
        bi_clouds_make_box(&b, i);
    });
}

#endif
