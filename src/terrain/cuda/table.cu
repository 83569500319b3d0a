/* The table of terrains on CUDA: steps, and fused operations. */
#define BI_STEP_ROOM terrain

#include "core/cuda/steps.cuh"
#include "terrain/cuda/terrain.cuh"

#define STEP_LIST "terrain/steps/steps.def"
#define STEP_TABLE static const bi_terrain_steps steps
#include "core/step_table.inc"

static bosc_status build_raster_fused(bosc_ctx *ctx, const bi_terrain_raster_build *a)
{
    BI_TRY(bi_terrain_cuda_tile_errors(ctx, a));
    if (!bi_terrain_fills_squares(&a->grid)) BI_TRY(bi_terrain_cuda_clamped_errors(ctx, a));
    return bi_terrain_cuda_nest_errors(ctx, a);
}

extern "C" const bi_terrain_ops bi_terrain_ops_cuda = {&steps,
                                                       build_raster_fused,
                                                       bi_terrain_cuda_refine,
                                                       bi_terrain_cuda_count_gain,
                                                       bi_terrain_cuda_mark_vertices,
                                                       bi_terrain_cuda_count_triangles,
                                                       bi_terrain_cuda_write_vertices,
                                                       bi_terrain_cuda_write_triangles};
