/* Goals (budgets, regions, cameras, hysteresis), and queries of a mesh. */
#include "cases/terrain/terrain_data.h"

static int64_t triangles_of(const struct reference_terrain *t)
{
    int64_t n = 0;
    for (int64_t i = 0; i < t->n; i++) n += t->corners[3 * i] >= 0;
    return n;
}

static void select_goal(bosc_ctx *ctx, bosc_terrain *terrain, const bosc_terrain_goal *goal)
{
    CHECK_OK(ctx, bosc_terrain_select(ctx, terrain, goal));
    terrain_check(ctx, terrain);
}

static int64_t triangles(bosc_ctx *ctx, const bosc_terrain *terrain)
{
    struct reference_terrain t = terrain_mesh(ctx, terrain);
    int64_t n = triangles_of(&t);
    terrain_mesh_free(&t);
    return n;
}

/* A mesh within a budget equals the mesh of its error as a bound; a finer bound exceeds the budget. */
static void budgets(bosc_ctx *ctx)
{
    static const int64_t sides[][2] = {{9, 9}, {17, 12}, {33, 33}, {40, 21}, {6, 50}, {70, 66}};
    for (int k = 0; k < 6; k++) {
        int64_t w = sides[k][0], h = sides[k][1];
        if (suite_leaves_out() || (suite_slow(ctx) && w * h > 1100)) continue;
        float *heights = terrain_heights(k % 2 ? HILLS : ROUGH, w, h, (uint64_t)k);
        bosc_terrain *terrain = terrain_make(ctx, heights, w, h, false);
        for (int64_t budget = 1; budget < 4 * w * h; budget = 4 * budget + 3) {
            bosc_terrain_goal goal = {.size = sizeof goal, .triangles = budget}, same = {.size = sizeof same};
            bosc_terrain_stats stats = {.size = sizeof stats};
            select_goal(ctx, terrain, &goal);
            int64_t n = triangles(ctx, terrain);
            CHECK_OK(ctx, bosc_terrain_measure(ctx, terrain, &stats));
            if (n > 18) CHECK(n <= budget);
            CHECK(budget < 2 * w * h || stats.max_error == 0);
            if (stats.max_error > 0) { /* a bound below the mesh's error exceeds the budget */
                same.error = stats.max_error * 0.999;
                select_goal(ctx, terrain, &same);
                CHECK(triangles(ctx, terrain) > n);
            }
        }
        free(heights);
        bosc_terrain_free(terrain);
    }
}

static void regions(bosc_ctx *ctx)
{
    enum { W = 45, H = 38 };
    float *heights = terrain_heights(ROUGH, W, H, 5);
    bosc_terrain *terrain = terrain_make(ctx, heights, W, H, false);
    bosc_terrain_region list[2] = {{{5, 6}, {12, 9}, 0}, {{20, 20}, {30, 33}, 100}};
    bosc_terrain_goal goal = {.size = sizeof goal, .error = 900, .regions = list, .region_count = 2};
    select_goal(ctx, terrain, &goal);
    struct reference_terrain t = terrain_mesh(ctx, terrain);
    CHECK(reference_terrain_error_in(&t, heights, 5, 6, 12, 9) == 0);
    CHECK(reference_terrain_error_in(&t, heights, 20, 20, 30, 33) <= 100 + 1e-9);
    CHECK(reference_terrain_error(&t, heights) <= 900 + 1e-9);
    CHECK(triangles_of(&t) < 2 * (W - 1) * (H - 1) / 2);
    terrain_mesh_free(&t);
    list[0] = (bosc_terrain_region){{-10, -10}, {100, 100}, INFINITY}; /* a coarser region */
    goal.error = 1;
    goal.region_count = 1;
    select_goal(ctx, terrain, &goal);
    CHECK_EQ(triangles(ctx, terrain), 2);
    list[0] = (bosc_terrain_region){{0, 0}, {10, 10}, 50};
    goal.error = 40;
    goal.triangles = 400;
    select_goal(ctx, terrain, &goal);
    CHECK(triangles(ctx, terrain) <= 400);
    free(heights);
    bosc_terrain_free(terrain);
}

/* A bound just below the only error, which a float holds and the bound's nearest float is, refines; the error itself
 * does not. */
