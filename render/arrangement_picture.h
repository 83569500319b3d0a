/* A picture of an arrangement of lines and of the graph of its cells. */
#ifndef RENDER_ARRANGEMENT_PICTURE_H
#define RENDER_ARRANGEMENT_PICTURE_H

#include "render/canvas.h"

/* Draws n lines (n x 3), y upwards, a node in each cell that the picture shows, and a connection for each wall between
 * two of these. vectors (cells x words): as in boscage/arrangement.h; walls (wall_count x 2): cells. The picture shows
 * the points where lines cross, and a margin. Returns false if memory ran out. */
bool arrangement_picture_draw(struct canvas *canvas, const double *lines, int64_t n, const uint64_t *vectors,
                              int64_t cells, const int64_t *walls, int64_t wall_count);

#endif
