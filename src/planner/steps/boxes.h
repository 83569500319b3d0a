/* Boxes of rotations: SO(3) is the boundary of the 4-cube with opposite points identified, hence four cubes; a cube is
 * subdivided into eight, and so on. A box is proved free, or in collision, by bounds at its center: a rotation of the
 * box moves each point v of the robot to within spread |v| of its image under the center.
 * Source: Wang, Chiang, Yap, On Soft Predicates in Subdivision Motion Planning (2015). */
#ifndef BI_PLANNER_STEPS_BOXES_H
#define BI_PLANNER_STEPS_BOXES_H

#include "planner/steps/certify.h"
#include "planner/steps/closest.h"

/* ---- penetration depth ----
 *
 * The expanding polytope algorithm (EPA): a closed surface of triangles around the origin, with corners in the
 * Minkowski difference of the bodies, grows where it is nearest to the origin.
 *
 * The proof needs the last surface alone. Its triangles are oriented consistently: it starts as a tetrahedron, and each
 * step replaces some triangles by a cone over their border. If the origin is on the inner side of each triangle,
 * farther than `far` from its plane, the surface winds around the origin, and still does when each corner has moved by
 * `far`. So the origin is in the hull of the corners, and the bodies have a common point.
 * Source: van den Bergen, Proximity Queries and Penetration Depth Computation on 3D Game Objects (2001). */

/* Corners: more give a tighter bound of the depth, and need more memory a thread. Not measured. A closed surface of n
 * corners has 2n - 4 triangles. */
enum { BI_PLANNER_CORNERS = 20, BI_PLANNER_FACES = 2 * BI_PLANNER_CORNERS };

struct bi_planner_surface {
    double corners[BI_PLANNER_CORNERS][3];
    uint8_t faces[BI_PLANNER_FACES][3];
    double normals[BI_PLANNER_FACES][3], heights[BI_PLANNER_FACES]; /* outward, not normalised; normal . corner */
    int32_t corner_count, face_count;
};

/* Appends a triangle; false if the surface is full. */
BI_FN bool bi_planner_add_face(struct bi_planner_surface *s, int a, int b, int c)
{
    if (s->face_count == BI_PLANNER_FACES) return false;
    double u[3], v[3], *n = s->normals[s->face_count];
    for (int k = 0; k < 3; k++) {
        u[k] = s->corners[b][k] - s->corners[a][k];
        v[k] = s->corners[c][k] - s->corners[a][k];
    }
    bi_planner_cross(u, v, n);
    s->heights[s->face_count] = bi_planner_dot(n, s->corners[a]);
    uint8_t *face = s->faces[s->face_count++];
    face[0] = (uint8_t)a;
    face[1] = (uint8_t)b;
    face[2] = (uint8_t)c;
    return true;
}

/* Starts the surface with the four triangles of a tetrahedron, oriented outwards. */
BI_FN void bi_planner_init_surface(const struct bi_planner_simplex *simplex, struct bi_planner_surface *s)
{
    double w[3];
    s->corner_count = 4;
    s->face_count = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) s->corners[i][k] = simplex->y[i][k];
    bi_planner_add_face(s, 0, 1, 2);
    for (int k = 0; k < 3; k++) w[k] = s->corners[3][k] - s->corners[0][k];
    if (bi_planner_dot(s->normals[0], w) > 0) {
        s->face_count = 0;
        bi_planner_add_face(s, 0, 2, 1);
    }
    const uint8_t *f = s->faces[0];
    for (int k = 0; k < 3; k++) bi_planner_add_face(s, f[(k + 1) % 3], f[k], 3);
}

/* True if one of `count` triangles has the directed edge from a to b. */
BI_FN bool bi_planner_has_edge(uint8_t faces[][3], int count, int a, int b)
{
    for (int f = 0; f < count; f++)
        for (int k = 0; k < 3; k++)
            if (faces[f][k] == a && faces[f][(k + 1) % 3] == b) return true;
    return false;
}

/* Replaces the triangles that the last corner sees from outside by a cone from it over their border. The caller has
 * appended the corner. False if the surface is full or empty; it is unusable then, and the caller proves nothing. */
