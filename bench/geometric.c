/* Times geometric hashing: bench_geometric [-n points]. Models of n points (all sizes from 250 to 65,536 without -n)
 * are searched in scenes that have them moved, turned and scaled (or mapped affinely), with noise of 0.04 of the
 * points' spacing, a fifth of the points missing and n / 2 other points; and in scenes of other points alone, which use
 * up all trials. Answers are checked. On the CPU times are processor time of all threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"

struct subject {
    int64_t n, m, there; /* points of the model, of the scene, of the model in the scene */
    double *model, *scene, *others;
    double transform[6];
    uint64_t random;
    bosc_geometric *table;
    bosc_geometric_match match;
    const double *searched; /* scene or others */
};

static double unit(struct subject *b)
{
    b->random = b->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(b->random >> 11) * 0x1p-53;
}

static double normal(struct subject *b)
{
    double r = sqrt(-2 * log(1 - unit(b)));
    return r * cos(6.283185307179586 * unit(b));
}

static void make_scene(struct subject *b, bool affine)
{
    const double t[6] = {1.1, affine ? -0.3 : -0.6, 3, 0.6, affine ? 1.4 : 1.1, -4};
    double noise = 0.04 * 2 / sqrt((double)b->n);
    memcpy(b->transform, t, sizeof t);
    b->random = (uint64_t)b->n + affine;
    b->m = 0;
    /* 1. Transform the model's points with noise, and drop a fifth of them. */
    for (int64_t i = 0; i < 2 * b->n; i++) b->model[i] = 2 * unit(b) - 1;
    for (int64_t i = 0; i < b->n; i++) {
        double x = b->model[2 * i] + noise * normal(b), y = b->model[2 * i + 1] + noise * normal(b);
        if (unit(b) < 0.2) continue;
        b->scene[2 * b->m] = t[0] * x + t[1] * y + t[2];
        b->scene[2 * b->m + 1] = t[3] * x + t[4] * y + t[5];
        b->m++;
    }
    /* 2. Add other points, and shuffle all. */
    b->there = b->m;
    for (int64_t i = 0; i < b->n / 2; i++, b->m++)
        for (int k = 0; k < 2; k++) b->scene[2 * b->m + k] = t[3 * k + 2] + 5 * (unit(b) - 0.5);
    for (int64_t i = b->m - 1; i > 0; i--) {
        int64_t j = (int64_t)(unit(b) * (double)(i + 1));
        for (int k = 0; k < 2; k++) {
            double x = b->scene[2 * i + k];
            b->scene[2 * i + k] = b->scene[2 * j + k];
            b->scene[2 * j + k] = x;
        }
    }
    /* 3. A scene of the same size without the model. */
    for (int64_t i = 0; i < 2 * b->m; i++) b->others[i] = 2 * unit(b) - 1;
}

static void build_table(void *user)
{
    struct subject *b = user;
    BENCH(bosc_geometric_build(bench.ctx, b->table, b->model, b->n));
}

static void find_model(void *user)
{
    struct subject *b = user;
    b->match = (bosc_geometric_match){.size = sizeof b->match};
    BENCH(bosc_geometric_find(bench.ctx, b->table, b->searched, b->m, NULL, &b->match));
}

static bool is_right(const struct subject *b)
{
    double off = 0;
    for (int k = 0; k < 6; k++) off = fmax(off, fabs(b->match.transform[k] - b->transform[k]));
    return b->match.found && off < 0.02 && b->match.inliers * 10 > b->there * 9;
}

static void print_row(struct subject *b, const char *name, bool affine, struct bench_times times, const char *note)
{
    struct bench_row r = {.name = name, .data = affine ? "affine" : "similarity", .n = b->n, .ours = times};
    r.note = note;
    bench_print(&r);
}

static void measure(struct subject *b, bool affine)
{
    bosc_geometric_opts opts = {.size = sizeof opts,
                                .kind = affine ? BOSC_GEOMETRIC_AFFINE : BOSC_GEOMETRIC_SIMILARITY};
    bosc_geometric_info info = {.size = sizeof info};
    make_scene(b, affine);
    BENCH(bosc_geometric_create(bench.ctx, &opts, &b->table));
    struct bench_times times = bench_time(NULL, build_table, b, bench.repeats);
    BENCH(bosc_geometric_get_info(bench.ctx, b->table, &info));
    print_row(b, "build", affine, times,
              bench_text("%" PRId64 " bases, %.1f MiB", info.bases, (double)info.bytes * 0x1p-20));
    b->searched = b->scene;
    times = bench_time(NULL, find_model, b, bench.repeats);
    bench_check(is_right(b), "%s, model of %" PRId64, affine ? "affine" : "similarity", b->n);
    print_row(b, "find", affine, times, bench_text("scene of %" PRId64 ", %" PRId64 " tried", b->m, b->match.trials));
    b->searched = b->others;
    times = bench_time(NULL, find_model, b, bench.repeats);
    bench_check(!b->match.found, "a model of %" PRId64 " that is not there", b->n);
    print_row(b, "find, absent", affine, times, NULL);
    bosc_geometric_free(b->table);
}

int main(int argc, char **argv)
{
    static const int64_t sizes[] = {250, 1000, 5000, 20000, 65536};
    struct subject b = {0};
    bench.repeats = 3;
    bench_options(argc, argv, "points", NULL, 0);
    bench_open();
    bench.clock = bench.opts.backend == BOSC_BACKEND_CUDA ? BENCH_WALL : BENCH_PROCESS;
    const int64_t most = bench.n ? bench.n : sizes[4];
    b.model = bench_host((size_t)most * 16);
    b.scene = bench_host((size_t)most * 32);
    b.others = bench_host((size_t)most * 32);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int affine = 0; affine < 2 && (bench.n == 0 || i == 0); affine++) {
            b.n = bench.n ? bench.n : sizes[i];
            measure(&b, affine);
        }
    free(b.model);
    free(b.scene);
    free(b.others);
    return bench_close();
}
