/* Planets: a descent from orbit to the ground, random commands, bounds, budgets, all kinds of rasters. */
#include "cases/planet/planet_data.h"

enum { W = 24, H = 12 };

static bosc_planet_camera viewport(double pixels)
{
    const bosc_planet_camera camera = {.fov = 1, .pixels = pixels, .width = 640, .height = 480};
    return camera;
}

static struct reference_planet reference_of(const float *heights, int64_t width, int64_t height)
{
    const struct reference_planet p = {.heights = heights, .width = width, .height = height, .radius = 6371000};
    return p;
}

/* Descends from orbit to a metre above the ground, and leaves until only the octahedron remains. */
static void descend_to(bosc_ctx *ctx, double latitude, double longitude, bool cull)
{
    float *heights = planet_heights(W, H, 3);
    const struct reference_planet plain = reference_of(heights, W, H);
    bosc_planet *planet = planet_make(ctx, NULL, heights, W, H);
    bosc_planet_camera camera = viewport(suite_slow(ctx) ? 24 : 8);
    const bosc_planet_goal goal = {.size = sizeof goal, .camera = &camera, .hysteresis = 0.1};
    int32_t deepest = 0;
    camera.cull = cull;
    for (double altitude = 1e7; altitude > 0.5; altitude /= suite_slow(ctx) ? 46.5 : 10) {
        CHECK_OK(ctx, bosc_planet_place(ctx, planet, latitude, longitude, altitude, 30, -60, &camera));
        CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
        planet_check(ctx, planet, &plain, camera.position);
        const bosc_planet_info info = planet_info(ctx, planet);
        CHECK(info.triangles < 20000 && info.deepest >= deepest);
        deepest = info.deepest;
    }
    CHECK(deepest > 20);
    CHECK_OK(ctx, bosc_planet_place(ctx, planet, latitude, longitude, 1e15, 0, -90, &camera));
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
    CHECK_EQ(planet_info(ctx, planet).triangles, 8);
    planet_check(ctx, planet, &plain, NULL);
    bosc_planet_free(planet);
    free(heights);
}

static void descent_matches_reference(bosc_ctx *ctx)
{
    static const double places[][2] = {{47.3, 8.5}, {90, 0}, {-12, 180}, {0, 90}, {-90, 77}, {35.26, -135}};
    for (int i = 0; i < 6; i++)
        if (!suite_leaves_out()) descend_to(ctx, places[i][0], places[i][1], i % 2 == 1);
}

/* A mountain behind the horizon does not refine distant triangles. */
static void horizon(bosc_ctx *ctx)
{
    float *heights = planet_heights(W, H, 5);
    bosc_planet *planet = planet_make(ctx, NULL, heights, W, H);
    bosc_planet_camera camera = viewport(4);
    const bosc_planet_goal goal = {.size = sizeof goal, .camera = &camera};
    CHECK_OK(ctx, bosc_planet_place(ctx, planet, 0, 0, 3e6, 0, -90, &camera));
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
    struct planet_mesh m = planet_mesh_get(ctx, planet, NULL);
    int64_t far = 0, near = 0;
    for (int64_t v = 0; v < m.counts[0]; v++) {
        far += m.positions[3 * v] < 0;
        near += m.positions[3 * v] > 3e6;
    }
    CHECK(4 * far < near);
    planet_mesh_release(&m);
    bosc_planet_free(planet);
    free(heights);
}

/* A peak behind the horizon of the sea is refined if it rises above it, and a farther one is not. */
static void peaks(bosc_ctx *ctx)
{
    enum { WIDE = 72, HIGH = 36 };
    for (int degrees = 40; degrees <= 60; degrees += 20) {
        float heights[HIGH][WIDE] = {{0}};
        for (int r = 16; r < 20; r++)
            for (int c = 0; c < 2; c++) heights[r][(180 + degrees) / 5 + c] = 300000;
        bosc_planet *planet = planet_make(ctx, NULL, heights[0], WIDE, HIGH);
        bosc_planet_camera camera = viewport(8);
        const bosc_planet_goal goal = {.size = sizeof goal, .camera = &camera, .error = 20000};
        CHECK_OK(ctx, bosc_planet_place(ctx, planet, 0, 0, 1e6, 0, -90, &camera)); /* horizon 30, peaks to 47 degrees */
        CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
        struct planet_mesh m = planet_mesh_get(ctx, planet, NULL);
        int64_t high = 0;
        for (int64_t v = 0; v < m.counts[0]; v++) {
            const double *p = m.positions + 3 * v;
            high += sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) > 6.5e6;
        }
        CHECK(degrees == 40 ? high > 20 : high < 20);
        planet_mesh_release(&m);
        bosc_planet_free(planet);
    }
}

