/* Holes of a planet's mesh where its raster has no heights. */
#ifndef RENDER_PLANET_HOLES_H
#define RENDER_PLANET_HOLES_H

#include <boscage/io.h>
#include <boscage/planet.h>
#include <stdbool.h>

/* The voids of an equirectangular raster, each the area of a cell, and the triangles of a mesh in them. All zeros: no
 * voids. */
struct planet_holes {
    int64_t width, height;
    int32_t *counts;   /* (height x (width + 1)): the voids of a row before each column; NULL: there are none */
    int64_t capacity;  /* triangles that the arrays below hold */
    uint8_t *commands; /* (capacity) */
    uint8_t *removed;  /* (capacity) 1: the triangle is in a void */
};

/* Records the voids: samples of `voids` above 1/2. False: out of memory. The caller closes *holes, after a failure
 * too. */
bool planet_holes_open(struct planet_holes *holes, const bosc_heights *voids);
void planet_holes_close(struct planet_holes *holes);

/* Marks the triangles of a mesh, in the order of the planet's: removed[t] is 1 if the middle of triangle t is in one.
 * commands[t] splits it if it may cover both a void and a height, and its sides are longer than half the height of a
 * cell. For a void and a height in one row the limit is also half the width. Returns the number of splits; -1: out of
 * memory. Cost: O(rows under each triangle). */
int64_t planet_holes_mark(struct planet_holes *holes, const double *positions, const uint32_t *triangles,
                          int64_t triangle_count);

#endif
