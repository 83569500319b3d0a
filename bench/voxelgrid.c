/* Times spatial hashing as its source uses it: bench_voxelgrid [-n voxels] [-t threads] [-r repeats] [-b backend]. An
 * object of about n voxels moves through a virtual grid of 2 n voxels (128^3 for 1,048,576); each frame its voxels are
 * put into a new structure, and those of another object looked up in it: by a voxel grid of points, and by a hash table
 * of voxel numbers (a set). Arrays are in the backend's memory, handles are warm, every frame's answer is checked
 * against a map of all voxels. Source: Alcantara et al., Real-time Parallel Hashing on the GPU (2009), 27 frames a
 * second on a GTX 280. */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/boscage.h>
#include <boscage/hash.h>
#include <boscage/spatial.h>

#include "harness/options.h"
#include "harness/timing.h"

enum { FRAMES = 8 };

/* Voxels in the backend's memory: their middles, and their numbers. */
struct object {
    int64_t n;
    float *points;
    uint32_t *keys;
};

struct bench {
    bosc_ctx *ctx;
    int64_t side;
    struct object moving[FRAMES], still;
    int64_t shared[FRAMES]; /* voxels of both objects */
    bosc_grid *grid;
    bosc_hash *table;
    int64_t *counts; /* the backend's */
    uint8_t *found;
    int frame;
    double radius;
};

static void *send(struct bench *b, const void *from, size_t bytes)
{
    void *to = NULL;
    DO(b, bosc_alloc(b->ctx, bytes, &to));
    if (from) DO(b, bosc_copy(b->ctx, to, from, bytes));
    return to;
}

/* Half of space: one side of a gyroid of about `waves` periods, moved along the diagonal and turned by `time`. */
static bool is_inside(const struct bench *b, int64_t key, double waves, double time)
{
    double k = 6.283185307179586 * waves / (double)b->side, s = sin(time), c = cos(time), p[3];
    for (int a = 0; a < 3; a++, key /= b->side) p[a] = k * ((double)(key % b->side) + 0.5) + 3 * time;
    double x = c * p[0] - s * p[1], y = s * p[0] + c * p[1], z = p[2];
    return sin(x) * cos(y) + sin(y) * cos(z) + sin(z) * cos(x) > 0;
}

/* Marks the object's voxels in `map`, and lists them in an order that is not theirs in space. */
static struct object make_object(struct bench *b, double waves, double time, uint8_t *map)
{
    int64_t all = b->side * b->side * b->side, n = 0;
    float *points = host((size_t)all * 3 * sizeof *points);
    uint32_t *keys = host((size_t)all * sizeof *keys);
    uint64_t random = 1;
    for (int64_t key = 0; key < all; key++) {
        map[key] = is_inside(b, key, waves, time);
        if (map[key]) keys[n++] = (uint32_t)key;
    }
    for (int64_t i = n - 1; i > 0; i--) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        int64_t j = (int64_t)((random >> 33) % (uint64_t)(i + 1));
        uint32_t key = keys[i];
        keys[i] = keys[j];
        keys[j] = key;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t key = keys[i];
        for (int a = 0; a < 3; a++, key /= b->side) points[3 * i + a] = (float)(key % b->side) + 0.5f;
    }
    struct object o = {n, send(b, points, (size_t)n * 12), send(b, keys, (size_t)n * 4)};
    free(points);
    free(keys);
    return o;
}

static void make_frames(struct bench *b)
{
    size_t all = (size_t)(b->side * b->side * b->side);
    uint8_t *still = host(all), *moving = host(all);
    b->still = make_object(b, 5.3, 0.7, still);
    for (int f = 0; f < FRAMES; f++) {
        b->moving[f] = make_object(b, 4, 0.05 * f, moving);
        for (size_t key = 0; key < all; key++) b->shared[f] += still[key] & moving[key];
    }
    free(still);
    free(moving);
    b->counts = send(b, NULL, (size_t)b->still.n * sizeof *b->counts);
    b->found = send(b, NULL, (size_t)b->still.n);
}

static void next_frame(void *user)
{
    struct bench *b = user;
    b->frame = (b->frame + 1) % FRAMES;
}

static void build_grid(void *user)
{
    struct bench *b = user;
    const struct object *o = &b->moving[b->frame];
    DO(b, bosc_grid_build(b->ctx, b->grid, o->points, o->n, 0));
    DO(b, bosc_sync(b->ctx));
}

static void meet_grid(void *user)
{
    struct bench *b = user;
    DO(b, bosc_grid_voxel_count(b->ctx, b->grid, b->still.points, b->still.n, 0, b->counts));
    DO(b, bosc_sync(b->ctx));
}

static void grid_frame(void *user)
{
    build_grid(user);
    meet_grid(user);
}

