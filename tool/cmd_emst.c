/* boscage emst */
#include "tool/tool.h"

static int find(struct job *job, const bosc_array *points, bosc_array *edges, bosc_array *lengths, double *weight)
{
    double start = job_now();
    const bosc_emst_opts opts = {.size = sizeof opts, .dtype = points->dtype, .dim = (int32_t)points->shape[1]};
    bosc_status status =
        bosc_emst_compute(job->ctx, points->data, points->shape[0], 0, &opts, edges->data, lengths->data);
    job_seconds(job, "tree", start);
    if (status == BOSC_OK) {
        take_roots(points->dtype, lengths->data, lengths->shape[0]);
        status = bosc_reduce(job->ctx, BOSC_SUM, BOSC_F64, lengths->data, lengths->shape[0], weight);
    }
    return status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
}

int run_emst(struct job *job)
{
    bosc_array points = {0};
    int code = job_open(job);
    if (code || (code = points_read(job, job->operands[0], &points))) return code;
    if (points.shape[1] > DIM_MAX) {
        code = say(EXIT_FAILED, "%s: the points have %lld coordinates, but a tree takes at most %d", job->operands[0],
                   (long long)points.shape[1], DIM_MAX);
        bosc_array_free(&points);
        return code;
    }
    int64_t count = points.shape[0] > 0 ? points.shape[0] - 1 : 0;
    double weight = 0;
    bosc_array edges = {.dtype = BOSC_I64, .rank = 2, .shape = {count, 2, 1, 1}};
    bosc_array lengths = {.dtype = BOSC_F64, .rank = 1, .shape = {count, 1, 1, 1}};
    edges.data = job_alloc((size_t)count, 2 * sizeof(int64_t));
    lengths.data = edges.data ? job_alloc((size_t)count, sizeof(double)) : NULL;
    code = lengths.data ? find(job, &points, &edges, &lengths, &weight) : EXIT_FAILED;
    const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_LENGTHS]};
    if (!code) code = arrays_write(job, paths, (const bosc_array[]){edges, lengths}, paths[1] ? 2 : 1);
    job_integer(job, "n", points.shape[0]);
    job_integer(job, "edges", count);
    job_number(job, "weight", weight);
    bosc_array_free(&points);
    bosc_array_free(&edges);
    bosc_array_free(&lengths);
    return code;
}
