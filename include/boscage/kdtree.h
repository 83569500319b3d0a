/* boscage/kdtree.h - balanced k-d trees: build, rebuild, nearest neighbours, radius and box search, save.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_kdtree_create, _build, _knn, _radius
 *
 * The tree is the in-order array of its points and their ids. The node of the range [s, e) is at mid = s + (e - s) / 2,
 * its less side is [s, mid), its greater side [mid + 1, e), and the splitting coordinate cycles with the depth. Points
 * are ordered by (superkey, id), and -0 equals +0, so every builder, backend and number of threads makes the same tree.
 * The depth never exceeds log2(n) + 1.
 * Sources: Brown, Building a Balanced k-d Tree in O(k n log n) Time (JCGT 2015); Robinson, KdTreeGPU.
 *
 * Below, n is the number of points, nodes the number of points in the tree, and element the size of a coordinate in
 * bytes (4 or 8).
 *
 * A point is within a radius or bound r if its distance is at most r: the root of dist2, rounded to the type of dist2,
 * and r, rounded to that type too. So a ball whose radius is the distance of a neighbour holds that neighbour.
 *
 * Coordinates may be of any magnitude. General searches, several times slower, serve squares that overflow or underflow
 * in the type of dist2 (float for F32, else double):
 *     finite coordinates beyond 2^57 (2^505 in double), of the tree or of a query
 *     trees with all coordinates within 2^-40 (2^-459), not all of them 0
 * They find the right points and distances; they allocate, and wait. A dist2 that does not fit its type is
 * BOSC_ERR_LIMIT, with outputs unchanged; so is a distance of the k nearest that does not fit a double. Other trees may
 * hold points nearer to each other than 2^-63 (2^-511): there dist2 and the distance are rounded, at worst to 0, and
 * the ids break such ties.
 *
 * A query is cheap where points are spread in few dimensions. Where most points are about equally far from it (many
 * dimensions, equal points), it measures them all; on CUDA tensor cores exclude most of them first, for k <= 32. */
#ifndef BOSCAGE_KDTREE_H
#define BOSCAGE_KDTREE_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A k-d tree in the memory of one backend and device. Any number of contexts of that device may query it at once, while
 * none rebuilds it. It may outlive the context that made it. */
typedef struct bosc_kdtree bosc_kdtree;

typedef enum bosc_kdtree_builder {
    /* The fast builder: samples choose pivots for several levels a pass, medians are selected exactly, subtrees are
     * finished in cache. */
    BOSC_KDTREE_AUTO = 0,
    /* The published method: dim lists of references, merge sorted and then partitioned level by level by superkey. */
    BOSC_KDTREE_BROWN = 1
} bosc_kdtree_builder;

typedef enum bosc_kdtree_duplicates {
    BOSC_KDTREE_DUPLICATES_KEEP = 0,  /* equal points are all nodes, ordered by id */
    BOSC_KDTREE_DUPLICATES_REMOVE = 1 /* among equal points, only the smallest id is a node */
} bosc_kdtree_duplicates;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_kdtree_opts {
    size_t size;
    bosc_dtype dtype; /* type of the coordinates: F32 (default), F64, I32 or I64 */
    int32_t dim;      /* number of coordinates, 1 to 1024; required */
    bosc_kdtree_builder builder;
    bosc_kdtree_duplicates duplicates;
    int32_t id_bits; /* ids in the caller's arrays: 64 (int64_t, default; none: -1), 32 (uint32_t; UINT32_MAX) */
    /* Not 0: points and queries hold no NaN and are in the range of ordinary searches (above); skips the check. */
    int32_t assume_valid;
    /* BROWN, not 0: sorts all points by the first superkey alone, then the two sides of the root by the others, as the
     * published build on two devices does. */
    int32_t sort_halves;
    /* BROWN on a device, both or neither: the published partition with this launch, such as 64 blocks of 1,024 threads.
     * Every list is partitioned at every level, around one median a segment; references are compared once, and copied
     * back from a temporary list. blocks: at most 65,535; threads: a multiple of 32, at most 1,024. 0: fewer passes,
     * and a launch that fills the device. */
    int32_t blocks, threads;
    /* Over ranks with `sort_halves`, 0 or 1: every rank first receives the coordinates of all points, and keeps them as
     * scratch while it builds. Ranks then exchange ids alone. Needs less than 2^32 - 1 points of all ranks. */
    int32_t full_coordinates;
} bosc_kdtree_opts;