static void near_grid(void *user)
{
    struct bench *b = user;
    DO(b, bosc_grid_radius_count(b->ctx, b->grid, b->still.points, b->still.n, 0, b->radius, b->counts));
    DO(b, bosc_sync(b->ctx));
}

static void pairs_grid(void *user)
{
    struct bench *b = user;
    int64_t count;
    DO(b, bosc_grid_pairs(b->ctx, b->grid, b->radius, NULL, NULL, 0, &count));
}

static void groups_grid(void *user)
{
    struct bench *b = user;
    int64_t count;
    DO(b, bosc_grid_groups(b->ctx, b->grid, b->radius, NULL, &count));
}

static void build_hash(void *user)
{
    struct bench *b = user;
    const struct object *o = &b->moving[b->frame];
    DO(b, bosc_hash_build(b->ctx, b->table, o->keys, NULL, o->n));
    DO(b, bosc_sync(b->ctx));
}

static void meet_hash(void *user)
{
    struct bench *b = user;
    DO(b, bosc_hash_find(b->ctx, b->table, b->still.keys, b->still.n, NULL, b->found));
    DO(b, bosc_sync(b->ctx));
}

static void hash_frame(void *user)
{
    build_hash(user);
    meet_hash(user);
}

/* Every frame by both structures. */
static void check(struct bench *b)
{
    size_t m = (size_t)b->still.n;
    int64_t *counts = host(m * sizeof *counts);
    uint8_t *found = host(m);
    for (b->frame = 0; b->frame < FRAMES; b->frame++) {
        int64_t by_grid = 0, by_hash = 0;
        grid_frame(b);
        hash_frame(b);
        DO(b, bosc_copy(b->ctx, counts, b->counts, m * sizeof *counts));
        DO(b, bosc_copy(b->ctx, found, b->found, m));
        DO(b, bosc_sync(b->ctx));
        for (size_t i = 0; i < m; i++) {
            by_grid += counts[i];
            by_hash += found[i];
        }
        if (by_grid != b->shared[b->frame] || by_hash != b->shared[b->frame]) {
            fprintf(stderr, "bench_voxelgrid: frame %d: %" PRId64 " and %" PRId64 " voxels, not %" PRId64 "\n", b->frame,
                    by_grid, by_hash, b->shared[b->frame]);
            exit(1);
        }
    }
    b->frame = 0;
    free(counts);
    free(found);
}

static void row(struct bench *b, const char *name, void (*run)(void *), int repeats)
{
    struct timing t = timing_of(next_frame, run, b, repeats);
    printf("%-40s %10.3f %10.3f %12.1f\n", name, 1e3 * t.least, 1e3 * t.median, 1 / t.median);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct bench b = {.radius = 1};
    struct bench_options o = {.n = 1 << 20, .repeats = 21};
    bench_options_take(&o, argc, argv, "voxels");
    if (bosc_ctx_create(&o.ctx, &b.ctx) != BOSC_OK) fail(NULL, bosc_backend_reason(o.ctx.backend));
    b.side = (int64_t)(cbrt(2 * (double)o.n) + 0.5);
    make_frames(&b);
    bosc_grid_opts go = {.size = sizeof go, .dim = 3, .cell = 1, .assume_valid = 1};
    bosc_hash_opts ho = {.size = sizeof ho, .key_bits = 32};
    DO(&b, bosc_grid_create(b.ctx, &go, &b.grid));
    DO(&b, bosc_hash_create(b.ctx, &ho, &b.table));
    check(&b);
    printf("%" PRId64 "^3 voxels, %" PRId64 " moving, %" PRId64 " looked up, %" PRId64 " met in the first frame\n",
           b.side, b.moving[0].n, b.still.n, b.shared[0]);
    printf("%-40s %10s %10s %12s\n", "", "least ms", "median ms", "a second");
    row(&b, "voxel grid: frame", grid_frame, o.repeats);
    row(&b, "  build", build_grid, o.repeats);
    row(&b, "  look up the other object's voxels", meet_grid, o.repeats);
    row(&b, "  points within 1 of the other's", near_grid, o.repeats < 5 ? o.repeats : 5);
    row(&b, "  pairs within 1, counted", pairs_grid, o.repeats < 5 ? o.repeats : 5);
    row(&b, "  groups within 1", groups_grid, o.repeats < 5 ? o.repeats : 5);
    row(&b, "hash set of voxel numbers: frame", hash_frame, o.repeats);
    row(&b, "  build", build_hash, o.repeats);
    row(&b, "  look up the other object's voxels", meet_hash, o.repeats);
    bosc_hash_free(b.table);
    bosc_grid_free(b.grid);
    bosc_ctx_free(b.ctx);
    return 0;
}
