#include "reference/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double to_real(bosc_dtype dtype, uint64_t bits)
{
    float f;
    double d;
    memcpy(&f, &bits, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return dtype == BOSC_F32 ? (double)f : d;
}

static uint64_t to_bits(bosc_dtype dtype, double x)
{
    uint64_t bits = 0;
    float f = (float)x;
    if (isnan(x)) return dtype == BOSC_F32 ? 0x7fc00000u : 0x7ff8000000000000u;
    if (dtype == BOSC_F32)
        memcpy(&bits, &f, sizeof f);
    else
        memcpy(&bits, &x, sizeof x);
    return bits;
}

static int is_float(bosc_dtype dtype) { return dtype == BOSC_F32 || dtype == BOSC_F64; }

int reference_compare_weights(bosc_dtype dtype, uint64_t a, uint64_t b)
{
    if (is_float(dtype)) {
        double x = to_real(dtype, a), y = to_real(dtype, b);
        if (isnan(x) || isnan(y)) return !!isnan(x) - !!isnan(y);
        return (x > y) - (x < y);
    }
    if (dtype == BOSC_I32) return ((int32_t)a > (int32_t)b) - ((int32_t)a < (int32_t)b);
    if (dtype == BOSC_I64) return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
    return (a > b) - (a < b);
}

/* Returns the bits of an entry's weight, with -0 as +0 and a quiet NaN. */
static uint64_t weight_of(bosc_dtype dtype, const void *weights, int64_t i)
{
    uint64_t bits = 0;
    size_t size = bosc_dtype_size(dtype);
    if (!weights) return is_float(dtype) ? to_bits(dtype, 1) : 1;
    memcpy(&bits, (const char *)weights + (size_t)i * size, size);
    return is_float(dtype) ? to_bits(dtype, to_real(dtype, bits) + 0.0) : bits;
}

static int is_nan(bosc_dtype dtype, uint64_t bits) { return is_float(dtype) && isnan(to_real(dtype, bits)); }

/* Computes a + b; false if an integer overflows. */
static int add_weights(bosc_dtype dtype, uint64_t a, uint64_t b, uint64_t *sum)
{
    int64_t s;
    *sum = 0;
    switch (dtype) {
    case BOSC_F32: {
        volatile float f = (float)to_real(dtype, a) + (float)to_real(dtype, b);
        *sum = to_bits(dtype, (double)f);
        return 1;
    }
    case BOSC_F64: *sum = to_bits(dtype, to_real(dtype, a) + to_real(dtype, b)); return 1;
    case BOSC_I32:
        s = (int64_t)(int32_t)a + (int32_t)b;
        *sum = (uint32_t)s;
        return s >= INT32_MIN && s <= INT32_MAX;
    case BOSC_U32: *sum = (uint32_t)(a + b); return a + b <= UINT32_MAX;
    case BOSC_I64:
        s = (int64_t)(a + b);
        *sum = a + b;
        return (int64_t)b >= 0 ? s >= (int64_t)a : s < (int64_t)a;
    default: *sum = a + b; return *sum >= a;
    }
}

/* Returns the entry that is the reverse of entry i: the k-th reverse one of equal weight if i is the k-th of its kind;
 * -1: none. */
static int64_t find_partner(const bosc_graph_opts *o, const struct reference_entries *in, int64_t i)
{
    uint64_t w = weight_of(o->weight, in->weights, i);
    int64_t rank = 0;
    for (int64_t j = 0; j < i; j++)
        rank += in->u[j] == in->u[i] && in->v[j] == in->v[i] && weight_of(o->weight, in->weights, j) == w;
    for (int64_t j = 0; j < in->m; j++)
        if (in->u[j] == in->v[i] && in->v[j] == in->u[i] && weight_of(o->weight, in->weights, j) == w && !rank--)
            return j;
    return -1;
}

static int same_ends(const struct reference_edge *a, const struct reference_edge *b)
{
    return a->u == b->u && a->v == b->v;
}

static void remove_edge(struct reference_graph *g, int64_t e)
{
    memmove(g->edges + e, g->edges + e + 1, (size_t)(g->m - e - 1) * sizeof *g->edges);
    g->m--;
}

/* Merges each set of parallel edges. Returns the id of an edge with an invalid sum, else -1. */
static int64_t merge_parallel(const bosc_graph_opts *o, struct reference_graph *g)
{
    for (int64_t e = 0; e < g->m; e++) {
        struct reference_edge *first = &g->edges[e], best = *first;
        uint64_t sum = first->weight;
        int fits = 1;
        for (int64_t f = e + 1; f < g->m; f++) {
            struct reference_edge other = g->edges[f];
            if (!same_ends(first, &other)) continue;
            if (o->parallel == BOSC_GRAPH_PARALLEL_MIN &&
                reference_compare_weights(o->weight, other.weight, best.weight) < 0)
                best = other;
            fits = fits && add_weights(o->weight, sum, other.weight, &sum);
            remove_edge(g, f--);
        }
        if (o->parallel == BOSC_GRAPH_PARALLEL_SUM) {
            best.weight = sum;
            if (!fits || (is_nan(o->weight, sum) && o->nan == BOSC_GRAPH_NAN_REFUSE)) return best.id;
        }
        *first = best;
        if (is_nan(o->weight, best.weight) && o->nan == BOSC_GRAPH_NAN_DROP) remove_edge(g, e--);
    }
    return -1;
}

static int by_id(const void *x, const void *y)
{
    const struct reference_edge *a = x, *b = y;
    return (a->id > b->id) - (a->id < b->id);
}

static int by_row(const void *x, const void *y)
{
    const struct reference_edge *a = x, *b = y;
    if (a->u != b->u) return a->u < b->u ? -1 : 1;
    if (a->v != b->v) return a->v < b->v ? -1 : 1;
    return by_id(x, y);
}

/* Builds the sorted arcs, and counts loops and parallel edges. */
static void build_rows(struct reference_graph *g)
{
    for (int64_t e = 0; e < g->m; e++) {
        struct reference_edge edge = g->edges[e];
        g->rows[g->arcs++] = edge;
        g->loops += edge.u == edge.v;
        if (edge.u == edge.v) continue;
        g->rows[g->arcs++] = (struct reference_edge){edge.v, edge.u, edge.id, edge.weight};
    }
    if (g->arcs) qsort(g->rows, (size_t)g->arcs, sizeof *g->rows, by_row);
    for (int64_t j = 1; j < g->arcs; j++)
        g->parallel += same_ends(&g->rows[j - 1], &g->rows[j]) && g->rows[j].u <= g->rows[j].v;
}

/* Adds the edge of entry i, unless the options drop it. False if it lacks a partner. */
static int add_entry(const bosc_graph_opts *o, const struct reference_entries *in, int64_t i, struct reference_graph *g)
{
    uint64_t w = weight_of(o->weight, in->weights, i);
    int64_t u = in->u[i], v = in->v[i], id = i;
    if (o->drop_loops && u == v) return 1;
    if (o->nan == BOSC_GRAPH_NAN_DROP && is_nan(o->weight, w)) return 1;
    if (o->arcs == BOSC_GRAPH_ARCS_BOTH && u != v) {
        int64_t other = find_partner(o, in, i);
        if (other < 0) return 0;
        if (u > v) return 1;
        id = other < i ? other : i;
    }
    g->edges[g->m++] = (struct reference_edge){u < v ? u : v, u < v ? v : u, id, w};
    return 1;
}

int reference_build(const bosc_graph_opts *o, const struct reference_entries *in, struct reference_graph *out,
                    int64_t *bad)
{
    *out = (struct reference_graph){.n = in->n};
    out->edges = malloc((size_t)(in->m + 1) * sizeof *out->edges);
    out->rows = malloc((size_t)(2 * in->m + 1) * sizeof *out->rows);
    if (!out->edges || !out->rows) abort();
    *bad = -1;
    for (int64_t i = 0; i < in->m && *bad < 0; i++) {
        uint64_t w = weight_of(o->weight, in->weights, i);
        if (in->u[i] < 0 || in->v[i] < 0 || in->u[i] >= in->n || in->v[i] >= in->n ||
            (is_nan(o->weight, w) && o->nan == BOSC_GRAPH_NAN_REFUSE))
            *bad = i;
    }
    for (int64_t i = 0; i < in->m && *bad < 0; i++)
        if (!add_entry(o, in, i, out)) *bad = i;
    if (*bad < 0) {
        if (out->m) qsort(out->edges, (size_t)out->m, sizeof *out->edges, by_id);
        if (o->parallel != BOSC_GRAPH_PARALLEL_KEEP) *bad = merge_parallel(o, out);
        if (out->m) qsort(out->edges, (size_t)out->m, sizeof *out->edges, by_id);
    }
    if (*bad < 0) build_rows(out);
    return *bad < 0;
}

void reference_graph_free(struct reference_graph *g)
{
    free(g->edges);
    free(g->rows);
}
