/* What CUDA's table of voxel grids takes from build.cu, search.cu and pairs.cu. */
#ifndef BI_VOXELGRID_CUDA_FUSED_CUH
#define BI_VOXELGRID_CUDA_FUSED_CUH

#include "core/cuda/launch.cuh"
#include "voxelgrid/steps/pairs.h"

/* In words that the host is told. */
#define TOLD (1ull << 63)

bosc_status bi_cuda_voxelgrid_extent(bosc_ctx *ctx, const bi_voxelgrid_rows *rows, uint64_t *found);
bosc_status bi_cuda_voxelgrid_place(bosc_ctx *ctx, const bi_voxelgrid_place *place, double *crowd);
bosc_status bi_cuda_voxelgrid_place_small(bosc_ctx *ctx, const bi_voxelgrid_place *place, uint64_t *found,
                                          double *crowd);

/* Of bi_voxelgrid_searches. */
bosc_status bi_cuda_voxelgrid_radius_count(bosc_ctx *ctx, int64_t n, const void *query);
bosc_status bi_cuda_voxelgrid_radius_fill(bosc_ctx *ctx, int64_t n, const void *query);
bosc_status bi_cuda_voxelgrid_pair_count(bosc_ctx *ctx, int64_t n, const void *pairs);
bosc_status bi_cuda_voxelgrid_pair_fill(bosc_ctx *ctx, int64_t n, const void *pairs);
bosc_status bi_cuda_voxelgrid_pair_total(bosc_ctx *ctx, int64_t n, const void *pairs);
bosc_status bi_cuda_voxelgrid_pair_keep(bosc_ctx *ctx, bi_voxelgrid_pairs *pairs, int64_t capacity, int64_t totals[2]);
bosc_status bi_cuda_voxelgrid_pair_write(bosc_ctx *ctx, const bi_voxelgrid_pairs *pairs);

#endif
