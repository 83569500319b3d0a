/* Reports the memory of tables, and reserves it before builds. */
#include "core/arena.h"
#include "geometric/drivers.h"

static bosc_status report_bytes(bosc_ctx *ctx, const bosc_geometric_opts *opts, const int64_t *offsets, int64_t count,
                                int64_t *kept, int64_t *scratch)
{
    struct bi_geometric_plan plan;
    struct bi_geometric_bytes bytes;
    BI_TRY(bi_geometric_plan_build(ctx, opts, offsets, count, &plan, NULL));
    BI_TRY(bi_geometric_plan_bytes(ctx, &plan, &bytes));
    if (kept) *kept = bytes.kept;
    if (scratch) *scratch = bytes.scratch + bytes.tree;
    return BOSC_OK;
}

bosc_status bosc_geometric_bytes(bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n, int64_t *kept,
                                 int64_t *scratch)
{
    const int64_t offsets[2] = {0, n};
    bosc_geometric_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_geometric_check_opts(ctx, opts, &full));
    BI_TRY(bi_geometric_check_model(ctx, &full, n));
    return report_bytes(ctx, &full, offsets, 1, kept, scratch);
}

bosc_status bosc_geometric_bytes_models(bosc_ctx *ctx, const bosc_geometric_opts *opts, const int64_t *offsets,
                                        int64_t model_count, int64_t *kept, int64_t *scratch)
{
    bosc_geometric_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_geometric_check_opts(ctx, opts, &full));
    BI_TRY(bi_geometric_check_count(ctx, offsets, model_count));
    BI_TRY(bi_geometric_check_offsets(ctx, &full, offsets, model_count));
    return report_bytes(ctx, &full, offsets, model_count, kept, scratch);
}

bosc_status bi_geometric_reserve_copies(bosc_ctx *ctx, bosc_geometric *table, size_t bytes)
{
    struct bi_block *const blocks[] = {&table->copy, &table->next_copy};
    size_t held = (size_t)table->count * sizeof(struct bi_geometric_model) +
                  (size_t)(table->n * table->opts.dim) * sizeof(double);
    const size_t sizes[] = {bytes, bytes}, used[] = {held, 0};
    return bi_blocks_grow(ctx, &table->host, blocks, 2, sizes, used);
}

/* Reserves the scratch and the kept memory of a build with these sizes; the content of the table stays. */
static bosc_status reserve_build(bosc_ctx *ctx, bosc_geometric *table, const int64_t *offsets, int64_t count)
{
    struct bi_geometric_plan plan;
    struct bi_geometric_bytes bytes;
    void *scratch;
    BI_TRY(bi_geometric_plan_build(ctx, &table->opts, offsets, count, &plan, NULL));
    BI_TRY(bi_geometric_plan_bytes(ctx, &plan, &bytes));
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)bytes.scratch, &scratch));
    if (table->count == 0)
        BI_TRY(bi_geometric_resize_grid(ctx, table, bi_geometric_vote_radius(&table->opts, plan.neighbours)));
    BI_TRY(bosc_voxelgrid_reserve(ctx, table->grid, bytes.entries, 0));
    BI_TRY(bi_geometric_reserve_tree(ctx, &plan));
    BI_TRY(bi_geometric_reserve_copies(ctx, table, (size_t)(bytes.models + bytes.points)));
    struct bi_block *const blocks[] = {&table->points, &table->models, &table->list, &table->basis_of};
    const size_t sizes[] = {(size_t)bytes.points, (size_t)bytes.models, (size_t)bytes.list, (size_t)bytes.basis_of};
    const size_t used[] = {(size_t)(table->n * table->opts.dim) * sizeof(double),
                           (size_t)table->count * sizeof(struct bi_geometric_model),
                           (size_t)table->bases * sizeof(struct bi_geometric_corners),
                           table->count > 1 ? (size_t)table->entries * sizeof(uint32_t) : 0};
    return bi_blocks_grow(ctx, &table->memory, blocks, 4, sizes, used);
}

bosc_status bosc_geometric_reserve(bosc_ctx *ctx, bosc_geometric *table, int64_t n)
{
    const int64_t offsets[2] = {0, n};
    BI_ENTER(ctx);
    BI_TRY(bi_geometric_check(ctx, table));
    BI_TRY(bi_geometric_check_model(ctx, &table->opts, n));
    return reserve_build(ctx, table, offsets, 1);
}

bosc_status bosc_geometric_reserve_models(bosc_ctx *ctx, bosc_geometric *table, const int64_t *offsets,
                                          int64_t model_count)
{
    void *memory;
    BI_ENTER(ctx);
    BI_TRY(bi_geometric_check(ctx, table));
    BI_TRY(bi_geometric_check_count(ctx, offsets, model_count));
    size_t bytes = (size_t)(model_count + 1) * sizeof *offsets;
    BI_TRY(bi_host_scratch(ctx, 2 * bytes, &memory)); /* as in a build */
    BI_TRY(ctx->backend->copy(ctx, memory, offsets, bytes));
    BI_TRY(ctx->backend->sync(ctx));
    BI_TRY(bi_geometric_check_offsets(ctx, &table->opts, memory, model_count));
    return reserve_build(ctx, table, memory, model_count);
}
