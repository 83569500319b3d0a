/* Shared by the drivers of collisions: a frame, from the meshes to the pairs. */
#ifndef BI_COLLISION_DRIVERS_H
#define BI_COLLISION_DRIVERS_H

#include "collision/handle.h"
#include "collision/steps/steps.h"

enum {
    BI_COLLISION_TEST_COST = 32,        /* cost of a test in simple items, for progress; estimated */
    BI_COLLISION_DIRECT_FACTOR = 4,     /* growth allowed for a table with a bit for each voxel of the grid; chosen */
    BI_COLLISION_BOX_VOXELS = 32,       /* most voxels of a box on average, ... */
    BI_COLLISION_EXTRA_VOXELS = 1 << 16 /* ... and extra voxels in all; chosen */
};

struct bi_collision_frame {
    struct bi_collision_meshes meshes;
    struct bi_collision_region region;
    struct bi_collision_soup soup;
    struct bi_collision_grid grid;
    const double *extents;     /* of the soup's triangles */
    const uint64_t *keys;      /* of the entries, ascending */
    const uint32_t *triangles; /* of the entries */
    bosc_collision_info info;  /* results */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Most voxels in the boxes of n triangles. */
static inline int64_t bi_collision_max_voxels(int64_t n)
{
    return BI_COLLISION_BOX_VOXELS * n + BI_COLLISION_EXTRA_VOXELS;
}

/* Words of a table for this many voxels of boxes, a power of two. If the grid has few voxels, the table may be
 * smaller, or up to BI_COLLISION_DIRECT_FACTOR times as large. */
uint64_t bi_collision_table_words(int64_t voxels);

/* Assigns triangles to voxels: the grid and the entries (voxel, triangle). */
bosc_status bi_collision_build_entries(bosc_ctx *ctx, struct bi_collision_frame *frame, double cell);

/* Tests the candidates among the entries, and lists the touching pairs in the block. */
bosc_status bi_collision_test_candidates(bosc_ctx *ctx, struct bi_collision_frame *frame,
                                         const struct bi_memory *memory, struct bi_block *pairs);

#ifdef __cplusplus
}
#endif
#endif
