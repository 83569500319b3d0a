/* boscage emst */
#include <math.h>

#include "tool/tool.h"

/* Squared lengths, of 32 bits in the front half for f4 points, become lengths. */
static void take_roots(bool narrow, void *lengths, int64_t count)
{
    double *d = lengths;
    const float *f = lengths;
    for (int64_t i = count; i-- > 0;) d[i] = sqrt(narrow ? (double)f[i] : d[i]);
}

static int find(struct job *job, const bosc_array *points, bosc_array *edges, bosc_array *lengths, double *weight)
{
    double start = job_now();
    bosc_status status = bosc_emst(job->ctx, points->dtype, (int32_t)points->shape[1], points->data, points->shape[0],
                                   0, 64, edges->data, lengths->data);
    job_seconds(job, "tree", start);
    if (status == BOSC_OK) {
        take_roots(points->dtype == BOSC_F32, lengths->data, lengths->shape[0]);
        status = bosc_reduce(job->ctx, BOSC_SUM, BOSC_F64, lengths->data, lengths->shape[0], weight);
    }
    return status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
}

static int save(struct job *job, const bosc_array *edges, const bosc_array *lengths)
{
    const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_LENGTHS]};
    bosc_array arrays[] = {*edges, *lengths};
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_npy_write_all(paths, arrays, paths[1] ? 2 : 1, &error);
    job_seconds(job, "write", start);
    return status == BOSC_OK ? EXIT_DONE : say_io(status, &error);
}

int run_emst(struct job *job)
{
    bosc_array points = {0};
    int code = job_open(job);
    if (code || (code = points_read(job, job->operands[0], &points))) return code;
    int64_t count = points.shape[0] > 0 ? points.shape[0] - 1 : 0;
    double weight = 0;
    bosc_array edges = {.dtype = BOSC_I64, .rank = 2, .shape = {count, 2, 1, 1}};
    bosc_array lengths = {.dtype = BOSC_F64, .rank = 1, .shape = {count, 1, 1, 1}};
    edges.data = job_alloc((size_t)count, 2 * sizeof(int64_t));
    lengths.data = edges.data ? job_alloc((size_t)count, sizeof(double)) : NULL;
    code = lengths.data ? find(job, &points, &edges, &lengths, &weight) : EXIT_FAILED;
    if (!code) code = save(job, &edges, &lengths);
    job_integer(job, "n", points.shape[0]);
    job_integer(job, "edges", count);
    job_number(job, "weight", weight);
    bosc_array_free(&points);
    bosc_array_free(&edges);
    bosc_array_free(&lengths);
    return code;
}
