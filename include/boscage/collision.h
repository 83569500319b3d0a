/* boscage/collision.h - collisions of two triangle meshes: all pairs of triangles that touch, recomputed every frame.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: meshes
 * Start with: bosc_collision_build, _pairs
 *
 * Space is divided into voxels where the boxes of both meshes overlap. Triangles that share a voxel overlapped by both
 * meshes are candidates; each candidate pair is tested once. The test is exact. Triangles are closed, so triangles that
 * share a point touch. Signs of determinants are computed with error bounds and, where these do not decide, without
 * rounding. Triangles may have no area (segments and points), be coplanar or identical; meshes may be open or intersect
 * themselves.
 *
 * Coordinates, after the transform, are 0 or of magnitude 2^-250 to 2^250 (6e-76 to 1.8e75), so that nothing over- or
 * underflows. All finite floats satisfy this without a transform.
 * Sources: Alcantara et al., Real-time Parallel Hashing on the GPU (SIGGRAPH Asia 2009), section 6; Akenine-Moeller,
 *     Fast 3D Triangle-Box Overlap Testing (2001); Guigue and Devillers, Fast and Robust Triangle-Triangle Overlap Test
 *     Using Orientation Predicates (2003); Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust
 *     Geometric Predicates (1997). */
#ifndef BOSCAGE_COLLISION_H
#define BOSCAGE_COLLISION_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* The collisions of one frame, in the memory of one backend and device. Any number of contexts of that device may read
 * them at once, while none rebuilds. It may outlive the context that made it. */
typedef struct bosc_collision bosc_collision;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_collision_opts {
    size_t size;
    bosc_dtype dtype;   /* type of the coordinates: F32 (default) or F64 */
    int32_t index_bits; /* vertex numbers of the meshes: 32 (uint32_t, default) or 64 (int64_t) */
    int32_t id_bits;    /* triangle numbers of the results: 64 (int64_t, default) or 32 (uint32_t) */
    double cell;        /* edge of a voxel, finite; 0: twice the mean extent of the triangles near the other mesh */
} bosc_collision_opts;

/* A mesh in the caller's memory. Set `size`. Vertices of no triangle may lie anywhere but cost time. */
typedef struct bosc_collision_mesh {
    size_t size;
    const void *vertices;   /* (vertex_count x 3) of the dtype */
    int64_t vertex_count;   /* < 2^32 */
    int64_t stride;         /* elements from a vertex to the next one (0: 3) */
    const void *triangles;  /* (triangle_count x 3) vertex numbers of index_bits, each below vertex_count */
    int64_t triangle_count; /* of both meshes: < 2^32 - 1 */
    /* host, (3 x 4) row-major, finite; NULL: identity. Coordinate c becomes ((t[c][0] x + t[c][1] y) + t[c][2] z) +
     * t[c][3] in double; results are exact for the rounded coordinates. */
    const double *transform;
} bosc_collision_mesh;

/* Makes a handle without collisions.
 * opts: NULL means the defaults.
 * collision: set on success. */
BOSC_API bosc_status bosc_collision_create(bosc_ctx *ctx, const bosc_collision_opts *opts, bosc_collision **collision);

/* Frees the handle once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_collision_free(bosc_collision *collision);

/* The sizes of a frame, which determine its memory. Set `size`. The first two follow from the meshes. The others depend
 * on the meshes' positions: take them from the bosc_collision_info of an earlier frame, with a margin. Three have
 * bounds, and larger numbers are lowered to them: near_count is at most triangles, box_voxels at most 32 near_count +
 * 65,536, entries at most box_voxels. So INT64_MAX in these fits every frame of the meshes. Candidates and pairs have
 * no such bound: all triangles may touch each other. */
typedef struct bosc_collision_sizes {
    size_t size;
    int64_t vertices;   /* of both meshes, each < 2^32 */
    int64_t triangles;  /* of both meshes, < 2^32 - 1 */
    int64_t near_count; /* this and the next ones: as in bosc_collision_info */
    int64_t box_voxels;
    int64_t entries;
    int64_t candidates; /* at most INT64_MAX / 256, as pairs */
    int64_t pairs;
} bosc_collision_sizes;

