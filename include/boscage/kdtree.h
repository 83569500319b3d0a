/* boscage/kdtree.h - balanced k-d trees: build, rebuild, nearest neighbours, radius search, save.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The tree is the in-order array of its points and their ids. The node of the range [s, e) is at s + (e - s) / 2, its
 * less side is [s, mid), its greater side [mid + 1, e), and the splitting coordinate cycles with the depth. Points are
 * ordered by (superkey, id), and -0 equals +0, so every builder, backend and number of threads makes the same tree.
 * The depth never exceeds log2(n) + 1, whatever the data.
 * Sources: Brown, Building a Balanced k-d Tree in O(k n log n) Time (JCGT 2015); Robinson, KdTreeGPU.
 *
 * Below, n is the number of points, element the size of a coordinate in bytes (4 or 8), and scratch is memory of the
 * context, beside the copies of host arrays that a CUDA context makes. A query is cheap where points are spread in few
 * dimensions; where most points are about equally far from it (many dimensions, equal points) it measures them all. */
#ifndef BOSCAGE_KDTREE_H
#define BOSCAGE_KDTREE_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A k-d tree in the memory of one backend and device. Any number of contexts of that device may query it at once,
 * while none rebuilds it. It may outlive the context that made it. */
typedef struct bosc_kdtree bosc_kdtree;

typedef enum bosc_kdtree_builder {
    /* The fast builder: samples choose pivots for several levels a pass, medians are selected exactly, subtrees are
     * finished in cache. */
    BOSC_KDTREE_AUTO = 0,
    /* The published method: dim lists of references, merge sorted and then partitioned level by level by superkey. */
    BOSC_KDTREE_BROWN = 1,
    /* The same lists by stable radix sorts of one coordinate each, so that nothing compares superkeys. */
    BOSC_KDTREE_PRESORTED = 2
} bosc_kdtree_builder;

typedef enum bosc_kdtree_duplicates {
    BOSC_KDTREE_DUPLICATES_KEEP = 0,  /* equal points are all nodes, ordered by id */
    BOSC_KDTREE_DUPLICATES_REMOVE = 1 /* of equal points the one of the smallest id is a node */
} bosc_kdtree_duplicates;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_kdtree_opts {
    size_t size;
    bosc_dtype dtype; /* type of the coordinates: F32 (default), F64, I32 or I64 */
    int32_t dim;      /* number of coordinates, 1 to 1024; required */
    bosc_kdtree_builder builder;
    bosc_kdtree_duplicates duplicates;
    int32_t id_bits;      /* ids in the caller's arrays: 64 (int64_t, default; none: -1), 32 (uint32_t; UINT32_MAX) */
    int32_t assume_valid; /* not 0: neither points nor queries hold a NaN, and none is looked for */
    int32_t sort_halves;  /* not 0, of BROWN: all points are sorted by the first superkey alone; the points of the two
                           * sides of the root then by the others, as the published build on two devices does it */
} bosc_kdtree_opts;

/* Makes a tree without points.
 * opts: required, as dim has no default.
 * tree: set on success.
 * Errors: BOSC_ERR_ARG, BOSC_ERR_NOMEM. */
BOSC_API bosc_status bosc_kdtree_create(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree **tree);

/* Frees the tree once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_kdtree_free(bosc_kdtree *tree);

/* Reserves memory, so that later calls up to these sizes with this context allocate nothing: builds of n points, and
 * searches of query_count queries for k neighbours (both may be 0). An AUTO build on CUDA that finds the points too
 * clustered for its sampled pivots sorts them instead, and may allocate. A tree with memory for queries is never given
 * the second order of nodes that bosc_kdtree_knn may make.
 * Errors: BOSC_ERR_LIMIT for n of 2^32 - 1 or more, BOSC_ERR_NOMEM; the tree is as it was then.
 * Cost: O(n dim) where the tree moves to larger blocks.
 * Waits where it moves. */
BOSC_API bosc_status bosc_kdtree_reserve(bosc_ctx *ctx, bosc_kdtree *tree, int64_t n, int64_t query_count, int64_t k);

/* Tells how many bytes of backend memory a build of n host points with these options takes. Needs no device.
 * kept: held by the tree; may be NULL.
 * scratch: of the context, while building; may be NULL. */
BOSC_API bosc_status bosc_kdtree_bytes(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n, int64_t *kept,
                                       int64_t *scratch);

