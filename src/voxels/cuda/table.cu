/* CUDA's table of voxelisations. */
#define BI_STEP_ROOM voxels

#include "core/cuda/steps.cuh"
#include "voxels/cuda/voxels.cuh"

#define STEP_LIST "voxels/steps/steps.def"
#define STEP_TABLE static const bi_voxels_steps cuda_steps
#include "core/step_table.inc"

extern "C" const bi_voxels_ops bi_voxels_ops_cuda = {&cuda_steps, bi_cuda_voxels_mean, bi_cuda_voxels_nearest};
