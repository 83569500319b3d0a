/* Updates of pools of bisectors on CUDA, in one launch. */
#ifndef BI_BISECTOR_CUDA_UPDATE_CUH
#define BI_BISECTOR_CUDA_UPDATE_CUH

#include "core/cuda/launch.cuh"
#include "bisector/steps/change.h"

/* Words of a pool's exchange memory: the counter of the grid barrier, two for alternating updates; the number of new
 * leaves of each tile. */
enum { BI_BISECTOR_ARRIVED = 0, BI_BISECTOR_SUMS = 2, BI_BISECTOR_TILES = 1024 };
enum { BI_BISECTOR_EXCHANGE_BYTES = 4 * (BI_BISECTOR_SUMS + BI_BISECTOR_TILES) };

/* Larger pools use separate steps, between which a call can be cancelled; chosen. */
enum { BI_BISECTOR_UPDATE_MAX_LEAVES = 1 << 25 };

bosc_status bi_bisector_cuda_update(bosc_ctx *ctx, bi_bisector_update *u, uint32_t *leaves);

#endif
