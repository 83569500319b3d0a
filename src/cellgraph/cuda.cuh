/* The kernels of cell graphs on CUDA. */
#ifndef BI_CELLGRAPH_CUDA_CUH
#define BI_CELLGRAPH_CUDA_CUH

#include "core/cuda/simt.cuh"
#include "cellgraph/team.h"

bosc_status cell_unique(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cell_rows *rows);
int64_t cell_join_bytes(const bosc_ctx *ctx, int64_t n, int64_t max_bytes);
bosc_status cell_join(bosc_ctx *ctx, const struct bi_cell_segments *segments);
bosc_status cell_look(bosc_ctx *ctx, const struct bi_cell_sample *sample);
bosc_status cell_search(bosc_ctx *ctx, const struct bi_cell_search *search);

#endif
