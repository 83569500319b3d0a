/* Pictures of terrain: meshes of a height raster, with its colours, light and shadows. */
#ifndef RENDER_RELIEF_H
#define RENDER_RELIEF_H

#include "render/canvas.h"
#include "render/scene.h"

/* What belongs to a raster, whatever its mesh. */
struct ground {
    const bosc_heights *heights; /* with both spacings */
    double low, high;
    double bottom;    /* of the block: a fiftieth of the raster's sides below its lowest height */
    float *sun, *sky; /* how much of each reaches a sample, 0 to 1 */
};
bool ground_open(struct ground *ground, const bosc_heights *heights); /* false: no memory */
void ground_close(struct ground *ground);

enum relief_view {
    RELIEF_ABOVE, /* north is up, as on a map */
    RELIEF_SIDE,  /* the whole of it as a block, from the south */
    RELIEF_EYE    /* from a place in it */
};

struct relief {
    const struct ground *ground;
    const bosc_mesh *mesh; /* with normals */
    enum relief_view view;
    struct eye eye; /* RELIEF_EYE: its scale is for a picture of height 1 */
    double wires;   /* how plain the edges of triangles are, 0 to 1 */
};

/* An open canvas of a good shape for the view (`width` wide), or of width x height for RELIEF_EYE; false: no memory. */
bool relief_draw(const struct relief *relief, int width, int height, struct canvas *canvas);

#endif
