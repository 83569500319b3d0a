/* Steps on the caller's rows and on ids: checks, runs of equal points, names of nodes, verification. */
#ifndef BI_KDTREE_STEPS_ROWS_H
#define BI_KDTREE_STEPS_ROWS_H

#include "base/atomic.h"
#include "core/csr_steps.h"
#include "kdtree/order.h"
#include "kdtree/shape.h"

/* *row becomes the smallest row with a NaN. */
struct bi_kdtree_find_nan {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim;
    int64_t *row;
};

BI_FN void bi_step_find_nan(const struct bi_kdtree_find_nan *a, int64_t i)
{
    bool nan = false;
    for (int32_t c = 0; c < a->dim; c++) {
        double x = bi_kdtree_number(a->rows.data, i * a->rows.stride + c, a->dtype);
        nan |= x != x;
    }
    if (nan) bi_atomic_min_i64(a->row, i);
}

struct bi_kdtree_iota {
    uint32_t *out;
};

BI_FN void bi_step_iota(const struct bi_kdtree_iota *a, int64_t i) { a->out[i] = (uint32_t)i; }

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
 * keys, of up to BI_KDTREE_LONGEST_RUN rows, is put in the order of superkey 0. *too_long becomes the smallest place
 * that is that far from the beginning of its run, and the order is not made then. */
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

BI_FN bool bi_kdtree_same_key(const struct bi_kdtree_order_runs *a, int64_t i, int64_t j)
{
    if (a->dtype == BOSC_F32 || a->dtype == BOSC_I32)
        return ((const uint32_t *)a->keys)[i] == ((const uint32_t *)a->keys)[j];
    return ((const uint64_t *)a->keys)[i] == ((const uint64_t *)a->keys)[j];
}

