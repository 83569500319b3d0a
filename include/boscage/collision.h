/* boscage/collision.h - collisions of two triangle meshes: all pairs of triangles that touch, found anew every frame.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where the boxes of both meshes overlap, space is cut into cubes, the voxels. A voxel is kept if triangles of both
 * meshes overlap it; the triangles in it are candidates, of which each pair is tested once. The test is exact:
 * triangles are closed, so those that share a point touch, and signs of determinants are computed with error bounds
 * and, where these do not decide, without rounding. Triangles may have no area (segments and points), be coplanar or
 * identical; meshes may be open, or cut through themselves.
 *
 * Coordinates, after the transform, are 0 or of an absolute value from 2^-250 to 2^250 (6e-76 to 1.8e75), so that
 * nothing over- or underflows. All finite floats are, if nothing transforms them.
 * Sources: Alcantara et al., Real-time Parallel Hashing on the GPU (SIGGRAPH Asia 2009), section 6; Akenine-Moeller,
 * Fast 3D Triangle-Box Overlap Testing (2001); Guigue and Devillers, Fast and Robust Triangle-Triangle Overlap Test
 * Using Orientation Predicates (2003); Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
 * Predicates (1997). */
#ifndef BOSCAGE_COLLISION_H
#define BOSCAGE_COLLISION_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* The collisions of one frame, in the memory of one backend and device. Any number of contexts of that device may read
 * them at once, while none rebuilds. It may outlive the context that made it. */
typedef struct bosc_collision bosc_collision;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_collision_opts {
    size_t size;
    bosc_dtype dtype;   /* type of the coordinates: F32 (default) or F64 */
    int32_t index_bits; /* vertex numbers in the meshes' triangles: 32 (uint32_t, default) or 64 (int64_t) */
    int32_t id_bits;    /* triangles in the caller's answers: 64 (int64_t, default) or 32 (uint32_t) */
    double cell;        /* edge of a voxel, finite; 0: twice the mean extent of the triangles near the other mesh */
} bosc_collision_opts;

/* A mesh in the caller's memory; set `size`. Vertices that no triangle has may lie anywhere but cost time. */
typedef struct bosc_collision_mesh {
    size_t size;
    const void *vertices;   /* (vertex_count x 3) of the dtype */
    int64_t vertex_count;   /* < 2^32 */
    int64_t stride;         /* elements from a vertex to the next one (0: 3) */
    const void *triangles;  /* (triangle_count x 3) vertex numbers of index_bits, each below vertex_count */
    int64_t triangle_count; /* of both meshes: < 2^32 - 1 */
    const double
        *transform; /* host, (3 x 4) row by row, finite; NULL: vertices stay where they are. Coordinate c becomes
                                ((t[c][0] x + t[c][1] y) + t[c][2] z) + t[c][3] in double; answers are exact for what
                                that gives */
} bosc_collision_mesh;

/* Makes a handle without collisions.
 * opts: NULL: all defaults.
 * collision: set on success. */
BOSC_API bosc_status bosc_collision_create(bosc_ctx *ctx, const bosc_collision_opts *opts, bosc_collision **collision);

/* Frees the handle once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_collision_free(bosc_collision *collision);

/* The sizes of a frame, which decide on its memory; set `size`. The meshes tell the first two. The others depend on
 * where the meshes are: take them from the bosc_collision_info of an earlier frame, times what they may grow by.
 * Three have bounds, to which larger numbers are lowered: near_count is at most triangles, box_voxels at most
 * 32 near_count + 65,536, and entries at most box_voxels. So INT64_MAX in these fits every frame of the meshes.
 * Candidates and pairs have no such bound: all triangles may touch each other. */
typedef struct bosc_collision_sizes {
    size_t size;
    int64_t vertices;   /* of both meshes, each < 2^32 */
    int64_t triangles;  /* of both meshes, < 2^32 - 1 */
    int64_t near_count; /* this and what follows: as in bosc_collision_info */
    int64_t box_voxels;
    int64_t entries;
    int64_t candidates; /* at most INT64_MAX / 256, as pairs */
    int64_t pairs;
} bosc_collision_sizes;

/* Takes memory beforehand: builds of frames that exceed none of these sizes, and their answers, then allocate nothing.
 * Vertices further apart than 3 elements are excepted where they have to be copied to a device. The handle keeps the
 * frame that it holds.
 * Cost: the allocations, and a copy of the pairs where their memory grows. Waits. */
