/* Steps of saved graphs that ranks read: arcs go to the ranks of their entries, which check that each edge is there
 * twice, once from either end, or once if it is a self loop. */
#ifndef BI_RANKS_STEPS_GRAPH_H
#define BI_RANKS_STEPS_GRAPH_H

#include "base/atomic.h"
#include "base/words.h"
#include "graph/weight_keys.h"

/* The row of each arc: the last one that begins at it or before. */
struct bi_ranks_graph_row_of {
    const void *offsets; /* of rows first_row, ...; they ascend */
    bool wide;
    int64_t rows, first_row, first_arc;
    uint32_t *row_of;
};

BI_FN void bi_step_graph_row_of(const struct bi_ranks_graph_row_of *a, int64_t i)
{
    const uint64_t arc = (uint64_t)(a->first_arc + i);
    a->row_of[i] = (uint32_t)(a->first_row + bi_lower_bound_word(a->offsets, a->wide, 0, a->rows, arc + 1) - 1);
}

/* An arc as three words: id, ends, and the weight's key; and the rank of its entry. */
struct bi_ranks_graph_send {
    const uint32_t *row_of, *neighbours;
    const void *ids, *keys;
    bool wide, wide_keys;
    int64_t entries;
    uint32_t ranks;
    uint64_t *items;
    uint32_t *owners;
};

BI_FN void bi_step_graph_send(const struct bi_ranks_graph_send *a, int64_t i)
{
    const uint64_t id = bi_word(a->ids, a->wide, i);
    a->items[3 * i] = id;
    a->items[3 * i + 1] = (uint64_t)a->row_of[i] << 32 | a->neighbours[i];
    a->items[3 * i + 2] = bi_word(a->keys, a->wide_keys, i);
    a->owners[i] = (uint32_t)(id * a->ranks / (uint64_t)a->entries);
}

/* Arcs that came, to be sorted: keys are entry << 1, and 1 more for an arc u -> v, u > v, the way back; values are ends
 * and the weight's key. */
struct bi_ranks_graph_take {
    const uint64_t *items;
    int64_t first;
    uint64_t *keys, *values;
};

BI_FN void bi_step_graph_take(const struct bi_ranks_graph_take *a, int64_t i)
{
    const uint64_t *arc = a->items + 3 * i;
    a->keys[i] = (arc[0] - (uint64_t)a->first) << 1 | (uint32_t)(arc[1] >> 32 > (uint32_t)arc[1]);
    a->values[2 * i] = arc[1];
    a->values[2 * i + 1] = arc[2];
}

/* Once they are sorted: each has its way back behind it, but for self loops, which have none. */
struct bi_ranks_graph_pair {
    const uint64_t *keys, *values;
    int64_t count;
    uint8_t *is_edge;          /* not the way back */
    int64_t *repeated, *alone; /* the first place with such a fault */
};

BI_FN bool bi_ranks_graph_is_way_back(const struct bi_ranks_graph_pair *a, int64_t i)
{
    const uint64_t *forth = a->values + 2 * (i - 1), *back = a->values + 2 * i;
    return a->keys[i - 1] + 1 == a->keys[i] && back[0] == (forth[0] << 32 | forth[0] >> 32) && back[1] == forth[1];
}

BI_FN void bi_step_graph_pair(const struct bi_ranks_graph_pair *a, int64_t i)
{
    const uint64_t key = a->keys[i], ends = a->values[2 * i];
    const bool is_back = key & 1, is_loop = ends >> 32 == (uint32_t)ends;
    a->is_edge[i] = !is_back;
    if (i > 0 && a->keys[i - 1] == key) bi_atomic_min_i64(a->repeated, i);
    if (is_back ? i == 0 || !bi_ranks_graph_is_way_back(a, i)
                : !is_loop && (i + 1 == a->count || !bi_ranks_graph_is_way_back(a, i + 1)))
        bi_atomic_min_i64(a->alone, i);
}

/* The edges, ascending by entry. */
struct bi_ranks_graph_edge {
    const uint64_t *keys, *values;
    bosc_dtype dtype;
    uint64_t *ids; /* may be the keys */
    uint32_t *u, *v;
    void *weights;
};

BI_FN void bi_step_graph_edge(const struct bi_ranks_graph_edge *a, int64_t i)
{
    a->ids[i] = a->keys[i] >> 1;
    a->u[i] = (uint32_t)(a->values[2 * i] >> 32);
    a->v[i] = (uint32_t)a->values[2 * i];
    bi_graph_set_weight(a->weights, a->dtype, i, a->values[2 * i + 1]);
}

#endif
