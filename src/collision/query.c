/* Returns a frame's pairs: as a list, and as CSR rows. */
#include "collision/handle.h"
#include "collision/steps/steps.h"
#include "core/csr.h"

static struct bi_collision_results results_of(const bosc_collision *collision)
{
    return (struct bi_collision_results){
        .pairs = collision->pairs.data, .count = collision->info.pairs, .ids_64bit = collision->opts.id_bits == 64};
}

static bosc_status copy_pairs(bosc_ctx *ctx, const bosc_collision *collision, void *pairs)
{
    struct bi_collision_results results = results_of(collision);
    struct bi_out ids;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, pairs, (size_t)results.count * (results.ids_64bit ? 16 : 8), &ids, &staged));
    results.ids = ids.reachable;
    BI_TRY(ctx->ops->collision->steps->copy_ids(ctx, 2 * results.count, &results));
    BI_TRY(bi_stage_back(ctx, &ids));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_collision_pairs(bosc_ctx *ctx, const bosc_collision *collision, void *pairs, int64_t capacity,
                                 int64_t *count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_collision_check(ctx, collision));
    BI_TRY(bi_check_aligned(ctx, "pairs", pairs, (size_t)collision->opts.id_bits / 8));
    if (pairs && capacity < 0) return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 0", (long long)capacity);
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    int64_t found = collision->info.pairs;
    if (pairs && capacity < found) {
        *count = found;
        return bi_fail(ctx, BOSC_ERR_SPACE, "capacity: %lld pairs, but there are %lld", (long long)capacity,
                       (long long)found);
    }
    bi_progress_set_total(ctx, 2 * (double)found);
    if (pairs && found > 0) BI_TRY_WITH_SCRATCH(ctx, copy_pairs(ctx, collision, pairs));
    *count = found;
    return BOSC_OK;
}

static bosc_status count_rows(bosc_ctx *ctx, void *call, int64_t *counts)
{
    const bosc_collision *collision = call;
    struct bi_collision_results results = results_of(collision);
    results.counts = counts;
    return ctx->ops->collision->steps->count_row(ctx, collision->info.a_count, &results);
}

static bosc_status fill_rows(bosc_ctx *ctx, void *call, const struct bi_csr_rows *to)
{
    struct bi_collision_results results = results_of(call);
    results.offsets = to->offsets;
    results.ids = to->columns[0];
    results.bad = to->bad;
    return ctx->ops->collision->steps->fill_row(ctx, to->rows, &results);
}

bosc_status bosc_collision_rows(bosc_ctx *ctx, const bosc_collision *collision, int64_t *offsets, void *ids,
                                int64_t capacity)
{
    BI_ENTER(ctx);
    BI_TRY(bi_collision_check(ctx, collision));
    int64_t rows = collision->info.a_count;
    size_t size = (size_t)collision->opts.id_bits / 8;
    BI_TRY(bi_csr_check(ctx, rows, offsets, ids != NULL, capacity));
    BI_TRY(bi_check_aligned(ctx, "ids", ids, size));
    bi_progress_set_total(ctx, 3 * (double)rows);
    if (!ids) BI_RETURN_WITH_SCRATCH(ctx, bi_csr_offsets(ctx, rows, count_rows, (void *)(uintptr_t)collision, offsets));
    const struct bi_csr_column columns[BI_CSR_COLUMNS] = {{ids, size}, {NULL, 0}};
    BI_RETURN_WITH_SCRATCH(ctx,
                           bi_csr_fill(ctx, rows, offsets, capacity, columns, fill_rows, (void *)(uintptr_t)collision));
}