BOSC_API bosc_status bosc_collision_reserve(bosc_ctx *ctx, bosc_collision *collision,
                                            const bosc_collision_sizes *sizes);

/* Tells the bytes of backend memory that the build of a frame of these sizes takes with these options. Needs no device.
 * opts: may be NULL.
 * kept: held by the handle. May be NULL.
 * scratch: the context's while building, at most. May be NULL. */
BOSC_API bosc_status bosc_collision_bytes(bosc_ctx *ctx, const bosc_collision_opts *opts,
                                          const bosc_collision_sizes *sizes, int64_t *kept, int64_t *scratch);

/* Finds all pairs of a triangle of A and one of B that touch, in place of those of the frame before. The edge of a
 * voxel is doubled while the triangles' boxes overlap more than 32 voxels each on average, and while the boxes' common
 * part is more than 2^20 voxels wide.
 * Errors: BOSC_ERR_DATA with the row for a coordinate that is a NaN or outside the range above, and for a vertex number
 * that there is not. On BOSC_ERR_ARG, BOSC_ERR_LIMIT and BOSC_ERR_DATA the handle holds what it held before; on any
 * other failure it is empty.
 * Cost: O(vertices + triangles + voxels that triangles' boxes overlap) work, a sort of the triangles in voxels that
 * both meshes overlap, and a test for each two of those that share a voxel and whose boxes overlap.
 * bosc_collision_bytes tells the memory of a frame whose sizes are known: scratch of 24 bytes a vertex and 9 a
 * triangle, 88 more a triangle where the meshes' boxes overlap, 2 to 16 a voxel of the triangles' boxes, up to 37 an
 * entry and 25 a candidate, up to 28 MB for exact tests, and copies of arrays that the backend cannot reach.
 * Waits: counts are read back. */
BOSC_API bosc_status bosc_collision_build(bosc_ctx *ctx, bosc_collision *collision, const bosc_collision_mesh *a,
                                          const bosc_collision_mesh *b);

typedef struct bosc_collision_info {
    size_t size;
    int64_t a_count, b_count; /* triangles of the meshes */
    int64_t pairs;            /* that touch */
    int64_t near_count;       /* triangles of both meshes where the meshes' boxes overlap */
    int64_t box_voxels;       /* that the boxes of those overlap, each once for each box */
    int64_t entries;          /* triangles in voxels that both meshes overlap, each once for each of those */
    int64_t candidates;       /* pairs in a common voxel whose boxes overlap, each once for each such voxel */
    double cell;              /* edge of a voxel that was used; 0 where the boxes do not overlap */
    bosc_dtype dtype;
    int32_t index_bits, id_bits;
    int64_t bytes; /* backend memory held by the handle */
} bosc_collision_info;

/* Describes the last build. Set info->size before the call. */
BOSC_API bosc_status bosc_collision_get_info(bosc_ctx *ctx, const bosc_collision *collision, bosc_collision_info *info);

/* Lists the p pairs (i of A, j of B) that touch, ascending by (i, j).
 * pairs: (p x 2) of id_bits; NULL to get *count only.
 * capacity: how many pairs the array holds; BOSC_ERR_SPACE if less than p.
 * count: host; gets p, on BOSC_ERR_SPACE too.
 * Cost: O(p) work. Waits unless the array is on the device. */
BOSC_API bosc_status bosc_collision_pairs(bosc_ctx *ctx, const bosc_collision *collision, void *pairs, int64_t capacity,
                                          int64_t *count);

/* Gives the same as CSR rows: the triangles of B that touch triangle i of A are ids[offsets[i]] to
 * ids[offsets[i + 1] - 1], ascending.
 * Call first with ids NULL to get the offsets; then again with the same offsets, which are then read, and an array for
 * the entries.
 * offsets: (a_count + 1).
 * ids: (capacity) of id_bits.
 * capacity: how many entries the array holds; BOSC_ERR_SPACE if less than offsets[a_count].
 * Cost: O(a_count log p + p) work. Waits. */
BOSC_API bosc_status bosc_collision_rows(bosc_ctx *ctx, const bosc_collision *collision, int64_t *offsets, void *ids,
                                         int64_t capacity);

BOSC_END_DECLS
#endif
