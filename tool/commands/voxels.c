/* boscage voxels: one point for each voxel. */
#include <stdlib.h>
#include <string.h>

#include "tool/commands/commands.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/options/option_table.h"
#include "tool/options/values.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/tool.h"

enum { METHOD_MEAN, METHOD_FIRST, METHOD_NEAREST, MOST_DIM = 3 };

/* The points of a file, their voxels, and the outputs. */
struct down_sample {
    bosc_array points, reals; /* reals: the points as f8, if they are integers */
    bosc_voxels *voxels;
    bosc_array chosen, labels;
    double cell, low[MOST_DIM];
    int64_t count;
    int method;
};

static void free_down_sample(struct down_sample *s)
{
    bosc_array_free(&s->points);
    bosc_array_free(&s->reals);
    bosc_array_free(&s->chosen);
    bosc_array_free(&s->labels);
    bosc_voxels_free(s->voxels);
}

/* Reads the points; integers are converted to doubles, since means are real. */
static int read_points(struct job *job, struct down_sample *s)
{
    const char *path = job->operands[0];
    const int code = points_read(job, path, &s->points);
    if (code) return code;
    const int64_t n = s->points.shape[0], dim = s->points.shape[1];
    job_set_integer(job, "n", n);
    if (dim > MOST_DIM)
        return report_error(EXIT_FAILED, "%s: the points have %lld coordinates, but voxels have at most %d", path,
                            (long long)dim, MOST_DIM);
    if (s->points.dtype == BOSC_F32 || s->points.dtype == BOSC_F64) return EXIT_DONE;
    s->reals = (bosc_array){.dtype = BOSC_F64, .rank = 2, .shape = {n, dim, 1, 1}};
    double *reals = s->reals.data = job_alloc((size_t)(n * dim), sizeof *reals);
    if (!reals) return EXIT_FAILED;
    for (int64_t i = 0; i < n * dim; i++) reals[i] = coordinate(&s->points, i);
    return EXIT_DONE;
}

/* Reads --low: one number for all coordinates, or one each. */
static int read_low(const struct job *job, struct down_sample *s)
{
    const char *text = job->value[OPT_LOW];
    if (!text) return EXIT_DONE;
    const bool each = strchr(text, ',') != NULL;
    const int code = option_numbers(job, OPT_LOW, each ? (int)s->points.shape[1] : 1, s->low);
    for (int c = 1; c < MOST_DIM && !each; c++) s->low[c] = s->low[0];
    return code;
}

/* The points in the type of their voxelisation. */
static const bosc_array *real_points(const struct down_sample *s) { return s->reals.data ? &s->reals : &s->points; }

static bosc_status build_voxels(struct job *job, struct down_sample *s)
{
    const bosc_array *p = real_points(s);
    const bosc_voxels_opts opts = {.size = sizeof opts,
                                   .dtype = p->dtype,
                                   .dim = (int32_t)p->shape[1],
                                   .cell = {s->cell, s->cell, s->cell},
                                   .low = {s->low[0], s->low[1], s->low[2]}};
    bosc_status status = bosc_voxels_create(job->ctx, &opts, &s->voxels);
    if (status == BOSC_OK) status = bosc_voxels_build(job->ctx, s->voxels, p->data, p->shape[0], 0, NULL, 1);
    return status == BOSC_OK ? bosc_voxels_count(job->ctx, s->voxels, &s->count) : status;
}

/* Copies the chosen row of each voxel. */
static bosc_status copy_rows(struct job *job, const struct down_sample *s, int64_t *ids)
{
    const bosc_array *p = real_points(s);
    const size_t row = (size_t)s->points.shape[1] * bosc_dtype_size(s->points.dtype);
    const bosc_status status = s->method == METHOD_FIRST
                                   ? bosc_voxels_list(job->ctx, s->voxels, NULL, NULL, ids, NULL, s->count)
                                   : bosc_voxels_nearest(job->ctx, s->voxels, p->data, 0, ids, s->count);
    if (status != BOSC_OK) return status;
    for (int64_t i = 0; i < s->count; i++)
        memcpy((char *)s->chosen.data + (size_t)i * row, (const char *)s->points.data + (size_t)ids[i] * row, row);
    return BOSC_OK;
}

