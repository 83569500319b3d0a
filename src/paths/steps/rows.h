/* Rows of arcs as searches read them, and the distances along them. The index of an arc in the rows stands for the
 * arc. */
#ifndef BI_PATHS_STEPS_ROWS_H
#define BI_PATHS_STEPS_ROWS_H

#include "base/atomic.h"
#include "base/step.h"
#include "graph/entries.h"

#define BI_PATHS_NONE UINT32_MAX                /* no vertex */
#define BI_PATHS_LARGEST 0x1.fffffffffffffp1023 /* DBL_MAX; float.h is not for kernels */

/* Distances are words: integers, or the bits of doubles >= 0; such bits have the order of the doubles. */
struct bi_paths_rows {
    int64_t n, arcs;
    const void *offsets, *edge_ids; /* 64-bit words if the flag is set, else 32-bit; edge_ids NULL: the arc is the id */
    const uint32_t *neighbours;
    const void *keys; /* of weights (graph/entries.h) */
    bool offsets_64bit, ids_64bit, keys_64bit;
    bool unweighted; /* every arc has length 1 */
    bosc_dtype weight;
    bool raw;          /* keys are the caller's doubles */
    uint64_t zero_key; /* of weight 0 */
    uint64_t none;     /* the distance of vertices not reached */
    uint64_t bound;    /* distances from here on are too large; `none` at most */
    /* NULL, or the final distances: the search then counts arcs along which the distance stays equal. */
    const uint64_t *plateau;
};

BI_FN int64_t bi_paths_row_begin(const struct bi_paths_rows *r, int64_t u)
{
    return (int64_t)bi_word(r->offsets, r->offsets_64bit, u);
}

BI_FN uint64_t bi_paths_edge_id(const struct bi_paths_rows *r, int64_t arc)
{
    return r->edge_ids ? bi_word(r->edge_ids, r->ids_64bit, arc) : (uint64_t)arc;
}

BI_FN double bi_paths_f64_length(const struct bi_paths_rows *r, uint64_t key)
{
    return r->raw ? bi_f64_from_bits(key) : bi_f64_of_key(key);
}

/* Returns the length of an arc as a double, for every type of weight; it may be infinite. */
BI_FN double bi_paths_arc_length(const struct bi_paths_rows *r, int64_t arc)
{
    if (r->unweighted) return 1;
    const uint64_t key = bi_word(r->keys, r->keys_64bit, arc);
    if (r->weight == BOSC_F32) return (double)bi_f32_of_key((uint32_t)key);
    if (r->weight == BOSC_F64) return bi_paths_f64_length(r, key);
    return (double)(key - r->zero_key);
}

/* Returns the sum of the distance `from` and the length of a key: integers saturate at UINT64_MAX, which is `none`. */
BI_FN uint64_t bi_paths_add_key(const struct bi_paths_rows *r, uint64_t from, uint64_t key)
{
    if (r->weight == BOSC_F32) return bi_f64_bits(bi_f64_from_bits(from) + (double)bi_f32_of_key((uint32_t)key));
    if (r->weight == BOSC_F64) return bi_f64_bits(bi_f64_from_bits(from) + bi_paths_f64_length(r, key));
    const uint64_t sum = from + (key - r->zero_key);
    return sum < from ? UINT64_MAX : sum;
}

BI_FN uint64_t bi_paths_add(const struct bi_paths_rows *r, uint64_t from, int64_t arc)
{
    if (r->unweighted) return from + 1;
    return bi_paths_add_key(r, from, bi_word(r->keys, r->keys_64bit, arc));
}

/* Returns the sum that a search uses; u is the arc's row. With a plateau an arc between equal distances counts 1, and
 * any other leads nowhere. */
BI_FN uint64_t bi_paths_sum(const struct bi_paths_rows *r, uint64_t from, uint32_t u, int64_t arc)
{
    if (!r->plateau) return bi_paths_add(r, from, arc);
    const uint64_t at = r->plateau[u];
    const bool inside = at == r->plateau[r->neighbours[arc]] && bi_paths_add(r, at, arc) == at;
    return inside ? from + 1 : UINT64_MAX;
}

/* Steps over all arcs process BI_PATHS_ITEM_ARCS arcs an item: one search for the first row, then a walk. */
enum { BI_PATHS_ITEM_ARCS = 32 };

struct bi_paths_walk {
    int64_t arc, end, row_end;
    uint32_t row;
};

/* The walk before the first arc of an item; its row is known, by binary search. */
BI_FN struct bi_paths_walk bi_paths_walk_item(const struct bi_paths_rows *r, int64_t item)
{
    struct bi_paths_walk w;
    int64_t low = 0, high = r->n; /* offsets[low] <= arc < offsets[high] */
    w.arc = item * BI_PATHS_ITEM_ARCS;
    w.end = w.arc + BI_PATHS_ITEM_ARCS < r->arcs ? w.arc + BI_PATHS_ITEM_ARCS : r->arcs;
    while (high - low > 1) {
        const int64_t mid = low + (high - low) / 2;
        if (bi_paths_row_begin(r, mid) <= w.arc)
            low = mid;
        else
            high = mid;
    }
    w.row = (uint32_t)low;
    w.row_end = bi_paths_row_begin(r, low + 1);
    w.arc--;
    return w;
}

/* Advances to the next arc; false at the end of the item. */
BI_FN bool bi_paths_walk_next(const struct bi_paths_rows *r, struct bi_paths_walk *w)
{
    if (++w->arc >= w->end) return false;
    while (w->arc >= w->row_end) {
        w->row++;
        w->row_end = bi_paths_row_begin(r, (int64_t)w->row + 1);
    }
    return true;
}

#endif
