/* Creates trees, and resets them to the nodes of a level. */
#include "cbt/drivers.h"

static bosc_status reset_published(bosc_ctx *ctx, bosc_cbt *tree, int32_t level)
{
    struct bi_cbt_reduction all = {.view = tree->heap_view, .change = BI_CBT_BITS_OF_LEVEL, .level = level};
    BI_TRY(bi_scratch(ctx, sizeof *all.arrived, (void **)&all.arrived));
    return bi_cbt_reduce_heap(ctx, tree, &all);
}

static bosc_status reset(bosc_ctx *ctx, bosc_cbt *tree, int32_t level)
{
    bi_cbt_set_progress_total(ctx, tree->opts.depth, 1 + bi_cbt_heap_items(tree), 0);
    struct bi_cbt_reset reset = {tree->view.depth, level, tree->view.blocks, tree->bits.data, tree->ranks.data};
    if (bi_cbt_is_published(tree)) BI_RETURN_WITH_SCRATCH(ctx, reset_published(ctx, tree, level));
    BI_TRY(bi_cbt_clear_commands(ctx, tree));
    return BI_CBT_STEP(ctx, reset, tree->view.blocks + 1, &reset);
}

bosc_status bosc_cbt_create(bosc_ctx *ctx, const bosc_cbt_opts *opts, bosc_cbt **tree)
{
    bosc_cbt_opts full;
    bosc_cbt *fresh;
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check_opts(ctx, opts, &full));
    if (!tree) return bi_fail(ctx, BOSC_ERR_ARG, "tree: NULL");
    BI_TRY(bi_cbt_allocate(ctx, &full, &fresh));
    bosc_status status = reset(ctx, fresh, full.level);
    if (status == BOSC_OK)
        *tree = fresh;
    else
        bosc_cbt_free(fresh);
    return status;
}

bosc_status bosc_cbt_reset(bosc_ctx *ctx, bosc_cbt *tree, int32_t level)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check(ctx, tree));
    if (level < 0 || level > tree->opts.depth)
        return bi_fail(ctx, BOSC_ERR_ARG, "level: %d is not in 0 to depth %d", (int)level, (int)tree->opts.depth);
    BI_TRY_UNINTERRUPTIBLE(ctx, reset(ctx, tree, level));
    return BOSC_OK;
}
