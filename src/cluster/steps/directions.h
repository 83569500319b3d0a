/* Rows under other metrics as points of the unit sphere. Their chords compare as the distances do. */
#ifndef BI_CLUSTER_STEPS_DIRECTIONS_H
#define BI_CLUSTER_STEPS_DIRECTIONS_H

#include <boscage/cluster.h>
#include <boscage/device/kdtree.h>

#include "base/atomic.h"
#include "base/elementary.h"

struct bi_cluster_directions {
    const void *data;
    int64_t stride;
    bosc_dtype dtype;
    int32_t dim;
    bosc_cluster_metric metric;
    double *to;   /* HAVERSINE: (n x 3), COSINE: (n x dim) */
    int64_t *bad; /* lowered to the first row without a direction */
};

/* Latitude and longitude to coordinates, which are NaN for angles beyond the range of bi_sin_f64. */
BI_FN void bi_cluster_direction_of_angles(const struct bi_cluster_directions *a, int64_t i)
{
    const double latitude = bosc_kdtree_number(a->data, i * a->stride, a->dtype),
                 longitude = bosc_kdtree_number(a->data, i * a->stride + 1, a->dtype);
    const double ring = bi_cos_f64(latitude), x = ring * bi_cos_f64(longitude), y = ring * bi_sin_f64(longitude);
    a->to[3 * i] = x;
    a->to[3 * i + 1] = y;
    a->to[3 * i + 2] = bi_sin_f64(latitude);
    if (x != x || y != y) bi_atomic_min_i64(a->bad, i);
}

/* Divides a row by its norm; by its largest coordinate first, so that no square overflows. */
BI_FN void bi_cluster_direction_of_row(const struct bi_cluster_directions *a, int64_t i)
{
    double largest = 0, sum = 0, *to = a->to + i * a->dim;
    bool finite = true;
    for (int32_t c = 0; c < a->dim; c++) {
        const double x = bosc_kdtree_number(a->data, i * a->stride + c, a->dtype), size = x < 0 ? -x : x;
        finite &= x - x == 0;
        largest = size > largest ? size : largest;
        to[c] = x;
    }
    if (!finite || largest == 0) {
        bi_atomic_min_i64(a->bad, i);
        return;
    }
    for (int32_t c = 0; c < a->dim; c++) {
        to[c] = to[c] / largest;
        sum = sum + to[c] * to[c];
    }
    for (int32_t c = 0; c < a->dim; c++) to[c] = to[c] / bi_sqrt(sum);
}

BI_FN void bi_step_directions(const struct bi_cluster_directions *a, int64_t i)
{
    if (a->metric == BOSC_CLUSTER_HAVERSINE)
        bi_cluster_direction_of_angles(a, i);
    else
        bi_cluster_direction_of_row(a, i);
}

#endif
