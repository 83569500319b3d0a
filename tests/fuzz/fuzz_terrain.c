/* Sequences of goals and commands on a raster. The first bytes choose its size and heights. After each operation the
 * mesh must be free of cracks and have the reported error. */
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

/* Checks the mesh; returns the number of leaves. */
static int64_t check_mesh(const struct land *l)
{
    bosc_terrain_stats stats = {.size = sizeof stats};
    require_ok(bosc_terrain_measure(l->ctx, l->terrain, &stats));
    int64_t *corners = malloc((size_t)stats.leaves * 3 * sizeof *corners);
    if (!corners) abort();
    require_ok(bosc_terrain_get_corners(l->ctx, l->terrain, 0, stats.leaves, corners));
    struct reference_terrain t = {.w = l->w, .h = l->h, .half = l->half, .corners = corners, .n = stats.leaves};
    double error = reference_terrain_error(&t, l->heights);
    if (reference_terrain_mesh(&t) || fabs(error - stats.max_error) > 1e-6 * (1 + error)) abort();
    free(corners);
    return stats.leaves;
}

static double read_number(struct input *in) { return (double)next_byte(in) * (double)next_byte(in) / 16; }

/* Selects by a goal; the bits of a byte choose its parts. Without camera and regions the error must meet the bound. */
static void select_by_goal(const struct land *l, struct input *in)
{
    uint32_t has = next_byte(in);
    bosc_terrain_camera camera = {.position = {read_number(in) - 100, read_number(in) - 100, read_number(in)},
                                  .direction = {read_number(in) - 500, read_number(in) - 500, -1},
                                  .fov = 0.1 + next_byte(in) / 90.0,
                                  .pixels = 0.01 + read_number(in),
                                  .width = 1 + (int32_t)next_byte(in),
                                  .height = 1 + (int32_t)next_byte(in),
                                  .cull = (int32_t)(has & 1)};
    bosc_terrain_region region = {.low = {read_number(in), read_number(in)}, .error = 0.1 + read_number(in)};
    region.high[0] = region.low[0] + read_number(in);
    region.high[1] = region.low[1] + read_number(in);
    bosc_terrain_goal goal = {.size = sizeof goal,
                              .error = 0.1 + read_number(in),
                              .triangles = has & 2 ? 1 + next_byte(in) : 0,
                              .camera = has & 4 ? &camera : NULL,
                              .regions = &region,
                              .region_count = has >> 3 & 1,
                              .hysteresis = (has & 16) / 64.0};
    require_ok(bosc_terrain_select(l->ctx, l->terrain, &goal));
    bosc_terrain_stats stats = {.size = sizeof stats};
    require_ok(bosc_terrain_measure(l->ctx, l->terrain, &stats));
    if (has % 16 / 2 == 0 && stats.max_error > goal.error) abort();
}

static void apply_commands(const struct land *l, struct input *in, int64_t leaves)
{
    uint8_t *commands = calloc((size_t)leaves, 1);
    if (!commands) abort();
    for (int64_t k = next_byte(in) % 5, step = 1 + next_byte(in) % 7; k < leaves && in->size; k += step)
        commands[k] = (uint8_t)next_byte(in);
    require_ok(bosc_terrain_update(l->ctx, l->terrain, commands, leaves));
    free(commands);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    struct land l = {.ctx = fuzz_context()};
    l.w = 2 + next_byte(&in) % (LONGEST - 1);
    l.h = 2 + next_byte(&in) % (LONGEST - 1);
    l.half = l.w == l.h && ((l.w - 1) & (l.w - 2)) == 0 && next_byte(&in) % 2;
    uint32_t wild = next_byte(&in);
    for (int64_t i = 0; i < l.w * l.h; i++) l.heights[i] = (float)((i * i % 251 * wild + next_byte(&in)) % 1000);
    bosc_terrain_opts opts = {.size = sizeof opts, .roots = l.half ? BOSC_TERRAIN_TRIANGLE : BOSC_TERRAIN_SQUARE};
    require_ok(bosc_terrain_create(l.ctx, &opts, &l.terrain));
    require_ok(bosc_terrain_build(l.ctx, l.terrain, l.heights, l.w, l.h, l.w));
    int64_t leaves = check_mesh(&l);
    for (int k = 0; k < MOST && in.size; k++) {
        if (next_byte(&in) % 2)
            select_by_goal(&l, &in);
        else
            apply_commands(&l, &in, leaves);
        leaves = check_mesh(&l);
    }
    bosc_terrain_free(l.terrain);
    return 0;
}
