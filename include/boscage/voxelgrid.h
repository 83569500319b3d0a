/* boscage/voxelgrid.h - voxel grids of points: neighbours within a radius, close pairs, components, occupied voxels.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_voxelgrid_build, _pairs
 *
 * Voxels are cubes of edge `cell`. A point is in the voxel floor(x / cell), divided in double and clamped to +-2^62. A
 * grid stores the occupied voxels only, so space is unbounded, and negative, huge and infinite coordinates are allowed.
 * One sort of the points by voxel builds it, in linear time, so it can be rebuilt every frame. It is fastest for F32
 * points if the box of the occupied voxels has at most four voxels a point.
 *
 * Distances are those of boscage/kdtree.h, bit for bit: squared, in float for F32 and else in double, terms added in
 * the order of the coordinates; a NaN distance (of infinities) counts as infinite. "Within a radius r" means that the
 * root of dist2, rounded to that type, is at most r, rounded to it too. Results are exact for every radius and every
 * point; a cell near the radius makes them fast.
 * Sources: Alcantara et al., Real-time Parallel Hashing on the GPU (SIGGRAPH Asia 2009), section 6; Green, Particle
 *     Simulation using CUDA (2008), for the sort in place of a table. */
#ifndef BOSCAGE_VOXELGRID_H
#define BOSCAGE_VOXELGRID_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A grid in the memory of one backend and device. Any number of contexts of that device may query it at once, while
 * none rebuilds it. It may outlive the context that made it. */
typedef struct bosc_voxelgrid bosc_voxelgrid;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_voxelgrid_opts {
    size_t size;
    bosc_dtype dtype;     /* type of the coordinates: F32 (default), F64, I32 or I64 */
    int32_t dim;          /* number of coordinates, 1 to 3; required */
    double cell;          /* edge of a voxel, finite and more than 0; required */
    int32_t id_bits;      /* ids in the caller's arrays: 64 (int64_t, default) or 32 (uint32_t) */
    int32_t assume_valid; /* not 0: points and queries hold no NaN; skips the check */
} bosc_voxelgrid_opts;

/* Makes a grid without points.
 * opts: required, as dim and cell have no default.
 * grid: set on success. */
BOSC_API bosc_status bosc_voxelgrid_create(bosc_ctx *ctx, const bosc_voxelgrid_opts *opts, bosc_voxelgrid **grid);

/* Frees the grid once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_voxelgrid_free(bosc_voxelgrid *grid);

/* Reserves memory so that builds of up to n points and counts of up to query_count queries allocate nothing.
 * This holds for at most 64 key bits. On CUDA, other results in host arrays take more scratch. The grid keeps its
 * points.
 * Cost: copies the grid's arrays if they grow.
 * Waits. */
BOSC_API bosc_status bosc_voxelgrid_reserve(bosc_ctx *ctx, bosc_voxelgrid *grid, int64_t n, int64_t query_count);

/* Computes the backend memory, in bytes, of a build of n points. Needs no device.
 * kept: held by the grid, at most; narrow extents take less; may be NULL.
 * scratch: of the context while building; may be NULL. */
BOSC_API bosc_status bosc_voxelgrid_bytes(bosc_ctx *ctx, const bosc_voxelgrid_opts *opts, int64_t n, int64_t *kept,
                                          int64_t *scratch);

/* Builds or rebuilds the grid from n points. Ids are row numbers.
 * points (n x dim): rows `stride` elements apart (0: dim). n < 2^32 - 1.
 * Errors: BOSC_ERR_DATA with the row for a NaN. On BOSC_ERR_ARG, BOSC_ERR_LIMIT and BOSC_ERR_DATA the grid is
 *     unchanged; on any other failure it is empty.
 * Cost: O(n) work: a radix sort by key_bits bits (beyond 64: dim sorts by 64 bits). bosc_voxelgrid_bytes gives the
 *     memory. A second build of the same or a smaller size, over no larger an extent, allocates nothing.
 * Waits. */
BOSC_API bosc_status bosc_voxelgrid_build(bosc_ctx *ctx, bosc_voxelgrid *grid, const void *points, int64_t n,
                                          int64_t stride);

typedef struct bosc_voxelgrid_info {
    size_t size;
    int64_t n;
    int64_t low[3], high[3]; /* the smallest and largest voxel coordinates (0 beyond dim, and without points) */
    double cell;
    int32_t dim;
    bosc_dtype dtype;
    int32_t id_bits;
    int32_t key_bits; /* bits that distinguish voxels; above 64 searches are slower, by comparisons */
    int64_t bytes;    /* backend memory held by the grid */
} bosc_voxelgrid_info;

/* Describes the grid. Set `size`. */
BOSC_API bosc_status bosc_voxelgrid_get_info(bosc_ctx *ctx, const bosc_voxelgrid *grid, bosc_voxelgrid_info *info);

/* Lists the v occupied voxels in ascending order of their coordinates; the first coordinate decides first.
 * coords (v x dim): may be NULL.
 * counts (v): number of points in each; may be NULL. With both NULL only *count is set.
 * capacity: voxels that the arrays hold; BOSC_ERR_SPACE if less than v.
 * count: host; receives v, also on BOSC_ERR_SPACE.
 * Cost: O(n) work, 9 n bytes of scratch.
 * Waits. */
