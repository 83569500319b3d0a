/* boscage/ranks/kdtree.h - k-d trees over the ranks of a communicator.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The tree is that of boscage/kdtree.h: the in-order array of the points of all ranks. Each rank holds a range of it,
 * its shard, which ends at the border of a subtree: of 2^d ranks each has a subtree of level d and the node after it;
 * of other numbers shards differ by about an eighth of n / P at most. A rank keeps its shard as a tree of its own, and
 * the boxes of all shards. Source: the medians are selected as in Blum et al., Time Bounds for Selection (1973), by
 * digits of the superkeys.
 *
 * Below, n and m are the points and queries of this rank, P is the number of ranks, row the bytes of a point, and
 * scratch is memory of the context beside the copies of host arrays that a CUDA context makes. */
#ifndef BOSCAGE_RANKS_KDTREE_H
#define BOSCAGE_RANKS_KDTREE_H

#include <boscage/comm.h>
#include <boscage/kdtree.h>

BOSC_BEGIN_DECLS

/* This rank's part of a distributed k-d tree. It may outlive the context that made it, but not the communicator. */
typedef struct bosc_ranks_kdtree bosc_ranks_kdtree;

/* Makes a tree without points. Collective.
 * opts: as for bosc_kdtree_create; dtype, dim, duplicates and id_bits must be equal on all ranks. 32 bits are enough
 * for ids as long as all ranks together have less than 2^32 - 1 points. BOSC_KDTREE_BROWN with sort_halves, on all
 * ranks, is the published build on two devices: of two ranks, and BOSC_ERR_ARG of any other number.
 * tree: set on success. */
BOSC_API bosc_status bosc_ranks_kdtree_create(bosc_ctx *ctx, bosc_comm *comm, const bosc_kdtree_opts *opts,
                                              bosc_ranks_kdtree **tree);

/* Frees this rank's part of the tree; NULL is allowed. Not collective. */
BOSC_API void bosc_ranks_kdtree_free(bosc_ranks_kdtree *tree);

/* Reserves memory, so that later builds with this context take none of the backend: neither for the tree nor as
 * scratch. Short lists in host memory are taken and given back by every call. Collective. The tree keeps what it holds.
 * n: points of this rank, at most. total: of all ranks, at most; the same on all ranks.
 * Points are expected in dense rows. Not reserved: what BOSC_KDTREE_DUPLICATES_REMOVE takes to compare points, since
 * all equal ones come to one rank; the side that `sort_halves` keeps beside the shard; and what bosc_kdtree_reserve
 * excepts.
 * Errors: BOSC_ERR_LIMIT as in a build of so many points. On failure the tree holds what it held before.
 * Cost: the bytes that bosc_ranks_kdtree_bytes tells, and a copy of what moves to larger blocks. */
BOSC_API bosc_status bosc_ranks_kdtree_reserve(bosc_ctx *ctx, bosc_ranks_kdtree *tree, int64_t n, int64_t total);

/* Tells how many bytes of backend memory a build takes on this rank. Not collective; needs no device.
 * n, total: as in bosc_ranks_kdtree_reserve. Shards are those of `total` nodes, and no smaller for fewer.
 * kept: held by this rank's part; may be NULL.
 * scratch: of the context, while building, at most; may be NULL.
 * Not told: what bosc_ranks_kdtree_reserve does not reserve.
 * Errors: BOSC_ERR_ARG for sizes below 0, a total less than n, and options that bosc_ranks_kdtree_create refuses;
 * BOSC_ERR_LIMIT as in a build. Nothing is written then. */
BOSC_API bosc_status bosc_ranks_kdtree_bytes(const bosc_ctx *ctx, const bosc_comm *comm, const bosc_kdtree_opts *opts,
                                             int64_t n, int64_t total, int64_t *kept, int64_t *scratch);

