/* Holes of a terrain's mesh where the raster has no heights. */
#ifndef RENDER_TERRAIN_HOLES_H
#define RENDER_TERRAIN_HOLES_H

#include <boscage/io.h>
#include <boscage/terrain.h>
#include <stdbool.h>

/* The voids of a raster, and the triangles of a mesh at them. All zeros: no voids. */
struct terrain_holes {
    int64_t width, height;
    int32_t *counts;   /* (height x (width + 1)): the voids of a row before each column; NULL: there are none */
    int64_t capacity;  /* leaves that the arrays below hold */
    int64_t *corners;  /* (capacity x 3) samples */
    uint8_t *commands; /* (capacity) */
    uint8_t *removed;  /* (capacity) 1: the triangle of the mesh has a void */
    int64_t triangles; /* of the mesh */
};

/* Counts voids, NaN or above `most`, in each row before each column. Returns (height x (width + 1)) numbers; the caller
 * frees them. NULL: out of memory. */
int32_t *holes_count_voids(const bosc_heights *heights, float most);

/* Records the voids of heights, which are NaN. False: out of memory. The caller closes *holes, after a failure too. */
bool terrain_holes_open(struct terrain_holes *holes, const bosc_heights *heights);
void terrain_holes_close(struct terrain_holes *holes);

/* The samples under a triangle with these corners (samples), its border included. Mixed: voids, and heights other than
 * those of its corners, so that smaller triangles separate them. */
enum hole_coverage { HOLE_NONE, HOLE_MIXED, HOLE_REMOVED };
enum hole_coverage terrain_holes_cover(const struct terrain_holes *holes, const int64_t corners[3]);

/* Refines the mesh of a terrain with filled heights along the borders of voids. Then a triangle with a void and a
 * height has no samples but its corners. Marks the triangles with a void.
 * Cost: per level O(leaves x rows of a triangle) work. Waits. */
bosc_status terrain_holes_refine(bosc_ctx *ctx, bosc_terrain *terrain, struct terrain_holes *holes);

/* Removes the marked triangles from the mesh, whose order they have, and vertices without a triangle. False: out of
 * memory. */
bool terrain_holes_cut(const struct terrain_holes *holes, bosc_mesh *mesh, float *positions, float *normals,
                       uint32_t *indices);

#endif
