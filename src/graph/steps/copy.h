/* The steps that copy a graph out. */
#ifndef BI_GRAPH_STEPS_COPY_H
#define BI_GRAPH_STEPS_COPY_H

#include "graph/weight_keys.h"

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

/* Rows of a graph. */
struct bi_graph_csr {
    const void *offsets;
    const uint32_t *neighbours;
    const void *keys, *ids;
    bool is_64bit;
    bosc_dtype dtype;
};

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

#endif
