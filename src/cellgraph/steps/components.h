/* Connected components by union-find. */
#ifndef BI_CELLGRAPH_STEPS_COMPONENTS_H
#define BI_CELLGRAPH_STEPS_COMPONENTS_H

#include "base/union_find.h"
#include "cellgraph/steps/vectors.h"

/* Components: the ends of each edge are joined. */
struct bi_cellgraph_union {
    struct bi_cellgraph_edges edges;
    uint32_t *parent; /* of each vertex */
    uint8_t *roots;
};

BI_FN void bi_step_cellgraph_union_ends(const struct bi_cellgraph_union *a, int64_t e)
{
    uint64_t edge = a->edges.edges[e], low = edge >> a->edges.vertex_bits, high = edge ^ low << a->edges.vertex_bits;
    bi_uf_union(a->parent, (uint32_t)low, (uint32_t)high);
}

BI_FN void bi_step_cellgraph_is_root(const struct bi_cellgraph_union *a, int64_t v)
{
    a->roots[v] = a->parent[v] == (uint32_t)v;
}

#endif
