/* How a tree takes over a bit field. */
#include "cbt/install.h"
#include "cbt/drivers.h"

static bosc_status install(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits)
{
    BI_TRY(bi_cbt_clear_commands(ctx, tree));
    tree->heap_valid = false;
    BI_TRY(ctx->ops->cbt->install(ctx, tree, bits));
    return bi_cbt_refresh_heap(ctx, tree);
}

bosc_status bi_cbt_install_bits(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits)
{
    BI_TRY_WHOLE(ctx, install(ctx, tree, bits));
    return BOSC_OK;
}

int64_t bi_cbt_install_scratch(const bosc_ctx *ctx, int32_t depth)
{
    return ctx->ops->cbt->install_scratch(bi_cbt_blocks(depth));
}
