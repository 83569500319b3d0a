/* Bodies of a scene as triangles that can be drawn: balls become small facets, triangles and solids have flat ones. */
#ifndef RENDER_SHAPE_H
#define RENDER_SHAPE_H

#include <stdbool.h>

#include <boscage/io.h>

struct shape {
    bosc_mesh mesh;           /* with normals; its arrays belong to the shape */
    double middle[3], radius; /* a ball around it: of its box */
    double reach;             /* the distance from the origin of what is farthest */
};
bool shape_open(struct shape *shape, const bosc_plan_bodies *bodies); /* false: no memory */
void shape_close(struct shape *shape);

/* Turns x, y, z by a rotation w, x, y, z of any length. */
void turn_vector(const double q[4], const float from[3], float to[3]);

/* Between two rotations, the shorter way; t from 0 to 1. */
void turn_between(const double a[4], const double b[4], double t, double q[4]);

/* The angle of the way between them, in radians. */
double turn_angle(const double a[4], const double b[4]);

#endif
