/* Steps on a found forest. Labels of components are their smallest vertices: parent[v] is a smaller vertex of the same
 * component, or v itself (base/union_find.h). Edges are listed by id, ranked and summed. */
#ifndef BI_FOREST_STEPS_RESULTS_H
#define BI_FOREST_STEPS_RESULTS_H

#include "base/union_find.h"
#include "forest/steps/rows.h"

/* ---- labels ---- */

/* Items are tiles of arcs. Unites the ends of edges whose id is marked. */
struct bi_msf_join_marked {
    struct bi_msf_rows rows;
    const uint8_t *marks;
    uint32_t *parent;
};

BI_FN void bi_step_msf_join_marked(const struct bi_msf_join_marked *a, int64_t tile)
{
    struct bi_msf_walk w = bi_msf_walk_tile(&a->rows, tile);
    do {
        uint32_t v = a->rows.neighbours[w.arc];
        if (w.row < v && a->marks[bi_msf_arc_id(&a->rows, w.arc)]) bi_uf_union(a->parent, w.row, v);
    } while (bi_msf_walk_on(&a->rows, &w));
}

struct bi_msf_mark_ids {
    const void *ids;
    bool is_64bit;
    uint8_t *marks;
};

BI_FN void bi_step_msf_mark_ids(const struct bi_msf_mark_ids *a, int64_t i)
{
    a->marks[bi_word(a->ids, a->is_64bit, i)] = 1;
}

/* The smallest vertex of each tree, at its root, in a flat forest with arbitrary roots. */
struct bi_msf_smallest {
    const uint32_t *root;
    uint32_t *smallest;
};

BI_FN void bi_step_msf_smallest(const struct bi_msf_smallest *a, int64_t v)
{
    if ((uint32_t)v < bi_atomic_load_u32(&a->smallest[a->root[v]]))
        bi_atomic_min_u32(&a->smallest[a->root[v]], (uint32_t)v);
}

struct bi_msf_gather_labels {
    const uint32_t *root, *smallest;
    uint32_t *labels;
};

BI_FN void bi_step_msf_gather_labels(const struct bi_msf_gather_labels *a, int64_t v)
{
    a->labels[v] = a->smallest[a->root[v]];
}

/* Labels in the caller's words; all ones for a vertex excluded by the mask. */
struct bi_msf_write_labels {
    const uint32_t *labels;
    const uint8_t *mask;
    void *out;
    bool is_64bit;
};

BI_FN void bi_step_msf_write_labels(const struct bi_msf_write_labels *a, int64_t v)
{
    bi_set_word(a->out, a->is_64bit, v, a->mask && !a->mask[v] ? UINT64_MAX : a->labels[v]);
}

/* out[v] = 1 for vertices left by the mask, with labels only for the smallest of each component. */
struct bi_msf_mark_roots {
    const uint32_t *labels; /* NULL: every vertex counts */
    const uint8_t *mask;
    uint8_t *out;
};

BI_FN void bi_step_msf_mark_roots(const struct bi_msf_mark_roots *a, int64_t v)
{
    a->out[v] = (!a->mask || a->mask[v]) && (!a->labels || a->labels[v] == (uint32_t)v);
}

/* ---- edges ---- */

/* Edge ids and keys of the chosen arcs. */
struct bi_msf_gather_edges {
    struct bi_msf_rows rows;
    const void *positions;
    void *ids, *keys;
};

BI_FN void bi_step_msf_gather_edges(const struct bi_msf_gather_edges *a, int64_t i)
{
    int64_t arc = (int64_t)bi_word(a->positions, a->rows.is_64bit, i);
    bi_set_word(a->ids, a->rows.is_64bit, i, bi_msf_arc_id(&a->rows, arc));
    bi_set_word(a->keys, a->rows.keys_64bit, i, bi_word(a->rows.keys, a->rows.keys_64bit, arc));
}

/* Converts keys to ranks, or ranks to keys: bi_msf_rank is its own inverse, since flipping never moves a number's key
 * past `number`. */
struct bi_msf_ranks {
    struct bi_msf_order order;
    const void *in;
    void *out;
    bool is_64bit;
};

BI_FN void bi_step_msf_ranks(const struct bi_msf_ranks *a, int64_t i)
{
    bi_set_word(a->out, a->is_64bit, i, bi_msf_rank(&a->order, bi_word(a->in, a->is_64bit, i)));
}

/* Splits keys into low and high halves to be summed. */
struct bi_msf_split_keys {
    const void *keys;
    bool is_64bit;
    uint64_t *low, *high; /* high is NULL for 32-bit keys */
};

BI_FN void bi_step_msf_split_keys(const struct bi_msf_split_keys *a, int64_t i)
{
    uint64_t key = bi_word(a->keys, a->is_64bit, i);
    a->low[i] = key & UINT32_MAX;
    if (a->high) a->high[i] = key >> 32;
}

/* Weights of a float type as doubles. */
struct bi_msf_doubles {
    const void *keys;
    bosc_dtype dtype;
    double *out;
};

BI_FN void bi_step_msf_doubles(const struct bi_msf_doubles *a, int64_t i)
{
    uint64_t key = bi_word(a->keys, a->dtype == BOSC_F64, i);
    if (bi_graph_is_nan_key(a->dtype, key))
        a->out[i] = bi_f64_from_bits(0x7ff8000000000000ull);
    else
        a->out[i] = a->dtype == BOSC_F64 ? bi_f64_of_key(key) : (double)bi_f32_of_key((uint32_t)key);
}

#endif
