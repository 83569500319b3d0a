/* Inside the radix sort: the job, and the two ways to do it. */
#ifndef BI_CORE_CPU_RADIX_H
#define BI_CORE_CPU_RADIX_H

#include <string.h>

#include "core/cpu/collectives.h"
#include "core/cpu/radix_kernels.h"
#include "core/cpu/sort_kernels.h"

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

/* The input, or a copy of it if it is the output too. */
static inline struct bi_radix_arrays bi_radix_apart(const struct bi_radix_job *j)
{
    const bool in_place = j->in.keys == j->out.keys || (j->k->value_size && j->in.values == j->out.values);
    if (!in_place) return j->in;
    bi_radix_copy(j, j->in, j->spare, j->n);
    return j->spare;
}

/* Sorts pairs whose values have 0, 4 or 8 bytes. */
bosc_status bi_radix_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size,
                                const void *values, int64_t n, void *keys_out, void *values_out, int first_bit,
                                int last_bit);

/* From the least digit up, all threads in each pass. */
bosc_status bi_radix_passes(bosc_ctx *ctx, const struct bi_radix_job *j);

/* Splits by the top bits into buckets, which threads then sort in their caches. *done is false (and nothing written)
 * if one bucket would hold too much. */
bosc_status bi_radix_split(bosc_ctx *ctx, const struct bi_radix_job *j, bool *done);

/* Sorts items that a cache holds in vectors; keys alone may stay in place. Returns whether they are sorted: if not,
 * `from` is as it was and `to` lost. */
bool bi_radix_sort_vectors(const struct bi_radix_job *j, struct bi_radix_arrays from, struct bi_radix_arrays to,
                           struct bi_radix_arrays spare, int64_t n);

/* Sorts many keys alone in vectors, all threads. *done is false (and the output not written) if the order of zeros
 * would be lost. */
bosc_status bi_radix_sort_groups(bosc_ctx *ctx, const struct bi_radix_job *j, bool *done);

/* Sorts pairs by whole keys of 4 bytes as words of 64 bits. *done is false (and nothing written) if a level does not do
 * so, or not for so many, or if keys differ in so few bits, or so unevenly, that digits are better. */
bosc_status bi_radix_sort_wide_pairs(bosc_ctx *ctx, const struct bi_radix_job *j, bool *done);

/* The top digit of keys that vary in `bits`. */
struct bi_radix_digit bi_radix_top_digit(uint64_t bits);

/* Groups of neighbouring values of the top digit, of up to `target` keys or one value each; the last of `most` takes
 * all that are left. Group g ends before value ends[g]. Returns how many there are. */
int bi_radix_make_groups(const int64_t *counts, int64_t target, int most, uint16_t *ends, int64_t *sizes);

/* Whether the job sorts whole keys alone, which a level may do in vectors. */
bool bi_radix_sorts_words(const struct bi_radix_job *j);

/* The most items that are sorted in a thread's caches. */
int64_t bi_radix_cached(const struct bi_radix_job *j);

/* Sorts n items of `a` into `b` if to_b, else in place; both are overwritten. */
void bi_radix_sort_range(const struct bi_radix_job *j, struct bi_radix_arrays a, struct bi_radix_arrays b, int64_t n,
                         bool to_b);

/* The same by digits alone. */
void bi_radix_sort_digits(const struct bi_radix_job *j, struct bi_radix_arrays a, struct bi_radix_arrays b, int64_t n,
                          bool to_b);

#endif
