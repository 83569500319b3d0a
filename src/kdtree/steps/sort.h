/* Steps that sort rows by superkey, and that find and name runs of equal rows. */
#ifndef BI_KDTREE_STEPS_SORT_H
#define BI_KDTREE_STEPS_SORT_H

#include "base/atomic.h"
#include "kdtree/order.h"

/* --- Order -------------------------------------------------------------------------------------------------------- */

/* out[i] = ordered key of coordinate `c` of row perm[i] (uint32 for 4-byte types, else uint64). */
struct bi_kdtree_column {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t c;
    const uint32_t *perm;
    void *out;
};

BI_FN void bi_step_column(const struct bi_kdtree_column *a, int64_t i)
{
    uint64_t key = bi_kdtree_key(a->rows.data, (int64_t)a->perm[i] * a->rows.stride + a->c, a->dtype);
    if (a->dtype == BOSC_F32 || a->dtype == BOSC_I32)
        ((uint32_t *)a->out)[i] = (uint32_t)key;
    else
        ((uint64_t *)a->out)[i] = key;
}

/* Rows in the order of their first coordinate, whose ordered keys are `keys`, then of their number: every run of equal
 * keys, of up to BI_KDTREE_LONGEST_RUN rows, is put in the order of superkey 0. *too_long becomes the smallest
 * position that is that far from the beginning of its run, and the order is not made then. */
struct bi_kdtree_order_runs {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim;
    const void *keys;
    const uint32_t *perm;
    void *out;
    uint32_t *out_perm;
    int64_t *too_long;
};

enum { BI_KDTREE_LONGEST_RUN = 32 };

/* True if the ordered keys i and j of a coordinate are equal. */
BI_FN bool bi_kdtree_same_key(const void *keys, bosc_dtype dtype, int64_t i, int64_t j)
{
    if (dtype == BOSC_F32 || dtype == BOSC_I32) return ((const uint32_t *)keys)[i] == ((const uint32_t *)keys)[j];
    return ((const uint64_t *)keys)[i] == ((const uint64_t *)keys)[j];
}

BI_FN void bi_step_order_runs(const struct bi_kdtree_order_runs *a, int64_t i)
{
    int64_t begin = i, to = i;
    /* 1. Find the begin of the run; long runs remain as they are. */
    while (begin > 0 && i - begin <= BI_KDTREE_LONGEST_RUN && bi_kdtree_same_key(a->keys, a->dtype, i, begin - 1))
        begin--;
    if (i - begin >= BI_KDTREE_LONGEST_RUN) { /* one thread a run reports it, against contention */
        if (i - begin == BI_KDTREE_LONGEST_RUN) bi_atomic_min_i64(a->too_long, i);
        return;
    }
    if (begin + BI_KDTREE_LONGEST_RUN < a->rows.n &&
        bi_kdtree_same_key(a->keys, a->dtype, i, begin + BI_KDTREE_LONGEST_RUN))
        return;
    /* 2. Move the row by its rank in the run. */
    for (int64_t j = begin; j < i; j++)
        if (bi_kdtree_compare_rows(&a->rows, a->dtype, a->dim, i, j, 0) < 0) to--;
    for (int64_t j = i + 1; j < a->rows.n && bi_kdtree_same_key(a->keys, a->dtype, i, j); j++)
        if (bi_kdtree_compare_rows(&a->rows, a->dtype, a->dim, j, i, 0) < 0) to++;
    a->out_perm[to] = a->perm[i];
    for (int32_t c = 0; c < a->dim; c++) {
        int64_t from = i * a->dim + c;
        if (a->dtype == BOSC_F32 || a->dtype == BOSC_I32)
            ((uint32_t *)a->out)[to * a->dim + c] = ((const uint32_t *)a->rows.data)[from];
        else
            ((uint64_t *)a->out)[to * a->dim + c] = ((const uint64_t *)a->rows.data)[from];
    }
}

/* References in the order of coordinate `first`, whose ordered keys are `keys`, then of their numbers: every run of
 * equal keys is put in the order of superkey `first`, as by order_runs. */
struct bi_kdtree_order_ties {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim, first;
    const void *keys;
    const uint32_t *perm;
    uint32_t *out;
    int64_t *too_long;
};

/* True if position j precedes i, tied with it, by superkey, then by number. */
BI_FN bool bi_kdtree_tie_before(const struct bi_kdtree_order_ties *a, int64_t j, int64_t i)
{
    int order = bi_kdtree_compare_rows(&a->rows, a->dtype, a->dim, a->perm[j], a->perm[i], a->first);
    return order ? order < 0 : a->perm[j] < a->perm[i];
}

/* A long run is reported once, by its first position. */
BI_FN void bi_step_order_ties(const struct bi_kdtree_order_ties *a, int64_t i)
{
    const int64_t most = BI_KDTREE_LONGEST_RUN;
    int64_t begin = i, end = i + 1, to;
    if (i + most < a->rows.n && bi_kdtree_same_key(a->keys, a->dtype, i, i + most)) {
        if (i == 0 || !bi_kdtree_same_key(a->keys, a->dtype, i, i - 1)) bi_atomic_min_i64(a->too_long, i);
        return;
    }
    if (i >= most && bi_kdtree_same_key(a->keys, a->dtype, i, i - most)) return;
    while (begin > 0 && bi_kdtree_same_key(a->keys, a->dtype, i, begin - 1)) begin--;
    while (end < a->rows.n && bi_kdtree_same_key(a->keys, a->dtype, i, end)) end++;
    if (end - begin > most) return;
    to = begin;
    for (int64_t j = begin; j < end; j++) to += j != i && bi_kdtree_tie_before(a, j, i);
    a->out[to] = a->perm[i];
}

/* Lowers *bad to the smallest position whose key is less than the previous one. */
struct bi_kdtree_check_keys {
    const void *keys;
    bool narrow;
    int64_t *bad;
};

BI_FN void bi_step_check_keys(const struct bi_kdtree_check_keys *a, int64_t i)
{
    if (i == 0) return;
    if (a->narrow ? ((const uint32_t *)a->keys)[i - 1] > ((const uint32_t *)a->keys)[i]
                  : ((const uint64_t *)a->keys)[i - 1] > ((const uint64_t *)a->keys)[i])
        bi_atomic_min_i64(a->bad, i);
}

/* --- Duplicates --------------------------------------------------------------------------------------------------- */

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
