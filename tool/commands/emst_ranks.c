/* boscage emst over several ranks: each has a slice of the points, and gets as many rows of the list. */
#include <stdlib.h>

#include "tool/ranks.h"

/* What all ranks of the process work on. */
struct tree_work {
    struct spanning_tree *tree;
    int64_t *counts; /* (ranks): edges that each has got */
};

/* Of a squared length. */
static size_t length_size(const struct spanning_tree *s)
{
    return s->points.dtype == BOSC_F32 ? sizeof(float) : sizeof(double);
}

static bosc_status find_part(const struct rank *r, void *user)
{
    const struct tree_work *w = user;
    const struct spanning_tree *s = w->tree;
    const bosc_emst_opts opts = {.size = sizeof opts, .dtype = s->points.dtype, .dim = (int32_t)s->points.shape[1]};
    int64_t begin, n = rank_slice(r, s->points.shape[0], &begin);
    return bosc_ranks_emst_compute(r->ctx, r->comm, array_row(&s->points, begin), n, 0, &opts,
                                   array_row(&s->edges, begin),
                                   (char *)s->lengths.data + (size_t)begin * length_size(s), &w->counts[r->number]);
}

/* The parts of all ranks together, on the first process. */
static int gather(const struct ranks *ranks, const struct tree_work *w)
{
    struct spanning_tree *s = w->tree;
    int64_t total, n = s->points.shape[0];
    int code = ranks_gather(ranks, n, w->counts, s->edges.data, 2 * sizeof(int64_t), &total);
    return code ? code : ranks_gather(ranks, n, w->counts, s->lengths.data, length_size(s), &total);
}

int emst_over_ranks(struct job *job, const struct ranks *ranks, struct spanning_tree *tree)
{
    struct tree_work w = {.tree = tree};
    int code = spanning_tree_read(job, job->operands[0], tree);
    if (code) return code;
    w.counts = job_alloc((size_t)ranks->count, sizeof *w.counts);
    if (!w.counts) return EXIT_FAILED;
    double start = job_now();
    code = ranks_run(ranks, find_part, &w);
    job_seconds(job, "tree", start);
    if (!code) code = gather(ranks, &w);
    if (!code && !job->silent) take_roots(tree->points.dtype, tree->lengths.data, tree->lengths.shape[0]);
    free(w.counts);
    return code;
}
