/* Steps of distributed k-d trees without duplicates: which node stands for which row. A row's home is the rank that
 * gave it to the build. */
#ifndef BI_RANKS_STEPS_KDTREE_DUPLICATES_H
#define BI_RANKS_STEPS_KDTREE_DUPLICATES_H

#include "base/atomic.h"
#include "base/search.h"
#include "base/words.h"

/* ---- when duplicates are removed ---- */

/* firsts[i] = the id of the first of the rows that are equal to row i, all of which came here. */
struct bi_ranks_kdtree_first_ids {
    const uint32_t *inverse, *rows; /* the node of each row, and the first row of each node */
    const int64_t *ids;             /* of the rows */
    int64_t *firsts;
};

BI_FN void bi_step_kdtree_first_ids(const struct bi_ranks_kdtree_first_ids *a, int64_t i)
{
    a->firsts[i] = a->ids[a->rows[a->inverse[i]]];
}

/* The answers to rows sent in `order` come to their rows, which stay if they are first themselves. */
struct bi_ranks_kdtree_take_firsts {
    const int64_t *answers;
    const uint32_t *order;
    int64_t first; /* the id of row 0 */
    int64_t *firsts;
    uint8_t *keep;
};

BI_FN void bi_step_kdtree_take_firsts(const struct bi_ranks_kdtree_take_firsts *a, int64_t i)
{
    const uint32_t row = a->order[i];
    a->firsts[row] = a->answers[i];
    a->keep[row] = a->answers[i] == a->first + row;
}

/* ---- when it is asked for ---- */

/* owners[i] = the home of row ids[i]. */
struct bi_ranks_kdtree_homes {
    const void *ids; /* of 64 (`wide`) or 32 bits */
    bool wide;
    const int64_t *firsts; /* (rank_count + 1): the id of each rank's first row */
    int64_t rank_count;
    uint32_t *owners;
};

BI_FN void bi_step_kdtree_homes(const struct bi_ranks_kdtree_homes *a, int64_t i)
{
    const int64_t id = (int64_t)bi_word(a->ids, a->wide, i);
    a->owners[i] = (uint32_t)(bi_upper_bound_i64(a->firsts, a->rank_count + 1, id) - 1);
}

/* items[2 i] = the id of node i of this rank, and then the node's number among all. */
struct bi_ranks_kdtree_node_items {
    const void *ids; /* of 64 (`wide`) or 32 bits */
    bool wide;
    int64_t begin; /* the number of node 0 */
    int64_t *items;
};

BI_FN void bi_step_kdtree_node_items(const struct bi_ranks_kdtree_node_items *a, int64_t i)
{
    a->items[2 * i] = (int64_t)bi_word(a->ids, a->wide, i);
    a->items[2 * i + 1] = a->begin + i;
}

/* At home: the nodes that came are put to their rows, which as many rows are known to equal. */
struct bi_ranks_kdtree_place_nodes {
    const int64_t *items;
    int64_t first; /* the id of row 0 */
    int64_t *node_of;
    uint64_t *tally, known;
};

BI_FN void bi_step_kdtree_place_nodes(const struct bi_ranks_kdtree_place_nodes *a, int64_t i)
{
    const int64_t row = a->items[2 * i] - a->first;
    a->node_of[row] = a->items[2 * i + 1];
    a->tally[row] = a->known;
}

/* Entries of a rank's table are asked for, by their numbers among those of all: the answers, and how often each is
 * asked for. `stride` words lie between two questions. */
struct bi_ranks_kdtree_look_up {
    const void *asked;
    bool wide_asked; /* words of 64 bits, else 32 */
    int64_t stride, first;
    const void *table;
    bool wide_table;
    uint64_t *tally; /* NULL: not counted */
    int64_t *answers;
};

BI_FN void bi_step_kdtree_look_up(const struct bi_ranks_kdtree_look_up *a, int64_t i)
{
    const int64_t entry = (int64_t)bi_word(a->asked, a->wide_asked, i * a->stride) - a->first;
    a->answers[i] = (int64_t)bi_word(a->table, a->wide_table, entry);
    if (a->tally) bi_atomic_fetch_add_u64(&a->tally[entry], 1);
}

/* ---- when a saved tree is read ---- */

/* out[i] = first + i. */
struct bi_ranks_kdtree_count_from {
    uint32_t first;
    uint32_t *out;
};

BI_FN void bi_step_kdtree_count_from(const struct bi_ranks_kdtree_count_from *a, int64_t i)
{
    a->out[i] = a->first + (uint32_t)i;
}

struct bi_ranks_kdtree_widen_ids {
    const uint32_t *in;
    int64_t *out;
};

BI_FN void bi_step_kdtree_widen_ids(const struct bi_ranks_kdtree_widen_ids *a, int64_t i) { a->out[i] = a->in[i]; }

/* Ids of this rank's rows, which a sort has put in order, are in [first, end) and distinct; else the lowest place of
 * one that is not is told. */
struct bi_ranks_kdtree_check_kept {
    const uint32_t *ids;
    int64_t first, end;
    int64_t *out_of_range, *repeated;
};

BI_FN void bi_step_kdtree_check_kept(const struct bi_ranks_kdtree_check_kept *a, int64_t i)
{
    if (a->ids[i] < a->first || a->ids[i] >= a->end) bi_atomic_min_i64(a->out_of_range, i);
    if (i > 0 && a->ids[i] == a->ids[i - 1]) bi_atomic_min_i64(a->repeated, i);
}

/* The node of each row is one of `nodes`; and that of the row which names a node is this node. */
struct bi_ranks_kdtree_check_runs {
    const uint32_t *ids, *places; /* of nodes that are named for rows of this rank */
    const uint32_t *inverse;      /* of these rows */
    int64_t first;
    uint64_t nodes;
    int64_t *no_node, *others_row;
};

BI_FN void bi_step_kdtree_check_inverse(const struct bi_ranks_kdtree_check_runs *a, int64_t i)
{
    if (a->inverse[i] >= a->nodes) bi_atomic_min_i64(a->no_node, i);
}

BI_FN void bi_step_kdtree_check_runs(const struct bi_ranks_kdtree_check_runs *a, int64_t i)
{
    if (a->inverse[a->ids[i] - a->first] != a->places[i]) bi_atomic_min_i64(a->others_row, i);
}

struct bi_ranks_kdtree_check_counts {
    const uint64_t *tally;
    const uint32_t *counts;
    int64_t *bad;
};

BI_FN void bi_step_kdtree_check_counts(const struct bi_ranks_kdtree_check_counts *a, int64_t i)
{
    if (a->tally[i] != a->counts[i]) bi_atomic_min_i64(a->bad, i);
}

#endif
