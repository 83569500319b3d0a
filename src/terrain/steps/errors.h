/* Steps over all samples: the copy of the raster, and the errors of diamonds. */
#ifndef BI_TERRAIN_STEPS_ERRORS_H
#define BI_TERRAIN_STEPS_ERRORS_H

#include "base/atomic.h"
#include "terrain/steps/bounds.h"
#include "terrain/steps/point.h"

/* Copies the raster; *bad becomes the first sample that is NaN or infinite. Items are samples. */
struct bi_terrain_copy {
    const float *from;
    float *to;
    int64_t width, stride;
    uint64_t *bad; /* NULL: not checked */
};

BI_FN void bi_step_terrain_copy_raster(const struct bi_terrain_copy *a, int64_t i)
{
    float z = a->from[i / a->width * a->stride + i % a->width];
    a->to[i] = z;
    if (a->bad && (bi_f32_bits(z) & 0x7f800000u) == 0x7f800000u) bi_atomic_min_u64(a->bad, (uint64_t)i);
}

/* The arguments of a fused build: copies a raster and computes errors and bounds. */
struct bi_terrain_raster_build {
    struct bi_terrain_grid grid;
    const float *from;
    float *to;
    int64_t stride;
    uint32_t *errors; /* zeroed by the caller */
    struct bi_terrain_bounds bounds;
    uint64_t *bad; /* see bi_terrain_copy */
};

/* The errors of the live diamonds of a size, as bits of floats: the largest vertical distance of a sample of its
 * triangles, borders included, and at least the errors of the diamonds that can only be split after it, which were
 * computed before. Items are diamonds, in rows of `columns`: squares with middles at odd multiples of s, or (on_corner)
 * at multiples of s with one odd coordinate. by_rows: items are rows of samples of diamonds, 2 s + 1 each, and errors
 * start at 0. Items whose diamond is not live do nothing. Launches ascend in s, those on_corner first. */
struct bi_terrain_errors_level {
    struct bi_terrain_grid grid;
    const float *heights;
    uint32_t *errors;
    int32_t s, columns;
    bool on_corner, by_rows;
};

/* The largest distance of the samples of a row, in columns left to right, from the plane of a triangle; 0 if the row is
 * not in it. Absolute values are compared as integers: the order of NaN is defined, and no sign is tested. */
BI_FN double bi_terrain_row_distance(const struct bi_terrain_grid *g, const float *heights,
                                     const struct bi_terrain_triangle *t, int32_t y, int32_t left, int32_t right)
{
    struct bi_terrain_span rows = bi_terrain_rows(g, t);
    if (y < rows.from || y > rows.to) return 0;
    struct bi_terrain_plane plane = bi_terrain_plane_of(g, heights, t);
    struct bi_terrain_span columns = bi_terrain_columns(g, t, y);
    const float *row = heights + (int64_t)y * g->width;
    double base = plane.p + plane.slope_y * (y - plane.py);
    int64_t largest = 0;
    left = bi_terrain_max(left, columns.from);
    right = bi_terrain_min(right, columns.to);
    for (int32_t x = left; x <= right; x++) {
        double distance = base + plane.slope_x * (x - plane.px) - (double)row[x];
        int64_t bits = (int64_t)(bi_f64_bits(distance) & 0x7fffffffffffffffu);
        largest = bits > largest ? bits : largest;
    }
    return bi_f64_from_bits((uint64_t)largest);
}

/* The same over rows first to last. */
BI_FN double bi_terrain_rows_distance(const struct bi_terrain_grid *g, const float *heights,
                                      const struct bi_terrain_triangle *t, int32_t first, int32_t last)
{
    double largest = 0;
    for (int32_t y = first; y <= last; y++) {
        double distance = bi_terrain_row_distance(g, heights, t, y, 0, g->last_x);
        largest = distance > largest ? distance : largest;
    }
    return largest;
}

/* The error of the diamond with this middle; 0 if it is not live. */
BI_FN uint32_t bi_terrain_error_at(const struct bi_terrain_grid *g, const uint32_t *errors, int32_t x, int32_t y)
{
    int32_t s = (int32_t)1 << bi_terrain_min(bi_terrain_trailing_zeros(x), bi_terrain_trailing_zeros(y));
    if (x < 0 || y < 0 || x - s >= g->last_x || y - s >= g->last_y) return 0;
    return errors[bi_terrain_slot(g, x, y)];
}

/* The largest error of the diamonds that can only be split after this one. */
BI_FN uint32_t bi_terrain_nested_error(const struct bi_terrain_grid *g, const uint32_t *errors, int32_t x, int32_t y)
{
    int32_t tx = bi_terrain_trailing_zeros(x), ty = bi_terrain_trailing_zeros(y),
            s = (int32_t)1 << bi_terrain_min(tx, ty);
    uint32_t a, b, c, d;
    if (tx == ty) {
        a = bi_terrain_error_at(g, errors, x - s, y);
        b = bi_terrain_error_at(g, errors, x + s, y);
        c = bi_terrain_error_at(g, errors, x, y - s);
        d = bi_terrain_error_at(g, errors, x, y + s);
    } else {
        s /= 2;
        if (s == 0) return 0;
        a = bi_terrain_error_at(g, errors, x - s, y - s);
        b = bi_terrain_error_at(g, errors, x + s, y - s);
        c = bi_terrain_error_at(g, errors, x - s, y + s);
        d = bi_terrain_error_at(g, errors, x + s, y + s);
    }
    a = b > a ? b : a;
    c = d > c ? d : c;
    return c > a ? c : a;
}

BI_FN void bi_step_terrain_find_errors(const struct bi_terrain_errors_level *a, int64_t i)
{
    const struct bi_terrain_grid *g = &a->grid;
    int32_t s = a->s, row = 0;
    if (a->by_rows) {
        row = (int32_t)(i % (2 * s + 1));
        i /= 2 * s + 1;
    }
    int32_t column = (int32_t)(i % a->columns), line = (int32_t)(i / a->columns);
    int32_t x = a->on_corner ? s * (2 * column + !(line & 1)) : s * (2 * column + 1);
    int32_t y = a->on_corner ? s * line : s * (2 * line + 1);
    if (x - s >= g->last_x || y - s >= g->last_y) return;
    /* 1. Distances of the samples from both triangles of the diamond. */
    struct bi_terrain_triangle t = bi_terrain_diamond_at(x, y), mate = bi_terrain_base_neighbour(&t);
    int32_t first = a->by_rows ? y - s + row : y - s, last = a->by_rows ? first : y + s;
    double one = 0, two = 0;
    if (bi_terrain_has_area(g, &t)) one = bi_terrain_rows_distance(g, a->heights, &t, first, last);
    if (bi_terrain_has_area(g, &mate)) two = bi_terrain_rows_distance(g, a->heights, &mate, first, last);
    uint32_t error = bi_f32_bits(bi_f32_round_up(one > two ? one : two)), *to = a->errors + bi_terrain_slot(g, x, y);
    /* 2. The errors of the diamonds below, once. */
    if (row == 0) {
        uint32_t nested = bi_terrain_nested_error(g, a->errors, x, y);
        error = nested > error ? nested : error;
    }
    if (a->by_rows)
        bi_atomic_max_u32(to, error);
    else
        *to = error;
}

#endif
