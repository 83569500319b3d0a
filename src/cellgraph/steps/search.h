/* Steps of connected components, by union-find; and the path that a search from two ends found. */
#ifndef BI_CELLGRAPH_STEPS_SEARCH_H
#define BI_CELLGRAPH_STEPS_SEARCH_H

#include "base/step.h"
#include "base/union_find.h"
#include "cellgraph/cellgraph.h"
#include "cellgraph/steps/vectors.h"

/* ---- components ---- */

/* Unites the ends of each edge, unless the mask removes one. */
struct bi_cellgraph_components {
    struct bi_cellgraph_edges edges;
    uint32_t *parent; /* of each vertex */
    uint8_t *roots;
    const uint8_t *mask; /* (vertices) 0 removes a vertex; NULL: none */
};

BI_FN void bi_step_cellgraph_union_ends(const struct bi_cellgraph_components *a, int64_t e)
{
    uint64_t edge = a->edges.edges[e], low = edge >> a->edges.vertex_bits, high = edge ^ low << a->edges.vertex_bits;
    if (a->mask && (!a->mask[low] || !a->mask[high])) return;
    bi_uf_union(a->parent, (uint32_t)low, (uint32_t)high);
}

BI_FN void bi_step_cellgraph_is_root(const struct bi_cellgraph_components *a, int64_t v)
{
    a->roots[v] = a->parent[v] == (uint32_t)v && (!a->mask || a->mask[v]);
}

/* Removed vertices have no label. */
BI_FN void bi_step_cellgraph_mask_label(const struct bi_cellgraph_components *a, int64_t v)
{
    if (!a->mask[v]) a->parent[v] = UINT32_MAX;
}

/* Initial labels of a search. */
struct bi_cellgraph_masked_words {
    const uint8_t *mask;
    uint64_t *words;
};

BI_FN void bi_step_cellgraph_mask_word(const struct bi_cellgraph_masked_words *a, int64_t v)
{
    a->words[v] = a->mask[v] ? UINT64_MAX : BI_CELLGRAPH_MASKED;
}

/* ---- paths ---- */

/* Writes the part of the path from the junction to the source of a side. That of side 0 is written backwards, so
 * that the path is in order. */
BI_FN void bi_cellgraph_write_path(const struct bi_cellgraph_search *s, const struct bi_cellgraph_search_result *r,
                                   int side)
{
    uint32_t at = r->junction, to = r->depth[0];
    if (side == 0) s->path[to] = at;
    while (at != s->source[side]) {
        at = (uint32_t)s->level_parent[side][at];
        to = side == 0 ? to - 1 : to + 1;
        s->path[to] = at;
    }
}

#endif
