/* A radix sort: its arrays, kernels and range of bits, which all ways to sort share. */
#ifndef BI_CORE_CPU_RADIX_JOB_H
#define BI_CORE_CPU_RADIX_JOB_H

#include <string.h>

#include "core/cpu/collectives.h"
#include "core/cpu/radix_kernels.h"
#include "core/cpu/sort_kernels.h"

/* Keys, and values or NULL. */
struct bi_radix_arrays {
    void *keys, *values;
};

struct bi_radix_job {
    const struct bi_radix_kernels *k;
    const struct bi_sort_kernels *vectors;
    const struct bi_pair_kernels *pairs; /* for keys of this type, or NULL */
    const struct bi_word_kernels *words; /* for keys of this size */
    bosc_dtype dtype;
    int64_t n;
    int chunks;
    int first_bit, last_bit; /* of the ordered key */
    struct bi_radix_arrays in, out, spare;
};

/* The arrays from item i on. */
static inline struct bi_radix_arrays bi_radix_at(const struct bi_radix_job *j, struct bi_radix_arrays a, int64_t i)
{
    struct bi_radix_arrays at = {(char *)a.keys + (size_t)i * j->k->key_size, NULL};
    if (j->k->value_size) at.values = (char *)a.values + (size_t)i * j->k->value_size;
    return at;
}

static inline void bi_radix_copy(const struct bi_radix_job *j, struct bi_radix_arrays from, struct bi_radix_arrays to,
                                 int64_t n)
{
    if (from.keys != to.keys) memcpy(to.keys, from.keys, (size_t)n * j->k->key_size);
    if (from.values != to.values) memcpy(to.values, from.values, (size_t)n * j->k->value_size);
}

/* Returns the input, or a copy of it in `spare` if it is also the output. */
static inline struct bi_radix_arrays bi_radix_input_apart(const struct bi_radix_job *j)
{
    const bool in_place = j->in.keys == j->out.keys || (j->k->value_size && j->in.values == j->out.values);
    if (!in_place) return j->in;
    bi_radix_copy(j, j->in, j->spare, j->n);
    return j->spare;
}

#endif
