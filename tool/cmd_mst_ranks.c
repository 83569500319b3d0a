/* boscage mst, components over several ranks: each builds a graph of its slice of the edges. */
#include <stdlib.h>
#include <string.h>

#include "tool/ranks.h"

/* What all ranks of the process work on. */
struct graph_work {
    bosc_edges edges; /* the whole graph */
    bosc_msf_opts opts;
    int64_t *counts;  /* (ranks): edges of the forest found by each */
    uint32_t *ids;    /* (edges): a rank's from where its slice begins */
    uint32_t *labels; /* (vertices); NULL: not wanted */
    int64_t components;
    bosc_msf_info found; /* of the process's first rank */
};

static int read_edges(struct job *job, struct graph_work *w)
{
    bosc_io_error error;
    bosc_graph *graph = NULL;
    const char *path = job->operands[0];
    double start = job_now();
    bosc_status status = bosc_graph_or_edges_read(job->ctx, path, &graph, &w->edges, &error);
    job_seconds(job, "read", start);
    if (status != BOSC_OK) return say_io(status, &error);
    if (graph) {
        bosc_graph_free(graph);
        return say(EXIT_FAILED, "%s: a saved graph; ranks need its edges, as .gr or .mtx has them", path);
    }
    job_integer(job, "n", w->edges.n);
    job_integer(job, "m", w->edges.m);
    return EXIT_DONE;
}

/* The graph of this rank's edges. */
static bosc_status build_slice(const struct rank *r, const struct graph_work *w, bosc_graph **graph, int64_t *begin)
{
    const bosc_edges *e = &w->edges;
    const bosc_graph_opts opts = {.size = sizeof opts, .weight = e->dtype, .id_bits = 32};
    const int64_t count = rank_slice(r, e->m, begin);
    const size_t at = (size_t)*begin * bosc_dtype_size(e->dtype);
    bosc_status status = bosc_graph_create(r->ctx, &opts, graph);
    if (status != BOSC_OK) return status;
    return bosc_graph_build(r->ctx, *graph, e->u + *begin, e->v + *begin,
                            e->weights ? (const char *)e->weights + at : NULL, e->n, count);
}

static bosc_status find_forest(const struct rank *r, void *user)
{
    struct graph_work *w = user;
    bosc_graph *graph = NULL;
    bosc_msf_info found = {.size = sizeof found};
    int64_t begin, *count = &w->counts[r->number];
    bosc_status status = build_slice(r, w, &graph, &begin);
    if (status == BOSC_OK)
        status = bosc_dist_msf_compute(r->ctx, r->comm, graph, &w->opts, w->ids + begin, count, NULL, &found);
    if (status == BOSC_OK && r->number == 0) w->found = found;
    bosc_graph_free(graph);
    return status;
}

static bosc_status find_components(const struct rank *r, void *user)
{
    struct graph_work *w = user;
    bosc_graph *graph = NULL;
    int64_t begin, count = 0;
    bosc_status status = build_slice(r, w, &graph, &begin);
    uint32_t *labels = r->number == 0 ? w->labels : NULL; /* all ranks have the same */
    if (status == BOSC_OK) status = bosc_dist_components_compute(r->ctx, r->comm, graph, NULL, labels, &count);
    if (status == BOSC_OK && r->number == 0) w->components = count;
    bosc_graph_free(graph);
    return status;
}

/* The forest as edges: those of the list that have these ids. */
static void pick_edges(bosc_edges *edges, const int64_t *ids, int64_t count)
{
    const size_t each = bosc_dtype_size(edges->dtype);
    char *weights = edges->weights;
    for (int64_t i = 0; i < count; i++) { /* in place: ids ascend */
        edges->u[i] = edges->u[ids[i]];
        edges->v[i] = edges->v[ids[i]];
        if (weights) memmove(weights + (size_t)i * each, weights + (size_t)ids[i] * each, each);
    }
    edges->m = count;
}

static int write_forest(struct job *job, struct graph_work *w, bosc_array *ids)
{
    bosc_io_error error;
    const char *path = job->value[OPT_OUTPUT];
    if (!path) return EXIT_DONE;
    double start = job_now();
    bosc_status status;
    if (path_ends_in(path, ".gr") || path_ends_in(path, ".mtx")) {
        pick_edges(&w->edges, ids->data, ids->shape[0]);
        status = bosc_edges_write(path, &w->edges, &error);
    } else {
        status = bosc_npy_write(path, ids, &error);
    }
    job_seconds(job, "write", start);
    return status == BOSC_OK ? EXIT_DONE : say_io(status, &error);
}

static int finish_forest(struct job *job, const struct ranks *ranks, struct graph_work *w)
{
    bosc_array ids = {.dtype = BOSC_I64, .rank = 1, .shape = {0, 1, 1, 1}, .data = w->ids};
    int code = ranks_gather(ranks, w->edges.m, w->counts, w->ids, sizeof *w->ids, &ids.shape[0]);
    if (code || job->silent) return code;
    job_integer(job, "edges", w->found.edges);
    job_integer(job, "components", w->found.trees);
    report_weight(job, w->edges.dtype, &w->found);
    widen_ids(32, w->ids, ids.shape[0]);
    return write_forest(job, w, &ids);
}

int mst_over_ranks(struct job *job, const struct ranks *ranks)
{
    struct graph_work w = {.opts = {.size = sizeof w.opts, .maximum = job->value[OPT_MAX] != NULL}};
    int code = job->value[OPT_VERIFY] ? say(EXIT_USAGE, "--verify: not over ranks") : read_edges(job, &w);
    if (!code) {
        w.counts = job_alloc((size_t)ranks->count, sizeof *w.counts);
        w.ids = w.counts ? job_alloc((size_t)w.edges.m, sizeof(int64_t)) : NULL; /* wide enough for the file */
        code = w.ids ? EXIT_DONE : EXIT_FAILED;
    }
    double start = job_now();
    if (!code) code = ranks_run(ranks, find_forest, &w);
    job_seconds(job, "forest", start);
    if (!code) code = finish_forest(job, ranks, &w);
    free(w.counts);
    free(w.ids);
    bosc_edges_free(&w.edges);
    return code;
}

int components_over_ranks(struct job *job, const struct ranks *ranks)
{
    struct graph_work w = {0};
    int code = read_edges(job, &w);
    bosc_array labels = {.dtype = BOSC_I64, .rank = 1, .shape = {w.edges.n, 1, 1, 1}};
    if (!code) labels.data = w.labels = job_alloc((size_t)w.edges.n, sizeof(int64_t));
    if (!code && !labels.data) code = EXIT_FAILED;
    double start = job_now();
    if (!code) code = ranks_run(ranks, find_components, &w);
    job_seconds(job, "components", start);
    if (!code && !job->silent) {
        widen_ids(32, labels.data, w.edges.n);
        code = arrays_write(job, &job->value[OPT_OUTPUT], &labels, 1);
        job_integer(job, "components", w.components);
    }
    bosc_array_free(&labels);
    bosc_edges_free(&w.edges);
    return code;
}
