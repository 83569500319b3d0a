/* Changes and decodes of trees on the CPU. A change takes four passes over blocks: commands by leaf become bits; valid
 * changes are found and new leaves counted; sources are written; bits and ranks are replaced. */
#include "cbt/cpu/cpu.h"

enum { SCAN_SCRATCH = 1 << 17 }; /* an upper bound of a scan's scratch */

#define STEP(ctx, name, n, args) ((ctx)->ops->cbt->cpu_steps->cbt_##name((ctx), (n), (args)))

/* Upper bound: ranks and their scan. */
int64_t bi_cbt_cpu_scratch(int64_t blocks) { return (blocks + 1) * (int64_t)sizeof(int64_t) + SCAN_SCRATCH; }

bosc_status bi_cbt_cpu_decode(bosc_ctx *ctx, const struct bi_cbt_decode *a)
{
    return STEP(ctx, decode, a->view.blocks + (a->count + BI_CBT_BLOCK - 1) / BI_CBT_BLOCK, a);
}

static bosc_status apply_commands(bosc_ctx *ctx, bosc_cbt *tree, const struct bi_cbt_change *a)
{
    int64_t blocks = tree->view.blocks, *new_ranks;
    uint32_t any;
    struct bi_cbt_find_changes mark = {.view = tree->view};
    BI_TRY(bi_scratch_of(ctx, blocks + 1, sizeof *new_ranks, &new_ranks));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof any, &mark.changed));
    BI_TRY(ctx->backend->fill(ctx, mark.changed, 0, sizeof any));
    BI_TRY(ctx->backend->fill(ctx, new_ranks + blocks, 0, sizeof *new_ranks));
    mark.counts = new_ranks;
    BI_TRY(STEP(ctx, find_changes, blocks, &mark));
    BI_TRY(bi_read_back(ctx, &any, mark.changed, sizeof any));
    if (any || a->sources)
        BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, new_ranks, blocks + 1, new_ranks));
    if (a->sources && a->capacity > 0) {
        struct bi_cbt_sources sources = {tree->view, new_ranks, a->sources, a->capacity};
        BI_TRY(STEP(ctx, sources, blocks + (a->capacity + BI_CBT_BLOCK - 1) / BI_CBT_BLOCK, &sources));
    }
    struct bi_cbt_apply flip = {tree->view, any ? new_ranks : NULL};
    return STEP(ctx, apply, blocks + 1, &flip);
}

bosc_status bi_cbt_cpu_change(bosc_ctx *ctx, bosc_cbt *tree, const struct bi_cbt_change *a,
                              enum bi_cbt_outcome *outcome)
{
    BI_TRY(bi_cbt_reserve_commands(ctx, tree));
    if (a->count > 0) {
        struct bi_cbt_record_by_leaf order = {tree->view, a->commands, a->count};
        tree->pending = true;
        BI_TRY(STEP(ctx, record_by_leaf, tree->view.blocks, &order));
    }
    (void)outcome; /* nodes stay pending */
    return apply_commands(ctx, tree, a);
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
