/* Steps on runs of equal points among sorted rows; the first row of a run is a node. */
#ifndef BI_KDTREE_STEPS_DEDUPLICATE_H
#define BI_KDTREE_STEPS_DEDUPLICATE_H

#include "base/atomic.h"
#include "kdtree/order.h"

/* keep[i] and marks[i] = 1 where a run of equal rows begins. The rows must be sorted by superkey 0, then by their
 * numbers `perm`: *bad is lowered to the smallest position out of order. */
struct bi_kdtree_mark_runs {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim;
    const uint32_t *perm;
    uint8_t *keep;
    uint32_t *marks;
    int64_t *bad;
};

BI_FN void bi_step_mark_runs(const struct bi_kdtree_mark_runs *a, int64_t i)
{
    int order = -1;
    if (i > 0) {
        order = bi_kdtree_compare_rows(&a->rows, a->dtype, a->dim, i - 1, i, 0);
        if (order > 0 || (order == 0 && a->perm[i - 1] >= a->perm[i])) bi_atomic_min_i64(a->bad, i);
    }
    a->keep[i] = order != 0;
    a->marks[i] = order != 0;
}

/* ranks: inclusive sums of marks. starts[r] = begin of run r; n after the last. */
struct bi_kdtree_run_starts {
    const uint32_t *ranks;
    int64_t n;
    uint32_t *starts;
};

BI_FN void bi_step_run_starts(const struct bi_kdtree_run_starts *a, int64_t i)
{
    if (i == 0 || a->ranks[i] != a->ranks[i - 1]) a->starts[a->ranks[i] - 1] = (uint32_t)i;
    if (i == a->n - 1) a->starts[a->ranks[i]] = (uint32_t)a->n;
}

/* inverse[row] = inverse[the first row of its run], for row i of the order that is not the first of its run. */
struct bi_kdtree_other_rows_of_runs {
    const uint32_t *perm, *ranks, *starts;
    uint32_t *inverse;
};

BI_FN void bi_step_other_rows_of_runs(const struct bi_kdtree_other_rows_of_runs *a, int64_t i)
{
    uint32_t first = a->starts[a->ranks[i] - 1];
    if ((int64_t)first != i) a->inverse[a->perm[i]] = a->inverse[a->perm[first]];
}

/* counts[node] = length of the node's run: single_counts writes 1 for all, run_counts the longer ones. */
struct bi_kdtree_lengths {
    const uint32_t *perm, *starts, *inverse;
    uint32_t *counts;
};

BI_FN void bi_step_single_counts(const struct bi_kdtree_lengths *a, int64_t i) { a->counts[i] = 1; }

BI_FN void bi_step_run_counts(const struct bi_kdtree_lengths *a, int64_t i)
{
    uint32_t first = a->starts[i], length = a->starts[i + 1] - first;
    if (length > 1) a->counts[a->inverse[a->perm[first]]] = length;
}

/* Replaces the id of node i, a rank, by names[rank]; where[rank] = i (`where` may be NULL). */
struct bi_kdtree_name_nodes {
    const uint32_t *ranks;
    uint32_t *ids;
    int64_t stride; /* of both */
    const uint32_t *names;
    uint32_t *where;
};

BI_FN void bi_step_name_nodes(const struct bi_kdtree_name_nodes *a, int64_t i)
{
    uint32_t rank = a->ranks[i * a->stride];
    a->ids[i * a->stride] = a->names[rank];
    if (a->where) a->where[rank] = (uint32_t)i;
}

/* nodes[i] = where[run of i]: the node of sorted row i. */
struct bi_kdtree_nodes_of_rows {
    const uint32_t *ranks, *where;
    uint32_t *nodes;
};

BI_FN void bi_step_nodes_of_rows(const struct bi_kdtree_nodes_of_rows *a, int64_t i)
{
    a->nodes[i] = a->where[a->ranks[i] - 1];
}

/* counts[i] = length of the run of node i. */
struct bi_kdtree_count_runs {
    const uint32_t *runs; /* by node */
    int64_t stride;
    const uint32_t *starts; /* and the end of the last run */
    uint32_t *counts;
};

BI_FN void bi_step_count_runs(const struct bi_kdtree_count_runs *a, int64_t i)
{
    uint32_t r = a->runs[i * a->stride];
    a->counts[i] = a->starts[r + 1] - a->starts[r];
}

#endif
