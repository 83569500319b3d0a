/* A sort of keys or pairs on the CPU: its arrays, kernels and range of bits, which all methods share; and the methods
 * between which radix.c chooses. */
#ifndef BI_CORE_CPU_RADIX_METHODS_H
#define BI_CORE_CPU_RADIX_METHODS_H

#include <string.h>

#include "core/cpu/collectives.h"
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

/* True if an array of the input is also the output. */
static inline bool bi_radix_is_in_place(const struct bi_radix_job *j)
{
    return j->in.keys == j->out.keys || (j->k->value_size && j->in.values == j->out.values);
}

/* Returns the input, or a copy of it in `spare` if it is also the output. */
static inline struct bi_radix_arrays bi_radix_input_apart(const struct bi_radix_job *j)
{
    if (!bi_radix_is_in_place(j)) return j->in;
    bi_radix_copy(j, j->in, j->spare, j->n);
    return j->spare;
}

/* Outcome of a method that may decline: the items are then still to be sorted. */
enum bi_sort_outcome { BI_SORT_DECLINED, BI_SORT_DONE };

/* ---- radix_split.c: from the most significant digit, in buckets that fit caches, and its parts that other methods
 * use ---- */

/* Splits by the top bits into buckets, which threads then sort in their caches. Declines, with nothing written, if one
 * bucket would be too large. */
bosc_status bi_radix_split(bosc_ctx *ctx, const struct bi_radix_job *j, enum bi_sort_outcome *outcome);

/* Sorts items that fit in a cache in vectors; keys without values may stay in place. Returns true if they are sorted:
 * if not, `from` is unchanged and `to` undefined. */
bool bi_radix_sort_vectors(const struct bi_radix_job *j, struct bi_radix_arrays from, struct bi_radix_arrays to,
                           struct bi_radix_arrays spare, int64_t n);

/* The top digit of keys that vary in `bits`. */
struct bi_radix_digit bi_radix_top_digit(uint64_t bits);

/* Groups neighbouring values of the top digit into groups of up to `target` keys or one value each; the last of
 * `max_groups` takes all that remain. Group g ends before value ends[g]. Returns the number of groups. */
int bi_radix_make_groups(const int64_t *counts, int64_t target, int max_groups, uint16_t *ends, int64_t *sizes);

/* True if the job sorts whole keys without values, which some levels do in vectors. */
bool bi_radix_sorts_words(const struct bi_radix_job *j);

/* The largest number of items sorted in a thread's caches. */
int64_t bi_radix_cached(const struct bi_radix_job *j);

/* Sorts n items of `a` into `b` if to_b, else in place; both are overwritten. */
void bi_radix_sort_range(const struct bi_radix_job *j, struct bi_radix_arrays a, struct bi_radix_arrays b, int64_t n,
                         bool to_b);

/* The same by digits alone. */
void bi_radix_sort_digits(const struct bi_radix_job *j, struct bi_radix_arrays a, struct bi_radix_arrays b, int64_t n,
                          bool to_b);

/* ---- sort_pairs.c: pairs as 64-bit words ---- */

/* Sorts pairs by whole keys of 4 bytes as 64-bit words. Declines, with nothing written, if the level has no such
 * kernels, there are too many pairs, or keys differ in too few bits or too unevenly, so that digits are faster. */
bosc_status bi_radix_sort_pairs_as_words(bosc_ctx *ctx, const struct bi_radix_job *j, enum bi_sort_outcome *outcome);

/* ---- sample_sort.c: many keys in vectors ---- */

/* Sorts many keys without values in vectors, all threads. Declines, with the output not written, if the order of zeros
 * would be lost. */
bosc_status bi_sample_sort(bosc_ctx *ctx, const struct bi_radix_job *j, enum bi_sort_outcome *outcome);

#endif
