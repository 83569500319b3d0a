/* DBSCAN with a warp a block. */
#ifndef BI_CLUSTER_CUDA_DBSCAN_CUH
#define BI_CLUSTER_CUDA_DBSCAN_CUH

#include "core/cuda/launch.cuh"

#include "cluster/steps/dbscan.h"

/* As the steps dbscan_count (without weights), dbscan_join_blocks and dbscan_label_borders, for all blocks. */
bosc_status bi_cluster_cuda_count(bosc_ctx *ctx, const bi_dbscan &a);
bosc_status bi_cluster_cuda_join_blocks(bosc_ctx *ctx, const bi_dbscan &a);
bosc_status bi_cluster_cuda_label_borders(bosc_ctx *ctx, const bi_dbscan &a);

/* As the step dbscan_join_siblings, for the levels a.level down to `last` in one launch. */
bosc_status bi_cluster_cuda_join_siblings(bosc_ctx *ctx, const bi_dbscan &a, int32_t last);

#endif