static void bounds_between_floats(bosc_ctx *ctx)
{
    struct suite_random r = {6};
    for (int k = 0; k < 12; k++) {
        const float peak = (float)(0.01 + 100 * suite_unit(&r)), heights[9] = {[4] = k % 2 ? -peak : peak};
        bosc_terrain *terrain = terrain_make(ctx, heights, 3, 3, false);
        bosc_terrain_goal goal = {.size = sizeof goal, .error = (double)peak};
        select_goal(ctx, terrain, &goal);
        CHECK_EQ(triangles(ctx, terrain), 2);
        goal.error = nextafter((double)peak, 0);
        select_goal(ctx, terrain, &goal);
        CHECK(triangles(ctx, terrain) > 2);
        bosc_terrain_free(terrain);
    }
}

/* Meshes are fine near the eye, coarse behind it and far away; with hysteresis they change less. */
static void cameras(bosc_ctx *ctx)
{
    enum { SIDE = 65 };
    if (suite_slow(ctx)) return;
    float *heights = terrain_heights(ROUGH, SIDE, SIDE, 2);
    bosc_terrain_opts opts = {.size = sizeof opts, .spacing = 10};
    bosc_terrain *terrain;
    CHECK_OK(ctx, bosc_terrain_create(ctx, &opts, &terrain));
    CHECK_OK(ctx, bosc_terrain_build(ctx, terrain, heights, SIDE, SIDE, SIDE));
    bosc_terrain_camera camera = {
        .position = {320, 320, 1500}, .direction = {0, 1, -0.2}, .fov = 0.7, .pixels = 40, .width = 800, .height = 600};
    bosc_terrain_goal goal = {.size = sizeof goal, .camera = &camera};
    select_goal(ctx, terrain, &goal);
    int64_t all = triangles(ctx, terrain), changes[2] = {0, 0};
    camera.cull = 1;
    select_goal(ctx, terrain, &goal);
    CHECK(triangles(ctx, terrain) < all);
    camera.cull = 0;
    camera.position[2] = 1e9;
    select_goal(ctx, terrain, &goal);
    CHECK_EQ(triangles(ctx, terrain), 2);
    camera.position[2] = 500; /* among the heights: at distance 0 */
    select_goal(ctx, terrain, &goal);
    CHECK(triangles(ctx, terrain) > all);
    goal.error = 1000;
    select_goal(ctx, terrain, &goal);
    CHECK_EQ(triangles(ctx, terrain), 2);
    goal.error = 0;
    for (int with = 0; with < 2; with++) {
        goal.hysteresis = 0.4 * with;
        camera.position[2] = 3400;
        for (int frame = 0, before = 0; frame < 12; frame++) {
            camera.position[1] = 320 + 15 * (frame % 2);
            CHECK_OK(ctx, bosc_terrain_select(ctx, terrain, &goal));
            int now = (int)triangles(ctx, terrain);
            if (frame > 2) changes[with] += now != before;
            before = now;
        }
    }
    CHECK(changes[0] > 0 && changes[1] == 0);
    goal.triangles = 500;
    select_goal(ctx, terrain, &goal);
    CHECK(triangles(ctx, terrain) <= 500);
    free(heights);
    bosc_terrain_free(terrain);
}

/* Leaves with a corner in rows [from, to]. */
static int64_t leaves_of_rows(bosc_ctx *ctx, const bosc_terrain *terrain, int64_t from, int64_t to)
{
    struct reference_terrain t = terrain_mesh(ctx, terrain);
    int64_t count = 0;
    for (int64_t i = 0; i < t.n; i++) {
        bool in = false;
        for (int c = 0; c < 3; c++) in |= t.corners[3 * i + c] >= from * t.w && t.corners[3 * i + c] < (to + 1) * t.w;
        count += in;
    }
    terrain_mesh_free(&t);
    return count;
}

