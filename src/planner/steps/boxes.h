/* Boxes of rotations: SO(3) is the boundary of the 4-cube with opposite points being one, so four cubes; a cube is
 * divided into eight, and so on. A box is proved to be free, or to be in collision, by bounds at its center: any point
 * v of the robot is turned by a rotation of the box to within spread |v| of where the center turns it.
 * Source: Wang, Chiang, Yap, On Soft Predicates in Subdivision Motion Planning (2015). */
#ifndef BI_PLANNER_STEPS_BOXES_H
#define BI_PLANNER_STEPS_BOXES_H

#include "planner/steps/certify.h"
#include "planner/steps/depth.h"

enum bi_planner_box_state { BI_PLANNER_MIXED, BI_PLANNER_FREE, BI_PLANNER_FORBIDDEN };

/* The cube of the rotations whose component `face` is the greatest and 1, and the others, in their order, are at
 * 2 (place + 0 to 1) / 2^level - 1. */
struct bi_planner_box {
    uint32_t place[3];
    uint8_t face, level, state, reserved;
};

enum { BI_PLANNER_BOX_LEVELS = 20 };

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

/* A box at its center. The angle between a quaternion of it and the center q is asin(|d| / |q|) at most, where d is
 * half a diagonal; the robot turns by twice that angle. */
struct bi_planner_region {
    struct bi_planner_arc at; /* the center, as an arc of no length */
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

/* n.Rv > n.w with what turning further may take. */
BI_FN bool bi_planner_region_apart(const struct bi_planner_region *g, const struct bi_planner_pair *pair,
                                   double robot_reach, const double *n)
{
    struct bi_planner_pair grown = *pair;
    grown.robot_radius += g->spread * robot_reach * (1 + 0x1p-40);
    return bi_planner_plane_stands(&g->at, &grown, n);
}

/* Balls: whether they collide everywhere, |Ra - b| + spread |a| < r. */
BI_FN bool bi_planner_region_balls_touch(const struct bi_planner_region *g, const double *a, const double *b,
                                         double radii)
{
    double turned[3], off[3];
    bi_planner_turn(g->r, a, turned);
    for (int k = 0; k < 3; k++) off[k] = turned[k] - b[k];
    double size = bi_planner_length(a) + bi_planner_length(b) + radii;
    return bi_planner_length(off) + g->spread * bi_planner_length(a) + 0x1p-44 * size < radii;
}

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
                bi_planner_deeper(&pair.robot, g->r, &pair.obstacle, &closest.simplex, far, 2 * pair.reach);
    return deep ? BI_PLANNER_FORBIDDEN : BI_PLANNER_MIXED;
}

BI_FN bool bi_planner_is_flat(const struct bi_planner_bodies *bodies, int64_t i)
{
    return bodies->firsts[i + 1] - bodies->firsts[i] <= 3 && !(bodies->radii[i] > 0);
}

/* Whether bodies cannot be deeper in each other than `far`. A ball in their difference is no wider than that in any
 * direction; so its radius is at most that of a ball around both together, and where one body is flat, around the
 * other. */
BI_FN bool bi_planner_is_shallow(const struct bi_planner_scene *s, int64_t a, int64_t b, double far)
{
    double r = s->robot.bounds[4 * a + 3], o = s->obstacle.bounds[4 * b + 3], most = r + o;
    bool is_ball = s->robot.radii[a] > 0 || s->obstacle.radii[b] > 0;
    if (!is_ball && s->robot.firsts[a + 1] - s->robot.firsts[a] <= 3) most = o;
    if (!is_ball && s->obstacle.firsts[b + 1] - s->obstacle.firsts[b] <= 3 && r < most) most = r;
    return far >= most;
}

/* The state of what was seen before, with a body and all of the obstacle. */
BI_FN enum bi_planner_box_state bi_planner_region_body(const struct bi_planner_scene *s,
                                                       const struct bi_planner_region *g, int64_t a,
                                                       enum bi_planner_box_state state)
{
    const double *ball = s->robot.bounds + 4 * a;
    double far = g->spread * s->robot.reaches[a], wide = bi_planner_is_flat(&s->robot, a) ? 0 : ball[3];
    const struct bi_planner_swept swept = bi_planner_sweep(&g->at, ball);
    for (int64_t i = 0; i < s->node_count && state != BI_PLANNER_FORBIDDEN;) {
        const struct bi_planner_node *node = &s->nodes[i];
        bool shallow = state == BI_PLANNER_MIXED && far >= wide + node->widest; /* as all that is in it is */
        double radii = (ball[3] + node->ball[3] + far) * (1 + 0x1p-40);
        if (shallow || bi_planner_still_apart(&swept, node->ball, radii)) {
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

/* q'Mq in the box differs from that at its center q by |M| (2 |q| + |d|) |d| at most; |M| is bounded by the sum of all
 * coefficients. */
BI_FN enum bi_planner_box_state bi_planner_region_form(const double *m, const double *q, double half)
{
    double size, at = bi_planner_blossom(m, q, q, &size), d = 1.7320508075688774 * half;
    double off = size * ((4 + d) * d + BI_PLANNER_ERROR * 4) * (1 + 0x1p-40);
    return at > off ? BI_PLANNER_FORBIDDEN : at < -off ? BI_PLANNER_FREE : BI_PLANNER_MIXED;
}

/* Item i: a box. Forbidden if anything in it always is; free if nothing ever is. */
BI_FN void bi_step_planner_box(const struct bi_planner_boxes *a, int64_t i)
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
