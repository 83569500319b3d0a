/* Budgets: the mesh of the smallest multiple of the bounds (a float with 16 bits) that keeps to the budget. Each trial
 * multiple makes its mesh from the octahedron, by a camera with that many pixels of error. */
#include "base/bits.h"
#include "cases/planet/planet_data.h"
#include "planet/steps/mesh.h"
#include "planet/steps/shape.h"

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

/* The largest distance of the surface from the middles of triangles and of their sides, along the radius. */
static double distance_at_middles(bosc_ctx *ctx, const bosc_planet *planet, const struct planet_mesh *m)
{
    const int64_t points = 4 * m->counts[1];
    double *middles = suite_alloc((size_t)points * 24), *surface = suite_alloc((size_t)points * 24), largest = 0;
    for (int64_t i = 0; i < points; i++)
        for (int c = 0; c < 3; c++) {
            double corner[3];
            for (int v = 0; v < 3; v++) corner[v] = m->positions[3 * (int64_t)m->triangles[3 * (i / 4) + v] + c];
            const int k = (int)(i % 4);
            middles[3 * i + c] =
                k == 3 ? (corner[0] + corner[1] + corner[2]) / 3 : (corner[k] + corner[(k + 1) % 3]) / 2;
        }
    CHECK_OK(ctx, bosc_planet_sample(ctx, planet, middles, points, NULL, surface));
    for (int64_t i = 0; i < points; i++) {
        const double *p = middles + 3 * i, *q = surface + 3 * i;
        const double off =
            sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
        largest = fabs(off) > largest ? fabs(off) : largest;
    }
    free(middles);
    free(surface);
    return largest;
}

/* A budget beyond the bound's mesh leaves that to estimates, without measurements: they bound the surface between
 * samples too. most: triangles, so that estimates are not too large. */
static void check_estimates(bosc_ctx *ctx, const float *heights, int64_t width, int64_t height, double error,
                            int64_t most)
{
    const bosc_planet_goal goal = {.size = sizeof goal, .error = error, .triangles = 1 << 20};
    bosc_planet *planet = planet_make(ctx, NULL, heights, width, height);
    CHECK_OK(ctx, bosc_planet_select(ctx, planet, &goal));
    struct planet_mesh m = planet_mesh_get(ctx, planet, NULL);
    CHECK(distance_at_middles(ctx, planet, &m) <= error);
    CHECK(m.counts[1] <= most);
    planet_mesh_release(&m);
    bosc_planet_free(planet);
}

static void estimates_bound_the_surface(bosc_ctx *ctx)
{
    static const float sea[4 * 2] = {0};
    float *smooth = planet_heights(W, H, 3), *rough = suite_alloc(W * H * sizeof *rough);
    struct suite_random r = {5};
    for (int i = 0; i < W * H; i++) rough[i] = (float)(60000 * suite_unit(&r));
    check_estimates(ctx, sea, 4, 2, 1000, 105000);
    check_estimates(ctx, smooth, W, H, 1000, 111000);
    check_estimates(ctx, rough, W, H, 20000, 62000);
    free(smooth);
    free(rough);
}

/* A random triangle of a level: its corners on the octahedron. Half of them lie towards one corner, where the
 * octahedron is stretched most. */
static void draw_triangle(struct suite_random *r, int level, double p[3][3])
{
    double c[3][2] = {{0, 0}, {1, 0}, {0, 1}};
    const int64_t root = (int64_t)suite_below(r, 8);
    const uint64_t seconds = suite_below(r, 2) ? 2 : 8;
    for (int l = 0; l < level; l++) {
        const int kept = suite_below(r, seconds) == 0;
        for (int d = 0; d < 2; d++) {
            const double middle = (c[0][d] + c[1][d]) / 2, end = c[kept][d], apex = c[2][d];
            c[!kept][d] = end;
            c[kept][d] = apex;
            c[2][d] = middle;
        }
    }
    for (int v = 0; v < 3; v++) bi_planet_point(root, c[v][0], c[v][1], p[v]);
}

/* The estimate of any triangle bounds the surface over it, whatever is beside it in a mesh; the ends of the base may be
 * exchanged. */
static void check_triangles(bosc_ctx *ctx, const float *heights, int64_t width, int64_t height, uint64_t seed)
{
    bosc_planet *planet = planet_make(ctx, NULL, heights, width, height);
    struct suite_random r = {seed};
    for (int trial = 0; trial < (suite_slow(ctx) ? 4000 : 40000); trial++) {
        const int level = 4 + (int)suite_below(&r, 22);
        struct bi_planet_leaf leaf;
        double p[3][3];
        draw_triangle(&r, level, p);
        for (int v = 0; v < 3; v++) bi_planet_surface_position(&planet->view, p[v], leaf.position[v]);
        const float error = bi_planet_base_error(&planet->view, p[0], p[1], level % 2 == 0);
        CHECK(error == bi_planet_base_error(&planet->view, p[1], p[0], level % 2 == 0));
        for (int k = 0; k < 8; k++) {
            double weights[3], at[3], d[3];
            for (int v = 0; v < 3; v++) weights[v] = k == 0 ? 1 : k < 4 ? k - 1 != v : 0.01 + suite_unit(&r);
            for (int c = 0; c < 3; c++) at[c] = weights[0] * p[0][c] + weights[1] * p[1][c] + weights[2] * p[2][c];
            bi_planet_unit(at, d);
            const double off =
                bi_planet_distance_in(&leaf, d) - planet->view.radius - bi_planet_height(&planet->view, d);
            if (fabs(off) > error * (1 + 1e-6) + 1e-6)
                suite_fail(__FILE__, __LINE__, "level %d: %g for an estimate of %g", level, off, (double)error);
        }
    }
    bosc_planet_free(planet);
}

static void estimates_bound_triangles(bosc_ctx *ctx)
{
    static const float sea[4 * 2] = {0};
    float *smooth = planet_heights(W, H, 3), *rough = suite_alloc(W * H * sizeof *rough);
    struct suite_random r = {6};
    for (int i = 0; i < W * H; i++) rough[i] = (float)(60000 * suite_unit(&r));
    if (suite_opts_like(ctx).backend == BOSC_BACKEND_CPU) { /* the planet's arrays are read here */
        check_triangles(ctx, sea, 4, 2, 1);
        check_triangles(ctx, smooth, W, H, 2);
        check_triangles(ctx, rough, W, H, 3);
    }
    free(smooth);
    free(rough);
}

static const struct suite_case suite_cases_planet_budget[] = {
    {"budgets", budgets, NULL},
    {"estimates bound the surface", estimates_bound_the_surface, NULL},
    {"estimates bound triangles", estimates_bound_triangles, NULL},
};
SUITE(planet_budget);
