/* The nearest node with another label, by kernels compiled for the type and the dimension. */
#ifndef BI_KDTREE_CUDA_SEARCH_NEAREST_OTHER_CUH
#define BI_KDTREE_CUDA_SEARCH_NEAREST_OTHER_CUH

#include "core/cuda/launch.cuh"
#include "kdtree/steps/nearest_other_label.h"

/* True for searches by squares from nodes of trees of floats or doubles, of 1 to 4 dimensions, with ids of 32 bits. */
bool bi_kdtree_cuda_supports_nearest_other(const bi_kdtree_nearest_other_label &search);

/* As the step nearest_other_label for `count` items; search.rows is unused. */
bosc_status bi_kdtree_cuda_nearest_other(bosc_ctx *ctx, const bi_kdtree_nearest_other_label &search, int64_t count);

#endif
