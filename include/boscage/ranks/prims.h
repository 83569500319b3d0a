/* boscage/ranks/prims.h - parallel primitives over the ranks of a communicator.
 * SPDX-License-Identifier: Apache-2.0
 *
 * What boscage/prims.h says of the orders and the sums of numbers holds here too, for the slices of all ranks one after
 * the other: floats are added along the same tree, whichever rank holds them. All calls are collective and wait
 * (boscage/ranks.h). op, kind, dtype, value_size and key_bits must be equal on all ranks; n is a rank's own and may be
 * 0. In the costs below N is the items of all ranks, P the number of ranks, and an exchange a time that all ranks meet.
 * On a failure outputs stay as they were, but for BOSC_ERR_DEVICE, BOSC_ERR_CANCELLED and BOSC_ERR_COMM. Scratch is
 * told beyond what staging host arrays takes on CUDA: one copy of each array. */
#ifndef BOSCAGE_RANKS_PRIMS_H
#define BOSCAGE_RANKS_PRIMS_H

#include <boscage/comm.h>
#include <boscage/prims.h>

BOSC_BEGIN_DECLS

/* Reduces the slices of all ranks, as bosc_reduce does, on each of them.
 * in: (n). result: one element; every rank gets it.
 * Cost: O(n) work, reads each element once. An element a rank is exchanged; of sums of floats 1 KB a rank, since a
 * slice need not end where a block of the tree does: those of up to 2 log2 N blocks. 7 exchanges, 8 for sums of
 * floats. */
BOSC_API bosc_status bosc_ranks_reduce(bosc_ctx *ctx, bosc_comm *comm, bosc_op op, bosc_dtype dtype, const void *in,
                                       int64_t n, void *result);

/* Scans the slices of all ranks one after the other, as bosc_scan does; each rank gets the results of its own items.
 * in: (n). out: (n); may be in.
 * Cost: O(n) work in two passes; scratch of 1.07 n elements. A tile of 1,024 elements is scanned by the rank where it
 * begins: the others send it what they hold of it, at most 1,023 elements, and get their results back. Up to
 * 4,096 * 1,024^k elements take at most 14 + 12 k exchanges, all but three of a few bytes a rank. Source: Blelloch,
 * Prefix Sums and Their Applications (1990). */
BOSC_API bosc_status bosc_ranks_scan(bosc_ctx *ctx, bosc_comm *comm, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype,
                                     const void *in, int64_t n, void *out);

/* Sorts keys over all ranks as bosc_sort_keys does: the slices one after the other ascend. Each rank gets as many as it
 * gave.
 * keys: (n). out: (n); may be keys.
 * Cost: a local sort, a merge of at most P runs (or a second sort, where that is less work), and one exchange of the
 * keys. The keys at the P - 1 borders are found exactly, by counts of keys in ever narrower ranges: a round finds 5 to
 * 10 bits by 2^13 counts in all at most, or 32 P if that is more, so that there are 4 to 7 rounds for 32 bits in which
 * keys differ. Scratch of two copies of the keys and that of bosc_sort_keys; at most 4 MB of host memory. One rank
 * alone sorts as bosc_sort_keys does.
 * Source: Harsh, Kale, Solomonik, Histogram Sort with Sampling (2019), but for the samples. */
BOSC_API bosc_status bosc_ranks_sort_keys(bosc_ctx *ctx, bosc_comm *comm, bosc_dtype dtype, const void *keys, int64_t n,
                                          void *out);

/* Sorts keys as bosc_ranks_sort_keys does, and moves a value with each. Stable: equal keys stay in the order of ranks
 * and rows.
 * value_size, values: as for bosc_sort_pairs. keys_out, values_out: (n); may be the inputs.
 * Cost: as bosc_ranks_sort_keys, with the values; a value moves to another rank at most once. Scratch of two copies of
 * keys and values, and that of bosc_sort_pairs. Values of other sizes than 4 and 8 bytes are sorted twice. */
BOSC_API bosc_status bosc_ranks_sort_pairs(bosc_ctx *ctx, bosc_comm *comm, bosc_dtype dtype, const void *keys,
                                           size_t value_size, const void *values, int64_t n, void *keys_out,
                                           void *values_out);

/* Gives keys dense ids by first occurrence over all ranks, as bosc_hash_unique does.
 * keys: (n), of key_bits: 32, 64 or 128, n < 2^32 - 1.
 * ids: (n); the number of distinct keys before the first one equal to it.
 * unique: capacity for n keys, or NULL; the distinct keys that occur on this rank first, in that order. Those of the
 * ranks one after the other are all, by id.
 * count: on the host; how many those are. total: on the host, or NULL; how many distinct keys all ranks have.
 * Errors: BOSC_ERR_LIMIT also if a rank becomes the owner of 2^32 - 1 keys or more.
 * Cost: bosc_hash_unique of the keys, and of the distinct ones once more by their owners, which a hash names. Each
 * rank's distinct keys are exchanged once, with 17 bytes for each. Scratch of 3 key + 50 bytes a key beside that of
 * bosc_hash_unique, `key` being the bytes of one. */
BOSC_API bosc_status bosc_ranks_unique(bosc_ctx *ctx, bosc_comm *comm, const void *keys, int64_t n, int32_t key_bits,
                                       int64_t *ids, void *unique, int64_t *count, int64_t *total);

BOSC_END_DECLS
#endif
