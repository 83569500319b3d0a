/* boscage/clouds.h - batches of point clouds: neighbours, radius search and farthest point sampling of all in one call.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_clouds_build, _knn, _sample_farthest
 *
 * A batch holds the rows of all clouds in one array, cloud after cloud; `offsets` gives the first row of each. Queries
 * are batched alike, and those of cloud c find points of cloud c only. Ids are rows of the whole array. Answers equal
 * those of one call a cloud, whatever the other clouds are. Clouds may be empty.
 *
 * Distances are those of boscage/kdtree.h, bit for bit: squared, in float for F32 and else in double, terms added in
 * the order of the coordinates; a NaN distance (of infinities) counts as infinite. "Within a radius r" means that the
 * root of dist2, rounded to that type, is at most r, rounded to it too. Squares are not rescaled: a dist2 beyond its
 * type is infinite, one below it is rounded, at worst to 0, and ids break such ties.
 *
 * Calls of device arrays queue where they say so, and can be recorded into CUDA graphs.
 * Sources: Qi et al., PointNet++ (NeurIPS 2017), for the operations; Morton (1966), for the order of the points; Han et
 *     al., QuickFPS (IEEE TCAD 2023), for samples that skip distant boxes. */
#ifndef BOSCAGE_CLOUDS_H
#define BOSCAGE_CLOUDS_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A batch in the memory of one backend and device. Any number of contexts of that device may query it at once, while
 * none rebuilds it. It may outlive the context that made it. */
typedef struct bosc_clouds bosc_clouds;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_clouds_opts {
    size_t size;
    bosc_dtype dtype;     /* type of the coordinates: F32 (default) or F64 */
    int32_t dim;          /* number of coordinates, 1 to 1024; required */
    int32_t id_bits;      /* ids in the caller's arrays: 64 (int64_t, default; none: -1), 32 (uint32_t; UINT32_MAX) */
    int32_t assume_valid; /* not 0: points and queries hold no NaN, and offsets are valid; skips the checks */
    int64_t max_points;   /* of assume_valid: no cloud has more points; 0: not known. Small numbers make small batches
                             fast */
} bosc_clouds_opts;

/* Makes a batch without clouds.
 * opts: required, as dim has no default.
 * clouds: set on success. */
BOSC_API bosc_status bosc_clouds_create(bosc_ctx *ctx, const bosc_clouds_opts *opts, bosc_clouds **clouds);

/* Frees the batch once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_clouds_free(bosc_clouds *clouds);

/* Reserves memory so that builds of up to n points in cloud_count clouds, and searches and samples of query_count
 * queries, allocate nothing. More scratch is for results in host arrays on CUDA, CSR rows, and k > 32 without dist2.
 * The batch keeps its points.
 * Cost: copies the batch's arrays if they grow.
 * Waits. */
BOSC_API bosc_status bosc_clouds_reserve(bosc_ctx *ctx, bosc_clouds *clouds, int64_t n, int64_t cloud_count,
                                         int64_t query_count);

/* Computes the backend memory, in bytes, of a build of n points in cloud_count clouds. Needs no device.
 * kept: held by the batch, at most; may be NULL.
 * scratch: of the context while building; may be NULL. */
BOSC_API bosc_status bosc_clouds_bytes(bosc_ctx *ctx, const bosc_clouds_opts *opts, int64_t n, int64_t cloud_count,
                                       int64_t *kept, int64_t *scratch);

/* Builds or rebuilds the batch from n points.
 * points (n x dim): rows `stride` elements apart (0: dim). n < 2^32 - 1.
 * offsets (cloud_count + 1): ascending from 0 to n; cloud c has the rows offsets[c] to offsets[c + 1] - 1.
 * Errors: BOSC_ERR_DATA with the row for a NaN, BOSC_ERR_ARG with the cloud for offsets, unless assume_valid. On
 *     BOSC_ERR_ARG, BOSC_ERR_LIMIT and BOSC_ERR_DATA the batch is unchanged; on any other failure it is empty.
 * Cost: O(n dim) work: small clouds are copied, others are sorted by Morton code. bosc_clouds_bytes gives the memory. A
 *     second build of the same or a smaller size allocates nothing.
 * Queues if assume_valid is set. */
