/* CUDA's fused operations of voxelisations. */
#ifndef BI_VOXELS_CUDA_VOXELS_CUH
#define BI_VOXELS_CUDA_VOXELS_CUH

#include "core/cuda/launch.cuh"
#include "voxels/steps/steps.h"

/* As the entries of struct bi_voxels_ops. */
bosc_status bi_cuda_voxels_mean(bosc_ctx *ctx, int64_t n, const void *args);
bosc_status bi_cuda_voxels_nearest(bosc_ctx *ctx, int64_t n, const void *args);

#endif
