/* Times voxel grids: bench_voxelgrid [-n voxels or points] [-s shape [-k neighbours]].
 * With -s, of the points of a shape (harness/shapes.h), voxels as wide as the radius within which a point has k others
 * in the mean (default 8); some counts are compared with a search of every point.
 * Without, spatial hashing as in its source. An object of about n voxels moves through a
 * virtual grid of 2 n voxels (128^3 for 1,048,576). Each frame builds a new structure of its voxels and looks up those
 * of another object: in a voxel grid of points, and in a hash table of voxel numbers (a set). Arrays are in the
 * backend's memory, handles are warm, every frame's answer is compared with a map of all voxels. Source: Alcantara et
 * al., Real-time Parallel Hashing on the GPU (2009), 27 frames a second on a GTX 280. */
#include <math.h>
#include <stdlib.h>

#include "harness/bench.h"
#include "harness/shapes.h"
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

/* ---- points of a shape ---- */

static struct {
    float *host, *points; /* points: the backend's */
    int64_t *counts;      /* the backend's */
    int64_t *pairs, pair_count;
    double radius;
    bosc_voxelgrid *grid;
} cloud;

static void build_cloud(void *user)
{
    (void)user;
    BENCH(bosc_voxelgrid_build(bench.ctx, cloud.grid, cloud.points, bench.n, 0));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void count_cloud(void *user)
{
    (void)user;
    BENCH(bosc_voxelgrid_radius_count(bench.ctx, cloud.grid, NULL, bench.n, 0, cloud.radius, cloud.counts));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void build_and_count_cloud(void *user)
{
    build_cloud(user);
    count_cloud(user);
}

static void count_cloud_pairs(void *user)
{
    (void)user;
    BENCH(bosc_voxelgrid_pairs(bench.ctx, cloud.grid, cloud.radius, NULL, NULL, 0, &cloud.pair_count));
}

static void list_cloud_pairs(void *user)
{
    int64_t count;
    (void)user;
    BENCH(bosc_voxelgrid_pairs(bench.ctx, cloud.grid, cloud.radius, cloud.pairs, NULL, cloud.pair_count, &count));
}

static void count_cloud_groups(void *user)
{
    int64_t count;
    (void)user;
    BENCH(bosc_voxelgrid_components(bench.ctx, cloud.grid, cloud.radius, NULL, &count));
}

/* Compares the counts of eight points with a search of all, and their sum with the pairs. */
static void check_cloud(void)
{
    int64_t *counts = bench_host((size_t)bench.n * sizeof *counts), sum = 0;
    const float r2 = (float)cloud.radius * (float)cloud.radius;
    BENCH(bosc_ctx_copy(bench.ctx, counts, cloud.counts, (size_t)bench.n * sizeof *counts));
    for (int64_t i = 0; i < bench.n; i++) sum += counts[i];
    bench_check(sum == 2 * cloud.pair_count + bench.n, "%" PRId64 " neighbours, %" PRId64 " pairs", sum,
                cloud.pair_count);
    for (int64_t k = 0; k < 8 && bench.n >= 8; k++) {
        const int64_t q = bench.n / 8 * k;
        int64_t within = 0;
        for (int64_t i = 0; i < bench.n; i++) {
            float d2 = 0;
            for (int c = 0; c < 3; c++) {
                const float d = cloud.host[3 * i + c] - cloud.host[3 * q + c];
                d2 = d2 + d * d;
            }
            within += d2 <= r2;
        }
        bench_check(within == counts[q], "the count of point %" PRId64, q);
    }
    free(counts);
}

static void time_cloud_case(const char *name, void (*run)(void *))
{
    bench_row(name, bench.n, bench_time(NULL, run, NULL, bench.repeats < 5 ? bench.repeats : 5));
}

static void time_cloud(const char *shape, double neighbours)
{
    /* 1. Points, and a radius that is a float. */
    cloud.host = bench_points(shape, bench.n, 3, 5);
    cloud.radius = (double)(float)bench_radius(cloud.host, bench.n, 3, neighbours);
    if (cloud.radius <= 0) bench_fail("-s: %s has more equal points than neighbours", shape);
    cloud.points = bench_array(cloud.host, (size_t)bench.n * 12);
    cloud.counts = bench_array(NULL, (size_t)bench.n * sizeof *cloud.counts);
    const bosc_voxelgrid_opts o = {.size = sizeof o, .dim = 3, .cell = cloud.radius, .assume_valid = 1};
    BENCH(bosc_voxelgrid_create(bench.ctx, &o, &cloud.grid));
    bench_say("%s: %" PRId64 " %s points, radius %g", bench_device(), bench.n, shape, cloud.radius);
    /* 2. The cases of bench_voxelgrid_cuda. */
    time_cloud_case("build", build_cloud);
    time_cloud_case("neighbours of all points counted", count_cloud);
    time_cloud_case("build and count", build_and_count_cloud);
    time_cloud_case("pairs counted", count_cloud_pairs);
    cloud.pairs = bench_array(NULL, (size_t)cloud.pair_count * 16);
    time_cloud_case("pairs listed", list_cloud_pairs);
    time_cloud_case("groups", count_cloud_groups);
    bench_say("%" PRId64 " pairs", cloud.pair_count);
    check_cloud();
    bosc_voxelgrid_free(cloud.grid);
    free(cloud.host);
}

int main(int argc, char **argv)
{
    struct subject b = {.radius = 1};
    const char *shape = NULL;
    double neighbours = 8;
    const struct bench_option own[] = {{'s', BENCH_TEXT, &shape, SHAPE_TEXT(POINT_SHAPES)},
                                       {'k', BENCH_NUMBER, &neighbours, "neighbours of a point, on average"}};
    bench.n = 1 << 20;
    bench.repeats = 21;
    bench_options(argc, argv, "voxels", own, 2);
    bench_open();
    if (shape) {
        time_cloud(shape, neighbours);
        return bench_close();
    }
    /* 1. The objects of all frames, and the handles. */
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
