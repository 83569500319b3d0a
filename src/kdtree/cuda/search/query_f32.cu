#include "kdtree/cuda/search/query_kernels.cuh"

bosc_status kd_search_f32(bosc_ctx *ctx, const kd_search &a) { return kd_search_dim<float>(ctx, a); }