/* Reserves memory so that builds of frames within these sizes, and their results, allocate nothing.
 * Vertices of a stride above 3 that must be copied to a device are excepted. The handle keeps its frame.
 * Cost: the allocations, and a copy of the pairs if their memory grows.
 * Waits. */
BOSC_API bosc_status bosc_collision_reserve(bosc_ctx *ctx, bosc_collision *collision,
                                            const bosc_collision_sizes *sizes);

/* Computes the backend memory, in bytes, of the build of a frame of these sizes. Needs no device.
 * opts: NULL means the defaults.
 * kept: held by the handle; may be NULL.
 * scratch: of the context while building, at most; may be NULL. */
BOSC_API bosc_status bosc_collision_bytes(bosc_ctx *ctx, const bosc_collision_opts *opts,
                                          const bosc_collision_sizes *sizes, int64_t *kept, int64_t *scratch);

/* Finds all pairs of a triangle of A and one of B that touch; they replace those of the frame before.
 * The edge of a voxel is doubled while the triangles' boxes overlap more than 32 voxels each on average, and while the
 * boxes' common part is more than 2^20 voxels wide.
 * Errors: BOSC_ERR_DATA with the row for a coordinate that is NaN or outside the range above, and for a vertex number
 *     out of range. On BOSC_ERR_ARG, BOSC_ERR_LIMIT and BOSC_ERR_DATA the handle is unchanged; on any other failure it
 *     is empty.
 * Cost: O(vertices + triangles + box_voxels) work, a sort of the entries, and a test a candidate (see
 *     bosc_collision_info). bosc_collision_bytes gives the memory.
 * Waits. */
BOSC_API bosc_status bosc_collision_build(bosc_ctx *ctx, bosc_collision *collision, const bosc_collision_mesh *a,
                                          const bosc_collision_mesh *b);

typedef struct bosc_collision_info {
    size_t size;
    int64_t a_count, b_count; /* triangles of the meshes */
    int64_t pairs;            /* that touch */
    int64_t near_count;       /* triangles of both meshes where the meshes' boxes overlap */
    int64_t box_voxels;       /* voxels that their boxes overlap, counted once a box */
    int64_t entries;          /* triangles in voxels that both meshes overlap, counted once a voxel */
    int64_t candidates;       /* pairs with overlapping boxes in a common voxel, counted once a voxel */
    double cell;              /* edge of a voxel as used; 0 if the boxes do not overlap */
    bosc_dtype dtype;
    int32_t index_bits, id_bits;
    int64_t bytes; /* backend memory held by the handle */
} bosc_collision_info;

/* Describes the last build. Set `size`. */
BOSC_API bosc_status bosc_collision_get_info(bosc_ctx *ctx, const bosc_collision *collision, bosc_collision_info *info);

/* Lists the p pairs (i of A, j of B) that touch, ascending by (i, j).
 * pairs (p x 2): of id_bits; NULL to get *count only.
 * capacity: pairs that the array holds; BOSC_ERR_SPACE if less than p.
 * count: host; receives p, also on BOSC_ERR_SPACE.
 * Cost: O(p) work.
 * Queues. */
BOSC_API bosc_status bosc_collision_pairs(bosc_ctx *ctx, const bosc_collision *collision, void *pairs, int64_t capacity,
                                          int64_t *count);

/* Lists the same pairs as CSR rows, by two calls: the triangles of B that touch each triangle of A.
 * The first call, with ids NULL, writes the offsets; the second reads them and fills the rows.
 * offsets (a_count + 1): triangle i of A has ids[offsets[i]] to ids[offsets[i + 1] - 1].
 * ids (capacity): of id_bits, ascending in each row; NULL in the first call.
 * capacity: entries that the array holds; BOSC_ERR_SPACE if less than offsets[a_count].
 * Cost: O(a_count log p + p) work.
 * Waits. */
BOSC_API bosc_status bosc_collision_rows(bosc_ctx *ctx, const bosc_collision *collision, int64_t *offsets, void *ids,
                                         int64_t capacity);

BOSC_END_DECLS
#endif
