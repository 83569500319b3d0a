/* How much memory tables take, and taking it beforehand. */
#include "core/blocks.h"
#include "geometric/drivers.h"

static bosc_status plan(bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n, struct bi_geometric_choice *choice,
                        struct bi_geometric_bytes *bytes)
{
    BI_TRY(bi_geometric_check_model(ctx, opts, n));
    BI_TRY(bi_geometric_plan(ctx, opts, n, choice));
    return bi_geometric_plan_bytes(ctx, choice, bytes);
}

bosc_status bosc_geometric_bytes(bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n, int64_t *kept,
                                 int64_t *scratch)
{
    bosc_geometric_opts full;
    struct bi_geometric_choice choice;
    struct bi_geometric_bytes bytes;
    BI_ENTER(ctx);
    BI_TRY(bi_geometric_check_opts(ctx, opts, &full));
    BI_TRY(plan(ctx, &full, n, &choice, &bytes));
    if (kept) *kept = bytes.kept;
    if (scratch) *scratch = bytes.scratch + bytes.tree;
    return BOSC_OK;
}

/* Of the model in host memory. */
static bosc_status reserve_copies(bosc_ctx *ctx, bosc_geometric *table, size_t bytes)
{
    struct bi_block *const blocks[] = {&table->copy, &table->next_copy};
    const size_t sizes[] = {bytes, bytes}, used[] = {(size_t)table->n * 2 * sizeof(double), 0};
    return bi_blocks_grow(ctx, &table->host, blocks, 2, sizes, used);
}

bosc_status bosc_geometric_reserve(bosc_ctx *ctx, bosc_geometric *table, int64_t n)
{
    struct bi_geometric_choice choice;
    struct bi_geometric_bytes bytes;
    void *scratch;
    BI_ENTER(ctx);
    BI_TRY(bi_geometric_check(ctx, table));
    BI_TRY(plan(ctx, &table->opts, n, &choice, &bytes));
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)bytes.scratch, &scratch));
    if (table->n == 0)
        BI_TRY(bi_geometric_fit_grid(ctx, table, bi_geometric_vote_radius(&table->opts, choice.neighbours.count)));
    BI_TRY(bosc_voxelgrid_reserve(ctx, table->grid, bytes.entries, 0));
    BI_TRY(bi_geometric_reserve_tree(ctx, n, choice.neighbours.count));
    BI_TRY(reserve_copies(ctx, table, (size_t)n * 2 * sizeof(double)));
    struct bi_block *const blocks[] = {&table->points, &table->list};
    const size_t sizes[] = {(size_t)bytes.points, (size_t)bytes.list};
    const size_t used[] = {(size_t)table->n * 2 * sizeof(double),
                           (size_t)table->bases * BI_GEOMETRIC_CORNERS * sizeof(uint32_t)};
    return bi_blocks_grow(ctx, &table->memory, blocks, 2, sizes, used);
}
