/* Rotations as quaternions w, x, y, z of any length but 0. Source: Shoemake, Animating Rotation with Quaternion Curves
 * (1985). */
#ifndef RENDER_QUATERNION_H
#define RENDER_QUATERNION_H

/* Rotates the vector `from` by q. */
void quaternion_rotate(const double q[4], const float from[3], float to[3]);

/* Interpolates between two rotations along the shorter arc (slerp); t from 0 to 1. */
void quaternion_slerp(const double a[4], const double b[4], double t, double q[4]);

/* Returns the angle between two rotations, in radians. */
double quaternion_angle(const double a[4], const double b[4]);

#endif
