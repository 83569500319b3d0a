/* Graphs whose edges are partitioned among ranks, and the answers of one context for the whole graph. */
#ifndef TESTS_CASES_RANKS_RANKS_FOREST_DATA_H
#define TESTS_CASES_RANKS_RANKS_FOREST_DATA_H

#include <boscage/ranks/forest.h>

#include "cases/forest/forest_data.h"
#include "support/arrays.h"
#include "support/ranks.h"

enum { ALL_TO_LAST = -1 }; /* as a seed of slices: the last rank has all edges */

static const int32_t rank_counts[] = {1, 2, 3, 4, 8};
static const bosc_dtype weight_types[] = {BOSC_U32, BOSC_I32, BOSC_F32, BOSC_U64, BOSC_I64, BOSC_F64};

struct partitioned_graph {
    struct reference_edges e; /* the whole graph */
    bosc_graph_opts graph_opts;
    bosc_msf_opts opts; /* for the whole graph */
    int64_t seed;       /* of the slices */

    void *edges, *labels, *components; /* the answers of one context, of */
    bosc_msf_info info;
    int64_t component_count;

    const int64_t *given; /* for the proof */
    int64_t given_count;
    bosc_status verdict;
    int64_t edge; /* which the verdict names */
    char message[160];
};

static inline void edge_slice(const struct rank *r, int64_t seed, int64_t n, int64_t *begin, int64_t *end)
{
    if (seed != ALL_TO_LAST) {
        ranks_slice(r, (uint64_t)seed, n, begin, end);
        return;
    }
    *begin = r->rank == r->rank_count - 1 ? 0 : n;
    *end = n;
    if (r->rank < r->rank_count - 1) *begin = *end = 0;
}

static inline bosc_graph *build_edges(bosc_ctx *ctx, const struct partitioned_graph *d, int64_t begin, int64_t end)
{
    const int32_t id_bits = d->graph_opts.id_bits;
    bosc_graph *graph = NULL;
    void *u = forest_narrow(d->e.u + begin, end - begin, id_bits);
    void *v = forest_narrow(d->e.v + begin, end - begin, id_bits);
    CHECK_OK(ctx, bosc_graph_create(ctx, &d->graph_opts, &graph));
    CHECK_OK(ctx, bosc_graph_build(ctx, graph, u, v,
                                   (const char *)d->e.weights + (size_t)begin * bosc_dtype_size(d->e.dtype), d->e.n,
                                   end - begin));
    free(u);
    free(v);
    return graph;
}

/* A rank's graph and options. */
struct graph_slice {
    bosc_graph *graph;
    bosc_msf_opts opts;
    int64_t begin, end;
};

static inline struct graph_slice build_graph_slice(struct rank *r)
{
    const struct partitioned_graph *d = r->user;
    struct graph_slice p = {.opts = d->opts};
    edge_slice(r, d->seed, d->e.m, &p.begin, &p.end);
    p.graph = build_edges(r->ctx, d, p.begin, p.end);
    if (d->opts.edge_mask) p.opts.edge_mask = d->opts.edge_mask + p.begin;
    return p;
}

/* Computes the expected answers with one context. */
static inline void compute_expected(bosc_ctx *ctx, struct partitioned_graph *d)
{
    bosc_graph *graph = build_edges(ctx, d, 0, d->e.m);
    const size_t bytes = (size_t)d->e.n * 8;
    d->edges = suite_alloc(bytes);
    d->labels = suite_alloc(bytes);
    d->components = suite_alloc(bytes);
    d->info = (bosc_msf_info){.size = sizeof d->info};
    CHECK_OK(ctx, bosc_msf_compute(ctx, graph, &d->opts, d->edges, d->labels, &d->info));
    CHECK_OK(ctx, bosc_components_compute(ctx, graph, &d->opts, d->components, &d->component_count));
    bosc_graph_free(graph);
}

static inline void free_expected(struct partitioned_graph *d)
{
    free(d->edges);
    free(d->labels);
    free(d->components);
}

static inline struct partitioned_graph partition_graph(const struct reference_edges *e, const bosc_msf_opts *opts,
                                                       int32_t id_bits, int64_t seed)
{
    return (struct partitioned_graph){.e = *e,
                                      .graph_opts = {.size = sizeof(bosc_graph_opts),
                                                     .weight = e->dtype,
                                                     .id_bits = id_bits,
                                                     .nan = BOSC_GRAPH_NAN_LAST},
                                      .opts = *opts,
                                      .seed = seed};
}

#endif
