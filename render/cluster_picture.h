/* A picture of labelled points. */
#ifndef RENDER_CLUSTER_PICTURE_H
#define RENDER_CLUSTER_PICTURE_H

#include "render/canvas.h"

/* Draws the points (n, dim) by their first two coordinates, y upwards, in a colour for each label; points with label -1
 * are grey, below the others. Infinite points and NaN are left out. Open the canvas for the points with
 * cluster_picture_height. */
void cluster_picture_draw(struct canvas *canvas, const bosc_array *points, const int64_t *labels);

/* Returns the height of a picture of this width, with the proportions of the points. */
int cluster_picture_height(const bosc_array *points, int width);

#endif
