#include "kdtree/cuda/search/query_kernels.cuh"

bosc_status kd_search_i32(bosc_ctx *ctx, const kd_search &a) { return kd_search_dim<int32_t>(ctx, a); }
