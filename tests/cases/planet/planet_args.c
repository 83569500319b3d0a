/* Planets: refused arguments leave everything unchanged; reserve, selection without allocation, other contexts. */
#include "cases/planet/planet_data.h"

#include "support/arrays.h"
#include "support/capture.h"
#include "support/faults.h"

static void refuses_bad_options(bosc_ctx *ctx)
{
    const bosc_planet_opts good = {.size = sizeof good};
    bosc_planet_opts o = good;
    bosc_planet *p = NULL;
    int64_t kept = 7;
    static const double radii[] = {-1, 1e-30, 1e30, INFINITY, NAN}, waves[] = {-1, 1, 2e8, INFINITY, NAN};
    static const int depths[] = {-1, 61, INT32_MAX, INT32_MIN}, octaves[] = {-1, 33, INT32_MAX, INT32_MIN};
    CHECK_EQ(bosc_planet_create(NULL, &o, &p), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_planet_create(ctx, &o, NULL), "planet");
    /* Sets one option to each bad value. */
    for (int i = 0; i < 5; i++, o = good) {
        o.radius = radii[i];
        CHECK_ARG(ctx, bosc_planet_create(ctx, &o, &p), "opts: radius");
        CHECK_ARG(ctx, bosc_planet_bytes(ctx, &o, 4, 4, NULL, 0, 8, &kept, NULL), "opts: radius");
        o = good;
        o.detail_wavelength = waves[i];
        CHECK_ARG(ctx, bosc_planet_create(ctx, &o, &p), "opts: detail_wavelength");
        o = good;
        o.detail_amplitude = i == 1 ? 1e6 : waves[i];
        CHECK_ARG(ctx, bosc_planet_create(ctx, &o, &p), "opts: detail_amplitude");
    }
    for (int i = 0; i < 4; i++, o = good) {
        o.depth = depths[i];
        CHECK_ARG(ctx, bosc_planet_create(ctx, &o, &p), "opts: depth");
        o = good;
        o.detail_octaves = octaves[i];
        CHECK_ARG(ctx, bosc_planet_create(ctx, &o, &p), "opts: detail_octaves");
    }
    /* Sizes below the minimum and beyond the limits. */
    CHECK_EQ(bosc_planet_bytes(NULL, NULL, 4, 4, NULL, 0, 8, &kept, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_planet_bytes(ctx, NULL, 0, 4, NULL, 0, 8, &kept, NULL), "width");
    CHECK_ARG(ctx, bosc_planet_bytes(ctx, NULL, 4, -4, NULL, 0, 8, &kept, NULL), "height");
    CHECK_ARG(ctx, bosc_planet_bytes(ctx, NULL, 4, 4, NULL, 0, -1, &kept, NULL), "triangles");
    CHECK_STATUS(ctx, bosc_planet_bytes(ctx, NULL, 1 << 16, 1 << 16, NULL, 0, 8, &kept, NULL), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_planet_bytes(ctx, NULL, 4, 4, NULL, 0, 1 << 30, &kept, NULL), BOSC_ERR_LIMIT);
    /* Sizes of insets. */
    int64_t insets[2][2] = {{5, 4}, {3, 3}};
#define BYTES(sizes, count) bosc_planet_bytes(ctx, NULL, 4, 4, sizes, count, 8, &kept, NULL)
    CHECK_ARG(ctx, BYTES(NULL, 1), "inset_sizes: NULL");
    CHECK_ARG(ctx, BYTES((const int64_t *)(const void *)((const char *)insets + 4), 1), "inset_sizes: not aligned");
    CHECK_ARG(ctx, BYTES(insets[0], -1), "inset_count: -1 is not in 0 to 64");
    CHECK_ARG(ctx, BYTES(insets[0], 65), "inset_count: 65 is not in 0 to 64");
    insets[1][0] = 2;
    CHECK_ARG(ctx, BYTES(insets[0], 2), "inset_sizes: 2 x 3 samples are less than 3 x 3");
    insets[1][0] = insets[1][1] = 1 << 16;
    CHECK_STATUS(ctx, BYTES(insets[0], 2), BOSC_ERR_LIMIT);
    CHECK(p == NULL && kept == 7);
    bosc_planet_free(NULL);
    CHECK(bosc_planet_get_pool(NULL) == NULL);
}

static void refuses_bad_rasters(bosc_ctx *ctx)
{
    float heights[64] = {0};
    const bosc_planet_raster good = {.size = sizeof good, .heights = heights, .width = 4, .height = 3, .stride = 5};
    const bosc_planet_goal goal = {.size = sizeof goal, .error = 1e5};
    bosc_planet_raster r = good;
    bosc_planet *p = NULL;
    int64_t counts[2];
    CHECK_OK(ctx, bosc_planet_create(ctx, NULL, &p));
    CHECK_ARG(ctx, bosc_planet_select(ctx, p, &goal), "planet: it has no raster");
    CHECK_ARG(ctx, bosc_planet_get_mesh(ctx, p, NULL, NULL, NULL, NULL, 0, NULL, 0, counts), "planet: it has no");
#define BAD_RASTER(change, argument)                             \
    do {                                                         \
        r = good;                                                \
        change;                                                  \
        CHECK_ARG(ctx, bosc_planet_build(ctx, p, &r), argument); \
    } while (0)
    CHECK_OK(ctx, bosc_planet_build(ctx, p, &good));
    CHECK_EQ(bosc_planet_build(NULL, p, &r), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_planet_build(ctx, NULL, &r), "planet");
    CHECK_ARG(ctx, bosc_planet_build(ctx, p, NULL), "raster");
    BAD_RASTER(r.size = 3, "raster: size");
    BAD_RASTER(r.heights = NULL, "heights");
    BAD_RASTER(r.heights = (char *)heights + 1, "heights: not aligned");
    BAD_RASTER(r.width = 0, "width");
    BAD_RASTER(r.height = -1, "height");
    BAD_RASTER(r.stride = 3, "stride");
    BAD_RASTER(r.stride = -5, "stride");
    BAD_RASTER(r.stride = INT64_MAX, "stride");
    BAD_RASTER(r.dtype = BOSC_F64, "raster: dtype");
    BAD_RASTER(r.dtype = (bosc_dtype)99, "raster: dtype");
    BAD_RASTER(r.reserved = 1, "raster: reserved");
    BAD_RASTER(r.scale = NAN, "raster: scale");
    BAD_RASTER(r.scale = INFINITY, "raster: scale");
    BAD_RASTER(r.offset = -INFINITY, "raster: offset");
    r = good;
    r.width = r.height = 1 << 16;
    r.stride = 0;
    CHECK_STATUS(ctx, bosc_planet_build(ctx, p, &r), BOSC_ERR_LIMIT);
    CHECK_EQ(planet_info(ctx, p).width, 4); /* still there */
    static const float bad[] = {NAN, INFINITY, -INFINITY, 4e6F, -4e6F};
    for (int i = 0; i < 5; i++) {
        heights[4] = NAN; /* between rows */
        heights[7] = bad[i];
        heights[11] = NAN;
        CHECK_STATUS(ctx, bosc_planet_build(ctx, p, &good), BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx), "heights: row 1, column 2 is "));
        CHECK_EQ(planet_info(ctx, p).width, 0);
        CHECK_ARG(ctx, bosc_planet_select(ctx, p, &goal), "planet: it has no raster");
    }
    heights[7] = heights[11] = 1;
    CHECK_OK(ctx, bosc_planet_build(ctx, p, &good));
    CHECK_OK(ctx, bosc_planet_select(ctx, p, &goal));
    bosc_planet_free(p);
}