/* Rows 40 apart, columns 10: vertices, normals, located points, and the detail near an eye. */
static void unequal_spacings(bosc_ctx *ctx)
{
    enum { SIDE = 65, MOST = SIDE * SIDE };
    static float at[MOST * 3], normal[MOST * 3];
    static uint32_t indices[MOST * 6];
    float *heights = terrain_heights(ROUGH, SIDE, SIDE, 2);
    bosc_terrain_opts opts = {.size = sizeof opts, .spacing = 10, .spacing_y = 40};
    bosc_terrain_info info = {.size = sizeof info};
    bosc_terrain *terrain;
    int64_t counts[2], leaf;
    double height;
    CHECK_OK(ctx, bosc_terrain_create(ctx, &opts, &terrain));
    CHECK_OK(ctx, bosc_terrain_build(ctx, terrain, heights, SIDE, SIDE, SIDE));
    CHECK_OK(ctx, bosc_terrain_get_info(ctx, terrain, &info));
    CHECK(info.spacing == 10 && info.spacing_y == 40);
    /* 1. The full mesh: positions, and normals by central differences. */
    bosc_terrain_goal goal = {.size = sizeof goal, .error = 0};
    select_goal(ctx, terrain, &goal);
    CHECK_OK(ctx, bosc_terrain_get_mesh(ctx, terrain, at, normal, MOST, indices, MOST * 2, counts));
    for (int64_t v = 0; v < counts[0]; v++) {
        int64_t x = (int64_t)at[3 * v] / 10, y = (int64_t)at[3 * v + 1] / 40;
        CHECK(at[3 * v] == 10.0F * (float)x && at[3 * v + 1] == 40.0F * (float)y);
        CHECK(at[3 * v + 2] == heights[y * SIDE + x]);
        if (x == 0 || y == 0 || x == SIDE - 1 || y == SIDE - 1) continue;
        double dx = (heights[y * SIDE + x + 1] - heights[y * SIDE + x - 1]) / 20.0;
        double dy = (heights[(y + 1) * SIDE + x] - heights[(y - 1) * SIDE + x]) / 80.0, up = (double)normal[3 * v + 2];
        CHECK(fabs((double)normal[3 * v] + dx * up) < 1e-5 && fabs((double)normal[3 * v + 1] + dy * up) < 1e-5);
    }
    /* 2. The last sample is located at its scaled position. */
    const double point[2] = {10 * 64, 40 * 64};
    CHECK_OK(ctx, bosc_terrain_locate(ctx, terrain, point, 1, &leaf, &height));
    CHECK(leaf >= 0 && height == (double)heights[SIDE * SIDE - 1]);
    /* 3. A camera near the last rows refines these. */
    bosc_terrain_camera camera = {
        .position = {320, 2560, 1500}, .direction = {0, 1, -1}, .fov = 0.7, .pixels = 500, .width = 800, .height = 600};
    goal.camera = &camera;
    select_goal(ctx, terrain, &goal);
    CHECK(leaves_of_rows(ctx, terrain, 48, 64) > 10 * leaves_of_rows(ctx, terrain, 0, 16));
    free(heights);
    bosc_terrain_free(terrain);
}

/* Hysteresis keeps only existing splits: from the coarsest mesh it changes nothing. */
static void kept_splits(bosc_ctx *ctx)
{
    enum { SIDE = 33 };
    float *heights = terrain_heights(ROUGH, SIDE, SIDE, 3);
    bosc_terrain *terrain = terrain_make(ctx, heights, SIDE, SIDE, false);
    bosc_terrain_goal coarsest = {.size = sizeof coarsest, .error = 1e9}, plain = {.size = sizeof plain, .error = 300};
    bosc_terrain_goal kept = plain;
    kept.hysteresis = 0.5;
    select_goal(ctx, terrain, &plain);
    int64_t wanted = triangles(ctx, terrain);
    select_goal(ctx, terrain, &coarsest);
    select_goal(ctx, terrain, &kept);
    CHECK_EQ(triangles(ctx, terrain), wanted);
    plain.error = 0;
    select_goal(ctx, terrain, &plain);
    select_goal(ctx, terrain, &kept);
    CHECK(triangles(ctx, terrain) > wanted);
    free(heights);
    bosc_terrain_free(terrain);
}

/* A box that only touches the view (here the highest sample, from below) must not be culled. */
static void touching_boxes_are_kept(bosc_ctx *ctx)
{
    enum { SIDE = 9 };
    float heights[SIDE * SIDE] = {0};
    bosc_terrain_camera camera = {.position = {4, 4, 100},
                                  .direction = {0, 0, 1},
                                  .up = {0, 1, 0},
                                  .fov = 1,
                                  .pixels = 1,
                                  .width = 100,
                                  .height = 100,
                                  .cull = 1};
    bosc_terrain_goal goal = {.size = sizeof goal, .camera = &camera};
    heights[4 * SIDE + 4] = 100;
    bosc_terrain *terrain = terrain_make(ctx, heights, SIDE, SIDE, false);
    select_goal(ctx, terrain, &goal);
    CHECK(triangles(ctx, terrain) > 2);
    camera.position[2] = 100.5;
    select_goal(ctx, terrain, &goal);
    CHECK_EQ(triangles(ctx, terrain), 2);
    bosc_terrain_free(terrain);
}

