/* Times spatial hashing as in its source: bench_voxelgrid [-n voxels]. An object of about n voxels moves through a
 * virtual grid of 2 n voxels (128^3 for 1,048,576). Each frame builds a new structure of its voxels and looks up those
 * of another object: in a voxel grid of points, and in a hash table of voxel numbers (a set). Arrays are in the
 * backend's memory, handles are warm, every frame's answer is compared with a map of all voxels. Source: Alcantara et
 * al., Real-time Parallel Hashing on the GPU (2009), 27 frames a second on a GTX 280. */
#include <math.h>
#include <stdlib.h>

#include "harness/bench.h"
#include "harness/voxels.h"

enum { FRAMES = 8 };

/* Voxels in the backend's memory: their middles, and their numbers. */
struct object {
    int64_t n;
    float *points;
    uint32_t *keys;
};

struct subject {
    int64_t side;
    struct object moving[FRAMES], still;
    int64_t shared[FRAMES]; /* voxels of both objects */
    bosc_voxelgrid *grid;
    bosc_hash *table;
    int64_t *counts; /* the backend's */
    uint8_t *found;
    int frame;
    double radius;
};

static struct object make_object(struct subject *b, double waves, double time, uint8_t *map)
{
    int64_t n;
    uint32_t *keys = bench_voxels(b->side, waves, time, map, &n);
    float *points = bench_host((size_t)n * 3 * sizeof *points);
    for (int64_t i = 0; i < n; i++) {
        int64_t key = keys[i];
        for (int a = 0; a < 3; a++, key /= b->side) points[3 * i + a] = (float)(key % b->side) + 0.5f;
    }
    struct object o = {n, bench_array(points, (size_t)n * 12), bench_array(keys, (size_t)n * 4)};
    free(points);
    free(keys);
    return o;
}

static void make_frames(struct subject *b)
{
    size_t all = (size_t)(b->side * b->side * b->side);
    uint8_t *still = bench_host(all), *moving = bench_host(all);
    b->still = make_object(b, 5.3, 0.7, still);
    for (int f = 0; f < FRAMES; f++) {
        b->moving[f] = make_object(b, 4, 0.05 * f, moving);
        for (size_t key = 0; key < all; key++) b->shared[f] += still[key] & moving[key];
    }
    free(still);
    free(moving);
    b->counts = bench_array(NULL, (size_t)b->still.n * sizeof *b->counts);
    b->found = bench_array(NULL, (size_t)b->still.n);
}

static void next_frame(void *user)
{
    struct subject *b = user;
    b->frame = (b->frame + 1) % FRAMES;
}