BOSC_API bosc_status bosc_clouds_build(bosc_ctx *ctx, bosc_clouds *clouds, const void *points, int64_t n,
                                       int64_t stride, const int64_t *offsets, int64_t cloud_count);

/* Builds or rebuilds the batch as bosc_clouds_build does, from the cloud of each row: a batch vector of PyTorch
 * Geometric.
 * batch (n): numbers of clouds, ascending from 0; clouds without rows are empty.
 * cloud_count: clouds, more than any number; -1: one more than the last number.
 * Errors: as bosc_clouds_build; BOSC_ERR_ARG with the row for numbers, also if assume_valid.
 * Cost: as bosc_clouds_build, with one pass over the numbers; no bound on the largest cloud is needed.
 * Waits. */
BOSC_API bosc_status bosc_clouds_build_from_batch(bosc_ctx *ctx, bosc_clouds *clouds, const void *points, int64_t n,
                                                  int64_t stride, const int64_t *batch, int64_t cloud_count);

typedef struct bosc_clouds_info {
    size_t size;
    int64_t n, cloud_count;
    int64_t largest; /* points of the largest cloud; a bound if assume_valid and built from offsets */
    int32_t dim;
    bosc_dtype dtype;
    int32_t id_bits;
    int64_t bytes;    /* backend memory held by the batch */
    int64_t smallest; /* points of the smallest cloud, 0 without clouds; a bound as `largest` */
} bosc_clouds_info;

/* Describes the batch. Set `size`. */
BOSC_API bosc_status bosc_clouds_get_info(bosc_ctx *ctx, const bosc_clouds *clouds, bosc_clouds_info *info);

/* Queries of all clouds. Set `size`. A NULL pointer to it, or NULL points and offsets, means the points of the batch:
 * query i is the point with id i. NULL points with offsets or batch are no queries; count is 0 then. */
typedef struct bosc_clouds_queries {
    size_t size;
    const void *points;     /* (count x dim) of the batch's dtype, rows `stride` elements apart (0: dim) */
    int64_t count, stride;  /* ignored for the batch's own points */
    const int64_t *offsets; /* (cloud_count + 1) ascending from 0 to count, as those of the build */
    int32_t exclude_self;   /* not 0, of the batch's own points only: query i skips id i */
    const int64_t *batch;   /* (count) in place of offsets: the cloud of each query, ascending */
} bosc_clouds_queries;

/* Finds the k nearest points within a radius of each query, by (distance, id).
 * Missing entries are none, at distance infinity.
 * k: at least 1.
 * radius: 0 or more; INFINITY: all points.
 * ids (count x k): of id_bits.
 * dist2 (count x k): float for F32, else double; may be NULL.
 * Errors: BOSC_ERR_DATA with the row for a NaN in a query, BOSC_ERR_ARG for offsets, unless assume_valid.
 * Cost: O(log n + k) points measured a query, expected, in few dimensions; at worst the whole cloud. 4,096 queries or
 *     more are sorted first, with up to 40 + 8 dim bytes of scratch each. 8 k bytes of scratch a query for k > 32
 *     without dist2.
 * Queues if assume_valid is set, or without queries. */
BOSC_API bosc_status bosc_clouds_knn(bosc_ctx *ctx, const bosc_clouds *clouds, const bosc_clouds_queries *queries,
                                     int64_t k, double radius, void *ids, void *dist2);

/* Finds the same as edges in one array: the number of the query of each entry, then the ids, -1 for missing entries.
 * edges (2 x count x k): numbers and ids by (query, distance, id). ids_first: not 0: the ids stand before the numbers.
 * Errors: as bosc_clouds_knn.
 * Cost: as bosc_clouds_knn without dist2, and one pass that writes the numbers.
 * Queues if assume_valid is set, or without queries. */
BOSC_API bosc_status bosc_clouds_knn_edges(bosc_ctx *ctx, const bosc_clouds *clouds, const bosc_clouds_queries *queries,
                                           int64_t k, double radius, int64_t *edges, int32_t ids_first);

/* Counts the points within a radius of each query.
 * counts (count): the numbers.
 * Errors: as bosc_clouds_knn.
 * Cost: as bosc_clouds_knn, without scratch for dist2.
 * Queues if assume_valid is set, or without queries. */
BOSC_API bosc_status bosc_clouds_radius_count(bosc_ctx *ctx, const bosc_clouds *clouds,
                                              const bosc_clouds_queries *queries, double radius, int64_t *counts);

