/* Plain collisions of rotated bodies, and a fine sampler of slerps. Bodies are rotated by a matrix and tested
 * directly, without quadratic forms or separating planes. */
#ifndef TESTS_REFERENCE_PLANNER_H
#define TESTS_REFERENCE_PLANNER_H

#include <stdbool.h>

#include <boscage/plan.h>

/* True if robot and obstacle touch when the robot is rotated by q; up to rounding. */
bool reference_planner_collides(const bosc_plan_scene *scene, const double q[4]);

/* Computes the rotation at t (0 to 1) of the shorter slerp from p to q. */
void reference_planner_slerp(const double p[4], const double q[4], double t, double to[4]);

/* Returns the first of `samples` + 1 even steps along a slerp that collides; -1: none. */
int64_t reference_planner_sample(const bosc_plan_scene *scene, const double p[4], const double q[4], int64_t samples);

/* Returns the angle, in radians, of the rotation from p to q. */
double reference_planner_angle(const double p[4], const double q[4]);

#endif
