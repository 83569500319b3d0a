/* Calls on terrains documented to queue only are captured as graphs; replayed with other heights and commands
 * they give the results of the CPU. */
#include "support/capture.h"
#include "cases/terrain/terrain_data.h"

enum { ROOM = 6000, QUERIES = 333, ROUNDS = 4 };

/* A terrain, and arrays in its context's memory, used by the captured calls. */
struct scene {
    bosc_terrain *terrain;
    bosc_terrain_goal goal, fine;
    int64_t w, h, *corners, *leaves, *found, *neighbours;
    float *heights;
    uint8_t *commands;
    double *points, *z;
};

/* One array of a scene and its bytes, to compare two scenes. */
struct part {
    void *array;
    size_t bytes;
};

enum { HEIGHTS, COMMANDS, POINTS, LEAVES, CORNERS, FOUND, Z, NEIGHBOURS, PARTS };

static struct part part_of(const struct scene *s, int part)
{
    const struct part parts[PARTS] = {
        [HEIGHTS] = {s->heights, (size_t)(s->w * s->h) * sizeof *s->heights},
        [COMMANDS] = {s->commands, ROOM},
        [POINTS] = {s->points, 2 * QUERIES * sizeof *s->points},
        [LEAVES] = {s->leaves, QUERIES * sizeof *s->leaves},
        [CORNERS] = {s->corners, (size_t)3 * ROOM * sizeof *s->corners},
        [FOUND] = {s->found, QUERIES * sizeof *s->found},
        [Z] = {s->z, QUERIES * sizeof *s->z},
        [NEIGHBOURS] = {s->neighbours, (size_t)3 * QUERIES * sizeof *s->neighbours},
    };
    return parts[part];
}

static void open_scene(bosc_ctx *ctx, struct scene *s, int64_t w, int64_t h, const bosc_terrain_camera *camera)
{
    bosc_terrain_opts opts = {.size = sizeof opts, .assume_valid = 1, .spacing = 10};
    *s = (struct scene){.w = w,
                        .h = h,
                        .goal = {.size = sizeof s->goal, .error = 150},
                        .fine = {.size = sizeof s->goal, .error = 1, .camera = camera, .hysteresis = 0.3}};
    CHECK_OK(ctx, bosc_terrain_create(ctx, &opts, &s->terrain));
    void **arrays[PARTS] = {[HEIGHTS] = (void **)&s->heights,
                            [COMMANDS] = (void **)&s->commands,
                            [POINTS] = (void **)&s->points,
                            [LEAVES] = (void **)&s->leaves,
                            [CORNERS] = (void **)&s->corners,
                            [FOUND] = (void **)&s->found,
                            [Z] = (void **)&s->z,
                            [NEIGHBOURS] = (void **)&s->neighbours};
    for (int part = 0; part < PARTS; part++) CHECK_OK(ctx, bosc_ctx_alloc(ctx, part_of(s, part).bytes, arrays[part]));
}

static void close_scene(bosc_ctx *ctx, struct scene *s)
{
    for (int part = 0; part < PARTS; part++) bosc_ctx_release(ctx, part_of(s, part).array, part_of(s, part).bytes);
    bosc_terrain_free(s->terrain);
}

/* A frame: another raster, two meshes in succession, and queries. */
static void call_all(bosc_ctx *ctx, void *user)
{
    struct scene *s = user;
    CHECK_OK(ctx, bosc_terrain_build(ctx, s->terrain, s->heights, s->w, s->h, s->w));
    CHECK_OK(ctx, bosc_terrain_select(ctx, s->terrain, &s->goal));
    CHECK_OK(ctx, bosc_terrain_select(ctx, s->terrain, &s->fine));
    CHECK_OK(ctx, bosc_terrain_update(ctx, s->terrain, s->commands, ROOM));
    CHECK_OK(ctx, bosc_terrain_get_corners(ctx, s->terrain, 0, ROOM, s->corners));
    CHECK_OK(ctx, bosc_terrain_locate(ctx, s->terrain, s->points, QUERIES, s->found, s->z));
    CHECK_OK(ctx, bosc_terrain_get_neighbours(ctx, s->terrain, s->leaves, QUERIES, s->neighbours));
}

