/* CUDA's table of clusters. */
#define BI_STEP_ROOM cluster

#include "cluster/cluster.h"
#include "cluster/cuda/dbscan.cuh"
#include "core/cuda/steps.cuh"
#include "cluster/steps/steps.h"

#define STEP_LIST "cluster/steps/steps.def"
#define STEP_TABLE static constexpr bi_cluster_steps plain_steps
#include "core/step_table.inc"

/* The passes of DBSCAN with a warp a block. With weights the order of sums counts: that of the step. */
static bosc_status count(bosc_ctx *ctx, int64_t blocks, const void *args)
{
    const bi_dbscan &a = *static_cast<const bi_dbscan *>(args);
    return a.weights ? cuda_step_dbscan_count(ctx, blocks, args) : bi_cluster_cuda_count(ctx, a);
}

static bosc_status join_blocks(bosc_ctx *ctx, int64_t, const void *args)
{
    return bi_cluster_cuda_join_blocks(ctx, *static_cast<const bi_dbscan *>(args));
}

static bosc_status label_borders(bosc_ctx *ctx, int64_t, const void *args)
{
    return bi_cluster_cuda_label_borders(ctx, *static_cast<const bi_dbscan *>(args));
}

static bosc_status join_siblings(bosc_ctx *ctx, const bi_dbscan *a, int32_t last)
{
    return bi_cluster_cuda_join_siblings(ctx, *a, last);
}

static constexpr bi_cluster_steps replace_passes(bi_cluster_steps steps)
{
    steps.dbscan_count = count;
    steps.dbscan_join_blocks = join_blocks;
    steps.dbscan_join_siblings = nullptr;
    steps.dbscan_label_borders = label_borders;
    return steps;
}

static constexpr bi_cluster_steps steps = replace_passes(plain_steps);

extern "C" const bi_cluster_ops bi_cluster_ops_cuda = {&steps, join_siblings};
