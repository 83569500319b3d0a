/* The boxes of all shards and of their subtrees, which all ranks learn. */
#include "core/call.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

int64_t bi_ranks_kdtree_most_parts(const struct bi_ranks_cuts *cuts)
{
    int64_t most = 0;
    for (int64_t r = 0; r < cuts->rank_count; r++) {
        const int64_t count = bi_ranks_kdtree_first_subtree(cuts, r + 1) - bi_ranks_kdtree_first_subtree(cuts, r);
        if (count > most) most = count;
    }
    return most;
}

/* ---- this rank's, to host memory ---- */

/* *low = the box of n > 0 boxes, dim keys and as many again for the highest. */
static bosc_status join_boxes(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *rows, int64_t n, uint64_t **box)
{
    const int64_t dim = tree->opts.dim;
    struct bi_ranks_kdtree_box step = {
        .rows = {rows, n, dim}, .dtype = tree->opts.dtype, .dim = tree->opts.dim, .n = n};
    bool first = true;
    do {
        const int64_t boxes = (step.n + BI_RANKS_BOX_ROWS - 1) / BI_RANKS_BOX_ROWS;
        BI_TRY(bi_scratch_of(ctx, 2 * boxes * dim, sizeof *step.low, &step.low));
        step.high = step.low + boxes * dim;
        const struct bi_ranks_steps *steps = ctx->ops->dist->steps;
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
static bosc_status find_box(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *rows, int64_t n, uint64_t *box)
{
    const int64_t dim = tree->opts.dim;
    uint64_t *found;
    for (int64_t c = 0; c < dim; c++) box[c] = UINT64_MAX, box[dim + c] = 0;
    if (n == 0) return BOSC_OK;
    BI_TRY(join_boxes(ctx, tree, rows, n, &found));
    BI_TRY(ctx->backend->copy(ctx, box, found, (size_t)(2 * dim) * sizeof *box));
    return ctx->backend->sync(ctx);
}

/* The boxes of the subtrees of the shard. */
static bosc_status find_parts(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *rows, int64_t n, int64_t first,
                              uint64_t *own)
{
    const bosc_kdtree_opts *o = &tree->opts;
    const int64_t words = tree->part_count * 2 * o->dim;
    struct bi_ranks_kdtree_parts step = {.rows = {rows, n, o->dim},
                                         .dtype = o->dtype,
                                         .dim = o->dim,
                                         .pieces = tree->pieces.data,
                                         .first = (uint32_t)first};
    BI_TRY(bi_scratch_of(ctx, words, sizeof *step.boxes, &step.boxes));
    BI_TRY(ctx->backend->fill(ctx, step.boxes, 0xff, (size_t)words * sizeof *own));
    BI_TRY(ctx->ops->dist->steps->kdtree_parts(ctx, n * o->dim, &step));
    BI_TRY(ctx->backend->copy(ctx, own, step.boxes, (size_t)words * sizeof *own));
    BI_TRY(ctx->backend->sync(ctx));
    for (int64_t p = 0; p < tree->part_count; p++)
        for (int64_t c = 0; c < o->dim; c++) own[(2 * p + 1) * o->dim + c] = ~own[(2 * p + 1) * o->dim + c];
    return BOSC_OK;
}

/* ---- all ranks' ---- */

/* The box of each rank's parts. */
static void join_parts(const bosc_ranks_kdtree *tree, const uint64_t *parts, uint64_t *boxes)
{
    const int64_t dim = tree->opts.dim, width = 2 * dim;
    for (int64_t r = 0; r < tree->comm->rank_count; r++) {
        uint64_t *box = boxes + r * width;
        for (int64_t c = 0; c < dim; c++) box[c] = UINT64_MAX, box[dim + c] = 0;
        for (int64_t p = r * tree->part_count; p < (r + 1) * tree->part_count; p++)
            for (int64_t c = 0; c < dim; c++) {
                const uint64_t low = parts[p * width + c], high = parts[p * width + dim + c];
                if (low < box[c]) box[c] = low;
                if (high > box[dim + c]) box[dim + c] = high;
            }
    }
}

/* host: room for this rank's boxes, those of all, and one of each. */
static bosc_status share(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status, const void *rows, int64_t n,
                         int64_t first, uint64_t *host)
{
    const int64_t ranks = tree->comm->rank_count, words = 2 * tree->opts.dim, own = tree->part_count * words;
    uint64_t *all = host ? host + own : NULL, *joint = host ? all + ranks * own : NULL;
    if (local_status == BOSC_OK)
        BI_WITH_SCRATCH(ctx, local_status = tree->part_count > 1 ? find_parts(ctx, tree, rows, n, first, host)
                                                                 : find_box(ctx, tree, rows, n, host));
    BI_TRY(bi_comm_agree(ctx, tree->comm, local_status));
    BI_TRY(bi_comm_all_gather(ctx, tree->comm, host, (size_t)own * sizeof *host, all));
    join_parts(tree, all, joint);
    local_status = ctx->backend->copy(ctx, tree->boxes.data, joint, (size_t)(ranks * words) * sizeof *host);
    if (local_status == BOSC_OK && tree->part_count > 1)
        local_status = ctx->backend->copy(ctx, tree->parts.data, all, (size_t)(ranks * own) * sizeof *host);
    return bi_comm_agree(ctx, tree->comm, local_status == BOSC_OK ? ctx->backend->sync(ctx) : local_status);
}

bosc_status bi_ranks_kdtree_share_boxes(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                        const struct bi_ranks_cuts *cuts, const void *rows, int64_t n)
{
    const int64_t ranks = tree->comm->rank_count, words = 2 * tree->opts.dim;
    tree->part_count = bi_ranks_kdtree_most_parts(cuts);
    const int64_t parts = tree->part_count * words;
    const size_t bytes = (size_t)(parts + ranks * (parts + words)) * sizeof(uint64_t);
    uint64_t *host = NULL;
    if (local_status == BOSC_OK)
        local_status = bi_block_reserve(ctx, &tree->memory, &tree->boxes, (size_t)(ranks * words) * sizeof *host);
    if (local_status == BOSC_OK && tree->part_count > 1)
        local_status = bi_block_reserve(ctx, &tree->memory, &tree->parts, (size_t)(ranks * parts) * sizeof *host);
    if (local_status == BOSC_OK && !(host = bi_host_alloc(ctx, bytes))) local_status = BOSC_ERR_NOMEM;
    const int64_t first = bi_ranks_kdtree_first_subtree(cuts, tree->comm->rank);
    const bosc_status status = share(ctx, tree, local_status, rows, n, first, host);
    bi_memory_release(&ctx->host, host, bytes);
    return status;
}
