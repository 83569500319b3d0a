/* What the files of concurrent binary trees on CUDA share. */
#ifndef BI_CBT_CUDA_CUH
#define BI_CBT_CUDA_CUH

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"

#include "cbt/steps.h" /* its atomics are those of the headers above */

extern "C" {
bosc_status bi_cbt_cuda_decode(bosc_ctx *ctx, const bi_cbt_decode *a);
bosc_status bi_cbt_cuda_change(bosc_ctx *ctx, bosc_cbt *tree, const bi_cbt_change *a, bool *changed);
bosc_status bi_cbt_cuda_install(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits);
}

/* Of the words by which the blocks of a launch tell each other what they counted (cuda_meeting.cuh). */
enum { BI_CBT_MEETING_MOST = 1024 };
#define BI_CBT_MEETING_BYTES ((1 + BI_CBT_MEETING_MOST) * sizeof(uint64_t))

#endif
