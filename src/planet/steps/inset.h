/* Insets: rasters of parts of the planet that replace the heights there. Along its border an inset is blended with the
 * heights around it, by a weight from 0 at its outermost samples to 1. Later insets lie over earlier ones. */
#ifndef BI_PLANET_STEPS_INSET_H
#define BI_PLANET_STEPS_INSET_H

#include "planet/steps/raster.h"

/* Real column and row of a raster, integers at samples. On the planet's raster: -1/2 to width - 1/2 and to
 * height - 1/2. */
struct bi_planet_texel {
    double u, v;
};

/* An inset. Fractions: of a turn from longitude -180 to the east, and of half a turn from the north pole. */
struct bi_planet_inset {
    const float *heights;               /* (height x width) */
    const struct bi_planet_cell *cells; /* as those of the planet's raster */
    int64_t first[BI_PLANET_LEVELS];    /* first cell of each level */
    int32_t width, height, top, reserved;
    double middle_u, middle_v; /* fractions of its middle */
    double columns, rows;      /* samples a turn, and half a turn */
    double border;             /* samples from weight 0 to 1 */
};

/* ---- heights ---- */

/* Converts a texel of the planet's raster to one of an inset: along the shorter arc from its middle. */
BI_FN struct bi_planet_texel bi_planet_inset_texel(const struct bi_planet_view *s, const struct bi_planet_inset *inset,
                                                   struct bi_planet_texel t)
{
    const double turns = (t.u + 0.5) / s->width - inset->middle_u, halves = (t.v + 0.5) / s->height - inset->middle_v;
    struct bi_planet_texel at;
    at.u = (turns - bi_floor(turns + 0.5)) * inset->columns + 0.5 * (inset->width - 1);
    at.v = halves * inset->rows + 0.5 * (inset->height - 1);
    return at;
}

/* From 0 at x = 0 to 1 at `border`, with a slope of 0 at both: at most 1.5 / border; second derivatives are at most
 * 6 / border^2. */
BI_FN double bi_planet_inset_ramp(double x, double border)
{
    if (!(x > 0)) return 0;
    if (x >= border) return 1;
    const double t = x / border;
    return t * t * (3 - 2 * t);
}

/* The weight of an inset; 0 outside. */
BI_FN double bi_planet_inset_weight(const struct bi_planet_inset *inset, struct bi_planet_texel at)
{
    const double u = 0.5 * (inset->width - 1), v = 0.5 * (inset->height - 1);
    return bi_planet_inset_ramp(u - bi_planet_abs(at.u - u), inset->border) *
           bi_planet_inset_ramp(v - bi_planet_abs(at.v - v), inset->border);
}

/* Interpolates between four samples of an inset; the texel is inside. */
BI_FN double bi_planet_inset_height(const struct bi_planet_inset *inset, struct bi_planet_texel at)
{
    const int64_t i = (int64_t)at.u < inset->width - 1 ? (int64_t)at.u : inset->width - 2,
                  j = (int64_t)at.v < inset->height - 1 ? (int64_t)at.v : inset->height - 2;
    const float *z = inset->heights + j * inset->width + i, *below = z + inset->width;
    const double u = at.u - (double)i, v = at.v - (double)j;
    const double a = z[0] + ((double)z[1] - z[0]) * u, b = below[0] + ((double)below[1] - below[0]) * u;
    return a + (b - a) * v;
}

/* Lays the insets over a height of the planet's raster, the first one first. */
BI_LONG_FN double bi_planet_apply_insets(const struct bi_planet_view *s, struct bi_planet_texel t, double height)
{
    for (int32_t k = 0; k < s->inset_count; k++) {
        const struct bi_planet_inset *inset = s->insets + k;
        const struct bi_planet_texel at = bi_planet_inset_texel(s, inset, t);
        const double weight = bi_planet_inset_weight(inset, at);
        if (!(weight > 0)) continue;
        const double own = bi_planet_inset_height(inset, at);
        height = weight < 1 ? height + (own - height) * weight : own;
    }
    return height;
}

