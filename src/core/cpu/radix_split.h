/* Radix sort from the most significant digit, and its parts that other sorts use. */
#ifndef BI_CORE_CPU_RADIX_SPLIT_H
#define BI_CORE_CPU_RADIX_SPLIT_H

#include "core/cpu/radix_job.h"

/* Splits by the top bits into buckets, which threads then sort in their caches. *done is false, and nothing written, if
 * one bucket would be too large. */
bosc_status bi_radix_split(bosc_ctx *ctx, const struct bi_radix_job *j, bool *done);

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

#endif
