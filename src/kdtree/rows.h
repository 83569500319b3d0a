/* Steps on the caller's rows and on ids: checks, runs of equal points, names of nodes, verification. */
#ifndef BI_KDTREE_ROWS_H
#define BI_KDTREE_ROWS_H

#include "base/atomic.h"
#include "kdtree/order.h"
#include "kdtree/shape.h"

/* *row becomes the smallest row with a NaN. */
struct bi_kd_find_nan {
    struct bi_kd_rows rows;
    bosc_dtype dtype;
    int32_t dim;
    int64_t *row;
};

BI_FN void bi_step_find_nan(const struct bi_kd_find_nan *a, int64_t i)
{
    bool nan = false;
    for (int32_t c = 0; c < a->dim; c++) {
        double x = bi_kd_number(a->rows.data, i * a->rows.stride + c, a->dtype);
        nan |= x != x;
    }
    if (nan) bi_lower_i64(a->row, i);
}

struct bi_kd_iota {
    uint32_t *out;
};

BI_FN void bi_step_iota(const struct bi_kd_iota *a, int64_t i) { a->out[i] = (uint32_t)i; }

/* out[i] = ordered key of coordinate `c` of row perm[i] (uint32 for 4-byte types, else uint64). */
struct bi_kd_column {
    struct bi_kd_rows rows;
    bosc_dtype dtype;
    int32_t c;
    const uint32_t *perm;
    void *out;
};

BI_FN void bi_step_column(const struct bi_kd_column *a, int64_t i)
{
    uint64_t key = bi_kd_key(a->rows.data, (int64_t)a->perm[i] * a->rows.stride + a->c, a->dtype);
    if (a->dtype == BOSC_F32 || a->dtype == BOSC_I32)
        ((uint32_t *)a->out)[i] = (uint32_t)key;
    else
        ((uint64_t *)a->out)[i] = key;
}

/* Rows in the order of their first coordinate, whose ordered keys are `keys`, then of their number: every run of equal
 * keys, of up to BI_KD_LONGEST_RUN rows, is put in the order of superkey 0 where it stands. *too_long becomes the
 * smallest place where a longer run begins; the order is not made then. */
struct bi_kd_order_runs {
    void *rows; /* n x dim */
    int64_t n;
    bosc_dtype dtype;
    int32_t dim;
    const void *keys;
    uint32_t *perm;
    int64_t *too_long;
};

enum { BI_KD_LONGEST_RUN = 32 };

BI_FN void bi_kd_swap_rows(const struct bi_kd_order_runs *a, int64_t i, int64_t j)
{
    for (int32_t c = 0; c < a->dim; c++) {
        int64_t at = i * a->dim + c, to = j * a->dim + c;
        if (a->dtype == BOSC_F32 || a->dtype == BOSC_I32) {
            uint32_t *words = (uint32_t *)a->rows, word = words[at];
            words[at] = words[to];
            words[to] = word;
        } else {
            uint64_t *words = (uint64_t *)a->rows, word = words[at];
            words[at] = words[to];
            words[to] = word;
        }
    }
    uint32_t row = a->perm[i];
    a->perm[i] = a->perm[j];
    a->perm[j] = row;
}

BI_FN bool bi_kd_same_key(const struct bi_kd_order_runs *a, int64_t i, int64_t j)
{
    if (a->dtype == BOSC_F32 || a->dtype == BOSC_I32)
        return ((const uint32_t *)a->keys)[i] == ((const uint32_t *)a->keys)[j];
    return ((const uint64_t *)a->keys)[i] == ((const uint64_t *)a->keys)[j];
}

