/* The loops over points that collect and write pairs. */
#include <string.h>

#include "voxelgrid/cpu/pairs.h"

#if BI_LEVEL == 4
#include "voxelgrid/cpu/nearby.h"
#endif

/* BLOCK: entries that a thread reserves at once, 64 KB of ids. AHEAD: rows between a prefetch and its use. Not
 * measured. */
enum { BLOCK = 1 << 14, AHEAD = 8 };

/* ---- collecting ---- */

/* Reserves a block for a row's `count` entries so far and `more` entries, and moves the row to it. False if the list is
 * full. */
static bool renew_block(struct bi_voxelgrid_collection *rows, struct bi_voxelgrid_block *block, int64_t *start,
                        int64_t count, int64_t more, size_t dist2_bytes)
{
    const int64_t size = count + more > BLOCK ? count + more : BLOCK;
    const int64_t begin = __atomic_fetch_add(&rows->reserved, size, __ATOMIC_RELAXED);
    if (begin + size > rows->capacity) return false;
    memcpy(rows->ids + begin, rows->ids + *start, (size_t)count * sizeof *rows->ids);
    if (rows->dist2)
        memcpy((char *)rows->dist2 + (size_t)begin * dist2_bytes, (char *)rows->dist2 + (size_t)*start * dist2_bytes,
               (size_t)count * dist2_bytes);
    *start = begin;
    *block = (struct bi_voxelgrid_block){begin + count, begin + size};
    return true;
}

/* The squared distance of the point at a position from q, as bi_voxelgrid_dist2 computes it, but for NaN. */
BI_FN double square_at(const struct bi_voxelgrid_view *v, int64_t position, const double *q)
{
    if (!v->is_f64) {
        const float *p = ((const struct bi_voxelgrid_point *)v->points)[position].at + BI_VOXELGRID_DIM - v->dim;
        const float x = (float)q[0] - p[0], y = v->dim > 1 ? (float)q[1] - p[1] : 0,
                    z = v->dim > 2 ? (float)q[2] - p[2] : 0;
        return (double)(x * x + y * y + z * z);
    }
    const double *p = (const double *)v->points + position * v->dim;
    const double x = q[0] - p[0], y = v->dim > 1 ? q[1] - p[1] : 0, z = v->dim > 2 ? q[2] - p[2] : 0;
    return x * x + y * y + z * z;
}

/* A search around a point. all: the radius is infinite, and so includes NaN. */
struct search {
    double q[BI_VOXELGRID_DIM], r2;
    uint32_t id;
    bool all;
};

/* 1 if the point at a position is a neighbour of a larger id. */
BI_FN int is_larger(const struct bi_voxelgrid_view *v, const struct search *s, int64_t position)
{
    const int later = bi_voxelgrid_id_at(v, position) > s->id, near = square_at(v, position, s->q) <= s->r2;
    return later & (near | s->all);
}

/* Appends the neighbours of larger ids among positions [begin, end) from entry `at` on; returns the next entry. Stores
 * every candidate and advances past neighbours only, since a branch would be unpredictable. */
BI_FN int64_t append_neighbours(const struct bi_voxelgrid_view *v, const struct bi_voxelgrid_collection *rows,
                                const struct search *s, int64_t begin, int64_t end, int64_t at)
{
    if (!rows->dist2) {
        for (int64_t position = begin; position < end; position++) {
            rows->ids[at] = bi_voxelgrid_id_at(v, position);
            at += is_larger(v, s, position);
        }
        return at;
    }
    for (int64_t position = begin; position < end; position++) {
        const double d = bi_voxelgrid_dist2(v, position, s->q);
        rows->ids[at] = bi_voxelgrid_id_at(v, position);
        if (v->is_f64)
            ((double *)rows->dist2)[at] = d;
        else
            ((float *)rows->dist2)[at] = (float)d;
        at += is_larger(v, s, position);
    }
    return at;
}

BI_FN int64_t count_larger(const struct bi_voxelgrid_view *v, const struct search *s, int64_t begin, int64_t end)
{
    int64_t count = 0;
    for (int64_t position = begin; position < end; position++) count += is_larger(v, s, position);
    return count;
}

