/* A robot among obstacles, lit, with shadows; where an obstacle hides the robot, it shines through. */
#ifndef RENDER_POSE_H
#define RENDER_POSE_H

#include "render/canvas.h"
#include "render/scene.h"
#include "render/shape.h"

/* The scene before its robot is in it: what the eye and the light see of the obstacle. */
struct stage {
    const struct shape *robot, *obstacle;
    int width, height;       /* of a picture */
    struct sight eye, light; /* of the obstacle; the eye's has four samples a pixel */
    double bias;             /* what is so little deeper than what the light sees is not in its shadow */
};

/* The shapes must live as long as the stage. false: no memory. */
bool stage_open(struct stage *stage, const struct shape *robot, const struct shape *obstacle, int width, int height);
void stage_close(struct stage *stage);

/* Draws the robot at a rotation: a picture of the stage's size whose top left corner is at (x, y) of an open canvas
 * that has room for it. false: no memory. */
bool stage_draw(const struct stage *stage, const double rotation[4], struct canvas *canvas, int x, int y);

#endif
