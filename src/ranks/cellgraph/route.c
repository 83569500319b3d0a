/* Routes vectors to the owners of their hashes, and stages the first rows of the ranks. */
#include "ranks/cellgraph/cellgraph.h"
#include "ranks/steps/steps.h"

bosc_status bi_ranks_cellgraph_begin_route(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, bosc_status local_status,
                                           const uint64_t *vectors, int64_t count, uint64_t mask,
                                           struct bi_ranks_route *route)
{
    struct bi_ranks_cellgraph_hash hash = {vectors, graph->local->shape.words, mask, NULL};
    if (local_status == BOSC_OK) local_status = bi_scratch_of(ctx, count, sizeof *hash.hashes, &hash.hashes);
    if (local_status == BOSC_OK) local_status = ctx->ops->dist->steps->cellgraph_hash(ctx, count, &hash);
    return bi_ranks_route_begin(ctx, graph->comm, local_status, hash.hashes, 64, count, route);
}

bosc_status bi_ranks_cellgraph_stage_offsets(bosc_ctx *ctx, const struct bi_ranks_slices *slices,
                                             const int64_t **offsets)
{
    const int64_t count = slices->rank_count + 1;
    int64_t *copy;
    BI_TRY(bi_scratch_of(ctx, count, sizeof *copy, &copy));
    *offsets = copy;
    BI_TRY(ctx->backend->copy(ctx, copy, slices->offsets, (size_t)count * sizeof *copy));
    return ctx->backend->sync(ctx); /* before the slices are freed */
}