/* Finds all points within a radius of each query, as CSR rows, by two calls, as bosc_kdtree_radius does.
 * The first call, with ids NULL, writes the offsets; the second reads them and fills the rows.
 * offsets (count + 1): row q is ids[offsets[q]] to ids[offsets[q + 1] - 1].
 * ids (capacity): of id_bits, ascending in each row; NULL in the first call.
 * dist2 (capacity): float for F32, else double; may be NULL.
 * capacity: entries that the arrays hold; BOSC_ERR_SPACE if less than offsets[count].
 * Cost: each call searches as bosc_clouds_radius_count does, with 8 bytes of scratch a query; the second also sorts
 *     each row.
 * Waits. */
BOSC_API bosc_status bosc_clouds_radius(bosc_ctx *ctx, const bosc_clouds *clouds, const bosc_clouds_queries *queries,
                                        double radius, int64_t *offsets, void *ids, void *dist2, int64_t capacity);

/* Edges from queries to points. Set `size`. */
typedef struct bosc_clouds_edges {
    size_t size;
    int64_t *edges;    /* (2 x capacity); NULL with capacity 0 */
    int64_t capacity;  /* edges that the array holds */
    int64_t max_edges; /* most edges of a query; 0 admits none */
    int32_t ids_first; /* not 0: the ids of the points stand before the queries */
    int32_t reserved;  /* 0 */
    int64_t total;     /* receives the number of all edges */
    int64_t longest;   /* receives the most edges of a query */
} bosc_clouds_edges;

/* Finds all points within a radius of each query, as edges in one array: the number of the query of each edge, then
 * total ids, by (query, id). One call does what bosc_clouds_radius does by two.
 * edges: if total exceeds capacity, or longest exceeds max_edges, only total and longest are written.
 * Errors: as bosc_clouds_knn.
 * Cost: as both calls of bosc_clouds_radius.
 * Waits. */
BOSC_API bosc_status bosc_clouds_radius_edges(bosc_ctx *ctx, const bosc_clouds *clouds,
                                              const bosc_clouds_queries *queries, double radius,
                                              bosc_clouds_edges *edges);

/* Samples points of each cloud, each sample the point farthest from those before it; of equally far ones that with the
 * smallest id. No point is sampled twice.
 * offsets (cloud_count + 1): ascending from 0 to sample_count; cloud c has offsets[c + 1] - offsets[c] samples, at most
 *     as many as points.
 * starts (cloud_count): int64_t, the id of each cloud's first sample, ignored where there is none; NULL: the smallest
 *     id.
 * ids (sample_count): of id_bits, in the order of the samples.
 * Errors: BOSC_ERR_ARG with the cloud for offsets and starts, unless assume_valid; then none stands for samples beyond
 *     the points.
 * Cost: a point is measured when a new sample may be nearer than those before: O(n dim log m) of n points and m
 *     samples, expected, in few dimensions. Scratch: up to 9 bytes a point, and 4 a cloud for each level of boxes.
 * Queues if assume_valid is set. */
BOSC_API bosc_status bosc_clouds_sample_farthest(bosc_ctx *ctx, const bosc_clouds *clouds, const int64_t *offsets,
                                                 int64_t sample_count, const int64_t *starts, void *ids);

/* Samples a share of each cloud as bosc_clouds_sample_farthest does: ceil(ratio m) of m points.
 * ratio: more than 0, at most 1. The product is rounded to a double first: 0.07 of 100 points are 8.
 * draws (cloud_count): double in [0, 1); the first sample of a cloud of m points is its row floor(draw m). NULL: row 0.
 * offsets (cloud_count + 1): receives the offsets of the samples; may be NULL.
 * ids (capacity): of id_bits, in the order of the samples.
 * capacity: BOSC_ERR_SPACE if less than the sum, which is at most n, and at most ratio n + cloud_count.
 * count: receives the sum; may be NULL.
 * Cost: as bosc_clouds_sample_farthest, with 16 bytes of scratch a cloud.
 * Waits. */
BOSC_API bosc_status bosc_clouds_sample_ratio(bosc_ctx *ctx, const bosc_clouds *clouds, double ratio,
                                              const double *draws, int64_t *offsets, void *ids, int64_t capacity,
                                              int64_t *count);

BOSC_END_DECLS
#endif
