/* The step that turns pairs of a trie into edges. */
#ifndef BI_CELLGRAPH_STEPS_TRIE_PAIRS_H
#define BI_CELLGRAPH_STEPS_TRIE_PAIRS_H

#include "cellgraph/steps/edge_list.h"

struct bi_cellgraph_trie_pairs {
    struct bi_cellgraph_edge_list found;
    const uint32_t *vertices; /* (pairs x 2) */
    const uint32_t *positions;
};

BI_FN void bi_step_cellgraph_add_trie_pair(const struct bi_cellgraph_trie_pairs *a, int64_t e)
{
    bi_cellgraph_append_edge(&a->found, a->vertices[2 * e], a->vertices[2 * e + 1], a->positions[e]);
}

#endif
