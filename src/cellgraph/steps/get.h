/* Copies of what a graph holds, as callers have it. */
#ifndef BI_CELLGRAPH_STEPS_GET_H
#define BI_CELLGRAPH_STEPS_GET_H

#include "cellgraph/steps/vectors.h"

BI_FN void bi_cellgraph_put_id(void *ids, bool wide, int64_t at, uint32_t id)
{
    if (wide)
        ((int64_t *)ids)[at] = id;
    else
        ((uint32_t *)ids)[at] = id;
}

/* Numbers of vertices; UINT32_MAX is none. */
struct bi_cellgraph_ids {
    const uint32_t *from;
    void *to;
    bool wide;
};

BI_FN void bi_step_cellgraph_widen_id(const struct bi_cellgraph_ids *a, int64_t i)
{
    if (a->wide)
        ((int64_t *)a->to)[i] = a->from[i] == UINT32_MAX ? -1 : (int64_t)a->from[i];
    else
        ((uint32_t *)a->to)[i] = a->from[i];
}

/* One half of the words of a search. */
struct bi_cellgraph_half {
    const uint64_t *from;
    void *to;
    bool wide;
    int32_t shift;
};

BI_FN void bi_step_cellgraph_widen_half(const struct bi_cellgraph_half *a, int64_t i)
{
    const bool none = a->from[i] == UINT64_MAX || a->from[i] == BI_CELLGRAPH_MASKED;
    const uint32_t half = none ? UINT32_MAX : (uint32_t)(a->from[i] >> a->shift);
    if (a->wide)
        ((int64_t *)a->to)[i] = none ? -1 : (int64_t)half;
    else
        ((uint32_t *)a->to)[i] = half;
}

struct bi_cellgraph_pairs {
    struct bi_cellgraph_edges edges;
    const uint32_t *firsts;
    void *pairs;
    bool wide;
};

BI_FN void bi_step_cellgraph_pair(const struct bi_cellgraph_pairs *a, int64_t e)
{
    uint64_t edge = a->edges.edges[e], low = edge >> a->edges.vertex_bits, high = edge ^ low << a->edges.vertex_bits;
    bi_cellgraph_put_id(a->pairs, a->wide, 2 * e, a->firsts[low]);
    bi_cellgraph_put_id(a->pairs, a->wide, 2 * e + 1, a->firsts[high]);
}

#endif
