/* Changes and decodes of trees on the CPU: commands become bits, one pass marks what they change, a scan of counts
 * makes the new ranks. */
#include "cbt/cpu/cpu.h"

enum { SCAN_SCRATCH = 1 << 17 };

#define STEP(ctx, name, n, args) ((ctx)->ops->cbt->cpu_steps->cbt_##name((ctx), (n), (args)))

/* Ranks, and what their scan takes. */
int64_t bi_cbt_cpu_scratch(int64_t blocks) { return (blocks + 1) * (int64_t)sizeof(int64_t) + SCAN_SCRATCH; }

bosc_status bi_cbt_cpu_decode(bosc_ctx *ctx, const struct bi_cbt_decode *a)
{
    return STEP(ctx, decode, a->view.blocks + (a->count + BI_CBT_BLOCK - 1) / BI_CBT_BLOCK, a);
}

static bosc_status carry_out(bosc_ctx *ctx, bosc_cbt *tree, const struct bi_cbt_change *a)
{
    int64_t blocks = tree->view.blocks, *fresh;
    uint32_t any;
    struct bi_cbt_find_changes mark = {.view = tree->view};
    BI_TRY(bi_scratch_of(ctx, blocks + 1, sizeof *fresh, &fresh));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof any, &mark.changed));
    BI_TRY(ctx->backend->fill(ctx, mark.changed, 0, sizeof any));
    BI_TRY(ctx->backend->fill(ctx, fresh + blocks, 0, sizeof *fresh));
    mark.counts = fresh;
    BI_TRY(STEP(ctx, find_changes, blocks, &mark));
    BI_TRY(bi_read_back(ctx, &any, mark.changed, sizeof any));
    if (any || a->sources)
        BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, fresh, blocks + 1, fresh));
    if (a->sources && a->capacity > 0) {
        struct bi_cbt_sources sources = {tree->view, fresh, a->sources, a->capacity};
        BI_TRY(STEP(ctx, sources, blocks + (a->capacity + BI_CBT_BLOCK - 1) / BI_CBT_BLOCK, &sources));
    }
    struct bi_cbt_apply flip = {tree->view, any ? fresh : NULL};
    return STEP(ctx, apply, blocks + 1, &flip);
}

bosc_status bi_cbt_cpu_change(bosc_ctx *ctx, bosc_cbt *tree, const struct bi_cbt_change *a,
                              struct bi_cbt_outcome *outcome)
{
    BI_TRY(bi_cbt_reserve_commands(ctx, tree));
    if (a->count > 0) {
        struct bi_cbt_record_by_leaf order = {tree->view, a->commands, a->count};
        tree->pending = true;
        BI_TRY(STEP(ctx, record_by_leaf, tree->view.blocks, &order));
    }
    (void)outcome; /* nodes are decoded by another call */
    return carry_out(ctx, tree, a);
}

bosc_status bi_cbt_cpu_install(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits)
{
    int64_t blocks = tree->view.blocks, *ranks;
    BI_TRY(bi_scratch_of(ctx, blocks + 1, sizeof *ranks, &ranks));
    BI_TRY(ctx->backend->fill(ctx, ranks + blocks, 0, sizeof *ranks));
    struct bi_cbt_count count = {bits, ranks};
    BI_TRY(STEP(ctx, count, blocks, &count));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, ranks, blocks + 1, ranks));
    struct bi_cbt_install install = {tree->view, bits, ranks};
    return STEP(ctx, install, blocks + 1, &install);
}
