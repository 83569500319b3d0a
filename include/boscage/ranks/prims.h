/* boscage/ranks/prims.h - parallel primitives over the ranks of a communicator.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_ranks_sort_pairs
 *
 * Orders and sums are those of boscage/prims.h, over the slices of all ranks in their order: floats are added along the
 * same tree, whichever rank holds them. All calls are collective and wait (boscage/ranks.h). op, kind, dtype,
 * value_size and key_bits must be equal on all ranks; n is a rank's own and may be 0. On failure outputs are unchanged,
 * except for BOSC_ERR_DEVICE, BOSC_ERR_CANCELLED and BOSC_ERR_COMM. In the costs below N is the number of items of all
 * ranks, P the number of ranks, and an exchange a step that all ranks take part in. */
#ifndef BOSCAGE_RANKS_PRIMS_H
#define BOSCAGE_RANKS_PRIMS_H

#include <boscage/comm.h>
#include <boscage/prims.h>

BOSC_BEGIN_DECLS

/* Reduces the slices of all ranks, as bosc_reduce does. Every rank receives the result.
 * in (n): this rank's slice.
 * result: one element.
 * Cost: O(n) work, reads each element once. An element a rank is exchanged; for sums of floats 1 KB a rank, up to 2
 *     log2 N blocks of the tree that cross slices. 7 exchanges, 8 for sums of floats. */
BOSC_API bosc_status bosc_ranks_reduce(bosc_ctx *ctx, bosc_comm *comm, bosc_op op, bosc_dtype dtype, const void *in,
                                       int64_t n, void *result);

/* Scans the slices of all ranks in their order, as bosc_scan does. Each rank receives the results of its own items.
 * in (n): this rank's slice.
 * out (n): may be in.
 * Cost: O(n) work in two passes; scratch of 1.07 n elements. A tile of 1,024 elements is scanned by the rank where it
 *     begins, which exchanges at most 1,023 elements with the others. Up to 4,096 * 1,024^k elements take at most 14 +
 *     12 k exchanges, all but three of a few bytes a rank.
 * Source: Blelloch, Prefix Sums and Their Applications (1990). */
BOSC_API bosc_status bosc_ranks_scan(bosc_ctx *ctx, bosc_comm *comm, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype,
                                     const void *in, int64_t n, void *out);

/* Sorts keys over all ranks as bosc_sort_keys does: the slices in the order of the ranks ascend. Each rank keeps its n.
 * keys (n): this rank's slice.
 * out (n): may be keys.
 * Cost: a local sort, a merge of at most P runs (or a second sort, if that is less work), and one exchange of the keys.
 *     The P - 1 splitters are found exactly: by searches in the slices where ranks share memory; else by histograms of
 *     ever narrower ranges, 4 to 7 rounds for 32 differing bits, each with at most 2^13 counts in all (32 P if that is
 *     more). Scratch of two copies of the keys beside bosc_sort_keys, three where ranks do not share memory and P > 2;
 *     at most 4 MB of host memory. One rank alone sorts as bosc_sort_keys does.
 * Source: Harsh, Kale, Solomonik, Histogram Sort with Sampling (2019), without the samples. */
BOSC_API bosc_status bosc_ranks_sort_keys(bosc_ctx *ctx, bosc_comm *comm, bosc_dtype dtype, const void *keys, int64_t n,
                                          void *out);

/* Sorts keys as bosc_ranks_sort_keys does, and moves a value with each. Stable: equal keys stay in the order of ranks
 * and rows.
 * value_size, values: as in bosc_sort_pairs.
 * keys_out, values_out (n): may be the inputs.
 * Cost: as bosc_ranks_sort_keys, with the values; a value moves to another rank at most once. Scratch as there, of
 *     keys and values; three copies also for values of other sizes than 4 and 8 bytes, which are sorted twice. */
BOSC_API bosc_status bosc_ranks_sort_pairs(bosc_ctx *ctx, bosc_comm *comm, bosc_dtype dtype, const void *keys,
                                           size_t value_size, const void *values, int64_t n, void *keys_out,
                                           void *values_out);

/* Assigns dense ids to keys by first occurrence over all ranks, as bosc_hash_unique does.
 * keys (n): of key_bits: 32, 64 or 128. n < 2^32 - 1.
 * ids (n): the number of distinct keys before the first occurrence of the key.
 * unique (n, at most): the distinct keys that occur first on this rank, in that order; the ranks' lists in their order
 *     are all distinct keys by id. May be NULL.
 * count: host; the length of `unique`.
 * total: host; the number of distinct keys of all ranks; may be NULL.
 * Errors: BOSC_ERR_LIMIT also if a rank becomes the owner of 2^32 - 1 keys or more.
 * Cost: an exchange of the keys with 17 bytes each, and bosc_hash_unique by their owners, which a hash chooses. A rank
 *     on which keys occur 1.5 times or more on average, by a sample, finds its distinct keys first and sends these
 *     only. Scratch of 3 key + 50 bytes a key of `key` bytes, beside bosc_hash_unique. Threads on CPUs, with fewer than
 *     2^32 - 1 keys of all: bosc_hash_unique of all keys on rank 0, with the threads of all ranks, which wait for it;
 *     its scratch is 2 key + 8 bytes a key of all besides. */
BOSC_API bosc_status bosc_ranks_unique(bosc_ctx *ctx, bosc_comm *comm, const void *keys, int64_t n, int32_t key_bits,
                                       int64_t *ids, void *unique, int64_t *count, int64_t *total);

BOSC_END_DECLS
#endif
