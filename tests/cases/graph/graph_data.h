/* Entries of graphs for the cases, and comparisons of graphs with the reference. */
#ifndef TESTS_CASES_GRAPH_GRAPH_DATA_H
#define TESTS_CASES_GRAPH_GRAPH_DATA_H

#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "reference/graph.h"

enum graph_shape {
    GRAPH_SPARSE,
    GRAPH_DENSE,    /* few vertices: loops and many parallel edges */
    GRAPH_STAR,     /* one vertex with all the others */
    GRAPH_PARALLEL, /* all between the same two */
    GRAPH_PATH,     /* in order */
    GRAPH_LOOPS,    /* nothing but self loops */
    GRAPH_LAST,     /* all at the last vertices: the first are isolated */
    GRAPH_SHAPES
};

/* Entries in memory that graph_free_entries releases. */
struct graph_entries {
    int64_t n, m, *u, *v;
    void *weights;
    bosc_dtype dtype;
};

static inline void graph_set_ends(struct suite_random *r, enum graph_shape shape, int64_t n, int64_t i, int64_t *u,
                                  int64_t *v)
{
    *u = (int64_t)suite_below(r, (uint64_t)n);
    *v = (int64_t)suite_below(r, (uint64_t)n);
    switch (shape) {
    case GRAPH_DENSE:
        *u %= 5;
        *v %= 4;
        break;
    case GRAPH_STAR: *(suite_below(r, 2) ? u : v) = n / 3; break;
    case GRAPH_PARALLEL:
        *u = suite_below(r, 2) ? n - 1 : 0;
        *v = n - 1 - *u;
        break;
    case GRAPH_PATH:
        *u = i % n;
        *v = (i + 1) % n;
        break;
    case GRAPH_LOOPS: *v = *u; break;
    case GRAPH_LAST:
        *u = n - 1 - *u % (1 + n / 9);
        *v = n - 1 - *v % (1 + n / 9);
        break;
    default: break;
    }
}

static inline struct graph_entries graph_make(uint64_t seed, enum graph_shape shape, int64_t n, int64_t m,
                                              bosc_dtype dtype, enum pattern pattern)
{
    struct suite_random r = {seed};
    struct graph_entries e = {.n = n, .m = n ? m : 0, .dtype = dtype};
    e.u = suite_alloc((size_t)e.m * sizeof *e.u);
    e.v = suite_alloc((size_t)e.m * sizeof *e.v);
    e.weights = suite_alloc((size_t)e.m * bosc_dtype_size(dtype));
    for (int64_t i = 0; i < e.m; i++) graph_set_ends(&r, shape, n, i, &e.u[i], &e.v[i]);
    fill_numbers(dtype, pattern, seed, e.m, e.weights);
    return e;
}

static inline void graph_free_entries(struct graph_entries *e)
{
    free(e->u);
    free(e->v);
    free(e->weights);
}

static inline struct reference_entries graph_reference(const struct graph_entries *e)
{
    return (struct reference_entries){e->n, e->m, e->u, e->v, e->weights};
}

/* Numbers as an array of the options' id_bits. */
static inline struct array graph_ids(bosc_ctx *ctx, const bosc_graph_opts *o, const int64_t *from, int64_t m,
                                     bool on_device)
{
    if (o->id_bits != 32) return array_make(ctx, from, (size_t)m * 8, on_device);
    uint32_t *narrow = suite_alloc((size_t)m * 4);
    for (int64_t i = 0; i < m && from; i++) narrow[i] = (uint32_t)from[i];
    struct array a = array_make(ctx, from ? narrow : NULL, (size_t)m * 4, on_device);
    free(narrow);
    return a;
}

static inline int64_t graph_id(const bosc_graph_opts *o, const void *ids, int64_t i)
{
    return o->id_bits == 32 ? (int64_t)((const uint32_t *)ids)[i] : ((const int64_t *)ids)[i];
}

/* Builds from the entries in host or device memory. */
static inline bosc_status graph_build(bosc_ctx *ctx, const bosc_graph_opts *o, bosc_graph *graph,
                                      const struct graph_entries *e, bool on_device)
{
    struct array u = graph_ids(ctx, o, e->u, e->m, on_device), v = graph_ids(ctx, o, e->v, e->m, on_device);
    struct array w = array_make(ctx, e->weights, e->weights ? (size_t)e->m * bosc_dtype_size(e->dtype) : 0, on_device);
    bosc_status status = bosc_graph_build(ctx, graph, u.p, v.p, e->weights ? w.p : NULL, e->n, e->m);
    array_free(ctx, &u);
    array_free(ctx, &v);
    array_free(ctx, &w);
    return status;
}

static inline uint64_t graph_weight(bosc_dtype dtype, const void *weights, int64_t i)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)weights + (size_t)i * bosc_dtype_size(dtype), bosc_dtype_size(dtype));
    return bits;
}