static void refuses_bad_goals(bosc_ctx *ctx)
{
    const float heights[4] = {0, 1, 2, 3};
    bosc_planet *p = planet_make(ctx, NULL, heights, 2, 2);
    const bosc_planet_camera sight = {.position = {7e6, 0, 0},
                                      .direction = {-1, 0, 0},
                                      .up = {0, 0, 1},
                                      .fov = 1,
                                      .pixels = 1,
                                      .width = 9,
                                      .height = 9,
                                      .cull = 1};
    bosc_planet_camera camera = sight;
    const bosc_planet_goal plain = {.size = sizeof plain, .error = 1e6, .camera = &camera};
    bosc_planet_goal g = plain;
    static const double fovs[] = {0, -1, 3.1415926535897936, 7, NAN, INFINITY}, pixels[] = {0, -1, NAN, INFINITY};
#define BAD_GOAL(change, argument)                                \
    do {                                                          \
        g = plain;                                                \
        camera = sight;                                           \
        change;                                                   \
        CHECK_ARG(ctx, bosc_planet_select(ctx, p, &g), argument); \
    } while (0)
    CHECK_EQ(bosc_planet_select(NULL, p, &g), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_planet_select(ctx, NULL, &g), "planet");
    CHECK_ARG(ctx, bosc_planet_select(ctx, p, NULL), "goal");
    /* Bad members of the goal, then of the camera. */
    BAD_GOAL(g.size = 0, "goal: size");
    BAD_GOAL(g.size = sizeof g + 1, "goal: size");
    BAD_GOAL(g.error = -1, "goal: error");
    BAD_GOAL(g.error = NAN, "goal: error");
    BAD_GOAL((g.error = 0, g.camera = NULL), "goal: error 0");
    BAD_GOAL(g.triangles = -1, "goal: triangles");
    BAD_GOAL(g.hysteresis = 1, "goal: hysteresis");
    BAD_GOAL(g.hysteresis = NAN, "goal: hysteresis");
    BAD_GOAL(g.level = -1, "goal: level");
    BAD_GOAL(g.level = 61, "goal: level");
    BAD_GOAL(g.passes = -1, "goal: passes");
    for (int i = 0; i < 6; i++) BAD_GOAL(camera.fov = fovs[i], "camera: fov");
    for (int i = 0; i < 4; i++) BAD_GOAL(camera.pixels = pixels[i], "camera: pixels");
    BAD_GOAL(camera.width = 0, "camera: a viewport");
    BAD_GOAL(camera.height = -3, "camera: a viewport");
    BAD_GOAL(camera.reserved = 1, "camera: reserved");
    BAD_GOAL(camera.direction[0] = 0, "camera: its direction");
    BAD_GOAL(camera.direction[1] = NAN, "camera: its direction");
    BAD_GOAL(camera.position[2] = INFINITY, "camera: its position");
    BAD_GOAL(camera.up[2] = NAN, "camera: up");
    BAD_GOAL((camera.up[2] = 0, camera.up[0] = 2), "camera: its direction and up");
    BAD_GOAL(camera.up[2] = 0, "camera: its direction and up");
    /* The mesh is unchanged. */
    CHECK_EQ(planet_info(ctx, p).triangles, 8);
    camera = sight;
    /* Bad positions of a camera. */
    CHECK_ARG(ctx, bosc_planet_place(ctx, NULL, 0, 0, 0, 0, 0, &camera), "planet");
    CHECK_ARG(ctx, bosc_planet_place(ctx, p, 91, 0, 0, 0, 0, &camera), "latitude");
    CHECK_ARG(ctx, bosc_planet_place(ctx, p, NAN, 0, 0, 0, 0, &camera), "latitude");
    CHECK_ARG(ctx, bosc_planet_place(ctx, p, 0, 361, 0, 0, 0, &camera), "longitude");
    CHECK_ARG(ctx, bosc_planet_place(ctx, p, 0, 0, INFINITY, 0, 0, &camera), "altitude");
    CHECK_ARG(ctx, bosc_planet_place(ctx, p, 0, 0, 0, -361, 0, &camera), "heading");
    CHECK_ARG(ctx, bosc_planet_place(ctx, p, 0, 0, 0, 0, -91, &camera), "pitch");
    CHECK_ARG(ctx, bosc_planet_place(ctx, p, 0, 0, 0, 0, 0, NULL), "camera");
    CHECK(memcmp(&camera, &sight, sizeof camera) == 0);
    bosc_planet_free(p);
}

