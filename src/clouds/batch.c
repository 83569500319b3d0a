/* Offsets of clouds from the cloud of each row, as the batch vectors of PyTorch Geometric give it. */
#include "clouds/handle.h"

enum { BAD_ROW, NAN_ROW, LARGEST, SMALLEST, LAST, FOUND }; /* results of the checks */

/* Queues the offsets into scratch with room for `capacity` of them, and the checks of the numbers. */
static bosc_status write_offsets(bosc_ctx *ctx, struct bi_clouds_numbers *numbers, int64_t limit, int64_t capacity,
                                 int64_t *found)
{
    int64_t *offsets;
    BI_TRY(bi_scratch_of(ctx, capacity, sizeof *offsets, &offsets));
    const struct bi_clouds_number number = {.batch = numbers->batch,
                                            .n = numbers->n,
                                            .count = numbers->count,
                                            .limit = limit,
                                            .capacity = capacity,
                                            .offsets = offsets,
                                            .bad = found + BAD_ROW,
                                            .negative_largest = found + LARGEST,
                                            .smallest = found + SMALLEST,
                                            .last = found + LAST};
    numbers->offsets = offsets;
    return ctx->ops->clouds->steps->number(ctx, numbers->n + 1, &number);
}

/* Reports the number of a row that is out of order or out of range. */
static bosc_status refuse_number(bosc_ctx *ctx, const struct bi_clouds_numbers *numbers, int64_t limit, int64_t row)
{
    int64_t number, before = 0;
    BI_TRY(bi_read_back(ctx, &number, numbers->batch + row, sizeof number));
    if (row > 0) BI_TRY(bi_read_back(ctx, &before, numbers->batch + row - 1, sizeof before));
    if (number < before)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: numbers do not ascend from 0 at row %lld", numbers->name,
                       (long long)row);
    return bi_fail(ctx, BOSC_ERR_ARG, "%s: row %lld is of cloud %lld, but there are %lld clouds at most", numbers->name,
                   (long long)row, (long long)number, (long long)limit);
}

bosc_status bi_clouds_number_rows(bosc_ctx *ctx, struct bi_clouds_numbers *numbers, bool trusted)
{
    const int64_t limit = numbers->count >= 0 ? numbers->count : (int64_t)UINT32_MAX - 1;
    const int64_t capacity = (numbers->count >= 0 ? numbers->count : numbers->n) + 1;
    int64_t found[FOUND] = {INT64_MAX, INT64_MAX, 0, INT64_MAX, -1}, *reached;
    /* 1. Queue offsets and checks; one wait serves them. */
    BI_TRY(bi_scratch_of(ctx, FOUND, sizeof *found, &reached));
    if (trusted) return write_offsets(ctx, numbers, limit, capacity, reached);
    BI_TRY(ctx->backend->copy(ctx, reached, found, sizeof found));
    BI_TRY(write_offsets(ctx, numbers, limit, capacity, reached));
    if (numbers->rows && numbers->n > 0) {
        const struct bi_clouds_find_nan nan = {*numbers->rows, reached + NAN_ROW};
        BI_TRY(ctx->ops->clouds->steps->find_nan(ctx, numbers->n, &nan));
    }
    BI_TRY(bi_read_back(ctx, found, reached, sizeof found));
    /* 2. Report the first failure. */
    if (found[BAD_ROW] != INT64_MAX) return refuse_number(ctx, numbers, limit, found[BAD_ROW]);
    if (found[NAN_ROW] != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "%s: row %lld holds a NaN", numbers->rows_name, (long long)found[NAN_ROW]);
    /* 3. More clouds than rows: the offsets again, with room for all. */
    if (numbers->count < 0) numbers->count = found[LAST] + 1;
    numbers->largest = -found[LARGEST];
    numbers->smallest = numbers->count > 0 ? found[SMALLEST] : 0;
    return numbers->count < capacity ? BOSC_OK : write_offsets(ctx, numbers, limit, numbers->count + 1, reached);
}