static void random_commands_match_reference(bosc_ctx *ctx)
{
    float *heights = planet_heights(W, H, 4);
    const struct reference_planet plain = reference_of(heights, W, H);
    for (int trial = 0; trial < 8; trial++) {
        if (suite_leaves_out()) continue;
        struct suite_random r = {(uint64_t)trial};
        const bosc_planet_opts opts = {.size = sizeof opts, .depth = trial % 2 ? 7 : 0};
        bosc_planet *planet = planet_make(ctx, &opts, heights, W, H);
        for (int round = 0; round < 10; round++) {
            const int64_t n = planet_info(ctx, planet).triangles;
            uint8_t *commands = suite_alloc((size_t)n);
            const bool calm = n > (suite_slow(ctx) ? 100 : 500);
            for (int64_t t = 0; t < n; t++)
                commands[t] = (uint8_t)(calm ? 2 * (suite_below(&r, 4) != 0) : suite_below(&r, round < 3 ? 2 : 3));
            CHECK_OK(ctx, bosc_planet_update(ctx, planet, commands, n));
            planet_check(ctx, planet, &plain, NULL);
            free(commands);
        }
        for (int64_t n = 0; (n = planet_info(ctx, planet).triangles) > 8;) { /* back to the roots */
            uint8_t *commands = suite_alloc((size_t)n);
            memset(commands, BOSC_BISECTOR_MERGE, (size_t)n);
            CHECK_OK(ctx, bosc_planet_update(ctx, planet, commands, n));
            CHECK(planet_info(ctx, planet).triangles < n);
            free(commands);
        }
        planet_check(ctx, planet, &plain, NULL);
        bosc_planet_free(planet);
    }
    free(heights);
}

/* A goal's mesh does not depend on the previous one; its bound holds for each sample; more triangles are closer. */
static void bounds_and_budgets_hold(bosc_ctx *ctx)
{
    float *heights = planet_heights(W, H, 7);
    const struct reference_planet plain = reference_of(heights, W, H);
    bosc_planet *planet = planet_make(ctx, NULL, heights, W, H);
    double before = INFINITY;
    /* 1. Falling bounds: each holds, and equals the error found by the reference. */
    for (double error = 1e6; error > (suite_slow(ctx) ? 20000 : 3000); error /= 7) {
        const bosc_planet_goal goal = {.size = sizeof goal, .error = error};
        bosc_planet_stats stats = {.size = sizeof stats};
        CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
        CHECK_OK(ctx, bosc_planet_measure(ctx, planet, &stats));
        struct planet_mesh m = planet_mesh_get(ctx, planet, NULL);
        const double plainly = (double)reference_planet_error(&plain, m.positions, m.triangles, m.counts[1]);
        CHECK(stats.max_error <= error && stats.max_error < before);
        CHECK(fabs(stats.max_error - plainly) <= 1e-6 * plainly + 1e-3);
        before = stats.max_error;
        /* 2. Half of the triangles as a budget: at least a third of it is used. */
        const bosc_planet_goal half = {.size = sizeof half, .triangles = m.counts[1] / 2};
        CHECK_OK(ctx, bosc_planet_select(ctx, planet, &half));
        const int64_t found = planet_info(ctx, planet).triangles;
        CHECK(found <= (half.triangles > 8 ? half.triangles : 8) && (found > half.triangles / 3));
        planet_check(ctx, planet, &plain, NULL);
        planet_mesh_release(&m);
    }
    /* 3. Uniform levels, and the octahedron for the coarsest goals. */
    const bosc_planet_goal any = {.size = sizeof any, .error = INFINITY}, few = {.size = sizeof few, .triangles = 1},
                           level = {.size = sizeof level, .error = 1e-3, .level = 4};
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &level));
    CHECK_EQ(planet_info(ctx, planet).triangles, 8 << 4);
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &few));
    CHECK_EQ(planet_info(ctx, planet).triangles, 8);
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &level));
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &any));
    CHECK_EQ(planet_info(ctx, planet).triangles, 8);
    bosc_planet_free(planet);
    free(heights);
}