/* Counts and collects the row of a position; *rows becomes NULL if the list is full. */
BI_FN void collect_row(const struct bi_voxelgrid_pairs *a, const struct bi_voxelgrid_view *v,
                       struct bi_voxelgrid_collection **rows, struct bi_voxelgrid_block *block, int64_t i)
{
    struct search s = {.r2 = a->r2, .id = bi_voxelgrid_id_at(v, i), .all = a->r2 == (double)INFINITY};
    struct bi_voxelgrid_walk walk;
    int64_t count = 0, start = block->at, begin, end;
    for (int32_t c = 0; c < v->dim; c++) s.q[c] = bi_voxelgrid_point_coordinate(v, i, c);
    if (bi_voxelgrid_walk_begin(v, &walk, s.q, a->reach, 0))
        while (bi_voxelgrid_walk_next(v, &walk, &begin, &end)) {
            if (*rows && block->end - block->at < end - begin &&
                !renew_block(*rows, block, &start, count, end - begin, v->is_f64 ? sizeof(double) : sizeof(float)))
                *rows = NULL;
            if (*rows) {
                block->at = append_neighbours(v, *rows, &s, begin, end, block->at);
                count = block->at - start;
            } else {
                count += count_larger(v, &s, begin, end);
            }
        }
    a->counts[s.id] = count;
    if (*rows) (*rows)->starts[i] = start;
}

#if BI_LEVEL == 4

/* Counts and collects the row of a position among the gathered candidates of its box. False if these are too many, or
 * the list is full. */
BI_FN bool collect_nearby(const struct bi_voxelgrid_pairs *a, const struct bi_voxelgrid_view *v,
                          struct bi_voxelgrid_collection *rows, struct bi_voxelgrid_block *block, struct nearby *near,
                          int64_t i)
{
    const uint32_t id = bi_voxelgrid_id_at(v, i);
    struct bi_voxelgrid_walk walk;
    double q[BI_VOXELGRID_DIM];
    __builtin_prefetch(a->counts + id, 1); /* ids are in no order */
    for (int32_t c = 0; c < v->dim; c++) q[c] = bi_voxelgrid_point_coordinate(v, i, c);
    /* 1. Gather, unless the point before had the same box. */
    if (!bi_voxelgrid_walk_begin(v, &walk, q, a->reach, 0) || !walk.rows[0]) return false;
    if (!has_box(near, &walk)) gather_nearby(v, &walk, near);
    if (near->count > NEARBY) return false;
    /* 2. Compare. */
    int64_t start = block->at;
    if (block->end - start < near->count + LANES && !renew_block(rows, block, &start, 0, near->count + LANES, 0))
        return false;
    for (int64_t t = 0; t < near->count; t += LANES)
        block->at = append_lanes(near, v->dim, q, a->r2, id, t, rows->ids, block->at);
    a->counts[id] = block->at - start;
    rows->starts[i] = start;
    return true;
}

#endif

static void collect_rows(const struct bi_voxelgrid_pairs *a, struct bi_voxelgrid_collection *rows,
                         struct bi_voxelgrid_block *block, struct bi_span part)
{
    struct bi_voxelgrid_view v = a->view; /* with a type and a number of dimensions known at compile time */
#if BI_LEVEL == 4
    struct nearby near = {.length = 0};
    const bool gathers = !a->dist2 && a->r2 < (double)INFINITY;
#define COLLECT_NEARBY(f64, i) (f64 && gathers && rows && collect_nearby(a, &v, rows, block, &near, i))
#else
#define COLLECT_NEARBY(f64, i) false
#endif
#define COLLECT(f64, dimensions)                                              \
    if (v.is_f64 == f64 && v.dim == dimensions) {                             \
        v.is_f64 = f64;                                                       \
        v.dim = dimensions;                                                   \
        for (int64_t i = part.begin; i < part.end; i++)                       \
            if (!COLLECT_NEARBY(f64, i)) collect_row(a, &v, &rows, block, i); \
        return;                                                               \
    }
    COLLECT(false, 1)
    COLLECT(false, 2)
    COLLECT(false, 3)
    COLLECT(true, 1)
    COLLECT(true, 2)
    COLLECT(true, 3)
#undef COLLECT
#undef COLLECT_NEARBY
}

