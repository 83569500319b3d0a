/* Inside a frame's collisions: the handle, what steps read of both meshes, and the room's table.
 *
 * Both meshes are one list of triangles, those of A first, so that each step is one launch. Three filters stand before
 * the exact test: the common part of the meshes' boxes, voxels that both meshes overlap, and the triangles' boxes. */
#ifndef BI_COLLISION_COLLISION_H
#define BI_COLLISION_COLLISION_H

#include <boscage/collision.h>

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BI_COLLISION_DIM = 3, BI_COLLISION_CORNERS = 9 /* coordinates of a triangle */ };

/* A mesh as the caller gave it, in reach. */
struct bi_collision_input {
    const void *vertices, *triangles;
    int64_t vertex_count, stride, triangle_count;
    double transform[12];
    bool transformed, wide, wide_indices; /* F64; 64-bit vertex numbers */
};

/* The inputs, and what is found while they are read. */
struct bi_collision_meshes {
    struct bi_collision_input mesh[2];
    double *positions; /* (vertices of A and then of B, x 3) */
    /* Minima, all bits set before: BI_COLLISION_..., below. */
    uint64_t *found;
};

/* Places in `found`: the first vertex and the first triangle of each mesh that must be refused; then for each mesh the
 * ordered keys of the least coordinates, and the complements of those of the greatest. */
enum {
    BI_COLLISION_BAD_VERTEX = 0,
    BI_COLLISION_BAD_TRIANGLE = 2,
    BI_COLLISION_LOW = 4,
    BI_COLLISION_HIGH = 10,
    BI_COLLISION_FOUND = 16
};

/* The grid of voxels over the common part of the meshes' boxes. */
struct bi_collision_grid {
    double low[BI_COLLISION_DIM], high[BI_COLLISION_DIM]; /* of that part: both belong to it */
    double cell;
    double half;                    /* of a voxel's edge, and more by what rounding may hide */
    int64_t size[BI_COLLISION_DIM]; /* voxels along each coordinate, at most 2^20 + 1 */
    uint32_t *a_bits, *b_bits;      /* which voxels each mesh overlaps, by hash; there may be more */
    uint64_t word_mask;
};

/* The triangles where the meshes' boxes overlap: those of A, which are the first a_count, and of B, each in the order
 * of their ids. */
struct bi_collision_soup {
    const double *corners; /* (count x 9) */
    const uint32_t *ids;   /* (count) in both meshes together: those of B begin at b_first */
    int64_t count, a_count, b_first;
};

struct bosc_collision {
    struct bi_memory memory, host;
    bosc_collision_opts opts; /* every field set */
    bosc_collision_info info; /* of the last build */
    struct bi_block pairs;    /* (pairs x 2) uint32 */
};

struct bi_collision_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

/* The table of collisions that each backend gives. */
struct bi_collision_ops {
    const struct bi_collision_steps *steps;
};

#ifdef __cplusplus
}
#endif
#endif
