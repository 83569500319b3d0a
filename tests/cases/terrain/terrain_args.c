/* Terrains: refused arguments leave everything unchanged; rebuilds without allocation, other contexts. */
#include "cases/terrain/terrain_data.h"

#include "support/arrays.h"
#include "support/faults.h"

static void refuses_bad_options(bosc_ctx *ctx)
{
    static const double spacings[] = {-1, -1e-30, 1e-40, 1e40, INFINITY, -INFINITY, NAN};
    static const int roots[] = {-1, 2, 3, 99, INT32_MAX};
    bosc_terrain *terrain = NULL;
    bosc_terrain_opts o = {.size = sizeof o};
    int64_t kept = 7;
    CHECK_EQ(bosc_terrain_create(NULL, &o, &terrain), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_terrain_create(ctx, &o, NULL), "terrain");
    /* Sets one option to each bad value. */
    for (int i = 0; i < 7; i++) {
        o.spacing = spacings[i];
        CHECK_ARG(ctx, bosc_terrain_create(ctx, &o, &terrain), "opts: spacing");
        CHECK_ARG(ctx, bosc_terrain_bytes(ctx, &o, 5, 5, &kept, NULL), "opts: spacing");
    }
    o.spacing = 0;
    for (size_t i = 0; i < sizeof spacings / sizeof spacings[0]; i++) {
        o.spacing_y = spacings[i];
        CHECK_ARG(ctx, bosc_terrain_create(ctx, &o, &terrain), "opts: spacing_y");
    }
    o.spacing_y = 0;
    for (int i = 0; i < 5; i++) {
        o.roots = (bosc_terrain_roots)roots[i];
        CHECK_ARG(ctx, bosc_terrain_create(ctx, &o, &terrain), "opts: roots");
        CHECK_ARG(ctx, bosc_terrain_bytes(ctx, &o, 5, 5, &kept, NULL), "opts: roots");
    }
    o.roots = BOSC_TERRAIN_SQUARE;
    /* Sizes below the first members, and beyond the struct. */
    for (size_t size = 0; size < 3 * sizeof o; size += size < sizeof o ? 7 : sizeof o) {
        o.size = size;
        if (size >= sizeof(size_t) && size <= sizeof o) continue;
        CHECK_ARG(ctx, bosc_terrain_create(ctx, &o, &terrain), "opts: size");
    }
    CHECK_EQ(bosc_terrain_bytes(NULL, NULL, 5, 5, &kept, NULL), BOSC_ERR_ARG);
    CHECK(terrain == NULL && kept == 7);
    bosc_terrain_free(NULL);
    CHECK(bosc_terrain_get_tree(NULL) == NULL);
}

