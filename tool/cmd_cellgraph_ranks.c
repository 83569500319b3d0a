/* boscage cellgraph over several ranks: each has a slice of the vectors, and gets the pairs whose lower rows it has. */
#include <stdlib.h>
#include <string.h>

#include "tool/ranks.h"

/* What all ranks of the process work on. */
struct work {
    const bosc_vectors *vectors;
    const bosc_cellgraph_opts *opts;
    bosc_dist_cellgraph **graphs;  /* (ranks): of this process's */
    int64_t *counts;               /* (ranks): pairs found by each */
    bosc_dist_cellgraph_info info; /* of the process's first rank */
    int64_t first;                 /* of this process */
    int64_t *pairs;                /* of all ranks, one's after another's */
};

static bosc_status build(const struct rank *r, void *user)
{
    struct work *w = user;
    bosc_dist_cellgraph_info info = {.size = sizeof info};
    int64_t at, n = rank_slice(r, w->vectors->n, &at);
    const int64_t words = bosc_cellgraph_words(w->opts->length, w->opts->letter_bits);
    bosc_dist_cellgraph **graph = &w->graphs[r->number];
    bosc_status status = bosc_dist_cellgraph_create(r->ctx, r->comm, w->opts, graph);
    if (status == BOSC_OK) status = bosc_dist_cellgraph_build(r->ctx, *graph, w->vectors->rows + at * words, n, 0);
    if (status == BOSC_OK) status = bosc_dist_cellgraph_get_info(r->ctx, *graph, &info);
    w->counts[r->number] = info.own_edges;
    if (r->number == w->first) w->info = info;
    return status;
}

static bosc_status get_pairs(const struct rank *r, void *user)
{
    const struct work *w = user;
    bosc_dist_cellgraph_info info = {.size = sizeof info};
    const bosc_dist_cellgraph *graph = w->graphs[r->number];
    const bosc_status status = bosc_dist_cellgraph_get_info(r->ctx, graph, &info);
    return status == BOSC_OK ? bosc_dist_cellgraph_get_pairs(r->ctx, graph, w->pairs + 2 * info.first_edge, NULL)
                             : status;
}

static int find(struct job *job, const struct ranks *ranks, struct work *w, bosc_array *pairs)
{
    double start = job_now();
    int code = ranks_run(ranks, build, w);
    job_seconds(job, "build", start);
    if (code) return code;
    *pairs = (bosc_array){.dtype = BOSC_I64, .rank = 2, .shape = {w->info.edges, 2, 1, 1}};
    job_integer(job, "n", w->info.n);
    job_integer(job, "unique", w->info.vertices);
    job_integer(job, "edges", w->info.edges);
    if (!job->value[OPT_OUTPUT]) return EXIT_DONE;
    w->pairs = pairs->data = job_alloc((size_t)w->info.edges, 2 * sizeof(int64_t));
    if (!pairs->data) return EXIT_FAILED;
    start = job_now();
    code = ranks_run(ranks, get_pairs, w);
    if (!code) code = ranks_join(ranks, w->counts, pairs->data, 2 * sizeof(int64_t));
    job_seconds(job, "pairs", start);
    return code;
}

int cellgraph_over_ranks(struct job *job, const struct ranks *ranks, const bosc_vectors *vectors,
                         const bosc_cellgraph_opts *opts, bosc_array *pairs)
{
    struct work w = {.vectors = vectors, .opts = opts, .first = ranks->first};
    w.graphs = job_alloc((size_t)ranks->count, sizeof(bosc_dist_cellgraph *));
    w.counts = w.graphs ? job_alloc((size_t)ranks->count, sizeof *w.counts) : NULL;
    if (w.graphs) memset(w.graphs, 0, (size_t)ranks->count * sizeof(bosc_dist_cellgraph *));
    const int code = w.counts ? find(job, ranks, &w, pairs) : EXIT_FAILED;
    for (int32_t r = 0; w.graphs && r < ranks->count; r++) bosc_dist_cellgraph_free(w.graphs[r]);
    free(w.graphs);
    free(w.counts);
    return code;
}
