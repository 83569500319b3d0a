/* Output of neighbour lists by groups of lanes: an atom a group. */
#ifndef BI_NEIGHBORLIST_CUDA_WRITE_CUH
#define BI_NEIGHBORLIST_CUDA_WRITE_CUH

#include "core/call.h"

struct bi_neighborlist_output;

/* Writes all pairs of the build to the caller's arrays. */
bosc_status bi_neighborlist_cuda_write(bosc_ctx *ctx, const struct bi_neighborlist_output *output);

#endif
