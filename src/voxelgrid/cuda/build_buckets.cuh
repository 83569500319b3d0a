/* The bucket build: sorts points by dense voxel and id. Points are scattered to buckets, which are ranges of voxels;
 * then a block sorts each bucket in shared memory. */
#ifndef BI_VOXELGRID_CUDA_BUILD_BUCKETS_CUH
#define BI_VOXELGRID_CUDA_BUILD_BUCKETS_CUH

#include "voxelgrid/cuda/dense_view.cuh"

/* BUCKET_CAPACITY: points of a bucket that shared memory holds. BUCKETS_PER_GROUP: buckets of a group, where there
 * are too many for one pass. MIN_TARGET, MAX_TARGET: aimed points of a bucket. All chosen. */
#ifdef BI_EMULATE /* small, so that few points make several buckets and full ones */
enum { BUCKET_CAPACITY = 128, BUCKETS_PER_GROUP = 4, MAX_BUCKETS = 64, MAX_TARGET = 32, MIN_TARGET = 8 };
#else
enum { BUCKET_CAPACITY = 4096, BUCKETS_PER_GROUP = 32, MAX_BUCKETS = 16384, MAX_TARGET = 2048, MIN_TARGET = 64 };
#endif
enum { VOXEL_BITS = 11, MAX_BUCKET_VOXELS = 1 << VOXEL_BITS }; /* voxels of a bucket */

/* Arguments of the kernels. Bucket b holds the voxels numbered from b << shift on. */
struct bucket_build {
    bi_voxelgrid_dense_view view;
    bi_voxelgrid_rows rows;
    uint32_t buckets, entries;
    int32_t shift;
    uint32_t *counts;  /* (buckets), later their begins; then the number of finished blocks and the overflow flag */
    uint32_t *cursors; /* (buckets) next free slot of each; then the same for groups of buckets */
    uint32_t *host_largest; /* page-locked: points of the largest bucket */
    uint4 *by_bucket;       /* (n) points by bucket, unordered within */
    uint4 *points;          /* (n) points by voxel and id; in between perhaps by group of buckets */
    uint32_t *starts;

    __device__ uint32_t *finished_blocks() const { return counts + buckets; }
    __device__ uint32_t *overflow() const { return counts + buckets + 1; } /* not 0: a bucket exceeds BUCKET_CAPACITY */
};

/* Counts (counts are 0 before), sets cursors and *host_largest; *supported: the device has the shared memory. */
bosc_status bi_cuda_voxelgrid_count_buckets(bosc_ctx *ctx, const bucket_build &a, bool *supported);
/* Scatters points to buckets, then sorts each bucket and writes `starts`. Both do nothing after an overflow. */
bosc_status bi_cuda_voxelgrid_scatter_to_buckets(bosc_ctx *ctx, const bucket_build &a);
bosc_status bi_cuda_voxelgrid_sort_buckets(bosc_ctx *ctx, const bucket_build &a);

#endif
