/* Each allocation, copy and launch of terrains fails in turn. */
#include "cases/terrain/terrain_data.h"

#include "support/faults.h"

enum { W = 12, H = 9, ROOM = 300 };

struct outputs {
    int64_t corners[3 * ROOM], leaves[W], neighbours[3 * W], counts[2];
    double z[W];
    float vertices[3 * W * H], normals[3 * W * H];
    uint32_t triangles[3 * ROOM];
    bosc_terrain_stats stats;
};

struct subject {
    bosc_terrain *terrain;
    int which;
    float *heights;
    double points[2 * W];
    int64_t query_leaves[W];
    uint8_t commands[ROOM];
    struct outputs out;
};

static void open_terrain(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    bosc_terrain_goal goal = {.size = sizeof goal, .error = 3};
    s->terrain = terrain_make(ctx, s->heights, W, H, false);
    CHECK_OK(ctx, bosc_terrain_select(ctx, s->terrain, &goal));
}

static void close_terrain(void *user) { bosc_terrain_free(((struct subject *)user)->terrain); }

/* Builds a raster and makes a mesh. */
static bosc_status make_mesh(bosc_ctx *ctx, struct subject *s)
{
    bosc_terrain *terrain = NULL;
    bosc_terrain_region region = {{2, 2}, {5, 5}, 1};
    bosc_terrain_goal goal = {
        .size = sizeof goal, .error = 2, .triangles = 90, .regions = &region, .region_count = 1, .hysteresis = 0.1};
    bosc_status status = bosc_terrain_create(ctx, NULL, &terrain);
    if (status == BOSC_OK) status = bosc_terrain_build(ctx, terrain, s->heights, W, H, W);
    if (status == BOSC_OK) status = bosc_terrain_select(ctx, terrain, &goal);
    if (status == BOSC_OK) status = bosc_terrain_update(ctx, terrain, s->commands, 30);
    if (status == BOSC_OK) status = bosc_terrain_get_corners(ctx, terrain, 0, ROOM, s->out.corners);
    bosc_terrain_free(terrain);
    return status;
}

/* One of the calls on an existing mesh. */
static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    struct outputs *o = &s->out;
    bosc_terrain_stats stats = {.size = sizeof stats};
    bosc_status status;
    switch (s->which) {
    case 0: return make_mesh(ctx, s);
    case 1: return bosc_terrain_locate(ctx, s->terrain, s->points, W, o->leaves, o->z);
    case 2: return bosc_terrain_get_neighbours(ctx, s->terrain, s->query_leaves, W, o->neighbours);
    case 3:
        return bosc_terrain_get_mesh(ctx, s->terrain, o->vertices, o->normals, W * H, o->triangles, ROOM, o->counts);
    case 4: return bosc_terrain_reserve(ctx, s->terrain, 3 * W, 2 * H);
    default:
        status = bosc_terrain_measure(ctx, s->terrain, &stats);
        if (status == BOSC_OK) o->stats = stats;
        return status;
    }
}

static void faults(bosc_ctx *ctx)
{
    struct subject *s = suite_alloc(sizeof *s);
    for (int which = 0; which < 6; which++) {
        memset(s, 0, sizeof *s);
        s->which = which;
        s->heights = terrain_heights(ROUGH, W, H, 4);
        for (int i = 0; i < W; i++) s->query_leaves[i] = 3 * i - 1;
        for (int i = 0; i < 2 * W; i++) s->points[i] = 0.4 * i;
        for (int i = 0; i < ROOM; i++) s->commands[i] = (uint8_t)(i % 3);
        struct fault_sweep sweep = {.call = call,
                                    .open = open_terrain,
                                    .close = close_terrain,
                                    .user = s,
                                    .outputs = &s->out,
                                    .output_bytes = sizeof s->out};
        if (!suite_leaves_out()) fault_sweep(ctx, &sweep);
        free(s->heights);
    }
    free(s);
}

static const struct suite_case suite_cases_terrain_faults[] = {{"faults", faults, NULL}};
SUITE(terrain_faults);
