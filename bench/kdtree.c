/* Times k-d trees: bench_kdtree [-n points] [-m queries] [-d dim] [-s shape] [-q shape of the queries] [-y dtype]
 * [-w all, queries, nearest or published] [-l CPU level]. All arrays are in the backend's memory, handles are warm.
 * Checksums of the answers, which programs for other libraries print too, follow the rows; some answers are compared
 * with a search of every point. One thread is timed by its processor time, except for the stages of `-w
 * published`, which come from bosc_kdtree_get_times. Repeated builds and searches take several sets of points and
 * queries in turn (bench_sets). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"
#include "harness/shapes.h"

enum { CHECKED = 8, MANY = 4096 /* neighbours of a query that take too long to count; not measured */ };

static struct {
    int64_t n, m, dim, k, capacity, level;
    const char *shape, *query_shape, *type, *what;
    bosc_dtype dtype;
    bosc_kdtree *tree;
    void *points, *queries, *boxes, *ids, *dist2; /* the backend's; boxes: queries +- the radius */
    int64_t *offsets;
    int sets, calls;     /* sets of queries; calls that have taken one */
    void *first_queries; /* all sets of queries */
    float *floats;       /* the points before the conversion to their type */
    void *host_points, *host_queries;
    double radius;
} set = {.m = 1 << 20, .dim = 3, .shape = "uniform", .type = "f4", .what = "all"};