static void refuses_bad_rasters(bosc_ctx *ctx)
{
    float heights[64] = {0};
    bosc_terrain *terrain, *half;
    bosc_terrain_opts opts = {.size = sizeof opts, .roots = BOSC_TERRAIN_TRIANGLE};
    bosc_terrain_goal goal = {.size = sizeof goal};
    static const int64_t bad[] = {1, 0, -1, -5, INT64_MIN};
    CHECK_OK(ctx, bosc_terrain_create(ctx, NULL, &terrain));
    CHECK_OK(ctx, bosc_terrain_create(ctx, &opts, &half));
    CHECK_ARG(ctx, bosc_terrain_select(ctx, terrain, &goal), "terrain: it has no raster");
    CHECK_EQ(bosc_terrain_build(NULL, terrain, heights, 4, 4, 4), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_terrain_build(ctx, NULL, heights, 4, 4, 4), "terrain");
    CHECK_OK(ctx, bosc_terrain_build(ctx, terrain, heights, 4, 4, 4));
    for (int i = 0; i < 5; i++) {
        CHECK_ARG(ctx, bosc_terrain_build(ctx, terrain, heights, bad[i], 4, 4), "width:");
        CHECK_ARG(ctx, bosc_terrain_build(ctx, terrain, heights, 4, bad[i], 4), "height:");
        CHECK_ARG(ctx, bosc_terrain_bytes(ctx, NULL, bad[i], 4, NULL, NULL), "width:");
        if (bad[i] != 0) CHECK_ARG(ctx, bosc_terrain_build(ctx, terrain, heights, 4, 4, bad[i]), "stride");
    }
    CHECK_ARG(ctx, bosc_terrain_build(ctx, terrain, heights, 4, 4, 3), "stride");
    CHECK_ARG(ctx, bosc_terrain_build(ctx, terrain, heights, 4, 4, INT64_MAX), "stride");
    CHECK_ARG(ctx, bosc_terrain_build(ctx, terrain, NULL, 4, 4, 4), "heights");
    CHECK_ARG(ctx, bosc_terrain_build(ctx, terrain, (float *)((char *)heights + 1), 4, 4, 4), "heights: not aligned");
    CHECK_ARG(ctx, bosc_terrain_build(ctx, half, heights, 4, 4, 4), "width, height");
    CHECK_ARG(ctx, bosc_terrain_build(ctx, half, heights, 5, 3, 5), "width, height");
    CHECK_ARG(ctx, bosc_terrain_bytes(ctx, &opts, 6, 6, NULL, NULL), "width, height");
    CHECK_STATUS(ctx, bosc_terrain_build(ctx, terrain, heights, 65536, 65536, 65536), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_terrain_build(ctx, terrain, heights, INT64_MAX, INT64_MAX, INT64_MAX), BOSC_ERR_LIMIT);
    terrain_check(ctx, terrain); /* still there */
    for (int i = 0; i < 3; i++) {
        heights[7] = i == 0 ? NAN : i == 1 ? INFINITY : -INFINITY;
        heights[9] = NAN;
        CHECK_STATUS(ctx, bosc_terrain_build(ctx, terrain, heights, 3, 4, 4), BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx), "heights: row 2, column 1 is NaN")); /* 7 is between rows */
        CHECK_STATUS(ctx, bosc_terrain_build(ctx, terrain, heights, 4, 3, 4), BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx),
                           i == 0 ? "heights: row 1, column 3 is NaN" : "heights: row 1, column 3 is infinite"));
        CHECK(bosc_terrain_get_tree(terrain) == NULL);
        CHECK_STATUS(ctx, bosc_terrain_build(ctx, terrain, heights, 4, 3, 0), BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx), "heights: row 1, column 3 is"));
    }
    bosc_terrain_free(terrain);
    bosc_terrain_free(half);
}

static void refuses_bad_goals(bosc_ctx *ctx)
{
    float heights[25] = {0};
    bosc_terrain *terrain = terrain_make(ctx, heights, 5, 5, false);
    bosc_terrain_region region = {{0, 0}, {1, 1}, 1};
    const bosc_terrain_camera sight = {
        .direction = {1, 0, 0}, .fov = 1, .pixels = 1, .width = 9, .height = 9, .cull = 1};
    bosc_terrain_camera camera = sight;
    const bosc_terrain_goal plain = {.size = sizeof plain};
    bosc_terrain_goal g = plain;
    static const double fovs[] = {0, -1, 3.1415926535897936, 7, NAN, INFINITY};
    static const double pixels[] = {0, -1, NAN, INFINITY};
#define BAD_GOAL(change, argument)                                       \
    do {                                                                 \
        g = plain;                                                       \
        camera = sight;                                                  \
        change;                                                          \
        CHECK_ARG(ctx, bosc_terrain_select(ctx, terrain, &g), argument); \
    } while (0)
    CHECK_EQ(bosc_terrain_select(NULL, terrain, &g), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_terrain_select(ctx, NULL, &g), "terrain");
    CHECK_ARG(ctx, bosc_terrain_select(ctx, terrain, NULL), "goal");
    /* Bad members of the goal, of a region, of the camera. */
    BAD_GOAL(g.size = 0, "goal: size");
    BAD_GOAL(g.size = sizeof g + 1, "goal: size");
    BAD_GOAL(g.error = -1, "goal: error");
    BAD_GOAL(g.error = NAN, "goal: error");
    BAD_GOAL(g.triangles = -1, "goal: triangles");
    BAD_GOAL(g.hysteresis = 1, "goal: hysteresis");
    BAD_GOAL(g.hysteresis = -0.1, "goal: hysteresis");
    BAD_GOAL(g.hysteresis = NAN, "goal: hysteresis");
    BAD_GOAL(g.region_count = -1, "goal: region_count");
    BAD_GOAL(g.region_count = 1025, "goal: region_count");
    BAD_GOAL(g.region_count = 1, "goal: regions");
#define BAD_REGION(change, argument)                                                                               \
    BAD_GOAL((region = (bosc_terrain_region){{0, 0}, {1, 1}, 1}, g.regions = &region, g.region_count = 1, change), \
             argument)
    BAD_REGION(region.low[0] = 2, "goal: region 0");
    BAD_REGION(region.high[1] = -2, "goal: region 0");
    BAD_REGION(region.low[1] = NAN, "goal: region 0");
    BAD_REGION(region.error = -1, "goal: region 0");
    BAD_REGION(region.error = NAN, "goal: region 0");
    BAD_REGION((region.error = 0, g.triangles = 5), "goal: region 0");
    BAD_REGION(g.triangles = 5, "goal: error 0");
    for (int i = 0; i < 6; i++) BAD_GOAL((g.camera = &camera, camera.fov = fovs[i]), "camera: fov");
    for (int i = 0; i < 4; i++) BAD_GOAL((g.camera = &camera, camera.pixels = pixels[i]), "camera: pixels");
    BAD_GOAL((g.camera = &camera, camera.width = 0), "camera: a viewport");
    BAD_GOAL((g.camera = &camera, camera.height = -3), "camera: a viewport");
    BAD_GOAL((g.camera = &camera, camera.reserved = 1), "camera: reserved");
    BAD_GOAL((g.camera = &camera, camera.direction[0] = 0), "camera: its direction");
    BAD_GOAL((g.camera = &camera, camera.direction[1] = NAN), "camera: its direction");
    BAD_GOAL((g.camera = &camera, camera.position[2] = INFINITY), "camera: its position");
    BAD_GOAL((g.camera = &camera, camera.up[2] = NAN), "camera: up");
    BAD_GOAL((g.camera = &camera, camera.up[0] = -2), "camera: its direction and up");
    /* The mesh is unchanged. */
    CHECK_EQ(terrain_leaves(ctx, terrain), 2);
    bosc_terrain_free(terrain);
}