static void refuses_bad_arrays(bosc_ctx *ctx)
{
    const float heights[4] = {0, 1, 2, 3};
    bosc_planet *p = planet_make(ctx, NULL, heights, 2, 2);
    float out[60];
    double places[60] = {1, 0, 0}, origin[3] = {0, NAN, 0};
    uint32_t triangles[60];
    uint8_t commands[8] = {0};
    int64_t counts[2] = {7, 7};
    bosc_planet_stats stats = {.size = sizeof stats};
    bosc_planet_info info = {.size = sizeof info};
#define MESH(p, o, v, x, n, vs, t, ts, c) bosc_planet_get_mesh(ctx, p, o, v, x, n, vs, t, ts, c)
    /* Meshes: handles, capacities, alignment. */
    CHECK_EQ(bosc_planet_get_mesh(NULL, p, NULL, out, NULL, NULL, 6, NULL, 0, counts), BOSC_ERR_ARG);
    CHECK_ARG(ctx, MESH(NULL, NULL, out, NULL, NULL, 6, NULL, 0, counts), "planet");
    CHECK_ARG(ctx, MESH(p, NULL, out, NULL, NULL, 6, NULL, 0, NULL), "counts");
    CHECK_ARG(ctx, MESH(p, origin, out, NULL, NULL, 6, NULL, 0, counts), "origin");
    CHECK_ARG(ctx, MESH(p, NULL, out, NULL, NULL, -1, NULL, 0, counts), "vertex_capacity");
    CHECK_ARG(ctx, MESH(p, NULL, out, NULL, NULL, INT64_MAX, NULL, 0, counts), "vertex_capacity");
    CHECK_ARG(ctx, MESH(p, NULL, NULL, NULL, NULL, 0, triangles, -1, counts), "triangle_capacity");
    CHECK_ARG(ctx, MESH(p, NULL, (float *)((char *)out + 1), NULL, NULL, 6, NULL, 0, counts), "vertices");
    CHECK_ARG(ctx, MESH(p, NULL, NULL, (double *)((char *)places + 4), NULL, 6, NULL, 0, counts), "positions");
    CHECK_ARG(ctx, MESH(p, NULL, NULL, NULL, (float *)((char *)out + 2), 6, NULL, 0, counts), "normals");
    CHECK_ARG(ctx, MESH(p, NULL, NULL, NULL, NULL, 0, (uint32_t *)((char *)out + 3), 8, counts), "triangles");
    CHECK(counts[0] == 7 && counts[1] == 7);
    /* Capacities one too small, and optional outputs. */
    CHECK_STATUS(ctx, MESH(p, NULL, out, NULL, NULL, 5, NULL, 0, counts), BOSC_ERR_SPACE);
    CHECK(counts[0] == 6 && counts[1] == 8);
    CHECK_STATUS(ctx, MESH(p, NULL, out, NULL, NULL, 6, triangles, 7, counts), BOSC_ERR_SPACE);
    CHECK_OK(ctx, MESH(p, NULL, NULL, NULL, NULL, 0, NULL, 0, counts));
    CHECK_OK(ctx, MESH(p, NULL, NULL, NULL, out, 6, NULL, 0, counts));
    /* Commands and samples. */
    CHECK_ARG(ctx, bosc_planet_update(ctx, NULL, commands, 8), "planet");
    CHECK_ARG(ctx, bosc_planet_update(ctx, p, NULL, 8), "commands");
    CHECK_ARG(ctx, bosc_planet_update(ctx, p, commands, -1), "command_count");
    CHECK_OK(ctx, bosc_planet_update(ctx, p, NULL, 0));
    CHECK_ARG(ctx, bosc_planet_sample(ctx, NULL, places, 1, NULL, places + 3), "planet");
    CHECK_ARG(ctx, bosc_planet_sample(ctx, p, NULL, 1, NULL, places + 3), "directions");
    CHECK_ARG(ctx, bosc_planet_sample(ctx, p, places, -1, NULL, places + 3), "direction_count");
    CHECK_ARG(ctx, bosc_planet_sample(ctx, p, places, 1, (double *)((char *)places + 4), NULL), "heights");
    CHECK_ARG(ctx, bosc_planet_sample(ctx, p, places, 1, NULL, (double *)((char *)places + 4)), "positions");
    CHECK_OK(ctx, bosc_planet_sample(ctx, p, NULL, 0, NULL, NULL));
    /* Measures, info and reserve. */
    CHECK_ARG(ctx, bosc_planet_measure(ctx, NULL, &stats), "planet");
    CHECK_ARG(ctx, bosc_planet_measure(ctx, p, NULL), "stats");
    CHECK_ARG(ctx, bosc_planet_get_info(ctx, NULL, &info), "planet");
    CHECK_ARG(ctx, bosc_planet_get_info(ctx, p, NULL), "info");
    stats.size = info.size = 3;
    CHECK_ARG(ctx, bosc_planet_measure(ctx, p, &stats), "stats: size");
    CHECK_ARG(ctx, bosc_planet_get_info(ctx, p, &info), "info: size");
    CHECK_ARG(ctx, bosc_planet_reserve(ctx, NULL, 2, 2, NULL, 0, 8), "planet");
    CHECK_ARG(ctx, bosc_planet_reserve(ctx, p, 0, 2, NULL, 0, 8), "width");
    CHECK_ARG(ctx, bosc_planet_reserve(ctx, p, 2, 0, NULL, 0, 8), "height");
    CHECK_ARG(ctx, bosc_planet_reserve(ctx, p, 2, 2, NULL, 0, -8), "triangles");
    CHECK_ARG(ctx, bosc_planet_reserve(ctx, p, 2, 2, NULL, 1, 8), "inset_sizes: NULL");
    CHECK_ARG(ctx, bosc_planet_reserve(ctx, p, 2, 2, counts, 65, 8), "inset_count");
    CHECK_ARG(ctx, bosc_planet_reserve(ctx, p, 2, 2, (const int64_t[]){3, -3}, 1, 8), "inset_sizes: 3 x -3");
    CHECK_STATUS(ctx, bosc_planet_reserve(ctx, p, 2, 2, NULL, 0, 1 << 30), BOSC_ERR_LIMIT);
    bosc_planet_free(p);
}