static void build_grid(void *user)
{
    struct subject *b = user;
    const struct object *o = &b->moving[b->frame];
    BENCH(bosc_voxelgrid_build(bench.ctx, b->grid, o->points, o->n, 0));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void look_up_grid(void *user)
{
    struct subject *b = user;
    BENCH(bosc_voxelgrid_voxel_count(bench.ctx, b->grid, b->still.points, b->still.n, 0, b->counts));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void run_grid_frame(void *user)
{
    build_grid(user);
    look_up_grid(user);
}

static void count_near_grid(void *user)
{
    struct subject *b = user;
    BENCH(bosc_voxelgrid_radius_count(bench.ctx, b->grid, b->still.points, b->still.n, 0, b->radius, b->counts));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void count_pairs_grid(void *user)
{
    struct subject *b = user;
    int64_t count;
    BENCH(bosc_voxelgrid_pairs(bench.ctx, b->grid, b->radius, NULL, NULL, 0, &count));
}

static void count_groups_grid(void *user)
{
    struct subject *b = user;
    int64_t count;
    BENCH(bosc_voxelgrid_components(bench.ctx, b->grid, b->radius, NULL, &count));
}

static void build_hash(void *user)
{
    struct subject *b = user;
    const struct object *o = &b->moving[b->frame];
    BENCH(bosc_hash_build(bench.ctx, b->table, o->keys, NULL, o->n));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void look_up_hash(void *user)
{
    struct subject *b = user;
    BENCH(bosc_hash_find(bench.ctx, b->table, b->still.keys, b->still.n, NULL, b->found));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void run_hash_frame(void *user)
{
    build_hash(user);
    look_up_hash(user);
}

/* Checks every frame of both structures. */
static void check_frames(struct subject *b)
{
    size_t m = (size_t)b->still.n;
    int64_t *counts = bench_host(m * sizeof *counts);
    uint8_t *found = bench_host(m);
    for (b->frame = 0; b->frame < FRAMES; b->frame++) {
        int64_t by_grid = 0, by_hash = 0;
        run_grid_frame(b);
        run_hash_frame(b);
        BENCH(bosc_ctx_copy(bench.ctx, counts, b->counts, m * sizeof *counts));
        BENCH(bosc_ctx_copy(bench.ctx, found, b->found, m));
        BENCH(bosc_ctx_sync(bench.ctx));
        for (size_t i = 0; i < m; i++) {
            by_grid += counts[i];
            by_hash += found[i];
        }
        if (by_grid != b->shared[b->frame] || by_hash != b->shared[b->frame]) {
            bench_fail("frame %d: %" PRId64 " and %" PRId64 " voxels, not %" PRId64, b->frame, by_grid, by_hash,
                       b->shared[b->frame]);
        }
    }
    b->frame = 0;
    free(counts);
    free(found);
}

static void time_case(struct subject *b, const char *name, void (*run)(void *), int repeats)
{
    struct bench_row row = {.name = name, .n = b->still.n, .ours = bench_time(next_frame, run, b, repeats)};
    row.note = bench_text("%.1f a second", 1 / row.ours.median);
    bench_print(&row);
}

int main(int argc, char **argv)
{
    struct subject b = {.radius = 1};
    bench.n = 1 << 20;
    bench.repeats = 21;
    bench_options(argc, argv, "voxels", NULL, 0);
    /* 1. The objects of all frames, and the handles. */
    bench_open();
    const int at_most_5 = bench.repeats < 5 ? bench.repeats : 5; /* repeats of the slow cases */
    b.side = (int64_t)(cbrt(2 * (double)bench.n) + 0.5);
    make_frames(&b);
    bosc_voxelgrid_opts go = {.size = sizeof go, .dim = 3, .cell = 1, .assume_valid = 1};
    bosc_hash_opts ho = {.size = sizeof ho, .key_bits = 32};
    BENCH(bosc_voxelgrid_create(bench.ctx, &go, &b.grid));
    BENCH(bosc_hash_create(bench.ctx, &ho, &b.table));
    check_frames(&b);
    bench_say("%s: %" PRId64 "^3 voxels, %" PRId64 " moving, %" PRId64 " looked up, %" PRId64 " met in the first frame",
              bench_device(), b.side, b.moving[0].n, b.still.n, b.shared[0]);
    /* 2. Time the frames and their parts. */
    time_case(&b, "voxel grid: frame", run_grid_frame, bench.repeats);
    time_case(&b, "  build", build_grid, bench.repeats);
    time_case(&b, "  look up the other object's voxels", look_up_grid, bench.repeats);
    time_case(&b, "  points within 1 of the other's", count_near_grid, at_most_5);
    time_case(&b, "  pairs within 1, counted", count_pairs_grid, at_most_5);
    time_case(&b, "  groups within 1", count_groups_grid, at_most_5);
    time_case(&b, "hash set of voxel numbers: frame", run_hash_frame, bench.repeats);
    time_case(&b, "  build", build_hash, bench.repeats);
    time_case(&b, "  look up the other object's voxels", look_up_hash, bench.repeats);
    bosc_hash_free(b.table);
    bosc_voxelgrid_free(b.grid);
    return bench_close();
}
