/* How deep two convex bodies are in each other, by the expanding polytope algorithm: a closed surface of triangles
 * around the origin, with corners in the difference of the bodies, grows where it is nearest to the origin.
 *
 * What is proved by it needs the last surface alone. Its triangles are turned the same way: it begins as a
 * tetrahedron's, and where some are taken away, a cone over their border takes their place, which has the same border.
 * If the origin is on the inner side of each, farther than `far` from its plane, then the surface winds around it, and
 * still does when each corner has moved by `far`; so the origin is in the hull of the corners, and the bodies have a
 * point in common. Source: van den Bergen, Proximity Queries and Penetration Depth Computation on 3D Game Objects
 * (2001). */
#ifndef BI_PLANNER_STEPS_DEPTH_H
#define BI_PLANNER_STEPS_DEPTH_H

#include "planner/steps/closest.h"

enum { BI_PLANNER_CORNERS = 20, BI_PLANNER_FACES = 2 * BI_PLANNER_CORNERS };

struct bi_planner_surface {
    double corners[BI_PLANNER_CORNERS][3];
    uint8_t faces[BI_PLANNER_FACES][3];
    double normals[BI_PLANNER_FACES][3], heights[BI_PLANNER_FACES]; /* outwards, of any length; n.corner */
    int32_t corner_count, face_count;
};

/* False where there is no room. */
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

BI_FN void bi_planner_surface_of(const struct bi_planner_simplex *simplex, struct bi_planner_surface *s)
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

/* Whether one of `count` triangles, from the first on, has the edge from a to b. */
BI_FN bool bi_planner_has_edge(uint8_t faces[][3], int count, int a, int b)
{
    for (int f = 0; f < count; f++)
        for (int k = 0; k < 3; k++)
            if (faces[f][k] == a && faces[f][(k + 1) % 3] == b) return true;
    return false;
}

/* The last corner takes the place of the triangles that it is outside of. */
BI_FN bool bi_planner_expand(struct bi_planner_surface *s)
{
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
    for (int f = 0; f < seen_count; f++)
        for (int k = 0; k < 3; k++) {
            int a = seen[f][k], b = seen[f][(k + 1) % 3];
            if (bi_planner_has_edge(seen, seen_count, b, a)) continue;
            if (!bi_planner_add_face(s, a, b, corner)) return false;
        }
    return s->face_count > 0;
}

/* Whether bodies, of which the robot's is turned by r, have a point in common even if each of their points moves by
 * `far` in all; proved if so. size: at least the distance of any point of the one from any of the other. */
BI_CALLED_FN bool bi_planner_deeper(const struct bi_planner_hull *robot, const double *r,
                                    const struct bi_planner_hull *obstacle, const struct bi_planner_simplex *simplex,
                                    double far, double size)
{
    struct bi_planner_surface s;
    double slack = 0x1p-44 * size * size * size, needed = far * (1 + 0x1p-40) + 0x1p-44 * size;
    bi_planner_surface_of(simplex, &s);
    while (true) {
        int nearest = 0;
        double least = BI_INFINITY, back[3];
        for (int f = 0; f < s.face_count; f++) {
            double above = s.heights[f] - slack - needed * bi_planner_length(s.normals[f]);
            double relative = above / (bi_planner_length(s.normals[f]) + slack);
            if (relative >= least) continue;
            if (!(relative < least)) return false; /* not a number */
            least = relative;
            nearest = f;
        }
        if (least > 0) return true;
        if (s.corner_count == BI_PLANNER_CORNERS) return false;
        const double *n = s.normals[nearest];
        bi_planner_turn_back(r, n, back);
        int32_t a = bi_planner_support(robot, back, -1), b = bi_planner_support(obstacle, n, 1);
        double *y = s.corners[s.corner_count++];
        bi_planner_difference(robot, r, obstacle, a, b, y);
        double most = bi_planner_dot(n, y); /* the difference ends there: so it is no deeper */
        if (!(most > s.heights[nearest] + slack && most > needed * bi_planner_length(n))) return false;
        if (!bi_planner_expand(&s)) return false;
    }
}

#endif
