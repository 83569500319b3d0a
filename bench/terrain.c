/* Times terrains: bench_terrain [-n side] [-t threads] [-r repeats] [-b backend].
 * A raster of side x side (2,049) of fractal relief in the backend's memory: errors of all diamonds (build), a mesh for
 * several bounds (select), its vertices and triangles as indexed arrays in the backend's memory (mesh), the three
 * together, a budget, and frames of a camera that flies over. Handles are warm; the error of every mesh is measured and
 * held against its bound. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/boscage.h>

#include "harness/options.h"
#include "harness/timing.h"

struct bench {
    bosc_ctx *ctx;
    bosc_terrain *terrain;
    int64_t side, room_vertices, room_triangles, counts[2];
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
    struct bench *b = user;
    DO(b, bosc_terrain_build(b->ctx, b->terrain, b->heights, b->side, b->side, b->side));
    DO(b, bosc_sync(b->ctx));
}

static void run_select(void *user)
{
    struct bench *b = user;
    DO(b, bosc_terrain_select(b->ctx, b->terrain, &b->goal));
    DO(b, bosc_sync(b->ctx));
}

static void run_mesh(void *user)
{
    struct bench *b = user;
    DO(b, bosc_terrain_mesh(b->ctx, b->terrain, b->vertices, b->normals, b->room_vertices, b->triangles,
                            b->room_triangles, b->counts));
}

static void run_all(void *user)
{
    struct bench *b = user;
    DO(b, bosc_terrain_build(b->ctx, b->terrain, b->heights, b->side, b->side, b->side));
    DO(b, bosc_terrain_select(b->ctx, b->terrain, &b->goal));
    run_mesh(b);
}

static void fly(void *user)
{
    struct bench *b = user;
    b->camera.position[0] += 3;
    b->camera.position[1] += 2;
    run_select(b);
}

static void print(const char *name, const struct bench *b, int repeats, void (*run)(void *))
{
    struct timing t = timing_of(NULL, run, (void *)b, repeats);
    printf("%-10s error %8.3f  triangles %9lld  median %10.1f us  least %10.1f us\n", name, b->goal.error,
           (long long)b->counts[1], 1e6 * t.median, 1e6 * t.least);
    fflush(stdout);
}

/* The same number for the same mesh on every backend. */
static uint64_t sum_of(const struct bench *b, const void *array, size_t bytes, uint64_t sum)
{
    uint32_t *copy = malloc(bytes);
    if (!copy) fail(NULL, "out of memory");
    DO(b, bosc_copy(b->ctx, copy, array, bytes));
    for (size_t i = 0; i < bytes / sizeof *copy; i++) sum = (sum ^ copy[i]) * 0x100000001b3u;
    free(copy);
    return sum;
}

static void check(struct bench *b)
{
    uint64_t sum = sum_of(b, b->vertices, (size_t)b->counts[0] * 12, 0xcbf29ce484222325u);
    sum = sum_of(b, b->triangles, (size_t)b->counts[1] * 12, sum);
    bosc_terrain_stats stats = {.size = sizeof stats};
    DO(b, bosc_terrain_measure(b->ctx, b->terrain, &stats));
    if (stats.max_error > b->goal.error) fail(NULL, "a sample is beyond the bound");
    printf("           error %8.3f: %lld leaves, %lld vertices, %lld triangles, largest error %.6f, depth %d, sum "
           "%016llx\n",
           b->goal.error, (long long)stats.leaves, (long long)stats.vertices, (long long)stats.triangles,
           stats.max_error, (int)stats.depth, (unsigned long long)sum);
}

static void bounds(struct bench *b, int repeats)
{
    static const double errors[] = {0, 1, 4, 20, 100};
    float *normals = b->normals;
    for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++) {
        b->goal.error = errors[k];
        b->normals = NULL;
        run_all(b);
        check(b);
        print("select", b, repeats, run_select);
        print("mesh", b, repeats, run_mesh);
        print("all", b, repeats, run_all);
        b->normals = normals;
        print("normals", b, repeats, run_mesh);
    }
}

static void views(struct bench *b, int repeats)
{
    b->goal.error = 0;
    b->goal.triangles = 100000;
    print("budget", b, repeats, run_select);
    run_mesh(b);
    printf("           budget 100000: %lld triangles\n", (long long)b->counts[1]);
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
    print("frame", b, repeats, fly);
}

int main(int argc, char **argv)
{
    struct bench b = {.goal.size = sizeof b.goal};
    struct bench_options o = {.n = 2049, .repeats = 11};
    bosc_terrain_opts terrain = {.size = sizeof terrain, .assume_valid = 1};
    bench_options_take(&o, argc, argv, "samples of a side");
    if (bosc_ctx_create(&o.ctx, &b.ctx) != BOSC_OK) fail(NULL, bosc_backend_reason(o.ctx.backend));
    b.side = o.n;
    size_t samples = (size_t)(b.side * b.side);
    float *relief = malloc(samples * sizeof *relief);
    if (!relief) fail(NULL, "out of memory");
    make_relief(b.side, relief);
    b.room_vertices = (int64_t)samples;
    b.room_triangles = 2 * (int64_t)samples;
    DO(&b, bosc_terrain_create(b.ctx, &terrain, &b.terrain));
    DO(&b, bosc_alloc(b.ctx, samples * sizeof *relief, (void **)&b.heights));
    DO(&b, bosc_alloc(b.ctx, samples * 12, (void **)&b.vertices));
    DO(&b, bosc_alloc(b.ctx, samples * 12, (void **)&b.normals));
    DO(&b, bosc_alloc(b.ctx, samples * 24, (void **)&b.triangles));
    DO(&b, bosc_copy(b.ctx, b.heights, relief, samples * sizeof *relief));
    printf("%lld x %lld samples\n", (long long)b.side, (long long)b.side);
    print("build", &b, o.repeats, run_build);
    bounds(&b, o.repeats);
    views(&b, o.repeats);
    bosc_release(b.ctx, b.heights, samples * sizeof *relief);
    bosc_release(b.ctx, b.vertices, samples * 12);
    bosc_release(b.ctx, b.normals, samples * 12);
    bosc_release(b.ctx, b.triangles, samples * 24);
    bosc_terrain_free(b.terrain);
    bosc_ctx_free(b.ctx);
    free(relief);
    return 0;
}
