/* Connected components. */
#include "cellgraph/drivers.h"
#include "core/call.h"

static bosc_status find_components(bosc_ctx *ctx, const bosc_cellgraph *graph, const uint8_t *mask, void *labels,
                                   int64_t *count)
{
    struct bi_cellgraph_components args = {.edges = bi_cellgraph_edges_of(graph)};
    bool is_64bit = graph->opts.id_bits == 64, staged = false;
    int64_t n = graph->vertices, found, *count_at;
    struct bi_out out;
    /* 1. Stage the mask and the labels. */
    BI_TRY(bi_stage_in(ctx, mask, mask ? (size_t)n : 0, (const void **)&args.mask, &staged));
    BI_TRY(bi_stage_out(ctx, labels, labels ? (size_t)n * (is_64bit ? 8 : 4) : 0, &out, &staged));
    BI_TRY(bi_scratch_of(ctx, n, 4, &args.parent));
    BI_TRY(bi_scratch_of(ctx, n, 1, &args.roots));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof found, &count_at));
    /* 2. Unite the ends of all edges, and count the roots. */
    struct bi_cellgraph_iota alone = {args.parent};
    struct bi_flatten flatten = {args.parent};
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_iota, n, &alone));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_union_ends, graph->edges, &args));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, flatten, n, &flatten));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_is_root, n, &args));
    BI_TRY(ctx->backend->core->compact(ctx, 1, args.roots, args.roots, n, NULL, count_at));
    BI_TRY(bi_read_back(ctx, &found, count_at, sizeof found));
    /* 3. Write the labels. */
    if (labels) {
        if (mask) BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_mask_label, n, &args));
        struct bi_cellgraph_ids ids = {args.parent, out.reachable, is_64bit};
        BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_widen_id, n, &ids));
        BI_TRY(bi_stage_back(ctx, &out));
    }
    BI_TRY(ctx->backend->sync(ctx));
    if (count) *count = found;
    return BOSC_OK;
}

static bosc_status check_and_find(bosc_ctx *ctx, const bosc_cellgraph *graph, const uint8_t *mask, void *labels,
                                  int64_t *count)
{
    BI_TRY(bi_cellgraph_check(ctx, graph));
    BI_TRY(bi_check_aligned(ctx, "labels", labels, (size_t)graph->opts.id_bits / 8));
    if (graph->vertices == 0) {
        if (count) *count = 0;
        return BOSC_OK;
    }
    bi_progress_set_total(ctx, 5 * (double)graph->vertices);
    BI_RETURN_WITH_SCRATCH(ctx, find_components(ctx, graph, mask, labels, count));
}

bosc_status bosc_cellgraph_components(bosc_ctx *ctx, const bosc_cellgraph *graph, void *labels, int64_t *count)
{
    BI_ENTER(ctx);
    return check_and_find(ctx, graph, NULL, labels, count);
}

bosc_status bosc_cellgraph_components_masked(bosc_ctx *ctx, const bosc_cellgraph *graph, const uint8_t *vertex_mask,
                                             void *labels, int64_t *count)
{
    BI_ENTER(ctx);
    return check_and_find(ctx, graph, vertex_mask, labels, count);
}
