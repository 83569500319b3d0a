#include "reference/forest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"

/* Compares two weights as numbers (-1, 0, 1); NaNs are equal and above all numbers. */
static int compare_weights(bosc_dtype dtype, const void *a, int64_t i, const void *b, int64_t j)
{
#define COMPARE(type)                                            \
    do {                                                         \
        type x = ((const type *)a)[i], y = ((const type *)b)[j]; \
        return x < y ? -1 : x > y;                               \
    } while (0)
#define COMPARE_FLOAT(type)                                      \
    do {                                                         \
        type x = ((const type *)a)[i], y = ((const type *)b)[j]; \
        if (x != x || y != y) return (x != x) - (y != y);        \
        return x < y ? -1 : x > y;                               \
    } while (0)
    switch (dtype) {
    case BOSC_F32: COMPARE_FLOAT(float);
    case BOSC_F64: COMPARE_FLOAT(double);
    case BOSC_I32: COMPARE(int32_t);
    case BOSC_I64: COMPARE(int64_t);
    case BOSC_U64: COMPARE(uint64_t);
    default: COMPARE(uint32_t);
    }
#undef COMPARE
#undef COMPARE_FLOAT
}

static bool is_nan(const struct reference_edges *g, int64_t i)
{
    if (g->dtype == BOSC_F32) return ((const float *)g->weights)[i] != ((const float *)g->weights)[i];
    if (g->dtype == BOSC_F64) return ((const double *)g->weights)[i] != ((const double *)g->weights)[i];
    return false;
}

/* Compares edges i and j by (weight, id). */
static int compare_edges(const struct reference_edges *g, bool maximum, int64_t i, int64_t j)
{
    int order = compare_weights(g->dtype, g->weights, i, g->weights, j);
    if (maximum && !is_nan(g, i) && !is_nan(g, j)) order = -order;
    if (order) return order;
    return i < j ? -1 : i > j;
}

/* True if the options include an edge; self loops are included. */
static bool is_included(const struct reference_edges *g, const bosc_msf_opts *o, int64_t i)
{
    if (!o) return true;
    if (o->edge_mask && !o->edge_mask[i]) return false;
    if (o->vertex_mask && !(o->vertex_mask[g->u[i]] && o->vertex_mask[g->v[i]])) return false;
    if (!o->limit) return true;
    int order = compare_weights(g->dtype, g->weights, i, o->limit, 0);
    return !is_nan(g, i) && (o->maximum ? order >= 0 : order <= 0);
}

