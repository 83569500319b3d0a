/* Plain checks of triangle meshes of rasters. */
#ifndef TESTS_REFERENCE_TERRAIN_H
#define TESTS_REFERENCE_TERRAIN_H

#include <stdbool.h>
#include <stdint.h>

/* n triangles of samples (row * w + column; negative: no triangle). */
struct reference_terrain {
    int64_t w, h, n;
    const int64_t *corners; /* (n x 3) */
    bool half;
};

/* Checks a mesh: triangles are counter-clockwise, every edge belongs to two triangles, in opposite directions, or to
 * the border, and the areas sum to that of the raster. Returns NULL or the fault. */
const char *reference_terrain_mesh(const struct reference_terrain *t);

/* Returns the largest vertical distance of a sample from the triangles over it. */
double reference_terrain_error(const struct reference_terrain *t, const float *heights);

/* The same for the samples in a range of columns and rows. */
double reference_terrain_error_in(const struct reference_terrain *t, const float *heights, int64_t x0, int64_t y0,
                                  int64_t x1, int64_t y1);

/* Sets the neighbour of each triangle at each edge, or -1. Edge 0 joins corners 0 and 1. */
void reference_terrain_neighbours(const struct reference_terrain *t, int64_t *neighbours);

#endif
