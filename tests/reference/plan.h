/* Plain motion planning: turn the robot, test the bodies; in integers, and in doubles where nothing is close. */
#ifndef TESTS_REFERENCE_PLAN_H
#define TESTS_REFERENCE_PLAN_H

#include <stdbool.h>

#include <boscage/plan.h>

/* |q|^2 R(q) p, in integers. */
void reference_turn(const int64_t q[4], const int64_t p[3], int64_t turned[3]);

/* Whether the bodies touch at an integer rotation. All coordinates and radii of the scene are integers, below 2^9 in
 * size; |q|^2 is at most 64. Facets of polytopes have any number of corners. */
bool reference_plan_collides(const bosc_plan_scene *scene, const int64_t q[4]);

/* The same at a quaternion of any kind, for triangles and balls: 1 or 0; -1 where rounding may decide. */
int reference_plan_near(const bosc_plan_scene *scene, const double q[4]);

/* R(q) p. */
void reference_rotate(const double q[4], const double p[3], double rotated[3]);

#endif
