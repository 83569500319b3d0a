/* Budgets: the mesh of the smallest multiple of the bounds (a float with 16 bits) that keeps to the budget. Each trial
 * multiple makes its mesh from the octahedron, by a camera with that many pixels of error. */
#include "base/bits.h"
#include "cases/planet/planet_data.h"

enum { W = 64, H = 32 };

static bosc_planet_camera camera_over(bosc_ctx *ctx, const bosc_planet *planet, double altitude, double pitch)
{
    bosc_planet_camera camera = {.fov = 1, .pixels = 1, .width = 640, .height = 480, .cull = 1};
    CHECK_OK(ctx, bosc_planet_place(ctx, planet, 30, 100, altitude, 40, pitch, &camera));
    return camera;
}

/* The number of triangles of a multiple's mesh, which becomes the planet's. */
static int64_t triangles_of(bosc_ctx *ctx, bosc_planet *planet, bosc_planet_camera camera, uint32_t multiple)
{
    const bosc_planet_goal none = {.size = sizeof none, .triangles = 8};
    const bosc_planet_goal goal = {.size = sizeof goal, .camera = &camera};
    camera.pixels = bi_f32_from_bits(multiple << 16);
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &none));
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
    return planet_info(ctx, planet).triangles;
}

/* Selects the mesh of the smallest multiple; the octahedron, if triangles below the eye are split by all. */
static void select_smallest(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_camera *camera, int64_t most)
{
    const bosc_planet_goal none = {.size = sizeof none, .triangles = 8};
    uint32_t low = bi_f32_bits(1) >> 16, high = 0x7000;
    const bool any = triangles_of(ctx, planet, *camera, high) <= most;
    if (triangles_of(ctx, planet, *camera, low) <= most) return;
    while (any && high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (triangles_of(ctx, planet, *camera, middle) <= most)
            high = middle;
        else
            low = middle;
    }
    if (any)
        triangles_of(ctx, planet, *camera, high);
    else
        CHECK_OK(ctx, bosc_planet_select(ctx, planet, &none));
}

static void check_budget(bosc_ctx *ctx, bosc_planet *planet, bosc_planet *plain, const bosc_planet_camera *camera,
                         int64_t budget)
{
    const bosc_planet_goal goal = {.size = sizeof goal, .camera = camera, .triangles = budget};
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
    select_smallest(ctx, plain, camera, budget);
    struct planet_mesh m = planet_mesh_get(ctx, planet, NULL), n = planet_mesh_get(ctx, plain, NULL);
    CHECK(m.counts[1] == n.counts[1] && m.counts[1] <= budget);
    CHECK(memcmp(m.positions, n.positions, (size_t)m.counts[0] * 24) == 0);
    CHECK(memcmp(m.triangles, n.triangles, (size_t)m.counts[1] * 12) == 0);
    planet_mesh_release(&m);
    planet_mesh_release(&n);
}

static void budgets(bosc_ctx *ctx)
{
    static const double places[][2] = {{1e7, -90}, {2e5, -40}, {3000, -10}};
    static const int64_t most[] = {9, 40, 250, 1000, 2500, 1 << 20};
    float *heights = planet_heights(W, H, 12);
    const bosc_planet_opts opts = {.size = sizeof opts, .depth = 24, .detail_amplitude = 50, .detail_octaves = 2};
    bosc_planet *planet = planet_make(ctx, &opts, heights, W, H), *plain = planet_make(ctx, &opts, heights, W, H);
    for (int p = 0; p < (suite_slow(ctx) ? 1 : 3); p++) {
        const bosc_planet_camera camera = camera_over(ctx, planet, places[p][0], places[p][1]);
        for (int b = 0; b < (suite_slow(ctx) ? 3 : 6); b++) check_budget(ctx, planet, plain, &camera, most[b]);
    }
    bosc_planet_free(planet);
    bosc_planet_free(plain);
    free(heights);
}

static const struct suite_case suite_cases_planet_budget[] = {{"budgets", budgets, NULL}};
SUITE(planet_budget);
