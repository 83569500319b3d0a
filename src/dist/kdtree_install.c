/* A shard is installed: its rows become a tree of this rank, and all ranks learn the boxes of all. */
#include "dist/kdtree.h"
#include "dist/steps/steps.h"

/* ---- boxes ---- */

/* *low = the box of n > 0 boxes, dim keys and as many again for the highest. */
static bosc_status join_boxes(bosc_ctx *ctx, const bosc_dist_kdtree *tree, const void *rows, int64_t n, uint64_t **box)
{
    const int64_t dim = tree->opts.dim;
    struct bi_dist_kdtree_box step = {.rows = {rows, n, dim}, .dtype = tree->opts.dtype, .dim = tree->opts.dim, .n = n};
    bool first = true;
    do {
        const int64_t boxes = (step.n + BI_DIST_BOX_ROWS - 1) / BI_DIST_BOX_ROWS;
        BI_TRY(bi_scratch_of(ctx, 2 * boxes * dim, sizeof *step.low, &step.low));
        step.high = step.low + boxes * dim;
        const struct bi_dist_steps *steps = ctx->ops->dist->steps;
        BI_TRY((first ? steps->kdtree_box_rows : steps->kdtree_box_boxes)(ctx, boxes * dim, &step));
        step.lows = step.low;
        step.highs = step.high;
        step.n = boxes;
        first = false;
    } while (step.n > 1);
    *box = step.low;
    return BOSC_OK;
}

/* This rank's box, to host memory. */
static bosc_status find_box(bosc_ctx *ctx, const bosc_dist_kdtree *tree, const void *rows, int64_t n, uint64_t *box)
{
    const int64_t dim = tree->opts.dim;
    uint64_t *found;
    for (int64_t c = 0; c < dim; c++) box[c] = UINT64_MAX, box[dim + c] = 0;
    if (n == 0) return BOSC_OK;
    BI_TRY(join_boxes(ctx, tree, rows, n, &found));
    BI_TRY(ctx->backend->copy(ctx, box, found, (size_t)(2 * dim) * sizeof *box));
    return ctx->backend->sync(ctx);
}

static bosc_status share_box(bosc_ctx *ctx, bosc_dist_kdtree *tree, bosc_status mine, const void *rows, int64_t n,
                             uint64_t *own, uint64_t *all)
{
    const size_t bytes = 2 * (size_t)tree->opts.dim * sizeof *own;
    if (mine == BOSC_OK) BI_WITH_SCRATCH(ctx, mine = find_box(ctx, tree, rows, n, own));
    BI_TRY(bi_comm_agree(ctx, tree->comm, mine));
    BI_TRY(bi_comm_all_gather(ctx, tree->comm, own, bytes, all));
    mine = ctx->backend->copy(ctx, tree->boxes.data, all, bytes * (size_t)tree->comm->rank_count);
    return bi_comm_agree(ctx, tree->comm, mine == BOSC_OK ? ctx->backend->sync(ctx) : mine);
}

static bosc_status make_boxes(bosc_ctx *ctx, bosc_dist_kdtree *tree, bosc_status mine, const void *rows, int64_t n)
{
    const size_t bytes = 2 * (size_t)tree->opts.dim * sizeof(uint64_t), all = bytes * (size_t)tree->comm->rank_count;
    uint64_t *boxes = NULL;
    if (mine == BOSC_OK) mine = bi_block_reserve(ctx, &tree->memory, &tree->boxes, all);
    if (mine == BOSC_OK) {
        boxes = bi_host_alloc(ctx, bytes + all);
        mine = boxes ? BOSC_OK : BOSC_ERR_NOMEM;
    }
    bosc_status status = share_box(ctx, tree, mine, rows, n, boxes, boxes ? boxes + 2 * tree->opts.dim : NULL);
    bi_memory_release(&ctx->host, boxes, bytes + all);
    return status;
}

/* ---- shards ---- */

bosc_status bi_dist_kdtree_begin_install(bosc_ctx *ctx, bosc_dist_kdtree *tree, int64_t n)
{
    tree->n = tree->nodes = tree->begin = tree->end = 0;
    BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->ids, (size_t)n * sizeof(int64_t)));
    return bi_block_reserve(ctx, &tree->memory, &tree->pieces, (size_t)n * sizeof(uint32_t));
}

bosc_status bi_dist_kdtree_install(bosc_ctx *ctx, bosc_dist_kdtree *tree, bosc_status mine, const void *rows, int64_t n,
                                   int64_t nodes)
{
    const struct bi_dist_cuts cuts = bi_dist_kdtree_cuts(nodes, tree->comm->rank_count);
    const struct bi_kdtree_range range = bi_dist_kdtree_shard(&cuts, tree->comm->rank);
    const int64_t count = range.end - range.begin;
    if (mine == BOSC_OK) mine = bosc_kdtree_build(ctx, tree->shard, rows, count, 0);
    BI_TRY(make_boxes(ctx, tree, mine, rows, count));
    tree->n = n;
    tree->nodes = nodes;
    tree->begin = range.begin;
    tree->end = range.end;
    return BOSC_OK;
}
