/* CUDA's table of voxel grids. */
#define BI_STEP_ROOM voxelgrid

#include "core/cuda/sort_rows.cuh"
#include "core/cuda/steps.cuh"
#include "voxelgrid/cuda/fused.cuh"
#include "voxelgrid/steps/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "voxelgrid/steps/steps.def"
#undef BI_STEP

static const bi_voxelgrid_steps cuda_steps = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "voxelgrid/steps/steps.def"
#undef BI_STEP
};

/* Places of kept entries have 32 bits. */
#ifdef BI_EMULATE /* some cases should have more points */
enum { MOST_KEPT = 1200, MOST_SMALL = 200 };
#else
enum { MOST_KEPT = 1 << 27, MOST_SMALL = 1 << 17 };
#endif

static const bi_voxelgrid_searches dense = {bi_cuda_voxelgrid_radius_count, bi_cuda_voxelgrid_radius_fill,
                                            bi_cuda_voxelgrid_pair_count,   bi_cuda_voxelgrid_pair_fill,
                                            bi_cuda_voxelgrid_pair_total,   bi_cuda_voxelgrid_pair_keep,
                                            bi_cuda_voxelgrid_pair_write,   MOST_KEPT};

extern "C" const bi_voxelgrid_ops bi_voxelgrid_ops_cuda = {
    &cuda_steps, bi_cuda_voxelgrid_extent, bi_cuda_voxelgrid_place, bi_cuda_voxelgrid_place_small, MOST_SMALL,
    &dense,      bi_cuda_sort_rows};
