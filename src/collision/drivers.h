/* What the drivers of collisions share: one frame, from the meshes to the pairs. */
#ifndef BI_COLLISION_DRIVERS_H
#define BI_COLLISION_DRIVERS_H

#include "collision/handle.h"
#include "collision/steps/steps.h"

enum {
    BI_COLLISION_TEST = 32,  /* A candidate's test takes as long as this many simple items. */
    BI_COLLISION_DIRECT = 4, /* times as large a table of voxels may be if it has a bit for each voxel of the grid */
    BI_COLLISION_BOX_VOXELS = 32,     /* of a triangle's box on average, at most, */
    BI_COLLISION_FEW_VOXELS = 1 << 16 /* and this many more in all */
};

struct bi_collision_frame {
    struct bi_collision_meshes meshes;
    struct bi_collision_region region;
    struct bi_collision_soup soup;
    struct bi_collision_grid grid;
    const double *extents;     /* of the soup's triangles */
    const uint64_t *keys;      /* of the entries, ascending */
    const uint32_t *triangles; /* of the entries */
    bosc_collision_info info;  /* what it comes to */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Voxels of the boxes of n triangles, at most. */
static inline int64_t bi_collision_most_voxels(int64_t n)
{
    return BI_COLLISION_BOX_VOXELS * n + BI_COLLISION_FEW_VOXELS;
}

/* Words of a table for this many voxels of boxes: a power of two. The table may be BI_COLLISION_DIRECT times as large,
 * or smaller, as the grid has voxels. */
uint64_t bi_collision_table_words(int64_t voxels);

/* Puts the triangles into voxels: the grid and the entries. */
bosc_status bi_collision_make_entries(bosc_ctx *ctx, struct bi_collision_frame *frame, double cell);

/* Tests the candidates among the entries, and lists those that touch in the block, which grows. */
bosc_status bi_collision_test_candidates(bosc_ctx *ctx, struct bi_collision_frame *frame,
                                         const struct bi_memory *memory, struct bi_block *pairs);

#ifdef __cplusplus
}
#endif
#endif
