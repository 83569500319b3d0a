/* The ball of rotations: a rotation by an angle about an axis lies on the axis, as far from the middle as the angle, at
 * most pi. Points of its surface that face each other are one rotation. */
#ifndef RENDER_ROTATIONS_H
#define RENDER_ROTATIONS_H

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

/* Where the ball is looked at from. */
enum ball_view { BALL_OBLIQUE, BALL_ALONG_X, BALL_ALONG_Y, BALL_ALONG_Z };

/* Draws the ball into a square of an open canvas whose top left corner is (x, y). Samples and route are drawn with
 * perspective from aside, and without along an axis. */
bool rotation_ball_draw(const struct rotation_ball *ball, enum ball_view view, struct canvas *canvas, double x,
                        double y, double side); /* false: no memory */

#endif
