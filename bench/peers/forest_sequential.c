/* Plain sequential forests, as a textbook has them: Kruskal (1956) and Boruvka (1926). */
#include <stdbool.h>
#include <stdlib.h>

#include "harness/bench.h"
#include "peers/forest.h"

/* Returns the root of a set, halving the path to it. */
static uint32_t find_root(uint32_t *parents, uint32_t i)
{
    while (parents[i] != i) i = parents[i] = parents[parents[i]];
    return i;
}

static uint32_t *make_sets(int64_t n)
{
    uint32_t *parents = bench_host((size_t)n * sizeof *parents);
    for (int64_t i = 0; i < n; i++) parents[i] = (uint32_t)i;
    return parents;
}

struct keyed {
    uint32_t weight, edge;
};

static int compare_keyed(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
    return (x->edge > y->edge) - (x->edge < y->edge);
}

double peer_forest_kruskal(const struct forest_edges *e, double *seconds)
{
    const double begin = bench_now();
    struct keyed *order = bench_host((size_t)e->m * sizeof *order);
    uint32_t *parents = make_sets(e->n);
    uint64_t sum = 0;
    for (int64_t i = 0; i < e->m; i++) order[i] = (struct keyed){e->weights[i], (uint32_t)i};
    qsort(order, (size_t)e->m, sizeof *order, compare_keyed);
    for (int64_t i = 0; i < e->m; i++) {
        const uint32_t u = find_root(parents, e->u[order[i].edge]), v = find_root(parents, e->v[order[i].edge]);
        if (u == v) continue;
        parents[u] = v;
        sum += order[i].weight;
    }
    free(order);
    free(parents);
    *seconds = bench_now() - begin;
    return (double)sum;
}

double peer_forest_boruvka(const struct forest_edges *e, double *seconds)
{
    const double begin = bench_now();
    uint32_t *parents = make_sets(e->n), *live = bench_host((size_t)e->m * sizeof *live);
    uint64_t *least = bench_host((size_t)e->n * sizeof *least); /* of a root: weight, edge */
    int64_t edges = e->m;
    uint64_t sum = 0;
    for (int64_t i = 0; i < e->m; i++) live[i] = (uint32_t)i;
    for (bool joined = true; joined;) {
        /* 1. The least edge of each component; edges within one are dropped. */
        int64_t kept = 0;
        joined = false;
        for (int64_t i = 0; i < e->n; i++) least[i] = UINT64_MAX;
        for (int64_t i = 0; i < edges; i++) {
            const uint32_t edge = live[i], u = find_root(parents, e->u[edge]), v = find_root(parents, e->v[edge]);
            const uint64_t key = (uint64_t)e->weights[edge] << 32 | edge;
            if (u == v) continue;
            if (key < least[u]) least[u] = key;
            if (key < least[v]) least[v] = key;
            live[kept++] = edge;
        }
        edges = kept;
        /* 2. Join along them. Two components may have chosen one edge. */
        for (int64_t i = 0; i < e->n; i++) {
            if (least[i] == UINT64_MAX) continue;
            const uint32_t edge = (uint32_t)least[i], u = find_root(parents, e->u[edge]),
                           v = find_root(parents, e->v[edge]);
            if (u == v) continue;
            parents[u] = v;
            sum += e->weights[edge];
            joined = true;
        }
    }
    free(parents);
    free(live);
    free(least);
    *seconds = bench_now() - begin;
    return (double)sum;
}
