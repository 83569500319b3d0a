/* A sort of points by dense voxels and ids, in two steps: they are dealt to buckets, which are ranges of voxels, then a
 * block puts each bucket in order in shared memory. */
#ifndef BI_VOXELGRID_CUDA_PLACE_CUH
#define BI_VOXELGRID_CUDA_PLACE_CUH

#include "voxelgrid/cuda/dense.cuh"

/* ROOM: points of a bucket, at most; GROUP: buckets that are dealt to together where there are many. */
#ifdef BI_EMULATE /* few points should make several buckets, and full ones */
enum { ROOM = 128, GROUP = 4, MOST_BUCKETS = 64, GOAL = 32, FEW = 8 };
#else
enum { ROOM = 4096, GROUP = 32, MOST_BUCKETS = 16384, GOAL = 2048, FEW = 64 };
#endif
enum { VOXEL_BITS = 11, MOST_VOXELS = 1 << VOXEL_BITS /* of a bucket */ };

/* What a placing keeps from one kernel to the next. Bucket b has the voxels whose number is b << shift and more. */
struct place_args {
    bi_voxelgrid_dense view;
    bi_voxelgrid_rows rows;
    uint32_t buckets, entries;
    int32_t shift;
    uint32_t *counts;  /* (buckets), then where they begin; the blocks that are done, and whether one is too large */
    uint32_t *cursors; /* (buckets) where their next point goes to; the same of groups of buckets */
    uint32_t *told;    /* the host's: points of the largest bucket */
    uint4 *mixed;      /* (n) by bucket */
    uint4 *points;     /* (n) in the order of voxels and ids; before that perhaps by groups */
    uint32_t *starts;

    __device__ uint32_t *done() const { return counts + buckets; }
    __device__ uint32_t *crowded() const { return counts + buckets + 1; }
};

/* The counts, which are 0 before, the cursors, and *told, in a kernel of their own; then the points by bucket; then
 * points and starts. *can: whether the device has the shared memory. */
bosc_status bi_cuda_voxelgrid_count_buckets(bosc_ctx *ctx, const place_args &a, bool *can);
bosc_status bi_cuda_voxelgrid_deal(bosc_ctx *ctx, const place_args &a);
bosc_status bi_cuda_voxelgrid_arrange(bosc_ctx *ctx, const place_args &a);

#endif
