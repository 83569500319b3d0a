/* CUDA's fused operations of batches of clouds. */
#ifndef BI_CLOUDS_CUDA_CLOUDS_CUH
#define BI_CLOUDS_CUDA_CLOUDS_CUH

#include "core/cuda/launch.cuh"
#include "clouds/steps/steps.h"

/* Entries of the table (clouds/clouds.h). */
bosc_status bi_cuda_clouds_extent(bosc_ctx *ctx, const void *args);
bosc_status bi_cuda_clouds_knn(bosc_ctx *ctx, int64_t n, const void *args, bool *served);
bosc_status bi_cuda_clouds_radius(bosc_ctx *ctx, int64_t n, const void *args, bool fill, bool *served);
bosc_status bi_cuda_clouds_sample(bosc_ctx *ctx, int64_t n, const void *args);

#endif
