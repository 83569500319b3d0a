/* Lists of neighbours under mutual reachability. */
#ifndef BI_FOREST_CUDA_EMST_CUH
#define BI_FOREST_CUDA_EMST_CUH

#include "core/cuda/launch.cuh"

#include "forest/steps/emst.h"

enum { BI_EMST_WARP_LIST = 32 }; /* most entries of a list that a warp sorts */

/* As the step emst_sort_mutual, for n lists of at most BI_EMST_WARP_LIST entries that all count. */
bosc_status bi_emst_cuda_sort_mutual(bosc_ctx *ctx, int64_t n, const bi_emst &a);

#endif
