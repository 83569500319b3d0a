/* Pools of bisectors on CUDA: updates in one launch. */
#ifndef BI_BISECTOR_CUDA_UPDATE_CUH
#define BI_BISECTOR_CUDA_UPDATE_CUH

#include "core/cuda/launch.cuh"
#include "bisector/steps/change.h"

/* Words of a pool's exchange: blocks that have come to a barrier, by turns; leaves that come from each tile. */
enum { BI_BISECTOR_ARRIVED = 0, BI_BISECTOR_SUMS = 2, BI_BISECTOR_TILES = 1024 };
enum { BI_BISECTOR_EXCHANGE_BYTES = 4 * (BI_BISECTOR_SUMS + BI_BISECTOR_TILES) };

/* More leaves take so long that a caller who wants to stop is to be heard between passes. */
enum { BI_BISECTOR_UPDATE_MOST = 1 << 25 };

bosc_status bi_bisector_cuda_update(bosc_ctx *ctx, bi_bisector_update *u, uint32_t *leaves);

#endif
