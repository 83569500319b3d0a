/* Splitters of sorted arrays on CUDA (ranks/prims/splitter.h). */
#ifndef BI_RANKS_CUDA_SPLITTER_CUH
#define BI_RANKS_CUDA_SPLITTER_CUH

#include "ranks/prims/splitter.h"

/* Writes s->positions, and waits for them. Local to this rank; no rank changes the arrays during the call. */
bosc_status bi_ranks_cuda_find_splitter(bosc_ctx *ctx, const bi_ranks_splitter *s);

#endif
