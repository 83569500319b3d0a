/* Steps of additions: new rows behind the known vertices, and edges of the new vertices. */
#ifndef BI_CELLGRAPH_STEPS_ADD_H
#define BI_CELLGRAPH_STEPS_ADD_H

#include "cellgraph/steps/dictionary.h"

/* Copies rows densely, without bits beyond the letters. */
struct bi_cellgraph_gather {
    struct bi_cellgraph_rows rows;
    struct bi_letters shape;
    uint64_t *vectors;
};

BI_FN void bi_step_cellgraph_gather(const struct bi_cellgraph_gather *a, int64_t i)
{
    const uint64_t *row = a->rows.data + i * a->rows.stride;
    uint64_t *to = a->vectors + i * a->shape.words;
    for (int32_t s = 0; s < a->shape.words; s++) to[s] = row[s] & bi_letters_mask(&a->shape, s);
}

/* Turns the vertices of (old vertices, new rows) into those of all rows. */
struct bi_cellgraph_merge {
    int64_t known;  /* number of old vertices, which come first */
    uint32_t moved; /* rows less vertices of the old graph */
    const uint32_t *old_firsts, *old_multiplicities;
    uint32_t *firsts, *multiplicities;
};

BI_FN void bi_step_cellgraph_merge(const struct bi_cellgraph_merge *a, int64_t v)
{
    if (v < a->known) {
        a->firsts[v] = a->old_firsts[v];
        a->multiplicities[v] += a->old_multiplicities[v] - 1;
    } else {
        a->firsts[v] += a->moved;
    }
}

/* Looks up all letters of the i-th new vertex. An edge to a known vertex is found from this end alone. */
BI_FN void bi_step_cellgraph_probe_new(const struct bi_cellgraph_probe *a, int64_t i)
{
    const uint64_t *x = bi_cellgraph_row(&a->view, a->known + i);
    for (int32_t s = 0; s < a->view.shape.words; s++) {
        uint64_t rest = a->view.hashes[a->known + i] - bi_cellgraph_hash(x[s], a->view.seeds[s]);
        bi_cellgraph_probe_letters(a, a->known + i, s, rest, bi_letters_mask(&a->view.shape, s), false, a->view.count);
        bi_cellgraph_probe_letters(a, a->known + i, s, rest, bi_letters_mask(&a->view.shape, s), true, a->known);
    }
}

/* Copies the known edges to keys with another vertex_bits. */
struct bi_cellgraph_recode {
    const uint64_t *edges;
    const uint32_t *positions;
    int32_t vertex_bits;
    struct bi_cellgraph_edge_list found;
};

BI_FN void bi_step_cellgraph_recode(const struct bi_cellgraph_recode *a, int64_t e)
{
    uint64_t low = a->edges[e] >> a->vertex_bits, high = a->edges[e] ^ low << a->vertex_bits;
    bi_cellgraph_write_edge(&a->found, (uint64_t)e, low, high, a->positions[e]);
}

#endif
