/* The fused operations of CUDA's table of voxel grids. */
#ifndef BI_VOXELGRID_CUDA_TABLE_ENTRIES_CUH
#define BI_VOXELGRID_CUDA_TABLE_ENTRIES_CUH

#include "core/cuda/launch.cuh"
#include "voxelgrid/steps/pairs.h"

/* Set in words of page-locked memory that the device has written, so that the host can wait for them. */
#define READY_BIT (1ull << 63)

bosc_status bi_cuda_voxelgrid_extent(bosc_ctx *ctx, const bi_voxelgrid_rows *rows, uint64_t *found);
bosc_status bi_cuda_voxelgrid_sort_by_buckets(bosc_ctx *ctx, const bi_voxelgrid_dense_target *target,
                                              double *peak_density);
bosc_status bi_cuda_voxelgrid_build_in_one_launch(bosc_ctx *ctx, const bi_voxelgrid_dense_target *target,
                                                  uint64_t *found, double *peak_density);

/* Members of bi_voxelgrid_searches. */
bosc_status bi_cuda_voxelgrid_radius_count(bosc_ctx *ctx, int64_t n, const void *query);
bosc_status bi_cuda_voxelgrid_radius_fill(bosc_ctx *ctx, int64_t n, const void *query);
bosc_status bi_cuda_voxelgrid_pair_count(bosc_ctx *ctx, int64_t n, const void *pairs);
bosc_status bi_cuda_voxelgrid_pair_fill(bosc_ctx *ctx, int64_t n, const void *pairs);
bosc_status bi_cuda_voxelgrid_pair_total(bosc_ctx *ctx, int64_t n, const void *pairs);
bosc_status bi_cuda_voxelgrid_pair_collect(bosc_ctx *ctx, bi_voxelgrid_pairs *pairs, int64_t capacity,
                                           int64_t totals[2]);
bosc_status bi_cuda_voxelgrid_pair_write(bosc_ctx *ctx, const bi_voxelgrid_pairs *pairs);

#endif
