/* Steps that put edges in order: they are dealt to their lower vertices, and each vertex sorts its own. */
#ifndef BI_CELLGRAPH_ORDER_STEPS_H
#define BI_CELLGRAPH_ORDER_STEPS_H

#include "cellgraph/pair_steps.h"

/* Edges of segments where all was found are kept. */
struct bi_cell_keep {
    uint64_t *edges;
    uint32_t *positions;
    struct bi_cell_shape shape;
    int32_t span;
    const uint32_t *skewed;
    struct bi_cell_found found;
};

BI_FN void bi_step_cell_keep(const struct bi_cell_keep *a, int64_t e)
{
    if (a->skewed[a->positions[e] / (uint32_t)a->shape.per_word / (uint32_t)a->span]) return;
    uint64_t at = bi_take(a->found.count, 1);
    a->found.edges[at] = a->edges[e];
    a->found.positions[at] = a->positions[e];
}

struct bi_cell_order {
    const uint64_t *edges;
    const uint32_t *positions;
    int32_t vertex_bits;
    uint32_t *ranks;  /* of each edge among those of its lower vertex, in any order */
    uint32_t *starts; /* (vertices + 1) of each vertex's edges */
    uint64_t *edges_out;
    uint32_t *positions_out;
    uint64_t first, last; /* lower vertices of the edges that are placed now */
};

BI_FN void bi_step_cell_rank(const struct bi_cell_order *a, int64_t e)
{
    a->ranks[e] = bi_cell_take(&a->starts[a->edges[e] >> a->vertex_bits], 1);
}

BI_FN void bi_step_cell_place(const struct bi_cell_order *a, int64_t e)
{
    uint64_t low = a->edges[e] >> a->vertex_bits;
    if (low < a->first || low > a->last) return;
    uint32_t to = a->starts[low] + a->ranks[e];
    a->edges_out[to] = a->edges[e];
    a->positions_out[to] = a->positions[e];
}

/* Lets item `at` of a heap of n sink. Source: Williams, Algorithm 232: Heapsort (1964). */
BI_FN void bi_cell_sink(uint64_t *edges, uint32_t *positions, uint32_t at, uint32_t n)
{
    uint64_t edge = edges[at];
    uint32_t position = positions[at], child;
    while ((child = 2 * at + 1) < n) {
        if (child + 1 < n && edges[child] < edges[child + 1]) child++;
        if (edges[child] <= edge) break;
        edges[at] = edges[child];
        positions[at] = positions[child];
        at = child;
    }
    edges[at] = edge;
    positions[at] = position;
}

BI_FN void bi_cell_heapsort(uint64_t *edges, uint32_t *positions, uint32_t n)
{
    for (uint32_t i = n / 2; i > 0; i--) bi_cell_sink(edges, positions, i - 1, n);
    for (uint32_t end = n - 1; end > 0; end--) {
        uint64_t edge = edges[end];
        uint32_t position = positions[end];
        edges[end] = edges[0];
        positions[end] = positions[0];
        edges[0] = edge;
        positions[0] = position;
        bi_cell_sink(edges, positions, 0, end);
    }
}

BI_FN void bi_step_cell_tidy(const struct bi_cell_order *a, int64_t v)
{
    enum { FEW = 24 };
    uint32_t begin = a->starts[v], n = a->starts[v + 1] - begin;
    if (n < 2) return;
    uint64_t *edges = a->edges_out + begin;
    uint32_t *positions = a->positions_out + begin;
    if (n > FEW) {
        bi_cell_heapsort(edges, positions, n);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        uint64_t edge = edges[i];
        uint32_t position = positions[i], j = i;
        for (; j > 0 && edges[j - 1] > edge; j--) {
            edges[j] = edges[j - 1];
            positions[j] = positions[j - 1];
        }
        edges[j] = edge;
        positions[j] = position;
    }
}

#endif
