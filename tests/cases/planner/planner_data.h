/* Scenes for the cases of planners. */
#ifndef TESTS_CASES_PLANNER_PLANNER_DATA_H
#define TESTS_CASES_PLANNER_PLANNER_DATA_H

#include <math.h>
#include <stdlib.h>

#include "reference/planner.h"
#include "support/suite.h"

enum { SCENE_BALLS = 64, SCENE_VERTICES = 96, SCENE_FACES = 64, SCENE_POLYTOPES = 4 };

/* A scene with room for its arrays, which its bodies point to after scene_link. */
struct planner_scene {
    bosc_plan_scene scene;
    struct planner_side {
        double balls[4 * SCENE_BALLS], vertices[3 * SCENE_VERTICES];
        int64_t triangles[3 * SCENE_FACES], polytopes[SCENE_POLYTOPES + 1], facets[SCENE_FACES + 1];
        int64_t facet_vertices[4 * SCENE_FACES];
        int64_t ball_count, vertex_count, triangle_count, polytope_count, facet_count;
    } robot, obstacle;
    double forms[20];
};

static inline void scene_link_side(struct planner_side *s, bosc_plan_bodies *b)
{
    s->polytopes[s->polytope_count] = s->facet_count;
    *b = (bosc_plan_bodies){s->balls,          s->ball_count, s->vertices,       s->vertex_count, s->triangles,
                            s->triangle_count, s->polytopes,  s->polytope_count, s->facets,       s->facet_vertices};
}

static inline const bosc_plan_scene *scene_link(struct planner_scene *s)
{
    s->scene.size = sizeof s->scene;
    scene_link_side(&s->robot, &s->scene.robot);
    scene_link_side(&s->obstacle, &s->scene.obstacle);
    s->scene.forms = s->forms;
    return &s->scene;
}

static inline void scene_add_ball(struct planner_side *s, double x, double y, double z, double radius)
{
    double *b = s->balls + 4 * s->ball_count++;
    b[0] = x;
    b[1] = y;
    b[2] = z;
    b[3] = radius;
}

static inline int64_t scene_add_vertex(struct planner_side *s, double x, double y, double z)
{
    double *v = s->vertices + 3 * s->vertex_count;
    v[0] = x;
    v[1] = y;
    v[2] = z;
    return s->vertex_count++;
}

static inline void scene_add_triangle(struct planner_side *s, int64_t a, int64_t b, int64_t c)
{
    int64_t *t = s->triangles + 3 * s->triangle_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

/* A box between two corners: a polytope, or twelve triangles. */
static inline void scene_add_box(struct planner_side *s, const double low[3], const double high[3], bool solid)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    int64_t first = s->vertex_count;
    for (int i = 0; i < 8; i++)
        scene_add_vertex(s, i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]);
    if (solid) s->polytopes[s->polytope_count++] = s->facet_count;
    for (int f = 0; f < 6; f++) {
        if (!solid) {
            scene_add_triangle(s, first + faces[f][0], first + faces[f][1], first + faces[f][2]);
            scene_add_triangle(s, first + faces[f][0], first + faces[f][2], first + faces[f][3]);
            continue;
        }
        for (int k = 0; k < 4; k++) s->facet_vertices[4 * s->facet_count + k] = first + faces[f][k];
        s->facet_count++;
        s->facets[s->facet_count] = 4 * s->facet_count;
    }
}

/* A wall of balls on the unit sphere, in the plane x = 0, with a gap of `gap` degrees about the y axis. */
static inline void scene_add_wall(struct planner_side *s, double gap)
{
    const double pi = 3.14159265358979323846;
    for (int degree = 0; degree < 360; degree += 8) {
        double off = degree > 180 ? 360 - degree : degree;
        if (off < gap / 2) continue;
        scene_add_ball(s, 0, cos(degree * pi / 180), sin(degree * pi / 180), 0.1);
    }
}

/* A peg of three balls about the x axis, long in y. */
static inline void scene_add_peg(struct planner_side *s, double radius)
{
    for (int k = -1; k <= 1; k++) scene_add_ball(s, cos(0.21 * k), sin(0.21 * k), 0, radius);
}

static inline void scene_rotation(struct suite_random *r, double q[4])
{
    double length2;
    do {
        length2 = 0;
        for (int k = 0; k < 4; k++) {
            q[k] = 2 * suite_unit(r) - 1;
            length2 += q[k] * q[k];
        }
    } while (length2 > 1 || length2 < 0.01);
    for (int k = 0; k < 4; k++) q[k] /= sqrt(length2);
}

/* A rotation by an angle about a coordinate axis. */
static inline void scene_turn(int axis, double angle, double q[4])
{
    for (int k = 0; k < 4; k++) q[k] = 0;
    q[0] = cos(angle / 2);
    q[1 + axis] = sin(angle / 2);
}

static inline void scene_random_triangles(struct planner_side *s, struct suite_random *r, int count, double size)
{
    for (int i = 0; i < count; i++) {
        double c[3], v[3];
        for (int k = 0; k < 3; k++) c[k] = 1.6 * suite_unit(r) - 0.8;
        for (int e = 0; e < 3; e++) {
            for (int k = 0; k < 3; k++) v[k] = c[k] + size * (suite_unit(r) - 0.5);
            scene_add_vertex(s, v[0], v[1], v[2]);
        }
        scene_add_triangle(s, s->vertex_count - 3, s->vertex_count - 2, s->vertex_count - 1);
    }
}

enum { SCENE_KINDS = 4 };

/* A random scene: balls; triangles; solid boxes; a box of triangles and a form. */
static inline void scene_random(struct planner_scene *s, struct suite_random *r, int kind)
{
    *s = (struct planner_scene){.scene = {.size = sizeof s->scene}};
    struct planner_side *sides[2] = {&s->robot, &s->obstacle};
    for (int side = 0; side < 2; side++) {
        double low[3], high[3];
        for (int k = 0; k < 3; k++) {
            low[k] = 1.5 * suite_unit(r) - 1;
            high[k] = low[k] + 0.1 + 0.3 * suite_unit(r);
        }
        if (kind == 0)
            for (int i = 0; i < 4; i++)
                scene_add_ball(sides[side], 2 * suite_unit(r) - 1, 2 * suite_unit(r) - 1, 2 * suite_unit(r) - 1,
                               0.2 * suite_unit(r));
        if (kind == 1) scene_random_triangles(sides[side], r, 4, 0.6);
        if (kind >= 2) scene_add_box(sides[side], low, high, kind == 2);
        if (kind == 2) scene_random_triangles(sides[side], r, 1, 0.6);
    }
    if (kind == 3) {
        for (int e = 0; e < 10; e++) s->forms[e] = suite_unit(r) - 0.5;
        for (int i = 0, e = 0; i < 4; e += 4 - i, i++) s->forms[e] -= 0.6; /* mostly negative */
        s->scene.form_count = 1;
    }
    scene_link(s);
}

#endif
