/* Times Euclidean spanning trees of uniform and clustered points in two and three dimensions:
 * bench_emst [-n points] [-t threads] [-r repeats] [-b backend]. Points are f32, in the backend's memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/boscage.h>

#include "harness/calls.h"
#include "harness/timing.h"

struct bench {
    bosc_ctx *ctx;
    int64_t n;
    int32_t dim;
    void *points, *pairs, *dist2;
};

static void span(void *user)
{
    struct bench *b = user;
    DO(b, bosc_emst(b->ctx, BOSC_F32, b->dim, b->points, b->n, 0, 32, b->pairs, b->dist2));
}

static void run(struct bench *b, bosc_points_kind kind, const char *name, int32_t dim, int repeats)
{
    bosc_ctx_info info = {.size = sizeof info};
    b->dim = dim;
    DO(b, bosc_random_points(b->ctx, kind, 1, b->n, dim, BOSC_F32, b->points));
    struct timing t = timing_of(NULL, span, b, repeats);
    float *dist2 = malloc((size_t)b->n * sizeof *dist2);
    if (!dist2) fail(NULL, "out of memory");
    DO(b, bosc_copy(b->ctx, dist2, b->dist2, (size_t)(b->n - 1) * sizeof *dist2));
    double sum = 0;
    for (int64_t e = 0; e + 1 < b->n; e++) sum += (double)dist2[e];
    free(dist2);
    DO(b, bosc_ctx_get_info(b->ctx, &info));
    printf("%-10s %lld-D %12lld %12.3f %12.3f %12.1f %18.12g\n", name, (long long)dim, (long long)b->n, 1e3 * t.least,
           1e3 * t.median, 1e-6 * (double)info.scratch_bytes, sum);
    fflush(stdout);
    DO(b, bosc_ctx_trim(b->ctx));
}

int main(int argc, char **argv)
{
    struct bench b = {.n = 1 << 20};
    int repeats = 3;
    bosc_ctx_opts o = {.size = sizeof o};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "-n") == 0) b.n = (int64_t)atof(argv[i + 1]);
        if (strcmp(argv[i], "-t") == 0) o.threads = atoi(argv[i + 1]);
        if (strcmp(argv[i], "-r") == 0) repeats = atoi(argv[i + 1]);
        if (strcmp(argv[i], "-b") == 0 && strcmp(argv[i + 1], "cuda") == 0) o.backend = BOSC_BACKEND_CUDA;
    }
    if (b.n < 2 || repeats < 1) fail(NULL, "-n must be at least 2, and -r 1");
    if (bosc_ctx_create(&o, &b.ctx) != BOSC_OK) fail(NULL, bosc_backend_reason(o.backend));
    DO(&b, bosc_alloc(b.ctx, (size_t)b.n * 12, &b.points));
    DO(&b, bosc_alloc(b.ctx, (size_t)b.n * 8, &b.pairs));
    DO(&b, bosc_alloc(b.ctx, (size_t)b.n * 4, &b.dist2));
    printf("%-14s %12s %12s %12s %12s %18s\n", "points", "n", "least ms", "median ms", "scratch MB", "sum of squares");
    for (int32_t dim = 2; dim <= 3; dim++) {
        run(&b, BOSC_POINTS_UNIFORM, "uniform", dim, repeats);
        run(&b, BOSC_POINTS_CLUSTERED, "clustered", dim, repeats);
    }
    bosc_release(b.ctx, b.points, (size_t)b.n * 12);
    bosc_release(b.ctx, b.pairs, (size_t)b.n * 8);
    bosc_release(b.ctx, b.dist2, (size_t)b.n * 4);
    bosc_ctx_free(b.ctx);
    return 0;
}
