/* Rasters and meshes for the cases. */
#ifndef TESTS_CASES_TERRAIN_TERRAIN_DATA_H
#define TESTS_CASES_TERRAIN_TERRAIN_DATA_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "reference/terrain.h"

enum relief { FLAT, RAMP, SPIKE, ROUGH, HILLS, RELIEFS };

static inline float *terrain_heights(enum relief relief, int64_t w, int64_t h, uint64_t seed)
{
    struct suite_random r = {seed};
    float *heights = suite_alloc((size_t)(w * h) * sizeof *heights);
    int64_t spike = (int64_t)suite_below(&r, (uint64_t)(w * h));
    for (int64_t i = 0; i < w * h; i++) {
        int64_t x = i % w, y = i / w;
        heights[i] = relief == FLAT    ? -7
                     : relief == RAMP  ? (float)(3 * x - 2 * y)
                     : relief == SPIKE ? (float)(i == spike ? 100 : 0)
                     : relief == ROUGH ? (float)suite_below(&r, 1000)
                                       : (float)((x * x / 3 + 5 * y * y / (x + 1) + x * y) % 97 / 8) +
                                             (float)((x - w / 2) * (y - h / 3)) / 16;
    }
    return heights;
}

static inline bosc_terrain *terrain_make(bosc_ctx *ctx, const float *heights, int64_t w, int64_t h, bool half)
{
    bosc_terrain_opts opts = {.size = sizeof opts, .roots = half ? BOSC_TERRAIN_TRIANGLE : BOSC_TERRAIN_SQUARE};
    bosc_terrain *terrain;
    CHECK_OK(ctx, bosc_terrain_create(ctx, &opts, &terrain));
    CHECK_OK(ctx, bosc_terrain_build(ctx, terrain, heights, w, h, w));
    return terrain;
}

static inline int64_t terrain_leaves(bosc_ctx *ctx, const bosc_terrain *terrain)
{
    bosc_cbt_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_cbt_get_info(ctx, bosc_terrain_get_tree(terrain), &info));
    return info.leaves;
}

/* The leaves of the tree; the caller frees the corners. */
static inline struct reference_terrain terrain_mesh(bosc_ctx *ctx, const bosc_terrain *terrain)
{
    bosc_terrain_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_terrain_get_info(ctx, terrain, &info));
    struct reference_terrain t = {.w = info.width, .h = info.height, .half = info.roots == BOSC_TERRAIN_TRIANGLE};
    t.n = terrain_leaves(ctx, terrain);
    int64_t *corners = suite_alloc((size_t)t.n * 3 * sizeof *corners);
    CHECK_OK(ctx, bosc_terrain_get_corners(ctx, terrain, 0, t.n, corners));
    t.corners = corners;
    return t;
}

static inline void terrain_mesh_free(struct reference_terrain *t) { free((void *)t->corners); }

/* The mesh has no cracks, and its tree is valid. */
static inline void terrain_check(bosc_ctx *ctx, const bosc_terrain *terrain)
{
    struct reference_terrain t = terrain_mesh(ctx, terrain);
    bosc_terrain_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_terrain_get_info(ctx, terrain, &info));
    const char *wrong = reference_terrain_mesh(&t);
    if (wrong) suite_fail(__FILE__, __LINE__, "%lld x %lld: %s", (long long)t.w, (long long)t.h, wrong);
    size_t words = info.depth > 6 ? (size_t)1 << (info.depth - 6) : 1;
    uint64_t *bits = suite_alloc(words * 8);
    int64_t bad;
    CHECK_OK(ctx, bosc_cbt_get_bits(ctx, bosc_terrain_get_tree(terrain), bits));
    CHECK_OK(ctx, bosc_cbt_validate(ctx, bits, info.depth, &bad));
    CHECK_EQ(bad, -1);
    free(bits);
    terrain_mesh_free(&t);
}

#endif
