/* The drivers that read trees. */
#include "cbt/drivers.h"
#include "core/call.h"

/* Decodes by descent, where the tree is to be read as published. */
static bool descends(const bosc_cbt *tree) { return tree->opts.layout == BOSC_CBT_PUBLISHED && tree->heaped; }

bosc_status bi_cbt_decode_leaves(bosc_ctx *ctx, const bosc_cbt *tree, int64_t first, int64_t count, void *nodes)
{
    struct bi_out out;
    bool staged = false, wide = tree->opts.id_bits == 64;
    if (count == 0) return BOSC_OK;
    BI_TRY(bi_stage_out(ctx, nodes, (size_t)count * bi_cbt_id_size(tree), &out, &staged));
    if (tree->opts.decoding == BOSC_CBT_SEQUENTIAL) {
        struct bi_cbt_decode step = {tree->view, first, count, out.reachable, wide};
        BI_TRY(BI_CBT_STEP(ctx, walk, 1, &step));
    } else if (descends(tree)) {
        struct bi_cbt_heap step = {
            .heap = tree->heap.data, .depth = tree->opts.depth, .first = first, .nodes = out.reachable, .wide = wide};
        BI_TRY(BI_CBT_STEP(ctx, heap_decode, count, &step));
    } else {
        struct bi_cbt_decode step = {tree->view, first, count, out.reachable, wide};
        BI_TRY(ctx->ops->cbt->decode(ctx, &step));
    }
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_cbt_decode(bosc_ctx *ctx, const bosc_cbt *tree, int64_t first, int64_t count, void *nodes)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    if (first < 0) return bi_fail(ctx, BOSC_ERR_ARG, "first: %lld is less than 0", (long long)first);
    BI_TRY(bi_cbt_check_array(ctx, "count", count, "nodes", nodes, bi_cbt_id_size(tree)));
    if (first > INT64_MAX - count)
        return bi_fail(ctx, BOSC_ERR_ARG, "first: %lld and %lld more are beyond all numbers", (long long)first,
                       (long long)count);
    BI_RETURN_WITH_SCRATCH(ctx, bi_cbt_decode_leaves(ctx, tree, first, count, nodes));
}

enum question { NODE_OF_LEAF, LEAF_OF_NODE, LEAVES_BELOW };

static bosc_status answer(bosc_ctx *ctx, const bosc_cbt *tree, enum question what, const void *in, int64_t m, void *out)
{
    bool wide = tree->opts.id_bits == 64;
    if (what == NODE_OF_LEAF && descends(tree)) {
        struct bi_cbt_heap step = {
            .heap = tree->heap.data, .depth = tree->opts.depth, .leaves = in, .nodes = out, .wide = wide};
        return BI_CBT_STEP(ctx, heap_decode, m, &step);
    }
    struct bi_cbt_ask step = {.view = tree->view, .wide = wide};
    if (what == NODE_OF_LEAF) {
        step.leaves = in;
        step.nodes = out;
        return BI_CBT_STEP(ctx, decode_at, m, &step);
    }
    step.nodes = (void *)in;
    step.answers = out;
    return what == LEAF_OF_NODE ? BI_CBT_STEP(ctx, encode, m, &step) : BI_CBT_STEP(ctx, heap_read, m, &step);
}

static bosc_status ask_staged(bosc_ctx *ctx, const bosc_cbt *tree, enum question what, const void *in, int64_t m,
                              void *out)
{
    struct bi_out to;
    const void *from;
    bool staged = false;
    size_t in_size = what == NODE_OF_LEAF ? sizeof(int64_t) : bi_cbt_id_size(tree);
    size_t out_size = what == NODE_OF_LEAF ? bi_cbt_id_size(tree) : sizeof(int64_t);
    if (m == 0) return BOSC_OK;
    BI_TRY(bi_stage_in(ctx, in, (size_t)m * in_size, &from, &staged));
    BI_TRY(bi_stage_out(ctx, out, (size_t)m * out_size, &to, &staged));
    BI_TRY(answer(ctx, tree, what, from, m, to.reachable));
    BI_TRY(bi_stage_back(ctx, &to));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

/* One question for each of m leaves or nodes; the arrays have names in messages. */
static bosc_status ask(bosc_ctx *ctx, const bosc_cbt *tree, enum question what, const char *in_name, const void *in,
                       int64_t m, const char *out_name, void *out)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    bool to_nodes = what == NODE_OF_LEAF;
    BI_TRY(bi_cbt_check_array(ctx, "m", m, in_name, in, to_nodes ? sizeof(int64_t) : bi_cbt_id_size(tree)));
    BI_TRY(bi_cbt_check_array(ctx, "m", m, out_name, out, to_nodes ? bi_cbt_id_size(tree) : sizeof(int64_t)));
    BI_RETURN_WITH_SCRATCH(ctx, ask_staged(ctx, tree, what, in, m, out));
}

bosc_status bosc_cbt_decode_at(bosc_ctx *ctx, const bosc_cbt *tree, const int64_t *leaves, int64_t m, void *nodes)
{
    return ask(ctx, tree, NODE_OF_LEAF, "leaves", leaves, m, "nodes", nodes);
}

bosc_status bosc_cbt_encode(bosc_ctx *ctx, const bosc_cbt *tree, const void *nodes, int64_t m, int64_t *leaves)
{
    return ask(ctx, tree, LEAF_OF_NODE, "nodes", nodes, m, "leaves", leaves);
}

bosc_status bosc_cbt_heap_read(bosc_ctx *ctx, const bosc_cbt *tree, const void *nodes, int64_t m, int64_t *counts)
{
    return ask(ctx, tree, LEAVES_BELOW, "nodes", nodes, m, "counts", counts);
}