/* ---- writing ---- */

#if BI_LEVEL == 4

/* RANKED: ids of a row, at most; the work is their square. Not measured. IDS: of a vector. */
enum { RANKED = 128, IDS = 16 };

/* Writes the pairs of a row of at most RANKED ids: the slot of an id is the number of smaller ones. */
BI_FN void write_ranked(const struct bi_voxelgrid_pairs *a, const uint32_t *ids, int64_t count, uint32_t id, int64_t at,
                        bool ids_64bit)
{
    for (int64_t e = 0; e < count; e++) {
        const __m512i own = _mm512_set1_epi32((int)ids[e]);
        int64_t slot = at;
        for (int64_t t = 0; t < count; t += IDS) {
            const __mmask16 in = (__mmask16)(count - t < IDS ? (1 << (count - t)) - 1 : 0xffff);
            slot += __builtin_popcount(_mm512_mask_cmplt_epu32_mask(in, _mm512_maskz_loadu_epi32(in, ids + t), own));
        }
        bi_voxelgrid_write_id(a->pairs, ids_64bit, 2 * slot, id);
        bi_voxelgrid_write_id(a->pairs, ids_64bit, 2 * slot + 1, ids[e]);
    }
}

#endif

/* Writes the pairs of a row, and its distances. */
BI_FN void write_row(const struct bi_voxelgrid_pairs *a, const struct bi_voxelgrid_collection *rows, int64_t i,
                     bool ids_64bit)
{
    const uint32_t id = bi_voxelgrid_id_at(&a->view, i);
    const int64_t at = a->offsets[id], count = a->offsets[id + 1] - at, start = rows->starts[i];
    const struct bi_row_out row = {.ids = rows->ids, .dist2 = rows->dist2, .at = start, .dist2_f32 = !a->view.is_f64};
    const size_t size = a->view.is_f64 ? sizeof(double) : sizeof(float);
#if BI_LEVEL == 4
    if (!a->dist2 && count <= RANKED) {
        write_ranked(a, rows->ids + start, count, id, at, ids_64bit);
        return;
    }
#endif
    bi_row_sort(&row, count);
    for (int64_t e = 0; e < count; e++) {
        bi_voxelgrid_write_id(a->pairs, ids_64bit, 2 * (at + e), id);
        bi_voxelgrid_write_id(a->pairs, ids_64bit, 2 * (at + e) + 1, rows->ids[start + e]);
    }
    if (a->dist2)
        memcpy((char *)a->dist2 + (size_t)at * size, (const char *)rows->dist2 + (size_t)start * size,
               (size_t)count * size);
}

/* Prefetches the caller's row of a position, and the offsets of a later one: ids are in no order. */
BI_FN void prefetch_rows(const struct bi_voxelgrid_pairs *a, int64_t i, int64_t end)
{
    if (i + 2 * AHEAD >= end) return;
    __builtin_prefetch(a->offsets + bi_voxelgrid_id_at(&a->view, i + 2 * AHEAD));
    const int64_t at = a->offsets[bi_voxelgrid_id_at(&a->view, i + AHEAD)];
    __builtin_prefetch((char *)a->pairs + (at << (a->ids_64bit ? 4 : 3)), 1);
}

static void write_rows(const struct bi_voxelgrid_pairs *a, const struct bi_voxelgrid_collection *rows,
                       struct bi_span part)
{
    for (int64_t i = part.begin; i < part.end; i++) {
        prefetch_rows(a, i, part.end);
        if (a->ids_64bit)
            write_row(a, rows, i, true);
        else
            write_row(a, rows, i, false);
    }
}

const struct bi_voxelgrid_pair_kernels BI_LEVEL_NAME(bi_voxelgrid_pair_kernels) = {collect_rows, write_rows};
