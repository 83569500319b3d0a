/* Steps that gather the points of clusters, label by label. */
#ifndef BI_CLUSTER_STEPS_MEMBERS_H
#define BI_CLUSTER_STEPS_MEMBERS_H

#include <boscage/device/kdtree.h>

#include "base/atomic.h"
#include "base/bits.h"

/* Points of clusters. A position counts the members: by label, then by row; noise follows. */
struct bi_cluster_members {
    const void *points;
    int64_t stride;
    bosc_dtype dtype;
    int32_t dim;
    const void *labels;
    bool labels_64bit;
    const double *weights; /* by row; NULL: 1 */
    int64_t n, clusters, count;
    int64_t *bad;         /* the lowest row with a bad label, a bad weight, a coordinate that is not finite */
    uint32_t *label;      /* by row, then by position; `clusters` for noise */
    uint32_t *row;        /* by position */
    const int64_t *begin; /* by label, then for noise: the first position */
    double *x;            /* (count, dim) by position */
    double *weight;       /* by position */
};

BI_FN int64_t bi_cluster_label(const struct bi_cluster_members *a, int64_t i)
{
    return a->labels_64bit ? ((const int64_t *)a->labels)[i] : (int64_t)((const int32_t *)a->labels)[i];
}

/* Checks row i, and writes its label. Rows of noise have any coordinates. */
BI_FN void bi_step_members_check(const struct bi_cluster_members *a, int64_t i)
{
    const int64_t label = bi_cluster_label(a, i);
    bool finite = true;
    a->label[i] = label < 0 || label >= a->clusters ? (uint32_t)a->clusters : (uint32_t)label;
    if (label < 0) return;
    if (label >= a->clusters) bi_atomic_min_i64(&a->bad[0], i);
    if (a->weights && !(a->weights[i] >= 0 && a->weights[i] <= 0x1.fffffffffffffp1023))
        bi_atomic_min_i64(&a->bad[1], i);
    for (int32_t c = 0; c < a->dim; c++) {
        const double x = bosc_kdtree_number(a->points, i * a->stride + c, a->dtype);
        finite = finite && x - x == 0;
    }
    if (!finite) bi_atomic_min_i64(&a->bad[2], i);
}

/* Gathers the member at position p. */
BI_FN void bi_step_members_gather(const struct bi_cluster_members *a, int64_t p)
{
    const int64_t row = a->row[p];
    a->weight[p] = a->weights ? a->weights[row] : 1;
    for (int32_t c = 0; c < a->dim; c++)
        a->x[p * a->dim + c] = bosc_kdtree_number(a->points, row * a->stride + c, a->dtype);
}

/* Returns the squared distance of two rows of doubles. */
BI_FN double bi_cluster_dist2(const double *x, const double *y, int32_t dim)
{
    double sum = 0;
    for (int32_t c = 0; c < dim; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
    return sum;
}

#endif
