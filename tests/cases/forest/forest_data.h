/* Graphs for the cases of spanning forests: every type of weight, and the shapes that break algorithms. */
#ifndef TESTS_CASES_FOREST_FOREST_DATA_H
#define TESTS_CASES_FOREST_FOREST_DATA_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/forest.h"
#include "support/suite.h"

enum forest_shape {
    FOREST_RANDOM,
    FOREST_SPARSE, /* many components and isolated vertices */
    FOREST_STAR,
    FOREST_PATH,
    FOREST_PATH_SHUFFLED, /* a path through the vertices in random order */
    FOREST_CYCLE,
    FOREST_COMPLETE,
    FOREST_GRID,
    FOREST_PARALLEL, /* many edges between few vertices */
    FOREST_LOOPS,    /* half of the edges are self loops */
    FOREST_CLIQUES,
    FOREST_BINARY, /* a heap: chains of length log n */
    FOREST_COMB,   /* a path through half of the vertices in random order, each with a leaf */
    FOREST_TREES,  /* random trees of 7 vertices, in random order */
    FOREST_SHAPES
};

enum forest_weights {
    WEIGHTS_RANDOM,
    WEIGHTS_FEW, /* 0 to 2 */
    WEIGHTS_EQUAL,
    WEIGHTS_ASCENDING, /* with the edges' number: long chains of choices on a path */
    WEIGHTS_DESCENDING,
    WEIGHTS_EXTREME, /* the ends of the type, zeros, infinities */
    WEIGHTS_KINDS
};

/* A graph that owns its arrays. */
struct forest_graph {
    struct reference_edges e;
    int64_t *u, *v;
    void *w;
};

static inline void forest_set_weight(void *w, bosc_dtype t, int64_t i, double x)
{
    switch (t) {
    case BOSC_F32: ((float *)w)[i] = (float)x; break;
    case BOSC_F64: ((double *)w)[i] = x; break;
    case BOSC_I32: ((int32_t *)w)[i] = x >= 0x1p31 ? INT32_MAX : x < -0x1p31 ? INT32_MIN : (int32_t)x; break;
    case BOSC_I64: ((int64_t *)w)[i] = x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : (int64_t)x; break;
    case BOSC_U64: ((uint64_t *)w)[i] = x < 0 ? 0 : x >= 0x1p64 ? UINT64_MAX : (uint64_t)x; break;
    default: ((uint32_t *)w)[i] = x < 0 ? 0 : x >= 0x1p32 ? UINT32_MAX : (uint32_t)x; break;
    }
}

static inline double forest_weight(struct suite_random *r, enum forest_weights kind, bosc_dtype t, int64_t i)
{
    static const double extreme[] = {0, -0.0, 1, -1, 1e300 * 1e300, -1e300 * 1e300, 1e-40, 0x1p31, 0x1p32, 0x1p62};
    bool negative = t != BOSC_U32 && t != BOSC_U64;
    switch (kind) {
    case WEIGHTS_RANDOM: return (suite_unit(r) - (negative ? 0.5 : 0)) * 1e6;
    case WEIGHTS_FEW: return (double)suite_below(r, 3) - (negative ? 1 : 0);
    case WEIGHTS_EQUAL: return 7;
    case WEIGHTS_ASCENDING: return (double)i;
    case WEIGHTS_DESCENDING: return 1e6 - (double)i;
    default: return extreme[suite_below(r, sizeof extreme / sizeof extreme[0])];
    }
}

/* Number of edges of a shape. */
static inline int64_t forest_edge_count(enum forest_shape shape, int64_t n)
{
    int64_t side = (int64_t)sqrt((double)n);
    if (n == 0) return 0;
    switch (shape) {
    case FOREST_SPARSE: return n < 2 ? 0 : n / 2;
    case FOREST_STAR:
    case FOREST_PATH:
    case FOREST_PATH_SHUFFLED:
    case FOREST_BINARY:
    case FOREST_COMB: return n - 1;
    case FOREST_CYCLE: return n;
    case FOREST_TREES: return n - (n + 6) / 7;
    case FOREST_COMPLETE: return n > 60 ? 60 * 59 / 2 : n * (n - 1) / 2;
    case FOREST_GRID: return 2 * side * (side - 1);
    case FOREST_CLIQUES: return 5 * n;
    default: return n < 2 ? 0 : 4 * n;
    }
}

