/* boscage/kdtree.h - balanced k-d trees: build, rebuild, nearest neighbours, radius search, save.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The tree is the in-order array of its points and their ids. The node of the range [s, e) is at s + (e - s) / 2, its
 * less side is [s, mid), its greater side [mid + 1, e), and the splitting coordinate cycles with the depth. Points are
 * ordered by (superkey, id), and -0 equals +0, so every builder, backend and number of threads makes the same tree.
 * The depth never exceeds log2(n) + 1, whatever the data.
 * Sources: Brown, Building a Balanced k-d Tree in O(k n log n) Time (JCGT 2015); Robinson, KdTreeGPU. */
#ifndef BOSCAGE_KDTREE_H
#define BOSCAGE_KDTREE_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A k-d tree in the memory of one backend and device. Any number of contexts of that device may query it at once,
 * while none rebuilds it. It may outlive the context that made it. */
typedef struct bosc_kdtree bosc_kdtree;

typedef enum bosc_kdtree_builder {
    BOSC_KDTREE_AUTO =
        0, /* the fast one: a sampled sieve of several levels a pass, exact selection, subtrees in cache */
    BOSC_KDTREE_BROWN = 1 /* the published method: dim lists sorted by superkey, then breadth-first partition */
} bosc_kdtree_builder;

typedef enum bosc_duplicates {
    BOSC_DUPLICATES_KEEP = 0,  /* equal points are all nodes, ordered by id */
    BOSC_DUPLICATES_REMOVE = 1 /* of equal points the one of the smallest id is a node */
} bosc_duplicates;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_kdtree_opts {
    size_t size;
    bosc_dtype dtype; /* type of the coordinates: F32 (default), F64, I32 or I64 */
    int32_t dim;      /* number of coordinates, 1 to 1024; required */
    bosc_kdtree_builder builder;
    bosc_duplicates duplicates;
    int32_t
        id_bits; /* ids in arrays of the caller's: 64 (int64_t, default) or 32 (uint32_t); "none" is -1 or UINT32_MAX */
    int32_t assume_valid; /* not 0: neither points nor queries hold a NaN: none is looked for */
} bosc_kdtree_opts;

/* Makes a tree without points. `opts` is required (dim has no default). *tree is set on success. BOSC_ERR_ARG,
 * BOSC_ERR_NOMEM. */
BOSC_API bosc_status bosc_kdtree_create(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree **tree);

/* Frees the tree once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_kdtree_free(bosc_kdtree *tree);

/* Makes room so that builds of up to n points, and queries of up to m queries with k neighbours, allocate nothing
 * (m and k may be 0). */
BOSC_API bosc_status bosc_kdtree_reserve(bosc_ctx *ctx, bosc_kdtree *tree, int64_t n, int64_t m, int64_t k);

/* Bytes of backend memory for a build of n points with these options: kept by the tree, and scratch while
 * building (the context's). Either pointer may be NULL. Needs no device. */
BOSC_API bosc_status bosc_kdtree_bytes(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n, int64_t *kept,
                                       int64_t *scratch);

/* Builds or rebuilds the tree from n points; row i begins `stride` elements after row i - 1 (0: dim). A second build
 * of the same or a smaller size allocates nothing. The ids of the points are their row numbers. n < 2^32 - 1.
 * O(n log n) work. BOSC_ERR_DATA with the row for a NaN; infinities are ordered. On failure the tree holds what it
 * held before, except after BOSC_ERR_DEVICE, BOSC_ERR_CANCELLED and BOSC_ERR_INTERNAL (a failed sort): then it is
 * empty. Waits: on CUDA a flag that tells whether the sampled pivots served is read back at the end. */
BOSC_API bosc_status bosc_kdtree_build(bosc_ctx *ctx, bosc_kdtree *tree, const void *points, int64_t n, int64_t stride);

/* Seconds of each stage of the last build by BOSC_KDTREE_BROWN, as the published programs print them; zeros after a
 * build by another builder. `verify` is the time of the last bosc_kdtree_verify. Set `size`. */
typedef struct bosc_kdtree_times {
    size_t size;
    double init, sort, deduplicate, build, verify;
} bosc_kdtree_times;
BOSC_API bosc_status bosc_kdtree_get_times(const bosc_kdtree *tree, bosc_kdtree_times *times);

typedef struct bosc_kdtree_info {
    size_t size;
    int64_t n;          /* points given to the build */
    int64_t nodes;      /* points in the tree: n less the duplicates removed */
    int64_t duplicates; /* n - nodes if duplicates are removed, else 0 */
    int32_t dim, depth; /* depth: levels of the tree, 0 for an empty one */
    bosc_dtype dtype;
    int32_t id_bits;
    int64_t bytes; /* backend memory held by the tree */
} bosc_kdtree_info;
BOSC_API bosc_status bosc_kdtree_get_info(const bosc_kdtree *tree, bosc_kdtree_info *info);

