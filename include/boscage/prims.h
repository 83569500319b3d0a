/* boscage/prims.h - the parallel primitives that the structures are made of.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Common to all: a call given any host array waits for its result; with device arrays alone it queues. Input and output
 * must not overlap unless a comment says so. n may be 0. Floating sums follow one fixed tree of tiles, so that they too
 * are the same bits everywhere. Scratch is told for n items beyond what staging host arrays takes on CUDA: one copy of
 * each array. */
#ifndef BOSCAGE_PRIMS_H
#define BOSCAGE_PRIMS_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

typedef enum bosc_op { BOSC_SUM = 0, BOSC_MIN = 1, BOSC_MAX = 2 } bosc_op;

typedef enum bosc_scan_kind { BOSC_INCLUSIVE = 0, BOSC_EXCLUSIVE = 1 } bosc_scan_kind;

/* Reduces an array: *result = in[0] op ... op in[n - 1].
 * Of nothing: 0 for a sum, the largest value of the type (infinity) for MIN, the smallest for MAX. Integer sums wrap. A
 * NaN makes a float MIN or MAX NaN; every NaN result is the quiet one with a clear sign and payload. MIN and MAX order
 * -0 before +0.
 * dtype: F32, F64, I32, I64, U32 or U64. result: one element.
 * Cost: O(n) work, reads each element once; an element of scratch for each 1,024. */
BOSC_API bosc_status bosc_reduce(bosc_ctx *ctx, bosc_op op, bosc_dtype dtype, const void *in, int64_t n, void *result);

/* Scans an array: out[i] = in[0] op ... op in[i] (inclusive) or ... op in[i - 1] (exclusive; out[0] is the result of
 * nothing).
 * dtype: as for bosc_reduce. out: (n); may be in.
 * Cost: O(n) work in one pass; o(n) scratch. Source: Blelloch, Prefix Sums and Their Applications (1990). */
BOSC_API bosc_status bosc_scan(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in,
                               int64_t n, void *out);

/* Scans within segments, as bosc_scan does within an array. An exclusive scan gives the result of nothing at each head.
 * heads: (n) != 0 where a segment begins; element 0 always begins one. out: (n); may be in.
 * Cost: as bosc_scan. Source: Sengupta et al., Scan Primitives for GPU Computing (2007). */
BOSC_API bosc_status bosc_scan_segmented(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype,
                                         const void *in, const uint8_t *heads, int64_t n, void *out);

/* Copies the items with keep[i] != 0 to the front of `out` in their order.
 * item_size: 1 to 256 bytes. out: (n) at most; NULL to count only. count: gets the number of items kept.
 * Cost: O(n) work; o(n) scratch. Source: the ballot and popcount compaction of Robinson, KdTreeGPU. */
BOSC_API bosc_status bosc_compact(bosc_ctx *ctx, size_t item_size, const void *in, const uint8_t *keep, int64_t n,
                                  void *out, int64_t *count);

/* Counts equal values: counts[b] = the number of i with bins[i] == b, for b in [0, n_bins).
 * n_bins: 1 to 2^28. counts: (n_bins); undefined after BOSC_ERR_DATA.
 * Errors: BOSC_ERR_DATA for a bin out of range.
 * Cost: O(n + n_bins) work; on the CPU up to 8 n bytes of scratch, on CUDA o(n). Waits. */
BOSC_API bosc_status bosc_histogram(bosc_ctx *ctx, const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts);

/* Splits items stably by bucket: those of bucket[i] = 0 first, then 1, ..., equal buckets in their order.
 * item_size: 1 byte to 2^31 - 1. n_buckets: 1 to 2^32 - 1. out: (n). offsets: (n_buckets + 1) where each bucket begins
 * in out.
 * Errors: BOSC_ERR_DATA for a bucket out of range.
 * Cost: O(n + n_buckets) work; 8 n_buckets bytes of scratch a thread. Beyond 65,536 buckets, and on CUDA, items are
 * fetched in the order of a radix sort of their buckets, a pass for each 8 bits: up to 32 n bytes of scratch. Waits.
 * Source: the split of Vineet et al., Fast Minimum Spanning Tree for Large Graphs on the GPU (2009). */
