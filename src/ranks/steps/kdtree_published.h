/* Steps of the published build on two ranks. */
#ifndef BI_RANKS_STEPS_KDTREE_PUBLISHED_H
#define BI_RANKS_STEPS_KDTREE_PUBLISHED_H

#include "kdtree/order.h"

/* ids[i] = first + rows[i]. */
struct bi_ranks_kdtree_number_rows {
    int64_t first;
    const uint32_t *rows;
    int64_t *ids;
};

BI_FN void bi_step_kdtree_number_rows(const struct bi_ranks_kdtree_number_rows *a, int64_t i)
{
    a->ids[i] = a->first + (int64_t)a->rows[i];
}

/* Merges two runs of rows, [0, na) and [na, rows.n), each in the order of superkey 0: order[k] is the k-th row; of
 * equal rows those of the first run come first. Item i writes BI_RANKS_MERGED positions. A binary search on the
 * diagonal of the merge matrix finds its start in both runs. Source: Green, McColl, Bader, GPU Merge Path (2012). */
enum { BI_RANKS_MERGED = 16 };

struct bi_ranks_kdtree_merge_path {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim;
    int64_t na;
    uint32_t *order;
};

/* True if row b of the second run precedes row a of the first. */
BI_FN bool bi_ranks_kdtree_second_precedes(const struct bi_ranks_kdtree_merge_path *m, int64_t a, int64_t b)
{
    return bi_kdtree_compare_rows(&m->rows, m->dtype, m->dim, b, a, 0) < 0;
}

/* 1. Find the start of the item's run in both inputs. 2. Merge BI_RANKS_MERGED rows from there. */
BI_FN void bi_step_kdtree_merge_path(const struct bi_ranks_kdtree_merge_path *m, int64_t i)
{
    const int64_t n = m->rows.n, nb = n - m->na, begin = i * BI_RANKS_MERGED;
    const int64_t end = begin + BI_RANKS_MERGED < n ? begin + BI_RANKS_MERGED : n;
    int64_t low = begin > nb ? begin - nb : 0, high = begin < m->na ? begin : m->na;
    while (low < high) {
        const int64_t a = low + (high - low) / 2;
        if (bi_ranks_kdtree_second_precedes(m, a, m->na + begin - 1 - a))
            high = a;
        else
            low = a + 1;
    }
    int64_t a = low, b = m->na + begin - low;
    for (int64_t k = begin; k < end; k++) {
        const bool from_second = a == m->na || (b < n && bi_ranks_kdtree_second_precedes(m, a, b));
        m->order[k] = (uint32_t)(from_second ? b++ : a++);
    }
}

/* A side of the root, with points numbered in the order of superkey 0. The root is the last point of rank 0. */
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
