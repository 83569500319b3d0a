/* Boxes of rotations: SO(3) is the boundary of the 4-cube with opposite points identified, hence four cubes; a cube is
 * subdivided into eight, and so on. A box is proved free, or in collision, by bounds at its center: a rotation of the
 * box moves each point v of the robot to within spread |v| of its image under the center.
 * Source: Wang, Chiang, Yap, On Soft Predicates in Subdivision Motion Planning (2015). */
#ifndef BI_PLANNER_STEPS_BOXES_H
#define BI_PLANNER_STEPS_BOXES_H

#include "planner/steps/certify.h"
#include "planner/steps/depth.h"

enum bi_planner_box_state { BI_PLANNER_MIXED, BI_PLANNER_FREE, BI_PLANNER_FORBIDDEN };

/* A box of quaternions whose component `face` is 1 and the greatest; the others, in order, are in
 * 2 (place + [0, 1]) / 2^level - 1. */
struct bi_planner_box {
    uint32_t place[3];
    uint8_t face, level, state, reserved;
};

enum { BI_PLANNER_BOX_LEVELS = 20 }; /* chosen; coordinates of boxes stay exact in doubles */

BI_FN void bi_planner_box_center(const struct bi_planner_box *box, double *q)
{
    double width = 1.0 / (double)(1u << box->level);
    int other = 0;
    for (int k = 0; k < 4; k++) q[k] = k == box->face ? 1 : (2 * box->place[other++] + 1) * width - 1;
}

struct bi_planner_boxes {
    struct bi_planner_scene scene;
    const struct bi_planner_box *boxes;
    uint8_t *states; /* (n) */
};

/* A box seen from its center q. A quaternion of the box is at most the angle asin(|d| / |q|) from q, where d is half a
 * diagonal; the robot turns by twice that angle. */
struct bi_planner_region {
    struct bi_planner_arc at; /* the center, as an arc of length 0 */
    double r[9], spread;
};

BI_FN void bi_planner_region_of(const struct bi_planner_box *box, const double *q, struct bi_planner_region *region)
{
    double half = 1.0 / (double)(1u << box->level);
    bi_planner_arc_of(q, q, &region->at);
    bi_planner_arc_middle(&region->at, region->r);
    double length = bi_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    region->spread = 2 * 1.7320508075688774 * half / length * (1 + 0x1p-40);
    if (region->spread > 2) region->spread = 2;
}

/* True if a plane of normal n separates the bodies in the whole box: n.Rv > n.w with a margin for the spread. */
BI_FN bool bi_planner_region_apart(const struct bi_planner_region *g, const struct bi_planner_pair *pair,
                                   double robot_reach, const double *n)
{
    struct bi_planner_pair grown = *pair;
    grown.robot_radius += g->spread * robot_reach * (1 + 0x1p-40);
    return bi_planner_fixed_plane_separates(&g->at, &grown, n);
}

/* True if two balls collide in the whole box: |Ra - b| + spread |a| < r. */
BI_FN bool bi_planner_region_balls_touch(const struct bi_planner_region *g, const double *a, const double *b,
                                         double radii)
{
    double turned[3], off[3];
    bi_planner_rotate(g->r, a, turned);
    for (int k = 0; k < 3; k++) off[k] = turned[k] - b[k];
    double size = bi_planner_length(a) + bi_planner_length(b) + radii;
    return bi_planner_length(off) + g->spread * bi_planner_length(a) + 0x1p-44 * size < radii;
}

/* Classifies the box for bodies a and b. */
BI_FN enum bi_planner_box_state bi_planner_region_pair(const struct bi_planner_scene *s,
                                                       const struct bi_planner_region *g, int64_t a, int64_t b)
{
    double far = g->spread * s->robot.reaches[a];
    struct bi_planner_pair pair = bi_planner_pair_of(s, a, b);
    double radii = pair.robot_radius + pair.obstacle_radius;
    if (pair.robot.count == 1 && pair.obstacle.count == 1)
        return bi_planner_region_balls_touch(g, pair.robot.points, pair.obstacle.points, radii) ? BI_PLANNER_FORBIDDEN
                                                                                                : BI_PLANNER_MIXED;
    struct bi_planner_closest closest;
    bi_planner_closest_points(&pair.robot, g->r, &pair.obstacle, &closest);
    if (!closest.touching)
        return bi_planner_region_apart(g, &pair, s->robot.reaches[a], closest.normal) ? BI_PLANNER_FREE
                                                                                      : BI_PLANNER_MIXED;
    bool deep = closest.simplex.count == 4 &&
                bi_planner_is_deeper(&pair.robot, g->r, &pair.obstacle, &closest.simplex, far, 2 * pair.reach);
    return deep ? BI_PLANNER_FORBIDDEN : BI_PLANNER_MIXED;
}

