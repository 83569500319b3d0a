/* boscage/prims.h - the parallel primitives that the structures are made of.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Common to all: arrays lie in host memory or in the context's, and belong to the caller; a call given any host
 * array waits for its result, with device arrays it queues. Input and output must not overlap unless a comment
 * says so. n may be 0. Answers are the same bits on every backend and number of threads: floating sums follow one
 * fixed tree of tiles. Scratch memory is the context's. BOSC_ERR_ARG names the argument; it and
 * BOSC_ERR_NOMEM, which every call may return, leave outputs as they were. After BOSC_ERR_DEVICE they are undefined. */
#ifndef BOSCAGE_PRIMS_H
#define BOSCAGE_PRIMS_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

typedef enum bosc_op { BOSC_SUM = 0, BOSC_MIN = 1, BOSC_MAX = 2 } bosc_op;

typedef enum bosc_scan_kind { BOSC_INCLUSIVE = 0, BOSC_EXCLUSIVE = 1 } bosc_scan_kind;

/* *result = in[0] op ... op in[n-1]; of nothing: 0 for a sum, the largest value of the type (infinity) for MIN, the
 * smallest for MAX. dtype F32, F64, I32, I64, U32, U64. Integer sums wrap. A NaN makes a float MIN or MAX NaN; every
 * NaN result is the quiet one with a clear sign and payload. MIN and MAX order -0 before +0. `result` is one element.
 * O(n) work, reads each element once. */
BOSC_API bosc_status bosc_reduce(bosc_ctx *ctx, bosc_op op, bosc_dtype dtype, const void *in, int64_t n, void *result);

/* out[i] = in[0] op ... op in[i] (inclusive) or ... op in[i-1] (exclusive; out[0] is the result of
 * nothing). out may be in. Types as bosc_reduce. O(n). Source: Blelloch, Prefix Sums and Their Applications (1990). */
BOSC_API bosc_status bosc_scan(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in,
                               int64_t n, void *out);

/* As bosc_scan within segments: heads[i] != 0 begins a segment at i; element 0 always begins one. An
 * exclusive scan gives the result of nothing at each head. out may be in. Source: Sengupta et al., Scan Primitives for
 * GPU Computing (2007). */
BOSC_API bosc_status bosc_scan_segmented(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype,
                                         const void *in, const uint8_t *heads, int64_t n, void *out);

/* Copies the items with keep[i] != 0 to the front of `out` in their order; *count gets their number. Items are
 * `item_size` bytes (1 to 256). `out` has room for n items, or is NULL to count only. O(n).
 * Source: the ballot and popcount compaction of Robinson, KdTreeGPU. */
BOSC_API bosc_status bosc_compact(bosc_ctx *ctx, size_t item_size, const void *in, const uint8_t *keep, int64_t n,
                                  void *out, int64_t *count);

/* counts[b] = number of i with bins[i] == b, for b in [0, n_bins). A bin out of range gives BOSC_ERR_DATA, counts
 * undefined. n_bins 1 to 2^28. O(n + n_bins). Waits. */
BOSC_API bosc_status bosc_histogram(bosc_ctx *ctx, const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts);

/* Stable split: items ordered by bucket[i] in [0, n_buckets), equal buckets in their order; offsets (n_buckets + 1)
 * gets where each bucket begins in `out`. n_buckets 1 to 65,536; a bucket out of range gives BOSC_ERR_DATA. Waits.
 * O(n). Source: the split of Vineet et al., Fast Minimum Spanning Tree for Large Graphs on the GPU (2009). */
BOSC_API bosc_status bosc_split(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                                int64_t n_buckets, void *out, int64_t *offsets);

/* Sorts keys ascending, stably, by radix: dtype F32, F64, I32, I64, U32, U64. Floats order as numbers with -0 and +0
 * equal; NaNs go last (first if their sign bit is set), by their bits. out may be keys. O(n) passes of 8 bits. */
BOSC_API bosc_status bosc_sort_keys(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *out);

/* As bosc_sort_keys, and moves a value of value_size (4 or 8) bytes with each key; keys_out and values_out may be
 * the inputs. */
BOSC_API bosc_status bosc_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size,
                                     const void *values, int64_t n, void *keys_out, void *values_out);

/* Merges two ascending arrays into `out` (na + nb), stably: of equal keys those of `a` come first. Order as
 * bosc_sort_keys. O(na + nb) work in equal parts found by binary search on the diagonals.
 * Source: Green, McColl, Bader, GPU Merge Path (2012). */
BOSC_API bosc_status bosc_merge(bosc_ctx *ctx, bosc_dtype dtype, const void *a, int64_t na, const void *b, int64_t nb,
                                void *out);

/* As bosc_merge for keys with values of value_size (4 or 8) bytes. */
BOSC_API bosc_status bosc_merge_pairs(bosc_ctx *ctx, bosc_dtype dtype, size_t value_size, const void *a_keys,
                                      const void *a_values, int64_t na, const void *b_keys, const void *b_values,
                                      int64_t nb, void *keys_out, void *values_out);

/* Orders n points by superkey `first` by a merge sort: by coordinate first, then first + 1, ... cyclically through
 * all dim, then by row. perm[i] (n) is the row of the i-th point. Points are rows of dim coordinates, C order, dtype
 * F32, F64, I32 or I64; -0 equals +0; NaN orders by its bits as in bosc_sort_keys. n < 2^32 - 1. O(n log n)
 * comparisons; most of them read only a copy of the first coordinate kept beside each reference. Source: Brown,
 * Building a Balanced k-d Tree in O(k n log n) Time (2015), section 2. */
BOSC_API bosc_status bosc_sort_superkey(bosc_ctx *ctx, bosc_dtype dtype, const void *points, int64_t n, int32_t dim,
                                        int32_t first, uint32_t *perm);

BOSC_END_DECLS
#endif