static void refuses_bad_arrays(bosc_ctx *ctx)
{
    float heights[25] = {0}, out[300];
    bosc_terrain *t = terrain_make(ctx, heights, 5, 5, false), *empty;
    int64_t numbers[64] = {0}, counts[2];
    uint32_t triangles[300];
    uint8_t commands[8] = {0};
    double points[8] = {0};
    bosc_terrain_stats stats = {.size = sizeof stats};
    bosc_terrain_info info = {.size = sizeof info};
    static const int64_t bad[] = {-1, -7, INT64_MIN, INT64_MAX, INT64_MAX / 8};
    CHECK_OK(ctx, bosc_terrain_create(ctx, NULL, &empty));
    /* 1. Bad numbers and ranges. */
    for (int i = 0; i < 5; i++) {
        CHECK_ARG(ctx, bosc_terrain_get_corners(ctx, t, 0, bad[i], numbers), "count");
        CHECK_ARG(ctx, bosc_terrain_locate(ctx, t, points, bad[i], numbers, NULL), "point_count:");
        CHECK_ARG(ctx, bosc_terrain_get_neighbours(ctx, t, numbers, bad[i], numbers + 8), "leaf_count:");
        CHECK_ARG(ctx, bosc_terrain_get_mesh(ctx, t, out, NULL, bad[i], NULL, 0, counts), "vertex_capacity");
        CHECK_ARG(ctx, bosc_terrain_get_mesh(ctx, t, NULL, NULL, 0, triangles, bad[i], counts), "triangle_capacity");
        if (bad[i] < 0 || bad[i] == INT64_MAX)
            CHECK_ARG(ctx, bosc_terrain_update(ctx, t, commands, bad[i]), "command_count");
        if (bad[i] < 0) CHECK_ARG(ctx, bosc_terrain_get_corners(ctx, t, bad[i], 1, numbers), "first");
    }
    CHECK_ARG(ctx, bosc_terrain_get_corners(ctx, t, INT64_MAX, 2, numbers), "first");
    /* 2. Missing and misaligned arrays. */
    CHECK_ARG(ctx, bosc_terrain_get_corners(ctx, t, 0, 2, NULL), "samples");
    CHECK_ARG(ctx, bosc_terrain_get_corners(ctx, t, 0, 2, (int64_t *)((char *)numbers + 4)), "samples: not aligned");
    CHECK_ARG(ctx, bosc_terrain_update(ctx, t, NULL, 2), "commands");
    CHECK_ARG(ctx, bosc_terrain_locate(ctx, t, NULL, 2, numbers, NULL), "points");
    CHECK_ARG(ctx, bosc_terrain_locate(ctx, t, (double *)((char *)points + 4), 2, numbers, NULL),
              "points: not aligned");
    CHECK_ARG(ctx, bosc_terrain_locate(ctx, t, points, 2, (int64_t *)((char *)numbers + 4), NULL), "leaves");
    CHECK_ARG(ctx, bosc_terrain_locate(ctx, t, points, 2, NULL, (double *)((char *)numbers + 4)), "heights");
    CHECK_ARG(ctx, bosc_terrain_get_neighbours(ctx, t, NULL, 2, numbers), "leaves");
    CHECK_ARG(ctx, bosc_terrain_get_neighbours(ctx, t, numbers, 2, NULL), "neighbours");
    CHECK_ARG(ctx, bosc_terrain_get_mesh(ctx, t, out, NULL, 9, NULL, 0, NULL), "counts");
    CHECK_ARG(ctx, bosc_terrain_get_mesh(ctx, t, (float *)((char *)out + 2), NULL, 9, NULL, 0, counts), "vertices");
    CHECK_ARG(ctx, bosc_terrain_get_mesh(ctx, t, NULL, (float *)((char *)out + 1), 9, NULL, 0, counts), "normals");
    CHECK_ARG(ctx, bosc_terrain_get_mesh(ctx, t, NULL, NULL, 0, (uint32_t *)((char *)out + 3), 9, counts), "triangles");
    /* 3. A capacity one too small; bad stats. */
    CHECK_STATUS(ctx, bosc_terrain_get_mesh(ctx, t, out, NULL, 3, NULL, 0, counts), BOSC_ERR_SPACE);
    CHECK_ARG(ctx, bosc_terrain_measure(ctx, t, NULL), "stats");
    stats.size = 3;
    CHECK_ARG(ctx, bosc_terrain_measure(ctx, t, &stats), "stats: size");
    stats.size = sizeof stats + 1;
    CHECK_ARG(ctx, bosc_terrain_measure(ctx, t, &stats), "stats: size");
    /* 4. A terrain without a raster, no terrain, no context. */
    CHECK_ARG(ctx, bosc_terrain_measure(ctx, empty, &stats), "terrain");
    CHECK_ARG(ctx, bosc_terrain_get_corners(ctx, empty, 0, 1, numbers), "terrain");
    CHECK_ARG(ctx, bosc_terrain_locate(ctx, empty, points, 1, numbers, NULL), "terrain");
    CHECK_ARG(ctx, bosc_terrain_get_neighbours(ctx, empty, numbers, 1, numbers), "terrain");
    CHECK_ARG(ctx, bosc_terrain_update(ctx, empty, commands, 1), "terrain");
    CHECK_ARG(ctx, bosc_terrain_get_mesh(ctx, NULL, out, NULL, 9, NULL, 0, counts), "terrain");
    CHECK_EQ(bosc_terrain_get_mesh(NULL, t, out, NULL, 9, NULL, 0, counts), BOSC_ERR_ARG);
    CHECK_EQ(bosc_terrain_get_info(NULL, t, &info), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_terrain_get_info(ctx, NULL, &info), "terrain");
    CHECK_ARG(ctx, bosc_terrain_get_info(ctx, t, NULL), "info");
    CHECK_OK(ctx, bosc_terrain_get_info(ctx, empty, &info));
    CHECK(info.width == 0 && info.depth == 0 && bosc_terrain_get_tree(empty) == NULL);
    info.size = 2;
    CHECK_ARG(ctx, bosc_terrain_get_info(ctx, t, &info), "info: size");
    /* 5. Empty calls need no arrays. */
    CHECK_OK(ctx, bosc_terrain_update(ctx, t, NULL, 0));
    CHECK_OK(ctx, bosc_terrain_locate(ctx, t, NULL, 0, NULL, NULL));
    bosc_terrain_free(t);
    bosc_terrain_free(empty);
}