/* A reserve keeps the mesh; after it builds, frames and meshes allocate nothing. The planet outlives its context. */
static void reserved_planets_allocate_nothing(bosc_ctx *like)
{
    enum { W = 20, H = 10, MOST = 4000 };
    float *heights = planet_heights(W, H, 2);
    int64_t live[2] = {0, 0}, kept, counts[2];
    const int64_t *sizes = planet_inset_sizes[0];
    bosc_ctx *ctx = counted_context(like, live);
    const bosc_planet_opts opts = {.size = sizeof opts, .detail_amplitude = 10};
    const bosc_planet_raster raster = {.size = sizeof raster, .heights = heights, .width = W, .height = H};
    bosc_planet *p = planet_make(ctx, &opts, heights, 5, 4);
    bosc_planet_camera camera = {.fov = 1, .pixels = 60, .width = 640, .height = 480};
    bosc_planet_goal goal = {.size = sizeof goal, .triangles = 100};
    /* 1. The mesh before and after the reserve, which takes the reported bytes. */
    CHECK_OK(ctx, bosc_planet_select(ctx, p, &goal));
    struct planet_mesh before = planet_mesh_get(ctx, p, NULL);
    CHECK_OK(ctx, bosc_planet_reserve(ctx, p, W, H, sizes, PLANET_INSETS, MOST));
    struct planet_mesh after = planet_mesh_get(ctx, p, NULL);
    CHECK_EQ(before.counts[0], after.counts[0]);
    CHECK(memcmp(before.positions, after.positions, (size_t)before.counts[0] * 24) == 0);
    planet_mesh_release(&before);
    planet_mesh_release(&after);
    CHECK_OK(ctx, bosc_planet_bytes(ctx, &opts, W, H, sizes, PLANET_INSETS, MOST, &kept, NULL));
    CHECK_EQ(planet_info(ctx, p).bytes, kept);
    /* 2. Another raster with insets, and a descent: no allocation. */
    const int64_t allocations = counted_allocations();
    goal.camera = &camera;
    goal.triangles = 0;
    CHECK_OK(ctx, bosc_planet_build(ctx, p, &raster));
    planet_add_insets(ctx, p);
    CHECK_EQ(counted_allocations(), allocations);
    for (double altitude = 1e7; altitude > 10; altitude /= 20) {
        CHECK_OK(ctx, bosc_planet_place(ctx, p, 40, 60, altitude, 0, -90, &camera));
        CHECK_OK(ctx, bosc_planet_select(ctx, p, &goal));
        CHECK(planet_info(ctx, p).triangles <= MOST);
        CHECK_OK(ctx, bosc_planet_get_mesh(ctx, p, NULL, NULL, NULL, NULL, 0, NULL, 0, counts));
        CHECK_EQ(counted_allocations(), allocations);
    }
    CHECK_EQ(planet_info(ctx, p).bytes, kept);
    /* 3. The planet is usable after its context is freed. */
    bosc_ctx_free(ctx);
    planet_info(like, p);
    bosc_planet_free(p);
    CHECK(live[0] == 0 && live[1] == 0);
    free(heights);
}

