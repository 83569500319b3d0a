/* Offsets of clouds from the cloud of each row, as the batch vectors of PyTorch Geometric give it. */
#include "clouds/handle.h"

enum { BAD_ROW, NAN_ROW, LARGEST, SMALLEST, LAST, FOUND }; /* results of the checks */

/* Queues the offsets into scratch with room for `capacity` of them, and the checks of the vector. */
static bosc_status write_offsets(bosc_ctx *ctx, struct bi_clouds_batch_vector *vector, int64_t limit, int64_t capacity,
                                 int64_t *found)
{
    int64_t *offsets;
    BI_TRY(bi_scratch_of(ctx, capacity, sizeof *offsets, &offsets));
    const struct bi_clouds_offsets_of_batch args = {.batch = vector->batch,
                                                    .n = vector->n,
                                                    .count = vector->count,
                                                    .limit = limit,
                                                    .capacity = capacity,
                                                    .offsets = offsets,
                                                    .bad = found + BAD_ROW,
                                                    .negative_largest = found + LARGEST,
                                                    .smallest = found + SMALLEST,
                                                    .last = found + LAST};
    vector->offsets = offsets;
    return ctx->ops->clouds->steps->offsets_of_batch(ctx, vector->n + 1, &args);
}

/* Reports the number of a row that is out of order or out of range. */
static bosc_status refuse_number(bosc_ctx *ctx, const struct bi_clouds_batch_vector *vector, int64_t limit, int64_t row)
{
    int64_t number, before = 0;
    BI_TRY(bi_read_back(ctx, &number, vector->batch + row, sizeof number));
    if (row > 0) BI_TRY(bi_read_back(ctx, &before, vector->batch + row - 1, sizeof before));
    if (number < before)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: numbers do not ascend from 0 at row %lld", vector->name, (long long)row);
    return bi_fail(ctx, BOSC_ERR_ARG, "%s: row %lld is of cloud %lld, but there are %lld clouds at most", vector->name,
                   (long long)row, (long long)number, (long long)limit);
}

bosc_status bi_clouds_make_offsets(bosc_ctx *ctx, struct bi_clouds_batch_vector *vector, bool trusted)
{
    const int64_t limit = vector->count >= 0 ? vector->count : (int64_t)UINT32_MAX - 1;
    const int64_t capacity = (vector->count >= 0 ? vector->count : vector->n) + 1;
    int64_t found[FOUND] = {INT64_MAX, INT64_MAX, 0, INT64_MAX, -1}, *reached;
    /* 1. Queue offsets and checks; one wait serves them. */
    BI_TRY(bi_scratch_of(ctx, FOUND, sizeof *found, &reached));
    if (trusted) return write_offsets(ctx, vector, limit, capacity, reached);
    BI_TRY(ctx->backend->copy(ctx, reached, found, sizeof found));
    BI_TRY(write_offsets(ctx, vector, limit, capacity, reached));
    if (vector->rows && vector->n > 0) {
        const struct bi_clouds_find_nan nan = {*vector->rows, reached + NAN_ROW};
        BI_TRY(ctx->ops->clouds->steps->find_nan(ctx, vector->n, &nan));
    }
    BI_TRY(bi_read_back(ctx, found, reached, sizeof found));
    /* 2. Report the first failure. */
    if (found[BAD_ROW] != INT64_MAX) return refuse_number(ctx, vector, limit, found[BAD_ROW]);
    if (found[NAN_ROW] != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "%s: row %lld holds a NaN", vector->rows_name, (long long)found[NAN_ROW]);
    /* 3. More clouds than rows: the offsets again, with room for all. */
    if (vector->count < 0) vector->count = found[LAST] + 1;
    vector->largest = -found[LARGEST];
    vector->smallest = vector->count > 0 ? found[SMALLEST] : 0;
    return vector->count < capacity ? BOSC_OK : write_offsets(ctx, vector, limit, vector->count + 1, reached);
}
