/* Vectors of three doubles, and rotations as quaternions w, x, y, z of any length but 0. Source: Shoemake, Animating
 * Rotation with Quaternion Curves (1985). */
#ifndef RENDER_VECTOR_H
#define RENDER_VECTOR_H

#include <math.h>

static inline double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void normalise(double a[3])
{
    const double length = sqrt(dot(a, a));
    for (int i = 0; i < 3; i++) a[i] /= length;
}

/* Rotates the vector `from` by q. */
void quaternion_rotate(const double q[4], const float from[3], float to[3]);

/* Interpolates between two rotations along the shorter arc (slerp); t from 0 to 1. */
void quaternion_slerp(const double a[4], const double b[4], double t, double q[4]);

/* Returns the angle between two rotations, in radians. */
double quaternion_angle(const double a[4], const double b[4]);

#endif
