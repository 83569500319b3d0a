#include "reference/paths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Edges walked in one direction: arc i leads from u[i] to v[i], arc i + m back. */
struct arcs {
    const struct reference_edges *g;
    int64_t count;
    bool unweighted, floats;
    uint64_t none, limit; /* distances above are not reached */
};

static int64_t tail(const struct arcs *a, int64_t i) { return i < a->g->m ? a->g->u[i] : a->g->v[i - a->g->m]; }
static int64_t head(const struct arcs *a, int64_t i) { return i < a->g->m ? a->g->v[i] : a->g->u[i - a->g->m]; }

static uint64_t bits_of(double x)
{
    uint64_t bits;
    x += 0.0;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The distance along arc i; *overflows is set if it is no number. */
static uint64_t add(const struct arcs *a, uint64_t from, int64_t i, bool *overflows)
{
    const int64_t e = i % a->g->m;
    uint64_t w = 1, sum;
    if (!a->unweighted) {
        switch (a->g->dtype) {
        case BOSC_F32: return bits_of(double_of(from) + (double)((const float *)a->g->weights)[e]);
        case BOSC_F64: return bits_of(double_of(from) + ((const double *)a->g->weights)[e]);
        case BOSC_I32: w = (uint64_t)((const int32_t *)a->g->weights)[e]; break;
        case BOSC_I64: w = (uint64_t)((const int64_t *)a->g->weights)[e]; break;
        case BOSC_U64: w = ((const uint64_t *)a->g->weights)[e]; break;
        default: w = ((const uint32_t *)a->g->weights)[e]; break;
        }
    }
    if (__builtin_add_overflow(from, w, &sum) || sum == UINT64_MAX) {
        *overflows = true;
        return UINT64_MAX;
    }
    return sum;
}

/* Scans all vertices for the nearest one that is left. */
static bool find_distances(const struct arcs *a, const int64_t *sources, int64_t count, uint64_t *distances)
{
    const int64_t n = a->g->n;
    bool *done = calloc((size_t)n + 1, sizeof *done), *beyond = calloc((size_t)n + 1, sizeof *beyond), good = true;
    for (int64_t v = 0; v < n; v++) distances[v] = a->none;
    for (int64_t i = 0; i < count; i++) distances[sources[i]] = 0;
    for (;;) {
        int64_t u = -1;
        for (int64_t v = 0; v < n; v++)
            if (!done[v] && distances[v] != a->none && (u < 0 || distances[v] < distances[u])) u = v;
        if (u < 0) break;
        done[u] = true;
        for (int64_t i = 0; i < a->count; i++) {
            bool overflows = false;
            if (tail(a, i) != u) continue;
            const uint64_t sum = add(a, distances[u], i, &overflows);
            beyond[head(a, i)] |= overflows;
            if (!overflows && sum < distances[head(a, i)] && sum <= a->limit) distances[head(a, i)] = sum;
        }
    }
    for (int64_t v = 0; v < n; v++)
        if (beyond[v] && distances[v] == a->none && a->limit == UINT64_MAX) good = false;
    free(done);
    free(beyond);
    return good;
}

/* Predecessors at smaller distances; then, breadth first, those at the same distance. Roots are their own. */
static void find_predecessors(const struct arcs *a, const uint64_t *distances, int64_t *predecessors)
{
    const int64_t n = a->g->n;
    int64_t *proposed = malloc((size_t)(n + 1) * sizeof *proposed);
    bool changed = true;
    for (int64_t round = 0; changed; round++) {
        changed = false;
        for (int64_t v = 0; v < n; v++) proposed[v] = -1;
        for (int64_t i = 0; i < a->count; i++) {
            const int64_t u = tail(a, i), v = head(a, i);
            bool overflows = false;
            if (distances[u] == a->none || distances[v] == a->none || predecessors[v] >= 0) continue;
            if (round == 0 ? distances[u] >= distances[v] : predecessors[u] < 0) continue;
            if (add(a, distances[u], i, &overflows) != distances[v] || overflows) continue;
            if (proposed[v] < 0 || u < proposed[v]) proposed[v] = u;
        }
        for (int64_t v = 0; v < n; v++)
            if (proposed[v] >= 0) predecessors[v] = proposed[v];
        for (int64_t v = 0; v < n; v++) changed |= proposed[v] >= 0;
        changed |= round == 0;
    }
    free(proposed);
}

bool reference_paths(const struct reference_edges *g, bool directed, const int64_t *sources, int64_t count,
                     const bosc_paths_opts *opts, struct reference_paths *p)
{
    const int64_t n = g->n;
    struct arcs a = {.g = g, .count = directed ? g->m : 2 * g->m, .unweighted = opts && opts->unweighted};
    a.floats = !a.unweighted && (g->dtype == BOSC_F32 || g->dtype == BOSC_F64);
    a.none = a.floats ? bits_of(INFINITY) : UINT64_MAX;
    a.limit = UINT64_MAX;
    if (opts && opts->limit)
        a.limit = a.floats ? bits_of(*(const double *)opts->limit) : *(const uint64_t *)opts->limit;
    p->distances = malloc((size_t)(n + 1) * 8);
    p->predecessors = malloc((size_t)(n + 1) * 8);
    p->edges = malloc((size_t)(n + 1) * 8);
    p->nearest = malloc((size_t)(n + 1) * 8);
    p->reached = 0;
    /* 1. Distances and predecessors. */
    const bool good = find_distances(&a, sources, count, p->distances);
    for (int64_t v = 0; v < n; v++) p->predecessors[v] = p->edges[v] = p->nearest[v] = -1;
    for (int64_t i = 0; i < count; i++) p->predecessors[sources[i]] = sources[i];
    find_predecessors(&a, p->distances, p->predecessors);
    /* 2. Edges and sources. */
    for (int64_t i = 0; i < a.count; i++) {
        const int64_t u = tail(&a, i), v = head(&a, i), e = i % g->m;
        bool overflows = false;
        if (p->predecessors[v] != u || u == v) continue;
        if (add(&a, p->distances[u], i, &overflows) != p->distances[v] || overflows) continue;
        if (p->edges[v] < 0 || e < p->edges[v]) p->edges[v] = e;
    }
    for (int64_t v = 0; v < n; v++) {
        int64_t root = v;
        p->reached += p->distances[v] != a.none;
        if (p->distances[v] == a.none) continue;
        while (p->predecessors[root] != root) root = p->predecessors[root];
        p->nearest[v] = root;
    }
    for (int64_t v = 0; v < n; v++)
        if (p->predecessors[v] == v) p->predecessors[v] = -1;
    return good;
}

void reference_paths_free(struct reference_paths *p)
{
    free(p->distances);
    free(p->predecessors);
    free(p->edges);
    free(p->nearest);
}
