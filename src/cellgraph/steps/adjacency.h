/* Both arcs of every edge as CSR rows. */
#ifndef BI_CELLGRAPH_STEPS_ADJACENCY_H
#define BI_CELLGRAPH_STEPS_ADJACENCY_H

#include "cellgraph/steps/get.h"

/* Both arcs of each edge, to be sorted by (from, to). */
struct bi_cellgraph_arcs {
    struct bi_cellgraph_edges edges;
    uint64_t *arcs;    /* from << vertex_bits | to */
    uint32_t *of_arcs; /* their positions */
    int64_t *offsets;
    void *neighbours;
    uint32_t *positions;
    bool is_64bit;
};

BI_FN void bi_step_cellgraph_arc(const struct bi_cellgraph_arcs *a, int64_t e)
{
    uint64_t edge = a->edges.edges[e], low = edge >> a->edges.vertex_bits, high = edge ^ low << a->edges.vertex_bits;
    a->arcs[2 * e] = edge;
    a->arcs[2 * e + 1] = high << a->edges.vertex_bits | low;
    a->of_arcs[2 * e] = a->of_arcs[2 * e + 1] = a->edges.positions[e];
}

/* offsets[v + 1] = end of the arcs of v, for vertices that have any; a maximum scan fills in the others. */
BI_FN void bi_step_cellgraph_row_end(const struct bi_cellgraph_arcs *a, int64_t k)
{
    uint64_t from = a->arcs[k] >> a->edges.vertex_bits;
    if (k + 1 == 2 * a->edges.count || a->arcs[k + 1] >> a->edges.vertex_bits != from) a->offsets[from + 1] = k + 1;
}

BI_FN void bi_step_cellgraph_neighbour(const struct bi_cellgraph_arcs *a, int64_t k)
{
    uint64_t from = a->arcs[k] >> a->edges.vertex_bits;
    bi_cellgraph_write_id(a->neighbours, a->is_64bit, k, (uint32_t)(a->arcs[k] ^ from << a->edges.vertex_bits));
}

/* Packs rows into the words that searches read. */
struct bi_cellgraph_packing {
    const int64_t *offsets;
    uint64_t *rows;
};

BI_FN void bi_step_cellgraph_pack(const struct bi_cellgraph_packing *a, int64_t v)
{
    int64_t begin = a->offsets[v], end = a->offsets[v + 1];
    a->rows[v] = (uint64_t)begin << BI_CELLGRAPH_COUNT_BITS | (uint64_t)(end - begin);
}

#endif