/* Builds or rebuilds the tree from n points. Their ids are their row numbers; infinities are ordered.
 * points: n rows of dim; a row begins `stride` elements after the one before it (0: dim).
 * Errors: BOSC_ERR_DATA with the row for a NaN; BOSC_ERR_LIMIT for n of 2^32 - 1 or more. On failure the tree holds
 * what it held before, except after BOSC_ERR_DEVICE, BOSC_ERR_CANCELLED and BOSC_ERR_INTERNAL (a failed sort): then it
 * is empty.
 * Cost: O(n dim log n) work. BOSC_KDTREE_PRESORTED, and AUTO on CUDA but for 2 to 4 dimensions or where points are too
 * much alike for sampled pivots, make dim radix sorts, BROWN makes min(dim, log2 n) merge sorts, and each partitions
 * min(dim, log2 n) lists a level; BROWN on CUDA takes up to three levels of a list in one pass. Scratch is what
 * bosc_kdtree_bytes tells: on the CPU about a copy of points and ids; for the lists of PRESORTED 8 min(dim, log2 n)
 * bytes a point more; for BROWN no copy but, in bytes a point, 4 min(dim, log2 n) + 8 + 4 x element, on CUDA to four
 * dimensions 4 dim + 8 + (dim + 2) dim x element. A second build of the same or a smaller size allocates nothing.
 * Waits: on CUDA a flag that tells whether the sampled pivots served is read back. */
BOSC_API bosc_status bosc_kdtree_build(bosc_ctx *ctx, bosc_kdtree *tree, const void *points, int64_t n, int64_t stride);

/* Seconds of each stage of the last build by BOSC_KDTREE_BROWN or PRESORTED, as the published programs print them;
 * zeros after a build by AUTO. `init` makes the points reachable and takes memory; `build` is not the whole build but
 * what follows the sorts: partition, and nodes stored; `verify` is the time of the last bosc_kdtree_verify. Set
 * `size`. */
typedef struct bosc_kdtree_times {
    size_t size;
    double init, sort, deduplicate, build, verify;
} bosc_kdtree_times;

/* Gets the times of the last build. */
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

/* Gets the sizes of the tree. Set `size`. */
BOSC_API bosc_status bosc_kdtree_get_info(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_kdtree_info *info);

/* Copies the in-order points and their ids.
 * points: nodes x dim of the tree's dtype, -0 stored as +0; may be NULL.
 * ids: nodes, of id_bits; may be NULL.
 * Cost: O(nodes dim); 4 bytes of scratch a node for ids of 64 bits.
 * Waits if an array is on the host. */
BOSC_API bosc_status bosc_kdtree_get_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, void *points, void *ids);

/* Makes the links of a linked tree.
 * less, greater: host arrays (nodes, of id_bits): the node indices below node i, none where there is none; may be NULL.
 * root: gets the root's index, -1 for an empty tree; may be NULL.
 * Cost: O(nodes) arithmetic on the host. */
BOSC_API bosc_status bosc_kdtree_get_links(bosc_ctx *ctx, const bosc_kdtree *tree, void *less, void *greater,
                                           int64_t *root);

/* Tells which node stands for which row of the build.
 * inverse: n, of id_bits: the node index that stands for each row; may be NULL. With duplicates kept it is the inverse
 * of ids.
 * counts: nodes, int64: how many rows each node stands for; 1 with duplicates kept; may be NULL.
 * Cost: O(n); at most 4 bytes of scratch a point.
 * Waits if an array is on the host. */
BOSC_API bosc_status bosc_kdtree_get_duplicates(bosc_ctx *ctx, const bosc_kdtree *tree, void *inverse, int64_t *counts);

/* Checks every node against all its ancestors, and that ids are distinct and in range.
 * node: gets the smallest offending node; may be NULL.
 * Errors: BOSC_ERR_DATA with what is wrong with it.
 * Cost: O(nodes log nodes) comparisons of points; 4 bytes of scratch a point.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_verify(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *node);

/* Finds the k nearest points of each query. Rows of the answer are ordered by (distance, id); missing entries are none
 * and infinity. Distances are squared and Euclidean, with terms added in the order of the coordinates; a NaN distance
 * counts as infinite. Queries are reordered inside the call.
 * queries: query_count rows of the tree's dtype and dim, `stride` elements apart (0: dim).
 * k: at least 1.
 * ids: query_count x k, of id_bits.
 * dist2: query_count x k: float, computed in float, for an F32 tree, else double; may be NULL.
 * Errors: BOSC_ERR_DATA with the row for a NaN in a query, unless assume_valid.
 * Cost: expected O(log n + k) points measured a query in few dimensions, at worst all n; each takes O(dim), and O(k)
 * (k <= 32) or O(log k) if it is kept. Scratch of at most 32 bytes a query; for k > 32 also 16 k a thread on the CPU;
 * on CUDA, for k > 32 or more than 4 dimensions, instead dist2 where that is NULL.
 * On CUDA, the call by which nodes + 2^21 queries were asked of a tree of 3 or 4 dimensions since its build (k to 32,
 * radii, boxes) looks whether points share some of the coordinates but differ in two or more. Then it makes a second
 * order of the nodes, for searches alone, which walk it faster: it takes one to two builds' time, as much memory again
 * as the tree (bosc_kdtree_get_info tells), and the scratch of a build and 20 to 52 bytes a node. Without that memory
 * there is none; a call that a graph records leaves it to a later one. Answers are the same.
 * Waits unless all arrays are on the device and assume_valid is set; that one call waits too. */