/* A reserve for more or fewer insets, larger and smaller ones, keeps the planet's insets. */
static void reserves_keep_insets(bosc_ctx *ctx)
{
    static const int64_t sizes[][2] = {{50, 3}, {3, 3}, {200, 100}};
    float *heights = planet_heights(6, 3, 6);
    const double directions[3][3] = {{0.8, 0.45, 0.3}, {-0.3, 0.01, -0.9}, {-0.3, -0.02, -0.9}};
    double first[3], second[3];
    bosc_planet *p = planet_make(ctx, NULL, heights, 6, 3);
    planet_add_insets(ctx, p);
    const bosc_planet_goal goal = {.size = sizeof goal, .triangles = 500};
    CHECK_OK(ctx, bosc_planet_select(ctx, p, &goal));
    struct planet_mesh before = planet_mesh_get(ctx, p, NULL);
    CHECK_OK(ctx, bosc_planet_sample(ctx, p, directions[0], 3, first, NULL));
    /* The third one is larger than all before. */
    for (int count = 1; count <= 3; count++) {
        const int64_t bytes = planet_info(ctx, p).bytes;
        CHECK_OK(ctx, bosc_planet_reserve(ctx, p, 6, 3, sizes[3 - count], count, 8));
        CHECK(planet_info(ctx, p).bytes > bytes);
        CHECK_OK(ctx, bosc_planet_reserve(ctx, p, 6, 3, planet_inset_sizes[0], PLANET_INSETS, 8));
        CHECK_OK(ctx, bosc_planet_sample(ctx, p, directions[0], 3, second, NULL));
        CHECK(memcmp(first, second, sizeof first) == 0);
        CHECK_OK(ctx, bosc_planet_select(ctx, p, &goal));
        struct planet_mesh after = planet_mesh_get(ctx, p, NULL);
        CHECK_EQ(before.counts[0], after.counts[0]);
        CHECK(memcmp(before.positions, after.positions, (size_t)before.counts[0] * 24) == 0);
        planet_mesh_release(&after);
    }
    planet_mesh_release(&before);
    bosc_planet_free(p);
    free(heights);
}

