/* The step that makes edges of the pairs that a trie finds. */
#ifndef BI_CELLGRAPH_STEPS_TRIE_PAIRS_H
#define BI_CELLGRAPH_STEPS_TRIE_PAIRS_H

#include "cellgraph/steps/edge_list.h"

struct bi_cell_near {
    struct bi_cell_found found;
    const uint32_t *vertices; /* (pairs x 2) */
    const uint32_t *positions;
};

BI_FN void bi_step_cell_near(const struct bi_cell_near *a, int64_t e)
{
    bi_cell_emit(&a->found, a->vertices[2 * e], a->vertices[2 * e + 1], a->positions[e]);
}

#endif
