/* boscage/prims.h - parallel primitives: reduce, scan, compact, histogram, split, sort, merge, search.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_scan, bosc_sort_pairs
 *
 * Calls queue (boscage/base.h) unless their comment says "Waits.". Inputs and outputs must not overlap unless a comment
 * says so. n may be 0. Floating sums follow one fixed tree of tiles, so they too have the same bits everywhere. */
#ifndef BOSCAGE_PRIMS_H
#define BOSCAGE_PRIMS_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

typedef enum bosc_op { BOSC_SUM = 0, BOSC_MIN = 1, BOSC_MAX = 2 } bosc_op;

typedef enum bosc_scan_kind { BOSC_INCLUSIVE = 0, BOSC_EXCLUSIVE = 1 } bosc_scan_kind;

/* Reduces an array: *result = in[0] op ... op in[n - 1].
 * The result for n = 0 is the identity: 0 for a sum, the largest value of the type (infinity) for MIN, the smallest for
 * MAX. Integer sums wrap. A NaN makes a float MIN or MAX NaN; every NaN result is the quiet one with a clear sign and
 * payload. MIN and MAX order -0 before +0.
 * dtype: F32, F64, I32, I64, U32 or U64.
 * result: one element.
 * Cost: O(n) work, reads each element once; an element of scratch for each 1,024. */
BOSC_API bosc_status bosc_reduce(bosc_ctx *ctx, bosc_op op, bosc_dtype dtype, const void *in, int64_t n, void *result);

/* Scans an array: out[i] = in[0] op ... op in[i] (inclusive) or in[0] op ... op in[i - 1] (exclusive).
 * In an exclusive scan out[0] is the identity, as bosc_reduce gives it for n = 0.
 * dtype: as in bosc_reduce.
 * out (n): may be in.
 * Cost: O(n) work in one pass; o(n) scratch.
 * Source: Blelloch, Prefix Sums and Their Applications (1990). */
BOSC_API bosc_status bosc_scan(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in,
                               int64_t n, void *out);

/* Scans each segment of an array as bosc_scan does. An exclusive scan gives the identity at each head.
 * heads (n): != 0 where a segment begins; element 0 always begins one.
 * out (n): may be in.
 * Cost: as bosc_scan.
 * Source: Sengupta et al., Scan Primitives for GPU Computing (2007). */
BOSC_API bosc_status bosc_scan_segmented(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype,
                                         const void *in, const uint8_t *heads, int64_t n, void *out);

/* Copies the items with keep[i] != 0 to the front of `out`, in order.
 * item_size: 1 to 256 bytes.
 * out (n, at most): NULL to count only.
 * count: receives the number of items kept.
 * Cost: O(n) work; o(n) scratch.
 * Source: the ballot and popcount compaction of Robinson, KdTreeGPU. */
BOSC_API bosc_status bosc_compact(bosc_ctx *ctx, size_t item_size, const void *in, const uint8_t *keep, int64_t n,
                                  void *out, int64_t *count);

/* Counts equal values: counts[b] is the number of i with bins[i] == b, for b in [0, n_bins).
 * n_bins: 1 to 2^28.
 * counts (n_bins): undefined after BOSC_ERR_DATA.
 * Errors: BOSC_ERR_DATA for a bin out of range.
 * Cost: O(n + n_bins) work; up to 8 n bytes of scratch.
 * Waits. */
BOSC_API bosc_status bosc_histogram(bosc_ctx *ctx, const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts);

/* Splits items stably by bucket: items with bucket[i] = 0 first, then 1, ....
 * item_size: 1 byte to 2^31 - 1.
 * n_buckets: 1 to 2^32 - 1.
 * out (n): the items by bucket.
 * offsets (n_buckets + 1): first item of each bucket in out.
 * Errors: BOSC_ERR_DATA for a bucket out of range.
 * Cost: O(n + n_buckets) work and 8 n_buckets bytes of scratch a thread. On CUDA, and beyond 65,536 buckets, a radix
 *     sort of the buckets with up to 32 n bytes of scratch.
 * Waits.
 * Source: the split of Vineet et al., Fast Minimum Spanning Tree for Large Graphs on the GPU (2009). */
