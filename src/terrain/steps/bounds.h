/* A pyramid of cells with the lowest and highest sample of each, for the boxes of cameras. Cell (i, j) of level L has
 * the samples of columns i 2^L to (i + 1) 2^L and of rows j 2^L to (j + 1) 2^L, both ends. The bounds of a box are
 * those of the cells of one level that it intersects. A box within it uses the same or a smaller level, so nested boxes
 * have nested bounds. */
#ifndef BI_TERRAIN_STEPS_BOUNDS_H
#define BI_TERRAIN_STEPS_BOUNDS_H

#include "base/elementary.h"
#include "terrain/steps/grid.h"

enum { BI_TERRAIN_CELL = 3, BI_TERRAIN_LEVELS = 32 }; /* the smallest level; more than the largest */

struct bi_terrain_bound {
    float low, high;
};

struct bi_terrain_bounds {
    struct bi_terrain_bound *cells;
    int64_t first[BI_TERRAIN_LEVELS]; /* first cell of each level from BI_TERRAIN_CELL to `top` */
    int64_t count;
    int32_t top; /* the level whose only cell covers the raster */
};

BI_FN int32_t bi_terrain_cell_count(int32_t last, int32_t level)
{
    return (int32_t)(((int64_t)last + ((int64_t)1 << level) - 1) >> level);
}

/* The layout of the pyramid; `cells` is not set. */
static inline struct bi_terrain_bounds bi_terrain_bounds_of(const struct bi_terrain_grid *g)
{
    struct bi_terrain_bounds bounds = {.top = BI_TERRAIN_CELL};
    for (;; bounds.top++) {
        int64_t across = bi_terrain_cell_count(g->last_x, bounds.top),
                down = bi_terrain_cell_count(g->last_y, bounds.top);
        bounds.first[bounds.top] = bounds.count;
        bounds.count += across * down;
        if (across * down == 1) return bounds;
    }
}

BI_FN void bi_terrain_extend_bound(struct bi_terrain_bound *bound, struct bi_terrain_bound by)
{
    bound->low = by.low < bound->low ? by.low : bound->low;
    bound->high = by.high > bound->high ? by.high : bound->high;
}

BI_FN struct bi_terrain_bound bi_terrain_empty_bound(void)
{
    struct bi_terrain_bound none = {(float)BI_INFINITY, -(float)BI_INFINITY};
    return none;
}

/* Makes the cells of a level, from samples or from the level below. Items are cells. */
struct bi_terrain_bounds_level {
    struct bi_terrain_grid grid;
    struct bi_terrain_bounds bounds;
    const float *heights;
    int32_t level;
};

BI_FN struct bi_terrain_bound bi_terrain_bound_of_samples(const struct bi_terrain_bounds_level *a, int32_t i, int32_t j)
{
    const struct bi_terrain_grid *g = &a->grid;
    struct bi_terrain_bound bound = bi_terrain_empty_bound();
    int32_t right = bi_terrain_min((i + 1) << BI_TERRAIN_CELL, g->last_x);
    int32_t top = bi_terrain_min((j + 1) << BI_TERRAIN_CELL, g->last_y);
    for (int32_t y = j << BI_TERRAIN_CELL; y <= top; y++) {
        for (int32_t x = i << BI_TERRAIN_CELL; x <= right; x++) {
            float z = a->heights[(int64_t)y * g->width + x];
            struct bi_terrain_bound one = {z, z};
            bi_terrain_extend_bound(&bound, one);
        }
    }
    return bound;
}

BI_FN struct bi_terrain_bound bi_terrain_bound_of_cells(const struct bi_terrain_bounds_level *a, int32_t level,
                                                        int32_t i, int32_t j)
{
    int32_t across = bi_terrain_cell_count(a->grid.last_x, level - 1),
            down = bi_terrain_cell_count(a->grid.last_y, level - 1);
    const struct bi_terrain_bound *below = a->bounds.cells + a->bounds.first[level - 1];
    struct bi_terrain_bound bound = bi_terrain_empty_bound();
    for (int32_t y = 2 * j; y <= 2 * j + 1 && y < down; y++)
        for (int32_t x = 2 * i; x <= 2 * i + 1 && x < across; x++)
            bi_terrain_extend_bound(&bound, below[(int64_t)y * across + x]);
    return bound;
}

BI_FN void bi_step_terrain_find_bounds(const struct bi_terrain_bounds_level *a, int64_t cell)
{
    int32_t across = bi_terrain_cell_count(a->grid.last_x, a->level);
    int32_t i = (int32_t)(cell % across), j = (int32_t)(cell / across);
    a->bounds.cells[a->bounds.first[a->level] + cell] = a->level == BI_TERRAIN_CELL
                                                            ? bi_terrain_bound_of_samples(a, i, j)
                                                            : bi_terrain_bound_of_cells(a, a->level, i, j);
}

/* Bounds of the samples in columns left to right and rows bottom to top (right > left, top > bottom), and of all other
 * samples of the cells of `level` that this box intersects. */
BI_FN struct bi_terrain_bound bi_terrain_bound_of_box(const struct bi_terrain_grid *g,
                                                      const struct bi_terrain_bounds *bounds, int32_t level,
                                                      int32_t left, int32_t right, int32_t bottom, int32_t top)
{
    struct bi_terrain_bound bound = bi_terrain_empty_bound();
    level = bi_terrain_min(bi_terrain_max(level, BI_TERRAIN_CELL), bounds->top);
    int32_t across = bi_terrain_cell_count(g->last_x, level);
    const struct bi_terrain_bound *cells = bounds->cells + bounds->first[level];
    for (int32_t j = bottom >> level; j <= (top - 1) >> level; j++)
        for (int32_t i = left >> level; i <= (right - 1) >> level; i++)
            bi_terrain_extend_bound(&bound, cells[(int64_t)j * across + i]);
    return bound;
}

#endif
