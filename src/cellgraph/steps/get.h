/* Steps that copy a graph's contents to the caller's arrays. */
#ifndef BI_CELLGRAPH_STEPS_GET_H
#define BI_CELLGRAPH_STEPS_GET_H

#include "cellgraph/steps/vectors.h"

BI_FN void bi_cellgraph_write_id(void *ids, bool is_64bit, int64_t at, uint32_t id)
{
    if (is_64bit)
        ((int64_t *)ids)[at] = id;
    else
        ((uint32_t *)ids)[at] = id;
}

/* Vertex numbers; UINT32_MAX (none) becomes -1 in 64 bits. */
struct bi_cellgraph_ids {
    const uint32_t *from;
    void *to;
    bool is_64bit;
};

BI_FN void bi_step_cellgraph_widen_id(const struct bi_cellgraph_ids *a, int64_t i)
{
    if (a->is_64bit)
        ((int64_t *)a->to)[i] = a->from[i] == UINT32_MAX ? -1 : (int64_t)a->from[i];
    else
        ((uint32_t *)a->to)[i] = a->from[i];
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
    const uint32_t half = none ? UINT32_MAX : (uint32_t)(a->from[i] >> a->shift);
    if (a->is_64bit)
        ((int64_t *)a->to)[i] = none ? -1 : (int64_t)half;
    else
        ((uint32_t *)a->to)[i] = half;
}

struct bi_cellgraph_pairs {
    struct bi_cellgraph_edges edges;
    const uint32_t *firsts;
    void *pairs;
    bool is_64bit;
};

BI_FN void bi_step_cellgraph_pair(const struct bi_cellgraph_pairs *a, int64_t e)
{
    uint64_t edge = a->edges.edges[e], low = edge >> a->edges.vertex_bits, high = edge ^ low << a->edges.vertex_bits;
    bi_cellgraph_write_id(a->pairs, a->is_64bit, 2 * e, a->firsts[low]);
    bi_cellgraph_write_id(a->pairs, a->is_64bit, 2 * e + 1, a->firsts[high]);
}

#endif