/* ---- bounds ---- */

/* Bounds of the surface over a box: lowest and highest height; bounds of the distance from a triangle, by the range of
 * heights and by the bending of lines. */
struct bi_planet_bounds {
    double low, high, range, bend;
};

/* The extent of a box, in columns and rows: it reaches du and dv from its middle, and a triangle in it spans `columns`
 * and `rows`. curved: by how much the triangle is off one with straight sides in longitude and latitude, at most. */
struct bi_planet_reach {
    double du, dv, columns, rows, curved;
};

/* Bending by lines of samples that a box around a position may contain; the surface is straight between lines. */
BI_FN double bi_planet_line_bend(double largest, double position, double reach, double span)
{
    if (bi_floor(position - reach) == bi_floor(position + reach)) return 0;
    return largest * (span * span + 2 * span);
}

/* Bound of the distance of a triangle from the bilinear surface. */
BI_FN double bi_planet_bend(const struct bi_planet_cell *cell, struct bi_planet_texel t,
                            const struct bi_planet_reach *r)
{
    const double bend = bi_planet_line_bend(cell->along, t.u, r->du, r->columns) +
                        bi_planet_line_bend(cell->down, t.v, r->dv, r->rows) +
                        2 * (cell->twist * (r->columns * r->rows));
    return 0.125 * bend + ((double)cell->high - cell->low) * r->curved;
}

/* Bounds of a sample of an inset and its neighbours. The outermost samples end all lines, so nothing bends there. */
BI_FN struct bi_planet_cell bi_planet_inset_sample_cell(const struct bi_planet_inset *inset, int64_t row,
                                                        int64_t column)
{
    const float *z = inset->heights + row * inset->width + column;
    const int64_t east = column + 1 < inset->width, south = row + 1 < inset->height ? inset->width : 0;
    const double here = z[0];
    double along = 0, down = 0;
    if (east && column > 0) along = bi_planet_abs((z[1] - here) - (here - z[-1]));
    if (south && row > 0) down = bi_planet_abs((z[south] - here) - (here - z[-(int64_t)inset->width]));
    const double twist = bi_planet_abs(((double)z[south + east] - z[south]) - (z[east] - here));
    struct bi_planet_cell one = {z[0], z[0], (float)along, (float)down, (float)twist};
    return one;
}

BI_FN struct bi_planet_cell bi_planet_inset_cell(const struct bi_planet_inset *inset, int64_t left, int64_t right,
                                                 int64_t above, int64_t below)
{
    struct bi_planet_cell cell = bi_planet_empty_cell();
    for (int64_t y = above; y <= below && y < inset->height; y++)
        for (int64_t x = left; x <= right && x < inset->width; x++) {
            const struct bi_planet_cell one = bi_planet_inset_sample_cell(inset, y, x);
            bi_planet_extend_cell(&cell, &one);
        }
    return cell;
}

/* Computes the cells of the lowest level. Items are cells. */
struct bi_planet_inset_cells {
    struct bi_planet_inset inset;
    struct bi_planet_cell *cells;
};

BI_FN void bi_step_planet_inset_cells(const struct bi_planet_inset_cells *a, int64_t item)
{
    const int64_t across = bi_planet_cell_count(a->inset.width, BI_PLANET_CELL), size = 1 << BI_PLANET_CELL;
    const int64_t left = item % across * size, above = item / across * size;
    a->cells[item] = bi_planet_inset_cell(&a->inset, left, left + size, above, above + size);
}

/* Bounds over columns and rows of an inset: from samples if these are few, else from cells, as those of the planet's
 * raster. */