/* Makes a tree without points.
 * opts: required, as dim has no default.
 * tree: set on success.
 * Errors: BOSC_ERR_ARG, BOSC_ERR_NOMEM. */
BOSC_API bosc_status bosc_kdtree_create(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree **tree);

/* Frees the tree once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_kdtree_free(bosc_kdtree *tree);

/* Reserves memory so that builds of n points and searches of query_count queries for k neighbours allocate nothing.
 * query_count, k: may be 0. Searches of a tree with memory for fewer queries than nodes make no order of nodes by
 *     extent (docs/design/kdtree.md).
 * Errors: BOSC_ERR_LIMIT for n of 2^32 - 1 or more, BOSC_ERR_NOMEM; the tree is unchanged.
 * Cost: O(n dim) if the tree moves to larger blocks. An AUTO build on CUDA may still allocate if points are too
 *     clustered for its sampled pivots.
 * Waits if the tree moves. */
BOSC_API bosc_status bosc_kdtree_reserve(bosc_ctx *ctx, bosc_kdtree *tree, int64_t n, int64_t query_count, int64_t k);

/* Computes the backend memory, in bytes, of a build of n host points. Needs no device.
 * kept: held by the tree at most: with the order by extent that searches of some trees make; may be NULL.
 * scratch: of the context, while building or making that order; may be NULL. */
BOSC_API bosc_status bosc_kdtree_bytes(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n, int64_t *kept,
                                       int64_t *scratch);

/* Builds or rebuilds the tree from n points. Ids are row numbers; infinities are ordered.
 * points (n x dim): rows `stride` elements apart (0: dim).
 * Errors: BOSC_ERR_DATA with the row for a NaN; BOSC_ERR_LIMIT for n of 2^32 - 1 or more. On failure the tree is
 *     unchanged, but empty after BOSC_ERR_DEVICE, BOSC_ERR_CANCELLED and BOSC_ERR_INTERNAL (a failed sort), and
 *     on CUDA after BOSC_ERR_NOMEM if points are too clustered for sampled pivots or a launch lacks memory.
 * Cost: O(n dim log n) work. bosc_kdtree_bytes gives the memory; AUTO takes about a copy of points and ids as scratch.
 *     A second build of the same or a smaller size allocates nothing.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_build(bosc_ctx *ctx, bosc_kdtree *tree, const void *points, int64_t n, int64_t stride);

/* Seconds of each stage of the last build by BROWN, as the published programs print them; zeros after AUTO. Set `size`.
 * `init` makes the points reachable and allocates; `build` is the work after the sorts: partitioning and storing nodes;
 * `verify` is the time of the last bosc_kdtree_verify. */
typedef struct bosc_kdtree_times {
    size_t size;
    double init, sort, deduplicate, build, verify;
} bosc_kdtree_times;

/* Reads the times of the last build. Set `size`. */
BOSC_API bosc_status bosc_kdtree_get_times(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_kdtree_times *times);

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

/* Describes the tree. Set `size`. */
BOSC_API bosc_status bosc_kdtree_get_info(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_kdtree_info *info);

/* Copies the in-order points and their ids.
 * points (nodes x dim): of the tree's dtype, -0 stored as +0; may be NULL.
 * ids (nodes): of id_bits; may be NULL.
 * Cost: O(nodes dim); 4 bytes of scratch a node for 64-bit ids.
 * Queues. */
BOSC_API bosc_status bosc_kdtree_get_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, void *points, void *ids);

