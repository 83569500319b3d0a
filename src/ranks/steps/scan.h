/* Steps of scans by the rows and tiles of core/tiles.h, where tiles lie across ranks. */
#ifndef BI_RANKS_STEPS_SCAN_H
#define BI_RANKS_STEPS_SCAN_H

#include <string.h>

#include <boscage/prims.h>

#include "core/tiles.h"

/* bi_ranks_combine_S: a op b, a first. bi_ranks_canonical_S: a result, with one bit pattern for all NaNs. */
#define BI_RANKS_COMBINE_FLOATS(S, type, RANK, OF_RANK, least, greatest)                                       \
    BI_FN type bi_ranks_canonical_##S(type x) { return bi_canonical_##S(x); }                                  \
    BI_FN type bi_ranks_combine_##S(bosc_op op, type a, type b)                                                \
    {                                                                                                          \
        if (op == BOSC_SUM) return a + b;                                                                      \
        if (op == BOSC_MIN) return OF_RANK(RANK(a, least) < RANK(b, least) ? RANK(a, least) : RANK(b, least)); \
        return OF_RANK(RANK(a, greatest) > RANK(b, greatest) ? RANK(a, greatest) : RANK(b, greatest));         \
    }
#define BI_RANKS_COMBINE_INTEGERS(S, type, sum_t)                               \
    BI_FN type bi_ranks_canonical_##S(type x) { return x; }                     \
    BI_FN type bi_ranks_combine_##S(bosc_op op, type a, type b)                 \
    {                                                                           \
        if (op == BOSC_SUM) return (type)((sum_t)a + (sum_t)b); /* sums wrap */ \
        return (a < b) == (op == BOSC_MIN) ? a : b;                             \
    }
BI_RANKS_COMBINE_FLOATS(f32, float, bi_rank_i32_of_f32, bi_f32_of_rank, INT32_MIN, INT32_MAX)
BI_RANKS_COMBINE_FLOATS(f64, double, bi_rank_i64_of_f64, bi_f64_of_rank, INT64_MIN, INT64_MAX)
BI_RANKS_COMBINE_INTEGERS(i32, int32_t, uint32_t)
BI_RANKS_COMBINE_INTEGERS(i64, int64_t, uint64_t)
BI_RANKS_COMBINE_INTEGERS(u32, uint32_t, uint32_t)
BI_RANKS_COMBINE_INTEGERS(u64, uint64_t, uint64_t)

/* Calls call(S, type) with the suffix and the C type of dtype. */
#define BI_RANKS_WITH_TYPE(dtype, call)        \
    switch (dtype) {                           \
    case BOSC_F32: call(f32, float); break;    \
    case BOSC_F64: call(f64, double); break;   \
    case BOSC_I32: call(i32, int32_t); break;  \
    case BOSC_I64: call(i64, int64_t); break;  \
    case BOSC_U32: call(u32, uint32_t); break; \
    default: call(u64, uint64_t); break;       \
    }

/* Item i scans row i of the elements, first those of `in`, then those of `tail`, into `out`. sums[i]: the last result,
 * which is the row's sum if the row is full; only sums of full rows are read. */
struct bi_ranks_scan_rows {
    bosc_op op;
    bosc_dtype dtype;
    const void *in, *tail;
    int64_t in_count, n;
    void *out, *sums;
};

