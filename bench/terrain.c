/* Times terrains: bench_terrain [-n side].
 * A raster of side x side (2,049) of fractal relief in the backend's memory: errors of all diamonds (build), a mesh for
 * several bounds (select), its vertices and triangles as indexed arrays in the backend's memory (mesh), the three
 * together, a budget, and frames of a moving camera. Handles are warm; the error of every mesh is measured and compared
 * with its bound. */
#include <stdlib.h>

#include "harness/bench.h"

struct subject {
    bosc_terrain *terrain;
    int64_t side, vertex_capacity, triangle_capacity, counts[2];
    float *heights, *vertices, *normals;
    uint32_t *triangles;
    bosc_terrain_goal goal;
    bosc_terrain_camera camera;
    int frame;
};

static double noise_at(int64_t x, int64_t y)
{
    uint64_t z = (uint64_t)x * 0x9e3779b97f4a7c15u ^ (uint64_t)y * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)(z >> 40) * 0x1p-24;
}

/* Octaves of smooth noise, each half as wide and half as high; 0 to 4,000 m. */
static void make_relief(int64_t side, float *heights)
{
    for (int64_t y = 0; y < side; y++) {
        for (int64_t x = 0; x < side; x++) {
            double z = 0, high = 2000;
            for (int64_t cell = 1024; cell >= 1; cell /= 2, high /= 2) {
                int64_t i = x / cell, j = y / cell;
                double u = (double)(x % cell) / (double)cell, v = (double)(y % cell) / (double)cell;
                u = u * u * (3 - 2 * u);
                v = v * v * (3 - 2 * v);
                z += high * ((noise_at(i, j) * (1 - u) + noise_at(i + 1, j) * u) * (1 - v) +
                             (noise_at(i, j + 1) * (1 - u) + noise_at(i + 1, j + 1) * u) * v);
            }
            heights[y * side + x] = (float)z;
        }
    }
}

static void run_build(void *user)
{
    struct subject *b = user;
    BENCH(bosc_terrain_build(bench.ctx, b->terrain, b->heights, b->side, b->side, b->side));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void run_select(void *user)
{
    struct subject *b = user;
    BENCH(bosc_terrain_select(bench.ctx, b->terrain, &b->goal));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void run_mesh(void *user)
{
    struct subject *b = user;
    BENCH(bosc_terrain_get_mesh(bench.ctx, b->terrain, b->vertices, b->normals, b->vertex_capacity, b->triangles,
                                b->triangle_capacity, b->counts));
}

static void run_all(void *user)
{
    struct subject *b = user;
    BENCH(bosc_terrain_build(bench.ctx, b->terrain, b->heights, b->side, b->side, b->side));
    BENCH(bosc_terrain_select(bench.ctx, b->terrain, &b->goal));
    run_mesh(b);
}

static void select_next_frame(void *user)
{
    struct subject *b = user;
    b->camera.position[0] += 3;
    b->camera.position[1] += 2;
    run_select(b);
}

static void print_row(const char *name, struct subject *b, void (*run)(void *))
{
    struct bench_row row = {.name = name,
                            .data = bench_text("error %g", b->goal.error),
                            .n = b->counts[1],
                            .ours = bench_time(NULL, run, b, bench.repeats)};
    bench_print(&row);
}

static void check_mesh(struct subject *b)
{
    uint64_t sum = bench_sum(b->vertices, (size_t)b->counts[0] * 12, 0xcbf29ce484222325u);
    sum = bench_sum(b->triangles, (size_t)b->counts[1] * 12, sum);
    bosc_terrain_stats stats = {.size = sizeof stats};
    BENCH(bosc_terrain_measure(bench.ctx, b->terrain, &stats));
    bench_check(stats.max_error <= b->goal.error, "a sample is beyond the bound of %g", b->goal.error);
    bench_say("error %g: %" PRId64 " leaves, %" PRId64 " vertices, %" PRId64
              " triangles, largest error %.6f, depth %d, "
              "sum %016" PRIx64,
              b->goal.error, stats.leaves, stats.vertices, stats.triangles, stats.max_error, (int)stats.depth, sum);
}

static void time_bounds(struct subject *b)
{
    static const double errors[] = {0, 1, 4, 20, 100};
    float *normals = b->normals;
    for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++) {
        b->goal.error = errors[k];
        b->normals = NULL;
        run_all(b);
        check_mesh(b);
        print_row("select", b, run_select);
        print_row("mesh", b, run_mesh);
        print_row("all", b, run_all);
        b->normals = normals;
        print_row("normals", b, run_mesh);
    }
}

static void time_views(struct subject *b)
{
    b->goal.error = 0;
    b->goal.triangles = 100000;
    print_row("budget", b, run_select);
    run_mesh(b);
    bench_say("budget 100000: %" PRId64 " triangles", b->counts[1]);
    b->goal.triangles = 0;
    b->camera = (bosc_terrain_camera){.position = {100, 100, 4500},
                                      .direction = {1, 1, -0.5},
                                      .fov = 1,
                                      .pixels = 1,
                                      .width = 1920,
                                      .height = 1080,
                                      .cull = 1};
    b->goal.camera = &b->camera;
    b->goal.hysteresis = 0.2;
    run_select(b);
    run_mesh(b);
    print_row("frame", b, select_next_frame);
}

int main(int argc, char **argv)
{
    struct subject b = {.goal.size = sizeof b.goal};
    bosc_terrain_opts terrain = {.size = sizeof terrain, .assume_valid = 1};
    bench.n = 2049;
    bench.repeats = 11;
    bench_options(argc, argv, "samples of a side", NULL, 0);
    bench_open();
    b.side = bench.n;
    size_t samples = (size_t)(b.side * b.side);
    float *relief = bench_host(samples * sizeof *relief);
    make_relief(b.side, relief);
    b.vertex_capacity = (int64_t)samples;
    b.triangle_capacity = 2 * (int64_t)samples;
    BENCH(bosc_terrain_create(bench.ctx, &terrain, &b.terrain));
    b.heights = bench_array(relief, samples * sizeof *relief);
    b.vertices = bench_array(NULL, samples * 12);
    b.normals = bench_array(NULL, samples * 12);
    b.triangles = bench_array(NULL, samples * 24);
    bench_say("%s: %" PRId64 " x %" PRId64 " samples", bench_device(), b.side, b.side);
    print_row("build", &b, run_build);
    time_bounds(&b);
    time_views(&b);
    bosc_terrain_free(b.terrain);
    free(relief);
    return bench_close();
}