BOSC_API bosc_status bosc_kdtree_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t query_count,
                                     int64_t stride, int64_t k, void *ids, void *dist2);

/* Finds the k nearest points of each point of the tree, itself among them: as bosc_kdtree_knn, row i for row i of the
 * build.
 * ids, dist2: n x k, as in bosc_kdtree_knn.
 * Errors: BOSC_ERR_ARG if duplicates are removed.
 * Cost: as bosc_kdtree_knn for n queries, and 2 dim x element + 8 bytes of scratch a point; on CUDA, for k <= 32 in at
 * most 4 dimensions, less time and no scratch, as the nodes are queries where they lie.
 * Waits if an array is on the host. */
BOSC_API bosc_status bosc_kdtree_knn_self(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t k, void *ids, void *dist2);

/* Finds, for each row of the build, the nearest point whose label is another than the row's, by (distance, id); none
 * and infinity where there is no such point. Subtrees of one label are left out whole. Source: March, Ram, Gray, Fast
 * Euclidean Minimum Spanning Tree (KDD 2010), whose components are the labels.
 * labels: n, of id_bits, each below UINT32_MAX: the rows' labels.
 * bounds: n, of the type of dist2, or NULL: only points with dist2 <= bounds[i] count for row i, none if it is
 * negative.
 * ids: n, of id_bits.
 * dist2: n, as in bosc_kdtree_knn; may be NULL.
 * Errors: BOSC_ERR_ARG if duplicates are removed.
 * Cost: O(n dim) and, for each row whose bound is not negative and that is not ruled out with its whole block, expected
 * O(log n) boxes in few dimensions, at worst all. Scratch of at most 15 + dim x element + 4 min(dim, 16) bytes a point.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_nearest_other(bosc_ctx *ctx, const bosc_kdtree *tree, const void *labels,
                                               const void *bounds, void *ids, void *dist2);

/* Finds the k nearest points within a radius: as bosc_kdtree_knn, but only points with dist2 <= radius * radius count,
 * squared in the type of dist2.
 * radius: 0 or more.
 * Cost: as bosc_kdtree_knn; a small radius makes it less.
 * Waits as bosc_kdtree_knn does. */
BOSC_API bosc_status bosc_kdtree_knn_within(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries,
                                            int64_t query_count, int64_t stride, int64_t k, double radius, void *ids,
                                            void *dist2);

/* Finds all points within a radius of each query (dist2 <= radius * radius), as CSR rows, by two calls: the first, with
 * ids NULL, gives the offsets, the second fills the rows between them.
 * queries, stride: as in bosc_kdtree_knn.
 * offsets: query_count + 1, int64: written by the first call, whose last one is the total; read by the second.
 * ids: NULL, or at least offsets[query_count], of id_bits: query q has ids[offsets[q]] to ids[offsets[q + 1] - 1],
 * ascending.
 * dist2: as many, in the order of ids, as in bosc_kdtree_knn; may be NULL.
 * capacity: elements of ids and dist2.
 * Errors: BOSC_ERR_SPACE if capacity is less than the total; BOSC_ERR_ARG for offsets that are not those of the
 * answer; BOSC_ERR_DATA as in bosc_kdtree_knn.
 * Cost: of each call, expected O(log n + r) points measured a query with r answers in few dimensions, at worst all n;
 * the second sorts each row, O(r log r). Scratch of at most 40 bytes a query.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_radius(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries,
                                        int64_t query_count, int64_t stride, double radius, int64_t *offsets, void *ids,
                                        void *dist2, int64_t capacity);

/* Counts the points within a radius of each query (dist2 <= radius * radius).
 * queries, stride: as in bosc_kdtree_knn.
 * counts: query_count, int64.
 * Errors: BOSC_ERR_DATA as in bosc_kdtree_knn.
 * Cost: as the first call of bosc_kdtree_radius.
 * Waits unless all arrays are on the device and assume_valid is set. */
