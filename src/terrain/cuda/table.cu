/* The steps of terrains on CUDA, and the table of what is done faster. */
#include "core/cuda/steps.cuh"
#include "terrain/cuda/terrain.cuh"

#define BI_STEP BI_STEP_CUDA
#include "terrain/steps/steps.def"
#undef BI_STEP

static const bi_terrain_steps steps = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "terrain/steps/steps.def"
#undef BI_STEP
};

static bosc_status read_raster(bosc_ctx *ctx, const bi_terrain_reading *a)
{
    BI_TRY(bi_terrain_cuda_far(ctx, a));
    if (!bi_terrain_fits(&a->grid)) BI_TRY(bi_terrain_cuda_moved(ctx, a));
    return bi_terrain_cuda_below(ctx, a);
}

extern "C" const bi_terrain_ops bi_terrain_ops_cuda = {&steps,
                                                   read_raster,
                                                   bi_terrain_cuda_grow,
                                                   bi_terrain_cuda_weigh,
                                                   bi_terrain_cuda_use,
                                                   bi_terrain_cuda_live,
                                                   bi_terrain_cuda_vertices,
                                                   bi_terrain_cuda_triangles};
