/* A planet's heights, its mesh, and pictures of it. */
#ifndef RENDER_GLOBE_H
#define RENDER_GLOBE_H

#include <boscage/io.h>
#include <boscage/planet.h>

#include "render/canvas.h"

enum { GLOBE_LEAST_CACHE = 32 * 8 * 8 * 4 };

struct globe {
    bosc_heights heights;    /* equirectangular, the whole planet; of a file only the size */
    bosc_heights_file *file; /* NULL, or what is read by tiles */
    int64_t cache_bytes;     /* of tiles; GLOBE_LEAST_CACHE or more */
    int64_t highest;         /* the sample of the highest ground, the first of them */
    float peak;              /* its height */
    bosc_planet *planet;
    bosc_planet_info info;                      /* of the mesh that was fetched */
    int64_t vertex_capacity, triangle_capacity; /* of the mesh's arrays */
    float *vertices, *normals, *levels;         /* levels: heights of vertices */
    double *positions;
    uint32_t *triangles;
    double low, high; /* heights of the raster, or of the detail where that is all there is: what colours are by */
    double origin[3]; /* of the mesh's vertices, from the center */
    bosc_mesh mesh;   /* of these */
};

/* Builds the planet of globe->heights, or of globe->file. The context's message says why a call failed; where there is
 * none, the status does. */
bosc_status globe_build(bosc_ctx *ctx, struct globe *globe, const bosc_planet_opts *opts);

/* Fetches the mesh that was selected, as seen from `origin` (NULL: the center); arrays grow as needed. */
bosc_status globe_mesh(bosc_ctx *ctx, struct globe *globe, const double *origin);

/* Draws the mesh, which was fetched with the camera's position as origin. `sun` is a direction from the center. An open
 * canvas; false: no memory. */
bool globe_draw(const struct globe *globe, const bosc_planet_camera *camera, const double sun[3],
                struct canvas *canvas);

void globe_close(struct globe *globe);

#endif
