/* Pictures of a planned path: one of the ball of rotations and key poses, and frames of a film. */
#ifndef RENDER_PLAN_H
#define RENDER_PLAN_H

#include <boscage/plan.h>

#include "render/pose.h"
#include "render/rotations.h"

struct plan_picture {
    const struct shape *robot, *obstacle;
    struct rotation_ball ball; /* with a route */
    const char *title;
};

/* Opens a canvas of `width` by 9/16 of it and draws the ball from aside and along its axes, and the robot at six places
 * of the route, evenly by angle. false: no memory. */
bool plan_picture_draw(const struct plan_picture *picture, int width, struct canvas *canvas);

/* Uniform rotations of a scene, for the ball: `capacity` of them, fewer where nothing can change. */
bosc_status plan_samples(bosc_ctx *ctx, const bosc_plan *plan, int64_t capacity, double *rotations, uint8_t *collides,
                         int64_t *count);

/* The rotation after a part of the way, from 0 to 1, by angle; the whole angle of the way in radians. */
void route_at(const double *route, int64_t rotations, double part, double q[4]);
double route_angle(const double *route, int64_t rotations);

#endif
