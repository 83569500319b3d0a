/* A raster of heights, the terrain built over it, and the mesh of the terrain. */
#ifndef RENDER_TERRAIN_VIEW_H
#define RENDER_TERRAIN_VIEW_H

#include <boscage/io.h>
#include <boscage/terrain.h>
#include <stdbool.h>

#include "render/terrain_holes.h"

struct terrain_view {
    bosc_heights heights; /* with both spacings */
    struct terrain_holes holes;
    bosc_terrain *handle;
    int64_t vertex_capacity, triangle_capacity; /* of the mesh's arrays */
    float *vertices, *normals;
    uint32_t *triangles;
    bosc_mesh mesh; /* of the arrays above */
};

/* Builds the terrain of terrain->heights. The reason of a failure is in the context's message, or if that is empty in
 * the status. */
bosc_status terrain_view_build(bosc_ctx *ctx, struct terrain_view *terrain);

/* Selects the leaves for the goal, refines them along holes, and synchronises. */
bosc_status terrain_view_select(bosc_ctx *ctx, struct terrain_view *terrain, const bosc_terrain_goal *goal);

/* Fetches the selected mesh without its holes, which may leave no triangle; grows the arrays as needed. */
bosc_status terrain_view_fetch_mesh(bosc_ctx *ctx, struct terrain_view *terrain);

/* Makes the mesh right-handed: y grows up the map, from 0 at the last row. Triangles keep their orientation. */
void terrain_view_flip_y(struct terrain_view *terrain);

/* Copies heights and mesh for a picture, with heights times `scale`. The copy uses the triangles of the original; the
 * caller closes it, after a failure too. False: out of memory. */
bool terrain_view_copy_scaled(const struct terrain_view *terrain, double scale, struct terrain_view *copy);

void terrain_view_close(struct terrain_view *terrain);

#endif
