/* Clouds, nodes and points of a view. */
#ifndef BI_CLOUDS_STEPS_CLOUD_H
#define BI_CLOUDS_STEPS_CLOUD_H

#include "base/elementary.h"
#include "base/search.h"
#include "clouds/clouds.h"

/* Calls an expression of the view `w_`, a copy of `view`, compiled twice: for 3-D floats and for all others. */
#define BI_CLOUDS_WITH_VIEW(view, w_, ...) \
    do {                                   \
        struct bi_clouds_view w_ = (view); \
        if (w_.dim == 3 && !w_.is_f64) {   \
            w_.dim = 3, w_.pitch = 4;      \
            w_.is_f64 = false;             \
            __VA_ARGS__;                   \
        } else {                           \
            __VA_ARGS__;                   \
        }                                  \
    } while (0)

/* Coordinates that make Morton codes. */
BI_FN int32_t bi_clouds_axes(int32_t dim) { return dim < BI_CLOUDS_AXES ? dim : BI_CLOUDS_AXES; }

/* Element `at` of an array of coordinates. */
BI_FN double bi_clouds_coordinate(const void *data, bool is_f64, int64_t at)
{
    return is_f64 ? ((const double *)data)[at] : (double)((const float *)data)[at];
}

/* The cloud of row i, where offsets (cloud_count + 1) end behind it. */
BI_FN int64_t bi_clouds_cloud_of(const int64_t *offsets, int64_t cloud_count, int64_t i)
{
    return bi_upper_bound_i64(offsets + 1, cloud_count, i);
}

/* log2 of the points of a node. */
BI_FN int bi_clouds_node_bits(int level) { return BI_CLOUDS_LEAF_BITS + level * BI_CLOUDS_FANOUT_BITS; }

/* Nodes of a level in a cloud of n points. */
BI_FN int64_t bi_clouds_node_count(int64_t n, int level)
{
    const int bits = bi_clouds_node_bits(level);
    return (n + ((int64_t)1 << bits) - 1) >> bits;
}

/* The slot of a cloud's first node in a level: offset / (points of a node) + cloud, and the level's first. */
BI_FN int64_t bi_clouds_node_slot(const struct bi_clouds_view *v, int level, int64_t offset, int64_t cloud)
{
    return v->first_slot[level] + (offset >> bi_clouds_node_bits(level)) + cloud;
}

/* Levels of a view whose clouds have up to `largest` points. */
BI_FN int bi_clouds_level_count(int64_t largest)
{
    int levels = 1;
    while (bi_clouds_node_count(largest, levels - 1) > 1) levels++;
    return levels;
}

/* A NaN distance counts as infinite. */
BI_FN double bi_clouds_ordered(double d) { return d == d ? d : BI_INFINITY; }

/* The squared distance of a point to q, a row of coordinates of the view's type. */
BI_FN double bi_clouds_dist2(const struct bi_clouds_view *v, int64_t position, const void *q)
{
    if (v->is_f64) {
        const double *x = (const double *)v->points + position * v->pitch, *y = (const double *)q;
        double sum = 0;
        for (int32_t c = 0; c < v->dim; c++) sum += (y[c] - x[c]) * (y[c] - x[c]);
        return bi_clouds_ordered(sum);
    }
    const float *x = (const float *)v->points + position * v->pitch, *y = (const float *)q;
    float sum = 0;
    if (v->dim == 3) /* unrolled for compilers that do not */
        sum = (y[0] - x[0]) * (y[0] - x[0]) + (y[1] - x[1]) * (y[1] - x[1]) + (y[2] - x[2]) * (y[2] - x[2]);
    else
        for (int32_t c = 0; c < v->dim; c++) sum += (y[c] - x[c]) * (y[c] - x[c]);
    return bi_clouds_ordered((double)sum);
}

/* At most the squared distance of q to any point in the box of a slot. Rounding is monotone, so the same operations on
 * smaller terms give no larger a sum. A NaN term, of infinities, becomes 0. */
BI_FN double bi_clouds_box_dist2(const struct bi_clouds_view *v, int64_t slot, const void *q)
{
    if (v->is_f64) {
        const double *low = (const double *)v->boxes + 2 * slot * v->pitch, *y = (const double *)q;
        double sum = 0;
        for (int32_t c = 0; c < v->dim; c++) {
            const double below = low[c] - y[c], above = y[c] - low[v->pitch + c];
            double out = below > above ? below : above;
            out = out > 0 ? out : 0;
            sum += out * out;
        }
        return sum;
    }
    const float *low = (const float *)v->boxes + 2 * slot * v->pitch, *y = (const float *)q;
    float sum = 0;
    for (int32_t c = 0; c < v->dim; c++) {
        const float below = low[c] - y[c], above = y[c] - low[v->pitch + c];
        float out = below > above ? below : above;
        out = out > 0 ? out : 0;
        sum += out * out;
    }
    return (double)sum;
}

#endif
