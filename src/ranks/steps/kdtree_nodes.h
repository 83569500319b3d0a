/* Steps on the nodes of k-d trees over ranks: the node that represents each row, where duplicates are removed; checks
 * of saved trees and of the nodes' order. A row's owner is the rank that contributed it to the build. */
#ifndef BI_RANKS_STEPS_KDTREE_NODES_H
#define BI_RANKS_STEPS_KDTREE_NODES_H

#include "base/atomic.h"
#include "base/search.h"
#include "base/bits.h"
#include "kdtree/order.h"
#include "kdtree/shape.h"

/* ---- when duplicates are removed ---- */

/* representative_ids[i] = the id of the first row equal to row i. All equal rows are on this rank. */
struct bi_ranks_kdtree_representative_ids {
    const uint32_t *inverse, *first_rows; /* by row: its node; by node: its first row */
    const int64_t *ids;                   /* of the rows */
    int64_t *representative_ids;
};

BI_FN void bi_step_kdtree_representative_ids(const struct bi_ranks_kdtree_representative_ids *a, int64_t i)
{
    a->representative_ids[i] = a->ids[a->first_rows[a->inverse[i]]];
}

/* Writes the answers, which arrive in sending order, to their rows. A row is kept if it is its own representative. */
struct bi_ranks_kdtree_mark_representatives {
    const int64_t *answers;
    const uint32_t *order;
    int64_t first; /* the id of row 0 */
    int64_t *representative_ids;
    uint8_t *is_kept;
};

BI_FN void bi_step_kdtree_mark_representatives(const struct bi_ranks_kdtree_mark_representatives *a, int64_t i)
{
    const uint32_t row = a->order[i];
    a->representative_ids[row] = a->answers[i];
    a->is_kept[row] = a->answers[i] == a->first + row;
}

/* ---- when duplicates are queried ---- */

/* owners[i] = the owner of row ids[i]. */
struct bi_ranks_kdtree_id_owners {
    const void *ids; /* of 64 (`is_64bit`) or 32 bits */
    bool is_64bit;
    const int64_t *row_begins; /* (rank_count + 1): the id of each rank's first row */
    int64_t rank_count;
    uint32_t *owners;
};

BI_FN void bi_step_kdtree_id_owners(const struct bi_ranks_kdtree_id_owners *a, int64_t i)
{
    const int64_t id = (int64_t)bi_word(a->ids, a->is_64bit, i);
    a->owners[i] = (uint32_t)(bi_upper_bound_i64(a->row_begins, a->rank_count + 1, id) - 1);
}

/* items[2 i] = the id of this rank's node i; items[2 i + 1] = its number among all nodes. */
struct bi_ranks_kdtree_node_items {
    const void *ids; /* of 64 (`is_64bit`) or 32 bits */
    bool is_64bit;
    int64_t begin; /* the number of node 0 */
    int64_t *items;
};

BI_FN void bi_step_kdtree_node_items(const struct bi_ranks_kdtree_node_items *a, int64_t i)
{
    a->items[2 * i] = (int64_t)bi_word(a->ids, a->is_64bit, i);
    a->items[2 * i + 1] = a->begin + i;
}

/* On the owner: records the node of each row, and the number of rows already known to equal it. */
struct bi_ranks_kdtree_record_nodes {
    const int64_t *items;
    int64_t first; /* the id of row 0 */
    int64_t *node_of;
    uint64_t *tally, initial_tally;
};

BI_FN void bi_step_kdtree_record_nodes(const struct bi_ranks_kdtree_record_nodes *a, int64_t i)
{
    const int64_t row = a->items[2 * i] - a->first;
    a->node_of[row] = a->items[2 * i + 1];
    a->tally[row] = a->initial_tally;
}

/* Looks up entries of this rank's table by their global numbers, and counts the requests of each entry. Requests are
 * `stride` words apart. */
struct bi_ranks_kdtree_look_up {
    const void *requested;
    bool requested_64bit; /* words of 64 bits, else 32 */
    int64_t stride, first;
    const void *table;
    bool table_64bit;
    uint64_t *tally; /* NULL: not counted */
    int64_t *answers;
};

BI_FN void bi_step_kdtree_look_up(const struct bi_ranks_kdtree_look_up *a, int64_t i)
{
    const int64_t entry = (int64_t)bi_word(a->requested, a->requested_64bit, i * a->stride) - a->first;
    a->answers[i] = (int64_t)bi_word(a->table, a->table_64bit, entry);
    if (a->tally) bi_atomic_fetch_add_u64(&a->tally[entry], 1);
}

