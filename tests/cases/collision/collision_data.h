/* Meshes with small integer coordinates for the collision cases, and their arrays as callers pass them. */
#ifndef TESTS_CASES_COLLISION_COLLISION_DATA_H
#define TESTS_CASES_COLLISION_COLLISION_DATA_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/collision.h"
#include "support/suite.h"

enum collision_kind {
    COLLIDE_RANDOM,     /* coordinates below 32 */
    COLLIDE_DEGENERATE, /* below 3: most touch, are coplanar, or have no area */
    COLLIDE_FLAT,       /* in one plane */
    COLLIDE_SEGMENTS,   /* without area, and some points */
    COLLIDE_SLIVERS,    /* long and thin, all along one diagonal */
    COLLIDE_SIZES,      /* small ones, and some as large as all of it */
    COLLIDE_APART,      /* boxes that share a face, an edge or a corner at most */
    COLLIDE_SURFACES,   /* reliefs on a grid, with shared vertices and edges */
    COLLIDE_KINDS
};

static inline int64_t collide_coordinate(struct suite_random *r, enum collision_kind kind, int64_t triangle, int c)
{
    switch (kind) {
    case COLLIDE_DEGENERATE: return (int64_t)suite_below(r, 3);
    case COLLIDE_FLAT: return c == 1 ? 5 : (int64_t)suite_below(r, 12);
    case COLLIDE_SIZES: return triangle % 8 == 0 ? (int64_t)suite_below(r, 64) : 20 + (int64_t)suite_below(r, 6);
    case COLLIDE_SEGMENTS: return (int64_t)suite_below(r, 5);
    default: return (int64_t)suite_below(r, 32);
    }
}

/* A relief of side x side squares of two triangles each, at a height, tilted or not. */
static inline void collide_relief(struct suite_random *r, struct reference_mesh *m, int64_t side, int64_t bumps)
{
    int64_t tilt = (int64_t)suite_below(r, 3) - 1, t = 0;
    for (int64_t v = 0; v < m->vertex_count; v++) {
        int64_t x = v % (side + 1), y = v / (side + 1);
        m->vertices[3 * v] = 2 * x;
        m->vertices[3 * v + 1] = 2 * y;
        m->vertices[3 * v + 2] = tilt * x + (int64_t)suite_below(r, (uint64_t)bumps + 1);
    }
    for (int64_t s = 0; s < side * side; s++) {
        int64_t v = s / side * (side + 1) + s % side;
        const int64_t corners[6] = {v, v + 1, v + side + 1, v + 1, v + side + 2, v + side + 1};
        for (int k = 0; k < 6; k++) m->triangles[t++] = corners[k];
    }
}

/* A mesh of about n triangles; `second`: the other mesh of the pair. */
static inline struct reference_mesh collide_mesh(struct suite_random *r, enum collision_kind kind, int64_t n,
                                                 bool second)
{
    int64_t side = kind == COLLIDE_SURFACES ? (int64_t)sqrt((double)n / 2) : 0;
    struct reference_mesh m = {.vertex_count = 3 * n, .triangle_count = n};
    if (kind == COLLIDE_SURFACES)
        m = (struct reference_mesh){.vertex_count = (side + 1) * (side + 1), .triangle_count = 2 * side * side};
    m.vertices = suite_alloc(sizeof(int64_t) * 3 * (size_t)m.vertex_count);
    m.triangles = suite_alloc(sizeof(int64_t) * 3 * (size_t)m.triangle_count);
    if (kind == COLLIDE_SURFACES) {
        collide_relief(r, &m, side, (int64_t)suite_below(r, 3));
        return m;
    }
    for (int64_t i = 0; i < m.vertex_count; i++)
        for (int c = 0; c < 3; c++) m.vertices[3 * i + c] = collide_coordinate(r, kind, i / 3, c);
    for (int64_t i = 0; i < n; i++) {
        int64_t *v = m.vertices + 9 * i, along = (int64_t)suite_below(r, 30);
        for (int k = 0; k < 3; k++) m.triangles[3 * i + k] = 3 * i + k;
        for (int c = 0; c < 3; c++) {
            if (kind == COLLIDE_SEGMENTS && i % 3 == 0) v[3 + c] = v[c]; /* two corners in one */
            if (kind == COLLIDE_SEGMENTS && i % 3 == 1) v[6 + c] = 2 * v[3 + c] - v[c];
            if (kind == COLLIDE_SEGMENTS && i % 9 == 0) v[6 + c] = v[c];
            if (kind != COLLIDE_SLIVERS) continue;
            v[c] = along + (int64_t)suite_below(r, 2);
            v[3 + c] = along + 40 + (int64_t)suite_below(r, 2);
            v[6 + c] = along + 80 + (int64_t)suite_below(r, 2);
        }
    }
    for (int64_t i = 0; kind == COLLIDE_APART && second && i < m.vertex_count; i++)
        for (int c = 0; c < 3; c++)
            if ((n + c) % 3 != 0) m.vertices[3 * i + c] += 31 + (n % 7 == 0);
    return m;
}