/* A random mesh. */
static bosc_terrain *random_mesh(bosc_ctx *ctx, const float *heights, int64_t w, int64_t h, bool half, uint64_t seed)
{
    struct suite_random r = {seed};
    bosc_terrain *terrain = terrain_make(ctx, heights, w, h, half);
    for (int round = 0; round < 9; round++) {
        int64_t n = terrain_leaves(ctx, terrain);
        uint8_t *commands = suite_alloc((size_t)n);
        for (int64_t l = 0; l < n; l++) commands[l] = suite_below(&r, 3) == 0;
        CHECK_OK(ctx, bosc_terrain_update(ctx, terrain, commands, n));
        free(commands);
    }
    return terrain;
}

static const int64_t query_rasters[][2] = {{2, 2}, {9, 9}, {12, 31}, {33, 20}, {3, 90}, {17, 17}, {65, 40}};
enum { QUERY_RASTERS = sizeof query_rasters / sizeof query_rasters[0] };

static void check_neighbours(bosc_ctx *ctx, const bosc_terrain *terrain, const struct reference_terrain *t)
{
    int64_t n = t->n + 4, *leaves = suite_alloc((size_t)n * 8), *got = suite_alloc((size_t)n * 24);
    int64_t *want = suite_alloc((size_t)(t->n + 1) * 24);
    for (int64_t l = 0; l < n; l++) leaves[l] = l - 2;
    CHECK_OK(ctx, bosc_terrain_get_neighbours(ctx, terrain, leaves, n, got));
    reference_terrain_neighbours(t, want);
    for (int64_t l = 0; l < n; l++)
        for (int k = 0; k < 3; k++)
            CHECK_EQ(got[3 * l + k], leaves[l] < 0 || leaves[l] >= t->n ? -1 : want[3 * leaves[l] + k]);
    free(leaves);
    free(got);
    free(want);
}

/* True if the point is in the triangle, apart from rounding. */
static bool holds(const struct reference_terrain *t, int64_t leaf, double x, double y)
{
    const int64_t *c = t->corners + 3 * leaf;
    for (int k = 0; k < 3; k++) {
        double ax = (double)(c[k] % t->w), ay = (double)(c[k] / t->w);
        double bx = (double)(c[(k + 1) % 3] % t->w), by = (double)(c[(k + 1) % 3] / t->w);
        if ((bx - ax) * (y - ay) - (by - ay) * (x - ax) < -1e-9) return false;
    }
    return true;
}

static void check_points(bosc_ctx *ctx, const bosc_terrain *terrain, const struct reference_terrain *t,
                         const float *heights)
{
    enum { M = 400 };
    struct suite_random r = {9};
    double points[2 * M], z[M];
    int64_t leaves[M], again[M];
    /* Samples, points around and beyond the border, NaN and infinities. */
    for (int i = 0; i < M; i++) {
        bool sample = i % 3 == 0;
        points[2 * i] = sample ? (double)suite_below(&r, (uint64_t)t->w) : (suite_unit(&r) * 1.1 - 0.05) * (double)t->w;
        points[2 * i + 1] = sample ? (double)suite_below(&r, (uint64_t)t->h) : suite_unit(&r) * (double)(t->h - 1);
        if (i % 50 == 49) points[2 * i] = i % 100 == 99 ? (double)NAN : -INFINITY;
    }
    CHECK_OK(ctx, bosc_terrain_locate(ctx, terrain, points, M, leaves, z));
    CHECK_OK(ctx, bosc_terrain_locate(ctx, terrain, points, M, again, NULL));
    CHECK(memcmp(leaves, again, sizeof leaves) == 0);
    /* A point of the raster is in its leaf, and a sample has its own height. */
    for (int i = 0; i < M; i++) {
        double x = points[2 * i], y = points[2 * i + 1];
        bool in = x >= 0 && x <= (double)(t->w - 1) && y <= (double)(t->h - 1) && (!t->half || x >= y);
        CHECK_EQ(leaves[i] >= 0, in);
        CHECK_EQ(isnan(z[i]) != 0, !in);
        if (!in) continue;
        CHECK(leaves[i] < t->n && holds(t, leaves[i], x, y));
        for (int k = 0; k < 3; k++) {
            int64_t c = t->corners[3 * leaves[i] + k];
            if (x == (double)(c % t->w) && y == (double)(c / t->w)) CHECK(fabs(z[i] - heights[c]) < 1e-6);
        }
    }
}

