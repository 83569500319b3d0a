/* boscage/ranks/kdtree.h - k-d trees over the ranks of a communicator.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_ranks_kdtree_build
 *
 * The tree is that of boscage/kdtree.h: the in-order array of the points of all ranks. Each rank holds a range of it,
 * its shard, which ends at the border of a subtree. Of 2^d ranks each holds a subtree of level d and the node after it;
 * for other numbers, shard sizes differ by at most about an eighth of n / P. A rank stores its shard as a tree of its
 * own, and the boxes of all shards.
 * Source: Blum et al., Time Bounds for Selection (1973), for the medians, here by digits of the superkeys.
 *
 * Below, n and m are the points and queries of this rank, P is the number of ranks, and row the bytes of a point. */
#ifndef BOSCAGE_RANKS_KDTREE_H
#define BOSCAGE_RANKS_KDTREE_H

#include <boscage/comm.h>
#include <boscage/kdtree.h>

BOSC_BEGIN_DECLS

/* This rank's shard of a distributed k-d tree. It may outlive the context that made it, but not the communicator. */
typedef struct bosc_ranks_kdtree bosc_ranks_kdtree;

/* Makes a tree without points. Collective.
 * opts: as in bosc_kdtree_create; dtype, dim, duplicates and id_bits must be equal on all ranks. 32-bit ids need less
 *     than 2^32 - 1 points of all ranks. BOSC_KDTREE_BROWN with sort_halves, on all ranks, is the published build on
 *     several devices; it needs 2, 4, 8, ... ranks (BOSC_ERR_ARG).
 * tree: set on success. */
BOSC_API bosc_status bosc_ranks_kdtree_create(bosc_ctx *ctx, bosc_comm *comm, const bosc_kdtree_opts *opts,
                                              bosc_ranks_kdtree **tree);

/* Frees this rank's shard; NULL is allowed. Not collective. */
BOSC_API void bosc_ranks_kdtree_free(bosc_ranks_kdtree *tree);

/* Reserves memory so that later builds with this context allocate no more of the backend's. Collective.
 * Calls still allocate short lists in host memory. The tree keeps its contents. Points must be dense rows. Excepted are
 * the comparison of points for BOSC_KDTREE_DUPLICATES_REMOVE, as all equal ones go to one rank; the subtree that
 * `sort_halves` keeps beside the shard; and the exceptions of bosc_kdtree_reserve.
 * n: most points of this rank.
 * total: most points of all ranks; the same on all ranks.
 * Errors: BOSC_ERR_LIMIT as in a build of these sizes. On failure the tree is unchanged.
 * Cost: the memory of bosc_ranks_kdtree_bytes, and a copy of blocks that grow. */
BOSC_API bosc_status bosc_ranks_kdtree_reserve(bosc_ctx *ctx, bosc_ranks_kdtree *tree, int64_t n, int64_t total);

/* Computes the backend memory, in bytes, of a build on this rank, without the exceptions of bosc_ranks_kdtree_reserve.
 * Not collective; needs no device.
 * n, total: as in bosc_ranks_kdtree_reserve; shards are those of `total` nodes.
 * kept: held by this rank's shard; may be NULL.
 * scratch: of the context, while building, at most; may be NULL.
 * Errors: BOSC_ERR_ARG for sizes below 0, a total less than n, and options that bosc_ranks_kdtree_create refuses;
 *     BOSC_ERR_LIMIT as in a build. */
BOSC_API bosc_status bosc_ranks_kdtree_bytes(const bosc_ctx *ctx, const bosc_comm *comm, const bosc_kdtree_opts *opts,
                                             int64_t n, int64_t total, int64_t *kept, int64_t *scratch);

/* Builds or rebuilds the tree from the points of all ranks. Collective.
 * points (n x dim): rows `stride` elements apart (0: dim).
 * Errors: BOSC_ERR_DATA with the row, counted over all ranks, for a NaN; BOSC_ERR_LIMIT for 2^32 - 1 rows or more of
 *     one rank, or of all where ids have 32 bits. On failure the tree is unchanged, or empty on all ranks if points had
 *     moved already.
 * Cost: for each of log2 P levels (up to 4 more if P is no power of two) a pass over the n points, which lists about a
 *     tenth of them, and about 3 rounds that pass over these and sum up to 512 KB over the ranks; more if many points
 *     share the digits of the median. Then an exchange of row + 4 bytes a point, or row + 8 if duplicates are removed,
 *     and bosc_kdtree_build of about N / P points, where N is the sum of n.
 *     BOSC_KDTREE_DUPLICATES_REMOVE adds an exchange of row + 16 bytes a point and a build of about N / P points.
 *     docs/design/ranks.md has the published build.
 * Scratch: that of bosc_ranks_kdtree_bytes. */
