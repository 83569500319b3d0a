/* Times geometric hashing with many models: bench_geometric_models [-n models]. Tables of 1, 10, 100 and 1,000 models
 * (or as many as -n says) of 20 points, in two and three dimensions, are searched in a scene of about a hundred points.
 * It has up to three of the models, moved, turned and scaled, with noise, without a tenth of their points, and forty
 * other points. A scene of other points alone uses up all trials. Bases in space are of near points. Answers are
 * checked. `one by one`: ten models with a table for each. On the CPU times are processor time of all threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"

enum { POINTS = 20, PLACED = 3, OTHERS = 40, SCENE = PLACED * POINTS + OTHERS, NEAR = 12, ALONE = 10 };

struct subject {
    int64_t count, m, placed;
    int dim;
    double *points, scene[3 * SCENE], others[3 * SCENE];
    int64_t *offsets;
    uint64_t random;
    bosc_geometric *table, *alone[ALONE]; /* alone: a table a model, for at most ALONE models */
    bosc_geometric_match matches[2 * PLACED + 2];
    int64_t found;
    const double *searched; /* scene or others */
};

static double unit(struct subject *b)
{
    b->random = b->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(b->random >> 11) * 0x1p-53;
}

static double between(struct subject *b, double low, double high) { return low + (high - low) * unit(b); }

/* Number of the k-th model in the scene: they are spread over the table. */
static int64_t placed_model(const struct subject *b, int64_t k) { return b->count / b->placed * k; }

/* Adds the model to the scene, turned about the third axis, and in space about the first one too. */
static void place_model(struct subject *b, int64_t model)
{
    double angle = between(b, 0, 6.28), tilt = between(b, 0, 6.28), scale = between(b, 0.7, 1.5), to[3];
    double c = scale * cos(angle), s = scale * sin(angle), ct = cos(tilt), st = sin(tilt);
    for (int k = 0; k < 3; k++) to[k] = between(b, -6, 6);
    for (int64_t i = 0; i < POINTS; i++) {
        const double *p = b->points + b->dim * (model * POINTS + i);
        double x = c * p[0] - s * p[1], y = s * p[0] + c * p[1], z = b->dim == 3 ? scale * p[2] : 0;
        double q[3] = {x, b->dim == 3 ? ct * y - st * z : y, st * y + ct * z};
        if (unit(b) < 0.1) continue;
        for (int k = 0; k < b->dim; k++) b->scene[b->dim * b->m + k] = q[k] + to[k] + between(b, -0.003, 0.003);
        b->m++;
    }
}

static void make_subject(struct subject *b)
{
    b->random = (uint64_t)(b->count + b->dim);
    b->m = 0;
    b->placed = b->count < PLACED ? b->count : PLACED;
    for (int64_t i = 0; i < b->dim * b->count * POINTS; i++) b->points[i] = between(b, -1, 1);
    for (int64_t k = 0; k <= b->count; k++) b->offsets[k] = k * POINTS;
    for (int64_t k = 0; k < b->placed; k++) place_model(b, placed_model(b, k));
    for (int64_t i = 0; i < OTHERS; i++, b->m++)
        for (int k = 0; k < b->dim; k++) b->scene[b->dim * b->m + k] = between(b, -7, 7);
    for (int64_t i = 0; i < b->dim * b->m; i++) b->others[i] = between(b, -4, 4);
}

static void build_table(void *user)
{
    struct subject *b = user;
    BENCH(bosc_geometric_build_models(bench.ctx, b->table, b->points, b->offsets, b->count));
}

static void find_models(void *user)
{
    struct subject *b = user;
    memset(b->matches, 0, sizeof b->matches);
    b->matches->size = sizeof *b->matches;
    BENCH(bosc_geometric_find_models(bench.ctx, b->table, b->searched, b->m, NULL, b->matches,
                                     sizeof b->matches / sizeof *b->matches, &b->found));
}

