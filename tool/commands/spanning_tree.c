#include "tool/commands/spanning_tree.h"

#include "tool/clock.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

int spanning_tree_read(struct job *job, const char *path, struct spanning_tree *s)
{
    *s = (struct spanning_tree){0};
    int code = points_read(job, path, &s->points);
    if (code) return code;
    int64_t n = s->points.shape[0], count = n > 0 ? n - 1 : 0;
    job_set_integer(job, "n", n);
    if (s->points.shape[1] > DIM_MAX)
        return report_error(EXIT_FAILED, "%s: the points have %lld coordinates, but a tree takes at most %d", path,
                            (long long)s->points.shape[1], DIM_MAX);
    s->edges = (bosc_array){.dtype = BOSC_I64, .rank = 2, .shape = {count, 2, 1, 1}};
    s->lengths = (bosc_array){.dtype = BOSC_F64, .rank = 1, .shape = {count, 1, 1, 1}};
    s->edges.data = job_alloc((size_t)n, 2 * sizeof(int64_t));
    s->lengths.data = s->edges.data ? job_alloc((size_t)n, sizeof(double)) : NULL;
    return s->lengths.data ? EXIT_DONE : EXIT_FAILED;
}

static int compute_tree(struct job *job, struct spanning_tree *s)
{
    double start = job_now();
    const bosc_emst_opts opts = {.size = sizeof opts, .dtype = s->points.dtype, .dim = (int32_t)s->points.shape[1]};
    bosc_status status =
        bosc_emst_compute(job->ctx, s->points.data, s->points.shape[0], 0, &opts, s->edges.data, s->lengths.data);
    job_add_seconds(job, "tree", start);
    if (status != BOSC_OK) return report_ctx_error(job, status);
    squares_to_distances(s->points.dtype, s->lengths.data, s->lengths.shape[0]);
    return EXIT_DONE;
}

int spanning_tree_compute(struct job *job, const char *path, struct spanning_tree *s)
{
    int code = spanning_tree_read(job, path, s);
    return code ? code : compute_tree(job, s);
}

void spanning_tree_free(struct spanning_tree *s)
{
    bosc_array_free(&s->points);
    bosc_array_free(&s->edges);
    bosc_array_free(&s->lengths);
}
