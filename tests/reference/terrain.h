/* Plain checks of meshes of rasters. */
#ifndef TESTS_REFERENCE_TERRAIN_H
#define TESTS_REFERENCE_TERRAIN_H

#include <stdbool.h>
#include <stdint.h>

/* Triangles of samples (row w + column; negative: left out), n of them. */
struct reference_terrain {
    int64_t w, h, n;
    const int64_t *corners; /* (n x 3) */
    bool half;
};

/* Is it a mesh of the raster: is every triangle counter-clockwise, does every edge belong to two, in both directions,
 * or lie on the border, and do areas add up to that of the raster? NULL if so, or what is wrong. */
const char *reference_terrain_mesh(const struct reference_terrain *t);

/* The largest vertical distance of a sample from the triangles that hold it. */
double reference_terrain_error(const struct reference_terrain *t, const float *heights);

/* The same for the samples of some columns and rows. */
double reference_terrain_error_in(const struct reference_terrain *t, const float *heights, int64_t x0, int64_t y0,
                                  int64_t x1, int64_t y1);

/* For each triangle and each of its edges, the first of which is from corner 0 to 1, the triangle beyond; or -1. */
void reference_terrain_neighbours(const struct reference_terrain *t, int64_t *neighbours);

#endif
