/* Samples of a raster in memory or read by tiles; steps in rounds, which end when all needed tiles were read; and the
 * steps that build from a raster: samples, poles, bounds of cells, and the random numbers of the detail. */
#ifndef BI_PLANET_STEPS_RASTER_H
#define BI_PLANET_STEPS_RASTER_H

#include "base/atomic.h"
#include "base/elementary.h"
#include "base/philox.h"
#include "planet/planet.h"

/* A sample. If its tile is not in the cache: 0, and the item has missed it. */
BI_FN float bi_planet_stored(const struct bi_planet_view *s, int64_t row, int64_t column)
{
    if (!s->slots) return s->heights[row * s->width + column];
    const int64_t mask = ((int64_t)1 << s->tile_bits) - 1;
    const int64_t tile = (row >> s->tile_bits) * s->tiles_across + (column >> s->tile_bits);
    const int64_t slot = s->slots[tile];
    if (s->requested) bi_atomic_min_u32(s->requested + tile, s->item);
    if (slot < 0) {
        *s->missed = true;
        return 0;
    }
    return s->heights[(slot << 2 * s->tile_bits) + ((row & mask) << s->tile_bits) + (column & mask)];
}

/* Defines the step planet_NAME_tiled, which runs planet_NAME on pending items. An item that misses a tile stays
 * pending, runs again to record all tiles that it reads, and is overwritten in a later round. The arguments begin with
 * the view. */
#define BI_PLANET_TILED(name, args_t)                                           \
    BI_FN void bi_step_planet_##name##_tiled(const struct args_t *a, int64_t i) \
    {                                                                           \
        bool missed = false;                                                    \
        if (a->view.done[i]) return;                                            \
        struct args_t own = *a;                                                 \
        own.view.missed = &missed;                                              \
        own.view.requested = NULL;                                              \
        bi_step_planet_##name(&own, i);                                         \
        a->view.done[i] = !missed;                                              \
        if (!missed) return;                                                    \
        own.view.requested = a->view.requested;                                 \
        own.view.item = (uint32_t)i;                                            \
        bi_step_planet_##name(&own, i);                                         \
    }

/* Converts values to samples; lowers *bad to the first one out of range. Items are samples. */
struct bi_planet_copy {
    const void *from;
    float *to;
    int64_t width, stride, to_stride;
    bosc_dtype dtype;
    double scale, offset, max_height;
    int64_t *bad;
};

BI_FN double bi_planet_value(const struct bi_planet_copy *a, int64_t at)
{
    if (a->dtype == BOSC_U16) return ((const uint16_t *)a->from)[at];
    if (a->dtype == BOSC_I16) return ((const int16_t *)a->from)[at];
    return ((const float *)a->from)[at];
}

BI_FN void bi_step_planet_copy(const struct bi_planet_copy *a, int64_t i)
{
    const int64_t row = i / a->width, column = i % a->width;
    const double z = a->scale * bi_planet_value(a, row * a->stride + column) + a->offset;
    const bool good = z > -a->max_height && z < a->max_height;
    a->to[row * a->to_stride + column] = good ? (float)z : 0;
    if (!good) bi_atomic_min_i64(a->bad, i);
}

/* Adds columns `column` to `end` of the first and last row to the poles; the last call, with end = width, divides by
 * the width. Items 0 and 1: north, south. */
struct bi_planet_poles {
    struct bi_planet_view view;
    double *poles;
    int64_t column, end;
};

BI_FN void bi_step_planet_poles(const struct bi_planet_poles *a, int64_t i)
{
    const int64_t row = i ? a->view.height - 1 : 0;
    double sum = a->column > 0 ? a->poles[i] : 0;
    for (int64_t c = a->column; c < a->end; c++) sum += bi_planet_stored(&a->view, row, c);
    a->poles[i] = a->end == a->view.width ? sum / a->view.width : sum;
}

/* Number of cells of a level along `samples` samples. */
BI_FN int32_t bi_planet_cell_count(int32_t samples, int32_t level)
{
    return (int32_t)(((int64_t)samples + ((int64_t)1 << level) - 1) >> level);
}

BI_FN double bi_planet_abs(double x) { return x < 0 ? -x : x; }

BI_FN struct bi_planet_cell bi_planet_empty_cell(void)
{
    struct bi_planet_cell none = {(float)BI_INFINITY, -(float)BI_INFINITY, 0, 0, 0};
    return none;
}

BI_FN void bi_planet_extend_cell(struct bi_planet_cell *cell, const struct bi_planet_cell *by)
{
    cell->low = by->low < cell->low ? by->low : cell->low;
    cell->high = by->high > cell->high ? by->high : cell->high;
    cell->along = by->along > cell->along ? by->along : cell->along;
    cell->down = by->down > cell->down ? by->down : cell->down;
    cell->twist = by->twist > cell->twist ? by->twist : cell->twist;
}

