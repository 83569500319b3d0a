/* Decodes leaves; queries about leaves and nodes. */
#include "cbt/cbt.h"
#include "cbt/steps/steps.h"
#include "core/check.h"

bosc_status bi_cbt_decode_leaves(bosc_ctx *ctx, const bosc_cbt *tree, int64_t first, int64_t count, void *nodes)
{
    struct bi_out out;
    bool staged = false, is_64bit = tree->opts.id_bits == 64;
    if (count == 0) return BOSC_OK;
    BI_TRY(bi_stage_out(ctx, nodes, (size_t)count * bi_cbt_id_size(tree), &out, &staged));
    const bool sequential = tree->opts.decoding == BOSC_CBT_SEQUENTIAL;
    const struct bi_cbt_decode by_words = {tree->view, first, count, out.reachable, is_64bit};
    const struct bi_cbt_heap_query descent = {
        .view = tree->heap_view, .first = first, .count = count, .nodes = out.reachable, .is_64bit = is_64bit};
    if (bi_cbt_is_published(tree))
        BI_TRY(sequential ? BI_CBT_STEP(ctx, heap_sequential, 1, &descent)
                          : BI_CBT_STEP(ctx, heap_decode, count, &descent));
    else
        BI_TRY(sequential ? BI_CBT_STEP(ctx, decode_sequential, 1, &by_words) : ctx->ops->cbt->decode(ctx, &by_words));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_cbt_decode(bosc_ctx *ctx, const bosc_cbt *tree, int64_t first, int64_t count, void *nodes)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    BI_TRY(bi_cbt_check_array(ctx, "count", count, "nodes", nodes, bi_cbt_id_size(tree)));
    BI_TRY(bi_check_range(ctx, first, count));
    const bool by_leaf = bi_cbt_is_published(tree);
    bi_cbt_set_progress_total(ctx, tree->opts.depth, by_leaf ? 0 : BI_CBT_VISIT_ITEMS, by_leaf ? count : 0);
    BI_RETURN_WITH_SCRATCH(ctx, bi_cbt_decode_leaves(ctx, tree, first, count, nodes));
}

enum query_kind { NODE_OF_LEAF, LEAF_OF_NODE, LEAVES_BELOW };

/* The arrays of a batch of queries, with their names for messages. */
struct query_arrays {
    enum query_kind kind;
    const char *count_name, *in_name, *out_name;
    const void *in;
    int64_t count;
    void *out;
};

/* Queries of a PUBLISHED tree. */
static bosc_status run_heap_query_step(bosc_ctx *ctx, const bosc_cbt *tree, const struct query_arrays *b,
                                       const void *in, void *out)
{
    struct bi_cbt_heap_query step = {.view = tree->heap_view, .is_64bit = tree->opts.id_bits == 64};
    if (b->kind == NODE_OF_LEAF) {
        step.leaves = in;
        step.nodes = out;
        return BI_CBT_STEP(ctx, heap_decode, b->count, &step);
    }
    step.nodes = (void *)in;
    step.answers = out;
    if (b->kind == LEAF_OF_NODE) return BI_CBT_STEP(ctx, heap_encode, b->count, &step);
    return BI_CBT_STEP(ctx, heap_values, b->count, &step);
}

static bosc_status run_query_step(bosc_ctx *ctx, const bosc_cbt *tree, const struct query_arrays *b, const void *in,
                                  void *out)
{
    bool is_64bit = tree->opts.id_bits == 64;
    if (bi_cbt_is_published(tree)) return run_heap_query_step(ctx, tree, b, in, out);
    struct bi_cbt_query step = {.view = tree->view, .is_64bit = is_64bit};
    if (b->kind == NODE_OF_LEAF) {
        step.leaves = in;
        step.nodes = out;
        return BI_CBT_STEP(ctx, decode_at, b->count, &step);
    }
    step.nodes = (void *)in;
    step.answers = out;
    if (b->kind == LEAF_OF_NODE) return BI_CBT_STEP(ctx, encode, b->count, &step);
    return BI_CBT_STEP(ctx, heap_read, b->count, &step);
}

static bosc_status stage_and_query(bosc_ctx *ctx, const bosc_cbt *tree, const struct query_arrays *b, size_t in_size,
                                   size_t out_size)
{
    struct bi_out to;
    const void *from;
    bool staged = false;
    if (b->count == 0) return BOSC_OK;
    BI_TRY(bi_stage_in(ctx, b->in, (size_t)b->count * in_size, &from, &staged));
    BI_TRY(bi_stage_out(ctx, b->out, (size_t)b->count * out_size, &to, &staged));
    BI_TRY(run_query_step(ctx, tree, b, from, to.reachable));
    BI_TRY(bi_stage_back(ctx, &to));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

static bosc_status query_batch(bosc_ctx *ctx, const bosc_cbt *tree, const struct query_arrays *b)
{
    BI_TRY(bi_cbt_check(ctx, tree));
    bool to_nodes = b->kind == NODE_OF_LEAF;
    size_t in_size = to_nodes ? sizeof(int64_t) : bi_cbt_id_size(tree);
    size_t out_size = to_nodes ? bi_cbt_id_size(tree) : sizeof(int64_t);
    BI_TRY(bi_cbt_check_array(ctx, b->count_name, b->count, b->in_name, b->in, in_size));
    BI_TRY(bi_cbt_check_array(ctx, b->count_name, b->count, b->out_name, b->out, out_size));
    bi_progress_set_total(ctx, (double)b->count);
    BI_RETURN_WITH_SCRATCH(ctx, stage_and_query(ctx, tree, b, in_size, out_size));
}

bosc_status bosc_cbt_decode_at(bosc_ctx *ctx, const bosc_cbt *tree, const int64_t *leaves, int64_t leaf_count,
                               void *nodes)
{
    const struct query_arrays b = {NODE_OF_LEAF, "leaf_count", "leaves", "nodes", leaves, leaf_count, nodes};
    BI_ENTER(ctx);
    return query_batch(ctx, tree, &b);
}

bosc_status bosc_cbt_encode(bosc_ctx *ctx, const bosc_cbt *tree, const void *nodes, int64_t node_count, int64_t *leaves)
{
    const struct query_arrays b = {LEAF_OF_NODE, "node_count", "nodes", "leaves", nodes, node_count, leaves};
    BI_ENTER(ctx);
    return query_batch(ctx, tree, &b);
}

bosc_status bosc_cbt_heap_read(bosc_ctx *ctx, const bosc_cbt *tree, const void *nodes, int64_t node_count,
                               int64_t *counts)
{
    const struct query_arrays b = {LEAVES_BELOW, "node_count", "nodes", "counts", nodes, node_count, counts};
    BI_ENTER(ctx);
    return query_batch(ctx, tree, &b);
}