/* Heights at a pole differ from those of its row, and are the row's at the other: the mesh of the raster with its rows
 * reversed has as many triangles. */
static void poles_mirror(bosc_ctx *ctx)
{
    enum { WIDE = 64, HIGH = 32 };
    static float heights[2][HIGH][WIDE];
    int64_t triangles[2], before = 0;
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < WIDE; x++)
            heights[0][y][x] = heights[1][HIGH - 1 - y][x] = y > 0 || x < WIDE / 2 ? 200000 : -200000;
    for (double error = 160000; error > (suite_slow(ctx) ? 20000 : 5000); error /= 2) {
        for (int k = 0; k < 2; k++) {
            bosc_planet *planet = planet_make(ctx, NULL, heights[k][0], WIDE, HIGH);
            const bosc_planet_goal goal = {.size = sizeof goal, .error = error};
            CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
            triangles[k] = planet_info(ctx, planet).triangles;
            bosc_planet_free(planet);
        }
        CHECK_EQ(triangles[0], triangles[1]);
        CHECK(triangles[0] >= before);
        before = triangles[0];
    }
}

/* A single sample of land in the sea is found from afar. */
static void single_sample_is_refined(bosc_ctx *ctx)
{
    enum { WIDE = 256, HIGH = 128 };
    for (int trial = 0; trial < 6; trial++) {
        if (suite_leaves_out()) continue;
        struct suite_random r = {(uint64_t)trial};
        /* The first trials are at the poles and at the border of the raster. */
        float *heights = calloc(WIDE * HIGH, sizeof *heights);
        CHECK(heights != NULL);
        const int64_t row = trial == 0   ? 0
                            : trial == 1 ? HIGH - 1
                                         : (int64_t)suite_below(&r, HIGH),
                      column = trial == 2   ? 0
                               : trial == 3 ? WIDE - 1
                                            : (int64_t)suite_below(&r, WIDE);
        heights[row * WIDE + column] = 300000;
        bosc_planet *planet = planet_make(ctx, NULL, heights, WIDE, HIGH);
        /* A pole's sample covers a whole row, so its bound is larger. */
        const bosc_planet_goal goal = {.size = sizeof goal, .error = row == 0 || row == HIGH - 1 ? 200000 : 60000};
        bosc_planet_stats stats = {.size = sizeof stats};
        CHECK_OK(ctx, bosc_planet_measure(ctx, planet, &stats));
        CHECK(stats.max_error > 1e6);
        /* The goal refines just around it. */
        CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
        CHECK_OK(ctx, bosc_planet_measure(ctx, planet, &stats));
        CHECK(stats.max_error <= goal.error);
        const bosc_planet_info info = planet_info(ctx, planet);
        CHECK(info.low == 0 && info.high == 300000 && info.deepest > 12 && info.triangles < 20000);
        bosc_planet_free(planet);
        free(heights);
    }
}

