/* The drivers that read trees. */
#include "cbt/driver.h"

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
        BI_TRY(bi_cbt_ops_of(ctx)->decode(ctx, &step));
    }
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_cbt_decode(bosc_ctx *ctx, const bosc_cbt *tree, int64_t first, int64_t count, void *nodes)
{
    if (!ctx) return BOSC_ERR_ARG;
    bi_begin(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    if (first < 0) return bi_fail(ctx, BOSC_ERR_ARG, "first: %lld is less than 0", (long long)first);
    BI_TRY(bi_cbt_check_array(ctx, "count", count, "nodes", nodes, bi_cbt_id_size(tree)));
    if (first > INT64_MAX - count)
        return bi_fail(ctx, BOSC_ERR_ARG, "first: %lld and %lld more are beyond all numbers", (long long)first,
                       (long long)count);
    BI_CBT_WITH_SCRATCH(ctx, bi_cbt_decode_leaves(ctx, tree, first, count, nodes));
}

static bosc_status decode_at(bosc_ctx *ctx, const bosc_cbt *tree, const int64_t *leaves, int64_t m, void *nodes)
{
    struct bi_out out;
    const void *reach;
    bool staged = false, wide = tree->opts.id_bits == 64;
    if (m == 0) return BOSC_OK;
    BI_TRY(bi_stage_in(ctx, leaves, (size_t)m * sizeof *leaves, &reach, &staged));
    BI_TRY(bi_stage_out(ctx, nodes, (size_t)m * bi_cbt_id_size(tree), &out, &staged));
    if (descends(tree)) {
        struct bi_cbt_heap step = {
            .heap = tree->heap.data, .depth = tree->opts.depth, .leaves = reach, .nodes = out.reachable, .wide = wide};
        BI_TRY(BI_CBT_STEP(ctx, heap_decode, m, &step));
    } else {
        struct bi_cbt_ask step = {.view = tree->view, .leaves = reach, .nodes = out.reachable, .wide = wide};
        BI_TRY(BI_CBT_STEP(ctx, decode_at, m, &step));
    }
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_cbt_decode_at(bosc_ctx *ctx, const bosc_cbt *tree, const int64_t *leaves, int64_t m, void *nodes)
{
    if (!ctx) return BOSC_ERR_ARG;
    bi_begin(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    BI_TRY(bi_cbt_check_array(ctx, "m", m, "leaves", leaves, sizeof *leaves));
    BI_TRY(bi_cbt_check_array(ctx, "m", m, "nodes", nodes, bi_cbt_id_size(tree)));
    BI_CBT_WITH_SCRATCH(ctx, decode_at(ctx, tree, leaves, m, nodes));
}

/* A number for each node. */
static bosc_status ask(bosc_ctx *ctx, const bosc_cbt *tree, const void *nodes, int64_t m, int64_t *answers, bool heap)
{
    struct bi_out out;
    const void *reach;
    bool staged = false;
    if (m == 0) return BOSC_OK;
    BI_TRY(bi_stage_in(ctx, nodes, (size_t)m * bi_cbt_id_size(tree), &reach, &staged));
    BI_TRY(bi_stage_out(ctx, answers, (size_t)m * sizeof *answers, &out, &staged));
    struct bi_cbt_ask step = {
        .view = tree->view, .nodes = (void *)reach, .answers = out.reachable, .wide = tree->opts.id_bits == 64};
    if (heap)
        BI_TRY(BI_CBT_STEP(ctx, heap_read, m, &step));
    else
        BI_TRY(BI_CBT_STEP(ctx, encode, m, &step));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_cbt_encode(bosc_ctx *ctx, const bosc_cbt *tree, const void *nodes, int64_t m, int64_t *leaves)
{
    if (!ctx) return BOSC_ERR_ARG;
    bi_begin(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    BI_TRY(bi_cbt_check_array(ctx, "m", m, "nodes", nodes, bi_cbt_id_size(tree)));
    BI_TRY(bi_cbt_check_array(ctx, "m", m, "leaves", leaves, sizeof *leaves));
    BI_CBT_WITH_SCRATCH(ctx, ask(ctx, tree, nodes, m, leaves, false));
}

bosc_status bosc_cbt_heap_read(bosc_ctx *ctx, const bosc_cbt *tree, const void *nodes, int64_t m, int64_t *counts)
{
    if (!ctx) return BOSC_ERR_ARG;
    bi_begin(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    BI_TRY(bi_cbt_check_array(ctx, "m", m, "nodes", nodes, bi_cbt_id_size(tree)));
    BI_TRY(bi_cbt_check_array(ctx, "m", m, "counts", counts, sizeof *counts));
    BI_CBT_WITH_SCRATCH(ctx, ask(ctx, tree, nodes, m, counts, true));
}