/* Computes the child links of every node, for programs that walk a linked tree.
 * less, greater (nodes): host, of id_bits; the node below on each side, none where there is none; may be NULL.
 * root: receives the root's index, -1 for an empty tree; may be NULL.
 * Cost: O(nodes) arithmetic on the host. */
BOSC_API bosc_status bosc_kdtree_get_links(bosc_ctx *ctx, const bosc_kdtree *tree, void *less, void *greater,
                                           int64_t *root);

/* Maps the rows of the build to nodes.
 * inverse (n): of id_bits, the node that represents each row; may be NULL. With duplicates kept it is the inverse of
 *     ids.
 * counts (nodes): int64, the number of rows that each node represents (1 with duplicates kept); may be NULL.
 * Cost: O(n); at most 4 bytes of scratch a point.
 * Queues. */
BOSC_API bosc_status bosc_kdtree_get_duplicates(bosc_ctx *ctx, const bosc_kdtree *tree, void *inverse, int64_t *counts);

/* Checks every node against all its ancestors, and that ids are distinct and in range.
 * node: receives the smallest offending node; may be NULL.
 * Errors: BOSC_ERR_DATA with the defect.
 * Cost: O(nodes log nodes) comparisons of points; 4 bytes of scratch a point.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_verify(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *node);

/* Finds the k nearest points of each query, by (distance, id).
 * Missing entries are none, at distance infinity. Distances are squared and Euclidean, with terms added in the order of
 * the coordinates; a NaN distance counts as infinite.
 * queries (query_count x dim): of the tree's dtype, rows `stride` elements apart (0: dim), in any order.
 * k: at least 1.
 * ids (query_count x k): of id_bits.
 * dist2 (query_count x k): float, computed in float, for an F32 tree, else double; may be NULL.
 * Errors: BOSC_ERR_DATA with the row for a NaN in a query, unless assume_valid; BOSC_ERR_LIMIT for dist2 that does not
 *     fit its type.
 * Cost: O(log n + k) points measured a query, expected, in few dimensions; at worst all n. At most 32 bytes of scratch
 *     a query; for k > 32, 16 k a thread on the CPU, on CUDA dist2 if that is NULL. On CUDA, for k <= 32, searches in
 *     more than 16 dimensions, and large ones in more than 4, use about 2.5 dim + 8 bytes a point and 2 dim + 5,000 a
 *     query, at most 1.3 GB. Once a tree has answered many queries, a call may order its nodes by extent
 *     (docs/design/kdtree.md).
 * Queues if assume_valid is set. */
BOSC_API bosc_status bosc_kdtree_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t query_count,
                                     int64_t stride, int64_t k, void *ids, void *dist2);

/* Finds the k nearest points of each point of the tree, itself included, as bosc_kdtree_knn does.
 * ids, dist2 (n x k): as in bosc_kdtree_knn; row i is of row i of the build.
 * Errors: BOSC_ERR_ARG if duplicates are removed; BOSC_ERR_LIMIT as in bosc_kdtree_knn.
 * Cost: as bosc_kdtree_knn for n queries, and 2 dim x element + 8 bytes of scratch a point. Faster and without these
 *     bytes on CUDA for k <= 32.
 * Queues. */
BOSC_API bosc_status bosc_kdtree_knn_self(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t k, void *ids, void *dist2);

/* Finds the nearest point with another label for each row of the build, by (distance, id).
 * Rows without such a point get none and infinity.
 * labels (n): of id_bits, each below UINT32_MAX: the rows' labels.
 * bounds (n): of the type of dist2: only points with dist2 <= bounds[i] count for row i, none if it is negative; may be
 *     NULL.
 * ids (n): of id_bits.
 * dist2 (n): as in bosc_kdtree_knn; may be NULL.
 * Errors: BOSC_ERR_ARG if duplicates are removed; BOSC_ERR_LIMIT for a tree that needs general searches.
 * Cost: O(n dim), and O(log n) boxes a row, expected, in few dimensions, at worst all; subtrees of one label are
 *     skipped whole, and so are copies of the nearest point. Scratch of at most 16 + dim x element + 4 min(dim, 16)
 *     bytes a point.
 * Waits.
 * Source: March, Ram, Gray, Fast Euclidean Minimum Spanning Tree (KDD 2010), whose components are the labels. */