#define BI_RANKS_SCAN_ROW(S, type)                                                              \
    BI_FN void bi_ranks_scan_row_##S(const struct bi_ranks_scan_rows *a, int64_t i)             \
    {                                                                                           \
        const type *in = (const type *)a->in, *tail = (const type *)a->tail;                    \
        const int64_t first = i * BI_TILE_ROW, left = a->n - first;                             \
        type x[BI_TILE_ROW];                                                                    \
        for (int c = 0; c < BI_TILE_ROW; c++) {                                                 \
            const int64_t at = first + (c < left ? c : left - 1);                               \
            x[c] = at < a->in_count ? in[at] : tail[at - a->in_count];                          \
        }                                                                                       \
        /* In round k, elements of odd blocks of k add the last element of the block before. */ \
        for (int k = 1; k < BI_TILE_ROW; k *= 2)                                                \
            for (int c = k; c < BI_TILE_ROW; c++)                                               \
                if (c & k) x[c] = bi_ranks_combine_##S(a->op, x[(c & -k) - 1], x[c]);           \
        for (int c = 0; c < BI_TILE_ROW && c < left; c++) ((type *)a->out)[first + c] = x[c];   \
        ((type *)a->sums)[i] = x[BI_TILE_ROW - 1];                                              \
    }
BI_RANKS_SCAN_ROW(f32, float)
BI_RANKS_SCAN_ROW(f64, double)
BI_RANKS_SCAN_ROW(i32, int32_t)
BI_RANKS_SCAN_ROW(i64, int64_t)
BI_RANKS_SCAN_ROW(u32, uint32_t)
BI_RANKS_SCAN_ROW(u64, uint64_t)

BI_FN void bi_step_scan_rows(const struct bi_ranks_scan_rows *a, int64_t i)
{
#define BI_RANKS_CALL(S, type) bi_ranks_scan_row_##S(a, i)
    BI_RANKS_WITH_TYPE(a->dtype, BI_RANKS_CALL)
#undef BI_RANKS_CALL
}

/* Item i: result `from` + i of a slice. Elements before `head` are results already; a tile begins at `head`. */
struct bi_ranks_scan_results {
    bosc_op op;
    bosc_dtype dtype;
    const void *scanned;        /* as written by scan_rows */
    const void *rows, *carries; /* by row: the scan of its tile's row sums; by tile: the prefix before it */
    int64_t head, from;
    bool first_tile;   /* tile 0 here is the first of all and has no prefix */
    bool shifted;      /* exclusive: result i is that of element i - 1 */
    uint64_t previous; /* the result of the last element before the slice */
    void *out;
};

#define BI_RANKS_SCAN_RESULT(S, type)                                                                         \
    BI_FN type bi_ranks_scan_result_##S(const struct bi_ranks_scan_results *a, int64_t i)                     \
    {                                                                                                         \
        type x;                                                                                               \
        if (i < 0) {                                                                                          \
            memcpy(&x, &a->previous, sizeof x);                                                               \
            return x;                                                                                         \
        }                                                                                                     \
        x = ((const type *)a->scanned)[i];                                                                    \
        if (i < a->head) return x;                                                                            \
        const int64_t row = (i - a->head) / BI_TILE_ROW, tile = row / BI_TILE_ROW;                            \
        if (row % BI_TILE_ROW) x = bi_ranks_combine_##S(a->op, ((const type *)a->rows)[row - 1], x);          \
        if (tile > 0 || !a->first_tile) x = bi_ranks_combine_##S(a->op, ((const type *)a->carries)[tile], x); \
        return bi_ranks_canonical_##S(x);                                                                     \
    }
BI_RANKS_SCAN_RESULT(f32, float)
BI_RANKS_SCAN_RESULT(f64, double)
BI_RANKS_SCAN_RESULT(i32, int32_t)
BI_RANKS_SCAN_RESULT(i64, int64_t)
BI_RANKS_SCAN_RESULT(u32, uint32_t)
BI_RANKS_SCAN_RESULT(u64, uint64_t)

BI_FN void bi_step_scan_results(const struct bi_ranks_scan_results *a, int64_t i)
{
#define BI_RANKS_CALL(S, type) ((type *)a->out)[i] = bi_ranks_scan_result_##S(a, a->from + i - a->shifted)
    BI_RANKS_WITH_TYPE(a->dtype, BI_RANKS_CALL)
#undef BI_RANKS_CALL
}

#endif