BOSC_API bosc_status bosc_split(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                                int64_t n_buckets, void *out, int64_t *offsets);

/* Sorts keys ascending, stably.
 * Floats order as numbers with -0 and +0 equal; NaNs go last (first if their sign bit is set), by their bits.
 * dtype: F32, F64, I32, I64, U32 or U64. out: (n); may be keys.
 * Cost: O(n) work for each 8 bits in which keys differ, or O(n log n); scratch for one to two copies of the keys. */
BOSC_API bosc_status bosc_sort_keys(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *out);

/* Sorts keys as bosc_sort_keys does, and moves a value with each.
 * value_size: 1 byte to 2^31 - 1. Values of 4 and 8 bytes are aligned to their size. keys_out, values_out: (n); may be
 * the inputs.
 * Cost: as bosc_sort_keys; scratch for one to two copies of keys and values. Values of other sizes than 4 and 8 bytes
 * move once: the numbers of rows (4 bytes; 8 from 2^32 rows on) are sorted with the keys, and values fetched in their
 * order, in place through a copy of all. */
BOSC_API bosc_status bosc_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size,
                                     const void *values, int64_t n, void *keys_out, void *values_out);

/* Merges two arrays that ascend in the order of bosc_sort_keys, stably: of equal keys those of `a` come first.
 * out: (na + nb).
 * Cost: O(na + nb) work in equal chunks found by binary search on the diagonals; on CUDA 8 bytes of scratch a chunk.
 * Source: Green, McColl, Bader, GPU Merge Path (2012). */
BOSC_API bosc_status bosc_merge(bosc_ctx *ctx, bosc_dtype dtype, const void *a, int64_t na, const void *b, int64_t nb,
                                void *out);

/* Merges keys as bosc_merge does, and moves a value with each.
 * value_size: 4 or 8 bytes. keys_out, values_out: (na + nb).
 * Cost: as bosc_merge. */
BOSC_API bosc_status bosc_merge_pairs(bosc_ctx *ctx, bosc_dtype dtype, size_t value_size, const void *a_keys,
                                      const void *a_values, int64_t na, const void *b_keys, const void *b_values,
                                      int64_t nb, void *keys_out, void *values_out);

/* Finds where queries stand among sorted keys: ranks[q] is the number of keys less than queries[q] in the order of
 * bosc_sort_keys, in which -0 equals +0.
 * keys: (n) ascending; if they do not ascend, a rank is some number from 0 to n. queries: (query_count) in any order.
 * ranks: (query_count).
 * Cost: O(query_count log n) work, no scratch but for staged arrays. With device arrays it only queues. */
BOSC_API bosc_status bosc_search_sorted(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n,
                                        const void *queries, int64_t query_count, int64_t *ranks);

/* Orders points by superkey `first`: by that coordinate, then by first + 1, ... cyclically through all dim, then by
 * row. -0 equals +0; a NaN orders by its bits as in bosc_sort_keys.
 * dtype: F32, F64, I32 or I64. points: (n x dim), n < 2^32 - 1, dim 1 to 1024. first: 0 to dim - 1.
 * perm: (n) the row of each point in that order.
 * Cost: a merge sort, O(n log n) comparisons, most of which read only a copy of the first coordinate beside each
 * reference; scratch for two such copies: 16 n bytes for types of 4 bytes, on the CPU 32 n and on CUDA 24 n for 8.
 * Source: Brown, Building a Balanced k-d Tree in O(k n log n) Time (2015), section 2. */
BOSC_API bosc_status bosc_sort_superkey(bosc_ctx *ctx, bosc_dtype dtype, const void *points, int64_t n, int32_t dim,
                                        int32_t first, uint32_t *perm);

BOSC_END_DECLS
#endif