BI_FN bool bi_planner_expand_surface(struct bi_planner_surface *s)
{
    /* 1. Remove the visible triangles. */
    uint8_t seen[BI_PLANNER_FACES][3];
    int seen_count = 0, kept = 0, corner = s->corner_count - 1;
    for (int f = 0; f < s->face_count; f++) {
        bool visible = bi_planner_dot(s->normals[f], s->corners[corner]) > s->heights[f];
        for (int k = 0; k < 3; k++) {
            if (visible)
                seen[seen_count][k] = s->faces[f][k];
            else
                s->faces[kept][k] = s->faces[f][k];
            if (!visible) s->normals[kept][k] = s->normals[f][k];
        }
        if (!visible) s->heights[kept] = s->heights[f];
        seen_count += visible;
        kept += !visible;
    }
    s->face_count = kept;
    /* 2. Add a triangle for each border edge: one without its reverse among the visible triangles. */
    for (int f = 0; f < seen_count; f++)
        for (int k = 0; k < 3; k++) {
            int a = seen[f][k], b = seen[f][(k + 1) % 3];
            if (bi_planner_has_edge(seen, seen_count, b, a)) continue;
            if (!bi_planner_add_face(s, a, b, corner)) return false;
        }
    return s->face_count > 0;
}

/* True if the bodies, the robot's rotated by r, are proved to have a common point even if their points move by `far` in
 * all. size: at least the distance between any two of their points. simplex: four points, whose tetrahedron is the
 * first surface. False proves nothing. */
BI_CALLED_FN bool bi_planner_is_deeper(const struct bi_planner_hull *robot, const double *r,
                                       const struct bi_planner_hull *obstacle, const struct bi_planner_simplex *simplex,
                                       double far, double size)
{
    struct bi_planner_surface s;
    double slack = 0x1p-44 * size * size * size, needed = far * (1 + 0x1p-40) + 0x1p-44 * size;
    bi_planner_init_surface(simplex, &s);
    while (true) {
        /* 1. Find the triangle nearest to the origin; done if all are far enough. */
        int nearest = 0;
        double least = BI_INFINITY, back[3];
        for (int f = 0; f < s.face_count; f++) {
            double above = s.heights[f] - slack - needed * bi_planner_length(s.normals[f]);
            double relative = above / (bi_planner_length(s.normals[f]) + slack);
            if (relative >= least) continue;
            if (!(relative < least)) return false; /* NaN */
            least = relative;
            nearest = f;
        }
        if (least > 0) return true;
        if (s.corner_count == BI_PLANNER_CORNERS) return false;
        /* 2. Expand the surface to the support point of its normal, if that is farther. */
        const double *n = s.normals[nearest];
        bi_planner_rotate_back(r, n, back);
        int32_t a = bi_planner_support(robot, back, -1), b = bi_planner_support(obstacle, n, 1);
        double *y = s.corners[s.corner_count++];
        bi_planner_difference(robot, r, obstacle, a, b, y);
        double most = bi_planner_dot(n, y); /* the difference ends here: no surface is farther out */
        if (!(most > s.heights[nearest] + slack && most > needed * bi_planner_length(n))) return false;
        if (!bi_planner_expand_surface(&s)) return false;
    }
}

/* ---- boxes ---- */

enum bi_planner_box_state { BI_PLANNER_MIXED, BI_PLANNER_FREE, BI_PLANNER_FORBIDDEN };

/* A box of quaternions whose component `face` is 1 and the greatest; the others, in order, are in
 * 2 (index + [0, 1]) / 2^level - 1. */
struct bi_planner_box {
    uint32_t index[3];
    uint8_t face, level, state, reserved;
};

enum { BI_PLANNER_BOX_LEVELS = 20 }; /* sides of 2^-20 of a face; coordinates of boxes stay exact in doubles */

BI_FN void bi_planner_box_center(const struct bi_planner_box *box, double *q)
{
    double width = 1.0 / (double)(1u << box->level);
    int other = 0;
    for (int k = 0; k < 4; k++) q[k] = k == box->face ? 1 : (2 * box->index[other++] + 1) * width - 1;
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
    return bodies->offsets[i + 1] - bodies->offsets[i] <= 3 && !(bodies->radii[i] > 0);
}

/* True if bodies cannot be deeper in each other than `far`: the inscribed ball of their Minkowski difference is at most
 * as large as the sum of their bounding balls; if one body is flat, as the ball of the other. */
BI_FN bool bi_planner_is_shallow(const struct bi_planner_scene *s, int64_t a, int64_t b, double far)
{
    double r = s->robot.bounds[4 * a + 3], o = s->obstacle.bounds[4 * b + 3], most = r + o;
    bool is_ball = s->robot.radii[a] > 0 || s->obstacle.radii[b] > 0;
    if (!is_ball && s->robot.offsets[a + 1] - s->robot.offsets[a] <= 3) most = o;
    if (!is_ball && s->obstacle.offsets[b + 1] - s->obstacle.offsets[b] <= 3 && r < most) most = r;
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
        /* Too shallow to prove a collision, as is each body below the node: nothing can change a mixed state. */
        bool shallow = state == BI_PLANNER_MIXED && far >= own_radius + node->widest;
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
