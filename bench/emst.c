/* Times Euclidean spanning trees of points in two and three dimensions: bench_emst [-n points] [-s shape], by default
 * of uniform and of clustered ones. Points are f32, in the backend's memory. */
#include <stdlib.h>

#include "harness/bench.h"
#include "harness/shapes.h"

static int32_t dim;
static void *points, *pairs, *dist2;

static void compute_tree(void *user)
{
    (void)user;
    BENCH(bosc_emst_compute(bench.ctx, points, bench.n, 0, &(bosc_emst_opts){sizeof(bosc_emst_opts), BOSC_F32, dim, 32},
                            pairs, dist2));
}

static void time_shape(const char *name)
{
    bosc_ctx_info info = {.size = sizeof info};
    BENCH(bosc_random_points(bench.ctx, bench_points_kind(name), 1, bench.n, dim, BOSC_F32, points));
    struct bench_row row = {.name = "euclidean spanning tree",
                            .data = bench_text("%s %d-D", name, (int)dim),
                            .n = bench.n,
                            .bytes = (double)bench.n * (4.0 * (double)dim + 12), /* points in, edges and lengths out */
                            .ours = bench_time(NULL, compute_tree, NULL, bench.repeats)};
    float *lengths = bench_host((size_t)bench.n * sizeof *lengths);
    BENCH(bosc_ctx_copy(bench.ctx, lengths, dist2, (size_t)(bench.n - 1) * sizeof *lengths));
    double sum = 0;
    for (int64_t e = 0; e + 1 < bench.n; e++) sum += (double)lengths[e];
    free(lengths);
    BENCH(bosc_ctx_get_info(bench.ctx, &info));
    row.note = bench_text("scratch %.1f MB, sum of squares %.12g", 1e-6 * (double)info.scratch_bytes, sum);
    bench_print(&row);
    BENCH(bosc_ctx_trim(bench.ctx));
}

int main(int argc, char **argv)
{
    bench.n = 1 << 20;
    bench.repeats = 3;
    const char *shape = NULL;
    const struct bench_option own[] = {{'s', BENCH_TEXT, &shape, SHAPE_TEXT(POINT_SHAPES)}};
    bench_options(argc, argv, "points", own, 1);
    if (bench.n < 2) bench_fail("-n: %" PRId64 " is less than 2", bench.n);
    bench_open();
    points = bench_array(NULL, (size_t)bench.n * 12);
    pairs = bench_array(NULL, (size_t)bench.n * 8);
    dist2 = bench_array(NULL, (size_t)bench.n * 4);
    for (dim = 2; dim <= 3; dim++) {
        time_shape(shape ? shape : "uniform");
        if (!shape) time_shape("clustered");
    }
    return bench_close();
}