static inline void collide_free(struct reference_mesh *m)
{
    free(m->vertices);
    free(m->triangles);
}

/* A map of integers to integers of volume 1: it preserves contact, but turns determinants into small differences of
 * large products. Entries have up to about `bits` bits. */
static inline void collide_unimodular(struct suite_random *r, int shears, int bits, int64_t map[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) map[i][k] = i == k;
    for (int s = 0; s < shears; s++) {
        int to = s % 3, from = (s + 1 + (int)suite_below(r, 2)) % 3;
        int64_t most = ((int64_t)1 << bits / shears) - 1,
                factor = (int64_t)suite_below(r, 2 * (uint64_t)most + 1) - most;
        for (int k = 0; k < 3; k++) map[to][k] += factor * map[from][k];
    }
}

/* The mesh's arrays, after a map and times 2^scale. Free with free((void *)...). */
static inline bosc_collision_mesh collide_arrays(const struct reference_mesh *m, const bosc_collision_opts *o,
                                                 int64_t map[3][3], int scale, int64_t stride)
{
    size_t rows = (size_t)(m->vertex_count * stride), indices = 3 * (size_t)m->triangle_count;
    double *wide = suite_alloc(rows * sizeof *wide);
    float *narrow = suite_alloc(rows * sizeof *narrow);
    uint32_t *triangles = suite_alloc(indices * sizeof *triangles);
    int64_t *wide_triangles = suite_alloc(indices * sizeof *wide_triangles);
    for (size_t i = 0; i < rows; i++) wide[i] = narrow[i] = NAN;
    for (int64_t i = 0; i < m->vertex_count; i++)
        for (int c = 0; c < 3; c++) {
            int64_t x = 0;
            for (int k = 0; k < 3; k++) x += map[c][k] * m->vertices[3 * i + k];
            wide[i * stride + c] = ldexp((double)x, scale);
            narrow[i * stride + c] = (float)wide[i * stride + c];
        }
    for (size_t i = 0; i < indices; i++) triangles[i] = (uint32_t)(wide_triangles[i] = m->triangles[i]);
    bosc_collision_mesh mesh = {.size = sizeof mesh,
                                .vertices = o->dtype == BOSC_F64 ? (void *)wide : narrow,
                                .vertex_count = m->vertex_count,
                                .stride = stride,
                                .triangles = o->index_bits == 64 ? (void *)wide_triangles : triangles,
                                .triangle_count = m->triangle_count};
    free(o->dtype == BOSC_F64 ? (void *)narrow : wide);
    free(o->index_bits == 64 ? (void *)triangles : wide_triangles);
    return mesh;
}

static inline void collide_free_arrays(bosc_collision_mesh *m)
{
    free((void *)(uintptr_t)m->vertices);
    free((void *)(uintptr_t)m->triangles);
}

#endif