BI_FN void bi_step_order_runs(const struct bi_kd_order_runs *a, int64_t i)
{
    const struct bi_kd_rows rows = {a->rows, a->n, a->dim};
    if (i > 0 && bi_kd_same_key(a, i - 1, i)) return;
    int64_t end = i + 1;
    while (end < a->n && end - i <= BI_KD_LONGEST_RUN && bi_kd_same_key(a, i, end)) end++;
    if (end - i > BI_KD_LONGEST_RUN) {
        bi_lower_i64(a->too_long, i);
        return;
    }
    for (int64_t k = i + 1; k < end; k++)
        for (int64_t j = k; j > i; j--) {
            if (bi_kd_compare_rows(&rows, a->dtype, a->dim, j - 1, j, 0) <= 0) break;
            bi_kd_swap_rows(a, j - 1, j);
        }
}

/* *bad becomes the smallest place whose key is less than the one before it. */
struct bi_kd_check_keys {
    const void *keys;
    bool narrow;
    int64_t *bad;
};

BI_FN void bi_step_check_keys(const struct bi_kd_check_keys *a, int64_t i)
{
    if (i == 0) return;
    if (a->narrow ? ((const uint32_t *)a->keys)[i - 1] > ((const uint32_t *)a->keys)[i]
                  : ((const uint64_t *)a->keys)[i - 1] > ((const uint64_t *)a->keys)[i])
        bi_lower_i64(a->bad, i);
}

/* keep[i] and marks[i] = 1 where a run of equal rows begins. The rows are to be in the order of superkey 0, then of
 * their numbers `perm`: *bad becomes the smallest place that is not. */
struct bi_kd_mark_runs {
    struct bi_kd_rows rows;
    bosc_dtype dtype;
    int32_t dim;
    const uint32_t *perm;
    uint8_t *keep;
    uint32_t *marks;
    int64_t *bad;
};

BI_FN void bi_step_mark_runs(const struct bi_kd_mark_runs *a, int64_t i)
{
    int order = -1;
    if (i > 0) {
        order = bi_kd_compare_rows(&a->rows, a->dtype, a->dim, i - 1, i, 0);
        if (order > 0 || (order == 0 && a->perm[i - 1] >= a->perm[i])) bi_lower_i64(a->bad, i);
    }
    a->keep[i] = order != 0;
    a->marks[i] = order != 0;
}

/* ranks: inclusive sums of marks. starts[r] = where run r begins. */
struct bi_kd_run_starts {
    const uint32_t *ranks;
    uint32_t *starts;
};

BI_FN void bi_step_run_starts(const struct bi_kd_run_starts *a, int64_t i)
{
    if (i == 0 || a->ranks[i] != a->ranks[i - 1]) a->starts[a->ranks[i] - 1] = (uint32_t)i;
}

/* Row i of out (dim elements of element_size 4 or 8) = row perm[i]. */
struct bi_kd_gather_rows {
    struct bi_kd_rows rows;
    int32_t dim, element_size;
    const uint32_t *perm;
    void *out;
};

BI_FN void bi_step_gather_rows(const struct bi_kd_gather_rows *a, int64_t i)
{
    int64_t from = (int64_t)a->perm[i] * a->rows.stride, to = i * a->dim;
    for (int32_t c = 0; c < a->dim; c++) {
        if (a->element_size == 4)
            ((uint32_t *)a->out)[to + c] = ((const uint32_t *)a->rows.data)[from + c];
        else
            ((uint64_t *)a->out)[to + c] = ((const uint64_t *)a->rows.data)[from + c];
    }
}

/* Node i, whose id is a rank, gets the id names[rank], and where[rank] = i (`where` may be NULL). */
struct bi_kd_name_nodes {
    uint32_t *ids;
    int64_t id_stride;
    const uint32_t *names;
    uint32_t *where;
};

BI_FN void bi_step_name_nodes(const struct bi_kd_name_nodes *a, int64_t i)
{
    uint32_t rank = a->ids[i * a->id_stride];
    a->ids[i * a->id_stride] = a->names[rank];
    if (a->where) a->where[rank] = (uint32_t)i;
}

/* where[id of node i] = i. */
struct bi_kd_place_ids {
    const uint32_t *ids;
    int64_t id_stride;
    uint32_t *where;
};

