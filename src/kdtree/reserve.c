/* Reserves the memory of k-d trees, and computes the memory of builds. */
#include "base/bits.h"
#include "core/call.h"
#include "kdtree/handle.h"
#include "kdtree/shape.h"

/* Returns the scratch of the published method: lists, the order of nodes, and the larger need of sorting (with keys of
 * lists) and of partitioning and storing. */
static int64_t brown_scratch(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n)
{
    int64_t size = (int64_t)bosc_dtype_size(opts->dtype), levels = bi_kdtree_last_list_level(n) + 1;
    int64_t lists = opts->dim < levels ? opts->dim : levels;
    bool unique = opts->duplicates == BOSC_KDTREE_DUPLICATES_REMOVE;
    int64_t sort = 4 * size + (opts->sort_halves ? opts->dim * size / 2 + 4 : 0), store = unique ? 28 : 0;
    int64_t sorting = n * (sort + (unique ? lists * size : 0));
    int64_t making = ctx->ops->kdtree->build_scratch(ctx, opts, n) + n * store;
    /* 8: order and spare list; 20: arrays of bi_kdtree_allocate_runs; n / 4: counts of pieces. */
    return n * (4 * lists + 8 + (unique ? 20 : 0)) + n / 4 + bi_max_i64(sorting, making);
}

/* Returns the scratch of a build with host points. */
static int64_t build_scratch(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n)
{
    const struct bi_kdtree_ops *ops = ctx->ops->kdtree;
    int64_t size = (int64_t)bosc_dtype_size(opts->dtype), scratch;
    int depth = bi_kdtree_depth(n), lists = opts->dim < depth ? opts->dim : depth;
    bool fused = opts->builder == BOSC_KDTREE_AUTO && ops->builds(opts, n);
    bool unique = opts->duplicates == BOSC_KDTREE_DUPLICATES_REMOVE;
    if (opts->builder == BOSC_KDTREE_BROWN)
        return brown_scratch(ctx, opts, n) + n * opts->dim * size + 65536; /* as below */
    if (fused)
        scratch = ops->build_scratch(ctx, opts, n);
    else
        scratch = n * (8 * lists + 24);                                          /* lists, order and partitioning */
    if (!fused || unique) scratch += n * (2 * opts->dim * size + 4 * size + 16); /* sorted rows, keys, and their sort */
    if (unique) scratch += n * (opts->dim * size + 45);
    return scratch + n * opts->dim * size + 65536; /* staged host points; rounding of allocations */
}

/* Returns the scratch of a search of a tree of n nodes with reachable arrays. With as many queries as nodes, the nodes
 * themselves may be the queries, as rows by id. */
static int64_t query_scratch(const bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, int64_t query_count, int64_t k)
{
    int64_t row = tree->opts.dim * (int64_t)bosc_dtype_size(tree->opts.dtype);
    bosc_kdtree sized = *tree;
    sized.nodes = n;
    return (int64_t)tree->ops->query_bytes(ctx, &sized, query_count, k) + (query_count >= n ? n * (2 * row + 8) : 0) +
           4096;
}

/* Copies the tree to the larger blocks of *next, and replaces it by *next. */
static bosc_status move_blocks(bosc_ctx *ctx, bosc_kdtree *tree, const bosc_kdtree *next)
{
    struct bi_block from[BI_KDTREE_BLOCKS], to[BI_KDTREE_BLOCKS];
    bosc_status status = BOSC_OK;
    bool copied = false;
    bi_kdtree_list_blocks(tree, from);
    bi_kdtree_list_blocks(next, to);
    for (int b = 0; b < BI_KDTREE_BLOCKS && status == BOSC_OK; b++) {
        if (!from[b].data || from[b].data == to[b].data) continue;
        status = ctx->backend->copy(ctx, to[b].data, from[b].data, from[b].bytes);
        copied = true;
    }
    if (status == BOSC_OK && copied) status = ctx->backend->sync(ctx);
    if (status == BOSC_OK)
        bi_kdtree_commit(tree, next);
    else
        bi_kdtree_abandon(tree, next);
    return status;
}

bosc_status bosc_kdtree_reserve(bosc_ctx *ctx, bosc_kdtree *tree, int64_t n, int64_t query_count, int64_t k)
{
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    BI_TRY(bi_kdtree_check_size(ctx, n));
    if (query_count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "query_count: %lld is less than 0", (long long)query_count);
    if (k < 0) return bi_fail(ctx, BOSC_ERR_ARG, "k: %lld is less than 0", (long long)k);
    int64_t entry = k > INT64_MAX / 64 ? INT64_MAX : 16 * (k + 1) + 8 * (int64_t)tree->opts.dim;
    if (entry == INT64_MAX || (query_count > 0 && entry > INT64_MAX / 4 / query_count))
        return bi_fail(ctx, BOSC_ERR_ARG, "k: %lld queries of %lld neighbours are more than memory can hold",
                       (long long)query_count, (long long)k);
    int64_t scratch = build_scratch(ctx, &tree->opts, n);
    int64_t queries = query_scratch(ctx, tree, n, query_count, k) + query_count * entry;
    bosc_kdtree next;
    void *memory;
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)bi_max_i64(scratch, queries), &memory));
    BI_TRY(bi_kdtree_reserve_blocks(ctx, tree, n, &next));
    next.reserved |= query_count > 0;
    return move_blocks(ctx, tree, &next);
}

bosc_status bosc_kdtree_bytes(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n, int64_t *kept,
                              int64_t *scratch)
{
    bosc_kdtree_opts full;
    bosc_ctx *messages = (bosc_ctx *)ctx; /* only its message is written */
    BI_ENTER(messages);
    BI_TRY(bi_kdtree_check_opts(messages, opts, &full));
    BI_TRY(bi_kdtree_check_size(messages, n));
    size_t bytes[3];
    ctx->ops->kdtree->blocks(&full, n, bytes);
    int64_t runs = full.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE ? 8 * n : 0;
    if (kept) *kept = (int64_t)(bytes[0] + bytes[1] + bytes[2]) + runs;
    if (scratch) *scratch = build_scratch(ctx, &full, n);
    return BOSC_OK;
}