static int64_t find_root(int64_t *parent, int64_t v)
{
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

/* Unites the sets of u and v under the smaller root; true if they were different. */
static bool unite(int64_t *parent, int64_t u, int64_t v)
{
    u = find_root(parent, u);
    v = find_root(parent, v);
    if (u < v)
        parent[v] = u;
    else
        parent[u] = v;
    return u != v;
}

static const struct reference_edges *sorted_graph; /* of the running qsort */
static bool sorted_maximum;
static int compare_ids(const void *a, const void *b)
{
    return compare_edges(sorted_graph, sorted_maximum, *(const int64_t *)a, *(const int64_t *)b);
}
static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

int64_t reference_msf(const struct reference_edges *g, const bosc_msf_opts *opts, int64_t *edges, int64_t *labels)
{
    int64_t *parent = suite_alloc((size_t)g->n * 8), *order = suite_alloc((size_t)g->m * 8), count = 0, trees = 0;
    for (int64_t v = 0; v < g->n; v++) {
        parent[v] = v;
        trees += !opts || !opts->vertex_mask || opts->vertex_mask[v];
    }
    for (int64_t i = 0; i < g->m; i++) order[i] = i;
    sorted_graph = g;
    sorted_maximum = opts && opts->maximum;
    if (g->m) qsort(order, (size_t)g->m, sizeof *order, compare_ids);
    for (int64_t k = 0; k < g->m; k++) {
        int64_t i = order[k];
        if (opts && opts->trees && trees <= opts->trees) break;
        if (!is_included(g, opts, i) || !unite(parent, g->u[i], g->v[i])) continue;
        edges[count++] = i;
        trees--;
    }
    if (count) qsort(edges, (size_t)count, sizeof *edges, ascending);
    for (int64_t v = 0; v < g->n; v++)
        labels[v] = opts && opts->vertex_mask && !opts->vertex_mask[v] ? -1 : find_root(parent, v);
    free(parent);
    free(order);
    return count;
}

/* Finds the heaviest listed edge on the path from v to `to` (-1: v is `to`); false without a path. from: the edge by
 * which v was reached. */
static bool heaviest_between(const struct reference_edges *g, bool maximum, const int64_t *ids, int64_t count,
                             int64_t v, int64_t to, int64_t from, int64_t *heaviest)
{
    *heaviest = -1;
    if (v == to) return true;
    for (int64_t k = 0; k < count; k++) {
        int64_t e = ids[k], other = g->u[e] == v ? g->v[e] : g->u[e], deeper;
        if (e == from || (g->u[e] != v && g->v[e] != v)) continue;
        if (!heaviest_between(g, maximum, ids, count, other, to, e, &deeper)) continue;
        *heaviest = deeper < 0 || compare_edges(g, maximum, e, deeper) > 0 ? e : deeper;
        return true;
    }
    return false;
}

/* Keeps the smallest id. */
static bool keep_least(int64_t *edge, bool *found, int64_t id)
{
    if (!*found || id < *edge) *edge = id;
    *found = true;
    return true;
}

/* Finds the smallest listed edge that closes a cycle when edges are added in order. */
static bool find_cycle(const struct reference_edges *g, bool maximum, const int64_t *ids, int64_t count, int64_t *edge)
{
    int64_t *parent = suite_alloc((size_t)g->n * 8), *order = suite_alloc((size_t)count * 8);
    bool found = false;
    for (int64_t v = 0; v < g->n; v++) parent[v] = v;
    for (int64_t k = 0; k < count; k++) order[k] = ids[k];
    sorted_graph = g;
    sorted_maximum = maximum;
    if (count) qsort(order, (size_t)count, sizeof *order, compare_ids);
    for (int64_t k = 0; k < count; k++)
        if (!unite(parent, g->u[order[k]], g->v[order[k]])) keep_least(edge, &found, order[k]);
    free(parent);
    free(order);
    return found;
}

enum reference_fault reference_verify(const struct reference_edges *g, const bosc_msf_opts *opts, const int64_t *ids,
                                      int64_t count, int64_t *edge)
{
    bool maximum = opts && opts->maximum, found = false;
    int64_t heaviest;
    for (int64_t k = 0; k < count; k++)
        if (ids[k] < 0 || ids[k] >= g->m || !is_included(g, opts, ids[k])) keep_least(edge, &found, ids[k]);
    if (found) return REFERENCE_NO_EDGE;
    for (int64_t k = 0; k < count; k++)
        for (int64_t j = 0; j < k; j++)
            if (ids[j] == ids[k]) keep_least(edge, &found, ids[k]);
    if (found) return REFERENCE_REPEATED;
    if (find_cycle(g, maximum, ids, count, edge)) return REFERENCE_CYCLE;
    for (int64_t i = 0; i < g->m; i++)
        if (is_included(g, opts, i) && !heaviest_between(g, maximum, ids, count, g->u[i], g->v[i], -1, &heaviest))
            keep_least(edge, &found, i);
    if (found) return REFERENCE_APART;
    for (int64_t i = 0; i < g->m; i++) {
        if (!is_included(g, opts, i) || g->u[i] == g->v[i]) continue;
        (void)heaviest_between(g, maximum, ids, count, g->u[i], g->v[i], -1, &heaviest);
        if (compare_edges(g, maximum, i, heaviest) < 0) keep_least(edge, &found, i);
    }
    return found ? REFERENCE_LIGHTER : REFERENCE_GOOD;
}

void reference_sum(const struct reference_edges *g, const int64_t *ids, int64_t count, uint64_t *low, int64_t *high)
{
    *low = 0;
    *high = 0;
    for (int64_t k = 0; k < count; k++) {
        uint64_t x;
        int64_t sign = 0;
        switch (g->dtype) {
        case BOSC_I32: x = (uint64_t)(int64_t)((const int32_t *)g->weights)[ids[k]]; break;
        case BOSC_U32: x = ((const uint32_t *)g->weights)[ids[k]]; break;
        default: x = ((const uint64_t *)g->weights)[ids[k]]; break;
        }
        if (g->dtype == BOSC_I32 || g->dtype == BOSC_I64) sign = -(int64_t)(x >> 63);
        *low += x;
        *high += sign + (*low < x);
    }
}

double reference_weight(const struct reference_edges *g, int64_t i)
{
    switch (g->dtype) {
    case BOSC_F32: return (double)((const float *)g->weights)[i];
    case BOSC_F64: return ((const double *)g->weights)[i];
    case BOSC_I32: return (double)((const int32_t *)g->weights)[i];
    case BOSC_I64: return (double)((const int64_t *)g->weights)[i];
    case BOSC_U64: return (double)((const uint64_t *)g->weights)[i];
    default: return (double)((const uint32_t *)g->weights)[i];
    }
}