/* Chooses or computes a point for each voxel. */
static int choose_points(struct job *job, struct down_sample *s)
{
    const bosc_array *p = real_points(s);
    const int64_t dim = p->shape[1];
    const bosc_dtype dtype = s->method == METHOD_MEAN ? p->dtype : s->points.dtype;
    s->chosen = (bosc_array){.dtype = dtype, .rank = 2, .shape = {s->count, dim, 1, 1}};
    s->chosen.data = job_alloc((size_t)(s->count * dim), bosc_dtype_size(dtype));
    int64_t *ids = s->chosen.data ? job_alloc((size_t)s->count, sizeof *ids) : NULL;
    if (!ids) return EXIT_FAILED;
    const bosc_status status = s->method == METHOD_MEAN ? bosc_voxels_mean(job->ctx, s->voxels, dtype, p->data, dim, 0,
                                                                           s->chosen.data, s->count)
                                                        : copy_rows(job, s, ids);
    free(ids);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* Lists the voxel of each point. */
static int list_labels(struct job *job, struct down_sample *s)
{
    s->labels = (bosc_array){.dtype = BOSC_I64, .rank = 1, .shape = {s->points.shape[0], 1, 1, 1}};
    s->labels.data = job_alloc((size_t)s->points.shape[0], sizeof(int64_t));
    if (!s->labels.data) return EXIT_FAILED;
    const bosc_status status = bosc_voxels_inverse(job->ctx, s->voxels, s->labels.data);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* Reports an error of a build with the name of its file, or of --size or --low, which the type of the points may not
 * hold. */
static int report_build_error(const struct job *job, bosc_status status)
{
    const char *text = bosc_ctx_message(job->ctx);
    if (strncmp(text, "opts: low", 9) == 0)
        return report_argument_error(job->ctx, status, "opts", option_flag(OPT_LOW));
    if (strncmp(text, "opts:", 5) == 0) return report_argument_error(job->ctx, status, "opts", option_flag(OPT_SIZE));
    /* "points: fact: set ...": the advice with the tool's names */
    const char *fact = strchr(text, ':'), *end = strstr(text, ": set ");
    if (fact && end)
        return report_error(EXIT_FAILED, "%s%.*s: %s, or a larger --size", job->operands[0], (int)(end - fact), fact,
                            strncmp(end, ": set low", 9) == 0 ? "--low near the points" : "leave out far points");
    return report_argument_error(job->ctx, status, "points", job->operands[0]);
}

/* Reports the number of points with an infinity, which are in no voxel. */
static int report_outside(struct job *job, const struct down_sample *s)
{
    int64_t *counts = job_alloc((size_t)s->count, sizeof *counts), outside = s->points.shape[0];
    if (!counts) return EXIT_FAILED;
    const bosc_status status = bosc_voxels_list(job->ctx, s->voxels, NULL, counts, NULL, NULL, s->count);
    for (int64_t v = 0; v < s->count && status == BOSC_OK; v++) outside -= counts[v];
    free(counts);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    job_set_integer(job, "outside", outside);
    return EXIT_DONE;
}

/* Builds the voxels and reduces them; a job without outputs counts them. */
static int sample_points(struct job *job, struct down_sample *s)
{
    const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_LABELS]};
    double start = job_now();
    const bosc_status status = build_voxels(job, s);
    job_add_seconds(job, "voxels", start);
    if (status != BOSC_OK) return report_build_error(job, status);
    job_set_integer(job, "voxels", s->count);
    int code = report_outside(job, s);
    if (code || (!paths[0] && !paths[1])) return code;
    start = job_now();
    if (paths[0]) code = choose_points(job, s);
    if (!code && paths[1]) code = list_labels(job, s);
    job_add_seconds(job, "reduce", start);
    return code ? code : arrays_write(job, paths, (const bosc_array[]){s->chosen, s->labels}, 2);
}

int run_voxels(struct job *job)
{
    struct down_sample s = {0};
    int code;
    if ((code = option_number(job, OPT_SIZE, 0, &s.cell)) || (code = option_choice(job, OPT_METHOD, &s.method)))
        return code;
    if (s.cell - s.cell != 0 || s.cell == 0)
        return report_error(EXIT_USAGE, "--size: %s is not finite and more than 0", job->value[OPT_SIZE]);
    if ((code = job_open(job))) return code;
    code = read_points(job, &s);
    if (!code) code = read_low(job, &s);
    if (!code) code = sample_points(job, &s);
    free_down_sample(&s);
    return code;
}
