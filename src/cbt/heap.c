/* The article's heap, made from the bits. */
#include "cbt/drivers.h"

bosc_status bi_cbt_make_heap(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *heap)
{
    int32_t depth = tree->opts.depth;
    struct bi_cbt_heap step = {.heap = heap, .bits = tree->view.bits, .depth = depth};
    for (step.level = depth; step.level >= 6; step.level--) {
        step.word = ((int64_t)1 << (step.level - 6)) * (depth - step.level + 3);
        BI_TRY(BI_CBT_STEP(ctx, heap_level, ((int64_t)1 << (step.level - 6)) * (depth - step.level + 1), &step));
    }
    return BI_CBT_STEP(ctx, heap_top, 1, &step);
}

bosc_status bi_cbt_refresh_heap(bosc_ctx *ctx, bosc_cbt *tree)
{
    if (tree->opts.layout != BOSC_CBT_PUBLISHED) return BOSC_OK;
    BI_TRY(bi_cbt_make_heap(ctx, tree, tree->heap.data));
    tree->heap_valid = true;
    return BOSC_OK;
}
