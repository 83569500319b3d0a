#include "tool/commands/emst_ranks.h"

#include <stdlib.h>

#include "tool/clock.h"
#include "tool/commands/spanning_tree.h"
#include "tool/job.h"
#include "tool/output/arrays.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* Shared by the ranks of a process. Each rank holds a slice of the points, and room for as many edges. */
struct tree_work {
    struct spanning_tree *tree;
    int64_t *counts; /* (ranks): edges found by each */
};

/* Bytes of a squared length. */
static size_t length_size(const struct spanning_tree *s)
{
    return s->points.dtype == BOSC_F32 ? sizeof(float) : sizeof(double);
}

static bosc_status find_slice(const struct rank *r, void *user)
{
    const struct tree_work *w = user;
    const struct spanning_tree *s = w->tree;
    const bosc_emst_opts opts = {.size = sizeof opts, .dtype = s->points.dtype, .dim = (int32_t)s->points.shape[1]};
    int64_t begin, n = rank_slice(r, s->points.shape[0], &begin);
    return bosc_ranks_emst_compute(r->ctx, r->comm, array_row(&s->points, begin), n, 0, &opts,
                                   array_row(&s->edges, begin),
                                   (char *)s->lengths.data + (size_t)begin * length_size(s), &w->counts[r->number]);
}

/* Gathers the edges of all ranks on the first process. */
static int gather_edges(const struct ranks *ranks, const struct tree_work *w)
{
    struct spanning_tree *s = w->tree;
    int64_t total, n = s->points.shape[0];
    int code = ranks_gather_rows(ranks, n, w->counts, s->edges.data, 2 * sizeof(int64_t), &total);
    return code ? code : ranks_gather_rows(ranks, n, w->counts, s->lengths.data, length_size(s), &total);
}

int emst_over_ranks(struct job *job, const struct ranks *ranks, struct spanning_tree *tree)
{
    struct tree_work w = {.tree = tree};
    int code = spanning_tree_read(job, job->operands[0], tree);
    if (code) return code;
    w.counts = job_alloc((size_t)ranks->count, sizeof *w.counts);
    if (!w.counts) return EXIT_FAILED;
    double start = job_now();
    code = ranks_run(ranks, find_slice, &w);
    job_add_seconds(job, "tree", start);
    if (!code) code = gather_edges(ranks, &w);
    if (!code && !job->silent) squares_to_distances(tree->points.dtype, tree->lengths.data, tree->lengths.shape[0]);
    free(w.counts);
    return code;
}
