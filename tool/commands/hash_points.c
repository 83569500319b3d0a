/* boscage hash pairs, groups */
#include <math.h>
#include <stdlib.h>

#include <boscage/voxelgrid.h>

#include "tool/tool.h"

enum { SAMPLES = 4096 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How far apart seven eighths of a sample of the points lie along a coordinate, or all of it, if those agree;
 * *farthest: and from 0. */
static double spread_of(const bosc_array *points, int64_t c, double *farthest)
{
    double x[SAMPLES];
    int64_t step = points->shape[0] / SAMPLES + 1;
    size_t count = 0;
    for (int64_t i = 0; i < points->shape[0]; i += step) {
        x[count] = coordinate(points, i * points->shape[1] + c);
        if (isfinite(x[count])) count++;
    }
    if (count == 0) return 0;
    qsort(x, count, sizeof *x, by_value);
    double low = x[count / 16], high = x[count - 1 - count / 16], spread = high - low;
    *farthest = fmax(*farthest, fmax(fabs(low), fabs(high)));
    return spread > 0 ? spread : x[count - 1] - x[0];
}

/* A voxel as large as the radius; but not so small that the numbers of most points' voxels have more than about 60
 * bits, alone or together. What few points lie far outside is no measure. */
static double cell_of(const bosc_array *points, double radius)
{
    double least = (double)bosc_dtype_size(points->dtype) == 4 ? 1e-30 : 1e-290, spread = 0, farthest = 0;
    for (int64_t c = 0; c < points->shape[1]; c++) spread = fmax(spread, spread_of(points, c, &farthest));
    double cell = fmax(radius, fmax(ldexp(spread, (int)(-60 / points->shape[1])), ldexp(farthest, -60)));
    return cell > least ? fmin(cell, 1e300) : 1;
}

/* Points and a grid of them, with the radius that is asked for. */
struct grid {
    bosc_voxelgrid *grid;
    double radius;
    int64_t n;
};

static int build_grid(struct job *job, const bosc_array *points, struct grid *g)
{
    bosc_voxelgrid_opts opts = {.size = sizeof opts, .dtype = points->dtype, .dim = (int32_t)points->shape[1]};
    opts.cell = cell_of(points, g->radius);
    double start = job_now();
    bosc_status status = bosc_voxelgrid_create(job->ctx, &opts, &g->grid);
    if (status == BOSC_OK) status = bosc_voxelgrid_build(job->ctx, g->grid, points->data, g->n, 0);
    job_seconds(job, "build", start);
    return status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
}

/* The grid of the job's points. */
static int open_grid(struct job *job, struct grid *g)
{
    bosc_array points = {0};
    int code;
    *g = (struct grid){0};
    if ((code = option_number(job, OPT_RADIUS, 0, &g->radius)) || (code = job_open(job)) ||
        (code = points_read(job, job->operands[0], &points)))
        return code;
    g->n = points.shape[0];
    job_integer(job, "n", g->n);
    if (points.shape[1] > 3)
        code = say(EXIT_FAILED, "%s: the points have %lld coordinates, but a voxel grid takes at most 3",
                   job->operands[0], (long long)points.shape[1]);
    if (!code) code = build_grid(job, &points, g);
    bosc_array_free(&points);
    return code;
}

static int find_pairs(struct job *job, const struct grid *g, bosc_array *pairs)
{
    int64_t count = 0;
    double start = job_now();
    bosc_status status = bosc_voxelgrid_pairs(job->ctx, g->grid, g->radius, NULL, NULL, 0, &count);
    job_seconds(job, "count", start);
    if (status != BOSC_OK) return say_ctx(job, status);
    *pairs = (bosc_array){.dtype = BOSC_I64, .rank = 2, .shape = {count, 2, 1, 1}};
    if (!job->value[OPT_OUTPUT]) return EXIT_DONE;
    pairs->data = job_alloc((size_t)count, 2 * sizeof(int64_t));
    if (!pairs->data) return EXIT_FAILED;
    start = job_now();
    status = bosc_voxelgrid_pairs(job->ctx, g->grid, g->radius, pairs->data, NULL, count, &count);
    job_seconds(job, "pairs", start);
    return status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
}

int run_hash_pairs(struct job *job)
{
    struct grid g;
    bosc_array pairs = {0};
    int code = open_grid(job, &g);
    if (!code) code = find_pairs(job, &g, &pairs);
    if (!code) code = arrays_write(job, &job->value[OPT_OUTPUT], &pairs, 1);
    job_integer(job, "pairs", pairs.shape[0]);
    bosc_voxelgrid_free(g.grid);
    bosc_array_free(&pairs);
    return code;
}

static int find_groups(struct job *job, const struct grid *g, bosc_array *labels)
{
    int64_t count = 0;
    *labels = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {g->n, 1, 1, 1}};
    labels->data = job_alloc((size_t)g->n, sizeof(int64_t));
    if (!labels->data) return EXIT_FAILED;
    double start = job_now();
    bosc_status status = bosc_voxelgrid_components(job->ctx, g->grid, g->radius, labels->data, &count);
    job_seconds(job, "components", start);
    job_integer(job, "components", count);
    return status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
}

int run_hash_groups(struct job *job)
{
    struct grid g;
    bosc_array labels = {0};
    int code = open_grid(job, &g);
    if (!code) code = find_groups(job, &g, &labels);
    if (!code && job->value[OPT_OUTPUT]) code = arrays_write(job, &job->value[OPT_OUTPUT], &labels, 1);
    bosc_voxelgrid_free(g.grid);
    bosc_array_free(&labels);
    return code;
}