/* Other shapes in the same handle, then the same one again, which allocates nothing. */
static void rebuilds_allocate_nothing(bosc_ctx *ctx)
{
    static const int64_t sides[][2] = {{40, 30}, {5, 5}, {30, 40}, {40, 30}, {2, 2}};
    float *heights = terrain_heights(HILLS, 40, 40, 1);
    bosc_terrain *terrain;
    int64_t live[2] = {0, 0}, before[2] = {0, 0};
    bosc_ctx *counted = counted_context(ctx, live);
    CHECK_OK(counted, bosc_terrain_create(counted, NULL, &terrain));
    /* Each shape is built twice; the second time allocates nothing. */
    for (int round = 0; round < 10; round++) {
        int64_t w = sides[round / 2][0], h = sides[round / 2][1], kept;
        bosc_terrain_goal goal = {.size = sizeof goal, .error = 2, .triangles = 300};
        bosc_terrain_stats stats = {.size = sizeof stats};
        bosc_terrain_info info = {.size = sizeof info};
        if (suite_slow(ctx) && w * h > 30) continue;
        CHECK_OK(counted, bosc_terrain_build(counted, terrain, heights, w, h, 40));
        CHECK_OK(counted, bosc_terrain_select(counted, terrain, &goal));
        terrain_check(counted, terrain);
        CHECK_OK(counted, bosc_terrain_measure(counted, terrain, &stats));
        CHECK_OK(counted, bosc_terrain_bytes(counted, NULL, w, h, &kept, NULL));
        CHECK_OK(counted, bosc_terrain_get_info(counted, terrain, &info));
        CHECK(info.bytes >= kept && info.width == w && info.height == h);
        if (round % 2) CHECK(live[0] == before[0] && live[1] == before[1]);
        memcpy(before, live, sizeof live);
    }
    /* The terrain outlives its context. */
    bosc_ctx_free(counted);
    terrain_check(ctx, terrain);
    bosc_terrain_free(terrain);
    CHECK(live[0] == 0 && live[1] == 0);
    free(heights);
}

