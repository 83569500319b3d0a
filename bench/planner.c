/* Times planning in SO(3): bench_planner [-n rotations] [-l triangles]. Two random sets of triangles. Cases: building a
 * planner of n rotations (signs, cells, free cells, components) in new memory and in that of the build before; the path
 * through the fewest free cells; a whole route. The certified steps of routes are checked at 64 rotations each with
 * bosc_plan_collides. */
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"
#include "harness/random.h"

enum { MOST = 64, SAMPLES = 64 };

struct subject {
    int64_t triangles;
    bosc_plan_scene scene;
    double vertices[2][9 * MOST], ends[8];
    int64_t corners[3 * MOST];
    bosc_planner *planner;
    bosc_planner_route_opts route;
    bosc_planner_route_info info;
};

static double unit(uint64_t *state) { return (double)(bench_next(state) >> 11) * 0x1p-53; }

static void make_scene(struct subject *b, uint64_t *state)
{
    for (int i = 0; i < 3 * MOST; i++) b->corners[i] = i;
    b->scene.size = sizeof b->scene;
    for (int side = 0; side < 2; side++) {
        for (int t = 0; t < b->triangles; t++) { /* small ones: many free rotations */
            double center[3];
            for (int c = 0; c < 3; c++) center[c] = 1.6 * unit(state) - 0.8;
            for (int k = 0; k < 9; k++) b->vertices[side][9 * t + k] = center[k % 3] + 0.4 * (unit(state) - 0.5);
        }
        *(side ? &b->scene.obstacle : &b->scene.robot) = (bosc_plan_bodies){.vertices = b->vertices[side],
                                                                            .vertex_count = 3 * b->triangles,
                                                                            .triangles = b->corners,
                                                                            .triangle_count = b->triangles};
    }
}

static void build_planner(void *user)
{
    struct subject *b = user;
    const bosc_planner_opts opts = {.size = sizeof opts, .max_rows = bench.n, .batch = bench.n, .new_rate = -1};
    bosc_planner_free(b->planner);
    BENCH(bosc_planner_create(bench.ctx, &opts, &b->planner));
    BENCH(bosc_planner_build(bench.ctx, b->planner, &b->scene));
}

static void rebuild_planner(void *user)
{
    struct subject *b = user;
    BENCH(bosc_planner_build(bench.ctx, b->planner, &b->scene));
}

static void find_route(void *user)
{
    struct subject *b = user;
    b->info.size = sizeof b->info;
    BENCH(bosc_planner_route(bench.ctx, b->planner, b->ends, b->ends + 4, &b->route, &b->info));
}

/* The first free cell, and the last one of its component. */
static void choose_ends(struct subject *b, const bosc_planner_info *info)
{
    int64_t n = info->cells, *labels = bench_host((size_t)n * 8), first = -1, last = -1;
    double *q = bench_host((size_t)n * 32);
    BENCH(bosc_planner_get_cells(bench.ctx, b->planner, q, NULL, labels));
    for (int64_t i = 0; i < n; i++)
        if (first < 0 && labels[i] >= 0) first = i;
    for (int64_t i = 0; i < n; i++)
        if (first >= 0 && labels[i] == labels[first]) last = i;
    if (first < 0) bench_fail("no cell is free");
    memcpy(b->ends, q + 4 * first, 32);
    memcpy(b->ends + 4, q + 4 * last, 32);
    free(labels);
    free(q);
}

static void check_route(struct subject *b)
{
    int64_t n = b->info.rotations, count = 0;
    double *q = bench_host((size_t)(n + 1) * 32), *at = bench_host((size_t)(n + 1) * SAMPLES * 32);
    uint8_t *certified = bench_host((size_t)n + 1), *collides = bench_host((size_t)(n + 1) * SAMPLES);
    BENCH(bosc_planner_get_route(bench.ctx, b->planner, q, certified));
    for (int64_t i = 0; i + 1 < n; i++)
        for (int k = 0; k < SAMPLES && certified[i]; k++, count++)
            for (int c = 0; c < 4; c++)
                at[4 * count + c] = q[4 * i + c] + (q[4 * i + 4 + c] - q[4 * i + c]) * k / (SAMPLES - 1);
    int64_t hits = 0;
    if (count > 0) BENCH(bosc_plan_collides(bench.ctx, bosc_planner_plan(b->planner), at, count, 0, collides));
    for (int64_t i = 0; i < count; i++) hits += collides[i];
    bench_check(hits == 0, "%" PRId64 " rotations on certified steps collide", hits);
    bench_check(n > 0, "no route, though cells are connected");
    free(q);
    free(at);
    free(certified);
    free(collides);
}

int main(int argc, char **argv)
{
    static struct subject b;
    b.triangles = 4;
    const struct bench_option own[] = {{'l', BENCH_INTEGER, &b.triangles, "triangles of a side"}};
    uint64_t state = 18;
    bench.n = 1 << 18;
    bench.repeats = 3;
    bench_options(argc, argv, "rotations", own, 1);
    if (b.triangles < 1 || b.triangles > MOST) bench_fail("-l: not in 1 to %d", (int)MOST);
    /* 1. Builds. */
    bench_open();
    make_scene(&b, &state);
    struct bench_times times = bench_time(NULL, build_planner, &b, bench.repeats);
    bosc_planner_info info = {.size = sizeof info};
    BENCH(bosc_planner_get_info(bench.ctx, b.planner, &info));
    bench_row(bench_text("build: %" PRId64 " constraints, %" PRId64 " cells, %" PRId64 " edges", info.constraints,
                         info.cells, info.edges),
              info.rows, times);
    times = bench_time(NULL, rebuild_planner, &b, bench.repeats);
    bench_row("the same, built again in its memory", info.rows, times);
    choose_ends(&b, &info);
    /* 2. Paths through cells, without shortening or certificates of boxes. */
    b.route = (bosc_planner_route_opts){.size = sizeof b.route, .keep_steps = 1, .rounds = -1, .max_boxes = -1};
    times = bench_time(NULL, find_route, &b, bench.repeats);
    bench_row(bench_text("way through %" PRId64 " cells, %" PRId64 " steps certified", b.info.on_way, b.info.certified),
              info.rows, times);
    check_route(&b);
    /* 3. Routes by all steps. */
    b.route = (bosc_planner_route_opts){.size = sizeof b.route};
    times = bench_time(NULL, find_route, &b, bench.repeats);
    bench_row(bench_text("route of %" PRId64 " steps, %" PRId64 " certified", b.info.rotations - 1, b.info.certified),
              info.rows, times);
    check_route(&b);
    bosc_planner_free(b.planner);
    return bench_close();
}
