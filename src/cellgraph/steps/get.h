/* Steps that copy a graph's contents to the caller's arrays, and those of its CSR rows. */
#ifndef BI_CELLGRAPH_STEPS_GET_H
#define BI_CELLGRAPH_STEPS_GET_H

#include "cellgraph/steps/vectors.h"

/* ---- copies ---- */

/* Vertex numbers; UINT32_MAX (none) becomes -1 in 64 bits. */
struct bi_cellgraph_ids {
    const uint32_t *from;
    void *to;
    bool is_64bit;
};

BI_FN void bi_step_cellgraph_widen_id(const struct bi_cellgraph_ids *a, int64_t i)
{
    bi_set_word(a->to, a->is_64bit, i, a->from[i] == UINT32_MAX ? UINT64_MAX : a->from[i]);
}

/* One half of the labels of a search: levels or parents. */
struct bi_cellgraph_half {
    const uint64_t *from;
    void *to;
    bool is_64bit;
    int32_t shift;
};

BI_FN void bi_step_cellgraph_widen_half(const struct bi_cellgraph_half *a, int64_t i)
{
    const bool none = a->from[i] == UINT64_MAX || a->from[i] == BI_CELLGRAPH_MASKED;
    bi_set_word(a->to, a->is_64bit, i, none ? UINT64_MAX : (uint32_t)(a->from[i] >> a->shift));
}

struct bi_cellgraph_pairs {
    struct bi_cellgraph_edges edges;
    const uint32_t *representatives;
    void *pairs;
    bool is_64bit;
};

/* Writes BI_CELLGRAPH_AT_ONCE pairs, whose memory accesses overlap. */
BI_FN void bi_step_cellgraph_pair(const struct bi_cellgraph_pairs *a, int64_t item)
{
    const int64_t apart = bi_cellgraph_items(a->edges.count);
    uint32_t low[BI_CELLGRAPH_AT_ONCE], high[BI_CELLGRAPH_AT_ONCE];
    BI_CELLGRAPH_UNROLL
    for (int32_t k = 0; k < BI_CELLGRAPH_AT_ONCE; k++) {
        const int64_t e = item + k * apart;
        const uint64_t edge = a->edges.edges[e < a->edges.count ? e : item], from = edge >> a->edges.vertex_bits;
        low[k] = (uint32_t)from;
        high[k] = (uint32_t)(edge ^ from << a->edges.vertex_bits);
    }
    BI_CELLGRAPH_UNROLL
    for (int32_t k = 0; k < BI_CELLGRAPH_AT_ONCE; k++) {
        low[k] = a->representatives[low[k]];
        high[k] = a->representatives[high[k]];
    }
    BI_CELLGRAPH_UNROLL
    for (int32_t k = 0; k < BI_CELLGRAPH_AT_ONCE; k++) {
        const int64_t e = item + k * apart;
        if (e >= a->edges.count) break;
        bi_set_word(a->pairs, a->is_64bit, 2 * e, low[k]);
        bi_set_word(a->pairs, a->is_64bit, 2 * e + 1, high[k]);
    }
}

/* ---- both arcs of every edge ---- */

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
    bi_set_word(a->neighbours, a->is_64bit, k, (uint32_t)(a->arcs[k] ^ from << a->edges.vertex_bits));
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
