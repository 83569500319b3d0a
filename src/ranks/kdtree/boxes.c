/* Computes the bounding boxes of all shards and of their subtrees, and gathers them on all ranks. */
#include "core/call.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

int64_t bi_ranks_kdtree_max_subtrees(const struct bi_ranks_kdtree_partition *partition)
{
    int64_t max = 0;
    for (int64_t r = 0; r < partition->rank_count; r++) {
        const int64_t count =
            bi_ranks_kdtree_first_subtree(partition, r + 1) - bi_ranks_kdtree_first_subtree(partition, r);
        if (count > max) max = count;
    }
    return max;
}

/* ---- this rank's boxes, in host memory ---- */

/* *box = the bounding box of n > 0 rows: dim lowest keys, then dim highest. Reduces by a factor of 64 a pass. */
static bosc_status reduce_boxes(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *rows, int64_t n,
                                uint64_t **box)
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

/* Computes this rank's box; an empty one has low > high. */
static bosc_status compute_shard_box(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *rows, int64_t n,
                                     uint64_t *box)
{
    const int64_t dim = tree->opts.dim;
    uint64_t *found;
    for (int64_t c = 0; c < dim; c++) box[c] = UINT64_MAX, box[dim + c] = 0;
    if (n == 0) return BOSC_OK;
    BI_TRY(reduce_boxes(ctx, tree, rows, n, &found));
    BI_TRY(ctx->backend->copy(ctx, box, found, (size_t)(2 * dim) * sizeof *box));
    return ctx->backend->sync(ctx);
}

/* Computes the boxes of the shard's subtrees. */
static bosc_status compute_subtree_boxes(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *rows, int64_t n,
                                         int64_t first, uint64_t *own)
{
    const bosc_kdtree_opts *o = &tree->opts;
    const int64_t words = tree->subtrees_per_shard * 2 * o->dim;
    struct bi_ranks_kdtree_subtree_boxes step = {.rows = {rows, n, o->dim},
                                                 .dtype = o->dtype,
                                                 .dim = o->dim,
                                                 .parts = tree->parts.data,
                                                 .first = (uint32_t)first};
    BI_TRY(bi_scratch_of(ctx, words, sizeof *step.boxes, &step.boxes));
    BI_TRY(ctx->backend->fill(ctx, step.boxes, 0xff, (size_t)words * sizeof *own));
    BI_TRY(ctx->ops->dist->steps->kdtree_subtree_boxes(ctx, n * o->dim, &step));
    BI_TRY(ctx->backend->copy(ctx, own, step.boxes, (size_t)words * sizeof *own));
    BI_TRY(ctx->backend->sync(ctx));
    for (int64_t p = 0; p < tree->subtrees_per_shard; p++)
        for (int64_t c = 0; c < o->dim; c++) own[(2 * p + 1) * o->dim + c] = ~own[(2 * p + 1) * o->dim + c];
    return BOSC_OK;
}

/* ---- all ranks' boxes ---- */

/* Merges the subtree boxes of each rank into one box. */
static void merge_subtree_boxes(const bosc_ranks_kdtree *tree, const uint64_t *subtree_boxes, uint64_t *boxes)
{
    const int64_t dim = tree->opts.dim, width = 2 * dim;
    for (int64_t r = 0; r < tree->comm->rank_count; r++) {
        uint64_t *box = boxes + r * width;
        for (int64_t c = 0; c < dim; c++) box[c] = UINT64_MAX, box[dim + c] = 0;
        for (int64_t p = r * tree->subtrees_per_shard; p < (r + 1) * tree->subtrees_per_shard; p++)
            for (int64_t c = 0; c < dim; c++) {
                const uint64_t low = subtree_boxes[p * width + c], high = subtree_boxes[p * width + dim + c];
                if (low < box[c]) box[c] = low;
                if (high > box[dim + c]) box[dim + c] = high;
            }
    }
}

/* Gathers the boxes. host: room for this rank's boxes, those of all ranks, and one merged box each. */
static bosc_status exchange_boxes(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status, const void *rows,
                                  int64_t n, int64_t first, uint64_t *host)
{
    const int64_t ranks = tree->comm->rank_count, words = 2 * tree->opts.dim, own = tree->subtrees_per_shard * words;
    uint64_t *all = host ? host + own : NULL, *shard_boxes = host ? all + ranks * own : NULL;
    if (local_status == BOSC_OK)
        BI_WITH_SCRATCH(ctx, local_status = tree->subtrees_per_shard > 1
                                                ? compute_subtree_boxes(ctx, tree, rows, n, first, host)
                                                : compute_shard_box(ctx, tree, rows, n, host));
    BI_TRY(bi_comm_agree(ctx, tree->comm, local_status));
    BI_TRY(bi_comm_all_gather(ctx, tree->comm, host, (size_t)own * sizeof *host, all));
    merge_subtree_boxes(tree, all, shard_boxes);
    local_status = ctx->backend->copy(ctx, tree->boxes.data, shard_boxes, (size_t)(ranks * words) * sizeof *host);
    if (local_status == BOSC_OK && tree->subtrees_per_shard > 1)
        local_status = ctx->backend->copy(ctx, tree->subtree_boxes.data, all, (size_t)(ranks * own) * sizeof *host);
    return bi_comm_agree(ctx, tree->comm, local_status == BOSC_OK ? ctx->backend->sync(ctx) : local_status);
}

bosc_status bi_ranks_kdtree_gather_boxes(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                         const struct bi_ranks_kdtree_partition *partition, const void *rows, int64_t n)
{
    const int64_t ranks = tree->comm->rank_count, words = 2 * tree->opts.dim;
    tree->subtrees_per_shard = bi_ranks_kdtree_max_subtrees(partition);
    const int64_t words_per_shard = tree->subtrees_per_shard * words;
    const size_t bytes = (size_t)(words_per_shard + ranks * (words_per_shard + words)) * sizeof(uint64_t);
    uint64_t *host = NULL;
    if (local_status == BOSC_OK)
        local_status = bi_block_reserve(ctx, &tree->memory, &tree->boxes, (size_t)(ranks * words) * sizeof *host);
    if (local_status == BOSC_OK && tree->subtrees_per_shard > 1)
        local_status = bi_block_reserve(ctx, &tree->memory, &tree->subtree_boxes,
                                        (size_t)(ranks * words_per_shard) * sizeof *host);
    if (local_status == BOSC_OK && !(host = bi_host_alloc(ctx, bytes))) local_status = BOSC_ERR_NOMEM;
    const int64_t first = bi_ranks_kdtree_first_subtree(partition, tree->comm->rank);
    const bosc_status status = exchange_boxes(ctx, tree, local_status, rows, n, first, host);
    bi_memory_release(&ctx->host, host, bytes);
    return status;
}
