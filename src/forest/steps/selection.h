/* Steps on the edges of a forest that was found: their ids, ranks and sums. */
#ifndef BI_FOREST_STEPS_SELECTION_H
#define BI_FOREST_STEPS_SELECTION_H

#include "forest/steps/rows.h"

/* Edge ids and keys of the chosen places. */
struct bi_msf_fetch {
    struct bi_msf_rows rows;
    const void *places;
    void *ids, *keys;
};

BI_FN void bi_step_msf_fetch(const struct bi_msf_fetch *a, int64_t i)
{
    int64_t place = (int64_t)bi_word(a->places, a->rows.wide, i);
    bi_set_word(a->ids, a->rows.wide, i, bi_msf_arc_id(&a->rows, place));
    bi_set_word(a->keys, a->rows.wide_keys, i, bi_word(a->rows.keys, a->rows.wide_keys, place));
}

/* Keys become ranks, or ranks keys again: no key of a number becomes one above all numbers, nor the other way. */
struct bi_msf_ranks {
    struct bi_msf_order order;
    const void *in;
    void *out;
    bool wide;
};

BI_FN void bi_step_msf_ranks(const struct bi_msf_ranks *a, int64_t i)
{
    bi_set_word(a->out, a->wide, i, bi_msf_rank(&a->order, bi_word(a->in, a->wide, i)));
}

/* Words of one size become words of another. */
struct bi_msf_copy_words {
    const void *in;
    void *out;
    bool wide_in, wide_out;
};

BI_FN void bi_step_msf_copy_words(const struct bi_msf_copy_words *a, int64_t i)
{
    bi_set_word(a->out, a->wide_out, i, bi_word(a->in, a->wide_in, i));
}

/* The low and high halves of keys, to be added. */
struct bi_msf_halves {
    const void *keys;
    bool wide;
    uint64_t *low, *high; /* high is NULL where keys are short */
};

BI_FN void bi_step_msf_halves(const struct bi_msf_halves *a, int64_t i)
{
    uint64_t key = bi_word(a->keys, a->wide, i);
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