/* Heights in random directions, against the reference. */
static void check_heights(bosc_ctx *ctx, const bosc_planet *planet, const struct reference_planet *plain)
{
    enum { N = 96 };
    struct suite_random r = {9};
    double directions[N][3], heights[N], positions[N][3];
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < 3; c++) directions[i][c] = suite_unit(&r) - 0.5;
        if (i % 8 == 1) directions[i][1] = 0; /* the first meridian, the antimeridian */
        if (i % 8 == 2) directions[i][i / 8 % 2] = i < 48 ? 0.0 : -0.0;
        if (i % 8 == 3) directions[i][0] *= 1e-9, directions[i][1] *= 1e-9; /* beside a pole */
        if (i % 8 == 4) directions[i][0] = directions[i][1] = i < 48 ? 0.0 : -0.0;
        if (i % 8 == 5) directions[i][2] = 0;
        if (i % 8 == 6)
            for (int c = 0; c < 3; c++) directions[i][c] *= i < 48 ? 1e100 : 1e-100;
    }
    CHECK_OK(ctx, bosc_planet_sample(ctx, planet, directions[0], N, heights, positions[0]));
    for (int i = 0; i < N; i++) {
        const long double d[3] = {directions[i][0], directions[i][1], directions[i][2]},
                          length = sqrtl(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        const long double height = reference_planet_height(plain, d);
        if (fabsl(height - heights[i]) > 1e-7L)
            suite_fail(__FILE__, __LINE__, "direction %d: %g, not %Lg", i, heights[i], height);
        for (int c = 0; c < 3; c++)
            CHECK(fabsl(positions[i][c] - d[c] / length * (plain->radius + height)) < 1e-10L * plain->radius);
    }
    const double bad[][3] = {{0, 0, 0}, {NAN, 1, 1}, {1, INFINITY, 0}, {1e-300, 0, 0}, {0, 1e200, 0}};
    CHECK_OK(ctx, bosc_planet_sample(ctx, planet, bad[0], 5, heights, positions[0]));
    for (int i = 0; i < 5; i++) CHECK(heights[i] != heights[i] && positions[i][0] != positions[i][0]);
    CHECK_OK(ctx, bosc_planet_sample(ctx, planet, bad[0], 5, NULL, positions[0]));
    CHECK_OK(ctx, bosc_planet_sample(ctx, planet, bad[0], 5, heights, NULL));
}

static void rasters(bosc_ctx *ctx)
{
    static const int64_t sizes[][2] = {{1, 1}, {2, 1}, {1, 2}, {3, 2}, {W, H}, {9, 17}, {65, 33}, {1, 40}, {40, 1}};
    for (int i = 0; i < 9; i++) {
        const int64_t w = sizes[i][0], h = sizes[i][1];
        float *heights = planet_heights(w, h, 11);
        const struct reference_planet plain = reference_of(heights, w, h);
        bosc_planet *planet = planet_make(ctx, NULL, heights, w, h);
        const bosc_planet_goal goal = {.size = sizeof goal, .triangles = suite_slow(ctx) ? 60 : 400};
        CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
        planet_check(ctx, planet, &plain, NULL);
        check_heights(ctx, planet, &plain);
        bosc_planet_free(planet);
        free(heights);
    }
}

/* The same raster as integers of 16 bits, in longer rows. */
static void integer_rasters(bosc_ctx *ctx)
{
    float *heights = planet_heights(W, H, 12);
    /* Both integer types represent exactly the heights of the float raster. */
    uint16_t above[H][W + 3] = {{0}};
    int16_t around[H][W + 3] = {{0}};
    for (int r = 0; r < H; r++)
        for (int c = 0; c < W; c++) {
            above[r][c] = (uint16_t)(heights[r * W + c] / 2 + 100);
            around[r][c] = (int16_t)(above[r][c] - 300);
            heights[r * W + c] = 2.0F * above[r][c] - 200;
        }
    const struct reference_planet plain = reference_of(heights, W, H);
    bosc_planet_raster raster = {.size = sizeof raster, .heights = above, .width = W, .height = H, .stride = W + 3};
    bosc_planet *planet = NULL;
    CHECK_OK(ctx, bosc_planet_create(ctx, NULL, &planet));
    /* Unsigned, then signed. */
    raster.dtype = BOSC_U16;
    raster.scale = 2;
    raster.offset = -200;
    CHECK_OK(ctx, bosc_planet_build(ctx, planet, &raster));
    check_heights(ctx, planet, &plain);
    raster.heights = around;
    raster.dtype = BOSC_I16;
    raster.offset = 400;
    CHECK_OK(ctx, bosc_planet_build(ctx, planet, &raster));
    check_heights(ctx, planet, &plain);
    bosc_planet_free(planet);
    free(heights);
}

