/* boscage hash pairs, groups, collide: close points by a voxel grid, touching triangles. */
#include <boscage/collision.h>
#include <boscage/voxelgrid.h>
#include <math.h>
#include <stdlib.h>

#include "tool/commands/commands.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/options/option_table.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* ---- points ---- */

enum { SAMPLES = 4096 }; /* points that estimate the extent; chosen */

static int compare_values(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the extent of the middle seven eighths of a sample along coordinate c, or of the whole sample if that is 0.
 * Raises *max_magnitude to the largest magnitude among them. */
static double sampled_extent(const bosc_array *points, int64_t c, double *max_magnitude)
{
    double x[SAMPLES];
    int64_t step = points->shape[0] / SAMPLES + 1;
    size_t count = 0;
    for (int64_t i = 0; i < points->shape[0]; i += step) {
        x[count] = coordinate(points, i * points->shape[1] + c);
        if (isfinite(x[count])) count++;
    }
    if (count == 0) return 0;
    qsort(x, count, sizeof *x, compare_values);
    double low = x[count / 16], high = x[count - 1 - count / 16], extent = high - low;
    *max_magnitude = fmax(*max_magnitude, fmax(fabs(low), fabs(high)));
    return extent > 0 ? extent : x[count - 1] - x[0];
}

/* Returns the size of a voxel: the radius, but large enough that the voxel coordinates of most points have at most
 * about 60 bits, each and together. The few outermost points are ignored. */
static double choose_cell(const bosc_array *points, double radius)
{
    double min_cell = (double)bosc_dtype_size(points->dtype) == 4 ? 1e-30 : 1e-290, extent = 0, max_magnitude = 0;
    for (int64_t c = 0; c < points->shape[1]; c++) extent = fmax(extent, sampled_extent(points, c, &max_magnitude));
    double cell = fmax(radius, fmax(ldexp(extent, (int)(-60 / points->shape[1])), ldexp(max_magnitude, -60)));
    return cell > min_cell ? fmin(cell, 1e300) : 1;
}

/* A grid of the points, and the search radius. */
struct point_grid {
    bosc_voxelgrid *grid;
    double radius;
    int64_t n;
};

static int build_grid(struct job *job, const bosc_array *points, struct point_grid *g)
{
    bosc_voxelgrid_opts opts = {.size = sizeof opts, .dtype = points->dtype, .dim = (int32_t)points->shape[1]};
    opts.cell = choose_cell(points, g->radius);
    double start = job_now();
    bosc_status status = bosc_voxelgrid_create(job->ctx, &opts, &g->grid);
    if (status == BOSC_OK) status = bosc_voxelgrid_build(job->ctx, g->grid, points->data, g->n, 0);
    job_add_seconds(job, "build", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* Reads --radius and the points, and builds the grid. */
static int open_grid(struct job *job, struct point_grid *g)
{
    bosc_array points = {0};
    int code;
    *g = (struct point_grid){0};
    if ((code = option_number(job, OPT_RADIUS, 0, &g->radius)) || (code = job_open(job)) ||
        (code = points_read(job, job->operands[0], &points)))
        return code;
    g->n = points.shape[0];
    job_set_integer(job, "n", g->n);
    if (points.shape[1] > 3)
        code = report_error(EXIT_FAILED, "%s: the points have %lld coordinates, but a voxel grid takes at most 3",
                            job->operands[0], (long long)points.shape[1]);
    if (!code) code = build_grid(job, &points, g);
    bosc_array_free(&points);
    return code;
}

static int find_pairs(struct job *job, const struct point_grid *g, bosc_array *pairs)
{
    int64_t count = 0;
    double start = job_now();
    bosc_status status = bosc_voxelgrid_pairs(job->ctx, g->grid, g->radius, NULL, NULL, 0, &count);
    job_add_seconds(job, "count", start);
    if (status != BOSC_OK) return report_argument_error(job->ctx, status, "radius", option_flag(OPT_RADIUS));
    *pairs = (bosc_array){.dtype = BOSC_I64, .rank = 2, .shape = {count, 2, 1, 1}};
    if (!job->value[OPT_OUTPUT]) return EXIT_DONE;
    pairs->data = job_alloc((size_t)count, 2 * sizeof(int64_t));
    if (!pairs->data) return EXIT_FAILED;
    start = job_now();
    status = bosc_voxelgrid_pairs(job->ctx, g->grid, g->radius, pairs->data, NULL, count, &count);
    job_add_seconds(job, "pairs", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

int run_hash_pairs(struct job *job)
{
    struct point_grid g;
    bosc_array pairs = {0};
    int code = open_grid(job, &g);
    if (!code) code = find_pairs(job, &g, &pairs);
    if (!code) code = arrays_write(job, &job->value[OPT_OUTPUT], &pairs, 1);
    job_set_integer(job, "pairs", pairs.shape[0]);
    bosc_voxelgrid_free(g.grid);
    bosc_array_free(&pairs);
    return code;
}

static int find_groups(struct job *job, const struct point_grid *g, bosc_array *labels)
{
    int64_t count = 0;
    *labels = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {g->n, 1, 1, 1}};
    labels->data = job_alloc((size_t)g->n, sizeof(int64_t));
    if (!labels->data) return EXIT_FAILED;
    double start = job_now();
    bosc_status status = bosc_voxelgrid_components(job->ctx, g->grid, g->radius, labels->data, &count);
    job_add_seconds(job, "components", start);
    job_set_integer(job, "components", count);
    return status == BOSC_OK ? EXIT_DONE : report_argument_error(job->ctx, status, "radius", option_flag(OPT_RADIUS));
}

int run_hash_groups(struct job *job)
{
    struct point_grid g;
    bosc_array labels = {0};
    int code = open_grid(job, &g);
    if (!code) code = find_groups(job, &g, &labels);
    if (!code && job->value[OPT_OUTPUT]) code = arrays_write(job, &job->value[OPT_OUTPUT], &labels, 1);
    bosc_voxelgrid_free(g.grid);
    bosc_array_free(&labels);
    return code;
}

/* ---- triangles ---- */

/* The two meshes of the files. */
struct meshes {
    bosc_array vertices[2], triangles[2];
};

static int read_meshes(struct job *job, struct meshes *m)
{
    bosc_io_error error;
    bosc_status status = BOSC_OK;
    double start = job_now();
    for (int which = 0; which < 2 && status == BOSC_OK; which++)
        status = bosc_mesh_read(job->operands[which], &m->vertices[which], &m->triangles[which], &error);
    job_add_seconds(job, "read", start);
    meshes_note_axes(job, job->operands[0], job->operands[1]);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

/* Reports an error of the library about mesh "a" or "b" with the name of its file. */
static int report_mesh_error(const struct job *job, bosc_status status)
{
    const char *text = bosc_ctx_message(job->ctx);
    return report_error(status_exit_code(status), "%s%s", job->operands[text[0] == 'b'], text + 1);
}

/* pairs->shape gets the number of pairs. pairs->data stays NULL without -o; otherwise the caller frees it, after a
 * failure too. */
static int find_collisions(struct job *job, const struct meshes *m, bosc_array *pairs)
{
    const bosc_collision_opts opts = {.size = sizeof opts, .dtype = BOSC_F64};
    bosc_collision *collision = NULL;
    bosc_collision_mesh mesh[2];
    int64_t count = 0;
    for (int which = 0; which < 2; which++)
        mesh[which] = (bosc_collision_mesh){.size = sizeof mesh[which],
                                            .vertices = m->vertices[which].data,
                                            .vertex_count = m->vertices[which].shape[0],
                                            .triangles = m->triangles[which].data,
                                            .triangle_count = m->triangles[which].shape[0]};
    /* 1. Build, and count the pairs. */
    double start = job_now();
    bosc_status status = bosc_collision_create(job->ctx, &opts, &collision);
    if (status == BOSC_OK) status = bosc_collision_build(job->ctx, collision, &mesh[0], &mesh[1]);
    job_add_seconds(job, "build", start);
    if (status == BOSC_OK) status = bosc_collision_pairs(job->ctx, collision, NULL, 0, &count);
    *pairs = (bosc_array){.dtype = BOSC_I64, .rank = 2, .shape = {count, 2, 1, 1}};
    int code = EXIT_DONE;
    if (status != BOSC_OK)
        code = status == BOSC_ERR_DATA ? report_mesh_error(job, status) : report_ctx_error(job->ctx, status);
    /* 2. List them if they are written. */
    if (!code && job->value[OPT_OUTPUT]) {
        pairs->data = job_alloc((size_t)count, 2 * sizeof(int64_t));
        code = pairs->data ? EXIT_DONE : EXIT_FAILED;
        if (!code) status = bosc_collision_pairs(job->ctx, collision, pairs->data, count, &count);
        if (status != BOSC_OK) code = report_ctx_error(job->ctx, status);
    }
    bosc_collision_free(collision);
    return code;
}

int run_hash_collide(struct job *job)
{
    struct meshes m = {0};
    bosc_array pairs = {0};
    int code = job_open(job);
    if (!code) code = read_meshes(job, &m);
    if (!code) code = find_collisions(job, &m, &pairs);
    if (!code) code = arrays_write(job, &job->value[OPT_OUTPUT], &pairs, 1);
    if (!code) {
        job_set_integer(job, "n", m.triangles[0].shape[0]);
        job_set_integer(job, "m", m.triangles[1].shape[0]);
        job_set_integer(job, "pairs", pairs.shape[0]);
    }
    for (int which = 0; which < 2; which++) {
        bosc_array_free(&m.vertices[which]);
        bosc_array_free(&m.triangles[which]);
    }
    bosc_array_free(&pairs);
    return code;
}
