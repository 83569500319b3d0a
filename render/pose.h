/* Pictures of a robot among obstacles, with light and shadows. A hidden robot shines through the obstacle. */
#ifndef RENDER_POSE_H
#define RENDER_POSE_H

#include "render/canvas.h"
#include "render/rasterize.h"
#include "render/shape.h"

/* The scene without its robot: what the eye and the light see of the obstacle. */
struct stage {
    const struct shape *robot, *obstacle;
    int width, height;            /* of a picture */
    struct visibility eye, light; /* of the obstacle; the eye's has four samples a pixel */
    double bias;                  /* depth tolerance of shadow tests, against self-shadowing */
};

/* The shapes must live as long as the stage. False: out of memory. */
bool stage_open(struct stage *stage, const struct shape *robot, const struct shape *obstacle, int width, int height);
void stage_close(struct stage *stage);

/* Draws the robot at a rotation into the rectangle of the stage's size with top left corner (x, y) of an open canvas.
 * False: out of memory. */
bool stage_draw(const struct stage *stage, const double rotation[4], struct canvas *canvas, int x, int y);

#endif