/* Builds or rebuilds the tree. Collective.
 * points: n rows of dim; a row begins `stride` elements after the one before it (0: dim).
 * Errors: BOSC_ERR_DATA with the row's number among those of all ranks for a NaN; BOSC_ERR_LIMIT for 2^32 - 1 rows or
 * more of one rank, or of all where ids have 32 bits. On failure the tree holds what it held before, or is empty on all
 * ranks if points had been moved already.
 * Cost: for each of log2 P levels (and up to 4 more where P is no power of two) rounds that pass over the n points and
 * sum up to 512 KB over the ranks: 3 for most data of 4 bytes, more where many points share the digits of the median,
 * up to 3 a coordinate (6 for 8 bytes) and 4 for the ids. Then an exchange of row + 12 bytes a point, and
 * bosc_kdtree_build of about N / P points, where N is the sum of n. BOSC_KDTREE_DUPLICATES_REMOVE: before, an exchange
 * of row + 8 bytes a point forth and 8 back, and a build of the points that come to this rank by their hashes: N / P,
 * but all equal ones come to one rank; 8 bytes a point given here are kept.
 * Scratch: 2 row + 40 bytes a point, and what the local builds take.
 * The published build on two ranks: each sorts its points by the first superkey; log2 n exchanges of a point find the
 * median by binary search over both; row + 8 bytes of each point on the wrong side move; a merge, then duplicates
 * removed by compaction (and, where the sides differ, as many points moved again), and dim - 1 more sorts of n / 2
 * points, whose lists are partitioned; then a build of the shard by AUTO. Scratch: 2 row + 28 bytes a point, and the
 * local builds. */
BOSC_API bosc_status bosc_ranks_kdtree_build(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const void *points, int64_t n,
                                             int64_t stride);

/* Seconds of each stage of the last published build on two ranks, of this rank, as the published program prints them;
 * zeros after any other build. `init` makes the points reachable, `pivot` finds the median and swaps points over it,
 * `build` partitions and stores the side of the root; `verify` is the time of the last bosc_ranks_kdtree_verify.
 * `shard`
 * is what the published program does not have: the shard made ready for queries. Set `size`. */
typedef struct bosc_ranks_kdtree_times {
    size_t size;
    double init, sort, pivot, merge, deduplicate, build, shard, verify;
} bosc_ranks_kdtree_times;

/* Gets the times of the last build. Not collective. */
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
    int64_t bytes;            /* backend memory held by this rank's part */
    int64_t own_n, first_row; /* points that this rank gave to the build, and the id of the first one */
} bosc_ranks_kdtree_info;

/* Gets the sizes of the tree. Set `size`. Not collective. */
BOSC_API bosc_status bosc_ranks_kdtree_get_info(bosc_ctx *ctx, const bosc_ranks_kdtree *tree,
                                                bosc_ranks_kdtree_info *info);

/* Copies this rank's range of the in-order array. Not collective.
 * points: (end - begin) x dim of the tree's dtype, -0 stored as +0; may be NULL.
 * ids: end - begin, of id_bits; may be NULL.
 * Cost: a build of the shard's subtrees. Scratch: 4 row + 20 bytes a node, and what the builds take. */
BOSC_API bosc_status bosc_ranks_kdtree_get_nodes(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, void *points, void *ids);

/* Tells which node stands for which row of the build, as bosc_kdtree_get_duplicates does. Collective.
 * inverse: own_n, of id_bits: the node index, among the nodes of all ranks, that stands for each row of this rank; may
 * be NULL. Of a tree that was read each rank has an equal share of the rows.
 * counts: end - begin, int64: how many rows of all ranks each node of this rank stands for; may be NULL.
 * Errors: BOSC_ERR_LIMIT where the published build on two ranks has removed duplicates, which forgets whose they are.
 * Cost: as bosc_ranks_kdtree_get_nodes; an exchange of 16 bytes a node and 8 back, and where duplicates are removed one
 * of 8 bytes a row and 8 back: those of equal rows all go to one rank. Scratch: 40 bytes a row and 60 a node beside. */
BOSC_API bosc_status bosc_ranks_kdtree_get_duplicates(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, void *inverse,
                                                      int64_t *counts);

/* Checks every node against all its ancestors, on whatever ranks they are, and that ids are in range. Collective.
 * node: gets the smallest offending node, the same on all ranks; may be NULL.
 * Errors: BOSC_ERR_DATA with that node.
 * Cost: bosc_ranks_kdtree_get_nodes, O(log nodes) comparisons of points a node, and an exchange of at most 9 points.
 * Scratch: as bosc_ranks_kdtree_get_nodes, and row + 8 bytes a node. */
BOSC_API bosc_status bosc_ranks_kdtree_verify(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, int64_t *node);

/* Finds the k nearest points of each query of this rank, as bosc_kdtree_knn does among all points. Collective.
 * queries, stride: m rows of this rank, as in bosc_kdtree_knn.
 * k: at least 1, the same on all ranks.
 * ids: query_count x k, of id_bits.
 * dist2: query_count x k, as in bosc_kdtree_knn; may be NULL.
 * Errors: BOSC_ERR_DATA with the row's number among the queries of all ranks for a NaN, unless assume_valid;
 * BOSC_ERR_LIMIT for 2^32 - 1 queries or more of one rank.
 * Cost: each query is sent to the rank whose box is nearest, and then to those s others whose boxes are not beyond its
 * k-th distance: (1 + s) x (row + 16 k) bytes, and as many searches, as bosc_kdtree_knn makes them. O(P dim) to find
 * the ranks. Scratch: 24 k bytes a query, and (row + 40 k) bytes for each that is sent, or comes here, in one of the
 * two rounds. */
