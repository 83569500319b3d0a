/* What the CUDA files of terrains share. */
#ifndef BI_TERRAIN_CUDA_TERRAIN_CUH
#define BI_TERRAIN_CUDA_TERRAIN_CUH

#include "core/cuda/launch.cuh"
#include "terrain/steps/steps.h"

/* The errors of triangles that are not moved, and bounds of cells; errors of the others; of what lies below, and bounds
 * of the largest cells. */
bosc_status bi_terrain_cuda_far(bosc_ctx *ctx, const bi_terrain_reading *a);
bosc_status bi_terrain_cuda_moved(bosc_ctx *ctx, const bi_terrain_reading *a);
bosc_status bi_terrain_cuda_below(bosc_ctx *ctx, const bi_terrain_reading *a);

bosc_status bi_terrain_cuda_grow(bosc_ctx *ctx, const bi_terrain_grow *a);
bosc_status bi_terrain_cuda_weigh(bosc_ctx *ctx, const bi_terrain_weigh *a);
bosc_status bi_terrain_cuda_use(bosc_ctx *ctx, const bi_terrain_mesh *a);
bosc_status bi_terrain_cuda_live(bosc_ctx *ctx, const bi_terrain_mesh *a);
bosc_status bi_terrain_cuda_vertices(bosc_ctx *ctx, const bi_terrain_mesh *a);
bosc_status bi_terrain_cuda_triangles(bosc_ctx *ctx, const bi_terrain_mesh *a);

#endif
