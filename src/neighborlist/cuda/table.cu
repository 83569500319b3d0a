/* CUDA's table of neighbour lists. */
#define BI_STEP_ROOM neighborlist

#include "core/cuda/steps.cuh"
#include "neighborlist/cuda/search.cuh"
#include "neighborlist/steps/steps.h"

#define STEP_LIST "neighborlist/steps/steps.def"
#define STEP_TABLE static const bi_neighborlist_steps cuda_steps
#include "core/step_table.inc"

/* A thread a pair, so that the stores of a warp are consecutive. */
static bosc_status write_pairs(bosc_ctx *ctx, const bi_neighborlist_output *output)
{
    return cuda_steps.write_pair(ctx, output->view.pairs, output);
}

extern "C" const bi_neighborlist_ops bi_neighborlist_ops_cuda = {&cuda_steps, 2, bi_neighborlist_cuda_count_rows,
                                                                 bi_neighborlist_cuda_fill_rows, write_pairs};