BI_FN struct bi_planet_cell bi_planet_inset_box(const struct bi_planet_inset *inset, double west, double east,
                                                double north, double south)
{
    const int64_t left = west > 0 ? (int64_t)west : 0, above = north > 0 ? (int64_t)north : 0;
    const int64_t right = east < inset->width - 1 ? (int64_t)east + 1 : inset->width - 1,
                  below = south < inset->height - 1 ? (int64_t)south + 1 : inset->height - 1;
    if (right - left < BI_PLANET_FEW && below - above < BI_PLANET_FEW)
        return bi_planet_inset_cell(inset, left, right, above, below);
    struct bi_planet_cell cell = bi_planet_empty_cell();
    int32_t level = BI_PLANET_CELL;
    while (level < inset->top && (below - above) >> level > 1) level++;
    const int64_t across = bi_planet_cell_count(inset->width, level);
    for (int64_t j = above >> level; j <= below >> level; j++)
        for (int64_t i = left >> level; i <= right >> level; i++)
            bi_planet_extend_cell(&cell, inset->cells + inset->first[level] + j * across + i);
    return cell;
}

/* Lays an inset over the bounds of a box: `reach` of the planet's raster around a texel. polar: the box
 * has all columns.
 *
 * Where the weight is 1 the inset's bounds are those of the surface. Where it is w < 1, the surface is f + w d, with d
 * the distance of the inset from the surface f below it. A triangle is off the product w d by at most: the weight's
 * bend times the largest d; d's bend; and a quarter of the change of w times the change of d. */
BI_FN void bi_planet_bound_inset(const struct bi_planet_view *s, const struct bi_planet_inset *inset,
                                 struct bi_planet_texel t, const struct bi_planet_reach *reach, bool polar,
                                 struct bi_planet_bounds *b)
{
    /* 1. The box in samples of the inset. One that reaches around the planet has all columns. */
    const struct bi_planet_texel at = bi_planet_inset_texel(s, inset, t);
    const double finer_u = inset->columns / s->width, finer_v = inset->rows / s->height;
    const struct bi_planet_reach r = {reach->du * finer_u, reach->dv * finer_v, reach->columns * finer_u,
                                      reach->rows * finer_v, reach->curved * (finer_u > finer_v ? finer_u : finer_v)};
    const double last_u = inset->width - 1, last_v = inset->height - 1;
    const bool around = polar || r.du + 0.5 * last_u >= 0.5 * inset->columns;
    const double west = around ? 0 : at.u - r.du, east = around ? last_u : at.u + r.du, north = at.v - r.dv,
                 south = at.v + r.dv;
    if (east <= 0 || west >= last_u || south <= 0 || north >= last_v) return;
    /* 2. Its own bounds. */
    const struct bi_planet_cell cell = bi_planet_inset_box(inset, west, east, north, south);
    const double range = (double)cell.high - cell.low;
    const double bend = around ? BI_INFINITY : bi_planet_bend(&cell, at, &r);
    if (west >= inset->border && east <= last_u - inset->border && north >= inset->border &&
        south <= last_v - inset->border) {
        const struct bi_planet_bounds own = {cell.low, cell.high, range, bend};
        *b = own;
        return;
    }
    /* 3. Blended with the bounds below it. */
    const double above = cell.high - b->low, under = b->high - cell.low, apart = above > under ? above : under;
    const double x = r.columns / inset->border, y = r.rows / inset->border, slope = 1.5 * (x + y),
                 change = slope < 1 ? slope : 1;
    b->bend += bend + apart * (0.75 * (x * x + y * y) + 0.5625 * (x * y) + 3 * r.curved / inset->border) +
               0.25 * change * (b->range + range);
    b->low = cell.low < b->low ? cell.low : b->low;
    b->high = cell.high > b->high ? cell.high : b->high;
    b->range += range + change * apart;
    if (b->high - b->low < b->range) b->range = b->high - b->low;
}

BI_LONG_FN void bi_planet_bound_insets(const struct bi_planet_view *s, struct bi_planet_texel t,
                                       const struct bi_planet_reach *reach, bool polar, struct bi_planet_bounds *b)
{
    for (int32_t k = 0; k < s->inset_count; k++) bi_planet_bound_inset(s, s->insets + k, t, reach, polar, b);
}

#endif
