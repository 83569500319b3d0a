/* CUDA's table of voxel grids. */
#define BI_STEP_ROOM voxelgrid

#include "core/cuda/sort_rows.cuh"
#include "core/cuda/steps.cuh"
#include "voxelgrid/cuda/bricks.cuh"
#include "voxelgrid/cuda/dense_view.cuh"
#include "voxelgrid/steps/steps.h"

#define STEP_LIST "voxelgrid/steps/steps.def"
#define STEP_TABLE static const bi_voxelgrid_steps cuda_steps
#include "core/step_table.inc"

/* COLLECT_LIMIT: slots of stored entries must have 32 bits. ONE_LAUNCH_LIMIT: not measured. */
#ifdef BI_EMULATE /* small, so that some cases exceed them */
enum { COLLECT_LIMIT = 1200, ONE_LAUNCH_LIMIT = 200 };
#else
enum { COLLECT_LIMIT = 1 << 27, ONE_LAUNCH_LIMIT = 1 << 17 };
#endif

static const bi_voxelgrid_searches dense_searches = {bi_cuda_voxelgrid_radius_count, bi_cuda_voxelgrid_radius_fill,
                                                     bi_cuda_voxelgrid_pair_count,   bi_cuda_voxelgrid_pair_fill,
                                                     bi_cuda_voxelgrid_pair_total,   bi_cuda_voxelgrid_pair_collect,
                                                     bi_cuda_voxelgrid_pair_write,   COLLECT_LIMIT};

static const bi_voxelgrid_searches sparse_searches = {
    bi_cuda_voxelgrid_sparse_radius_count, bi_cuda_voxelgrid_sparse_radius_fill,
    bi_cuda_voxelgrid_sparse_pair_count,   bi_cuda_voxelgrid_sparse_pair_fill,
    bi_cuda_voxelgrid_sparse_pair_total,   bi_cuda_voxelgrid_sparse_pair_collect,
    bi_cuda_voxelgrid_pair_write,          COLLECT_LIMIT};

extern "C" const bi_voxelgrid_ops bi_voxelgrid_ops_cuda = {&cuda_steps,
                                                           bi_cuda_voxelgrid_extent,
                                                           bi_cuda_voxelgrid_sort_by_buckets,
                                                           bi_cuda_voxelgrid_build_in_one_launch,
                                                           ONE_LAUNCH_LIMIT,
                                                           &dense_searches,
                                                           nullptr,
                                                           bi_cuda_voxelgrid_index_bricks,
                                                           &sparse_searches,
                                                           bi_cuda_sort_rows};
