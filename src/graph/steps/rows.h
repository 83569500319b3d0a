/* The steps that read the rows of a graph: copies to the caller, and checks of a graph from an untrusted file. */
#ifndef BI_GRAPH_STEPS_ROWS_H
#define BI_GRAPH_STEPS_ROWS_H

#include "base/atomic.h"
#include "graph/entries.h"

/* The rows of a graph (struct bosc_graph). */
struct bi_graph_csr {
    const void *offsets;
    const uint32_t *neighbours;
    const void *keys, *ids;
    bool is_64bit;
    bosc_dtype dtype;
};

/* ---- copies ---- */

/* Copies words, of 32 or 64 bits, to words of 32 or 64 bits. */
struct bi_graph_copy_words {
    const void *from;
    void *to;
    bool from_64bit, to_64bit;
};

BI_FN void bi_step_graph_copy_words(const struct bi_graph_copy_words *a, int64_t i)
{
    bi_set_word(a->to, a->to_64bit, i, bi_word(a->from, a->from_64bit, i));
}

/* Keys to weights. */
struct bi_graph_copy_weights {
    const void *keys;
    bosc_dtype dtype;
    void *weights;
};

BI_FN void bi_step_graph_copy_weights(const struct bi_graph_copy_weights *a, int64_t i)
{
    bi_graph_set_weight(a->weights, a->dtype, i, bi_word(a->keys, bi_graph_has_64bit_keys(a->dtype), i));
}

/* Degrees; a self loop counts twice. */
struct bi_graph_row_degrees {
    struct bi_graph_csr rows;
    int64_t *degrees;
};

BI_FN void bi_step_graph_row_degrees(const struct bi_graph_row_degrees *a, int64_t u)
{
    const struct bi_graph_csr *r = &a->rows;
    int64_t begin = (int64_t)bi_word(r->offsets, r->is_64bit, u),
            end = (int64_t)bi_word(r->offsets, r->is_64bit, u + 1);
    int64_t loop = bi_lower_bound_word(r->neighbours, false, begin, end, (uint64_t)u);
    a->degrees[u] = end - begin + bi_lower_bound_word(r->neighbours, false, loop, end, (uint64_t)u + 1) - loop;
}

/* flags[j] = 1 for the arcs u -> v with u <= v: one of every edge. */
struct bi_graph_mark_forward {
    const uint32_t *row_of, *neighbours;
    uint8_t *flags;
};

BI_FN void bi_step_graph_mark_forward(const struct bi_graph_mark_forward *a, int64_t j)
{
    a->flags[j] = a->row_of[j] <= a->neighbours[j];
}

/* to[k] = from[at[k]]. */
struct bi_graph_gather_words {
    const void *from, *at;
    bool is_64bit;
    void *to;
};

BI_FN void bi_step_graph_gather_words(const struct bi_graph_gather_words *a, int64_t k)
{
    bi_set_word(a->to, a->is_64bit, k, bi_word(a->from, a->is_64bit, (int64_t)bi_word(a->at, a->is_64bit, k)));
}

/* Copies the edges of arcs[k]. Any output may be NULL. */
struct bi_graph_fetch_edges {
    struct bi_graph_csr rows;
    const uint32_t *row_of;
    const void *arcs;
    bool out_64bit; /* ids, u and v have 64 bits */
    bool keep_keys; /* weights stay keys */
    void *ids, *u, *v, *weights;
};

BI_FN void bi_step_graph_fetch_edges(const struct bi_graph_fetch_edges *a, int64_t k)
{
    const struct bi_graph_csr *r = &a->rows;
    int64_t j = (int64_t)bi_word(a->arcs, r->is_64bit, k);
    if (a->ids) bi_set_word(a->ids, a->out_64bit, k, bi_word(r->ids, r->is_64bit, j));
    if (a->u) bi_set_word(a->u, a->out_64bit, k, a->row_of[j]);
    if (a->v) bi_set_word(a->v, a->out_64bit, k, r->neighbours[j]);
    if (!a->weights) return;
    uint64_t key = bi_word(r->keys, bi_graph_has_64bit_keys(r->dtype), j);
    if (a->keep_keys)
        bi_set_word(a->weights, bi_graph_has_64bit_keys(r->dtype), k, key);
    else
        bi_graph_set_weight(a->weights, r->dtype, k, key);
}

/* ---- checks of a saved graph ---- */

/* Faults. */
enum {
    BI_GRAPH_BAD_NEIGHBOUR = 1,
    BI_GRAPH_BAD_ID = 2,
    BI_GRAPH_BAD_ORDER = 4,
    BI_GRAPH_BAD_WEIGHT = 8,
    BI_GRAPH_BAD_PARTNER = 16,
    BI_GRAPH_IDS_DESCEND = 32,
    BI_GRAPH_IDS_REPEAT = 64
};

