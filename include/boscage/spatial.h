/* boscage/spatial.h - voxel grids of points: neighbours within a radius, close pairs, groups, occupied voxels.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Space is cut into cubes with an edge of `cell`, the voxels; that of a point has the coordinates floor(x / cell),
 * divided in double and cut to +-2^62. A grid keeps only what is occupied, so space has no bounds and negative, huge
 * and infinite coordinates are points like others. It is built by one sort of the points by voxel, in time linear in
 * their number, to be thrown away and built again every frame.
 *
 * Distances are those of boscage/kdtree.h, bit for bit: squared, in float for F32 and else in double, terms added in
 * the order of the coordinates, NaN (of infinities) counting as infinite, and within a radius means dist2 <= r * r,
 * squared in that type. The answers are exact for every radius and every point, also where quotients are rounded; a
 * cell near the radius makes them fast.
 * Sources: Alcantara et al., Real-time Parallel Hashing on the GPU (SIGGRAPH Asia 2009), section 6; Green, Particle
 * Simulation using CUDA (2008), for the sort in place of a table. */
#ifndef BOSCAGE_SPATIAL_H
#define BOSCAGE_SPATIAL_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A grid in the memory of one backend and device. Any number of contexts of that device may query it at once, while
 * none rebuilds it. It may outlive the context that made it. */
typedef struct bosc_grid bosc_grid;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_grid_opts {
    size_t size;
    bosc_dtype dtype;     /* type of the coordinates: F32 (default), F64, I32 or I64 */
    int32_t dim;          /* number of coordinates, 1 to 3; required */
    double cell;          /* edge of a voxel, finite and more than 0; required */
    int32_t id_bits;      /* ids in arrays of the caller's: 64 (int64_t, default) or 32 (uint32_t) */
    int32_t assume_valid; /* not 0: neither points nor queries hold a NaN: none is looked for */
} bosc_grid_opts;

/* Makes a grid without points. `opts` is required (dim and cell have no default). *grid is set on success. */
BOSC_API bosc_status bosc_grid_create(bosc_ctx *ctx, const bosc_grid_opts *opts, bosc_grid **grid);

/* Frees the grid once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_grid_free(bosc_grid *grid);

/* Makes room so that builds of up to n points (key_bits at most 64), and counts of up to m queries, allocate nothing;
 * the grid keeps what it holds. On CUDA, host arrays for other answers take scratch beyond it. */
BOSC_API bosc_status bosc_grid_reserve(bosc_ctx *ctx, bosc_grid *grid, int64_t n, int64_t m);

/* Bytes of backend memory for a build of n points with these options: kept by the grid at most (narrow extents take
 * less), and scratch while building (the context's). Either pointer may be NULL. Needs no device. */
BOSC_API bosc_status bosc_grid_bytes(const bosc_ctx *ctx, const bosc_grid_opts *opts, int64_t n, int64_t *kept,
                                     int64_t *scratch);

/* Builds or rebuilds the grid from n points; row i begins `stride` elements after row i - 1 (0: dim). The ids of the
 * points are their row numbers. n < 2^32 - 1. A second build of the same or a smaller size, over no larger an extent,
 * allocates nothing. O(n): a radix sort by as many bits as the extent of the occupied voxels needs. BOSC_ERR_DATA with
 * the row for a NaN. On BOSC_ERR_ARG, BOSC_ERR_LIMIT and BOSC_ERR_DATA the grid holds what it held before; on any other
 * failure it is empty. Waits: the extent is read back. */
BOSC_API bosc_status bosc_grid_build(bosc_ctx *ctx, bosc_grid *grid, const void *points, int64_t n, int64_t stride);

typedef struct bosc_grid_info {
    size_t size;
    int64_t n;
    int64_t low[3], high[3]; /* the smallest and largest voxel coordinates (0 beyond dim, and without points) */
    double cell;
    int32_t dim;
    bosc_dtype dtype;
    int32_t id_bits;
    int32_t key_bits; /* that tell voxels apart; more than 64: slower, by comparisons */
    int64_t bytes;    /* backend memory held by the grid */
} bosc_grid_info;
BOSC_API bosc_status bosc_grid_get_info(const bosc_grid *grid, bosc_grid_info *info);

/* The occupied voxels in ascending order of their coordinates (the first decides first): coords (v x dim, int64) and
 * counts (v, int64), how many points are in each; *count (host) is v. Call first with coords and counts NULL to get
 * *count; then with arrays of room for `room` voxels; BOSC_ERR_SPACE if room < v (*count is set then too). Waits. */
BOSC_API bosc_status bosc_grid_voxels(bosc_ctx *ctx, const bosc_grid *grid, int64_t *coords, int64_t *counts,
                                      int64_t room, int64_t *count);

/* counts[q] (m, int64) = how many points are in the voxel of query q (rows of the grid's dtype and dim, `stride`
 * elements apart, 0: dim): whether two objects meet. Waits unless all arrays are on the device and assume_valid. */
BOSC_API bosc_status bosc_grid_voxel_count(bosc_ctx *ctx, const bosc_grid *grid, const void *queries, int64_t m,
                                           int64_t stride, int64_t *counts);

/* Counts the points with dist2 <= r * r of each query: counts (m, int64). radius >= 0. Only occupied voxels in reach
 * are looked at. Waits as bosc_grid_voxel_count. */
BOSC_API bosc_status bosc_grid_radius_count(bosc_ctx *ctx, const bosc_grid *grid, const void *queries, int64_t m,
                                            int64_t stride, double radius, int64_t *counts);

/* Finds all points with dist2 <= r * r of each query, as rows of compressed sparse form: the ids of query q are
 * ids[offsets[q]] to ids[offsets[q + 1] - 1], ascending; bosc_kdtree_radius gives the same. offsets (m + 1, int64).
 * Call first with ids NULL to get offsets; then again with ids of capacity `room` (elements of id_bits) and the same
 * offsets, which are read then; BOSC_ERR_SPACE if room < offsets[m]. dist2 (room, float for F32, else double, may be
 * NULL). Waits. */
BOSC_API bosc_status bosc_grid_radius(bosc_ctx *ctx, const bosc_grid *grid, const void *queries, int64_t m,
                                      int64_t stride, double radius, int64_t *offsets, void *ids, void *dist2,
                                      int64_t room);

/* All pairs i < j of points with dist2 <= r * r, ascending by (i, j): pairs (p x 2, of id_bits), dist2 (p, or NULL);
 * *count (host) is p. Call first with pairs NULL to get *count; then with room for `room` pairs; BOSC_ERR_SPACE if
 * room < p (*count is set then too). Waits. */
BOSC_API bosc_status bosc_grid_pairs(bosc_ctx *ctx, const bosc_grid *grid, double radius, void *pairs, void *dist2,
                                     int64_t room, int64_t *count);

/* The groups that pairs with dist2 <= r * r join, as bosc_components gives them: labels (n, of id_bits, or NULL) is the
 * smallest id of each point's group; *count (host, may be NULL) the number of groups. The pairs are looked at, but not
 * kept. Waits. */
BOSC_API bosc_status bosc_grid_groups(bosc_ctx *ctx, const bosc_grid *grid, double radius, void *labels,
                                      int64_t *count);

BOSC_END_DECLS
#endif