BOSC_API bosc_status bosc_kdtree_nearest_other(bosc_ctx *ctx, const bosc_kdtree *tree, const void *labels,
                                               const void *bounds, void *ids, void *dist2);

/* Finds the k nearest points within a radius, as bosc_kdtree_knn does.
 * radius: 0 or more. Only points within it count.
 * Cost: as bosc_kdtree_knn; less for a small radius.
 * Queues if assume_valid is set. */
BOSC_API bosc_status bosc_kdtree_knn_within(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries,
                                            int64_t query_count, int64_t stride, int64_t k, double radius, void *ids,
                                            void *dist2);

/* Finds all points within a radius of each query, as CSR rows, by two calls.
 * The first call, with ids NULL, writes the offsets; the second reads them and fills the rows.
 * queries, stride: as in bosc_kdtree_knn.
 * offsets (query_count + 1): row q is ids[offsets[q]] to ids[offsets[q + 1] - 1]; the last offset is the total.
 * ids (capacity): of id_bits, ascending in each row; NULL in the first call.
 * dist2 (capacity): as in bosc_kdtree_knn, in the order of ids; may be NULL.
 * capacity: elements of ids and dist2.
 * Errors: BOSC_ERR_SPACE if capacity is less than the total; BOSC_ERR_ARG for offsets that do not fit the rows;
 *     BOSC_ERR_DATA and BOSC_ERR_LIMIT as in bosc_kdtree_knn.
 * Cost: each call measures O(log n + r) points a query with r results, expected, in few dimensions; at worst all n. The
 *     second sorts each row, O(r log r). At most 40 bytes of scratch a query.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_radius(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries,
                                        int64_t query_count, int64_t stride, double radius, int64_t *offsets, void *ids,
                                        void *dist2, int64_t capacity);

/* Counts the points within a radius of each query.
 * queries, stride: as in bosc_kdtree_knn.
 * counts (query_count): the numbers.
 * Errors: BOSC_ERR_DATA as in bosc_kdtree_knn.
 * Cost: as the first call of bosc_kdtree_radius.
 * Queues if assume_valid is set. */
BOSC_API bosc_status bosc_kdtree_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries,
                                              int64_t query_count, int64_t stride, double radius, int64_t *counts);

/* Finds all points in closed boxes, as CSR rows, by two calls as bosc_kdtree_radius.
 * boxes (box_count x 2 x dim): of the tree's dtype: the low and the high corner of each. A point is inside if no
 *     coordinate is below the low corner's or above the high corner's. A box with exchanged corners is empty.
 * offsets (box_count + 1): as in bosc_kdtree_radius.
 * ids (capacity): of id_bits, ascending in each row; NULL in the first call.
 * capacity: elements of ids.
 * Errors: BOSC_ERR_SPACE and BOSC_ERR_ARG as bosc_kdtree_radius; BOSC_ERR_DATA with the row for a NaN: box q has the
 *     rows 2 q and 2 q + 1.
 * Cost: each call visits O(n^(1 - 1/dim) + r) nodes a box with r results, at worst all n, each O(dim). The second sorts
 *     each row, O(r log r). At most 40 bytes of scratch a box.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_box(bosc_ctx *ctx, const bosc_kdtree *tree, const void *boxes, int64_t box_count,
                                     int64_t *offsets, void *ids, int64_t capacity);

/* Options of the calls below, which return distances (not squared) as double. For p = 2 without periods they are the
 * roots, in double, of the squared distances of bosc_kdtree_knn, which are floats for an F32 tree. All others are
 * computed in double whatever the dtype. Set `size`; zero bytes elsewhere mean the defaults; NULL options mean the
 * defaults.
 *
 * The distance is (sum |x - y|^p)^(1/p). For p = 1 it is the sum, for p = 2 the root of the sum of squares, terms added
 * in the order of the coordinates; for p = INFINITY the largest term. For any other p it is m (sum (|x - y| /
 * m)^p)^(1/p) with m the largest term, so no p overflows, in powers of the library's own: relative errors are below
 * 1e-14 and the bits are the same on all backends. A NaN distance counts as infinite.
 *
 * "By (distance, id)" compares the squared distances for p = 2, else the distances. "distance <= bound" compares the
 * returned distances; roots of floats and their bounds are rounded to float first. Nothing is within a negative or NaN
 * bound. A strict bound (< b) is nextafter(b, -INFINITY), or nextafterf for roots of floats. */
