/* Plain collisions of rotated bodies, and a fine sampler of slerps: bodies are turned by a matrix and tested as they
 * lie there. No quadratic form, no plane between them. */
#ifndef TESTS_REFERENCE_PLANNER_H
#define TESTS_REFERENCE_PLANNER_H

#include <stdbool.h>

#include <boscage/plan.h>

/* Whether robot and obstacle touch when the robot is turned by q; up to rounding. */
bool reference_planner_collides(const bosc_plan_scene *scene, const double q[4]);

/* The rotation at t (0 to 1) of the slerp from p to q, on the shorter way. */
void reference_planner_slerp(const double p[4], const double q[4], double t, double to[4]);

/* Of `samples` + 1 rotations along a slerp, evenly, the first that collides; -1: none does. */
int64_t reference_planner_sample(const bosc_plan_scene *scene, const double p[4], const double q[4], int64_t samples);

/* The angle, in radians, of the rotation from p to q. */
double reference_planner_angle(const double p[4], const double q[4]);

#endif
