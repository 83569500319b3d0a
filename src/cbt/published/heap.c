/* The published heap (Dupuy 2020): computed from the bits of a RANKED tree, or the storage of a PUBLISHED one. */
#include "cbt/cbt.h"
#include "cbt/steps/steps.h"

static bosc_status export_field(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *bits, uint64_t *heap)
{
    const struct bi_cbt_heap_export step = {tree->heap_view, bits, heap};
    return BI_CBT_STEP(ctx, heap_export, bi_cbt_bit_words(tree->opts.depth), &step);
}

bosc_status bi_cbt_make_heap(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *heap)
{
    int32_t depth = tree->opts.depth;
    struct bi_cbt_heap step = {.heap = heap, .bits = tree->view.bits, .depth = depth};
    if (bi_cbt_is_published(tree)) {
        BI_TRY(ctx->backend->copy(ctx, heap, tree->heap.data, (size_t)bi_cbt_heap_words(depth) * 8));
        return export_field(ctx, tree, NULL, heap);
    }
    for (step.level = depth; step.level >= 6; step.level--) {
        step.word = bi_cbt_level_first_word(depth, step.level);
        BI_TRY(BI_CBT_STEP(ctx, heap_level, bi_cbt_level_words(depth, step.level), &step));
    }
    return BI_CBT_STEP(ctx, heap_top, 1, &step);
}

bosc_status bi_cbt_copy_bits(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *bits)
{
    const size_t bytes = (size_t)bi_cbt_bit_words(tree->opts.depth) * 8;
    struct bi_out out;
    bool staged = false;
    if (!bi_cbt_is_published(tree)) return ctx->backend->copy(ctx, bits, tree->view.bits, bytes);
    BI_TRY(bi_stage_out(ctx, bits, bytes, &out, &staged));
    BI_TRY(export_field(ctx, tree, out.reachable, NULL));
    return bi_stage_back(ctx, &out);
}

bosc_status bi_cbt_reduce_heap(bosc_ctx *ctx, bosc_cbt *tree, const struct bi_cbt_reduction *a)
{
    BI_TRY(ctx->ops->cbt->reduce_heap(ctx, a));
    tree->pending = false;
    return BOSC_OK;
}

/* Counts the new leaves by blocks of the field that the next reduction will sum, then writes sources. Waits if they go
 * to the host, since nothing may fail once the tree has changed. */
bosc_status bi_cbt_heap_write_sources(bosc_ctx *ctx, const bosc_cbt *tree, int64_t *sources, int64_t capacity)
{
    const int32_t depth = tree->opts.depth;
    const struct bi_cbt_reduction cancel = {.view = tree->heap_view, .change = BI_CBT_BITS_UPDATED};
    struct bi_cbt_heap_sources step = {.view = tree->heap_view, .blocks = bi_cbt_blocks(depth), .capacity = capacity};
    struct bi_out out;
    bool staged = false;
    if (capacity == 0) return BOSC_OK;
    BI_TRY(bi_stage_out(ctx, sources, (size_t)capacity * sizeof *sources, &out, &staged));
    step.sources = out.reachable;
    BI_TRY(bi_scratch_of(ctx, step.blocks + 1, sizeof *step.counts, &step.counts));
    BI_TRY(BI_CBT_STEP(ctx, heap_cancel_merges, bi_cbt_bit_words(depth), &cancel));
    BI_TRY(BI_CBT_STEP(ctx, heap_count, step.blocks + 1, &step));
    BI_TRY(
        ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, step.counts, step.blocks + 1, step.counts));
    BI_TRY(BI_CBT_STEP(ctx, heap_sources, step.blocks + (capacity + BI_CBT_BLOCK - 1) / BI_CBT_BLOCK, &step));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}
