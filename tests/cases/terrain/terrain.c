/* Meshes of rasters have no cracks, whatever was done to them, and are as close to the samples as requested. */
#include "cases/terrain/terrain_data.h"

#include "terrain/terrain.h"

static const int64_t shapes[][2] = {{2, 2},   {3, 3},   {3, 5},   {5, 3},   {4, 4},  {5, 5},   {2, 40},
                                    {40, 2},  {9, 9},   {16, 16}, {17, 9},  {7, 31}, {33, 33}, {20, 19},
                                    {64, 17}, {3, 200}, {90, 3},  {38, 50}, {65, 65}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Bounds of all sizes: no cracks, and the samples are within them. */
static void bounds_hold(bosc_ctx *ctx)
{
    for (int k = 0; k < SHAPES * RELIEFS; k++) {
        int64_t w = shapes[k / RELIEFS][0], h = shapes[k / RELIEFS][1], before = INT64_MAX;
        if (suite_leaves_out() || (suite_slow(ctx) && w * h > 400)) continue;
        if (w * h > 300 && (k % RELIEFS) != (k / RELIEFS) % RELIEFS) continue; /* one relief for each large raster */
        float *heights = terrain_heights((enum relief)(k % RELIEFS), w, h, (uint64_t)k);
        bosc_terrain *terrain = terrain_make(ctx, heights, w, h, false);
        terrain_check(ctx, terrain);
        for (double error = 0; error < 2000; error = 4 * error + 0.5) {
            bosc_terrain_goal goal = {.size = sizeof goal, .error = error};
            bosc_terrain_stats stats = {.size = sizeof stats};
            CHECK_OK(ctx, bosc_terrain_select(ctx, terrain, &goal));
            terrain_check(ctx, terrain);
            struct reference_terrain t = terrain_mesh(ctx, terrain);
            double found = reference_terrain_error(&t, heights);
            CHECK_OK(ctx, bosc_terrain_measure(ctx, terrain, &stats));
            CHECK(found <= error + 1e-9);
            CHECK(fabs(stats.max_error - found) < 1e-4 && stats.max_error <= error);
            CHECK_EQ(stats.leaves, t.n);
            CHECK(stats.triangles <= before);
            before = stats.triangles;
            terrain_mesh_free(&t);
        }
        free(heights);
        bosc_terrain_free(terrain);
    }
}

static void random_commands_leave_no_cracks(bosc_ctx *ctx)
{
    for (int k = 0; k < 2 * SHAPES; k++) {
        int64_t w = shapes[k / 2][0], h = shapes[k / 2][1];
        bool half = k % 2 == 1;
        if (suite_leaves_out() || (half && (w != h || ((w - 1) & (w - 2)) != 0))) continue;
        if (suite_slow(ctx) && w * h > 400) continue;
        struct suite_random r = {(uint64_t)k};
        float *heights = terrain_heights(FLAT, w, h, 0);
        bosc_terrain *terrain = terrain_make(ctx, heights, w, h, half);
        for (int round = 0; round < (w * h > 300 ? 10 : 20); round++) {
            int64_t n = terrain_leaves(ctx, terrain);
            uint8_t *commands = suite_alloc((size_t)n);
            uint64_t of = 1 + suite_below(&r, 9), splits = round % 5 == 4 ? 0 : round % 5 == 3 ? 1 : 2;
            for (int64_t l = 0; l < n; l++) commands[l] = suite_below(&r, of) ? 0 : suite_below(&r, 3) < splits ? 1 : 2;
            CHECK_OK(ctx, bosc_terrain_update(ctx, terrain, commands, n));
            terrain_check(ctx, terrain);
            free(commands);
        }
        free(heights);
        bosc_terrain_free(terrain);
    }
}

/* The meshes of a raster in this context and on the CPU have the same leaves. */
static void same_leaves(bosc_ctx *ctx, bosc_ctx *cpu, const float *heights, int64_t w, int64_t h)
{
    bosc_terrain *here = terrain_make(ctx, heights, w, h, false), *there = terrain_make(cpu, heights, w, h, false);
    for (double error = 0; error < 1000; error = 6 * error + 5) {
        bosc_terrain_goal goal = {.size = sizeof goal, .error = error};
        CHECK_OK(ctx, bosc_terrain_select(ctx, here, &goal));
        CHECK_OK(cpu, bosc_terrain_select(cpu, there, &goal));
        struct reference_terrain a = terrain_mesh(ctx, here), b = terrain_mesh(cpu, there);
        CHECK_EQ(a.n, b.n);
        CHECK(memcmp(a.corners, b.corners, (size_t)a.n * 24) == 0);
        terrain_mesh_free(&a);
        terrain_mesh_free(&b);
    }
    bosc_terrain_free(here);
    bosc_terrain_free(there);
}

/* Rasters with triangles of all sizes, whole and shifted. */
static void same_leaves_as_cpu(bosc_ctx *ctx)
{
    static const int64_t sides[][2] = {{129, 129}, {131, 70}, {68, 34}, {2, 66}, {36, 132}, {65, 257}, {300, 67}};
    enum { ALL = sizeof sides / sizeof sides[0] };
    bosc_ctx *cpu = suite_open(&(bosc_ctx_opts){.size = sizeof(bosc_ctx_opts), .threads = 1});
    for (int k = 0; k < (suite_slow(ctx) ? 5 : ALL); k++) {
        int64_t w = sides[k][0], h = sides[k][1];
        float *heights = terrain_heights(k % 2 ? HILLS : ROUGH, w, h, 8);
        same_leaves(ctx, cpu, heights, w, h);
        free(heights);
    }
    bosc_ctx_free(cpu);
}

/* The stored errors of all diamonds; the caller frees them. */
static uint32_t *read_errors(bosc_ctx *ctx, const bosc_terrain *terrain)
{
    const size_t bytes = (size_t)bi_terrain_slots(&terrain->grid) * sizeof(uint32_t);
    uint32_t *errors = suite_alloc(bytes);
    CHECK_OK(ctx, bosc_ctx_copy(ctx, errors, terrain->errors.data, bytes));
    return errors;
}

/* The error grows towards the last column or the last corner, in rasters that end within a triangle. */
static void errors_at_the_end(bosc_ctx *ctx)
{
    enum { SIZES = 20 };
    bosc_ctx *cpu = suite_open(&(bosc_ctx_opts){.size = sizeof(bosc_ctx_opts), .threads = 1});
    for (int k = 0; k < 2 * SIZES; k++) {
        struct suite_random r = {(uint64_t)k};
        const bool first = k < 8; /* a chunk of a diamond's row begins with the last column */
        const bool whole = k % 3 != 0;
        const int64_t w = first   ? 65 + 64 * (k / 2 % 2)
                          : whole ? 33 + 32 * (int64_t)suite_below(&r, 4)
                                  : 34 + (int64_t)suite_below(&r, 100),
                      h = first ? 101 + 13 * (k / 4) : 34 + (int64_t)suite_below(&r, 100);
        if (!first && suite_leaves_out()) continue;
        float *heights = suite_alloc((size_t)(w * h) * sizeof *heights);
        for (int64_t i = 0; i < w * h; i++) {
            const double x = (double)(i % w) / (double)(w - 1), y = (double)(i / w) / (double)(h - 1);
            heights[i] = (float)(k % 2 ? 100 * x * x * x * y * y * y : i % w == w - 1 ? 100 * y * y * y : 0);
        }
        bosc_terrain *here = terrain_make(ctx, heights, w, h, false), *there = terrain_make(cpu, heights, w, h, false);
        uint32_t *found = read_errors(ctx, here), *want = read_errors(cpu, there);
        for (int64_t i = 0; i < bi_terrain_slots(&here->grid); i++) CHECK_EQ(found[i], want[i]);
        free(found);
        free(want);
        free(heights);
        bosc_terrain_free(here);
        bosc_terrain_free(there);
    }
    bosc_ctx_free(cpu);
}

/* In planes through a height of 2^100 other heights are rounded away, so the two triangles at an edge differ in their
 * distance to its samples. The error must include the part cut off by the border. */
static void cliffs(bosc_ctx *ctx)
{
    static const int64_t sides[][2] = {{34, 36}, {35, 34}, {66, 35}};
    bosc_ctx *cpu = suite_open(&(bosc_ctx_opts){.size = sizeof(bosc_ctx_opts), .threads = 1});
    for (int k = 0; k < 6; k++) {
        int64_t w = sides[k / 2][0], h = sides[k / 2][1];
        float *heights = terrain_heights(ROUGH, w, h, 8);
        if (k % 2)
            for (int64_t x = 0; x < w; x++) heights[(h - 1) * w + x] = 0x1p100f;
        else
            for (int64_t y = 0; y < h; y++) heights[y * w + w - 1] = 0x1p100f;
        same_leaves(ctx, cpu, heights, w, h);
        free(heights);
    }
    bosc_ctx_free(cpu);
}

/* A distance that no float represents: the stored error is not below it. */
static void rounded_errors(bosc_ctx *ctx)
{
    float low = -0x1p-31f, heights[9] = {low, low, low, low, 1, low, low, low, low};
    bosc_terrain *terrain = terrain_make(ctx, heights, 3, 3, false);
    bosc_terrain_goal goal = {.size = sizeof goal, .error = 1};
    CHECK_OK(ctx, bosc_terrain_select(ctx, terrain, &goal));
    struct reference_terrain t = terrain_mesh(ctx, terrain);
    CHECK(reference_terrain_error(&t, heights) <= goal.error);
    terrain_mesh_free(&t);
    bosc_terrain_free(terrain);
}

/* A raster leaves no trace in the next one in the same handle. */
static void another(bosc_ctx *ctx)
{
    for (int k = 0; k < SHAPES; k++) {
        int64_t w = shapes[k][0], h = shapes[k][1], side = w > h ? w : h;
        if (suite_leaves_out() || side > 65) continue;
        float *first = terrain_heights(ROUGH, side, side, 1), *second = terrain_heights(RAMP, w, h, 1);
        bosc_terrain_goal goal = {.size = sizeof goal, .error = 0.5};
        bosc_terrain *terrain = terrain_make(ctx, first, side, side, false);
        CHECK_OK(ctx, bosc_terrain_build(ctx, terrain, second, w, h, w));
        int64_t coarsest = terrain_leaves(ctx, terrain);
        CHECK_OK(ctx, bosc_terrain_select(ctx, terrain, &goal));
        CHECK_EQ(terrain_leaves(ctx, terrain), coarsest);
        bosc_terrain_free(terrain);
        free(first);
        free(second);
    }
}

static uint64_t sum_of(const void *bytes, size_t count, uint64_t sum)
{
    for (size_t i = 0; i < count; i++) sum = (sum ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return sum;
}

/* Golden hashes of meshes of a raster. */
static void golden(bosc_ctx *ctx)
{
    enum { W = 70, H = 66 };
    static const uint64_t sums[] = {0x346ef560d400848u, 0xbd1d7fb56924de88u, 0xb92218bfa0c4004cu, 0x112083cc807dd51bu};
    /* A bound, a camera, a budget, and a finer region. */
    bosc_terrain_camera camera = {.position = {10, 5, 1100},
                                  .direction = {1, 1, -25},
                                  .fov = 0.9,
                                  .pixels = 30,
                                  .width = 640,
                                  .height = 480,
                                  .cull = 1};
    bosc_terrain_region region = {{20, 20}, {30, 25}, 3};
    const bosc_terrain_goal goals[] = {{.size = sizeof goals[0], .error = 200},
                                       {.size = sizeof goals[0], .camera = &camera},
                                       {.size = sizeof goals[0], .triangles = 700},
                                       {.size = sizeof goals[0], .error = 400, .regions = &region, .region_count = 1}};
    float *heights = terrain_heights(ROUGH, W, H, 4), *vertices = suite_alloc((size_t)W * H * 12);
    float *normals = suite_alloc((size_t)W * H * 12);
    uint32_t *triangles = suite_alloc((size_t)W * H * 24);
    bosc_terrain *terrain = terrain_make(ctx, heights, W, H, false);
    for (int k = 0; k < 4; k++) {
        int64_t counts[2];
        CHECK_OK(ctx, bosc_terrain_select(ctx, terrain, &goals[k]));
        CHECK_OK(ctx, bosc_terrain_get_mesh(ctx, terrain, vertices, normals, (int64_t)W * H, triangles,
                                            (int64_t)2 * W * H, counts));
        /* FNV-1a over vertices, normals and triangles. */
        uint64_t sum = sum_of(vertices, (size_t)counts[0] * 12, 0xcbf29ce484222325u);
        sum = sum_of(normals, (size_t)counts[0] * 12, sum);
        sum = sum_of(triangles, (size_t)counts[1] * 12, sum);
        CHECK(counts[1] > 100);
        if (sum != sums[k]) suite_fail(__FILE__, __LINE__, "mesh %d: %#llx", k, (unsigned long long)sum);
    }
    free(heights);
    free(vertices);
    free(normals);
    free(triangles);
    bosc_terrain_free(terrain);
}

static const struct suite_case suite_cases_terrain[] = {{"bounds", bounds_hold, NULL},
                                                        {"storms", random_commands_leave_no_cracks, NULL},
                                                        {"same", same_leaves_as_cpu, NULL},
                                                        {"cliffs", cliffs, NULL},
                                                        {"errors at the end", errors_at_the_end, NULL},
                                                        {"rounded errors", rounded_errors, NULL},
                                                        {"another raster", another, NULL},
                                                        {"golden meshes", golden, NULL}};
SUITE(terrain);