BOSC_API bosc_status bosc_voxelgrid_voxels(bosc_ctx *ctx, const bosc_voxelgrid *grid, int64_t *coords, int64_t *counts,
                                           int64_t capacity, int64_t *count);

/* Counts the points in the voxel of each query.
 * queries (query_count x dim): of the grid's dtype, rows `stride` elements apart (0: dim). NULL: the points of the
 *     build; query i is the point with id i, query_count is their number, and stride is ignored.
 * counts (query_count): the numbers.
 * Errors: BOSC_ERR_ARG for queries NULL and a query_count that is neither 0 nor the number of points; BOSC_ERR_DATA
 *     with the row for a NaN in a query, unless assume_valid.
 * Cost: O(1) work a query if key_bits is small beside the number of points, else a binary search among the points of an
 *     index entry; no scratch.
 * Queues if queries is NULL or assume_valid is set. */
BOSC_API bosc_status bosc_voxelgrid_voxel_count(bosc_ctx *ctx, const bosc_voxelgrid *grid, const void *queries,
                                                int64_t query_count, int64_t stride, int64_t *counts);

/* Counts the points within a radius of each query.
 * queries, stride: as in bosc_voxelgrid_voxel_count. NULL is fastest: the grid's points are searched in its own order.
 * radius: 0 or more.
 * counts (query_count): the numbers.
 * Errors: BOSC_ERR_LIMIT, here and below, for a radius with a square that does not fit: below 2^-60 (2^-508 if dist2
 *     is double), but not 0; finite and beyond 2^62 (2^510), unless the queries are the grid's own points and the box
 *     of their voxels is at most 2^61 (2^509) long.
 * Cost: O(rows of occupied voxels in reach + points in them) work a query; radius 0 does without the fastest searches,
 *     as it compares coordinates, whose squares may underflow. Batches of 4,096 queries or more are first
 *     sorted by voxel, with up to 64 bytes of scratch each.
 * Queues if queries is NULL or assume_valid is set. */
BOSC_API bosc_status bosc_voxelgrid_radius_count(bosc_ctx *ctx, const bosc_voxelgrid *grid, const void *queries,
                                                 int64_t query_count, int64_t stride, double radius, int64_t *counts);

/* Finds all points within a radius of each query, as CSR rows, by two calls, as bosc_kdtree_radius does.
 * The first call, with ids NULL, writes the offsets; the second reads them and fills the rows.
 * queries, stride, radius: as in bosc_voxelgrid_radius_count.
 * offsets (query_count + 1): row q is ids[offsets[q]] to ids[offsets[q + 1] - 1].
 * ids (capacity): of id_bits, ascending in each row; NULL in the first call.
 * dist2 (capacity): float for F32, else double; may be NULL.
 * capacity: entries that the arrays hold; BOSC_ERR_SPACE if less than offsets[query_count].
 * Cost: each call searches as bosc_voxelgrid_radius_count does, with 8 bytes of scratch a query; the second also sorts
 *     each row.
 * Waits. */
BOSC_API bosc_status bosc_voxelgrid_radius(bosc_ctx *ctx, const bosc_voxelgrid *grid, const void *queries,
                                           int64_t query_count, int64_t stride, double radius, int64_t *offsets,
                                           void *ids, void *dist2, int64_t capacity);

/* Finds all p pairs i < j of points within a radius of each other, ascending by (i, j).
 * pairs (p x 2): of id_bits; NULL to count only.
 * dist2 (p): float for F32, else double; may be NULL.
 * capacity: pairs that the arrays hold; BOSC_ERR_SPACE if less than p.
 * count: host; receives p, also on BOSC_ERR_SPACE.
 * Cost: a search around every point, and with `pairs` a second one that fills and sorts; 8 n bytes of scratch. The CPU
 *     keeps up to 64 n pairs from the first search, in 16 n bytes of scratch and 4.5 a pair of the capacity (9 with
 *     F32 distances, else 13.5). On CUDA F32 points may keep short rows in up to 20 n bytes and 4 to 8 a pair
 *     (docs/design/voxelgrid.md).
 * Waits until p is known; arrays on the device may be written after that. */
BOSC_API bosc_status bosc_voxelgrid_pairs(bosc_ctx *ctx, const bosc_voxelgrid *grid, double radius, void *pairs,
                                          void *dist2, int64_t capacity, int64_t *count);

/* Finds the connected components of the graph of all pairs within a radius, without listing the pairs.
 * labels (n): of id_bits, the smallest id of each point's component, as bosc_components_compute; may be NULL.
 * count: host; receives the number of components; may be NULL.
 * Cost: a search around every point and a union a pair, nearly O(1); 6 n bytes of scratch. Copies of points in crowded
 *     voxels are joined first, by a sort: then only different points make pairs, and scratch is about 60 n bytes.
 * Waits. */
BOSC_API bosc_status bosc_voxelgrid_components(bosc_ctx *ctx, const bosc_voxelgrid *grid, double radius, void *labels,
                                               int64_t *count);

BOSC_END_DECLS
#endif
