/* Proofs that two bodies are disjoint on a whole piece of an arc. Each is a form linear in the rotation matrix, so a
 * quadratic form of the quaternion, that is shown to be positive along the piece. */
#ifndef BI_PLANNER_STEPS_SEPARATE_H
#define BI_PLANNER_STEPS_SEPARATE_H

#include "planner/steps/closest.h"

/* A body of each side: hulls grown by radii. */
struct bi_planner_pair {
    struct bi_planner_hull robot, obstacle;
    double robot_radius, obstacle_radius,
        reach; /* reach: sum of the bounds of the distance of their points from the origin */
};

/* The center of a robot's ball along an arc, for comparison with many balls. */
struct bi_planner_swept {
    double turned[3][3], scales[3], size, length2, length;
};

BI_FN struct bi_planner_swept bi_planner_sweep(const struct bi_planner_arc *arc, const double *a)
{
    const double length2 = bi_planner_dot(a, a);
    struct bi_planner_swept swept = {{{0}}, {0}, arc->size, length2, bi_sqrt(length2)};
    for (int k = 0; k < 3; k++) {
        bi_planner_rotate(arc->m[k].r, a, swept.turned[k]);
        swept.scales[k] = arc->m[k].scale;
    }
    return swept;
}

/* True if the rotated ball about a is apart from the ball about b: |Ra - b|^2 > r^2, or |a|^2 + |b|^2 - r^2 - 2 b.Ra >
 * 0. */
BI_FN bool bi_planner_swept_apart(const struct bi_planner_swept *a, const double *b, double radii)
{
    double r = radii * (1 + 0x1p-48), b2 = bi_planner_dot(b, b), c[3];
    for (int k = 0; k < 3; k++) c[k] = (a->length2 + b2 - r * r) * a->scales[k] - 2 * bi_planner_dot(b, a->turned[k]);
    double size = (a->length + bi_sqrt(b2)) + r;
    return bi_planner_positive(c, BI_PLANNER_ERROR * (size * size) * a->size);
}

/* The same for an arc of length 0, whose three coefficients are equal. */
BI_FN bool bi_planner_static_balls_apart(const struct bi_planner_swept *a, const double *b, double radii)
{
    double r = radii * (1 + 0x1p-48), b2 = bi_planner_dot(b, b), size = (a->length + bi_sqrt(b2)) + r;
    double c = (a->length2 + b2 - r * r) * a->scales[0] - 2 * bi_planner_dot(b, a->turned[0]);
    return c - BI_PLANNER_ERROR * (size * size) * a->size > 0;
}

BI_FN bool bi_planner_balls_apart(const struct bi_planner_arc *arc, const double *a, const double *b, double radii)
{
    const struct bi_planner_swept swept = bi_planner_sweep(arc, a);
    return bi_planner_swept_apart(&swept, b, radii);
}

/* True if a fixed plane of normal n separates the bodies: n.Rv > n.w for all vertices v of the robot's and w of the
 * obstacle's. */
BI_FN bool bi_planner_fixed_plane_separates(const struct bi_planner_arc *arc, const struct bi_planner_pair *pair,
                                            const double *n)
{
    double length = bi_planner_length(n), error = BI_PLANNER_ERROR * length * pair->reach * arc->size;
    int32_t top = bi_planner_support(&pair->obstacle, n, -1);
    double h = bi_planner_dot(n, pair->obstacle.points + 3 * (int64_t)top), back[3][3];
    h += length * (pair->robot_radius + pair->obstacle_radius);
    for (int k = 0; k < 3; k++) bi_planner_rotate_back(arc->m[k].r, n, back[k]);
    for (int32_t v = 0; v < pair->robot.count; v++) {
        double c[3];
        for (int k = 0; k < 3; k++)
            c[k] = bi_planner_dot(back[k], pair->robot.points + 3 * (int64_t)v) - h * arc->m[k].scale;
        if (!bi_planner_positive(c, error)) return false;
    }
    return true;
}

