/* Makes trees whose leaves are the nodes of a level. */
#include "cbt/drivers.h"

static bosc_status reset(bosc_ctx *ctx, bosc_cbt *tree, int32_t level)
{
    struct bi_cbt_reset reset = {tree->view.depth, level, tree->view.blocks, tree->bits.data, tree->ranks.data};
    BI_TRY(bi_cbt_clear_commands(ctx, tree));
    tree->heap_valid = false;
    BI_TRY(BI_CBT_STEP(ctx, reset, tree->view.blocks + 1, &reset));
    return bi_cbt_refresh_heap(ctx, tree);
}

bosc_status bosc_cbt_create(bosc_ctx *ctx, const bosc_cbt_opts *opts, bosc_cbt **tree)
{
    bosc_cbt_opts full;
    bosc_cbt *fresh;
    BI_ENTER(ctx);
    BI_TRY(bi_cbt_check_opts(ctx, opts, &full));
    if (!tree) return bi_fail(ctx, BOSC_ERR_ARG, "tree: NULL");
    BI_TRY(bi_cbt_new(ctx, &full, &fresh));
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
    BI_TRY_WHOLE(ctx, reset(ctx, tree, level));
    return BOSC_OK;
}
