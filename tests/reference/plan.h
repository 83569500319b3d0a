/* Plain motion planning: rotates the robot and tests the bodies, in integers, and in doubles where no pair is close. */
#ifndef TESTS_REFERENCE_PLAN_H
#define TESTS_REFERENCE_PLAN_H

#include <stdbool.h>

#include <boscage/plan.h>

/* Computes |q|^2 R(q) p, in integers. */
void reference_rotate_integers(const int64_t q[4], const int64_t p[3], int64_t turned[3]);

/* True if the bodies touch at an integer rotation. Coordinates and radii of the scene are integers with absolute
 * values below 2^9; |q|^2 is at most 64. Facets of polytopes have any number of corners. */
bool reference_plan_collides(const bosc_plan_scene *scene, const int64_t q[4]);

/* The same at any quaternion, for triangles and balls: 1 or 0; -1: rounding may decide. */
int reference_plan_near(const bosc_plan_scene *scene, const double q[4]);

/* Computes R(q) p. */
void reference_rotate(const double q[4], const double p[3], double rotated[3]);

#endif
