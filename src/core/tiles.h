/* The fixed order in which floating sums and scans are added, so that every backend gives the same bits.
 *
 * A SUM is the aligned binary tree over the array: the sum of an aligned block of 2^k elements is the sum of its left
 * half plus the sum of its right half, and a half wholly beyond the end is omitted (the identity is -0, since x + -0 is
 * x for every x). So tiles of BI_TILE elements can be summed first, and their totals by the same tree. An empty sum is
 * +0.
 *
 * An INCLUSIVE SCAN is made of rows of BI_TILE_ROW elements, tiles of BI_TILE_ROW rows, and a recursion over tiles.
 * With element i in column c of row r of tile t:
 *     row(i)  = in[i]; for k = 0, 1, ... 4: if bit k of c is set, add the sum of the aligned block of 2^k elements that
 *               ends just before column c with its bits 0 to k - 1 cleared (Sklansky's scan, 1960);
 *     tile(i) = row(i), plus R(r - 1) if r > 0, where R is Sklansky's scan of the sums of the tile's 32 rows;
 *     out[i]  = tile(i), plus C(t - 1) if t > 0, where C is the whole inclusive scan (rows, tiles, recursion) of the
 *               sums of the tiles.
 * Sums of rows and tiles are the aligned tree's, which R(31) and the last column of a full row also equal.
 *
 * An EXCLUSIVE SCAN is the inclusive one shifted by one element: out[0] = +0, out[i] = inclusive[i - 1], the same bits.
 *
 * A SEGMENTED SCAN takes the same additions on pairs (value, head), where a head discards the pairs before it:
 *     (a, p) then (b, q) = (q ? b : a + b, p or q).
 * Every sum of a block is such a pair. The exclusive one gives +0 at a head (and at 0), else inclusive[i - 1].
 *
 * NaN: the bits of a NaN depend on the machine, so a NaN in any result is the canonical quiet one, bi_canonical_*.
 * MIN and MAX are the same in any order: a NaN wins, and is canonical; -0 is less than +0.
 *
 * The functions below compute the same, one element after the other. */
#ifndef BI_CORE_TILES_H
#define BI_CORE_TILES_H

#include <stdbool.h>

#include "base/bits.h"

enum { BI_TILE_ROW = 32, BI_TILE = 1024, BI_TILE_LEVELS = 6 /* 1024^6 elements */ };

BI_FN float bi_canonical_f32(float x) { return x != x ? bi_f32_from_bits(0x7fc00000u) : x; }
BI_FN double bi_canonical_f64(double x) { return x != x ? bi_f64_from_bits(0x7ff8000000000000ull) : x; }

/* MIN and MAX as integers: numbers in their order with -0 before +0, and any NaN as the integer that wins. The
 * integer comes back to the number, or to the canonical NaN. */
BI_FN int32_t bi_rank_i32_of_f32(float x, int32_t nan)
{
    int32_t i = (int32_t)bi_f32_bits(x);
    return x != x ? nan : i ^ ((i >> 31) & INT32_MAX);
}
BI_FN int64_t bi_rank_i64_of_f64(double x, int64_t nan)
{
    int64_t i = (int64_t)bi_f64_bits(x);
    return x != x ? nan : i ^ ((i >> 63) & INT64_MAX);
}
BI_FN float bi_f32_of_rank(int32_t i)
{
    return bi_canonical_f32(bi_f32_from_bits((uint32_t)(i ^ ((i >> 31) & INT32_MAX))));
}
BI_FN double bi_f64_of_rank(int64_t i)
{
    return bi_canonical_f64(bi_f64_from_bits((uint64_t)(i ^ ((i >> 63) & INT64_MAX))));
}

/* For a type and its operation (a before b): bi_sum_S: push elements, then take the sum so far (not for an empty one).
 * bi_scan_S: push elements with their heads (false in a scan without segments), each gives its inclusive result. */