/* A reserve keeps the mesh; after it builds, selections, updates and meshes allocate nothing. */
static void reserved(bosc_ctx *ctx)
{
    enum { W = 21, H = 34 };
    float *heights = terrain_heights(HILLS, W, H, 1);
    bosc_terrain *terrain;
    int64_t live[2] = {0, 0}, counts[2];
    uint8_t host[8] = {BOSC_CBT_SPLIT, BOSC_CBT_MERGE, BOSC_CBT_SPLIT};
    bosc_ctx *counted = counted_context(ctx, live);
    struct array commands = array_make(counted, host, sizeof host, true);
    bosc_terrain_goal goal = {.size = sizeof goal, .error = 0.5, .triangles = 200};
    bosc_terrain_stats before = {.size = sizeof before}, after = before;
    CHECK_OK(counted, bosc_terrain_create(counted, NULL, &terrain));
    CHECK_EQ(bosc_terrain_reserve(NULL, terrain, W, H), BOSC_ERR_ARG);
    CHECK_ARG(counted, bosc_terrain_reserve(counted, NULL, W, H), "terrain");
    CHECK_ARG(counted, bosc_terrain_reserve(counted, terrain, 1, H), "width");
    CHECK_ARG(counted, bosc_terrain_reserve(counted, terrain, W, -1), "height");
    CHECK_STATUS(counted, bosc_terrain_reserve(counted, terrain, 1 << 16, 1 << 16), BOSC_ERR_LIMIT);
    CHECK_OK(counted, bosc_terrain_build(counted, terrain, heights, 5, 4, W));
    CHECK_OK(counted, bosc_terrain_select(counted, terrain, &goal));
    CHECK_OK(counted, bosc_terrain_measure(counted, terrain, &before));
    CHECK_OK(counted, bosc_terrain_reserve(counted, terrain, W, H));
    CHECK_OK(counted, bosc_terrain_measure(counted, terrain, &after));
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    terrain_check(counted, terrain);
    for (int round = 0; round < 2; round++) {
        int64_t held[2] = {live[0], live[1]};
        CHECK_OK(counted, bosc_terrain_build(counted, terrain, heights, W, H, W));
        CHECK_OK(counted, bosc_terrain_select(counted, terrain, &goal));
        CHECK_OK(counted, bosc_terrain_update(counted, terrain, commands.p, sizeof host));
        CHECK_OK(counted, bosc_terrain_get_mesh(counted, terrain, NULL, NULL, 0, NULL, 0, counts));
        CHECK_OK(counted, bosc_terrain_measure(counted, terrain, &after));
        CHECK(live[0] <= held[0] && live[1] <= held[1]); /* the first raster's tree is freed */
        if (round > 0) CHECK(live[0] == held[0] && live[1] == held[1]);
        CHECK(counts[1] > 0 && after.triangles == counts[1]);
        terrain_check(counted, terrain);
        CHECK_OK(counted, bosc_terrain_reserve(counted, terrain, W, H));
    }
    array_free(counted, &commands);
    bosc_ctx_free(counted);
    bosc_terrain_free(terrain);
    CHECK(live[0] == 0 && live[1] == 0);
    free(heights);
}

static const struct suite_case suite_cases_terrain_args[] = {
    {"create", refuses_bad_options, NULL},        {"build", refuses_bad_rasters, NULL},
    {"goals", refuses_bad_goals, NULL},           {"arrays", refuses_bad_arrays, NULL},
    {"rebuilt", rebuilds_allocate_nothing, NULL}, {"reserved", reserved, NULL}};
SUITE(terrain_args);