BOSC_API bosc_status bosc_ranks_kdtree_build(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const void *points, int64_t n,
                                             int64_t stride);

/* Seconds of each stage of this rank's last published build, as the published program prints them; zeros after any
 * other build. Set `size`. `init` makes the points reachable, `pivot` finds medians and swaps points across them,
 * `build` partitions and stores the rank's subtree; `verify` is the time of the last
 * bosc_ranks_kdtree_verify. `shard`, which the published program lacks, prepares the shard for queries. */
typedef struct bosc_ranks_kdtree_times {
    size_t size;
    double init, sort, pivot, merge, deduplicate, build, shard, verify;
} bosc_ranks_kdtree_times;

/* Reads the times of the last build. Not collective. */
BOSC_API bosc_status bosc_ranks_kdtree_get_times(bosc_ctx *ctx, const bosc_ranks_kdtree *tree,
                                                 bosc_ranks_kdtree_times *times);

typedef struct bosc_ranks_kdtree_info {
    size_t size;
    int64_t n;          /* points given to the build by all ranks */
    int64_t nodes;      /* points in the tree: n less the duplicates removed */
    int64_t begin, end; /* this rank has nodes begin to end - 1 of the in-order array */
    int32_t dim, depth; /* depth: levels of the tree, 0 for an empty one */
    bosc_dtype dtype;
    int32_t id_bits;
    int64_t bytes;            /* backend memory held by this rank's shard */
    int64_t own_n, first_row; /* points of this rank in the build, and the id of the first one */
} bosc_ranks_kdtree_info;

/* Describes the tree. Set `size`. Not collective. */
BOSC_API bosc_status bosc_ranks_kdtree_get_info(bosc_ctx *ctx, const bosc_ranks_kdtree *tree,
                                                bosc_ranks_kdtree_info *info);

/* Copies this rank's range of the in-order array. Not collective.
 * points (end - begin x dim): of the tree's dtype, -0 stored as +0; may be NULL.
 * ids (end - begin): of id_bits; may be NULL.
 * Cost: a build of the shard's subtrees. Scratch: 4 row + 20 bytes a node, and that of the builds. */
BOSC_API bosc_status bosc_ranks_kdtree_get_nodes(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, void *points, void *ids);

/* Maps the rows of the build to nodes, as bosc_kdtree_get_duplicates does. Collective.
 * inverse (own_n): of id_bits, the node index, among the nodes of all ranks, that represents each row of this rank; may
 *     be NULL. In a tree that was read, each rank has an equal share of the rows.
 * counts (end - begin): int64, the number of rows of all ranks that each node of this rank represents; may be NULL.
 * Errors: BOSC_ERR_LIMIT if the published build has removed duplicates: it does not store the mapping.
 * Cost: as bosc_ranks_kdtree_get_nodes; an exchange of 24 bytes a node and, if duplicates are removed, of 16 bytes a
 *     row. Scratch: 40 bytes a row and 60 a node beside. */
BOSC_API bosc_status bosc_ranks_kdtree_get_duplicates(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, void *inverse,
                                                      int64_t *counts);

/* Checks every node against all its ancestors, on any rank, and that ids are in range. Collective.
 * node: receives the smallest offending node, the same on all ranks; may be NULL.
 * Errors: BOSC_ERR_DATA with that node.
 * Cost: bosc_ranks_kdtree_get_nodes, O(log nodes) comparisons of points a node, and an exchange of at most 9 points.
 *     Scratch: as bosc_ranks_kdtree_get_nodes, and row + 8 bytes a node. */
BOSC_API bosc_status bosc_ranks_kdtree_verify(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, int64_t *node);

/* Finds the k nearest points, of all ranks, of each query of this rank, as bosc_kdtree_knn does. Collective.
 * queries, stride: this rank's queries, as in bosc_kdtree_knn.
 * k: at least 1, the same on all ranks.
 * ids, dist2 (query_count x k): as in bosc_kdtree_knn.
 * Errors: BOSC_ERR_DATA with the row, counted over all ranks, for a NaN, unless assume_valid; BOSC_ERR_LIMIT for 2^32 -
 *     1 queries or more of one rank, and for a squared distance that does not fit its type, though dist2 is NULL.
 * Cost: each query goes to the rank with the nearest box, and then to the s others with boxes within its k-th distance:
 *     (1 + s) x (row + 16 k) bytes and searches. O(P dim) to find the ranks. Scratch: 24 k bytes a query, and row + 40
 *     k bytes for each one sent or received in a round. */