typedef struct bosc_kdtree_query_opts {
    size_t size;
    double p; /* 1 or more, INFINITY among them; 0: 2 */
    /* (dim) host; NULL: none. Coordinate c is periodic if periods[c] is above 0: |x - y| is then the shorter way
     * around. The tree's coordinates must be in [0, periods[c]]; those of queries are taken modulo the period, and an
     * infinite one is infinitely far from everything. 0: not periodic. */
    const double *periods;
    /* 0 or more. Above 0 results may be approximate: the i-th neighbour is at most (1 + epsilon) times as far as the
     * true one; of the points within a radius or bound r, points beyond r / (1 + epsilon) may be missing. Results are
     * still the same on all backends. */
    double epsilon;
    const double *bounds; /* k nearest: only distances <= bound count; NULL: all */
    int64_t bound_count;  /* 1, for all queries, or query_count */
    int32_t self;         /* not 0: the queries are the rows of the build; `queries` is NULL, query_count n */
    int32_t exclude_self; /* not 0: query i skips id i */
} bosc_kdtree_query_opts;

/* Finds the k nearest points of each query, by (distance, id), under the metric of the options.
 * Missing entries are none, at distance infinity.
 * queries, stride, k: as in bosc_kdtree_knn.
 * opts: NULL means the defaults.
 * ids (query_count x k): of id_bits.
 * distances (query_count x k): may be NULL.
 * Errors: BOSC_ERR_ARG for options, and for `self` if duplicates are removed; BOSC_ERR_DATA with the row for a NaN in a
 *     query, unless assume_valid, and for a point of the tree outside the periodic box; BOSC_ERR_LIMIT for a distance
 *     that is more than a double holds.
 * Cost: as bosc_kdtree_knn if p is 2, nothing is periodic, and there is at most one bound (epsilon is then ignored),
 *     with 4 k bytes of scratch a query for F32. With exclude_self as for k + 1 neighbours, with scratch of an id and a
 *     squared distance for each. Else a general search, several times slower, with 8 dim bytes of scratch a query (16
 *     dim + 4 for `self`), and 8 k if distances is NULL. In periodic boxes of up to 16 floating coordinates with p 2,
 *     no bound, no epsilon, and k up to 30, searches for up to k + 2 neighbours around the queries and, near borders,
 *     around up to 7 images of each serve most queries. Queries with ties, or near more than 3 borders, get general
 *     searches. Scratch is that of the first searches, 8 dim + 9 bytes a query, and the points once more. After a
 *     build, the first general search with periods, or with a query for every four points, passes over all points,
 *     with 8 bytes of scratch a point.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_knn_metric(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries,
                                            int64_t query_count, int64_t stride, int64_t k,
                                            const bosc_kdtree_query_opts *opts, void *ids, double *distances);

/* Finds all points with distance <= radius of each query, as CSR rows, by two calls as bosc_kdtree_radius.
 * queries, stride: as in bosc_kdtree_knn.
 * radii (radius_count): radius_count is 1, for all queries, or query_count. They replace opts->bounds, which must be
 *     NULL.
 * opts: NULL means the defaults.
 * offsets, ids, capacity: as in bosc_kdtree_radius; rows ascend by id.
 * distances (capacity): in the order of ids; may be NULL.
 * Errors: as bosc_kdtree_knn_metric and bosc_kdtree_radius.
 * Cost: as bosc_kdtree_radius, in the cases and with the scratch of bosc_kdtree_knn_metric; with exclude_self always a
 *     general search.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_radius_metric(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries,
                                               int64_t query_count, int64_t stride, const double *radii,
                                               int64_t radius_count, const bosc_kdtree_query_opts *opts,
                                               int64_t *offsets, void *ids, double *distances, int64_t capacity);

/* Counts the points with distance <= radius of each query.
 * queries, stride, radii, radius_count, opts: as in bosc_kdtree_radius_metric.
 * counts (query_count): the numbers.
 * Cost: as bosc_kdtree_radius_count, in the cases and with the scratch of bosc_kdtree_knn_metric.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_radius_count_metric(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries,
                                                     int64_t query_count, int64_t stride, const double *radii,
                                                     int64_t radius_count, const bosc_kdtree_query_opts *opts,
                                                     int64_t *counts);

/* Finds all pairs of points with distance <= radius, of one tree or of two, as CSR rows, by two calls as
 * bosc_kdtree_radius.
 * other: of the same dtype and dim; `tree` itself lists all (i, j); NULL lists the pairs i < j of `tree`.
 * radius: 0 or more.
 * opts: NULL means the defaults; bounds, self and exclude_self must be 0.
 * offsets (n + 1): n of `tree`; row i of the build of `tree` has ids of `other`.
 * ids (capacity): of the id_bits of the searched tree, ascending in each row; NULL in the first call.
 * distances (capacity): in the order of ids; may be NULL.
 * Errors: BOSC_ERR_ARG if duplicates are removed in `tree`; BOSC_ERR_DATA for a point outside the periodic box;
 *     BOSC_ERR_SPACE and BOSC_ERR_ARG as bosc_kdtree_radius.
 * Cost: as bosc_kdtree_radius_metric with n queries in the order of the nodes.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_pairs(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree *other, double radius,
                                       const bosc_kdtree_query_opts *opts, int64_t *offsets, void *ids,
                                       double *distances, int64_t capacity);

/* Counts the pairs (i of `tree`, j of `other`) by distance.
 * Bin b counts the pairs with radii[b - 1] < distance <= radii[b]; cumulative, all pairs with distance <= radii[b].
 * With weights a pair counts weights[i] * other_weights[j].
 * other: of the same dtype and dim; if it is `tree`, each pair counts twice and (i, i) once.
 * radii (radius_count): host, ascending.
 * opts: NULL means the defaults; bounds, self and exclude_self must be 0; epsilon is ignored.
 * weights, other_weights: n of their tree; NULL: all 1.
 * counts (radius_count): the numbers of pairs, without weights; may be NULL.
 * sums (radius_count): the weighted sums; may be NULL. Their bits are the same on all backends (docs/design/kdtree.md).
 * Errors: BOSC_ERR_ARG if duplicates are removed in a tree; BOSC_ERR_DATA for a point outside the periodic box.
 * Cost: for each i, the nodes near the surfaces of its balls; a subtree within one bin counts whole. Scratch of at most
 *     20 dim + 152 bytes for each i and each j.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_count_pairs(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree *other,
                                             const double *radii, int64_t radius_count,
                                             const bosc_kdtree_query_opts *opts, const double *weights,
                                             const double *other_weights, int32_t cumulative, int64_t *counts,
                                             double *sums);

/* Saves the tree: versioned, little-endian, with an xxHash checksum; the same bytes on every backend.
 * Errors: BOSC_ERR_IO if write fails.
 * Cost: O(n dim); scratch for a copy of points and ids.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_write(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_write_fn write, void *user);

/* Reads a saved tree into a new handle on the context's backend.
 * tree: set on success.
 * Errors: BOSC_ERR_FORMAT, with the reason, for damaged, truncated or hostile bytes. Memory grows only with the bytes
 *     read.
 * Cost: O(n dim); host memory for a copy of the saved arrays, and as much scratch.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_kdtree **tree);

BOSC_END_DECLS
#endif
