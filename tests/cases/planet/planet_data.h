/* Planets of the library and reference planets. */
#ifndef TESTS_CASES_PLANET_PLANET_DATA_H
#define TESTS_CASES_PLANET_PLANET_DATA_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/planet.h>
#include <boscage/random.h>

#include "reference/planet.h"
#include "support/suite.h"

/* A small raster with land and sea, smooth and rough. */
static inline float *planet_heights(int64_t width, int64_t height, uint64_t seed)
{
    struct suite_random r = {seed};
    float *heights = suite_alloc((size_t)(width * height) * sizeof *heights);
    for (int64_t i = 0; i < width * height; i++) {
        const double x = 6.283185307179586 * (double)(i % width) / (double)width,
                     y = 3.141592653589793 * (double)(i / width) / (double)height;
        const double z = 4000 * sin(2 * x + 1) * cos(3 * y) - 1000 + 500 * suite_unit(&r);
        heights[i] = (float)(z < 0 ? 0 : z);
    }
    return heights;
}

static inline bosc_planet *planet_make(bosc_ctx *ctx, const bosc_planet_opts *opts, const float *heights, int64_t width,
                                       int64_t height)
{
    const bosc_planet_raster raster = {.size = sizeof raster, .heights = heights, .width = width, .height = height};
    bosc_planet *planet = NULL;
    CHECK_OK(ctx, bosc_planet_create(ctx, opts, &planet));
    CHECK_OK(ctx, bosc_planet_build(ctx, planet, &raster));
    return planet;
}

enum { PLANET_INSETS = 2, PLANET_INSET_SAMPLES = 5 * 4 + 3 * 7 };

/* Width and height of the insets of planet_add_insets. */
static const int64_t planet_inset_sizes[PLANET_INSETS][2] = {{5, 4}, {3, 7}};

/* Lays two small insets over a planet. The first sample is -0. The second inset crosses the antimeridian and ends at
 * the south pole. */
static inline void planet_add_insets(bosc_ctx *ctx, bosc_planet *planet)
{
    static const double edges[PLANET_INSETS][4] = {{20, 10, 40.5, 31}, {170, -90, 190, -60}};
    float heights[PLANET_INSET_SAMPLES];
    const float *next = heights;
    for (int i = 0; i < PLANET_INSET_SAMPLES; i++) heights[i] = i ? (float)(i * i * 53 % 97 * 60 - 2500) : -0.0F;
    for (int k = 0; k < PLANET_INSETS; k++) {
        const bosc_planet_inset inset = {.size = sizeof inset,
                                         .heights = next,
                                         .width = planet_inset_sizes[k][0],
                                         .height = planet_inset_sizes[k][1],
                                         .offset = -0.0,
                                         .west = edges[k][0],
                                         .south = edges[k][1],
                                         .east = edges[k][2],
                                         .north = edges[k][3]};
        CHECK_OK(ctx, bosc_planet_add_inset(ctx, planet, &inset));
        next += inset.width * inset.height;
    }
}

static inline bosc_planet_info planet_info(bosc_ctx *ctx, const bosc_planet *planet)
{
    bosc_planet_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_planet_get_info(ctx, planet, &info));
    return info;
}

/* A mesh in host memory. */
struct planet_mesh {
    int64_t counts[2];
    double origin[3], *positions;
    float *vertices, *normals;
    uint32_t *triangles;
};

static inline struct planet_mesh planet_mesh_get(bosc_ctx *ctx, const bosc_planet *planet, const double *origin)
{
    struct planet_mesh m = {{0, 0}, {0, 0, 0}, NULL, NULL, NULL, NULL};
    const bosc_planet_info info = planet_info(ctx, planet);
    const size_t v = 3 * (size_t)info.vertices, t = 3 * (size_t)info.triangles;
    if (origin) memcpy(m.origin, origin, sizeof m.origin);
    m.vertices = suite_alloc(v * sizeof(float));
    m.normals = suite_alloc(v * sizeof(float));
    m.positions = suite_alloc(v * sizeof(double));
    m.triangles = suite_alloc(t * sizeof(uint32_t));
    CHECK_OK(ctx, bosc_planet_get_mesh(ctx, planet, origin, m.vertices, m.positions, m.normals, info.vertices,
                                       m.triangles, info.triangles, m.counts));
    CHECK_EQ(m.counts[0], info.vertices);
    CHECK_EQ(m.counts[1], info.triangles);
    return m;
}

static inline void planet_mesh_release(struct planet_mesh *m)
{
    free(m->vertices);
    free(m->normals);
    free(m->positions);
    free(m->triangles);
}

/* The mesh is a sphere. Its corners are within 1e-10 of the radius of the reference's; relative vertices are the
 * rounded differences of absolute positions and the origin; normals have length 1 and point outwards. */
static inline void planet_check(bosc_ctx *ctx, const bosc_planet *planet, const struct reference_planet *plain,
                                const double *origin)
{
    struct planet_mesh m = planet_mesh_get(ctx, planet, origin);
    const int64_t n = m.counts[1];
    int64_t *roots = suite_alloc((size_t)n * sizeof *roots);
    double(*corners)[3][2] = suite_alloc((size_t)n * sizeof *corners);
    CHECK(reference_mesh_is_sphere(m.triangles, n, m.counts[0]));
    CHECK_OK(ctx,
             bosc_bisectors_get_corners(ctx, bosc_planet_get_pool(planet), 0, n, roots, (double *)(void *)corners));
    /* 1. Corners against the reference. */
    for (int64_t t = 0; t < n; t++)
        for (int k = 0; k < 3; k++) {
            long double at[3], off = 0;
            const uint32_t v = m.triangles[3 * t + k];
            reference_planet_vertex(plain, roots[t], corners[t][k][0], corners[t][k][1], at);
            for (int c = 0; c < 3; c++) off = fmaxl(off, fabsl(at[c] - m.positions[3 * v + c]));
            if (off > 1e-10L * plain->radius)
                suite_fail(__FILE__, __LINE__, "triangle %lld, corner %d: %Lg away", (long long)t, k, off);
        }
    /* 2. Relative vertices. */
    for (int64_t v = 0; v < 3 * m.counts[0]; v++) CHECK(m.vertices[v] == (float)(m.positions[v] - m.origin[v % 3]));
    /* 3. Normals. */
    for (int64_t v = 0; v < m.counts[0]; v++) {
        const float *a = m.normals + 3 * v;
        const double *p = m.positions + 3 * v, square = (double)a[0] * a[0] + (double)a[1] * a[1] + (double)a[2] * a[2];
        CHECK(square > 0.999 && square < 1.001 && a[0] * p[0] + a[1] * p[1] + a[2] * p[2] > 0);
    }
    planet_mesh_release(&m);
    free(roots);
    free(corners);
}

#endif