static inline void graph_check_rows(bosc_ctx *ctx, const bosc_graph_opts *o, const bosc_graph *graph,
                                    const struct reference_graph *g, bool on_device)
{
    struct array offsets = array_make(ctx, NULL, (size_t)(g->n + 1) * 8, on_device);
    struct array neighbours = graph_ids(ctx, o, NULL, g->arcs, on_device);
    struct array edges = graph_ids(ctx, o, NULL, g->arcs, on_device);
    struct array weights = array_make(ctx, NULL, (size_t)g->arcs * bosc_dtype_size(o->weight), on_device);
    CHECK_OK(ctx, bosc_graph_get_rows(ctx, graph, offsets.p, neighbours.p, weights.p, edges.p));
    const int64_t *from = array_get(ctx, &offsets);
    const void *v = array_get(ctx, &neighbours), *w = array_get(ctx, &weights), *id = array_get(ctx, &edges);
    CHECK_EQ(from[0], 0);
    CHECK_EQ(from[g->n], g->arcs);
    for (int64_t u = 0, j = 0; u < g->n; u++) {
        CHECK_EQ(from[u], j);
        for (; j < from[u + 1]; j++) {
            CHECK_EQ(g->rows[j].u, u);
            CHECK_EQ(graph_id(o, v, j), g->rows[j].v);
            CHECK_EQ(graph_id(o, id, j), g->rows[j].id);
            CHECK_EQ(graph_weight(o->weight, w, j), g->rows[j].weight);
        }
    }
    array_free(ctx, &offsets);
    array_free(ctx, &neighbours);
    array_free(ctx, &edges);
    array_free(ctx, &weights);
}

static inline void graph_check_edges(bosc_ctx *ctx, const bosc_graph_opts *o, const bosc_graph *graph,
                                     const struct reference_graph *g, bool on_device)
{
    struct array ids = graph_ids(ctx, o, NULL, g->m, on_device), u = graph_ids(ctx, o, NULL, g->m, on_device);
    struct array v = graph_ids(ctx, o, NULL, g->m, on_device);
    struct array weights = array_make(ctx, NULL, (size_t)g->m * bosc_dtype_size(o->weight), on_device);
    CHECK_OK(ctx, bosc_graph_get_edges(ctx, graph, ids.p, u.p, v.p, weights.p));
    const void *a = array_get(ctx, &ids), *b = array_get(ctx, &u), *c = array_get(ctx, &v);
    const void *w = array_get(ctx, &weights);
    for (int64_t e = 0; e < g->m; e++) {
        CHECK_EQ(graph_id(o, a, e), g->edges[e].id);
        CHECK_EQ(graph_id(o, b, e), g->edges[e].u);
        CHECK_EQ(graph_id(o, c, e), g->edges[e].v);
        CHECK_EQ(graph_weight(o->weight, w, e), g->edges[e].weight);
    }
    array_free(ctx, &ids);
    array_free(ctx, &u);
    array_free(ctx, &v);
    array_free(ctx, &weights);
}

static inline void graph_check_info(bosc_ctx *ctx, const bosc_graph_opts *o, const bosc_graph *graph,
                                    const struct reference_graph *g, int64_t entries)
{
    bosc_graph_info info = {.size = sizeof info};
    int64_t *expected = calloc((size_t)g->n + 1, 8), *degrees = suite_alloc((size_t)g->n * 8);
    int64_t isolated = 0, least = g->n ? INT64_MAX : 0, most = 0;
    if (!expected) abort();
    /* Degrees counted from the edges: a loop counts twice. */
    for (int64_t e = 0; e < g->m; e++) {
        expected[g->edges[e].u]++;
        expected[g->edges[e].v]++;
    }
    CHECK_OK(ctx, bosc_graph_get_degrees(ctx, graph, degrees));
    for (int64_t u = 0; u < g->n; u++) {
        CHECK_EQ(degrees[u], expected[u]);
        isolated += degrees[u] == 0;
        least = degrees[u] < least ? degrees[u] : least;
        most = degrees[u] > most ? degrees[u] : most;
    }
    CHECK_EQ(bosc_graph_get_info(ctx, graph, &info), BOSC_OK);
    CHECK_EQ(info.n, g->n);
    CHECK_EQ(info.entries, entries);
    CHECK_EQ(info.m, g->m);
    CHECK_EQ(info.arcs, g->arcs);
    CHECK_EQ(info.loops, g->loops);
    CHECK_EQ(info.parallel, g->parallel);
    CHECK_EQ(info.isolated, isolated);
    CHECK_EQ(info.least_degree, least);
    CHECK_EQ(info.most_degree, most);
    CHECK_EQ(info.weight, o->weight);
    CHECK_EQ(info.id_bits, o->id_bits);
    free(expected);
    free(degrees);
}

/* The graph equals the reference for the entries. */
static inline void graph_check(bosc_ctx *ctx, const bosc_graph_opts *o, const bosc_graph *graph,
                               const struct graph_entries *e, bool on_device)
{
    struct reference_graph g;
    struct reference_entries in = graph_reference(e);
    int64_t bad;
    CHECK(reference_build(o, &in, &g, &bad));
    graph_check_rows(ctx, o, graph, &g, on_device);
    graph_check_edges(ctx, o, graph, &g, on_device);
    graph_check_info(ctx, o, graph, &g, e->m);
    reference_graph_free(&g);
}

/* Options of the k-th of many graphs: types of weights, widths of ids, and the rest in turn. */
static inline bosc_graph_opts graph_trial_opts(int k)
{
    static const bosc_dtype weights[] = {BOSC_U32, BOSC_I32, BOSC_F32, BOSC_U64, BOSC_I64, BOSC_F64};
    return (bosc_graph_opts){.size = sizeof(bosc_graph_opts),
                             .weight = weights[k % 6],
                             .id_bits = k % 5 < 2 ? 32 : 64,
                             .nan = BOSC_GRAPH_NAN_LAST,
                             .parallel = k % 4 == 3 ? BOSC_GRAPH_PARALLEL_MIN : BOSC_GRAPH_PARALLEL_KEEP,
                             .drop_loops = k % 7 == 0,
                             .wide = k % 3 == 0};
}

#endif
