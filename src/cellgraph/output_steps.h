/* Steps that copy a graph out. */
#ifndef BI_CELLGRAPH_OUTPUT_STEPS_H
#define BI_CELLGRAPH_OUTPUT_STEPS_H

#include "base/union_find.h"
#include "cellgraph/letters.h"

BI_FN void bi_cell_put_id(void *ids, bool wide, int64_t at, uint32_t id)
{
    if (wide)
        ((int64_t *)ids)[at] = id;
    else
        ((uint32_t *)ids)[at] = id;
}

struct bi_cell_ids {
    const uint32_t *from;
    void *to;
    bool wide;
};

BI_FN void bi_step_cell_id(const struct bi_cell_ids *a, int64_t i) { bi_cell_put_id(a->to, a->wide, i, a->from[i]); }

/* One half of words of 64 bits. */
struct bi_cell_half {
    const uint64_t *from;
    void *to;
    bool wide;
    int32_t shift;
};

BI_FN void bi_step_cell_half(const struct bi_cell_half *a, int64_t i)
{
    uint32_t half = (uint32_t)(a->from[i] >> a->shift);
    if (a->wide)
        ((int64_t *)a->to)[i] = a->from[i] == UINT64_MAX ? -1 : (int64_t)half;
    else
        ((uint32_t *)a->to)[i] = half;
}

/* The edges as keys, low vertex << vertex_bits | high vertex, and the letters. */
struct bi_cell_edges {
    const uint64_t *edges;
    const uint32_t *positions;
    int64_t count;
    int32_t vertex_bits;
};

struct bi_cell_pairs {
    struct bi_cell_edges edges;
    const uint32_t *firsts;
    void *pairs;
    bool wide;
};

BI_FN void bi_step_cell_pair(const struct bi_cell_pairs *a, int64_t e)
{
    uint64_t edge = a->edges.edges[e], low = edge >> a->edges.vertex_bits, high = edge ^ low << a->edges.vertex_bits;
    bi_cell_put_id(a->pairs, a->wide, 2 * e, a->firsts[low]);
    bi_cell_put_id(a->pairs, a->wide, 2 * e + 1, a->firsts[high]);
}

/* Both arcs of each edge, then sorted by (from, to). */
struct bi_cell_arcs {
    struct bi_cell_edges edges;
    uint64_t *arcs;    /* from << vertex_bits | to */
    uint32_t *of_arcs; /* their positions */
    int64_t *offsets;
    void *neighbours;
    uint32_t *positions;
    bool wide;
};

BI_FN void bi_step_cell_arc(const struct bi_cell_arcs *a, int64_t e)
{
    uint64_t edge = a->edges.edges[e], low = edge >> a->edges.vertex_bits, high = edge ^ low << a->edges.vertex_bits;
    a->arcs[2 * e] = edge;
    a->arcs[2 * e + 1] = high << a->edges.vertex_bits | low;
    a->of_arcs[2 * e] = a->of_arcs[2 * e + 1] = a->edges.positions[e];
}

/* offsets[v + 1] = the end of the arcs of v, for vertices that have any; a maximum scan fills in the others. */
BI_FN void bi_step_cell_row_end(const struct bi_cell_arcs *a, int64_t k)
{
    uint64_t from = a->arcs[k] >> a->edges.vertex_bits;
    if (k + 1 == 2 * a->edges.count || a->arcs[k + 1] >> a->edges.vertex_bits != from) a->offsets[from + 1] = k + 1;
}

BI_FN void bi_step_cell_neighbour(const struct bi_cell_arcs *a, int64_t k)
{
    uint64_t from = a->arcs[k] >> a->edges.vertex_bits;
    bi_cell_put_id(a->neighbours, a->wide, k, (uint32_t)(a->arcs[k] ^ from << a->edges.vertex_bits));
}

/* Rows as searches read them. */
struct bi_cell_packing {
    const int64_t *offsets;
    uint64_t *rows;
};

BI_FN void bi_step_cell_pack(const struct bi_cell_packing *a, int64_t v)
{
    int64_t begin = a->offsets[v], end = a->offsets[v + 1];
    a->rows[v] = (uint64_t)begin << BI_CELL_COUNT_BITS | (uint64_t)(end - begin);
}

/* Components: the ends of each edge are joined. */
struct bi_cell_union {
    struct bi_cell_edges edges;
    uint32_t *parent; /* of each vertex */
    uint8_t *roots;
};

BI_FN void bi_step_cell_join_ends(const struct bi_cell_union *a, int64_t e)
{
    uint64_t edge = a->edges.edges[e], low = edge >> a->edges.vertex_bits, high = edge ^ low << a->edges.vertex_bits;
    bi_uf_union(a->parent, (uint32_t)low, (uint32_t)high);
}

BI_FN void bi_step_cell_root(const struct bi_cell_union *a, int64_t v) { a->roots[v] = a->parent[v] == (uint32_t)v; }

#endif