struct bi_graph_check_arcs {
    struct bi_graph_csr rows;
    const uint32_t *row_of;
    int64_t n, entries;
    uint32_t *found;
};

/* Ranges of neighbours and ids, and the order within a row. */
BI_FN void bi_step_graph_check_arcs(const struct bi_graph_check_arcs *a, int64_t j)
{
    const struct bi_graph_csr *r = &a->rows;
    uint32_t v = r->neighbours[j], found = v >= a->n ? BI_GRAPH_BAD_NEIGHBOUR : 0;
    uint64_t id = bi_word(r->ids, r->is_64bit, j);
    if (id >= (uint64_t)a->entries) found |= BI_GRAPH_BAD_ID;
    if (j > 0 && a->row_of[j - 1] == a->row_of[j]) {
        uint32_t previous = r->neighbours[j - 1];
        if (previous > v || (previous == v && bi_word(r->ids, r->is_64bit, j - 1) >= id)) found |= BI_GRAPH_BAD_ORDER;
    }
    if (found) bi_atomic_or_u32(a->found, found);
}

/* The opposite arc, with the same id and key, is in the neighbour's row, by binary search. Rows must have passed
 * check_arcs. */
BI_FN void bi_step_graph_check_partner(const struct bi_graph_check_arcs *a, int64_t j)
{
    const struct bi_graph_csr *r = &a->rows;
    uint32_t u = a->row_of[j], v = r->neighbours[j];
    if (u == v) return;
    uint64_t id = bi_word(r->ids, r->is_64bit, j);
    int64_t end = (int64_t)bi_word(r->offsets, r->is_64bit, (int64_t)v + 1);
    int64_t low = (int64_t)bi_word(r->offsets, r->is_64bit, v), high = end;
    BI_PARTITION_POINT(low, high, mid,
                       r->neighbours[mid] < u || (r->neighbours[mid] == u && bi_word(r->ids, r->is_64bit, mid) < id));
    bool key_64bit = bi_graph_has_64bit_keys(r->dtype);
    if (low == end || r->neighbours[low] != u || bi_word(r->ids, r->is_64bit, low) != id ||
        bi_word(r->keys, key_64bit, low) != bi_word(r->keys, key_64bit, j))
        bi_atomic_or_u32(a->found, BI_GRAPH_BAD_PARTNER);
}

/* Weights to keys. */
struct bi_graph_encode_weights {
    const void *weights;
    bosc_dtype dtype;
    bool allow_nan;
    void *keys;
    uint32_t *found;
};

BI_FN void bi_step_graph_encode_weights(const struct bi_graph_encode_weights *a, int64_t j)
{
    uint64_t key = bi_graph_weight_key(a->weights, a->dtype, j);
    if (!a->allow_nan && bi_graph_is_nan_key(a->dtype, key)) bi_atomic_or_u32(a->found, BI_GRAPH_BAD_WEIGHT);
    bi_set_word(a->keys, bi_graph_has_64bit_keys(a->dtype), j, key);
}

/* Ids ascend strictly, or the kinds of violations. */
struct bi_graph_check_ids {
    const void *ids;
    bool is_64bit;
    uint32_t *found;
};

BI_FN void bi_step_graph_check_ids(const struct bi_graph_check_ids *a, int64_t k)
{
    if (k == 0) return;
    uint64_t previous = bi_word(a->ids, a->is_64bit, k - 1), id = bi_word(a->ids, a->is_64bit, k);
    if (previous >= id) bi_atomic_or_u32(a->found, previous == id ? BI_GRAPH_IDS_REPEAT : BI_GRAPH_IDS_DESCEND);
}

/* flags[k] = 1 if edge k, given by its arc, is a self loop, or (`parallel`) has the ends of the preceding arc. */
struct bi_graph_count_arcs {
    struct bi_graph_csr rows;
    const uint32_t *row_of;
    const void *arcs;
    bool parallel;
    void *flags;
};

BI_FN void bi_step_graph_count_arcs(const struct bi_graph_count_arcs *a, int64_t k)
{
    bool is_64bit = a->rows.is_64bit;
    int64_t j = (int64_t)bi_word(a->arcs, is_64bit, k);
    uint32_t u = a->row_of[j], v = a->rows.neighbours[j];
    bool flag = a->parallel ? j > 0 && a->row_of[j - 1] == u && a->rows.neighbours[j - 1] == v : u == v;
    bi_set_word(a->flags, is_64bit, k, flag);
}

struct bi_graph_mark_isolated {
    const int64_t *degrees;
    uint32_t *isolated;
};

BI_FN void bi_step_graph_mark_isolated(const struct bi_graph_mark_isolated *a, int64_t u)
{
    a->isolated[u] = a->degrees[u] == 0;
}

#endif