/* ---- when a saved tree is loaded ---- */

/* Checks sorted ids of this rank's rows: within [first, end), and distinct. Reports the lowest position of each
 * fault. */
struct bi_ranks_kdtree_check_ids {
    const uint32_t *ids;
    int64_t first, end;
    int64_t *out_of_range, *repeated;
};

BI_FN void bi_step_kdtree_check_ids(const struct bi_ranks_kdtree_check_ids *a, int64_t i)
{
    if (a->ids[i] < a->first || a->ids[i] >= a->end) bi_atomic_min_i64(a->out_of_range, i);
    if (i > 0 && a->ids[i] == a->ids[i - 1]) bi_atomic_min_i64(a->repeated, i);
}

/* Checks that each row's node is less than `nodes`, and that the row a node is named after belongs to that node. */
struct bi_ranks_kdtree_check_nodes {
    const uint32_t *ids, *positions; /* of nodes named after rows of this rank */
    const uint32_t *inverse;         /* by row of this rank: its node */
    int64_t first;
    uint64_t nodes;
    int64_t *no_node, *foreign_row;
};

BI_FN void bi_step_kdtree_check_inverse(const struct bi_ranks_kdtree_check_nodes *a, int64_t i)
{
    if (a->inverse[i] >= a->nodes) bi_atomic_min_i64(a->no_node, i);
}

BI_FN void bi_step_kdtree_check_nodes(const struct bi_ranks_kdtree_check_nodes *a, int64_t i)
{
    if (a->inverse[a->ids[i] - a->first] != a->positions[i]) bi_atomic_min_i64(a->foreign_row, i);
}

/* Reports the lowest node whose count differs from its tally. */
struct bi_ranks_kdtree_check_counts {
    const uint64_t *tally;
    const uint32_t *counts;
    int64_t *bad;
};

BI_FN void bi_step_kdtree_check_counts(const struct bi_ranks_kdtree_check_counts *a, int64_t i)
{
    if (a->tally[i] != a->counts[i]) bi_atomic_min_i64(a->bad, i);
}

/* ---- the order of nodes ---- */

/* Rows: this rank's `count` nodes from node `begin` on, then, for each subtree of level `level`, the node after it. */
struct bi_ranks_kdtree_verify {
    struct bi_kdtree_rows rows;
    const int64_t *ids;
    bosc_dtype dtype;
    int32_t dim, level;
    int64_t begin, count, nodes, n; /* n: points of the build */
    int64_t *bad;                   /* becomes the smallest node that is out of order, if that is less */
};

/* Returns the row of the root of range r of level `level`. The bits of `path` lead to it from the root. */
BI_FN int64_t bi_ranks_kdtree_ancestor(const struct bi_ranks_kdtree_verify *a, struct bi_kdtree_range r, int32_t level,
                                       int64_t path)
{
    const int32_t levels_left = a->level - level; /* levels down to the partition */
    if (levels_left <= 0) return bi_kdtree_mid(r) - a->begin;
    /* The node after the last subtree of the range's less side. */
    return a->count + (path << levels_left) + ((int64_t)1 << (levels_left - 1)) - 1;
}

BI_FN void bi_step_kdtree_verify(const struct bi_ranks_kdtree_verify *a, int64_t i)
{
    const int64_t node = a->begin + i;
    struct bi_kdtree_range r = {0, a->nodes};
    bool is_ordered = a->ids[i] >= 0 && a->ids[i] < a->n;
    int64_t path = 0;
    for (int32_t level = 0; is_ordered && bi_kdtree_mid(r) != node; level++) {
        const bool less = node < bi_kdtree_mid(r);
        const int64_t ancestor = bi_ranks_kdtree_ancestor(a, r, level, path);
        int order = bi_kdtree_compare_rows(&a->rows, a->dtype, a->dim, i, ancestor, level % a->dim);
        if (order == 0) order = a->ids[i] < a->ids[ancestor] ? -1 : a->ids[i] > a->ids[ancestor];
        is_ordered = less ? order < 0 : order > 0;
        path = 2 * path + !less;
        r = less ? bi_kdtree_less(r) : bi_kdtree_greater(r);
    }
    if (!is_ordered) bi_atomic_min_i64(a->bad, node);
}

#endif