BI_FN void bi_step_order_runs(const struct bi_kdtree_order_runs *a, int64_t i)
{
    int64_t begin = i, to = i;
    while (begin > 0 && i - begin <= BI_KDTREE_LONGEST_RUN && bi_kdtree_same_key(a, i, begin - 1)) begin--;
    if (i - begin >=
        BI_KDTREE_LONGEST_RUN) { /* told once for each run, as many threads would tell it one after another */
        if (i - begin == BI_KDTREE_LONGEST_RUN) bi_atomic_min_i64(a->too_long, i);
        return;
    }
    if (begin + BI_KDTREE_LONGEST_RUN < a->rows.n && bi_kdtree_same_key(a, i, begin + BI_KDTREE_LONGEST_RUN)) return;
    for (int64_t j = begin; j < i; j++)
        if (bi_kdtree_compare_rows(&a->rows, a->dtype, a->dim, i, j, 0) < 0) to--;
    for (int64_t j = i + 1; j < a->rows.n && bi_kdtree_same_key(a, i, j); j++)
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

/* *bad becomes the smallest place whose key is less than the one before it. */
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

/* keep[i] and marks[i] = 1 where a run of equal rows begins. The rows are to be in the order of superkey 0, then of
 * their numbers `perm`: *bad becomes the smallest place that is not. */
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

/* ranks: inclusive sums of marks. starts[r] = where run r begins, and n after the last. */
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

/* Element k of the rows perm[0], perm[1], ..., of dim elements of element_size 4 or 8. By elements, as neighbouring
 * threads then read and write neighbours. */
struct bi_kdtree_gather_rows {
    struct bi_kdtree_rows rows;
    int32_t dim, element_size;
    const uint32_t *perm;
    void *out;
};

BI_FN void bi_step_gather_rows(const struct bi_kdtree_gather_rows *a, int64_t k)
{
    int64_t i = k <= (int64_t)UINT32_MAX ? (int64_t)((uint32_t)k / (uint32_t)a->dim) : k / a->dim;
    int64_t from = (int64_t)a->perm[i] * a->rows.stride + (k - i * a->dim);
    if (a->element_size == 4)
        ((uint32_t *)a->out)[k] = ((const uint32_t *)a->rows.data)[from];
    else
        ((uint64_t *)a->out)[k] = ((const uint64_t *)a->rows.data)[from];
}

/* Node i, whose id is a rank, gets the id names[rank], and where[rank] = i (`where` may be NULL). */
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

/* where[id of node i] = i. */
struct bi_kdtree_place_ids {
    const uint32_t *ids;
    int64_t id_stride;
    uint32_t *where;
};

BI_FN void bi_step_place_ids(const struct bi_kdtree_place_ids *a, int64_t i)
{
    a->where[a->ids[i * a->id_stride]] = (uint32_t)i;
}

/* nodes[i] = where[run of i]: the node that stands for row i in the order of the rows. */
struct bi_kdtree_nodes_of_rows {
    const uint32_t *ranks, *where;
    uint32_t *nodes;
};

BI_FN void bi_step_nodes_of_rows(const struct bi_kdtree_nodes_of_rows *a, int64_t i)
{
    a->nodes[i] = a->where[a->ranks[i] - 1];
}

/* out[to[i]] = in[i]. */
struct bi_kdtree_scatter {
    const uint32_t *to, *in;
    uint32_t *out;
};

BI_FN void bi_step_scatter(const struct bi_kdtree_scatter *a, int64_t i) { a->out[a->to[i]] = a->in[i]; }

/* counts[i] = length of the run that node i stands for. */
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

/* out[i] = in[i] as int64; for ids, "none" becomes -1. `in` NULL: 1. */
struct bi_kdtree_widen {
    const uint32_t *in;
    int64_t *out;
};

BI_FN void bi_step_widen_ids(const struct bi_kdtree_widen *a, int64_t i)
{
    a->out[i] = a->in[i] == BI_KDTREE_NONE ? -1 : (int64_t)a->in[i];
}

BI_FN void bi_step_widen_counts(const struct bi_kdtree_widen *a, int64_t i)
{
    a->out[i] = a->in ? (int64_t)a->in[i] : 1;
}

/* Verification. *bad becomes the smallest offending node; n is the number of rows that were given. */
struct bi_kdtree_check {
    struct bi_kdtree_view view;
    int64_t n;
    uint32_t *owners; /* n; all BI_KDTREE_NONE before own_ids */
    int64_t *bad;
};

/* Whether node i is on the right side of `mid`, an ancestor `level` levels below the root. */
BI_FN bool bi_kdtree_ordered(const struct bi_kdtree_view *v, int64_t i, int64_t mid, int level)
{
    int order = bi_kdtree_compare_nodes(v, i, mid, level % v->dim);
    return i < mid ? order < 0 : order > 0;
}

BI_FN void bi_step_check_order(const struct bi_kdtree_check *a, int64_t i)
{
    struct bi_kdtree_range r = {0, a->view.nodes};
    for (int level = 0; r.begin < r.end; level++) {
        int64_t mid = bi_kdtree_mid(r);
        if (mid == i) return;
        if (!bi_kdtree_ordered(&a->view, i, mid, level)) {
            bi_atomic_min_i64(a->bad, i);
            return;
        }
        r = i < mid ? bi_kdtree_less(r) : bi_kdtree_greater(r);
    }
}

/* owners[id] = the first node with that id. */
BI_FN void bi_step_own_ids(const struct bi_kdtree_check *a, int64_t i)
{
    uint32_t id = bi_kdtree_id(&a->view, i);
    if ((int64_t)id < a->n) bi_atomic_min_u32(&a->owners[id], (uint32_t)i);
}

BI_FN void bi_step_check_ids(const struct bi_kdtree_check *a, int64_t i)
{
    uint32_t id = bi_kdtree_id(&a->view, i);
    if ((int64_t)id >= a->n || a->owners[id] != (uint32_t)i) bi_atomic_min_i64(a->bad, i);
}

#endif