BI_FN bool bi_planner_is_flat(const struct bi_planner_bodies *bodies, int64_t i)
{
    return bodies->firsts[i + 1] - bodies->firsts[i] <= 3 && !(bodies->radii[i] > 0);
}

/* True if bodies cannot be deeper in each other than `far`: the inscribed ball of their Minkowski difference is at most
 * as large as the sum of their bounding balls; if one body is flat, as the ball of the other. */
BI_FN bool bi_planner_is_shallow(const struct bi_planner_scene *s, int64_t a, int64_t b, double far)
{
    double r = s->robot.bounds[4 * a + 3], o = s->obstacle.bounds[4 * b + 3], most = r + o;
    bool is_ball = s->robot.radii[a] > 0 || s->obstacle.radii[b] > 0;
    if (!is_ball && s->robot.firsts[a + 1] - s->robot.firsts[a] <= 3) most = o;
    if (!is_ball && s->obstacle.firsts[b + 1] - s->obstacle.firsts[b] <= 3 && r < most) most = r;
    return far >= most;
}

/* Combines the state so far with that of body a against the whole obstacle. */
BI_FN enum bi_planner_box_state bi_planner_region_body(const struct bi_planner_scene *s,
                                                       const struct bi_planner_region *g, int64_t a,
                                                       enum bi_planner_box_state state)
{
    const double *ball = s->robot.bounds + 4 * a;
    double far = g->spread * s->robot.reaches[a], own_radius = bi_planner_is_flat(&s->robot, a) ? 0 : ball[3];
    const struct bi_planner_swept swept = bi_planner_sweep(&g->at, ball);
    for (int64_t i = 0; i < s->node_count && state != BI_PLANNER_FORBIDDEN;) {
        const struct bi_planner_node *node = &s->nodes[i];
        bool shallow =
            state == BI_PLANNER_MIXED && far >= own_radius + node->widest; /* so is each body below the node */
        double radii = (ball[3] + node->ball[3] + far) * (1 + 0x1p-40);
        if (shallow || bi_planner_static_balls_apart(&swept, node->ball, radii)) {
            i = node->skip;
            continue;
        }
        i++;
        if (node->body < 0 || (state == BI_PLANNER_MIXED && bi_planner_is_shallow(s, a, node->body, far))) continue;
        enum bi_planner_box_state of = bi_planner_region_pair(s, g, a, node->body);
        if (of != BI_PLANNER_FREE) state = of;
    }
    return state;
}

/* Classifies the box for a form. q'Mq differs from its value at the center q by at most |M| (2 |q| + |d|) |d|; |M| is
 * bounded by the sum of the coefficients' magnitudes. */
BI_FN enum bi_planner_box_state bi_planner_region_form(const double *m, const double *q, double half)
{
    double size, at = bi_planner_blossom(m, q, q, &size), d = 1.7320508075688774 * half;
    double off = size * ((4 + d) * d + BI_PLANNER_ERROR * 4) * (1 + 0x1p-40);
    return at > off ? BI_PLANNER_FORBIDDEN : at < -off ? BI_PLANNER_FREE : BI_PLANNER_MIXED;
}

/* Item i: classifies a box. Forbidden if some pair or form collides in all of it; free if none collides anywhere. */
BI_FN void bi_step_planner_classify_box(const struct bi_planner_boxes *a, int64_t i)
{
    const struct bi_planner_scene *s = &a->scene;
    struct bi_planner_region region;
    double q[4];
    enum bi_planner_box_state state = BI_PLANNER_FREE;
    bi_planner_box_center(&a->boxes[i], q);
    bi_planner_region_of(&a->boxes[i], q, &region);
    for (int64_t f = 0; f < s->form_count && state != BI_PLANNER_FORBIDDEN; f++) {
        enum bi_planner_box_state of =
            bi_planner_region_form(s->forms + 10 * f, q, 1.0 / (double)(1u << a->boxes[i].level));
        if (of != BI_PLANNER_FREE) state = of;
    }
    for (int64_t body = 0; body < s->robot.count && state != BI_PLANNER_FORBIDDEN; body++)
        state = bi_planner_region_body(s, &region, body, state);
    a->states[i] = (uint8_t)state;
}

#endif
