#include "core/csr.h"

#include "core/check.h"

bosc_status bi_csr_check(bosc_ctx *ctx, int64_t rows, const int64_t *offsets, bool filling, int64_t capacity)
{
    if (!offsets) return bi_fail(ctx, BOSC_ERR_ARG, "offsets: NULL");
    BI_TRY(bi_check_aligned(ctx, "offsets", offsets, sizeof *offsets));
    if (rows > INT64_MAX / 16) return bi_fail(ctx, BOSC_ERR_ARG, "query_count: %lld is too large", (long long)rows);
    if (filling && capacity < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 0", (long long)capacity);
    return BOSC_OK;
}

bosc_status bi_csr_offsets(bosc_ctx *ctx, int64_t rows, bi_csr_count_fn count, void *query, int64_t *offsets)
{
    int64_t *counts; /* and a zero behind them, so that an exclusive scan ends with their sum */
    BI_TRY(bi_scratch_of(ctx, rows + 1, sizeof *counts, &counts));
    BI_TRY(ctx->backend->fill(ctx, counts + rows, 0, sizeof *counts));
    if (rows > 0) BI_TRY(count(ctx, query, counts));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, counts, rows + 1, counts));
    BI_TRY(ctx->backend->copy(ctx, offsets, counts, (size_t)(rows + 1) * sizeof *counts));
    return ctx->backend->sync(ctx);
}

/* Checks that the offsets ascend from 0 and end within capacity; *total: the last one. `bad` holds INT64_MAX before
 * and, on success, after. */
static bosc_status check_offsets(bosc_ctx *ctx, const int64_t *offsets, int64_t rows, int64_t capacity, int64_t *bad,
                                 int64_t *total)
{
    int64_t row;
    if (rows > 0) BI_TRY(ctx->backend->core->check_offsets(ctx, offsets, rows, bad));
    BI_TRY(bi_read_back(ctx, &row, bad, sizeof row));
    BI_TRY(bi_read_back(ctx, total, offsets + rows, sizeof *total));
    if (rows == 0 && *total != 0) row = 0;
    if (row != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_ARG, "offsets: not ascending from 0 at query %lld", (long long)row);
    if (capacity < *total)
        return bi_fail(ctx, BOSC_ERR_SPACE, "capacity: %lld entries, but the answer has %lld", (long long)capacity,
                       (long long)*total);
    if (*total > INT64_MAX / 16)
        return bi_fail(ctx, BOSC_ERR_ARG, "offsets: %lld entries are more than memory can hold", (long long)*total);
    return BOSC_OK;
}

static bosc_status check_filled(bosc_ctx *ctx, const int64_t *bad)
{
    int64_t row;
    BI_TRY(bi_read_back(ctx, &row, bad, sizeof row));
    if (row == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "offsets: the row of query %lld is not as long as its answer", (long long)row);
}

bosc_status bi_csr_fill(bosc_ctx *ctx, int64_t rows, const int64_t *offsets, int64_t capacity,
                        const struct bi_csr_column columns[BI_CSR_COLUMNS], bi_csr_fill_fn fill, void *query)
{
    const int64_t none = INT64_MAX;
    struct bi_out outs[BI_CSR_COLUMNS];
    struct bi_csr_rows to = {.rows = rows};
    const void *reachable;
    bool staged = false;
    /* 1. Check the offsets. */
    BI_TRY(bi_stage_in(ctx, offsets, (size_t)(rows + 1) * sizeof *offsets, &reachable, &staged));
    to.offsets = reachable;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof none, &to.bad));
    BI_TRY(ctx->backend->copy(ctx, to.bad, &none, sizeof none));
    BI_TRY(check_offsets(ctx, to.offsets, rows, capacity, to.bad, &to.total));
    /* 2. Fill the rows; copy staged columns back. */
    for (int c = 0; c < BI_CSR_COLUMNS; c++) {
        size_t bytes = columns[c].array ? (size_t)to.total * columns[c].size : 0;
        BI_TRY(bi_stage_out(ctx, columns[c].array, bytes, &outs[c], &staged));
        to.columns[c] = outs[c].reachable;
    }
    if (rows > 0) BI_TRY(fill(ctx, query, &to));
    BI_TRY(check_filled(ctx, to.bad));
    for (int c = 0; c < BI_CSR_COLUMNS; c++) BI_TRY(bi_stage_back(ctx, &outs[c]));
    return ctx->backend->sync(ctx);
}
