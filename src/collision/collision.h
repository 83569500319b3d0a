/* Inside a frame's collisions: the handle, the part of both meshes that steps read, and the room's table. Both
 * meshes are one list of triangles, those of A first, so that each step is one launch. Three filters precede the
 * exact test: the common part of the meshes' boxes, voxels that both meshes overlap, and the triangles' boxes. */
#ifndef BI_COLLISION_COLLISION_H
#define BI_COLLISION_COLLISION_H

#include <boscage/collision.h>

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BI_COLLISION_DIM = 3, BI_COLLISION_CORNERS = 9 /* coordinates of a triangle */ };

/* The caller's mesh, reachable. */
struct bi_collision_input {
    const void *vertices, *triangles;
    int64_t vertex_count, stride, triangle_count;
    double transform[12];
    bool transformed, is_f64, indices_64bit; /* F64; 64-bit vertex numbers */
};

/* Both meshes, and results of reading them. */
struct bi_collision_meshes {
    struct bi_collision_input mesh[2];
    double *positions; /* (vertices of A and then of B, x 3) */
    /* Minima, all bits set at first; indices below. */
    uint64_t *found;
};

/* Indices of `found`: first bad vertex and first bad triangle of each mesh; then for each mesh the keys of its least
 * coordinates, and the complements of the keys of its greatest. */
enum {
    BI_COLLISION_BAD_VERTEX = 0,
    BI_COLLISION_BAD_TRIANGLE = 2,
    BI_COLLISION_LOW = 4,
    BI_COLLISION_HIGH = 10,
    BI_COLLISION_FOUND = 16
};

/* The grid of voxels over the common part of the meshes' boxes. */
struct bi_collision_grid {
    double low[BI_COLLISION_DIM], high[BI_COLLISION_DIM]; /* of the common part, inclusive */
    double cell;
    double half;                    /* half the edge of a voxel, and a margin for rounding */
    int64_t size[BI_COLLISION_DIM]; /* voxels along each coordinate, at most 2^20 + 1 */
    uint32_t *a_bits, *b_bits;      /* voxels that each mesh overlaps, hashed; a superset */
    uint64_t word_mask;
};

/* The triangles near the common part: a_count of A, then those of B, each in id order. */
struct bi_collision_soup {
    const double *corners; /* (count x 9) */
    const uint32_t *ids;   /* (count) in the list of both meshes; those of B begin at b_first */
    int64_t count, a_count, b_first;
};

struct bosc_collision {
    struct bi_memory memory, host;
    bosc_collision_opts opts; /* every field set */
    bosc_collision_info info; /* of the last build */
    struct bi_block pairs;    /* (pairs x 2) uint32 */
};

/* ---- sizes of a frame, for builds and reservations ---- */

enum {
    BI_COLLISION_DIRECT_FACTOR = 4,      /* growth allowed for a table with a bit a voxel of the grid; not measured */
    BI_COLLISION_BOX_VOXELS = 32,        /* most voxels of a box on average, ... */
    BI_COLLISION_EXTRA_VOXELS = 1 << 16, /* ... and extra voxels in all; not measured */
    BI_COLLISION_BITS_PER_VOXEL = 8,     /* of hashed tables: at most one bit of eight is set */
    BI_COLLISION_MIN_WORDS = 32          /* of a table */
};

/* Returns the most voxels in the boxes of n triangles. */
static inline int64_t bi_collision_max_voxels(int64_t n)
{
    return BI_COLLISION_BOX_VOXELS * n + BI_COLLISION_EXTRA_VOXELS;
}

/* Returns the words of a table for this many voxels of boxes, a power of two. If the grid has few voxels, the table may
 * be smaller, or up to BI_COLLISION_DIRECT_FACTOR times as large. */
static inline uint64_t bi_collision_table_words(int64_t voxels)
{
    uint64_t words = BI_COLLISION_MIN_WORDS;
    while (words * 32 < (uint64_t)voxels * BI_COLLISION_BITS_PER_VOXEL) words *= 2;
    return words;
}

struct bi_collision_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

/* The room's table. */
struct bi_collision_ops {
    const struct bi_collision_steps *steps;
};

#ifdef __cplusplus
}
#endif
#endif