BOSC_API bosc_status bosc_ranks_kdtree_knn(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *queries,
                                           int64_t query_count, int64_t stride, int64_t k, void *ids, void *dist2);

/* Finds the k nearest points within a radius, as bosc_kdtree_knn_within does among all points: as
 * bosc_ranks_kdtree_knn,
 * but only points with dist2 <= radius * radius count. Collective.
 * radius: 0 or more, the same on all ranks.
 * Cost: as bosc_ranks_kdtree_knn, where no shard is asked whose boxes are beyond the radius, but for the nearest. */
BOSC_API bosc_status bosc_ranks_kdtree_knn_within(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *queries,
                                                  int64_t query_count, int64_t stride, int64_t k, double radius,
                                                  void *ids, void *dist2);

/* Finds all points within a radius of each query of this rank, as bosc_kdtree_radius does among all points: as CSR
 * rows, by two calls. Collective.
 * queries, stride, offsets, dist2, capacity: as in bosc_kdtree_radius, of this rank's queries.
 * radius: the same on all ranks.
 * ids: NULL on all ranks in the first call. In the second one a rank without answers may give NULL as well.
 * Errors: as bosc_kdtree_radius, and BOSC_ERR_LIMIT as bosc_ranks_kdtree_knn.
 * Cost: each query is sent to the s ranks whose boxes are within the radius: s x (row + 8) bytes, and 16 bytes an
 * answer in the second call; searches as bosc_kdtree_radius makes them; O(P dim) a query to find the ranks, and O(s r)
 * to merge r answers. Scratch: 48 bytes a query, row + 24 for each that is sent or comes here, and 20 an answer at both
 * ends. */
BOSC_API bosc_status bosc_ranks_kdtree_radius(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *queries,
                                              int64_t query_count, int64_t stride, double radius, int64_t *offsets,
                                              void *ids, void *dist2, int64_t capacity);

/* Finds all points in closed boxes of this rank, as bosc_kdtree_box does among all points: as CSR rows, by two calls as
 * those of bosc_ranks_kdtree_radius. Collective.
 * boxes, offsets, ids, capacity: as in bosc_kdtree_box, of this rank's boxes.
 * Errors: as bosc_kdtree_box, and BOSC_ERR_LIMIT as bosc_ranks_kdtree_knn.
 * Cost: as bosc_ranks_kdtree_radius, of boxes of 2 row bytes. */
BOSC_API bosc_status bosc_ranks_kdtree_box(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *boxes,
                                           int64_t box_count, int64_t *offsets, void *ids, int64_t capacity);

/* Saves the tree as the bytes that bosc_kdtree_write saves of all points. Collective.
 * write, user: of rank 0, which alone writes; ignored on the others.
 * Errors: BOSC_ERR_IO if write fails; BOSC_ERR_LIMIT for a tree of 2^32 - 1 points or more, and as
 * bosc_ranks_kdtree_get_duplicates.
 * Cost: as bosc_ranks_kdtree_get_nodes, where duplicates are removed as bosc_ranks_kdtree_get_duplicates, and an
 * exchange
 * with rank 0 for each megabyte. */
BOSC_API bosc_status bosc_ranks_kdtree_write(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_write_fn write,
                                             void *user);

/* Reads a saved tree into a new handle. Collective.
 * read, user: of rank 0, which alone reads; ignored on the others.
 * tree: set on success.
 * Errors: BOSC_ERR_FORMAT with the reason for damaged, truncated or hostile bytes; BOSC_ERR_DATA for a NaN.
 * Cost: an exchange with rank 0 for each megabyte, one of row + 8 bytes a point between all, and a build; where
 * duplicates were removed 8 bytes a row more from rank 0, and 4 bytes a row between all and 8 back. Host memory for
 * n / P points on each rank, which grows with what was really read, and 3 row + 28 bytes of scratch a point. */
BOSC_API bosc_status bosc_ranks_kdtree_read(bosc_ctx *ctx, bosc_comm *comm, bosc_read_fn read, void *user,
                                            bosc_ranks_kdtree **tree);

BOSC_END_DECLS
#endif
