/* Sequences of goals and commands on a raster. The first bytes choose its size and heights; after each operation the
 * mesh has no cracks and is as near to the samples as it says. */
#include <boscage/terrain.h>

#include "reference/terrain.c"
#include "fuzz.h"

enum { LONGEST = 20, MOST = 40 /* operations */ };

struct land {
    bosc_ctx *ctx;
    bosc_terrain *terrain;
    float heights[LONGEST * LONGEST];
    int64_t w, h;
    bool half;
};

/* Checks the mesh; returns its leaves. */
static int64_t look(const struct land *l)
{
    bosc_terrain_stats stats = {.size = sizeof stats};
    must(bosc_terrain_measure(l->ctx, l->terrain, &stats));
    int64_t *corners = malloc((size_t)stats.leaves * 3 * sizeof *corners);
    if (!corners) abort();
    must(bosc_terrain_get_corners(l->ctx, l->terrain, 0, stats.leaves, corners));
    struct reference_terrain t = {.w = l->w, .h = l->h, .half = l->half, .corners = corners, .n = stats.leaves};
    double error = reference_terrain_error(&t, l->heights);
    if (reference_terrain_mesh(&t) || fabs(error - stats.max_error) > 1e-6 * (1 + error)) abort();
    free(corners);
    return stats.leaves;
}

static double number(struct input *in) { return (double)take(in) * (double)take(in) / 16; }

/* A goal of which the bits of a byte say what it has. Without camera and regions its bound is kept. */
static void aim(const struct land *l, struct input *in)
{
    uint32_t has = take(in);
    bosc_terrain_camera camera = {.position = {number(in) - 100, number(in) - 100, number(in)},
                                  .direction = {number(in) - 500, number(in) - 500, -1},
                                  .fov = 0.1 + take(in) / 90.0,
                                  .pixels = 0.01 + number(in),
                                  .width = 1 + (int32_t)take(in),
                                  .height = 1 + (int32_t)take(in),
                                  .cull = (int32_t)(has & 1)};
    bosc_terrain_region region = {.low = {number(in), number(in)}, .error = 0.1 + number(in)};
    region.high[0] = region.low[0] + number(in);
    region.high[1] = region.low[1] + number(in);
    bosc_terrain_goal goal = {.size = sizeof goal,
                              .error = 0.1 + number(in),
                              .triangles = has & 2 ? 1 + take(in) : 0,
                              .camera = has & 4 ? &camera : NULL,
                              .regions = &region,
                              .region_count = has >> 3 & 1,
                              .hysteresis = (has & 16) / 64.0};
    must(bosc_terrain_select(l->ctx, l->terrain, &goal));
    bosc_terrain_stats stats = {.size = sizeof stats};
    must(bosc_terrain_measure(l->ctx, l->terrain, &stats));
    if (has % 16 / 2 == 0 && stats.max_error > goal.error) abort();
}

static void change(const struct land *l, struct input *in, int64_t leaves)
{
    uint8_t *commands = calloc((size_t)leaves, 1);
    if (!commands) abort();
    for (int64_t k = take(in) % 5, step = 1 + take(in) % 7; k < leaves && in->size; k += step)
        commands[k] = (uint8_t)take(in);
    must(bosc_terrain_update(l->ctx, l->terrain, commands, leaves));
    free(commands);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    struct land l = {.ctx = fuzz_context()};
    l.w = 2 + take(&in) % (LONGEST - 1);
    l.h = 2 + take(&in) % (LONGEST - 1);
    l.half = l.w == l.h && ((l.w - 1) & (l.w - 2)) == 0 && take(&in) % 2;
    uint32_t wild = take(&in);
    for (int64_t i = 0; i < l.w * l.h; i++) l.heights[i] = (float)((i * i % 251 * wild + take(&in)) % 1000);
    bosc_terrain_opts opts = {.size = sizeof opts, .roots = l.half ? BOSC_TERRAIN_TRIANGLE : BOSC_TERRAIN_SQUARE};
    must(bosc_terrain_create(l.ctx, &opts, &l.terrain));
    must(bosc_terrain_build(l.ctx, l.terrain, l.heights, l.w, l.h, l.w));
    int64_t leaves = look(&l);
    for (int k = 0; k < MOST && in.size; k++) {
        if (take(&in) % 2)
            aim(&l, &in);
        else
            change(&l, &in, leaves);
        leaves = look(&l);
    }
    bosc_terrain_free(l.terrain);
    return 0;
}