BOSC_API bosc_status bosc_kdtree_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries,
                                              int64_t query_count, int64_t stride, double radius, int64_t *counts);

/* Finds all points in closed boxes, as CSR rows, by two calls as those of bosc_kdtree_radius.
 * boxes: (box_count x 2 x dim) of the tree's dtype: the low and the high corner of each. A point is in a box if none of
 * its coordinates is below the low corner's or above the high corner's; a box whose corners are exchanged is empty.
 * offsets: box_count + 1, int64: written by the first call, whose last one is the total; read by the second.
 * ids: NULL, or at least offsets[box_count], of id_bits: box q has ids[offsets[q]] to ids[offsets[q + 1] - 1],
 * ascending.
 * capacity: elements of ids.
 * Errors: BOSC_ERR_SPACE and BOSC_ERR_ARG as bosc_kdtree_radius; BOSC_ERR_DATA with the row for a NaN: box q has the
 * rows 2 q and 2 q + 1.
 * Cost: of each call, O(n^(1 - 1/dim) + r) nodes a box with r answers, at worst all n, each O(dim); the second sorts
 * each row, O(r log r). 8 bytes of scratch a box for the counts; on CUDA in 1 to 4 dimensions 32 more.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_box(bosc_ctx *ctx, const bosc_kdtree *tree, const void *boxes, int64_t box_count,
                                     int64_t *offsets, void *ids, int64_t capacity);

/* How far points are apart, and which of them count, for the calls below: these give distances themselves (not squared)
 * as double, computed in double whatever the dtype, for any Minkowski p and in periodic boxes. Zero bytes mean the
 * default; set `size`. Fields are only appended. NULL options are all defaults.
 *
 * The distance is (sum |x - y|^p)^(1/p): for p = 1 the sum and for p = 2 the root of the sum of squares, terms added in
 * the order of the coordinates; for p = INFINITY the largest term; for any other p, m (sum (|x - y| / m)^p)^(1/p) with
 * m the largest term, so that no p overflows, in powers of the library's own: relative errors are below 1e-14 and the
 * bits are the same on all backends. A NaN distance counts as infinite.
 *
 * "By (distance, id)" and "distance <= bound" mean: for p = 2, of the squared distance and bound * bound; else, of the
 * distance itself. Nothing is within a bound that is negative or NaN. A strict bound (< b) is
 * nextafter(b, -INFINITY). */
typedef struct bosc_kdtree_query_opts {
    size_t size;
    double p; /* 1 or more, INFINITY among them; 0: 2 */
    /* dim, on the host; NULL: none. Where periods[c] is above 0, coordinate c is periodic: |x - y| is the shorter way
     * around. The tree's coordinates must be in [0, periods[c]]; those of queries are taken modulo the period, and an
     * infinite one is infinitely far from everything. 0: not periodic. */
    const double *periods;
    /* 0 or more. Answers may be approximate: the i-th neighbour is at most (1 + epsilon) times as far as the true one;
     * of points within a radius or bound r, those beyond r / (1 + epsilon) may be missing. The answers are still the
     * same on all backends. */
    double epsilon;
    const double *bounds; /* of k nearest: only distances <= bound count; NULL: all */
    int64_t bound_count;  /* 1, for all queries, or query_count */
    int32_t self;         /* not 0: the queries are the rows of the build; `queries` is NULL, query_count n */
    int32_t exclude_self; /* not 0: id i is no answer of query i */
} bosc_kdtree_query_opts;

