/* boscage/voxelgrid.h - voxel grids of points: neighbours within a radius, close pairs, components, occupied voxels.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Space is cut into cubes with an edge of `cell`, the voxels; that of a point has the coordinates floor(x / cell),
 * divided in double and clamped to +-2^62. A grid keeps the occupied voxels only, so space has no bounds; negative,
 * huge and infinite coordinates are points like others. One sort of the points by voxel builds it, in time linear in
 * their number, so that it can be thrown away and rebuilt every frame. It is fastest where the box of the occupied
 * voxels has at most four voxels a point (and where points are F32): each voxel then has an entry in an index.
 *
 * Distances are those of boscage/kdtree.h, bit for bit: squared, in float for F32 and else in double, terms added in
 * the order of the coordinates; a NaN distance (of infinities) counts as infinite; "within a radius r" means
 * dist2 <= r * r, squared in that type. Answers are exact for every radius and every point, also where quotients are
 * rounded; a cell near the radius makes them fast.
 * Sources: Alcantara et al., Real-time Parallel Hashing on the GPU (SIGGRAPH Asia 2009), section 6; Green, Particle
 * Simulation using CUDA (2008), for the sort in place of a table. */
#ifndef BOSCAGE_VOXELGRID_H
#define BOSCAGE_VOXELGRID_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A grid in the memory of one backend and device. Any number of contexts of that device may query it at once, while
 * none rebuilds it. It may outlive the context that made it. */
typedef struct bosc_voxelgrid bosc_voxelgrid;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_voxelgrid_opts {
    size_t size;
    bosc_dtype dtype;     /* type of the coordinates: F32 (default), F64, I32 or I64 */
    int32_t dim;          /* number of coordinates, 1 to 3; required */
    double cell;          /* edge of a voxel, finite and more than 0; required */
    int32_t id_bits;      /* ids in the caller's arrays: 64 (int64_t, default) or 32 (uint32_t) */
    int32_t assume_valid; /* not 0: neither points nor queries hold a NaN, and none is looked for */
} bosc_voxelgrid_opts;

/* Makes a grid without points.
 * opts: required, as dim and cell have no default.
 * grid: set on success. */
BOSC_API bosc_status bosc_voxelgrid_create(bosc_ctx *ctx, const bosc_voxelgrid_opts *opts, bosc_voxelgrid **grid);

/* Frees the grid once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_voxelgrid_free(bosc_voxelgrid *grid);

/* Takes memory beforehand: builds of up to n points (of at most 64 key bits) and counts of up to query_count queries
 * then allocate nothing. The grid keeps its points. On CUDA, other answers into host arrays take scratch beyond it.
 * Cost: copies the grid's arrays where they grow. Waits. */
BOSC_API bosc_status bosc_voxelgrid_reserve(bosc_ctx *ctx, bosc_voxelgrid *grid, int64_t n, int64_t query_count);

/* Tells the bytes of backend memory that a build of n points with these options takes. Needs no device.
 * kept: held by the grid at most; narrow extents take less. May be NULL.
 * scratch: the context's while building. May be NULL. */
BOSC_API bosc_status bosc_voxelgrid_bytes(bosc_ctx *ctx, const bosc_voxelgrid_opts *opts, int64_t n, int64_t *kept,
                                          int64_t *scratch);

/* Builds or rebuilds the grid from n points, whose row numbers are their ids.
 * points: row i begins `stride` elements after row i - 1 (0: dim). n < 2^32 - 1.
 * Errors: BOSC_ERR_DATA with the row for a NaN. On BOSC_ERR_ARG, BOSC_ERR_LIMIT and BOSC_ERR_DATA the grid holds what
 * it held before; on any other failure it is empty.
 * Cost: O(n) work: a radix sort by key_bits bits (beyond 64: dim sorts by 64 bits). On CUDA F32 points in a box of at
 * most four voxels a point are dealt to ranges of voxels and sorted there, unless a range has too many; up to 2^17 of
 * them take one launch, unless a voxel has more than 128.
 * bosc_voxelgrid_bytes tells the memory. A second build of the same or a smaller size, over no larger an extent,
 * allocates nothing.
 * Waits until the extent is known. */
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
    int32_t key_bits; /* bits that tell voxels apart; more than 64: searches are slower, by comparisons */
    int64_t bytes;    /* backend memory held by the grid */
} bosc_voxelgrid_info;

/* Describes the grid. Set info->size before the call. */
BOSC_API bosc_status bosc_voxelgrid_get_info(bosc_ctx *ctx, const bosc_voxelgrid *grid, bosc_voxelgrid_info *info);

/* Lists the v occupied voxels in ascending order of their coordinates; the first coordinate decides first.
 * coords: (v x dim), or NULL. counts: (v) how many points are in each, or NULL. With both NULL only *count is set.
 * capacity: how many voxels the arrays hold; BOSC_ERR_SPACE if less than v.
 * count: host; gets v, on BOSC_ERR_SPACE too.
 * Cost: O(n) work, 9 n bytes of scratch. Waits. */
