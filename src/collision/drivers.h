/* What the drivers of collisions share: one frame, from the meshes to the pairs. */
#ifndef BI_COLLISION_DRIVERS_H
#define BI_COLLISION_DRIVERS_H

#include "collision/handle.h"
#include "collision/steps/steps.h"

/* A candidate's test takes as long as so many simple items. */
enum { BI_COLLISION_TEST = 32 };

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

/* Puts the triangles into voxels: the grid and the entries. */
bosc_status bi_collision_make_entries(bosc_ctx *ctx, struct bi_collision_frame *frame, double cell);

/* Tests the candidates among the entries, and lists those that touch in the block, which grows. */
bosc_status bi_collision_test_candidates(bosc_ctx *ctx, struct bi_collision_frame *frame,
                                         const struct bi_memory *memory, struct bi_block *pairs);

#ifdef __cplusplus
}
#endif
#endif
