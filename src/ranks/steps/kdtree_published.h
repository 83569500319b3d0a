/* Steps of the published build on two ranks. */
#ifndef BI_RANKS_STEPS_KDTREE_PUBLISHED_H
#define BI_RANKS_STEPS_KDTREE_PUBLISHED_H

#include "kdtree/order.h"

/* ids[i] = first + rows[i]. */
struct bi_ranks_kdtree_number {
    int64_t first;
    const uint32_t *rows;
    int64_t *ids;
};

BI_FN void bi_step_kdtree_number(const struct bi_ranks_kdtree_number *a, int64_t i)
{
    a->ids[i] = a->first + (int64_t)a->rows[i];
}

/* Two runs of rows, [0, na) and [na, rows.n), each in the order of superkey 0, are merged: order[k] is the row that
 * comes k-th; of equal rows those of the first run come first. Item i makes BI_RANKS_MERGED places: a binary search on
 * the diagonal of the merge matrix tells where in both runs it begins. Source: Green, McColl, Bader, GPU Merge Path
 * (2012). */
enum { BI_RANKS_MERGED = 16 };

struct bi_ranks_kdtree_merge_path {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim;
    int64_t na;
    uint32_t *order;
};

/* Does row b of the second run come before row a of the first? */
BI_FN bool bi_ranks_kdtree_second_first(const struct bi_ranks_kdtree_merge_path *m, int64_t a, int64_t b)
{
    return bi_kdtree_compare_rows(&m->rows, m->dtype, m->dim, b, a, 0) < 0;
}

BI_FN void bi_step_kdtree_merge_path(const struct bi_ranks_kdtree_merge_path *m, int64_t i)
{
    const int64_t n = m->rows.n, nb = n - m->na, begin = i * BI_RANKS_MERGED;
    const int64_t end = begin + BI_RANKS_MERGED < n ? begin + BI_RANKS_MERGED : n;
    int64_t low = begin > nb ? begin - nb : 0, high = begin < m->na ? begin : m->na;
    while (low < high) {
        const int64_t a = low + (high - low) / 2;
        if (bi_ranks_kdtree_second_first(m, a, m->na + begin - 1 - a))
            high = a;
        else
            low = a + 1;
    }
    int64_t a = low, b = m->na + begin - low;
    for (int64_t k = begin; k < end; k++) {
        const bool second = a == m->na || (b < n && bi_ranks_kdtree_second_first(m, a, b));
        m->order[k] = (uint32_t)(second ? b++ : a++);
    }
}

/* A side of the root whose points are numbered in the order of superkey 0, the root being the last of rank 0. */
struct bi_ranks_kdtree_side {
    const uint32_t *by_id; /* (n): the numbers in the order of ids */
    int64_t n;
    bool has_root;
    uint32_t piece;   /* of the side */
    uint32_t *where;  /* (n): the place of each number among them */
    uint32_t *pieces; /* (n), in the order of ids */
    uint32_t *ids;    /* of the side's tree, id_stride apart: numbers, which become places without the root */
    int64_t id_stride;
};

BI_FN void bi_step_kdtree_side_pieces(const struct bi_ranks_kdtree_side *a, int64_t i)
{
    const uint32_t number = a->by_id[i];
    a->where[number] = (uint32_t)i;
    a->pieces[i] = a->piece + (a->has_root && number == a->n - 1);
}

BI_FN void bi_step_kdtree_side_names(const struct bi_ranks_kdtree_side *a, int64_t i)
{
    const uint32_t place = a->where[a->ids[i * a->id_stride]];
    a->ids[i * a->id_stride] = place - (a->has_root && place > a->where[a->n - 1]);
}

#endif
