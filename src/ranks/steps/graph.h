/* Steps of saved graphs that ranks read: arcs go to the ranks that own their entries, which check that every edge
 * occurs twice, once from either end, or once if it is a self loop. */
#ifndef BI_RANKS_STEPS_GRAPH_H
#define BI_RANKS_STEPS_GRAPH_H

#include "base/atomic.h"
#include "base/search.h"
#include "graph/entries.h"

/* Finds the row of each arc: the last one that begins at or before it. */
struct bi_ranks_graph_row_of {
    const void *offsets; /* of rows first_row, ...; ascending */
    bool is_64bit;
    int64_t rows, first_row, first_arc;
    uint32_t *row_of;
};

BI_FN void bi_step_graph_row_of(const struct bi_ranks_graph_row_of *a, int64_t i)
{
    const uint64_t arc = (uint64_t)(a->first_arc + i);
    a->row_of[i] = (uint32_t)(a->first_row + bi_lower_bound_word(a->offsets, a->is_64bit, 0, a->rows, arc + 1) - 1);
}

/* Packs an arc as three words (id, ends, key of the weight), and finds the rank of its entry. */
struct bi_ranks_graph_pack_arcs {
    const uint32_t *row_of, *neighbours;
    const void *ids, *keys;
    bool is_64bit, wide_keys;
    int64_t entries;
    uint32_t ranks;
    uint64_t *items;
    uint32_t *owners;
};

BI_FN void bi_step_graph_pack_arcs(const struct bi_ranks_graph_pack_arcs *a, int64_t i)
{
    const uint64_t id = bi_word(a->ids, a->is_64bit, i);
    a->items[3 * i] = id;
    a->items[3 * i + 1] = (uint64_t)a->row_of[i] << 32 | a->neighbours[i];
    a->items[3 * i + 2] = bi_word(a->keys, a->wide_keys, i);
    a->owners[i] = (uint32_t)(id * a->ranks / (uint64_t)a->entries);
}

/* Unpacks received arcs for a sort. Keys are entry << 1, plus 1 for an arc u -> v with u > v, the reverse one. Values
 * are the ends and the weight's key. */
struct bi_ranks_graph_unpack_arcs {
    const uint64_t *items;
    int64_t first;
    uint64_t *keys, *values;
};

BI_FN void bi_step_graph_unpack_arcs(const struct bi_ranks_graph_unpack_arcs *a, int64_t i)
{
    const uint64_t *arc = a->items + 3 * i;
    a->keys[i] = (arc[0] - (uint64_t)a->first) << 1 | (uint32_t)(arc[1] >> 32 > (uint32_t)arc[1]);
    a->values[2 * i] = arc[1];
    a->values[2 * i + 1] = arc[2];
}

/* Checks sorted arcs: each arc is followed by its reverse, except self loops, which have none. */
struct bi_ranks_graph_pair_arcs {
    const uint64_t *keys, *values;
    int64_t count;
    uint8_t *is_edge;             /* 1 unless it is a reverse arc */
    int64_t *repeated, *unpaired; /* the first position with that fault */
};

BI_FN bool bi_ranks_graph_is_reverse(const struct bi_ranks_graph_pair_arcs *a, int64_t i)
{
    const uint64_t *forth = a->values + 2 * (i - 1), *back = a->values + 2 * i;
    return a->keys[i - 1] + 1 == a->keys[i] && back[0] == (forth[0] << 32 | forth[0] >> 32) && back[1] == forth[1];
}

BI_FN void bi_step_graph_pair_arcs(const struct bi_ranks_graph_pair_arcs *a, int64_t i)
{
    const uint64_t key = a->keys[i], ends = a->values[2 * i];
    const bool is_reverse = key & 1, is_loop = ends >> 32 == (uint32_t)ends;
    a->is_edge[i] = !is_reverse;
    if (i > 0 && a->keys[i - 1] == key) bi_atomic_min_i64(a->repeated, i);
    if (is_reverse ? i == 0 || !bi_ranks_graph_is_reverse(a, i)
                   : !is_loop && (i + 1 == a->count || !bi_ranks_graph_is_reverse(a, i + 1)))
        bi_atomic_min_i64(a->unpaired, i);
}

/* Writes the edges, ascending by entry. */
struct bi_ranks_graph_write_edges {
    const uint64_t *keys, *values;
    bosc_dtype dtype;
    uint64_t *ids; /* may alias the keys */
    uint32_t *u, *v;
    void *weights;
};

BI_FN void bi_step_graph_write_edges(const struct bi_ranks_graph_write_edges *a, int64_t i)
{
    a->ids[i] = a->keys[i] >> 1;
    a->u[i] = (uint32_t)(a->values[2 * i] >> 32);
    a->v[i] = (uint32_t)a->values[2 * i];
    bi_graph_set_weight(a->weights, a->dtype, i, a->values[2 * i + 1]);
}

#endif
