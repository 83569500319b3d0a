/* Bounding boxes of points of a k-d tree over ranks, on CUDA (ranks/steps/kdtree_build.h). */
#ifndef BI_RANKS_CUDA_BOX_CUH
#define BI_RANKS_CUDA_BOX_CUH

/* Device code of steps needs it first. */
#include "core/cuda/simt.cuh"

#include "ranks/steps/steps.h"

/* Finds the box of n > 0 dense rows. Waits. */
bosc_status bi_ranks_cuda_find_box(bosc_ctx *ctx, const bi_ranks_kdtree_box *rows, uint64_t *box);

#endif
