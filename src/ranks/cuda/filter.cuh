/* Candidates for the medians of a k-d tree over ranks, on CUDA (ranks/steps/kdtree_build.h). */
#ifndef BI_RANKS_CUDA_FILTER_CUH
#define BI_RANKS_CUDA_FILTER_CUH

/* Device code of steps needs it first. */
#include "core/cuda/simt.cuh"

#include "ranks/steps/steps.h"

/* Queues the filter of n > 0 points. */
bosc_status bi_ranks_cuda_filter_points(bosc_ctx *ctx, const bi_ranks_kdtree_filter *filter);

#endif
