#include "reference/voxelgrid.h"

#include <math.h>

static const void *row_at(const struct reference_points *p, int64_t i)
{
    return (const char *)p->data + (size_t)(i * p->stride) * bosc_dtype_size(p->dtype);
}

double reference_square(const struct reference_points *p, double radius)
{
    return reference_square_limit(radius, p->dtype == BOSC_F32);
}

static double row_coordinate(const struct reference_points *p, const void *row, int32_t c)
{
    switch (p->dtype) {
    case BOSC_F32: return (double)((const float *)row)[c];
    case BOSC_F64: return ((const double *)row)[c];
    case BOSC_I32: return (double)((const int32_t *)row)[c];
    default: return (double)((const int64_t *)row)[c];
    }
}

bool reference_is_within(const struct reference_points *p, int64_t i, const void *row, double r2, double *dist2)
{
    *dist2 = reference_dist2(p, i, row);
    bool equal = true;
    for (int32_t c = 0; c < p->dim; c++) equal &= row_coordinate(p, row_at(p, i), c) == row_coordinate(p, row, c);
    return *dist2 <= r2 && (r2 > 0 || equal);
}

int64_t reference_pairs(const struct reference_points *p, double r2, int64_t *pairs, double *dist2)
{
    int64_t count = 0;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = i + 1; j < p->n; j++) {
            double d;
            if (!reference_is_within(p, j, row_at(p, i), r2, &d)) continue;
            if (pairs) pairs[2 * count] = i;
            if (pairs) pairs[2 * count + 1] = j;
            if (dist2) dist2[count] = d;
            count++;
        }
    return count;
}

int64_t reference_components(const struct reference_points *p, double r2, int64_t *labels)
{
    int64_t components = p->n;
    for (int64_t i = 0; i < p->n; i++) labels[i] = i;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = i + 1; j < p->n; j++) {
            double d;
            if (labels[i] == labels[j] || !reference_is_within(p, j, row_at(p, i), r2, &d)) continue;
            int64_t low = labels[i] < labels[j] ? labels[i] : labels[j], high = labels[i] + labels[j] - low;
            for (int64_t k = 0; k < p->n; k++)
                if (labels[k] == high) labels[k] = low;
            components--;
        }
    return components;
}

int64_t reference_voxel(const struct reference_points *p, int64_t i, int32_t c, double cell)
{
    int64_t at = i * p->stride + c;
    double x = p->dtype == BOSC_F32   ? (double)((const float *)p->data)[at]
               : p->dtype == BOSC_F64 ? ((const double *)p->data)[at]
               : p->dtype == BOSC_I32 ? (double)((const int32_t *)p->data)[at]
                                      : (double)((const int64_t *)p->data)[at];
    double v = floor(x / cell), far = ldexp(1, 62);
    return (int64_t)(v > far ? far : v < -far ? -far : v);
}