BOSC_API bosc_status bosc_voxelgrid_voxels(bosc_ctx *ctx, const bosc_voxelgrid *grid, int64_t *coords, int64_t *counts,
                                           int64_t capacity, int64_t *count);

/* Counts the points in the voxel of each query: whether two objects meet.
 * queries: rows of the grid's dtype and dim, `stride` elements apart (0: dim). NULL: the points of the build, query i
 * being the point with id i; query_count is then their number, and stride is not used.
 * counts: (query_count).
 * Errors: BOSC_ERR_ARG for queries NULL and a query_count that is neither 0 nor the number of points; BOSC_ERR_DATA
 * with the row for a NaN in a query, unless assume_valid.
 * Cost: O(1) work a query where key_bits is small beside the number of points, else a binary search among the points of
 * an index entry; no scratch but for host arrays on CUDA.
 * Waits unless all arrays are on the device and queries are NULL or assume_valid is set. */
BOSC_API bosc_status bosc_voxelgrid_voxel_count(bosc_ctx *ctx, const bosc_voxelgrid *grid, const void *queries,
                                                int64_t query_count, int64_t stride, int64_t *counts);

/* Counts the points within a radius of each query.
 * queries: as for bosc_voxelgrid_voxel_count. radius >= 0. counts: (query_count).
 * Cost: O(rows of occupied voxels in reach + points in them) work a query; empty space costs next to nothing. From
 * 4,096 queries on they are sorted by voxel first: O(query_count) work, up to 64 bytes of scratch each. With queries
 * NULL nothing is sorted, copied or looked through for a NaN: the grid's points ask in its own order. On CUDA the F32
 * array of the build, with the same n and stride, is not sorted again either, but read at random.
 * Waits as bosc_voxelgrid_voxel_count. */
BOSC_API bosc_status bosc_voxelgrid_radius_count(bosc_ctx *ctx, const bosc_voxelgrid *grid, const void *queries,
                                                 int64_t query_count, int64_t stride, double radius, int64_t *counts);

/* Finds all points within a radius of each query, as CSR rows: the ids of query q are ids[offsets[q]] to
 * ids[offsets[q + 1] - 1], ascending. bosc_kdtree_radius gives the same.
 * Call first with ids NULL to get the offsets; then again with the same offsets, which are then read, and arrays for
 * the entries.
 * queries, radius: as for bosc_voxelgrid_radius_count.
 * offsets: (query_count + 1).
 * ids: (capacity) of id_bits. dist2: (capacity) float for F32, else double; may be NULL.
 * capacity: how many entries the arrays hold; BOSC_ERR_SPACE if less than offsets[query_count].
 * Cost: each of the two calls searches as bosc_voxelgrid_radius_count does, with 8 bytes of scratch a query; the second
 * also sorts each row. Waits. */
BOSC_API bosc_status bosc_voxelgrid_radius(bosc_ctx *ctx, const bosc_voxelgrid *grid, const void *queries,
                                           int64_t query_count, int64_t stride, double radius, int64_t *offsets,
                                           void *ids, void *dist2, int64_t capacity);

/* Finds all p pairs i < j of points within a radius of each other, ascending by (i, j).
 * pairs: (p x 2) of id_bits; NULL to get *count only. dist2: (p) float for F32, else double; may be NULL.
 * capacity: how many pairs the arrays hold; BOSC_ERR_SPACE if less than p.
 * count: host; gets p, on BOSC_ERR_SPACE too.
 * Cost: a search around every point, and with `pairs` a second one that fills and sorts; 8 n bytes of scratch. On CUDA
 * F32 pairs that are only counted are looked at once, with hardly any scratch; up to 2^27 F32 points keep rows of up to
 * 24 pairs from the first search (where voxels have four points and more, up to 2^26 points keep 64, or 32 with dist2):
 * 20 n bytes of scratch, and 4 more (8 with dist2) for each of such pairs that capacity has room for.
 * Waits until p is known; pairs and dist2 on the device may be written after that. */
BOSC_API bosc_status bosc_voxelgrid_pairs(bosc_ctx *ctx, const bosc_voxelgrid *grid, double radius, void *pairs,
                                          void *dist2, int64_t capacity, int64_t *count);

/* Finds the connected components of the graph of all pairs within a radius, without listing the pairs.
 * labels: (n) of id_bits, the smallest id of each point's component, as bosc_components_compute gives them; or NULL.
 * count: host; gets the number of components; may be NULL.
 * Cost: a search around every point and a union for each pair found (nearly O(1)); 5 n bytes of scratch. Waits. */
BOSC_API bosc_status bosc_voxelgrid_components(bosc_ctx *ctx, const bosc_voxelgrid *grid, double radius, void *labels,
                                               int64_t *count);

BOSC_END_DECLS
#endif