/* Copies the same input to both contexts. */
static void copy_to_both(bosc_ctx *ctx, struct scene *s, bosc_ctx *cpu, struct scene *t, int part, const void *input)
{
    CHECK_OK(ctx, bosc_ctx_copy(ctx, part_of(s, part).array, input, part_of(s, part).bytes));
    CHECK_OK(cpu, bosc_ctx_copy(cpu, part_of(t, part).array, input, part_of(t, part).bytes));
}

static void make_inputs(bosc_ctx *ctx, struct scene *s, bosc_ctx *cpu, struct scene *t, struct suite_random *r,
                        int round)
{
    static uint8_t commands[ROOM];
    double points[2 * QUERIES];
    int64_t leaves[QUERIES];
    float *heights = terrain_heights(round % 2 ? HILLS : ROUGH, s->w, s->h, (uint64_t)round);
    for (int i = 0; i < ROOM; i++) commands[i] = (uint8_t)suite_below(r, 4);
    for (int i = 0; i < 2 * QUERIES; i++) points[i] = suite_unit(r) * 10 * (double)(i % 2 ? s->h : s->w);
    for (int i = 0; i < QUERIES; i++) leaves[i] = (int64_t)suite_below(r, ROOM);
    copy_to_both(ctx, s, cpu, t, HEIGHTS, heights);
    copy_to_both(ctx, s, cpu, t, COMMANDS, commands);
    copy_to_both(ctx, s, cpu, t, POINTS, points);
    copy_to_both(ctx, s, cpu, t, LEAVES, leaves);
    free(heights);
}

static void compare(bosc_ctx *ctx, const struct scene *s, bosc_ctx *cpu, const struct scene *t)
{
    for (int part = CORNERS; part < PARTS; part++) {
        struct part here = part_of(s, part), there = part_of(t, part);
        uint8_t *a = suite_alloc(here.bytes), *b = suite_alloc(there.bytes);
        CHECK_OK(ctx, bosc_ctx_copy(ctx, a, here.array, here.bytes));
        CHECK_OK(cpu, bosc_ctx_copy(cpu, b, there.array, there.bytes));
        if (memcmp(a, b, here.bytes) != 0) suite_fail(__FILE__, __LINE__, "part %d differs", part);
        free(a);
        free(b);
    }
}

static void frames(bosc_ctx *ctx)
{
    static const int64_t sides[][2] = {{65, 65}, {70, 66}, {33, 20}, {131, 80}};
    bosc_ctx_opts opts = {.size = sizeof opts, .backend = BOSC_BACKEND_CPU, .threads = 1};
    bosc_ctx *cpu;
    CHECK_EQ(bosc_ctx_create(&opts, &cpu), BOSC_OK);
    for (int k = 0; k < (suite_slow(ctx) ? 2 : 4); k++) {
        if (suite_leaves_out()) continue;
        const bosc_terrain_camera camera = {.position = {100, 150, 1200},
                                            .direction = {1, 1, -1.5},
                                            .fov = 0.8,
                                            .pixels = 1,
                                            .width = 800,
                                            .height = 600,
                                            .cull = 1};
        struct suite_random r = {(uint64_t)k};
        struct scene s, t;
        struct capture c;
        open_scene(ctx, &s, sides[k][0], sides[k][1], &camera);
        open_scene(cpu, &t, sides[k][0], sides[k][1], &camera);
        make_inputs(ctx, &s, cpu, &t, &r, 0);
        capture_open(&c, ctx, call_all, &s);
        for (int round = 1; round < ROUNDS; round++) {
            make_inputs(ctx, &s, cpu, &t, &r, round);
            capture_replay(&c);
            call_all(cpu, &t);
            compare(ctx, &s, cpu, &t);
        }
        capture_close(&c);
        if (k == 0) CHECK(terrain_leaves(ctx, s.terrain) > 1000); /* the frame is not empty */
        close_scene(ctx, &s);
        close_scene(cpu, &t);
    }
    bosc_ctx_free(cpu);
}

static const struct suite_case suite_cases_terrain_capture[] = {{"frames", frames, NULL}};
SUITE(terrain_capture);
