/* Steps that make edges of the neighbours that a trie finds. */
#ifndef BI_CELLGRAPH_TRIE_STEPS_H
#define BI_CELLGRAPH_TRIE_STEPS_H

#include "cellgraph/pair_steps.h"

/* The neighbours of vertices first, first + 1, ..., as rows of compressed sparse form. */
struct bi_cell_near {
    struct bi_cell_found found;
    int64_t first;
    const int64_t *offsets;
    const uint32_t *neighbours, *positions;
};

/* Each edge is found from both ends: it counts from the lower one. */
BI_FN void bi_step_cell_near(const struct bi_cell_near *a, int64_t i)
{
    int64_t vertex = a->first + i;
    for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++)
        if ((int64_t)a->neighbours[e] > vertex) bi_cell_emit(&a->found, vertex, a->neighbours[e], a->positions[e]);
}

#endif
