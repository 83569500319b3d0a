/* Scenes for the cases of motion planning. */
#ifndef TESTS_CASES_PLAN_PLAN_DATA_H
#define TESTS_CASES_PLAN_PLAN_DATA_H

#include <stdlib.h>
#include <string.h>

#include "reference/plan.h"
#include "support/suite.h"

/* A scene and its arrays. */
struct plan_scene {
    bosc_plan_scene scene;
    double balls[2][4 * 8], vertices[2][3 * 32];
    int64_t triangles[2][3 * 16], polytopes[2][4], offsets[2][32], corners[2][96];
};

static inline bosc_plan_bodies *plan_side(struct plan_scene *s, int side)
{
    return side ? &s->scene.obstacle : &s->scene.robot;
}

static inline void plan_begin(struct plan_scene *s)
{
    memset(s, 0, sizeof *s);
    s->scene.size = sizeof s->scene;
    for (int side = 0; side < 2; side++) {
        bosc_plan_bodies *b = plan_side(s, side);
        b->balls = s->balls[side];
        b->vertices = s->vertices[side];
        b->triangles = s->triangles[side];
        b->polytope_offsets = s->polytopes[side];
        b->facet_offsets = s->offsets[side];
        b->facet_vertices = s->corners[side];
    }
}

/* A triangle with corners of its own. */
static inline void plan_triangle(struct plan_scene *s, int side, const double corners[9])
{
    bosc_plan_bodies *b = plan_side(s, side);
    memcpy(s->vertices[side] + 3 * b->vertex_count, corners, 9 * sizeof *corners);
    for (int k = 0; k < 3; k++) s->triangles[side][3 * b->triangle_count + k] = b->vertex_count + k;
    b->vertex_count += 3;
    b->triangle_count++;
}

static inline void plan_ball(struct plan_scene *s, int side, double x, double y, double z, double radius)
{
    const double ball[4] = {x, y, z, radius};
    bosc_plan_bodies *b = plan_side(s, side);
    memcpy(s->balls[side] + 4 * b->ball_count++, ball, sizeof ball);
}

/* A box between two corners, with six facets of four. */
static inline void plan_box(struct plan_scene *s, int side, const double low[3], const double high[3])
{
    static const int64_t facets[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    bosc_plan_bodies *b = plan_side(s, side);
    int64_t facet = s->polytopes[side][b->polytope_count];
    for (int k = 0; k < 8; k++)
        for (int c = 0; c < 3; c++) s->vertices[side][3 * (b->vertex_count + k) + c] = (k >> c & 1) ? high[c] : low[c];
    for (int f = 0; f < 6; f++, facet++) {
        for (int k = 0; k < 4; k++) s->corners[side][s->offsets[side][facet] + k] = b->vertex_count + facets[f][k];
        s->offsets[side][facet + 1] = s->offsets[side][facet] + 4;
    }
    b->vertex_count += 8;
    s->polytopes[side][++b->polytope_count] = facet;
}

/* A tetrahedron; two corners are swapped if its volume would be negative. */
static inline void plan_tetrahedron(struct plan_scene *s, int side, const double corners[12])
{
    static const int64_t facets[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    bosc_plan_bodies *b = plan_side(s, side);
    int64_t facet = s->polytopes[side][b->polytope_count];
    double e[3][3];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) e[k][c] = corners[3 * (k + 1) + c] - corners[c];
    double volume = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                    e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                    e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    memcpy(s->vertices[side] + 3 * b->vertex_count, corners, 12 * sizeof *corners);
    for (int f = 0; f < 4; f++, facet++) {
        for (int k = 0; k < 3; k++)
            s->corners[side][s->offsets[side][facet] + k] = b->vertex_count + facets[f][volume > 0 ? k : 2 - k];
        s->offsets[side][facet + 1] = s->offsets[side][facet] + 3;
    }
    b->vertex_count += 4;
    s->polytopes[side][++b->polytope_count] = facet;
}

/* Random triangles around two intersecting spheres. */
static inline void plan_random_triangles(struct plan_scene *s, struct suite_random *r, int robot, int obstacle)
{
    plan_begin(s);
    for (int side = 0; side < 2; side++)
        for (int t = 0; t < (side ? obstacle : robot); t++) {
            double corners[9], center[3];
            for (int c = 0; c < 3; c++) center[c] = 2 * suite_unit(r) - 1;
            for (int k = 0; k < 9; k++) corners[k] = center[k % 3] + 1.4 * (suite_unit(r) - 0.5);
            plan_triangle(s, side, corners);
        }
}

static inline bosc_plan *plan_build(bosc_ctx *ctx, const bosc_plan_scene *scene, const bosc_plan_opts *opts)
{
    bosc_plan *plan = NULL;
    CHECK_OK(ctx, bosc_plan_create(ctx, opts, &plan));
    CHECK_OK(ctx, bosc_plan_build(ctx, plan, scene));
    return plan;
}

static inline bosc_plan_info plan_info(bosc_ctx *ctx, const bosc_plan *plan)
{
    bosc_plan_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_plan_get_info(ctx, plan, &info));
    return info;
}

static inline bool plan_bit(const uint64_t *vectors, int64_t words, int64_t row, int64_t k)
{
    return vectors[row * words + k / 64] >> (k % 64) & 1;
}

#endif
