/* Closest points of two convex bodies, by the algorithm of Gilbert, Johnson and Keerthi (GJK). It only proposes
 * separating directions; proofs do not rely on it. */
#ifndef BI_PLANNER_STEPS_CLOSEST_H
#define BI_PLANNER_STEPS_CLOSEST_H

#include "planner/planner.h"
#include "planner/steps/arc.h"

/* A body: the convex hull of points. */
struct bi_planner_hull {
    const double *points; /* (count x 3) */
    int32_t count;
};

/* Points of the Minkowski difference: a rotated point of the robot less a point of the obstacle. */
struct bi_planner_simplex {
    double y[4][3];
    int32_t robot[4], obstacle[4];
    int32_t count;
};

struct bi_planner_closest {
    double normal[3]; /* from the closest point of the obstacle to that of the robot */
    bool touching;    /* within rounding */
    bool edges;       /* both closest points are on edges, of directions: */
    double robot_edge[3] /* not rotated */, obstacle_edge[3];
    struct bi_planner_simplex simplex; /* the last one; four points enclose the origin, within rounding */
};

BI_FN void bi_planner_difference(const struct bi_planner_hull *robot, const double *r,
                                 const struct bi_planner_hull *obstacle, int32_t a, int32_t b, double *y)
{
    bi_planner_rotate(r, robot->points + 3 * (int64_t)a, y);
    for (int k = 0; k < 3; k++) y[k] -= obstacle->points[3 * (int64_t)b + k];
}

/* Returns the point of a hull that is least in a direction, or greatest for sign -1. */
BI_FN int32_t bi_planner_support(const struct bi_planner_hull *hull, const double *direction, double sign)
{
    int32_t best = 0;
    double least = sign * bi_planner_dot(hull->points, direction);
    for (int32_t i = 1; i < hull->count; i++) {
        double at = sign * bi_planner_dot(hull->points + 3 * (int64_t)i, direction);
        if (at < least) {
            least = at;
            best = i;
        }
    }
    return best;
}

/* Solves G x = h for n = 1 to 3 unknowns, G symmetric; false if G is singular within rounding. */
BI_FN bool bi_planner_solve(double g[3][3], const double *h, int n, double *x)
{
    if (n == 1) {
        x[0] = h[0] / g[0][0];
        return g[0][0] > 0;
    }
    if (n == 2) {
        double det = g[0][0] * g[1][1] - g[0][1] * g[0][1];
        x[0] = (h[0] * g[1][1] - h[1] * g[0][1]) / det;
        x[1] = (h[1] * g[0][0] - h[0] * g[0][1]) / det;
        return det > 0x1p-44 * (g[0][0] * g[1][1]);
    }
    double c0 = g[1][1] * g[2][2] - g[1][2] * g[1][2], c1 = g[0][2] * g[1][2] - g[0][1] * g[2][2];
    double c2 = g[0][1] * g[1][2] - g[0][2] * g[1][1], c4 = g[0][0] * g[2][2] - g[0][2] * g[0][2];
    double c5 = g[0][1] * g[0][2] - g[0][0] * g[1][2], c8 = g[0][0] * g[1][1] - g[0][1] * g[0][1];
    double det = g[0][0] * c0 + g[0][1] * c1 + g[0][2] * c2;
    x[0] = (c0 * h[0] + c1 * h[1] + c2 * h[2]) / det;
    x[1] = (c1 * h[0] + c4 * h[1] + c5 * h[2]) / det;
    x[2] = (c2 * h[0] + c5 * h[1] + c8 * h[2]) / det;
    return det > 0x1p-44 * (g[0][0] * g[1][1] * g[2][2]);
}

/* Finds the point nearest to the origin on the affine hull of the last point of the simplex and the points in `mask`;
 * false if it is outside of their convex hull. */
BI_FN bool bi_planner_nearest_on_face(const struct bi_planner_simplex *s, uint32_t mask, double *point)
{
    const double *base = s->y[s->count - 1];
    double d[3][3], g[3][3], h[3], x[3] = {0, 0, 0}, left = 1;
    int n = 0;
    for (int i = 0; i < s->count - 1; i++) {
        if (!(mask >> i & 1)) continue;
        for (int k = 0; k < 3; k++) d[n][k] = s->y[i][k] - base[k];
        n++;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) g[i][j] = bi_planner_dot(d[i], d[j]);
        h[i] = -bi_planner_dot(d[i], base);
    }
    if (n > 0 && !bi_planner_solve(g, h, n, x)) return false;
    for (int k = 0; k < 3; k++) point[k] = base[k];
    for (int i = 0; i < n; i++) {
        if (!(x[i] >= 0)) return false;
        left -= x[i];
        for (int k = 0; k < 3; k++) point[k] += x[i] * d[i][k];
    }
    return left >= 0;
}

