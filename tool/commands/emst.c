/* boscage emst; and Euclidean minimum spanning trees for what is made of them. */
#include "tool/ranks.h"

static int find(struct job *job, struct spanning_tree *s)
{
    double start = job_now();
    const bosc_emst_opts opts = {.size = sizeof opts, .dtype = s->points.dtype, .dim = (int32_t)s->points.shape[1]};
    bosc_status status =
        bosc_emst_compute(job->ctx, s->points.data, s->points.shape[0], 0, &opts, s->edges.data, s->lengths.data);
    job_seconds(job, "tree", start);
    if (status != BOSC_OK) return say_ctx(job, status);
    take_roots(s->points.dtype, s->lengths.data, s->lengths.shape[0]);
    return EXIT_DONE;
}

int spanning_tree_read(struct job *job, const char *path, struct spanning_tree *s)
{
    *s = (struct spanning_tree){0};
    int code = points_read(job, path, &s->points);
    if (code) return code;
    int64_t n = s->points.shape[0], count = n > 0 ? n - 1 : 0;
    job_integer(job, "n", n);
    if (s->points.shape[1] > DIM_MAX)
        return say(EXIT_FAILED, "%s: the points have %lld coordinates, but a tree takes at most %d", path,
                   (long long)s->points.shape[1], DIM_MAX);
    s->edges = (bosc_array){.dtype = BOSC_I64, .rank = 2, .shape = {count, 2, 1, 1}};
    s->lengths = (bosc_array){.dtype = BOSC_F64, .rank = 1, .shape = {count, 1, 1, 1}};
    s->edges.data = job_alloc((size_t)n, 2 * sizeof(int64_t));
    s->lengths.data = s->edges.data ? job_alloc((size_t)n, sizeof(double)) : NULL;
    return s->lengths.data ? EXIT_DONE : EXIT_FAILED;
}

int spanning_tree_find(struct job *job, const char *path, struct spanning_tree *s)
{
    int code = spanning_tree_read(job, path, s);
    return code ? code : find(job, s);
}

void spanning_tree_free(struct spanning_tree *s)
{
    bosc_array_free(&s->points);
    bosc_array_free(&s->edges);
    bosc_array_free(&s->lengths);
}

static int report(struct job *job, const struct spanning_tree *s)
{
    const char *paths[] = {job->value[OPT_OUTPUT], job->value[OPT_LENGTHS]};
    double weight = 0;
    bosc_status status = bosc_reduce(job->ctx, BOSC_SUM, BOSC_F64, s->lengths.data, s->lengths.shape[0], &weight);
    if (status != BOSC_OK) return say_ctx(job, status);
    job_integer(job, "edges", s->edges.shape[0]);
    job_number(job, "weight", weight);
    return arrays_write(job, paths, (const bosc_array[]){s->edges, s->lengths}, paths[1] ? 2 : 1);
}

int run_emst(struct job *job)
{
    struct spanning_tree tree = {0};
    struct ranks ranks;
    int code = job_open(job);
    if (code) return code;
    code = ranks_open(job, &ranks);
    if (!code)
        code = ranks.count ? emst_over_ranks(job, &ranks, &tree) : spanning_tree_find(job, job->operands[0], &tree);
    if (!code && !job->silent) code = report(job, &tree);
    spanning_tree_free(&tree);
    ranks_close(&ranks, code);
    return code;
}