/* Finds the k nearest points of each query, by (distance, id); missing entries are none and infinity. For chosen ranks
 * take the largest and pick.
 * queries, stride, k: as in bosc_kdtree_knn.
 * opts: may be NULL.
 * ids: query_count x k, of id_bits.
 * distances: query_count x k; may be NULL.
 * Errors: BOSC_ERR_ARG for options; for `self` if duplicates are removed; BOSC_ERR_DATA with the row for a NaN in a
 * query, unless assume_valid, and for a point of the tree outside the periodic box.
 * Cost: as bosc_kdtree_knn where p is 2, nothing is periodic or excluded, there is at most one bound and dtype is not
 * F32 (epsilon is not used then). Else a general search, several times slower, with 8 dim bytes of scratch a query (16
 * dim + 4 for `self`), and 8 k where distances is NULL. The first call with periods after a build passes over all
 * points.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_knn_metric(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries,
                                            int64_t query_count, int64_t stride, int64_t k,
                                            const bosc_kdtree_query_opts *opts, void *ids, double *distances);

/* Finds all points with distance <= radius of each query, as CSR rows, by two calls as those of bosc_kdtree_radius.
 * radii: radius_count: 1, for all queries, or query_count. As bounds; opts->bounds must be NULL.
 * opts: may be NULL.
 * offsets, ids, capacity: as in bosc_kdtree_radius; rows ascend by id.
 * distances: as many as ids; may be NULL.
 * Errors: as bosc_kdtree_knn_metric and bosc_kdtree_radius.
 * Cost: as bosc_kdtree_radius, in the cases and with the scratch of bosc_kdtree_knn_metric.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_radius_metric(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries,
                                               int64_t query_count, int64_t stride, const double *radii,
                                               int64_t radius_count, const bosc_kdtree_query_opts *opts,
                                               int64_t *offsets, void *ids, double *distances, int64_t capacity);

/* Counts the points with distance <= radius of each query; arguments as in bosc_kdtree_radius_metric.
 * counts: query_count, int64.
 * Cost: as bosc_kdtree_radius_count, in the cases and with the scratch of bosc_kdtree_knn_metric.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_radius_count_metric(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries,
                                                     int64_t query_count, int64_t stride, const double *radii,
                                                     int64_t radius_count, const bosc_kdtree_query_opts *opts,
                                                     int64_t *counts);

/* Finds all pairs of points with distance <= radius, of one tree or of two, as CSR rows, by two calls as those of
 * bosc_kdtree_radius: row i of the build of `tree` has the ids of `other`.
 * other: of the same dtype and dim, or `tree` itself, for all (i, j); NULL: of `tree` itself those with i < j.
 * radius: 0 or more.
 * opts: may be NULL; bounds, self and exclude_self must be 0.
 * offsets: n + 1, n of `tree`, int64.
 * ids: NULL, or at least offsets[n], of the id_bits of the tree that is searched; rows ascend by id.
 * distances: as many; may be NULL.
 * Errors: BOSC_ERR_ARG if duplicates are removed in `tree`; BOSC_ERR_DATA for a point outside the periodic box;
 * BOSC_ERR_SPACE and BOSC_ERR_ARG as bosc_kdtree_radius.
 * Cost: as bosc_kdtree_radius_metric with n queries in the order of the nodes.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_pairs(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree *other, double radius,
                                       const bosc_kdtree_query_opts *opts, int64_t *offsets, void *ids,
                                       double *distances, int64_t capacity);

/* Counts the pairs (i of `tree`, j of `other`) by distance: bin b has those with radii[b - 1] < distance <= radii[b];
 * cumulative, all those with distance <= radii[b]. Weighted, a pair counts weights[i] * other_weights[j].
 * other: of the same dtype and dim; may be `tree` itself: then each pair counts twice and (i, i) once.
 * radii: radius_count, on the host, ascending.
 * opts: may be NULL; bounds, self and exclude_self must be 0; epsilon is not used.
 * weights, other_weights: n of their tree; either may be NULL: all 1.
 * counts: radius_count, without weights: how many; may be NULL.
 * sums: radius_count: the sums of the weighted pairs; may be NULL.
 * Sums are made in a fixed order, so that their bits are the same on all backends: of each subtree of `other`, less
 * side plus greater side plus node; for each i and bin, of what the search from i meets, nodes and whole subtrees, in
 * its order; times weights[i]; over all i, in the tree of tiles of bosc_reduce, in the order of the nodes of `tree`;
 * and cumulative, bin by bin.
 * Errors: BOSC_ERR_ARG if duplicates are removed in one of them; BOSC_ERR_DATA for a point outside the periodic box.
 * Cost: for each i, the nodes near the surfaces of its balls; subtrees within one bin count whole. Scratch of at
 * most 16 dim + 132 bytes for each i, 8 for each j.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_count_pairs(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree *other,
                                             const double *radii, int64_t radius_count,
                                             const bosc_kdtree_query_opts *opts, const double *weights,
                                             const double *other_weights, int32_t cumulative, int64_t *counts,
                                             double *sums);

/* Saves the tree: versioned, little-endian, with an xxHash checksum. The bytes are the same on every backend.
 * Errors: BOSC_ERR_IO if write fails.
 * Cost: O(n dim), and scratch for a copy of points and ids.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_write(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_write_fn write, void *user);

/* Reads a saved tree into a new handle on the context's backend.
 * tree: set on success.
 * Errors: BOSC_ERR_FORMAT with the reason for damaged, truncated or hostile bytes.
 * Cost: O(n dim); host memory for a copy of the saved arrays, which grows with what was really read, and as much
 * scratch.
 * Waits. */
BOSC_API bosc_status bosc_kdtree_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_kdtree **tree);

BOSC_END_DECLS
#endif
