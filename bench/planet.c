/* Times planets: bench_planet [-n triangles].
 * A raster of at least four heights a triangle (at most 8,192 x 4,096), mirrored so that it closes. Cases: the whole
 * globe within an error bound that about n (131,072) triangles satisfy; a budget of n triangles; a descent that begins
 * with about n triangles. In each frame of the descent the camera comes 3 % nearer; then one pass of splits and merges
 * (update), the nodes of the leaves (decode) and a mesh with normals (mesh). Arrays are in the backend's memory except
 * for the export, handles are warm. Meshes must be closed, every sample within the bound, and all bytes equal to those
 * of another context on the CPU. */
#include <math.h>
#include <stdlib.h>

#include "harness/bench.h"

enum { SKIPPED = 2, FRAMES_MAX = 200, GLOBES = 5 }; /* GLOBES: most repeats of a whole globe */
enum { UPDATE, DECODE, MESH, WHOLE, PARTS };

struct subject {
    bosc_planet *planet;
    bosc_planet_raster raster;
    float *heights, *vertices, *normals; /* the backend's, as all arrays but the host's */
    uint32_t *triangles, *host_triangles;
    float *host_vertices, *host_normals;
    uint64_t *nodes;
    int64_t capacity, counts[2]; /* capacity of the arrays in triangles; counts: vertices, triangles */
    bosc_planet_goal goal;
    bosc_planet_camera camera;
    int frames;
    double seconds[PARTS][FRAMES_MAX];
};

static int64_t count_triangles(const struct subject *b)
{
    int64_t counts[2];
    BENCH(bosc_planet_get_mesh(bench.ctx, b->planet, NULL, NULL, NULL, NULL, 0, NULL, 0, counts));
    return counts[1];
}