BOSC_API bosc_status bosc_ranks_kdtree_knn(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *queries,
                                           int64_t query_count, int64_t stride, int64_t k, void *ids, void *dist2);

/* Finds the k nearest points, of all ranks, within a radius, as bosc_kdtree_knn_within does. Collective.
 * queries, stride, k, ids, dist2: as in bosc_ranks_kdtree_knn.
 * radius: 0 or more, the same on all ranks. Only points within it count, as in boscage/kdtree.h.
 * Errors: as bosc_ranks_kdtree_knn.
 * Cost: as bosc_ranks_kdtree_knn, without queries to shards beyond the radius, except the nearest. */
BOSC_API bosc_status bosc_ranks_kdtree_knn_within(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *queries,
                                                  int64_t query_count, int64_t stride, int64_t k, double radius,
                                                  void *ids, void *dist2);

/* Finds all points, of all ranks, within a radius of each query of this rank, as bosc_kdtree_radius does. Collective.
 * CSR rows, by two calls.
 * queries, stride, offsets, dist2, capacity: as in bosc_kdtree_radius, of this rank's queries.
 * radius: the same on all ranks.
 * ids: as in bosc_kdtree_radius; NULL on all ranks in the first call. In the second one a rank without results may pass
 *     NULL too.
 * Errors: as bosc_kdtree_radius, and BOSC_ERR_LIMIT as bosc_ranks_kdtree_knn.
 * Cost: each query goes to the s ranks with boxes within the radius: s x (row + 8) bytes, 16 bytes a result in the
 *     second call, and a search as in bosc_kdtree_radius; O(P dim) a query to find the ranks, and O(s r) to merge r
 *     results. Scratch: 48 bytes a query, row + 24 for each one sent or received, and 20 a result at both ends. */
BOSC_API bosc_status bosc_ranks_kdtree_radius(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *queries,
                                              int64_t query_count, int64_t stride, double radius, int64_t *offsets,
                                              void *ids, void *dist2, int64_t capacity);

/* Finds all points, of all ranks, in closed boxes of this rank, as bosc_kdtree_box does. Collective.
 * CSR rows, by two calls as bosc_ranks_kdtree_radius.
 * boxes, offsets, ids, capacity: as in bosc_kdtree_box, of this rank's boxes.
 * Errors: as bosc_kdtree_box, and BOSC_ERR_LIMIT as bosc_ranks_kdtree_knn.
 * Cost: as bosc_ranks_kdtree_radius, for boxes of 2 row bytes. */
BOSC_API bosc_status bosc_ranks_kdtree_box(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *boxes,
                                           int64_t box_count, int64_t *offsets, void *ids, int64_t capacity);

/* Saves the tree as the bytes that bosc_kdtree_write saves for all points. Collective.
 * write, user: used on rank 0 only, which writes.
 * Errors: BOSC_ERR_IO if write fails; BOSC_ERR_LIMIT for a tree of 2^32 - 1 points or more, and as
 *     bosc_ranks_kdtree_get_duplicates.
 * Cost: as bosc_ranks_kdtree_get_nodes, if duplicates are removed bosc_ranks_kdtree_get_duplicates, and an exchange
 *     with rank 0 for each megabyte. */
BOSC_API bosc_status bosc_ranks_kdtree_write(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_write_fn write,
                                             void *user);

/* Reads a saved tree into a new handle. Collective.
 * read, user: used on rank 0 only, which reads.
 * tree: set on success.
 * Errors: BOSC_ERR_FORMAT, with the reason, for damaged, truncated or hostile bytes; BOSC_ERR_DATA for a NaN.
 * Cost: an exchange with rank 0 for each megabyte, one of row + 8 bytes a point between all, and a build; if duplicates
 *     were removed 20 bytes a row more. Host memory for n / P points on each rank, which grows only with the bytes
 *     read, and 3 row + 28 bytes of scratch a point. */
BOSC_API bosc_status bosc_ranks_kdtree_read(bosc_ctx *ctx, bosc_comm *comm, bosc_read_fn read, void *user,
                                            bosc_ranks_kdtree **tree);

BOSC_END_DECLS
#endif
