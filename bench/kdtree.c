/* Times k-d trees: bench_kdtree [-n points] [-m queries] [-d dim] [-s shape] [-q shape of the queries] [-y dtype]
 * [-w all, queries or nearest] [-t threads] [-r repeats] [-b backend]. Prints one row a measurement: the fastest and
 * the median of the repeats, and a checksum of the answers that programs for other libraries print too. All arrays are
 * in the backend's memory, handles are warm. Some answers are checked against every point. One thread is timed by the
 * processor time that it takes, so that what else runs on the machine disturbs less. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <boscage/boscage.h>

#include "harness/calls.h"
#include "harness/points.h"

struct setting {
    int64_t n, m;
    int dim, threads, repeats;
    const char *shape, *query_shape, *backend, *level, *dtype, *what;
};

struct bench {
    struct setting set;
    bosc_ctx *ctx;
    bosc_kdtree *tree;
    bosc_dtype dtype;
    void *points, *queries; /* the backend's */
    void *ids, *dist2;
    void *own_points, *own_queries; /* the host's */
    int64_t *offsets;
    int64_t k, room;
    double radius;
};

static clockid_t clock_used = CLOCK_MONOTONIC;

static double now(void)
{
    struct timespec t;
    clock_gettime(clock_used, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Times `run`; items a second are printed if `items` is not 0. */
static void measure(struct bench *b, const char *name, void (*run)(struct bench *), double items)
{
    double times[100];
    int repeats = b->set.repeats < 100 ? b->set.repeats : 100;
    run(b);
    DO(b, bosc_sync(b->ctx));
    for (int i = 0; i < repeats; i++) {
        double begin = now();
        run(b);
        DO(b, bosc_sync(b->ctx));
        times[i] = now() - begin;
    }
    qsort(times, (size_t)repeats, sizeof times[0], ascending);
    printf("%-22s %11.4f %11.4f", name, 1e3 * times[0], 1e3 * times[repeats / 2]);
    if (items > 0)
        printf(" %10.3f", 1e-6 * items / times[repeats / 2]);
    else
        printf(" %10s", "");
    printf("\n");
    fflush(stdout);
}

static void build(struct bench *b) { DO(b, bosc_kdtree_build(b->ctx, b->tree, b->points, b->set.n, 0)); }

static void knn(struct bench *b)
{
    DO(b, bosc_kdtree_knn(b->ctx, b->tree, b->queries, b->set.m, 0, b->k, b->ids, b->dist2));
}

static void knn_all(struct bench *b)
{
    DO(b, bosc_kdtree_knn(b->ctx, b->tree, b->points, b->set.n, 0, b->k, b->ids, NULL));
}

static void knn_within(struct bench *b)
{
    DO(b, bosc_kdtree_knn_within(b->ctx, b->tree, b->queries, b->set.m, 0, b->k, b->radius, b->ids, b->dist2));
}

static void knn_self(struct bench *b) { DO(b, bosc_kdtree_knn_self(b->ctx, b->tree, b->k, b->ids, NULL)); }

static void radius_count(struct bench *b)
{
    DO(b, bosc_kdtree_radius_count(b->ctx, b->tree, b->queries, b->set.m, 0, b->radius, b->offsets));
}

static void radius_rows(struct bench *b)
{
    DO(b, bosc_kdtree_radius(b->ctx, b->tree, b->queries, b->set.m, 0, b->radius, b->offsets, NULL, NULL, 0));
    DO(b, bosc_kdtree_radius(b->ctx, b->tree, b->queries, b->set.m, 0, b->radius, b->offsets, b->ids, NULL, b->room));
}

static bosc_kdtree *create(struct bench *b, bosc_kdtree_builder builder, bosc_duplicates duplicates)
{
    bosc_kdtree_opts o = {.size = sizeof o,
                          .dtype = b->dtype,
                          .dim = b->set.dim,
                          .builder = builder,
                          .duplicates = duplicates,
                          .id_bits = 32,
                          .assume_valid = 1};
    bosc_kdtree *tree;
    DO(b, bosc_kdtree_create(b->ctx, &o, &tree));
    return tree;
}

static size_t dist2_size(const struct bench *b) { return b->dtype == BOSC_F32 ? 4 : 8; }

static double dist2_of(const struct bench *b, const void *dist2, int64_t at)
{
    return b->dtype == BOSC_F32 ? (double)((const float *)dist2)[at] : ((const double *)dist2)[at];
}

static double element(const void *data, bosc_dtype dtype, int64_t at)
{
    switch (dtype) {
    case BOSC_F32: return (double)((const float *)data)[at];
    case BOSC_F64: return ((const double *)data)[at];
    case BOSC_I32: return (double)((const int32_t *)data)[at];
    default: return (double)((const int64_t *)data)[at];
    }
}

/* The distance of point i from query q, as the library defines it. */
static double measured(const struct bench *b, int64_t i, int64_t q)
{
    float single = 0;
    double sum = 0;
    for (int c = 0; c < b->set.dim; c++) {
        double x = element(b->own_queries, b->dtype, q * b->set.dim + c);
        double y = element(b->own_points, b->dtype, i * b->set.dim + c);
        float f = (float)x - (float)y;
        single = single + f * f;
        sum = sum + (x - y) * (x - y);
    }
    return b->dtype == BOSC_F32 ? (double)single : sum;
}

enum { CHECKED = 8 };

static int64_t checked_query(const struct bench *b, int i) { return b->set.m / CHECKED * i; }

/* Points nearer than d, and those not farther. */
static void count_points(const struct bench *b, int64_t q, double d, int64_t *nearer, int64_t *within)
{
    *nearer = *within = 0;
    for (int64_t i = 0; i < b->set.n; i++) {
        double x = measured(b, i, q);
        *nearer += x < d;
        *within += x <= d;
    }
}

static void check_distances(struct bench *b, const char *name)
{
    size_t count = (size_t)(b->set.m * b->k);
    void *dist2 = malloc(count * dist2_size(b));
    double sum = 0;
    DO(b, bosc_copy(b->ctx, dist2, b->dist2, count * dist2_size(b)));
    for (size_t i = 0; i < count; i++) sum += dist2_of(b, dist2, (int64_t)i);
    printf("%-22s sum of dist2 %.12g\n", name, sum);
    for (int i = 0; i < CHECKED && b->set.m >= CHECKED; i++) {
        int64_t q = checked_query(b, i), nearer, within;
        count_points(b, q, dist2_of(b, dist2, (q + 1) * b->k - 1), &nearer, &within);
        if (nearer >= b->k || within < b->k) fail(NULL, "a distance is wrong");
    }
    free(dist2);
}

static void check_counts(struct bench *b)
{
    int64_t *counts = malloc((size_t)b->set.m * sizeof *counts), nearer, within;
    double r2 = b->dtype == BOSC_F32 ? (double)((float)b->radius * (float)b->radius) : b->radius * b->radius;
    DO(b, bosc_copy(b->ctx, counts, b->offsets, (size_t)b->set.m * sizeof *counts));
    for (int i = 0; i < CHECKED && b->set.m >= CHECKED; i++) {
        int64_t q = checked_query(b, i);
        count_points(b, q, r2, &nearer, &within);
        if (counts[q] != within) fail(NULL, "a count is wrong");
    }
    free(counts);
}

static void run_builds(struct bench *b)
{
    bool all = strcmp(b->set.what, "all") == 0;
    measure(b, "build", build, (double)b->set.n);
    bosc_kdtree *fast = b->tree;
    if (all && b->set.n <= 20000000) {
        b->tree = create(b, BOSC_KDTREE_BROWN, BOSC_DUPLICATES_REMOVE);
        int repeats = b->set.repeats;
        b->set.repeats = repeats > 3 ? 3 : repeats;
        measure(b, "build, brown + unique", build, (double)b->set.n);
        b->set.repeats = repeats;
        bosc_kdtree_free(b->tree);
    }
    b->tree = fast;
    DO(b, bosc_kdtree_build(b->ctx, b->tree, b->points, b->set.n, 0));
    double begin = now();
    DO(b, bosc_kdtree_verify(b->ctx, b->tree, NULL));
    printf("%-22s %11.4f\n", "verify", 1e3 * (now() - begin));
}

static void run_queries(struct bench *b)
{
    static const int64_t ks[] = {1, 8};
    for (int i = 0; i < 2; i++) {
        char name[32];
        b->k = ks[i];
        snprintf(name, sizeof name, "nearest, k=%d", (int)b->k);
        measure(b, name, knn, (double)b->set.m);
        check_distances(b, name);
    }
    if (strcmp(b->set.what, "nearest") == 0) return;
    b->k = 9;
    measure(b, "all points, k=9", knn_all, (double)b->set.n);
    measure(b, "self, k=9", knn_self, (double)b->set.n);
    b->k = 8;
    measure(b, "within, k=8", knn_within, (double)b->set.m);
    measure(b, "radius, counts", radius_count, (double)b->set.m);
    check_counts(b);
    int64_t total;
    DO(b, bosc_kdtree_radius(b->ctx, b->tree, b->queries, b->set.m, 0, b->radius, b->offsets, NULL, NULL, 0));
    DO(b, bosc_copy(b->ctx, &total, b->offsets + b->set.m, sizeof total));
    if (total <= b->room) measure(b, "radius, rows", radius_rows, (double)b->set.m);
    printf("%-22s %lld within %g\n", "radius", (long long)total, b->radius);
}

static void *place(struct bench *b, size_t bytes)
{
    void *p;
    DO(b, bosc_alloc(b->ctx, bytes, &p));
    return p;
}

static bosc_dtype dtype_named(const char *name)
{
    static const char *const names[] = {"f4", "f8", "i4", "i8"};
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) return dtypes[i];
    fail(NULL, "no such dtype");
    return BOSC_F32;
}

/* Points of the type; integers are 2^24 times the floats. */
static void *make_points(const struct bench *b, const char *shape, int64_t n, uint64_t seed)
{
    float *floats = kdtree_points(shape, n, b->set.dim, seed);
    int64_t count = n * b->set.dim;
    if (b->dtype == BOSC_F32) return floats;
    void *out = malloc((size_t)count * bosc_dtype_size(b->dtype));
    for (int64_t i = 0; i < count; i++) {
        if (b->dtype == BOSC_F64) ((double *)out)[i] = (double)floats[i];
        if (b->dtype == BOSC_I32) ((int32_t *)out)[i] = (int32_t)(floats[i] * 0x1p24f);
        if (b->dtype == BOSC_I64) ((int64_t *)out)[i] = (int64_t)(floats[i] * 0x1p24f);
    }
    free(floats);
    return out;
}

static void run_one(struct bench *b)
{
    struct setting *s = &b->set;
    b->dtype = dtype_named(s->dtype);
    size_t most = (size_t)(9 * s->n > 32 * s->m ? 9 * s->n : 32 * s->m), size = bosc_dtype_size(b->dtype);
    size_t point_bytes = (size_t)s->n * (size_t)s->dim * size, query_bytes = (size_t)s->m * (size_t)s->dim * size;
    bosc_ctx_info info = {.size = sizeof info};
    DO(b, bosc_ctx_get_info(b->ctx, &info));
    b->own_points = make_points(b, s->shape, s->n, 1);
    b->own_queries = make_points(b, s->query_shape, s->m, 2);
    b->points = place(b, point_bytes);
    b->queries = place(b, query_bytes);
    b->ids = place(b, most * 4);
    b->dist2 = place(b, (size_t)s->m * 8 * dist2_size(b));
    b->offsets = place(b, ((size_t)s->m + 1) * 8);
    b->room = (int64_t)most;
    b->radius = 1.24 * pow((double)s->n, -1.0 / s->dim); /* about 8 points, in 3-D */
    if (b->dtype == BOSC_I32 || b->dtype == BOSC_I64) b->radius *= 0x1p24;
    DO(b, bosc_copy(b->ctx, b->points, b->own_points, point_bytes));
    DO(b, bosc_copy(b->ctx, b->queries, b->own_queries, query_bytes));
    b->tree = create(b, BOSC_KDTREE_AUTO, BOSC_DUPLICATES_KEEP);
    printf("# boscage, %s%s%s, %d threads, %s, %lld %s points, %lld %s queries, dim %d\n",
           info.backend == BOSC_BACKEND_CPU ? "cpu" : "cuda", info.device_name[0] ? ", " : "", info.device_name,
           (int)info.threads, s->dtype, (long long)s->n, s->shape, (long long)s->m, s->query_shape, s->dim);
    printf("# %-20s %11s %11s %10s\n", "", "fastest ms", "median ms", "M/s");
    run_builds(b);
    run_queries(b);
    bosc_kdtree_free(b->tree);
    bosc_release(b->ctx, b->points, point_bytes);
    bosc_release(b->ctx, b->queries, query_bytes);
    bosc_release(b->ctx, b->ids, most * 4);
    bosc_release(b->ctx, b->dist2, (size_t)s->m * 8 * dist2_size(b));
    bosc_release(b->ctx, b->offsets, ((size_t)s->m + 1) * 8);
    free(b->own_points);
    free(b->own_queries);
}

static void parse(int argc, char **argv, struct setting *s)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *value = argv[i + 1];
        switch (argv[i][0] == '-' ? argv[i][1] : 0) {
        case 'n': s->n = atoll(value); break;
        case 'm': s->m = atoll(value); break;
        case 'd': s->dim = atoi(value); break;
        case 's': s->shape = value; break;
        case 'q': s->query_shape = value; break;
        case 'y': s->dtype = value; break;
        case 'w': s->what = value; break;
        case 't': s->threads = atoi(value); break;
        case 'r': s->repeats = atoi(value); break;
        case 'b': s->backend = value; break;
        case 'l': s->level = value; break;
        default: fprintf(stderr, "bench_kdtree: unknown option %s\n", argv[i]); exit(2);
        }
    }
}

int main(int argc, char **argv)
{
    struct bench b = {.set = {1 << 20, 1 << 20, 3, 0, 10, "uniform", NULL, "cpu", "0", "f4", "all"}};
    parse(argc, argv, &b.set);
    if (!b.set.query_shape) b.set.query_shape = b.set.shape;
    bool cuda = strcmp(b.set.backend, "cuda") == 0;
    if (!cuda && b.set.threads == 1) clock_used = CLOCK_PROCESS_CPUTIME_ID;
    bosc_ctx_opts o = {.size = sizeof o,
                       .backend = cuda ? BOSC_BACKEND_CUDA : BOSC_BACKEND_CPU,
                       .cpu_level = (bosc_cpu_level)atoi(b.set.level),
                       .threads = b.set.threads};
    if (bosc_ctx_create(&o, &b.ctx) != BOSC_OK) fail(NULL, bosc_backend_reason(o.backend));
    run_one(&b);
    bosc_ctx_free(b.ctx);
    return 0;
}