BOSC_API bosc_status bosc_split(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                                int64_t n_buckets, void *out, int64_t *offsets);

/* Sorts keys ascending, stably.
 * Floats order as numbers, with -0 and +0 equal. NaNs go last (first if their sign bit is set), by their bits.
 * dtype: F32, F64, I32, I64, U32 or U64.
 * out (n): may be keys.
 * Cost: O(n) work for each 8 bits in which keys differ, or O(n log n); scratch for one to two copies of the keys. */
BOSC_API bosc_status bosc_sort_keys(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *out);

/* Sorts keys as bosc_sort_keys does, and moves a value with each.
 * value_size: 1 byte to 2^31 - 1. Values of 4 and 8 bytes are aligned to their size.
 * keys_out, values_out (n): may be the inputs.
 * Cost: as bosc_sort_keys; scratch for one to two copies of keys and values. Values of other sizes than 4 and 8 bytes
 *     move once, by sorted row numbers of 4 bytes (8 from 2^32 rows on); in place they need one more copy. */
BOSC_API bosc_status bosc_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size,
                                     const void *values, int64_t n, void *keys_out, void *values_out);

/* Merges two arrays sorted as by bosc_sort_keys, stably: of equal keys those from `a` precede those from `b`.
 * out (na + nb): the merged keys.
 * Cost: O(na + nb) work in equal chunks found by binary search on the diagonals; on CUDA 8 bytes of scratch a chunk.
 * Source: Green, McColl, Bader, GPU Merge Path (2012). */
BOSC_API bosc_status bosc_merge(bosc_ctx *ctx, bosc_dtype dtype, const void *a, int64_t na, const void *b, int64_t nb,
                                void *out);

/* Merges keys as bosc_merge does, and moves a value with each.
 * value_size: 4 or 8 bytes.
 * keys_out, values_out (na + nb): the merged pairs.
 * Cost: as bosc_merge. */
BOSC_API bosc_status bosc_merge_pairs(bosc_ctx *ctx, bosc_dtype dtype, size_t value_size, const void *a_keys,
                                      const void *a_values, int64_t na, const void *b_keys, const void *b_values,
                                      int64_t nb, void *keys_out, void *values_out);

/* Finds lower bounds: ranks[q] is the number of keys less than queries[q], in the order of bosc_sort_keys.
 * keys (n): ascending; if they do not ascend, a rank is some number from 0 to n.
 * queries (query_count): in any order.
 * ranks (query_count): 0 to n.
 * Cost: O(query_count log n) work, no scratch.
 * Queues. */
BOSC_API bosc_status bosc_search_sorted(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n,
                                        const void *queries, int64_t query_count, int64_t *ranks);

/* Orders points by superkey `first`: by that coordinate, then by first + 1, ... cyclically, then by row.
 * -0 equals +0; a NaN orders by its bits as in bosc_sort_keys.
 * dtype: F32, F64, I32 or I64.
 * points (n x dim): n < 2^32 - 1, dim 1 to 1024.
 * first: 0 to dim - 1.
 * perm (n): the row of each point in that order.
 * Cost: a merge sort, O(n log n) comparisons, most of one coordinate; scratch of 16 n bytes, up to 32 n for types of 8
 *     bytes.
 * Source: Brown, Building a Balanced k-d Tree in O(k n log n) Time (2015), section 2. */
BOSC_API bosc_status bosc_sort_superkey(bosc_ctx *ctx, bosc_dtype dtype, const void *points, int64_t n, int32_t dim,
                                        int32_t first, uint32_t *perm);

BOSC_END_DECLS
#endif
