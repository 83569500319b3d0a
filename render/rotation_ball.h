/* The ball of rotations: a rotation lies on its axis, at a distance from the middle equal to its angle, at most pi.
 * Antipodal points of the surface are the same rotation. */
#ifndef RENDER_ROTATION_BALL_H
#define RENDER_ROTATION_BALL_H

#include "render/canvas.h"

/* Rotations are w, x, y, z of any length. */
struct rotation_ball {
    const double *samples; /* (sample_count x 4) */
    const uint8_t *collides;
    int64_t sample_count;
    const double *route;      /* (rotations x 4) joined by shorter slerps */
    const uint8_t *certified; /* (rotations - 1) */
    int64_t rotations;        /* 0: none */
};

/* Viewpoint. */
enum ball_view { BALL_OBLIQUE, BALL_ALONG_X, BALL_ALONG_Y, BALL_ALONG_Z };

/* Draws the ball into the square of an open canvas with top left corner (x, y): BALL_OBLIQUE with perspective, views
 * along an axis without. */
bool rotation_ball_draw(const struct rotation_ball *ball, enum ball_view view, struct canvas *canvas, double x,
                        double y, double side); /* false: out of memory */

#endif