static inline void forest_edge(struct suite_random *r, enum forest_shape shape, int64_t n, int64_t i,
                               const int64_t *order, int64_t *u, int64_t *v)
{
    int64_t side = (int64_t)sqrt((double)n), half = side * (side - 1), k = i;
    /* Shapes without a rule below join two random vertices. */
    *u = (int64_t)suite_below(r, (uint64_t)n);
    *v = (int64_t)suite_below(r, (uint64_t)n);
    switch (shape) {
    case FOREST_STAR: *u = n / 2, *v = i + (i >= n / 2); break;
    case FOREST_PATH: *u = i, *v = i + 1; break;
    case FOREST_PATH_SHUFFLED: *u = order[i], *v = order[i + 1]; break;
    case FOREST_CYCLE: *u = i, *v = (i + 1) % n; break;
    case FOREST_COMPLETE:
        for (*u = 1; k >= *u; ++*u) k -= *u;
        *v = k;
        break;
    case FOREST_GRID:
        if (i < half)
            *u = i / (side - 1) * side + i % (side - 1), *v = *u + 1;
        else
            *u = i - half, *v = *u + side;
        break;
    case FOREST_PARALLEL: *u %= (n + 7) / 8, *v %= (n + 7) / 8; break;
    case FOREST_LOOPS:
        if (i % 2) *v = *u;
        break;
    case FOREST_CLIQUES: *v = *u / 8 * 8 + *v % (n - *u / 8 * 8 < 8 ? n - *u / 8 * 8 : 8); break;
    case FOREST_BINARY: *u = i + 1, *v = i / 2; break;
    case FOREST_COMB: *u = order[i + 1], *v = order[i + 1 < (n + 1) / 2 ? i : i + 1 - (n + 1) / 2]; break;
    case FOREST_TREES: /* tree i / 6, its vertex i % 6 + 1 and an earlier one */
        *v = order[i / 6 * 7 + *v % (i % 6 + 1)];
        *u = order[i / 6 * 7 + i % 6 + 1];
        break;
    default: break;
    }
}

static inline struct forest_graph forest_make(struct suite_random *r, enum forest_shape shape,
                                              enum forest_weights weights, bosc_dtype dtype, int64_t n)
{
    int64_t m = forest_edge_count(shape, n), *order = suite_alloc((size_t)n * 8);
    struct forest_graph g = {
        .u = suite_alloc((size_t)m * 8), .v = suite_alloc((size_t)m * 8), .w = suite_alloc((size_t)m * 8)};
    for (int64_t i = 0; i < n; i++) {
        int64_t j = (int64_t)suite_below(r, (uint64_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int64_t i = 0; i < m; i++) {
        forest_edge(r, shape, n, i, order, &g.u[i], &g.v[i]);
        forest_set_weight(g.w, dtype, i, forest_weight(r, weights, dtype, i));
    }
    free(order);
    g.e = (struct reference_edges){n, m, g.u, g.v, dtype, g.w};
    return g;
}

static inline void forest_free(struct forest_graph *g)
{
    free(g->u);
    free(g->v);
    free(g->w);
}

/* Reads id i of an array of id_bits. */
static inline int64_t forest_id(const void *ids, int32_t id_bits, int64_t i)
{
    if (id_bits == 64) return ((const int64_t *)ids)[i];
    uint32_t x = ((const uint32_t *)ids)[i];
    return x == UINT32_MAX ? -1 : (int64_t)x;
}

/* Copies the array to ids of id_bits; the caller frees it. */
static inline void *forest_narrow(const int64_t *in, int64_t n, int32_t id_bits)
{
    void *out = suite_alloc((size_t)n * 8);
    for (int64_t i = 0; i < n; i++)
        if (id_bits == 64)
            ((int64_t *)out)[i] = in[i];
        else
            ((uint32_t *)out)[i] = (uint32_t)in[i];
    return out;
}

/* The options that forest_build uses. */
static inline bosc_graph_opts forest_graph_opts(const struct reference_edges *e, int32_t id_bits, int32_t wide)
{
    return (bosc_graph_opts){.size = sizeof(bosc_graph_opts),
                             .weight = e->dtype,
                             .id_bits = id_bits,
                             .wide = wide,
                             .nan = BOSC_GRAPH_NAN_LAST};
}

static inline bosc_graph *forest_build(bosc_ctx *ctx, const struct reference_edges *e, int32_t id_bits, int32_t wide)
{
    const bosc_graph_opts o = forest_graph_opts(e, id_bits, wide);
    bosc_graph *graph = NULL;
    void *u = forest_narrow(e->u, e->m, id_bits), *v = forest_narrow(e->v, e->m, id_bits);
    CHECK_OK(ctx, bosc_graph_create(ctx, &o, &graph));
    CHECK_OK(ctx, bosc_graph_build(ctx, graph, u, v, e->weights, e->n, e->m));
    free(u);
    free(v);
    return graph;
}

#endif
