/* Times geometric hashing: bench_geometric [-n points] [-t threads] [-r repeats] [-b backend]. Models of n points (all
 * sizes from 250 to 65,536 without -n) are looked for in scenes in which they are moved, turned and scaled (or mapped
 * affinely), with noise of 0.04 of the points' spacing, a fifth of the points missing and half as many others; and in
 * scenes of other points, where all tries are spent. Answers are checked. Without -b cuda times are processor time of
 * all threads. */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/boscage.h>
#include <boscage/geometric.h>

#include "harness/options.h"
#include "harness/timing.h"

struct bench {
    bosc_ctx *ctx;
    int64_t n, m, there; /* points of the model, of the scene, of the model in the scene */
    double *model, *scene, *others;
    double transform[6];
    uint64_t random;
    bosc_geometric *table;
    bosc_geometric_match match;
    bool process_time;
};

static double unit(struct bench *b)
{
    b->random = b->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(b->random >> 11) * 0x1p-53;
}

static double normal(struct bench *b)
{
    double r = sqrt(-2 * log(1 - unit(b)));
    return r * cos(6.283185307179586 * unit(b));
}

static void make_scene(struct bench *b, bool affine)
{
    const double t[6] = {1.1, affine ? -0.3 : -0.6, 3, 0.6, affine ? 1.4 : 1.1, -4};
    double noise = 0.04 * 2 / sqrt((double)b->n);
    memcpy(b->transform, t, sizeof t);
    b->random = (uint64_t)b->n + affine;
    b->m = 0;
    for (int64_t i = 0; i < 2 * b->n; i++) b->model[i] = 2 * unit(b) - 1;
    for (int64_t i = 0; i < b->n; i++) {
        double x = b->model[2 * i] + noise * normal(b), y = b->model[2 * i + 1] + noise * normal(b);
        if (unit(b) < 0.2) continue;
        b->scene[2 * b->m] = t[0] * x + t[1] * y + t[2];
        b->scene[2 * b->m + 1] = t[3] * x + t[4] * y + t[5];
        b->m++;
    }
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
    for (int64_t i = 0; i < 2 * b->m; i++) b->others[i] = 2 * unit(b) - 1;
}

static double now(const struct bench *b)
{
    struct timespec t;
    if (!b->process_time) return timing_now();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double look(struct bench *b, const double *scene, int repeats)
{
    double least = INFINITY;
    for (int r = 0; r < repeats; r++) {
        double begin = now(b);
        b->match = (bosc_geometric_match){.size = sizeof b->match};
        DO(b, bosc_geometric_find(b->ctx, b->table, scene, b->m, NULL, &b->match));
        least = fmin(least, now(b) - begin);
    }
    return least;
}

static bool right(const struct bench *b)
{
    double off = 0;
    for (int k = 0; k < 6; k++) off = fmax(off, fabs(b->match.transform[k] - b->transform[k]));
    return b->match.found && off < 0.02 && b->match.inliers * 10 > b->there * 9;
}

/* Whether an answer was wrong. */
static bool row(struct bench *b, bool affine, int repeats)
{
    bosc_geometric_opts opts = {.size = sizeof opts,
                                .kind = affine ? BOSC_GEOMETRIC_AFFINE : BOSC_GEOMETRIC_SIMILARITY};
    bosc_geometric_info info = {.size = sizeof info};
    double build = INFINITY;
    make_scene(b, affine);
    DO(b, bosc_geometric_create(b->ctx, &opts, &b->table));
    for (int r = 0; r < repeats; r++) {
        double begin = now(b);
        DO(b, bosc_geometric_build(b->ctx, b->table, b->model, b->n));
        build = fmin(build, now(b) - begin);
    }
    DO(b, bosc_geometric_get_info(b->table, &info));
    double found = look(b, b->scene, repeats);
    bool wrong = !right(b);
    int64_t tried = b->match.tried;
    double absent = look(b, b->others, repeats);
    wrong |= b->match.found;
    printf("%-12s %8" PRId64 " %8" PRId64 " %9" PRId64 " %8.1f %10.2f %10.2f %8" PRId64 " %10.2f  %s\n",
           affine ? "affine" : "similarity", b->n, b->m, info.bases, (double)info.bytes * 0x1p-20, 1e3 * build,
           1e3 * found, tried, 1e3 * absent, wrong ? "WRONG" : "");
    fflush(stdout);
    bosc_geometric_free(b->table);
    return wrong;
}

int main(int argc, char **argv)
{
    static const int64_t sizes[] = {250, 1000, 5000, 20000, 65536};
    struct bench b = {.process_time = true};
    struct bench_options o = {.n = 0, .repeats = 3};
    int64_t most = 65536;
    bool wrong = false;
    bench_options_take(&o, argc, argv, "points");
    if (bosc_ctx_create(&o.ctx, &b.ctx) != BOSC_OK) fail(NULL, bosc_backend_reason(o.ctx.backend));
    b.process_time = o.ctx.backend == BOSC_BACKEND_CPU;
    if (o.n > most) most = o.n;
    b.model = host((size_t)most * 16);
    b.scene = host((size_t)most * 32);
    b.others = host((size_t)most * 32);
    printf("%-12s %8s %8s %9s %8s %10s %10s %8s %10s\n", "ms", "model", "scene", "bases", "MiB", "build", "find",
           "tried", "absent");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int affine = 0; affine < 2 && (o.n == 0 || i == 0); affine++) {
            b.n = o.n ? o.n : sizes[i];
            wrong |= row(&b, affine, o.repeats);
        }
    free(b.model);
    free(b.scene);
    free(b.others);
    bosc_ctx_free(b.ctx);
    return wrong;
}
