/* Installs bit fields in trees. */
#include "cbt/install.h"
#include "cbt/drivers.h"

static bosc_status install_field(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits)
{
    if (bi_cbt_is_published(tree)) {
        const enum bi_cbt_bits_change change = bits ? BI_CBT_BITS_COPIED : BI_CBT_BITS_UNCHANGED;
        struct bi_cbt_reduction all = {.view = tree->heap_view, .change = change, .bits = bits};
        BI_TRY(bi_scratch(ctx, sizeof *all.arrived, (void **)&all.arrived));
        return bi_cbt_reduce_heap(ctx, tree, &all);
    }
    BI_TRY(bi_cbt_clear_commands(ctx, tree));
    return ctx->ops->cbt->install(ctx, tree, bits ? bits : tree->view.bits);
}

bosc_status bi_cbt_install_bits(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits)
{
    BI_TRY_UNINTERRUPTIBLE(ctx, install_field(ctx, tree, bits));
    return BOSC_OK;
}

int64_t bi_cbt_install_scratch(const bosc_ctx *ctx, int32_t depth)
{
    return ctx->ops->cbt->install_scratch(bi_cbt_blocks(depth));
}