/* Reduces the simplex to its face nearest to the origin, and finds *point on it. Only faces with the last point can be
 * nearest. False, and unchanged, if rounding hides all of them. */
BI_FN bool bi_planner_reduce_simplex(struct bi_planner_simplex *s, double *point)
{
    double best = BI_INFINITY, at[3];
    uint32_t face = 0;
    int32_t kept = 0;
    /* 1. Find the nearest point over all faces with the last point. */
    for (uint32_t mask = 0; mask < 1u << (s->count - 1); mask++) {
        if (!bi_planner_nearest_on_face(s, mask, at)) continue;
        double length2 = bi_planner_dot(at, at);
        if (!(length2 < best)) continue;
        best = length2;
        face = mask;
        for (int k = 0; k < 3; k++) point[k] = at[k];
    }
    if (best == BI_INFINITY) return false;
    /* 2. Keep the points of its face. */
    face |= 1u << (s->count - 1);
    for (int i = 0; i < s->count; i++) {
        if (!(face >> i & 1)) continue;
        for (int k = 0; k < 3; k++) s->y[kept][k] = s->y[i][k];
        s->robot[kept] = s->robot[i];
        s->obstacle[kept] = s->obstacle[i];
        kept++;
    }
    s->count = kept;
    return true;
}

/* Finds the direction of the edge between a simplex's points of one body; false unless these are two distinct
 * points. */
BI_FN bool bi_planner_find_edge(const struct bi_planner_hull *hull, const int32_t *points, int32_t count, double *edge)
{
    int32_t other = points[0];
    for (int i = 1; i < count; i++) {
        if (points[i] == points[0]) continue;
        if (other != points[0] && points[i] != other) return false;
        other = points[i];
    }
    for (int k = 0; k < 3; k++)
        edge[k] = hull->points[3 * (int64_t)other + k] - hull->points[3 * (int64_t)points[0] + k];
    return other != points[0];
}

/* Finds the closest points of a robot's body, rotated by r, and an obstacle's. The length of to->normal is the
 * distance; if to->touching, it means nothing. The result has rounding errors, and proves nothing. */
BI_CALLED_FN void bi_planner_closest_points(const struct bi_planner_hull *robot, const double *r,
                                            const struct bi_planner_hull *obstacle, struct bi_planner_closest *to)
{
    enum { ROUNDS = 40 }; /* GJK may cycle by rounding; the limit ends it. Not measured */
    struct bi_planner_simplex *s = &to->simplex;
    double back[3], *p = to->normal;
    s->count = 1;
    s->robot[0] = s->obstacle[0] = 0;
    bi_planner_difference(robot, r, obstacle, 0, 0, s->y[0]);
    for (int k = 0; k < 3; k++) p[k] = s->y[0][k];
    to->touching = false;
    /* Add the support point of the direction p, then reduce the simplex, until p no longer improves. */
    for (int round = 0; round < ROUNDS; round++) {
        double length2 = bi_planner_dot(p, p), y[3];
        bool known = false;
        bi_planner_rotate_back(r, p, back);
        int32_t a = bi_planner_support(robot, back, 1), b = bi_planner_support(obstacle, p, -1);
        bi_planner_difference(robot, r, obstacle, a, b, y);
        for (int i = 0; i < s->count; i++) known |= s->robot[i] == a && s->obstacle[i] == b;
        if (known || length2 - bi_planner_dot(p, y) <= 0x1p-44 * length2) break;
        for (int k = 0; k < 3; k++) s->y[s->count][k] = y[k];
        s->robot[s->count] = a;
        s->obstacle[s->count++] = b;
        if (!bi_planner_reduce_simplex(s, p)) break;
        to->touching = s->count == 4;
        if (to->touching) break;
    }
    to->touching = to->touching || !(bi_planner_dot(p, p) > 0);
    to->edges = bi_planner_find_edge(robot, s->robot, s->count, to->robot_edge) &&
                bi_planner_find_edge(obstacle, s->obstacle, s->count, to->obstacle_edge);
}

#endif
