/* Proves penetration depth of two convex bodies by the expanding polytope algorithm (EPA): a closed surface of
 * triangles
 * around the origin, with corners in the Minkowski difference of the bodies, grows where it is nearest to the origin.
 *
 * The proof needs the last surface alone. Its triangles are oriented consistently: it starts as a tetrahedron, and each
 * step replaces some triangles by a cone over their border. If the origin is on the inner side of each triangle,
 * farther
 * than `far` from its plane, the surface winds around the origin, and still does when each corner has moved by `far`.
 * So
 * the origin is in the hull of the corners, and the bodies have a common point. Source: van den Bergen, Proximity
 * Queries and Penetration Depth Computation on 3D Game Objects
 * (2001). */
#ifndef BI_PLANNER_STEPS_DEPTH_H
#define BI_PLANNER_STEPS_DEPTH_H

#include "planner/steps/closest.h"

/* Corners: chosen. A closed surface of n corners has 2n - 4 triangles. */
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

/* Replaces the triangles that the last corner sees from outside by a cone from it over their border. False if the
 * surface
 * is full or empty. */
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
 * all. size: at least the distance between any two of their points. */
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

#endif