/* The indexed mesh has the triangles of the leaves in order, each vertex once. */
static void check_mesh(bosc_ctx *ctx, const bosc_terrain *terrain, const struct reference_terrain *t,
                       const float *heights)
{
    int64_t counts[2], again[2], n = triangles_of(t), at = 0, used = 0;
    /* 1. Sizes, capacities one too small, then the mesh. */
    CHECK_OK(ctx, bosc_terrain_get_mesh(ctx, terrain, NULL, NULL, 0, NULL, 0, counts));
    CHECK_EQ(counts[1], n);
    float *vertices = suite_alloc((size_t)counts[0] * 12), *normals = suite_alloc((size_t)counts[0] * 12);
    uint32_t *triangles = suite_alloc((size_t)n * 12);
    uint8_t *seen = suite_alloc((size_t)(t->w * t->h));
    memset(seen, 0, (size_t)(t->w * t->h));
    CHECK_STATUS(ctx, bosc_terrain_get_mesh(ctx, terrain, vertices, NULL, counts[0] - 1, NULL, 0, again),
                 BOSC_ERR_SPACE);
    CHECK(again[0] == counts[0] && again[1] == n);
    CHECK_STATUS(ctx, bosc_terrain_get_mesh(ctx, terrain, NULL, NULL, 0, triangles, n - 1, again), BOSC_ERR_SPACE);
    CHECK_OK(ctx, bosc_terrain_get_mesh(ctx, terrain, vertices, normals, counts[0], triangles, n, again));
    /* 2. Each triangle of the reference, with its samples as corners; no vertex is unused. */
    for (int64_t i = 0; i < t->n; i++) {
        if (t->corners[3 * i] < 0) continue;
        for (int k = 0; k < 3; k++) {
            const float *v = vertices + 3 * (int64_t)triangles[3 * at + k];
            int64_t c = t->corners[3 * i + k];
            CHECK(triangles[3 * at + k] < counts[0]);
            CHECK(v[0] == (float)(c % t->w) && v[1] == (float)(c / t->w) && v[2] == heights[c]);
            used += !seen[c];
            seen[c] = 1;
        }
        at++;
    }
    CHECK_EQ(used, counts[0]);
    /* 3. Normals of length 1, with the slope of the neighbours in x. */
    for (int64_t i = 0; i < counts[0]; i++) {
        const float *v = normals + 3 * i, *p = vertices + 3 * i;
        int64_t x = (int64_t)p[0], y = (int64_t)p[1], x0 = x > 0 ? x - 1 : x, x1 = x < t->w - 1 ? x + 1 : x;
        double slope = (double)(heights[y * t->w + x1] - heights[y * t->w + x0]) / (double)(x1 - x0);
        CHECK(fabs(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] - 1) < 1e-5 && v[2] > 0);
        CHECK(fabs(v[0] / v[2] + slope) < 1e-3 * (1 + fabs(slope)));
    }
    free(vertices);
    free(normals);
    free(triangles);
    free(seen);
}

static void queries_match_reference(bosc_ctx *ctx)
{
    for (int k = 0; k < 2 * QUERY_RASTERS; k++) {
        int64_t w = query_rasters[k / 2][0], h = query_rasters[k / 2][1];
        bool half = k % 2 == 1;
        if (suite_leaves_out() || (half && (w != h || ((w - 1) & (w - 2)) != 0))) continue;
        if (suite_slow(ctx) && w * h > 400) continue;
        float *heights = terrain_heights(HILLS, w, h, 3);
        bosc_terrain *terrain = random_mesh(ctx, heights, w, h, half, (uint64_t)k);
        struct reference_terrain t = terrain_mesh(ctx, terrain);
        check_neighbours(ctx, terrain, &t);
        check_points(ctx, terrain, &t, heights);
        check_mesh(ctx, terrain, &t, heights);
        terrain_mesh_free(&t);
        bosc_terrain_free(terrain);
        free(heights);
    }
}

static const struct suite_case suite_cases_terrain_goals[] = {
    {"budgets", budgets, NULL},
    {"regions", regions, NULL},
    {"cameras", cameras, NULL},
    {"oblong samples", unequal_spacings, NULL},
    {"touching", touching_boxes_are_kept, NULL},
    {"kept splits", kept_splits, NULL},
    {"between floats", bounds_between_floats, NULL},
    {"questions", queries_match_reference, NULL},
};
SUITE(terrain_goals);
