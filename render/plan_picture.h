/* Pictures of a planned path: the ball of rotations with key poses; and points along a route. */
#ifndef RENDER_PLAN_PICTURE_H
#define RENDER_PLAN_PICTURE_H

#include <boscage/plan.h>

#include "render/canvas.h"
#include "render/pose.h"
#include "render/vector.h"

/* The ball of rotations: a rotation lies on its axis, at a distance from the middle equal to its angle, at most pi.
 * Antipodal points of the surface are the same rotation. Rotations are w, x, y, z of any length. */
struct rotation_ball {
    const double *samples; /* (sample_count x 4) */
    const uint8_t *collides;
    int64_t sample_count;
    const double *route;      /* (rotations x 4) joined by shorter slerps */
    const uint8_t *certified; /* (rotations - 1) */
    int64_t rotations;        /* 0: none */
};

struct plan_picture {
    const struct shape *robot, *obstacle;
    struct rotation_ball ball; /* with a route */
    const char *title;
};

/* Opens a canvas of width x (9/16 width) pixels. Draws the ball obliquely and along its axes, and the robot at six
 * rotations of the route, evenly by angle. False: out of memory. */
bool plan_picture_draw(const struct plan_picture *picture, int width, struct canvas *canvas);

/* Samples `capacity` uniform rotations of a scene for the ball; none if the scene has no constraints. */
bosc_status plan_samples(bosc_ctx *ctx, const bosc_plan *plan, int64_t capacity, double *rotations, uint8_t *collides,
                         int64_t *count);

/* Computes the rotation at a part (0 to 1, by angle) of the route. */
void route_at(const double *route, int64_t rotations, double part, double q[4]);
/* Returns the total angle of the route, in radians. */
double route_angle(const double *route, int64_t rotations);

#endif