static void run_build(void *user)
{
    struct subject *b = user;
    BENCH(bosc_planet_build(bench.ctx, b->planet, &b->raster));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void run_select(void *user)
{
    struct subject *b = user;
    BENCH(bosc_planet_select(bench.ctx, b->planet, &b->goal));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void queue_nodes(struct subject *b)
{
    const bosc_bisectors *pool = bosc_planet_get_pool(b->planet);
    BENCH(bosc_bisectors_decode(bench.ctx, pool, 0, count_triangles(b), b->nodes));
}

static void run_mesh(void *user)
{
    struct subject *b = user;
    BENCH(bosc_planet_get_mesh(bench.ctx, b->planet, b->camera.position, b->vertices, NULL, b->normals,
                               b->capacity / 2 + 2, b->triangles, b->capacity, b->counts));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void run_measure(void *user)
{
    struct subject *b = user;
    bosc_planet_stats stats = {.size = sizeof stats};
    BENCH(bosc_planet_measure(bench.ctx, b->planet, &stats));
    bench_check(stats.max_error <= b->goal.error, "a sample is beyond the bound of %g", b->goal.error);
}

static void run_export(void *user)
{
    struct subject *b = user;
    run_select(b);
    BENCH(bosc_planet_get_mesh(bench.ctx, b->planet, NULL, b->host_vertices, NULL, b->host_normals, b->capacity / 2 + 2,
                               b->host_triangles, b->capacity, b->counts));
}

/* ---- the planet, and arrays for its mesh ---- */

/* The eastern half mirrors the western one: no cliff at the raster's seam. */
static void make_raster(struct subject *b)
{
    int64_t height = 64;
    while (height < 4096 && 2 * height * height < 4 * bench.n) height *= 2;
    const int64_t width = 2 * height;
    float *relief = bench_host((size_t)(height * height) * sizeof *relief);
    float *heights = bench_host((size_t)(width * height) * sizeof *heights);
    BENCH(bosc_random_heights(bench.ctx, BOSC_RANDOM_HEIGHTS_MOUNTAINS, 7, height, height, relief));
    for (int64_t i = 0; i < height * height; i++) {
        const int64_t row = i / height, column = i % height;
        heights[row * width + column] = heights[row * width + width - 1 - column] = relief[i];
    }
    b->heights = bench_array(heights, (size_t)(width * height) * sizeof *heights);
    b->raster = (bosc_planet_raster){.size = sizeof b->raster, .heights = b->heights, .width = width, .height = height};
    free(relief);
    free(heights);
}

static void open_subject(struct subject *b)
{
    const bosc_planet_opts opts = {.size = sizeof opts, .detail_amplitude = 300};
    *b = (struct subject){.goal.size = sizeof b->goal, .frames = bench.repeats + SKIPPED};
    make_raster(b);
    BENCH(bosc_planet_create(bench.ctx, &opts, &b->planet));
    run_build(b);
}

static void close_subject(struct subject *b)
{
    free(b->host_vertices);
    free(b->host_normals);
    free(b->host_triangles);
    bosc_planet_free(b->planet);
}

/* Grows the arrays to this number of triangles. */
static void reserve_arrays(struct subject *b, int64_t triangles)
{
    if (triangles <= b->capacity) return;
    const size_t vertex_bytes = (size_t)(triangles / 2 + 2) * 12, triangle_bytes = (size_t)triangles * 12;
    if (b->capacity > 0) {
        bench_release(b->vertices);
        bench_release(b->normals);
        bench_release(b->triangles);
        bench_release(b->nodes);
    }
    free(b->host_vertices);
    free(b->host_normals);
    free(b->host_triangles);
    b->vertices = bench_array(NULL, vertex_bytes);
    b->normals = bench_array(NULL, vertex_bytes);
    b->triangles = bench_array(NULL, triangle_bytes);
    b->nodes = bench_array(NULL, (size_t)triangles * sizeof *b->nodes);
    b->host_vertices = bench_host(vertex_bytes);
    b->host_normals = bench_host(vertex_bytes);
    b->host_triangles = bench_host(triangle_bytes);
    b->capacity = triangles;
}

/* ---- checks ---- */

/* True if each edge of a triangle is its neighbour's, in the opposite direction. */
static bool is_closed(const struct subject *b)
{
    const int64_t n = b->counts[1];
    int64_t *list = bench_host((size_t)n * sizeof *list), *across = bench_host((size_t)n * 3 * sizeof *across);
    uint32_t *corners = bench_host((size_t)n * 3 * sizeof *corners);
    bool closed = b->counts[0] == n / 2 + 2;
    for (int64_t t = 0; t < n; t++) list[t] = t;
    BENCH(bosc_bisectors_get_neighbours(bench.ctx, bosc_planet_get_pool(b->planet), list, n, across));
    BENCH(bosc_ctx_copy(bench.ctx, corners, b->triangles, (size_t)n * 3 * sizeof *corners));
    for (int64_t e = 0; e < 3 * n && closed; e++) {
        const int64_t o = across[e], next = e % 3 == 2 ? e - 2 : e + 1;
        closed = o >= 0 && o < 3 * n && across[o] == e && corners[next] != corners[e];
        if (closed) closed = corners[o] == corners[next] && corners[o % 3 == 2 ? o - 2 : o + 1] == corners[e];
    }
    free(list);
    free(across);
    free(corners);
    return closed;
}

/* Checks the latest mesh; returns a checksum. */
static uint64_t check_mesh(const struct subject *b, const char *name)
{
    uint64_t sum = 0xcbf29ce484222325u;
    bench_check(is_closed(b), "%s: the mesh is not closed", name);
    sum = bench_sum(b->vertices, (size_t)b->counts[0] * 12, sum);
    sum = bench_sum(b->normals, (size_t)b->counts[0] * 12, sum);
    return bench_sum(b->triangles, (size_t)b->counts[1] * 12, sum);
}

/* ---- the whole globe ---- */

/* Halves the bound until the mesh has n triangles, then refines it to 5 %. */
static void tune_bound(struct subject *b, double *bound)
{
    double factor = 2;
    do {
        *bound /= factor;
        run_select(b);
    } while (count_triangles(b) < bench.n);
    for (; factor > 1.05; factor = sqrt(factor)) {
        const double before = *bound;
        *bound *= sqrt(factor);
        run_select(b);
        if (count_triangles(b) < bench.n) *bound = before;
    }
}

/* Selects and checks the mesh within the goal's error; returns a checksum. */
static uint64_t make_globe(struct subject *b)
{
    run_select(b);
    reserve_arrays(b, count_triangles(b));
    run_mesh(b);
    run_measure(b);
    return check_mesh(b, "globe");
}

static void print_row(const char *name, struct subject *b, void (*run)(void *))
{
    struct bench_row row = {.name = name,
                            .ours = bench_time(NULL, run, b, bench.repeats < GLOBES ? bench.repeats : GLOBES)};
    row.n = count_triangles(b);
    if (b->goal.error > 0) row.data = bench_text("error %.6g", b->goal.error);
    bench_print(&row);
}

static uint64_t time_globe(struct subject *b)
{
    b->goal.error = 0x1p+22;
    tune_bound(b, &b->goal.error);
    const uint64_t sum = make_globe(b);
    bench_say("globe: %" PRId64 " triangles within %g, sum %016" PRIx64, b->counts[1], b->goal.error, sum);
    print_row("globe: select", b, run_select);
    print_row("globe: mesh", b, run_mesh);
    print_row("globe: measure every sample", b, run_measure);
    print_row("globe: export to host memory", b, run_export);
    bosc_planet_goal bound = b->goal;
    b->goal.error = 0;
    b->goal.triangles = bench.n;
    print_row("globe: budget", b, run_select);
    bench_check(count_triangles(b) <= bench.n, "more triangles than the budget of %" PRId64, bench.n);
    b->goal = bound;
    return sum;
}

/* ---- the descent ---- */

static void place_camera(struct subject *b, int frame)
{
    const double altitude = 30000 * pow(0.97, frame);
    BENCH(bosc_planet_place(bench.ctx, b->planet, 30 + 0.002 * frame, 40, altitude, 20, -30, &b->camera));
}

/* Resets the mesh to the roots, and selects the one for the first camera. */
static void select_first_mesh(struct subject *b)
{
    const bosc_planet_goal none = {.size = sizeof none, .triangles = 8};
    BENCH(bosc_planet_select(bench.ctx, b->planet, &none));
    place_camera(b, 0);
    b->goal.passes = 0;
    run_select(b);
    b->goal.passes = 1;
}

/* Flies the descent; times each frame as a whole or by its parts. */
static void fly_down(struct subject *b, bool parts)
{
    select_first_mesh(b);
    for (int f = 0; f < b->frames; f++) {
        double at[PARTS];
        place_camera(b, f + 1);
        const double begin = bench_now();
        BENCH(bosc_planet_select(bench.ctx, b->planet, &b->goal));
        if (parts) BENCH(bosc_ctx_sync(bench.ctx));
        at[UPDATE] = bench_now();
        reserve_arrays(b, count_triangles(b));
        queue_nodes(b);
        if (parts) BENCH(bosc_ctx_sync(bench.ctx));
        at[DECODE] = bench_now();
        run_mesh(b);
        at[MESH] = bench_now();
        const int k = f - SKIPPED;
        if (k >= 0 && !parts) b->seconds[WHOLE][k] = at[MESH] - begin;
        for (int p = UPDATE; p <= MESH && parts && k >= 0; p++)
            b->seconds[p][k] = at[p] - (p == UPDATE ? begin : at[p - 1]);
    }
}

static uint64_t check_flight(struct subject *b)
{
    const uint64_t sum = check_mesh(b, "frame");
    return bench_sum(b->nodes, (size_t)b->counts[1] * sizeof *b->nodes, sum);
}

static void prepare_flight(struct subject *b, double pixels)
{
    b->camera = (bosc_planet_camera){.fov = 1, .pixels = pixels, .width = 1920, .height = 1080, .cull = 1};
    b->goal = (bosc_planet_goal){.size = sizeof b->goal, .camera = &b->camera, .hysteresis = 0.2};
    place_camera(b, 0);
}

static uint64_t time_flight(struct subject *b)
{
    static const char *const names[PARTS] = {"frame: update", "frame: decode", "frame: mesh", "frame"};
    prepare_flight(b, 1024);
    tune_bound(b, &b->camera.pixels);
    fly_down(b, false); /* the warm-up */
    const uint64_t sum = check_flight(b);
    for (int parts = 0; parts < 2; parts++) {
        fly_down(b, parts);
        bench_check(check_flight(b) == sum, "the second flight ends with another mesh");
    }
    bench_say("descent: %" PRId64 " triangles at its end, for errors of %.4g pixels, sum %016" PRIx64, b->counts[1],
              b->camera.pixels, sum);
    for (int p = 0; p < PARTS; p++) {
        struct bench_row row = {.name = names[p],
                                .data = bench_text("%.3g pixels", b->camera.pixels),
                                .n = b->counts[1],
                                .ours = bench_median_of(b->seconds[p], b->frames - SKIPPED)};
        bench_print(&row);
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct subject b, other;
    bench.n = 131072;
    bench.repeats = 21;
    bench_options(argc, argv, "triangles", NULL, 0);
    if (bench.n < 64 || bench.n > 100000000) bench_fail("-n: %" PRId64 " is not from 64 to 100000000", bench.n);
    if (bench.repeats > FRAMES_MAX - SKIPPED) bench.repeats = FRAMES_MAX - SKIPPED;
    bench_open();
    open_subject(&b);
    bench_say("%s: %" PRId64 " x %" PRId64 " heights", bench_device(), b.raster.width, b.raster.height);
    bench_row("raster", b.raster.width * b.raster.height, bench_time(NULL, run_build, &b, bench.repeats));
    const uint64_t globe = time_globe(&b);
    const double error = b.goal.error;
    const uint64_t flight = time_flight(&b);
    close_subject(&b);
    bench_reopen();
    open_subject(&other);
    other.goal.error = error;
    bench_check(make_globe(&other) == globe, "globe: another mesh than on %s", bench_device());
    prepare_flight(&other, b.camera.pixels);
    fly_down(&other, false);
    bench_check(check_flight(&other) == flight, "descent: another mesh than on %s", bench_device());
    close_subject(&other);
    return bench_close();
}