static void find_one_by_one(void *user)
{
    struct subject *b = user;
    b->found = 0;
    for (int64_t k = 0; k < b->count; k++) {
        bosc_geometric_match match = {.size = sizeof match};
        BENCH(bosc_geometric_find(bench.ctx, b->alone[k], b->searched, b->m, NULL, &match));
        b->found += match.found;
    }
}

static bool is_right(const struct subject *b)
{
    int64_t sum = 0, expected = 0;
    for (int64_t k = 0; k < b->placed; k++) expected += placed_model(b, k);
    for (int64_t k = 0; k < b->found; k++) sum += b->matches[k].model;
    return b->found == b->placed && sum == expected && b->matches->error < 0.01;
}

static void print_row(const struct subject *b, const char *name, struct bench_times times, const char *note)
{
    struct bench_row r = {.name = name, .data = b->dim == 2 ? "plane" : "space", .n = b->count, .ours = times};
    r.note = note;
    bench_print(&r);
}

static void measure_one_by_one(struct subject *b, const bosc_geometric_opts *opts)
{
    for (int64_t k = 0; k < b->count; k++) {
        BENCH(bosc_geometric_create(bench.ctx, opts, &b->alone[k]));
        BENCH(bosc_geometric_build(bench.ctx, b->alone[k], b->points + b->dim * POINTS * k, POINTS));
    }
    b->searched = b->scene;
    struct bench_times times = bench_time(NULL, find_one_by_one, b, 1);
    bench_check(b->found == b->placed, "%" PRId64 " models one by one", b->count);
    print_row(b, "find, one by one", times, NULL);
    for (int64_t k = 0; k < b->count; k++) bosc_geometric_free(b->alone[k]);
}

static void measure(struct subject *b)
{
    bosc_geometric_opts opts = {.size = sizeof opts,
                                .dim = b->dim,
                                .neighbours = b->dim == 3 ? NEAR : 0,
                                .min_fraction = 0.7,
                                .max_trials = 1000};
    bosc_geometric_info info = {.size = sizeof info};
    make_subject(b);
    BENCH(bosc_geometric_create(bench.ctx, &opts, &b->table));
    struct bench_times times = bench_time(NULL, build_table, b, bench.repeats);
    BENCH(bosc_geometric_get_info(bench.ctx, b->table, &info));
    print_row(b, "build", times, bench_text("%" PRId64 " bases, %.1f MiB", info.bases, (double)info.bytes * 0x1p-20));
    b->searched = b->scene;
    times = bench_time(NULL, find_models, b, bench.repeats);
    bench_check(is_right(b), "%" PRId64 " models of %d dimensions: %" PRId64 " found", b->count, b->dim, b->found);
    print_row(b, "find", times, bench_text("%" PRId64 " found in a scene of %" PRId64, b->found, b->m));
    b->searched = b->others;
    times = bench_time(NULL, find_models, b, bench.repeats);
    bench_check(b->found == 0, "%" PRId64 " models that are not there", b->count);
    print_row(b, "find, absent", times, NULL);
    bosc_geometric_free(b->table);
    if (b->count > 1 && b->count <= ALONE) measure_one_by_one(b, &opts);
}

int main(int argc, char **argv)
{
    static const int64_t counts[] = {1, 10, 100, 1000};
    static struct subject b;
    bench.repeats = 1;
    bench_options(argc, argv, "models", NULL, 0);
    bench_open();
    bench.clock = bench.opts.backend == BOSC_BACKEND_CUDA ? BENCH_WALL : BENCH_PROCESS;
    const int64_t most = bench.n ? bench.n : counts[3];
    b.points = bench_host((size_t)most * POINTS * 3 * sizeof *b.points);
    b.offsets = bench_host((size_t)(most + 1) * sizeof *b.offsets);
    for (b.dim = 2; b.dim <= 3; b.dim++)
        for (size_t i = 0; i < sizeof counts / sizeof counts[0] && (bench.n == 0 || i == 0); i++) {
            b.count = bench.n ? bench.n : counts[i];
            measure(&b);
        }
    free(b.points);
    free(b.offsets);
    return bench_close();
}
