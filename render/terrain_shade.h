/* Pictures of terrain: a mesh of a height raster with colours, light and shadows. */
#ifndef RENDER_TERRAIN_SHADE_H
#define RENDER_TERRAIN_SHADE_H

#include <boscage/io.h>
#include <stdbool.h>

#include "render/canvas.h"
#include "render/rasterize.h"

/* Light of a height raster, independent of the mesh drawn over it. */
struct raster_light {
    const bosc_heights *heights; /* with both spacings */
    double low, high;
    double bottom;    /* of the block view: a fiftieth of the raster's sides below the lowest height */
    float *sun, *sky; /* (height x width): share of each light that reaches a sample, from 0 */
};
bool raster_light_open(struct raster_light *light, const bosc_heights *heights); /* false: out of memory */
void raster_light_close(struct raster_light *light);

enum terrain_view_kind {
    VIEW_FROM_ABOVE, /* a map, north is up */
    VIEW_BLOCK,      /* the whole terrain as a block, seen from the south */
    VIEW_FROM_CAMERA /* from a camera */
};

struct terrain_picture {
    const struct raster_light *light;
    const bosc_mesh *mesh; /* with normals */
    enum terrain_view_kind view;
    struct eye eye; /* of VIEW_FROM_CAMERA: its scale is for a picture of height 1 */
    double wires;   /* opacity of the edges of triangles, 0 to 1 */
};

/* Opens the canvas and draws. The canvas has width x height pixels for VIEW_FROM_CAMERA; for other views the height
 * follows from the view. False: out of memory. */
bool terrain_picture_draw(const struct terrain_picture *picture, int width, int height, struct canvas *canvas);

#endif