BI_FN void bi_step_place_ids(const struct bi_kd_place_ids *a, int64_t i)
{
    a->where[a->ids[i * a->id_stride]] = (uint32_t)i;
}

/* inverse[row] = node that stands for the row; where[r] is the node of run r. */
struct bi_kd_inverse {
    const uint32_t *perm, *ranks, *where;
    uint32_t *inverse;
};

BI_FN void bi_step_inverse(const struct bi_kd_inverse *a, int64_t i)
{
    a->inverse[a->perm[i]] = a->where[a->ranks[i] - 1];
}

/* counts[node] = length of run r, for all runs; n rows in all. */
struct bi_kd_count_runs {
    const uint32_t *starts, *where;
    int64_t runs, n;
    uint32_t *counts;
};

BI_FN void bi_step_count_runs(const struct bi_kd_count_runs *a, int64_t r)
{
    int64_t end = r + 1 < a->runs ? (int64_t)a->starts[r + 1] : a->n;
    a->counts[a->where[r]] = (uint32_t)(end - a->starts[r]);
}

/* out[i] = in[i] as int64; for ids, "none" becomes -1. `in` NULL: 1. */
struct bi_kd_widen {
    const uint32_t *in;
    int64_t *out;
};

BI_FN void bi_step_widen_ids(const struct bi_kd_widen *a, int64_t i)
{
    a->out[i] = a->in[i] == BI_KD_NONE ? -1 : (int64_t)a->in[i];
}

BI_FN void bi_step_widen_counts(const struct bi_kd_widen *a, int64_t i) { a->out[i] = a->in ? (int64_t)a->in[i] : 1; }

/* Verification. *bad becomes the smallest offending node; n is the number of rows that were given. */
struct bi_kd_check {
    struct bi_kd_view view;
    int64_t n;
    uint32_t *owners; /* n; all BI_KD_NONE before own_ids */
    int64_t *bad;
};

/* Whether node i is on the right side of `mid`, an ancestor `level` levels below the root. */
BI_FN bool bi_kd_ordered(const struct bi_kd_view *v, int64_t i, int64_t mid, int level)
{
    int order = bi_kd_compare_nodes(v, i, mid, level % v->dim);
    return i < mid ? order < 0 : order > 0;
}

BI_FN void bi_step_check_order(const struct bi_kd_check *a, int64_t i)
{
    struct bi_kd_range r = {0, a->view.nodes};
    for (int level = 0; r.begin < r.end; level++) {
        int64_t mid = bi_kd_mid(r);
        if (mid == i) return;
        if (!bi_kd_ordered(&a->view, i, mid, level)) {
            bi_lower_i64(a->bad, i);
            return;
        }
        r = i < mid ? bi_kd_less(r) : bi_kd_greater(r);
    }
}

/* owners[id] = the first node with that id. */
BI_FN void bi_step_own_ids(const struct bi_kd_check *a, int64_t i)
{
    uint32_t id = bi_kd_id(&a->view, i);
    if ((int64_t)id < a->n) bi_lower_u32(&a->owners[id], (uint32_t)i);
}

BI_FN void bi_step_check_ids(const struct bi_kd_check *a, int64_t i)
{
    uint32_t id = bi_kd_id(&a->view, i);
    if ((int64_t)id >= a->n || a->owners[id] != (uint32_t)i) bi_lower_i64(a->bad, i);
}

/* Rows of compressed sparse form: m + 1 offsets, from 0 to room at most. */
struct bi_kd_check_offsets {
    const int64_t *offsets;
    int64_t *bad;
};

BI_FN void bi_step_check_offsets(const struct bi_kd_check_offsets *a, int64_t i)
{
    if (a->offsets[i] < 0 || a->offsets[i + 1] < a->offsets[i] || (i == 0 && a->offsets[0] != 0))
        bi_lower_i64(a->bad, i);
}

#endif