static void build_tree(void *user)
{
    (void)user;
    BENCH(bosc_kdtree_build(bench.ctx, set.tree, set.points, set.n, 0));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void select_queries(int number)
{
    set.queries = (char *)set.first_queries + (size_t)(number * set.m * set.dim) * bosc_dtype_size(set.dtype);
}

/* The untimed preparation of a search: the next set of queries. */
static void take_next_queries(void *user)
{
    (void)user;
    select_queries(set.calls++ % set.sets);
}

/* Builds from a set of queries, if there are several of the size of the points: another draw of the same shape. Else
 * from the same points again. */
static void build_next_tree(void *user)
{
    (void)user;
    BENCH(bosc_kdtree_build(bench.ctx, set.tree, set.sets > 1 && set.n == set.m ? set.queries : set.points, set.n, 0));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void run_knn(void *user)
{
    (void)user;
    BENCH(bosc_kdtree_knn(bench.ctx, set.tree, set.queries, set.m, 0, set.k, set.ids, set.dist2));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void knn_all(void *user)
{
    (void)user;
    BENCH(bosc_kdtree_knn(bench.ctx, set.tree, set.points, set.n, 0, set.k, set.ids, NULL));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void knn_within(void *user)
{
    (void)user;
    BENCH(bosc_kdtree_knn_within(bench.ctx, set.tree, set.queries, set.m, 0, set.k, set.radius, set.ids, set.dist2));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void knn_self(void *user)
{
    (void)user;
    BENCH(bosc_kdtree_knn_self(bench.ctx, set.tree, set.k, set.ids, NULL));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void radius_count(void *user)
{
    (void)user;
    BENCH(bosc_kdtree_radius_count(bench.ctx, set.tree, set.queries, set.m, 0, set.radius, set.offsets));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void radius_offsets(void)
{
    BENCH(bosc_kdtree_radius(bench.ctx, set.tree, set.queries, set.m, 0, set.radius, set.offsets, NULL, NULL, 0));
}

static void radius_rows(void *user)
{
    (void)user;
    radius_offsets();
    BENCH(bosc_kdtree_radius(bench.ctx, set.tree, set.queries, set.m, 0, set.radius, set.offsets, set.ids, NULL,
                             set.capacity));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void box_counts(void *user)
{
    (void)user;
    BENCH(bosc_kdtree_box(bench.ctx, set.tree, set.boxes, set.m, set.offsets, NULL, 0));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void box_rows(void *user)
{
    (void)user;
    BENCH(bosc_kdtree_box(bench.ctx, set.tree, set.boxes, set.m, set.offsets, set.ids, set.capacity));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static size_t dist2_size(void) { return set.dtype == BOSC_F32 ? 4 : 8; }

/* Bytes of `count` points or queries, and of k neighbours of each. */
static double row_bytes(int64_t count, int64_t k)
{
    return (double)count * (double)((int64_t)bosc_dtype_size(set.dtype) * set.dim + k * (4 + (int64_t)dist2_size()));
}

/* bytes: the least number moved, or 0. */
static void time_case(const char *name, void (*run)(void *), int64_t items, double bytes, int repeats)
{
    bench_row_of_bytes(name, items, bytes, bench_time(take_next_queries, run, NULL, repeats));
}

/* The same for a search whose results are then checked: those of the first set. */
static void time_checked_case(const char *name, void (*run)(void *), int64_t items, double bytes)
{
    time_case(name, run, items, bytes, bench.repeats);
    select_queries(0);
    run(NULL);
}

static void create_tree(bosc_kdtree_builder builder, bosc_kdtree_duplicates duplicates)
{
    bosc_kdtree_opts o = {.size = sizeof o,
                          .dtype = set.dtype,
                          .dim = (int32_t)set.dim,
                          .builder = builder,
                          .duplicates = duplicates,
                          .id_bits = 32,
                          .assume_valid = 1};
    BENCH(bosc_kdtree_create(bench.ctx, &o, &set.tree));
}

/* --- Checks ------------------------------------------------------------------------------------------------------- */

static double dist2_of(const void *dist2, int64_t at)
{
    return set.dtype == BOSC_F32 ? (double)((const float *)dist2)[at] : ((const double *)dist2)[at];
}

static double element(const void *data, int64_t at)
{
    switch (set.dtype) {
    case BOSC_F32: return (double)((const float *)data)[at];
    case BOSC_F64: return ((const double *)data)[at];
    case BOSC_I32: return (double)((const int32_t *)data)[at];
    default: return (double)((const int64_t *)data)[at];
    }
}

/* The squared distance of point i from query q, as the library defines it. */
static double distance(int64_t i, int64_t q)
{
    float single = 0;
    double sum = 0;
    for (int64_t c = 0; c < set.dim; c++) {
        double x = element(set.host_queries, q * set.dim + c), y = element(set.host_points, i * set.dim + c);
        float f = (float)x - (float)y;
        single = single + f * f;
        sum = sum + (x - y) * (x - y);
    }
    return set.dtype == BOSC_F32 ? (double)single : sum;
}

static int64_t checked_query(int i) { return set.m / CHECKED * i; }

/* Points nearer than d, and those not farther. */
static void count_points(int64_t q, double d, int64_t *nearer, int64_t *within)
{
    *nearer = *within = 0;
    for (int64_t i = 0; i < set.n; i++) {
        double x = distance(i, q);
        *nearer += x < d;
        *within += x <= d;
    }
}

static void check_distances(const char *name)
{
    size_t count = (size_t)(set.m * set.k);
    void *dist2 = bench_host(count * dist2_size());
    double sum = 0;
    BENCH(bosc_ctx_copy(bench.ctx, dist2, set.dist2, count * dist2_size()));
    for (size_t i = 0; i < count; i++) sum += dist2_of(dist2, (int64_t)i);
    bench_say("%s: sum of dist2 %.12g", name, sum);
    for (int i = 0; i < CHECKED && set.m >= CHECKED; i++) {
        int64_t q = checked_query(i), nearer, within;
        count_points(q, dist2_of(dist2, (q + 1) * set.k - 1), &nearer, &within);
        bench_check(nearer < set.k && within >= set.k, "%s: a distance of query %" PRId64, name, q);
    }
    free(dist2);
}

static void check_counts(void)
{
    int64_t *counts = bench_host((size_t)set.m * sizeof *counts), nearer, within;
    double r2 = set.dtype == BOSC_F32 ? (double)((float)set.radius * (float)set.radius) : set.radius * set.radius;
    BENCH(bosc_ctx_copy(bench.ctx, counts, set.offsets, (size_t)set.m * sizeof *counts));
    for (int i = 0; i < CHECKED && set.m >= CHECKED; i++) {
        int64_t q = checked_query(i);
        count_points(q, r2, &nearer, &within);
        bench_check(counts[q] == within, "the count of query %" PRId64, q);
    }
    free(counts);
}

/* Coordinate c of the lower (sign -1) or upper (1) corner of a query's box. */
static double corner(int64_t q, int64_t c, int sign)
{
    double x = element(set.host_queries, q * set.dim + c) + sign * set.radius;
    return set.dtype == BOSC_F32 ? (double)(float)x : set.dtype == BOSC_F64 ? x : floor(x);
}

static bool in_box(int64_t i, int64_t q)
{
    bool inside = true;
    for (int64_t c = 0; c < set.dim; c++) {
        double x = element(set.host_points, i * set.dim + c);
        inside &= corner(q, c, -1) <= x && x <= corner(q, c, 1);
    }
    return inside;
}

static void check_boxes(void)
{
    int64_t *offsets = bench_host(((size_t)set.m + 1) * sizeof *offsets);
    BENCH(bosc_ctx_copy(bench.ctx, offsets, set.offsets, ((size_t)set.m + 1) * sizeof *offsets));
    for (int i = 0; i < CHECKED && set.m >= CHECKED; i++) {
        int64_t q = checked_query(i), within = 0;
        for (int64_t p = 0; p < set.n; p++) within += in_box(p, q);
        bench_check(offsets[q + 1] - offsets[q] == within, "the box of query %" PRId64, q);
    }
    free(offsets);
}

/* --- Input -------------------------------------------------------------------------------------------------------- */

static bosc_dtype dtype_named(const char *name)
{
    static const char *const names[] = {"f4", "f8", "i4", "i8"};
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) return dtypes[i];
    bench_fail("-y: '%s' is none of f4, f8, i4, i8", name);
    return BOSC_F32;
}

static void set_element(void *out, int64_t at, double x)
{
    if (set.dtype == BOSC_F32) ((float *)out)[at] = (float)x;
    if (set.dtype == BOSC_F64) ((double *)out)[at] = x;
    if (set.dtype == BOSC_I32) ((int32_t *)out)[at] = (int32_t)x;
    if (set.dtype == BOSC_I64) ((int64_t *)out)[at] = (int64_t)x;
}

static double integer_scale(void) { return set.dtype == BOSC_I32 || set.dtype == BOSC_I64 ? 0x1p24 : 1; }

/* Points of the type; integers are 2^24 times the floats. */
static void *convert_points(const float *floats, int64_t n)
{
    int64_t count = n * set.dim;
    void *out = bench_host((size_t)count * bosc_dtype_size(set.dtype));
    for (int64_t i = 0; i < count; i++) set_element(out, i, integer_scale() * (double)floats[i]);
    return out;
}

static void *make_boxes(void)
{
    size_t size = 2 * (size_t)set.m * (size_t)set.dim * bosc_dtype_size(set.dtype);
    void *out = bench_host(size), *boxes;
    for (int64_t q = 0; q < set.m; q++)
        for (int64_t c = 0; c < set.dim; c++) {
            set_element(out, 2 * q * set.dim + c, corner(q, c, -1));
            set_element(out, (2 * q + 1) * set.dim + c, corner(q, c, 1));
        }
    boxes = bench_array(out, size);
    free(out);
    return boxes;
}

static void make_input(void)
{
    size_t size = bosc_dtype_size(set.dtype), dim = (size_t)set.dim;
    float *queries, *others = NULL;
    /* 1. Queries of the points' shape are of the same draw. */
    const bool same = strcmp(set.shape, set.query_shape) == 0;
    set.sets = same ? bench_sets(set.m) : 1;
    set.floats = bench_points_and_query_sets(set.shape, set.n, set.m, set.sets, (int)set.dim, &queries);
    if (!same) others = bench_points(set.query_shape, set.m, (int)set.dim, 2);
    set.host_points = convert_points(set.floats, set.n);
    set.host_queries = convert_points(others ? others : queries, set.m * set.sets);
    free(queries);
    free(others);
    /* 2. The backend's arrays. */
    set.capacity = 9 * set.n > 32 * set.m ? 9 * set.n : 32 * set.m;
    set.points = bench_array(set.host_points, (size_t)set.n * dim * size);
    set.queries = set.first_queries = bench_array(set.host_queries, (size_t)set.m * (size_t)set.sets * dim * size);
    set.ids = bench_array(NULL, (size_t)set.capacity * 4);
    set.dist2 = bench_array(NULL, (size_t)set.m * 8 * dist2_size());
    set.offsets = bench_array(NULL, ((size_t)set.m + 1) * 8);
}

/* A radius that gives about 8 points (of uniform ones in 3-D), and boxes of that size. */
static void choose_radius(void)
{
    set.radius = integer_scale() * bench_usual_radius(set.shape, set.floats, set.n, (int)set.dim);
    set.boxes = make_boxes();
}

/* --- Cases -------------------------------------------------------------------------------------------------------- */

static void verify_tree(void *user)
{
    (void)user;
    BENCH(bosc_kdtree_verify(bench.ctx, set.tree, NULL));
}

static void time_builds(void)
{
    time_case("build", build_next_tree, set.n, 2 * row_bytes(set.n, 0), bench.repeats);
    bosc_kdtree *fast = set.tree;
    if (strcmp(set.what, "all") == 0 && set.n <= 20000000) {
        create_tree(BOSC_KDTREE_BROWN, BOSC_KDTREE_DUPLICATES_REMOVE);
        time_case("build, brown + unique", build_next_tree, set.n, 2 * row_bytes(set.n, 0),
                  bench.repeats > 3 ? 3 : bench.repeats);
        bosc_kdtree_free(set.tree);
    }
    set.tree = fast;
    build_tree(NULL);
    bench_row("verify", set.n, bench_once(verify_tree, NULL));
}

enum { STAGES = 5, MOST_REPEATS = 64 };

/* The stages that the published programs print, of builds by lists with duplicates removed. */
static void time_published_stages(void)
{
    static const char *const names[STAGES] = {"initialise", "sort", "remove duplicates", "build from lists", "verify"};
    double seconds[STAGES][MOST_REPEATS], all[MOST_REPEATS];
    int repeats = bench.repeats < MOST_REPEATS ? bench.repeats : MOST_REPEATS;
    create_tree(BOSC_KDTREE_BROWN, BOSC_KDTREE_DUPLICATES_REMOVE);
    build_tree(NULL);
    for (int r = 0; r < repeats; r++) {
        bosc_kdtree_times t = {.size = sizeof t};
        build_tree(NULL);
        verify_tree(NULL);
        BENCH(bosc_kdtree_get_times(bench.ctx, set.tree, &t));
        const double stages[STAGES] = {t.init, t.sort, t.deduplicate, t.build, t.verify};
        all[r] = 0;
        for (int s = 0; s < STAGES; s++) all[r] += seconds[s][r] = stages[s];
    }
    for (int s = 0; s < STAGES; s++)
        bench_row(bench_text("brown: %s", names[s]), set.n, bench_median_of(seconds[s], repeats));
    bench_row("brown: all stages", set.n, bench_median_of(all, repeats));
    bosc_kdtree_free(set.tree);
}

/* Points within the radius of the checked queries, in the mean. */
static double sampled_neighbours(void)
{
    double sum = 0;
    for (int i = 0; i < CHECKED && set.m >= CHECKED; i++) {
        int64_t nearer, within;
        count_points(checked_query(i), set.radius * set.radius, &nearer, &within);
        sum += (double)within / CHECKED;
    }
    return sum;
}

static void time_queries(void)
{
    /* 1. Nearest neighbours. */
    for (set.k = 1; set.k <= 8; set.k += 7) {
        const char *name = bench_text("nearest, k=%d", (int)set.k);
        time_checked_case(name, run_knn, set.m, row_bytes(set.m, set.k));
        check_distances(name);
    }
    if (strcmp(set.what, "nearest") == 0) return;
    choose_radius();
    set.k = 9;
    time_case("all points, k=9", knn_all, set.n, row_bytes(set.n, 9), bench.repeats);
    time_case("self, k=9", knn_self, set.n, row_bytes(set.n, 9), bench.repeats);
    set.k = 8;
    time_case("within, k=8", knn_within, set.m, row_bytes(set.m, 8), bench.repeats);
    /* 2. Points in balls and in boxes. */
    if (sampled_neighbours() > MANY) {
        bench_say("radius and boxes: left out, a query has more than %d points", MANY);
        return;
    }
    time_checked_case("radius, counts", radius_count, set.m, 0);
    check_counts();
    int64_t total;
    radius_offsets();
    BENCH(bosc_ctx_copy(bench.ctx, &total, set.offsets + set.m, sizeof total));
    /* Sets of queries have about as many rows; a quarter of the capacity is left for the difference. */
    if (total <= set.capacity / 4 * 3) time_case("radius, rows", radius_rows, set.m, 0, bench.repeats);
    bench_say("radius: %" PRId64 " within %g", total, set.radius);
    time_case("boxes, counts", box_counts, set.m, 0, bench.repeats);
    check_boxes();
    BENCH(bosc_ctx_copy(bench.ctx, &total, set.offsets + set.m, sizeof total));
    if (total <= set.capacity / 4 * 3) time_case("boxes, rows", box_rows, set.m, 0, bench.repeats);
    bench_say("boxes: %" PRId64 " inside", total);
}

int main(int argc, char **argv)
{
    const struct bench_option own[] = {{'m', BENCH_INTEGER, &set.m, "queries"},
                                       {'d', BENCH_INTEGER, &set.dim, "dimensions"},
                                       {'s', BENCH_TEXT, &set.shape, SHAPE_TEXT(POINT_SHAPES)},
                                       {'q', BENCH_TEXT, &set.query_shape, "shape of the queries"},
                                       {'y', BENCH_TEXT, &set.type, "f4, f8, i4 or i8"},
                                       {'w', BENCH_TEXT, &set.what, "all, queries, nearest or published"},
                                       {'l', BENCH_INTEGER, &set.level, "level of the CPU"}};
    /* 1. Options and input. */
    bench.n = 1 << 20;
    bench.repeats = 10;
    bench_options(argc, argv, "points", own, sizeof own / sizeof own[0]);
    set.n = bench.n;
    if (!set.query_shape) set.query_shape = set.shape;
    set.dtype = dtype_named(set.type);
    bench.opts.cpu_level = (bosc_cpu_level)set.level;
    bench_open();
    bench_time_one_thread();
    make_input();
    bench_say("%s: %" PRId64 " %s points, %" PRId64 " %s queries, %s, dim %d", bench_device(), set.n, set.shape, set.m,
              set.query_shape, set.type, (int)set.dim);
    /* 2. Stages of the published builder, or all cases of the default one. */
    if (strcmp(set.what, "published") == 0) {
        time_published_stages();
    } else {
        create_tree(BOSC_KDTREE_AUTO, BOSC_KDTREE_DUPLICATES_KEEP);
        time_builds();
        time_queries();
        bosc_kdtree_free(set.tree);
    }
    free(set.floats);
    free(set.host_points);
    free(set.host_queries);
    return bench_close();
}