/* Copies the in-order points (nodes x dim, the tree's dtype, -0 stored as +0) and ids (nodes, of id_bits) out.
 * Either may be NULL. */
BOSC_API bosc_status bosc_kdtree_get_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, void *points, void *ids);

/* Links for programs that want a linked tree: less[i] and greater[i] (nodes, of id_bits) are the node indices below
 * node i, none where there is none; *root is the root's index or -1. Host arrays; pure arithmetic on the size. */
BOSC_API bosc_status bosc_kdtree_get_links(const bosc_kdtree *tree, void *less, void *greater, int64_t *root);

/* After a build that removed duplicates: inverse (n, of id_bits) is the node index that stands for each input
 * row; counts (nodes, int64) is how many rows each node stands for. With duplicates kept inverse is the inverse of
 * ids, and counts are 1. Either may be NULL. */
BOSC_API bosc_status bosc_kdtree_get_duplicates(bosc_ctx *ctx, const bosc_kdtree *tree, void *inverse, int64_t *counts);

/* Checks every node against all its ancestors, and that ids are distinct and in range. BOSC_OK, or BOSC_ERR_DATA
 * with the offending node in the message and in *node (may be NULL). Waits. O(n log n). */
BOSC_API bosc_status bosc_kdtree_verify(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *node);

/* Finds the k nearest points of each of m queries (rows of the tree's dtype and dim, `stride` elements apart, 0: dim).
 * Row q of ids (m x k, of id_bits) and dist2 (m x k, may be NULL) is ordered by (distance, id); missing entries are
 * none and infinity. dist2 are squared Euclidean distances: float for an F32 tree, computed in float, else double;
 * terms are added in the order of the coordinates, and a distance that is no number counts as infinite. k >= 1, any
 * size. Queries are reordered inside the call. A NaN in a query gives BOSC_ERR_DATA with its row unless
 * assume_valid. Waits unless all arrays are on the device and assume_valid is set. */
BOSC_API bosc_status bosc_kdtree_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t m,
                                     int64_t stride, int64_t k, void *ids, void *dist2);

/* As bosc_kdtree_knn with all points of the tree as queries (each among its own neighbours): row i of ids and dist2
 * belongs to row i of the build. Faster than giving the points again. BOSC_ERR_ARG if duplicates are removed. */
BOSC_API bosc_status bosc_kdtree_knn_self(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t k, void *ids, void *dist2);

/* For every row of the build, finds the nearest point whose label is another than the row's: row i of ids (n, of
 * id_bits) and dist2 (n, may be NULL), by (distance, id); none and infinity where there is no such point. labels (n, of
 * id_bits, each below UINT32_MAX) belong to the rows. bounds (n, of the type of dist2, or NULL): only points with dist2
 * <= bounds[i] count for row i, none if it is negative. Subtrees of one label are left out whole. BOSC_ERR_ARG if
 * duplicates are removed. Waits. Source: March, Ram, Gray, Fast Euclidean Minimum Spanning Tree (KDD 2010), whose
 * components are the labels. */
BOSC_API bosc_status bosc_kdtree_nearest_other(bosc_ctx *ctx, const bosc_kdtree *tree, const void *labels,
                                               const void *bounds, void *ids, void *dist2);

/* As bosc_kdtree_knn, but only points with dist2 <= r * r, squared in the type of dist2. radius >= 0. */
BOSC_API bosc_status bosc_kdtree_knn_within(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t m,
                                            int64_t stride, int64_t k, double radius, void *ids, void *dist2);

/* Finds all points with dist2 <= r * r of each query, as rows of compressed sparse form: the ids of query q are
 * ids[offsets[q]] to ids[offsets[q + 1] - 1], ascending. offsets (m + 1, int64). Call first with ids NULL to get
 * offsets, of which offsets[m] is the total; then again with ids of capacity `room` (elements of id_bits) and the
 * same offsets array, which is read then; BOSC_ERR_SPACE if room < offsets[m]. dist2 (room, may be NULL) as in
 * bosc_kdtree_knn. Waits. */
BOSC_API bosc_status bosc_kdtree_radius(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t m,
                                        int64_t stride, double radius, int64_t *offsets, void *ids, void *dist2,
                                        int64_t room);

/* Counts the points with dist2 <= r * r of each query: counts (m, int64). */
BOSC_API bosc_status bosc_kdtree_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t m,
                                              int64_t stride, double radius, int64_t *counts);

/* Saves the tree: versioned, little-endian, with an xxHash checksum. The bytes are the same on every backend. Waits. */
BOSC_API bosc_status bosc_kdtree_write(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_write_fn write, void *user);

/* Reads a saved tree into a new handle on the context's backend. BOSC_ERR_FORMAT with the reason for damaged,
 * truncated or hostile bytes; memory grows with what was really read. *tree is set on success. */
BOSC_API bosc_status bosc_kdtree_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_kdtree **tree);

BOSC_END_DECLS
#endif