/* A sample of a row that may be a pole's; columns below twice the width wrap around. */
BI_FN double bi_planet_sample_at(const struct bi_planet_view *s, int64_t row, int64_t column)
{
    if (row < 0) return s->poles[0];
    if (row >= s->height) return s->poles[1];
    return bi_planet_stored(s, row, column < s->width ? column : column - s->width);
}

/* One sample with its second differences: along the row, down the column, across the cell to the south-east. Half a row
 * lies between the first row and a pole, so slopes count twice there. */
BI_FN struct bi_planet_cell bi_planet_sample_cell(const struct bi_planet_view *s, int64_t row, int64_t column)
{
    const double here = bi_planet_sample_at(s, row, column), east = bi_planet_sample_at(s, row, column + 1),
                 south = bi_planet_sample_at(s, row + 1, column), far = bi_planet_sample_at(s, row + 1, column + 1);
    const double west = bi_planet_sample_at(s, row, column + s->width - 1),
                 north = bi_planet_sample_at(s, row - 1, column);
    const double above = row == 0 ? 2 : 1, below = row == s->height - 1 ? 2 : 1;
    const double along = bi_planet_abs((east - here) - (here - west));
    const double down = bi_planet_abs(below * (south - here) - above * (here - north));
    double twist = below * bi_planet_abs((far - south) - (east - here)), low = here, high = here;
    if (row == 0 && 2 * bi_planet_abs(east - here) > twist) twist = 2 * bi_planet_abs(east - here); /* to the pole */
    if (row == 0 || row == s->height - 1) {
        const double pole = row == 0 ? s->poles[0] : s->poles[1];
        low = pole < low ? pole : low;
        high = pole > high ? pole : high;
    }
    struct bi_planet_cell one = {(float)low, (float)high, (float)along, (float)down, (float)twist};
    return one;
}

/* Computes cells of a level, from samples or from the level below. Items are the cells of a rectangle: `columns` wide,
 * from column `left` and row `above` on. */
struct bi_planet_cells {
    struct bi_planet_view view;
    struct bi_planet_cell *cells;
    int64_t left, above, columns;
    int32_t level;
};

/* A cell of the lowest level: its samples, and those on its southern and eastern border. */
BI_FN struct bi_planet_cell bi_planet_cell_of_samples(const struct bi_planet_view *s, int64_t i, int64_t j)
{
    struct bi_planet_cell cell = bi_planet_empty_cell();
    const int64_t size = 1 << BI_PLANET_CELL;
    for (int64_t y = j * size; y <= (j + 1) * size && y < s->height; y++)
        for (int64_t x = i * size; x <= (i + 1) * size; x++) {
            const struct bi_planet_cell one = bi_planet_sample_cell(s, y, x % s->width);
            bi_planet_extend_cell(&cell, &one);
        }
    return cell;
}

BI_FN void bi_step_planet_cells(const struct bi_planet_cells *a, int64_t item)
{
    const struct bi_planet_view *s = &a->view;
    const int64_t across = bi_planet_cell_count(s->width, a->level), i = a->left + item % a->columns,
                  j = a->above + item / a->columns;
    struct bi_planet_cell cell = bi_planet_empty_cell();
    if (a->level == BI_PLANET_CELL) {
        cell = bi_planet_cell_of_samples(s, i, j);
    } else {
        const int64_t columns = bi_planet_cell_count(s->width, a->level - 1),
                      rows = bi_planet_cell_count(s->height, a->level - 1);
        for (int64_t y = 2 * j; y <= 2 * j + 1 && y < rows; y++)
            for (int64_t x = 2 * i; x <= 2 * i + 1 && x < columns; x++)
                bi_planet_extend_cell(&cell, a->cells + s->first[a->level - 1] + y * columns + x);
    }
    a->cells[s->first[a->level] + j * across + i] = cell;
}
BI_PLANET_TILED(cells, bi_planet_cells)

/* Item i: entry i of the noise table. */
struct bi_planet_entries {
    struct bi_planet_noise *noise;
    uint64_t seed;
};

BI_FN void bi_step_planet_entries(const struct bi_planet_entries *a, int64_t i)
{
    const uint64_t stream = 0xb05ca9e0e1a70000; /* arbitrary; apart from other uses of the seed */
    const struct bi_philox block = bi_philox_at(a->seed, stream, (uint64_t)i);
    a->noise[i].next = block.v[0] % BI_PLANET_NOISE;
    for (int c = 0; c < 3; c++) a->noise[i].gradient[c] = 2 * bi_unit_f32(block.v[c + 1]) - 1;
}

#endif
