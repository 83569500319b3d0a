/* Times collisions of two moving meshes: bench_collision [-n triangles of each]. One of two bumpy spheres turns and
 * moves through the other; every frame finds all pairs of triangles that touch, with the cell size chosen from the data
 * and on a virtual grid of 128^3 voxels, as in the source. Meshes are in the backend's memory, the handle is warm. Both
 * cell sizes must give the same pairs, and for smaller meshes the same as testing all triangles with all. Source:
 * Alcantara et al., Real-time Parallel Hashing on the GPU (2009), section 6: 27 frames a second of voxels alone on a
 * GTX 280. */
#include <math.h>
#include <stdlib.h>

#include "harness/bench.h"

enum { FRAMES = 8, SMALL = 6000 };

struct subject {
    bosc_collision_mesh mesh[2];
    bosc_collision *collision;
    double transforms[FRAMES][12];
    int frame;
};

/* A sphere with bumps, of rings and twice as many segments: about n triangles. */
static bosc_collision_mesh make_sphere(int64_t n, double waves)
{
    int64_t rings = (int64_t)sqrt((double)n / 4), segments = 2 * rings, vertices = (rings + 1) * segments, t = 0;
    float *positions = bench_host((size_t)vertices * 3 * sizeof *positions);
    uint32_t *triangles = bench_host((size_t)(rings * segments) * 6 * sizeof *triangles);
    for (int64_t v = 0; v < vertices; v++) {
        double polar = 3.141592653589793 * (double)(v / segments) / (double)rings;
        double around = 6.283185307179586 * (double)(v % segments) / (double)segments;
        double radius = 1 + 0.05 * sin(waves * polar) * sin(polar) * cos(waves * around);
        positions[3 * v] = (float)(radius * sin(polar) * cos(around));
        positions[3 * v + 1] = (float)(radius * sin(polar) * sin(around));
        positions[3 * v + 2] = (float)(radius * cos(polar));
    }
    for (int64_t s = 0; s < rings * segments; s++) {
        int64_t next = s % segments == segments - 1 ? s + 1 - segments : s + 1;
        const int64_t corners[6] = {s, s + segments, next, next, s + segments, next + segments};
        for (int k = 0; k < 6; k++) triangles[t++] = (uint32_t)corners[k];
    }
    bosc_collision_mesh mesh = {.size = sizeof mesh,
                                .vertices = bench_array(positions, (size_t)vertices * 12),
                                .vertex_count = vertices,
                                .triangles = bench_array(triangles, (size_t)t * 4),
                                .triangle_count = t / 3};
    free(positions);
    free(triangles);
    return mesh;
}

static void make_frames(struct subject *b, int64_t n)
{
    b->mesh[0] = make_sphere(n, 9);
    b->mesh[1] = make_sphere(n, 14);
    for (int f = 0; f < FRAMES; f++) {
        double c = cos(0.1 * f), s = sin(0.1 * f), x = 1.75 - 0.23 * f;
        const double transform[12] = {c, -s, 0, x, s, c, 0, 0.3, 0, 0, 1, 0.2};
        for (int k = 0; k < 12; k++) b->transforms[f][k] = transform[k];
    }
}

static void open_collision(struct subject *b, double cell)
{
    const bosc_collision_opts o = {.size = sizeof o, .id_bits = 32, .cell = cell};
    bosc_collision_free(b->collision);
    BENCH(bosc_collision_create(bench.ctx, &o, &b->collision));
}

static void next_frame(void *user)
{
    struct subject *b = user;
    b->frame = (b->frame + 1) % FRAMES;
    b->mesh[1].transform = b->transforms[b->frame];
}

static void build_frame(void *user)
{
    struct subject *b = user;
    BENCH(bosc_collision_build(bench.ctx, b->collision, &b->mesh[0], &b->mesh[1]));
    BENCH(bosc_ctx_sync(bench.ctx));
}

/* Hashes the pairs of the frame (FNV-1a) and counts them. */
static uint64_t hash_pairs(struct subject *b, int64_t *count)
{
    uint64_t hash = 14695981039346656037u;
    BENCH(bosc_collision_pairs(bench.ctx, b->collision, NULL, 0, count));
    uint32_t *pairs = bench_host((size_t)(*count * 2 + 1) * sizeof *pairs);
    BENCH(bosc_collision_pairs(bench.ctx, b->collision, pairs, *count, count));
    for (int64_t i = 0; i < 2 * *count; i++) hash = (hash ^ pairs[i]) * 1099511628211u;
    free(pairs);
    return hash;
}

/* Checks that both cell sizes give the same pairs in all frames. Prints their numbers, and a hash to compare
 * backends. */
static void check_frames(struct subject *b, double cell, double other, const char *name)
{
    uint64_t hashes[2][FRAMES], all = 0;
    int64_t count, least = INT64_MAX, most = 0;
    for (int k = 0; k < 2; k++) {
        open_collision(b, k ? other : cell);
        for (int f = 0; f < FRAMES; f++) {
            next_frame(b);
            build_frame(b);
            hashes[k][f] = hash_pairs(b, &count);
            bench_check(k == 0 || hashes[0][f] == hashes[1][f], "frame %d: other pairs with another cell", b->frame);
            all = all * 31 + (k ? 0 : hashes[k][f]);
            least = count < least ? count : least;
            most = count > most ? count : most;
        }
    }
    bench_say("%s: %" PRId64 " and %" PRId64 " triangles, %" PRId64 " to %" PRId64 " pairs a frame, hash %016" PRIx64,
              name, b->mesh[0].triangle_count, b->mesh[1].triangle_count, least, most, all);
}

static void time_frames(struct subject *b, const char *name, double cell)
{
    bosc_collision_info info = {.size = sizeof info};
    open_collision(b, cell);
    for (int f = 0; f < FRAMES; f++) { /* memory for the largest */
        next_frame(b);
        build_frame(b);
    }
    struct bench_row row = {
        .name = name, .n = b->mesh[0].triangle_count, .ours = bench_time(next_frame, build_frame, b, bench.repeats)};
    BENCH(bosc_collision_get_info(bench.ctx, b->collision, &info));
    row.note = bench_text("%.1f a second; cell %.4g, %" PRId64 " entries, %" PRId64 " candidates in the last",
                          1 / row.ours.median, info.cell, info.entries, info.candidates);
    bench_print(&row);
}

int main(int argc, char **argv)
{
    struct subject b = {0};
    bench.n = 1000000;
    bench.repeats = 2 * FRAMES + 1;
    bench_options(argc, argv, "triangles of each mesh", NULL, 0);
    bench_open();
    bench_time_one_thread();
    bench_say("%s", bench_device());
    make_frames(&b, SMALL);
    check_frames(&b, 0, 1e6, "all with all"); /* one voxel */
    make_frames(&b, bench.n);
    check_frames(&b, 0, 2.1 / 128, "both cells");
    time_frames(&b, "frame", 0);
    time_frames(&b, "frame, 128^3 voxels", 2.1 / 128);
    bosc_collision_free(b.collision);
    return bench_close();
}
