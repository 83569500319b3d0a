/* Steps on the edges of a found forest: their ids, ranks and sums. */
#ifndef BI_FOREST_STEPS_SELECTION_H
#define BI_FOREST_STEPS_SELECTION_H

#include "forest/steps/rows.h"

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

/* Copies words, of 32 or 64 bits, to words of 32 or 64 bits. */
struct bi_msf_copy_words {
    const void *in;
    void *out;
    bool in_64bit, out_64bit;
};

BI_FN void bi_step_msf_copy_words(const struct bi_msf_copy_words *a, int64_t i)
{
    bi_set_word(a->out, a->out_64bit, i, bi_word(a->in, a->in_64bit, i));
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