/* Meshes and samples only queue, and are recorded. */
struct recorded {
    bosc_planet *planet;
    struct array positions, triangles, directions, heights;
};

static void calls(bosc_ctx *ctx, void *user)
{
    struct recorded *r = user;
    int64_t counts[2];
    CHECK_OK(ctx, bosc_planet_get_mesh(ctx, r->planet, NULL, NULL, r->positions.p, NULL, 6, r->triangles.p, 8, counts));
    CHECK_OK(ctx, bosc_planet_sample(ctx, r->planet, r->directions.p, 1, r->heights.p, NULL));
}

static void queues(bosc_ctx *ctx)
{
    const float heights[4] = {5, 5, 5, 5};
    double zeros[18] = {0}, direction[3] = {0, 3, 0};
    uint32_t triangles[24] = {0};
    struct recorded r = {.planet = planet_make(ctx, NULL, heights, 2, 2),
                         .positions = array_make(ctx, zeros, sizeof zeros, true),
                         .triangles = array_make(ctx, triangles, sizeof triangles, true),
                         .directions = array_make(ctx, direction, sizeof direction, true),
                         .heights = array_make(ctx, zeros, 8, true)};
    struct capture c;
    capture_open(&c, ctx, calls, &r);
    capture_replay(&c);
    memcpy(zeros, array_get(ctx, &r.positions), sizeof zeros);
    memcpy(triangles, array_get(ctx, &r.triangles), sizeof triangles);
    memcpy(direction, array_get(ctx, &r.heights), 8);
    CHECK(reference_mesh_is_sphere(triangles, 8, 6) && direction[0] == 5);
    for (int v = 0; v < 6; v++) CHECK(fabs(zeros[3 * v]) + fabs(zeros[3 * v + 1]) + fabs(zeros[3 * v + 2]) == 6371005);
    capture_close(&c);
    array_free(ctx, &r.positions);
    array_free(ctx, &r.triangles);
    array_free(ctx, &r.directions);
    array_free(ctx, &r.heights);
    bosc_planet_free(r.planet);
}

static const struct suite_case suite_cases_planet_args[] = {{"create", refuses_bad_options, NULL},
                                                            {"build", refuses_bad_rasters, NULL},
                                                            {"goals", refuses_bad_goals, NULL},
                                                            {"arrays", refuses_bad_arrays, NULL},
                                                            {"reserved", reserved_planets_allocate_nothing, NULL},
                                                            {"reserves keep insets", reserves_keep_insets, NULL},
                                                            {"queues", queues, NULL}};
SUITE(planet_args);