static void detail(bosc_ctx *ctx)
{
    enum { ENTRIES = 4096 };
    float *heights = planet_heights(W, H, 13);
    uint32_t *bits = suite_alloc(4 * ENTRIES * sizeof *bits);
    struct reference_planet plain = reference_of(heights, W, H);
    const bosc_planet_opts opts = {
        .size = sizeof opts, .detail_octaves = 6, .detail_amplitude = 900, .detail_wavelength = 1e6, .detail_seed = 77};
    CHECK_OK(ctx, bosc_random_bits(ctx, 77, 0xb05ca9e0e1a70000ull, 4 * ENTRIES, bits));
    plain.bits = bits;
    plain.amplitude = 900;
    plain.wavelength = 1e6;
    plain.octaves = 6;
    bosc_planet *planet = planet_make(ctx, &opts, heights, W, H);
    const bosc_planet_goal goal = {.size = sizeof goal, .triangles = suite_slow(ctx) ? 60 : 1000};
    check_heights(ctx, planet, &plain);
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
    planet_check(ctx, planet, &plain, NULL);
    bosc_planet_free(planet);
    free(heights);
    free(bits);
}

/* The mesh and heights of a camera's goal have the bits of one baseline thread. Vertices equal the samples in their
 * direction, to the bit, however the mesh was made. */
static void same_bits(bosc_ctx *ctx)
{
    const bosc_ctx_opts plainest = {
        .size = sizeof plainest, .backend = BOSC_BACKEND_CPU, .threads = 1, .cpu_level = BOSC_CPU_V1};
    const bosc_planet_opts opts = {.size = sizeof opts, .detail_amplitude = 50};
    float *heights = planet_heights(W, H, 15);
    bosc_ctx *contexts[2] = {ctx, suite_open(&plainest)};
    struct planet_mesh m[2];
    for (int k = 0; k < 2; k++) {
        bosc_planet_camera camera = viewport(suite_slow(ctx) ? 60 : 12);
        const bosc_planet_goal goal = {.size = sizeof goal, .camera = &camera};
        bosc_planet *planet = planet_make(contexts[k], &opts, heights, W, H);
        for (double altitude = 1e7; altitude > 100; altitude /= 30) {
            CHECK_OK(contexts[k], bosc_planet_place(contexts[k], planet, 20, -100, altitude, 10, -80, &camera));
            CHECK_OK(contexts[k], bosc_planet_select(contexts[k], planet, &goal));
        }
        m[k] = planet_mesh_get(contexts[k], planet, camera.position);
        const size_t n = (size_t)m[k].counts[0] * 3 * sizeof(double);
        double *again = suite_alloc(n);
        CHECK_OK(contexts[k], bosc_planet_sample(contexts[k], planet, m[k].positions, m[k].counts[0], NULL, again));
        for (int64_t v = 0; v < 3 * m[k].counts[0]; v++) /* directions were rounded */
            CHECK(fabs(again[v] - m[k].positions[v]) < 1e-6);
        free(again);
        bosc_planet_free(planet);
    }
    CHECK(memcmp(m[0].counts, m[1].counts, sizeof m[0].counts) == 0);
    const size_t v = (size_t)m[0].counts[0] * 3, t = (size_t)m[0].counts[1] * 3;
    CHECK(memcmp(m[0].positions, m[1].positions, v * sizeof(double)) == 0);
    CHECK(memcmp(m[0].vertices, m[1].vertices, v * sizeof(float)) == 0);
    CHECK(memcmp(m[0].normals, m[1].normals, v * sizeof(float)) == 0);
    CHECK(memcmp(m[0].triangles, m[1].triangles, t * sizeof(uint32_t)) == 0);
    planet_mesh_release(&m[0]);
    planet_mesh_release(&m[1]);
    bosc_ctx_free(contexts[1]);
    free(heights);
}

