/* Steps on rows of points and on lists of references: find NaN, copy rows and ids; and steps that verify a tree. */
#ifndef BI_KDTREE_STEPS_ROWS_H
#define BI_KDTREE_STEPS_ROWS_H

#include "base/atomic.h"
#include "kdtree/order.h"
#include "kdtree/shape.h"

/* Lowers *row to the smallest row with a NaN. */
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
        double x = bosc_kdtree_number(a->rows.data, i * a->rows.stride + c, a->dtype);
        nan |= x != x;
    }
    if (nan) bi_atomic_min_i64(a->row, i);
}

/* Element k of the rows perm[0], perm[1], ..., of dim elements of element_size 4 or 8. By elements, as neighbouring
 * threads then read and write neighbours. k is divided in 32 bits if it fits. */
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

/* out[to[i]] = in[i]. */
struct bi_kdtree_scatter {
    const uint32_t *to, *in;
    uint32_t *out;
};

BI_FN void bi_step_scatter(const struct bi_kdtree_scatter *a, int64_t i) { a->out[a->to[i]] = a->in[i]; }

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

/* --- Verification ------------------------------------------------------------------------------------------------- */

/* Lowers *bad to the smallest offending node; n: number of rows of the build. */
struct bi_kdtree_check {
    bosc_kdtree_view view;
    int64_t n;
    uint32_t *owners; /* n; all BI_KDTREE_NONE before own_ids */
    int64_t *bad;
};

/* True if node i is on the correct side of `mid`, an ancestor at `level`. */
BI_FN bool bi_kdtree_ordered(const bosc_kdtree_view *v, int64_t i, int64_t mid, int level)
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
    uint32_t id = bosc_kdtree_id(&a->view, i);
    if ((int64_t)id < a->n) bi_atomic_min_u32(&a->owners[id], (uint32_t)i);
}

BI_FN void bi_step_check_ids(const struct bi_kdtree_check *a, int64_t i)
{
    uint32_t id = bosc_kdtree_id(&a->view, i);
    if ((int64_t)id >= a->n || a->owners[id] != (uint32_t)i) bi_atomic_min_i64(a->bad, i);
}

#endif
