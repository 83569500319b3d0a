/* Steps on rows of points and on lists of references: find NaN, copy rows and ids; and steps that verify a tree. */
#ifndef BI_KDTREE_STEPS_ROWS_H
#define BI_KDTREE_STEPS_ROWS_H

#include "base/atomic.h"
#include "kdtree/order.h"
#include "kdtree/shape.h"

/* Lowers found->beyond to the smallest row with a NaN or a finite coordinate beyond the limit; sets found->tiny. */
struct bi_kdtree_find_beyond {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim;
    double limit, least;
    struct bi_kdtree_findings *found;
};

/* Bits of a number. BEYOND: a NaN or finite and beyond the limit (in vector loops of the CPU infinities too). TINY:
 * within `least`, but not 0. */
enum bi_kdtree_class { BI_KDTREE_IS_BEYOND = 1, BI_KDTREE_IS_TINY = 2 };

BI_FN int bi_kdtree_classify_f32(float x, float limit, float least)
{
    const float magnitude = x < 0 ? -x : x;
    return (!(magnitude <= limit) && magnitude != INFINITY ? BI_KDTREE_IS_BEYOND : 0) |
           (magnitude > 0 && magnitude <= least ? BI_KDTREE_IS_TINY : 0);
}

BI_FN int bi_kdtree_classify_f64(double x, double limit, double least)
{
    const double magnitude = x < 0 ? -x : x;
    return (!(magnitude <= limit) && magnitude != (double)INFINITY ? BI_KDTREE_IS_BEYOND : 0) |
           (magnitude > 0 && magnitude <= least ? BI_KDTREE_IS_TINY : 0);
}

BI_FN void bi_step_find_beyond(const struct bi_kdtree_find_beyond *a, int64_t i)
{
    int bits = 0;
    for (int32_t c = 0; c < a->dim; c++) {
        const int64_t at = i * a->rows.stride + c;
        bits |= a->dtype == BOSC_F32
                    ? bi_kdtree_classify_f32(((const float *)a->rows.data)[at], (float)a->limit, (float)a->least)
                    : bi_kdtree_classify_f64(((const double *)a->rows.data)[at], a->limit, a->least);
    }
    if ((bits & BI_KDTREE_IS_BEYOND) && (uint64_t)i < bi_atomic_load_u64((const uint64_t *)&a->found->beyond))
        bi_atomic_min_i64(&a->found->beyond, i);
    if ((bits & BI_KDTREE_IS_TINY) && !bi_atomic_load_u32(&a->found->tiny)) bi_atomic_or_u32(&a->found->tiny, 1);
}

/* Element k of the rows, times a power of two. *rounded = 1 if a product is not exact. */
struct bi_kdtree_scale_rows {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim;
    double scale;
    void *out; /* packed */
    uint32_t *rounded;
};

BI_FN void bi_step_scale_rows(const struct bi_kdtree_scale_rows *a, int64_t k)
{
    const int64_t i = k / a->dim;
    const double x = bosc_kdtree_number(a->rows.data, i * a->rows.stride + (k - i * a->dim), a->dtype);
    double product = x * a->scale;
    if (a->dtype == BOSC_F32) {
        product = (double)(float)product;
        ((float *)a->out)[k] = (float)product;
    } else {
        ((double *)a->out)[k] = product;
    }
    if (product / a->scale != x) bi_atomic_or_u32(a->rounded, 1);
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

/* Row id of node i = its point. */
struct bi_kdtree_place_points {
    bosc_kdtree_view view;
    void *rows; /* of the tree's type, n x dim */
};

BI_FN void bi_step_place_points(const struct bi_kdtree_place_points *a, int64_t i)
{
    const bosc_kdtree_view *v = &a->view;
    const int64_t to = (int64_t)bosc_kdtree_id(v, i) * v->dim;
    for (int32_t c = 0; c < v->dim; c++) {
        const int64_t from = bosc_kdtree_element(v, i, c);
        if (v->dtype == BOSC_F32 || v->dtype == BOSC_I32)
            ((uint32_t *)a->rows)[to + c] = ((const uint32_t *)v->points)[from];
        else
            ((uint64_t *)a->rows)[to + c] = ((const uint64_t *)v->points)[from];
    }
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
    int order = bi_kdtree_compare_nodes(v, i, mid, (level + v->first) % v->dim);
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
