/* Searches of neighbour lists by warps: an atom a warp. */
#ifndef BI_NEIGHBORLIST_CUDA_SEARCH_CUH
#define BI_NEIGHBORLIST_CUDA_SEARCH_CUH

#include "core/call.h"

/* As the steps count_row and fill_row. */
bosc_status bi_neighborlist_cuda_count_rows(bosc_ctx *ctx, int64_t n, const void *args);
bosc_status bi_neighborlist_cuda_fill_rows(bosc_ctx *ctx, int64_t n, const void *args);

#endif
