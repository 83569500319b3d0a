/* What CUDA's table of voxel grids takes from build.cu and search.cu. */
#ifndef BI_VOXELGRID_CUDA_FUSED_CUH
#define BI_VOXELGRID_CUDA_FUSED_CUH

#include "core/cuda/launch.cuh"
#include "voxelgrid/voxelgrid.h"

bosc_status bi_cuda_voxelgrid_extent(bosc_ctx *ctx, const bi_voxelgrid_extent *extent);
bosc_status bi_cuda_voxelgrid_place(bosc_ctx *ctx, const bi_voxelgrid_place *place, bool *placed);
extern const bi_voxelgrid_searches bi_cuda_voxelgrid_dense;

#endif