/* Between frames meshes change little: repeated single passes end at the same mesh as passes until nothing changes. */
static void by_passes(bosc_ctx *ctx)
{
    float *heights = planet_heights(W, H, 16);
    bosc_planet *planets[2] = {planet_make(ctx, NULL, heights, W, H), planet_make(ctx, NULL, heights, W, H)};
    bosc_planet_camera camera = viewport(16);
    bosc_planet_goal goal = {.size = sizeof goal, .camera = &camera};
    for (int frame = 0; frame < 3; frame++) {
        CHECK_OK(ctx, bosc_planet_place(ctx, planets[0], 10, 10 * frame, 1e6 / (frame + 1), 0, -90, &camera));
        goal.passes = 0;
        CHECK_OK(ctx, bosc_planet_select(ctx, planets[0], &goal));
        goal.passes = 1;
        for (int pass = 0; pass < 40; pass++) CHECK_OK(ctx, bosc_planet_select(ctx, planets[1], &goal));
        struct planet_mesh a = planet_mesh_get(ctx, planets[0], NULL), b = planet_mesh_get(ctx, planets[1], NULL);
        CHECK_EQ(a.counts[0], b.counts[0]);
        CHECK(memcmp(a.positions, b.positions, (size_t)a.counts[0] * 24) == 0);
        planet_mesh_release(&a);
        planet_mesh_release(&b);
    }
    bosc_planet_free(planets[0]);
    bosc_planet_free(planets[1]);
    free(heights);
}

/* Each array alone equals that of all arrays together. */
static void arrays_alone(bosc_ctx *ctx)
{
    float *heights = planet_heights(W, H, 23);
    bosc_planet *planet = planet_make(ctx, NULL, heights, W, H);
    const bosc_planet_goal goal = {.size = sizeof goal, .triangles = 300};
    const double origin[3] = {6e6, -1e6, 2e6};
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
    struct planet_mesh all = planet_mesh_get(ctx, planet, origin), one = planet_mesh_get(ctx, planet, NULL);
    const int64_t vertices = all.counts[0], triangles = all.counts[1];
    const size_t v = 3 * (size_t)vertices, t = 3 * (size_t)triangles;
    memset(one.normals, 0, v * sizeof *one.normals);
    CHECK_OK(ctx, bosc_planet_get_mesh(ctx, planet, origin, one.vertices, NULL, NULL, vertices, NULL, 0, one.counts));
    CHECK(memcmp(one.vertices, all.vertices, v * sizeof *all.vertices) == 0);
    CHECK_OK(ctx, bosc_planet_get_mesh(ctx, planet, NULL, NULL, NULL, one.normals, vertices, NULL, 0, one.counts));
    CHECK(memcmp(one.normals, all.normals, v * sizeof *all.normals) == 0);
    memset(one.positions, 0, v * sizeof *one.positions);
    CHECK_OK(ctx, bosc_planet_get_mesh(ctx, planet, NULL, NULL, one.positions, NULL, vertices, NULL, 0, one.counts));
    CHECK(memcmp(one.positions, all.positions, v * sizeof *all.positions) == 0);
    memset(one.triangles, 0, t * sizeof *one.triangles);
    CHECK_OK(ctx, bosc_planet_get_mesh(ctx, planet, NULL, NULL, NULL, NULL, 0, one.triangles, triangles, one.counts));
    CHECK(memcmp(one.triangles, all.triangles, t * sizeof *all.triangles) == 0);
    planet_mesh_release(&all);
    planet_mesh_release(&one);
    bosc_planet_free(planet);
    free(heights);
}

static const struct suite_case suite_cases_planet[] = {
    {"descent", descent_matches_reference, NULL},
    {"horizon", horizon, NULL},
    {"peaks", peaks, NULL},
    {"storms", random_commands_match_reference, NULL},
    {"bounds", bounds_and_budgets_hold, NULL},
    {"island", single_sample_is_refined, NULL},
    {"poles", poles_mirror, NULL},
    {"rasters", rasters, NULL},
    {"types", integer_rasters, NULL},
    {"detail", detail, NULL},
    {"same_bits", same_bits, NULL},
    {"by_passes", by_passes, NULL},
    {"arrays_alone", arrays_alone, NULL},
};
SUITE(planet);
