/* Heights of a planet, its mesh, and pictures of it. */
#ifndef RENDER_PLANET_VIEW_H
#define RENDER_PLANET_VIEW_H

#include <boscage/io.h>
#include <boscage/planet.h>

#include "render/canvas.h"
#include "render/planet_holes.h"

enum { PLANET_VIEW_MIN_CACHE = 32 * 8 * 8 * 4 }; /* bytes: 32 tiles of 8 x 8 floats */

struct planet_view {
    bosc_heights heights;    /* equirectangular, the whole planet; with `file` only the size */
    bosc_heights_file *file; /* read by tiles; NULL: heights.data */
    int64_t shift;           /* of `file`: column j of the globe is its column j + shift, modulo the width */
    double factor;           /* of `file`: its heights are multiplied by this; 0: by 1 */
    int64_t cache_bytes;     /* cache of tiles, at least PLANET_VIEW_MIN_CACHE */
    int64_t highest;         /* the highest sample of the raster, the first of equal ones */
    float peak;              /* the height of the highest sample, of an inset too */
    double summit[2];        /* its latitude and longitude, in degrees */
    bosc_planet *handle;
    bosc_planet_info info;                      /* of the fetched mesh */
    int64_t vertex_capacity, triangle_capacity; /* of the mesh's arrays */
    float *vertices, *normals, *vertex_heights;
    double *positions;
    uint32_t *triangles;
    struct planet_holes holes;
    double low, high; /* range of heights for colours: of the raster, or of the detail on a flat raster */
    double origin[3]; /* of the mesh's vertices, from the center */
    bosc_mesh mesh;   /* of the arrays above */
};

/* Builds the planet of planet->heights, or of planet->file. The reason of a failure is in the context's message, or if
 * that is empty in the status. */
bosc_status planet_view_build(bosc_ctx *ctx, struct planet_view *planet, const bosc_planet_opts *opts);

/* Lays heights in degrees (bosc_heights_to_degrees) over the built planet. */
bosc_status planet_view_add_inset(bosc_ctx *ctx, struct planet_view *planet, const bosc_heights *heights);

/* Selects a mesh, and refines it along the borders of holes. */
bosc_status planet_view_select(bosc_ctx *ctx, struct planet_view *planet, const bosc_planet_goal *goal);

/* Removes the triangles of holes from the mesh in the arrays, which has the planet's triangles from number `first` on,
 * and vertices without a triangle. Without holes it does nothing. */
bosc_status planet_view_cut_holes(struct planet_view *planet, int64_t first);

/* Fetches the selected mesh without its holes, with positions relative to `origin` (NULL: the center); grows the arrays
 * as needed. */
bosc_status planet_view_fetch_mesh(bosc_ctx *ctx, struct planet_view *planet, const double *origin);

/* Computes the direction of the sun for a picture: from the left of the camera, so that slopes have a lit and a dark
 * side. */
void planet_view_light(const bosc_planet_camera *camera, double sun[3]);

/* Opens the canvas and draws the mesh. The mesh must have been fetched with the camera's position as origin. sun: a
 * direction from the center. False: out of memory. */
bool planet_view_draw(const struct planet_view *planet, const bosc_planet_camera *camera, const double sun[3],
                      struct canvas *canvas);

void planet_view_close(struct planet_view *planet);

#endif