/* clang-format off */
#define BI_TILES_DEFINE(S, type, OP)                                                                                   \
    struct bi_sum_##S {                                                                                                \
        type block[64]; /* block[k]: of 2^k elements, where bit k of n is set */                                       \
        uint64_t n;                                                                                                    \
    };                                                                                                                 \
    static inline void bi_sum_push_##S(struct bi_sum_##S *s, type x)                                                   \
    {                                                                                                                  \
        int k = 0;                                                                                                     \
        for (; (s->n >> k) & 1; k++) x = OP(s->block[k], x);                                                           \
        s->block[k] = x;                                                                                               \
        s->n++;                                                                                                        \
    }                                                                                                                  \
    static inline type bi_sum_total_##S(const struct bi_sum_##S *s)                                                    \
    {                                                                                                                  \
        int k = 0;                                                                                                     \
        while (!((s->n >> k) & 1)) k++;                                                                                \
        type x = s->block[k++];                                                                                        \
        for (; k < 64 && s->n >> k; k++)                                                                               \
            if ((s->n >> k) & 1) x = OP(s->block[k], x);                                                               \
        return x;                                                                                                      \
    }                                                                                                                  \
    struct bi_item_##S {                                                                                               \
        type value;                                                                                                    \
        bool head;                                                                                                     \
    };                                                                                                                 \
    static inline struct bi_item_##S bi_combine_##S(struct bi_item_##S a, struct bi_item_##S b)                        \
    {                                                                                                                  \
        if (!b.head) b.value = OP(a.value, b.value);                                                                   \
        b.head |= a.head;                                                                                              \
        return b;                                                                                                      \
    }                                                                                                                  \
    struct bi_row_##S { /* Sklansky's scan of 32 items; block[5]: the sum of the last full row */                      \
        struct bi_item_##S block[6];                                                                                   \
        int count;                                                                                                     \
    };                                                                                                                 \
    static inline struct bi_item_##S bi_row_push_##S(struct bi_row_##S *row, struct bi_item_##S x)                     \
    {                                                                                                                  \
        struct bi_item_##S result = x;                                                                                 \
        int k = 0, c = row->count;                                                                                     \
        for (int bit = 0; bit < 5; bit++)                                                                              \
            if ((c >> bit) & 1) result = bi_combine_##S(row->block[bit], result);                                      \
        for (; (c >> k) & 1; k++) x = bi_combine_##S(row->block[k], x);                                                \
        row->block[k] = x;                                                                                             \
        row->count = (c + 1) % BI_TILE_ROW;                                                                            \
        return result;                                                                                                 \
    }                                                                                                                  \
    struct bi_scan_##S {                                                                                               \
        struct {                                                                                                       \
            struct bi_row_##S row, rows;                                                                               \
            struct bi_item_##S before_row, before_tile; /* R(r - 1), C(t - 1) */                                       \
            bool has_before_tile;                                                                                      \
        } level[BI_TILE_LEVELS]; /* elements, tiles, tiles of tiles, ... */                                            \
    };                                                                                                                 \
    static inline struct bi_item_##S bi_scan_push_item_##S(struct bi_scan_##S *s, int l, struct bi_item_##S x)         \
    {                                                                                                                  \
        struct bi_item_##S result = bi_row_push_##S(&s->level[l].row, x);                                              \
        if (s->level[l].rows.count > 0) result = bi_combine_##S(s->level[l].before_row, result);                       \
        if (s->level[l].has_before_tile) result = bi_combine_##S(s->level[l].before_tile, result);                     \
        if (s->level[l].row.count > 0) return result;                                                                  \
        s->level[l].before_row = bi_row_push_##S(&s->level[l].rows, s->level[l].row.block[5]);                         \
        if (s->level[l].rows.count > 0 || l + 1 == BI_TILE_LEVELS) return result;                                      \
        s->level[l].before_tile = bi_scan_push_item_##S(s, l + 1, s->level[l].rows.block[5]);                          \
        s->level[l].has_before_tile = true;                                                                            \
        return result;                                                                                                 \
    }                                                                                                                  \
    static inline type bi_scan_push_##S(struct bi_scan_##S *s, type x, bool head)                                      \
    {                                                                                                                  \
        struct bi_item_##S item = {x, head};                                                                           \
        return bi_scan_push_item_##S(s, 0, item).value;                                                                \
    }
/* clang-format on */

#define BI_TILES_ADD(a, b) ((a) + (b))
BI_TILES_DEFINE(f32, float, BI_TILES_ADD)  /* of a result, take bi_canonical_f32 */
BI_TILES_DEFINE(f64, double, BI_TILES_ADD) /* of a result, take bi_canonical_f64 */

#endif
