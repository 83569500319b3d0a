/* The kernels of cell graphs on CUDA. */
#ifndef BI_CELLGRAPH_CUDA_CELLGRAPH_CUH
#define BI_CELLGRAPH_CUDA_CELLGRAPH_CUH

#include "core/cuda/simt.cuh"
#include "cellgraph/handle.h"
#include "cellgraph/steps/steps.h"

/* What the host waits for once rows are vertices. */
struct cell_told {
    uint32_t vertices;
    struct bi_cell_seen seen;
};

bosc_status cell_unique(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cell_rows *rows,
                        struct bi_cell_seen *seen);
int64_t cell_unique_bytes(int64_t n);
int64_t cell_join_bytes(const bosc_ctx *ctx, int64_t n, int64_t max_bytes);
bosc_status cell_join(bosc_ctx *ctx, const struct bi_cell_segments *segments);
/* Looks at a sample of the vertices, whose number is told; not if there are more than `room`. */
bosc_status cell_look(bosc_ctx *ctx, const struct bi_cell_view *view, int64_t room, cell_told *told);
bosc_status cell_search(bosc_ctx *ctx, const struct bi_cell_search *search);

#endif