/* True if a plane of normal Rn, which turns with the robot, separates the bodies. */
BI_FN bool bi_planner_turning_plane_separates(const struct bi_planner_arc *arc, const struct bi_planner_pair *pair,
                                              const double *n)
{
    double length = bi_planner_length(n), error = BI_PLANNER_ERROR * length * pair->reach * arc->size;
    int32_t bottom = bi_planner_support(&pair->robot, n, 1);
    double h = bi_planner_dot(n, pair->robot.points + 3 * (int64_t)bottom), turned[3][3];
    h -= length * (pair->robot_radius + pair->obstacle_radius);
    for (int k = 0; k < 3; k++) bi_planner_rotate(arc->m[k].r, n, turned[k]);
    for (int32_t w = 0; w < pair->obstacle.count; w++) {
        double c[3];
        for (int k = 0; k < 3; k++)
            c[k] = h * arc->m[k].scale - bi_planner_dot(turned[k], pair->obstacle.points + 3 * (int64_t)w);
        if (!bi_planner_positive(c, error)) return false;
    }
    return true;
}

/* True if the plane parallel to a rotated edge K of the robot and an edge L of the obstacle separates the bodies:
 * n = RK x L, so n.Rv = L.R(v x K) and n.w = RK.(L x w). */
BI_FN bool bi_planner_edge_plane_separates(const struct bi_planner_arc *arc, const struct bi_planner_pair *pair,
                                           const struct bi_planner_closest *closest, const double *middle)
{
    const double *edge = closest->robot_edge, *other = closest->obstacle_edge;
    double turned[3][3], normal[3], crossed[3], along[3], moment[3];
    double lengths = bi_planner_length(edge) * bi_planner_length(other);
    double error = BI_PLANNER_ERROR * lengths * pair->reach * arc->size;
    double gap = lengths * (pair->robot_radius + pair->obstacle_radius); /* |n| <= the product of the lengths */
    /* Orient n towards the robot, as in the middle of the piece. */
    bi_planner_rotate(middle, edge, along);
    bi_planner_cross(along, other, normal);
    double sign = bi_planner_dot(normal, closest->normal) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) bi_planner_rotate(arc->m[k].r, edge, turned[k]);
    for (int32_t v = 0; v < pair->robot.count; v++) {
        double above[3];
        bi_planner_cross(pair->robot.points + 3 * (int64_t)v, edge, crossed);
        for (int k = 0; k < 3; k++) {
            bi_planner_rotate(arc->m[k].r, crossed, along);
            above[k] = bi_planner_dot(other, along);
        }
        for (int32_t w = 0; w < pair->obstacle.count; w++) {
            double c[3];
            bi_planner_cross(other, pair->obstacle.points + 3 * (int64_t)w, moment);
            for (int k = 0; k < 3; k++)
                c[k] = sign * (above[k] - bi_planner_dot(turned[k], moment)) - gap * arc->m[k].scale;
            if (!bi_planner_positive(c, error)) return false;
        }
    }
    return true;
}

enum bi_planner_verdict { BI_PLANNER_APART, BI_PLANNER_UNDECIDED, BI_PLANNER_TOUCHING };

/* Tries the planes proposed by the closest points in the middle of the piece. APART is proved; TOUCHING is not. */
BI_FN enum bi_planner_verdict bi_planner_hulls_apart(const struct bi_planner_arc *arc,
                                                     const struct bi_planner_pair *pair)
{
    struct bi_planner_closest closest;
    double middle[9], back[3], radii = pair->robot_radius + pair->obstacle_radius;
    bi_planner_arc_middle(arc, middle);
    bi_planner_closest_points(&pair->robot, middle, &pair->obstacle, &closest);
    if (closest.touching || bi_planner_dot(closest.normal, closest.normal) <= radii * radii) return BI_PLANNER_TOUCHING;
    if (bi_planner_fixed_plane_separates(arc, pair, closest.normal)) return BI_PLANNER_APART;
    bi_planner_rotate_back(middle, closest.normal, back);
    if (bi_planner_turning_plane_separates(arc, pair, back)) return BI_PLANNER_APART;
    if (closest.edges && bi_planner_edge_plane_separates(arc, pair, &closest, middle)) return BI_PLANNER_APART;
    return BI_PLANNER_UNDECIDED;
}

#endif
