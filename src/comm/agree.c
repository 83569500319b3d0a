/* What all ranks tell all ranks: how they are, sums, and small blocks. */
#include <string.h>

#include "base/clock.h"
#include "comm/comm.h"

enum { FEW_BYTES = 1 << 19 }; /* numbers to be summed that all ranks get whole: one exchange in place of two */

/* What an exchange began with, for bosc_comm_info. */
static bosc_status count_exchange(bosc_comm *comm, double begin, int64_t bytes, bosc_status status)
{
    comm->exchanges++;
    comm->bytes += bytes;
    comm->seconds += bi_now() - begin;
    if (status == BOSC_ERR_COMM) comm->broken = true;
    return status;
}

static bosc_status check_whole(bosc_ctx *ctx, const bosc_comm *comm)
{
    if (!comm->broken) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_COMM, "comm: a rank was lost before; rank %d of %d cannot use it any more",
                   (int)comm->rank, (int)comm->rank_count);
}

bosc_status bi_comm_all_gather(bosc_ctx *ctx, bosc_comm *comm, const void *sent, size_t bytes, void *received)
{
    BI_TRY(check_whole(ctx, comm));
    const double begin = bi_now();
    return count_exchange(comm, begin, (int64_t)bytes * (comm->rank_count - 1),
                          comm->transport->all_gather(ctx, comm, sent, bytes, received));
}

bosc_status bi_comm_all_to_all(bosc_ctx *ctx, bosc_comm *comm, bool on_host, const void *sent,
                               const int64_t *sent_offsets, void *received, const int64_t *received_offsets)
{
    BI_TRY(check_whole(ctx, comm));
    const double begin = bi_now();
    const int64_t own = sent_offsets[comm->rank + 1] - sent_offsets[comm->rank];
    return count_exchange(
        comm, begin, sent_offsets[comm->rank_count] - own,
        comm->transport->all_to_all(ctx, comm, on_host, sent, sent_offsets, received, received_offsets));
}

/* The message of the lowest rank that failed, on all of them. */
static bosc_status tell_why(bosc_ctx *ctx, bosc_comm *comm, int32_t failed, bosc_status status)
{
    char mine[BI_COMM_MESSAGE] = "", why[BI_COMM_MESSAGE];
    memcpy(mine, ctx->message, sizeof mine - 1);
    BI_TRY(bi_comm_all_gather(ctx, comm, mine, sizeof mine, comm->gather));
    if (failed == comm->rank) return status;
    memcpy(why, (const char *)comm->gather + (size_t)failed * sizeof mine, sizeof why);
    why[sizeof why - 1] = 0;
    return bi_fail(ctx, status, "rank %d: %s", (int)failed, why);
}

bosc_status bi_comm_agree(bosc_ctx *ctx, bosc_comm *comm, bosc_status mine)
{
    if (mine == BOSC_ERR_COMM) return mine; /* the others find out, or have */
    const int32_t code = (int32_t)mine;
    int32_t *codes = comm->gather;
    BI_TRY(bi_comm_all_gather(ctx, comm, &code, sizeof code, codes));
    for (int32_t r = 0; r < comm->rank_count; r++)
        if (codes[r] != BOSC_OK) return tell_why(ctx, comm, r, (bosc_status)codes[r]);
    return BOSC_OK;
}

bosc_status bi_comm_same(bosc_ctx *ctx, bosc_comm *comm, bosc_status mine, const char *argument, int64_t value)
{
    BI_TRY(bi_comm_agree(ctx, comm, mine));
    int64_t *values = comm->gather;
    BI_TRY(bi_comm_all_gather(ctx, comm, &value, sizeof value, values));
    if (values[0] != value)
        mine = bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is not the %lld of rank 0", argument, (long long)value,
                       (long long)values[0]);
    return bi_comm_agree(ctx, comm, mine);
}

/* ---- sums ---- */

static void add_rows(const int64_t *rows, int64_t row_count, int64_t n, int64_t *sums)
{
    memset(sums, 0, (size_t)n * sizeof *sums);
    for (int64_t r = 0; r < row_count; r++)
        for (int64_t i = 0; i < n; i++) sums[i] += rows[r * n + i];
}

/* Every rank gets every rank's values. */
static bosc_status sum_whole(bosc_ctx *ctx, bosc_comm *comm, int64_t *values, int64_t n, int64_t *rows)
{
    BI_TRY(bi_comm_all_gather(ctx, comm, values, (size_t)n * sizeof *values, rows));
    add_rows(rows, comm->rank_count, n, values);
    return BOSC_OK;
}

/* Rank r sums the r-th slice of the values, and all gather the sums. */
static bosc_status sum_slices(bosc_ctx *ctx, bosc_comm *comm, int64_t *values, int64_t each, int64_t *rows,
                              int64_t *offsets)
{
    const int32_t ranks = comm->rank_count;
    const int64_t bytes = each * (int64_t)sizeof *values;
    for (int32_t r = 0; r <= ranks; r++) offsets[r] = r * bytes;
    BI_TRY(bi_comm_all_to_all(ctx, comm, true, values, offsets, rows, offsets));
    add_rows(rows, ranks, each, values);
    return bi_comm_all_gather(ctx, comm, values, (size_t)bytes, rows);
}

bosc_status bi_comm_sum(bosc_ctx *ctx, bosc_comm *comm, bosc_status mine, int64_t *values, int64_t n)
{
    const int64_t ranks = comm->rank_count, each = (n + ranks - 1) / ranks;
    const bool few = n * (ranks - 1) <= FEW_BYTES / (int64_t)sizeof *values;
    const size_t row_bytes = (size_t)(few ? n : each) * (size_t)ranks * sizeof *values;
    const size_t bytes = row_bytes + (few ? 0 : row_bytes + (size_t)(ranks + 1) * sizeof *values);
    int64_t *rows = mine == BOSC_OK ? bi_host_alloc(ctx, bytes) : NULL;
    if (mine == BOSC_OK && !rows && bytes) mine = BOSC_ERR_NOMEM;
    bosc_status status = bi_comm_agree(ctx, comm, mine);
    if (n == 0) return status;
    if (status == BOSC_OK && few) status = sum_whole(ctx, comm, values, n, rows);
    if (status == BOSC_OK && !few) { /* whole slices: the last one may be short */
        int64_t *padded = rows + each * ranks;
        memset(padded, 0, row_bytes);
        memcpy(padded, values, (size_t)n * sizeof *values);
        status = sum_slices(ctx, comm, padded, each, rows, padded + each * ranks);
        if (status == BOSC_OK) memcpy(values, rows, (size_t)n * sizeof *values);
    }
    bi_memory_release(&ctx->host, rows, bytes);
    return status;
}

bosc_status bi_comm_offset(bosc_ctx *ctx, bosc_comm *comm, bosc_status mine, int64_t count, int64_t *before,
                           int64_t *total)
{
    int64_t sum = 0, below = 0, *counts = comm->gather;
    BI_TRY(bi_comm_agree(ctx, comm, mine));
    BI_TRY(bi_comm_all_gather(ctx, comm, &count, sizeof count, counts));
    for (int32_t r = 0; r < comm->rank_count; r++) {
        if (r == comm->rank) below = sum;
        sum += counts[r];
    }
    if (before) *before = below;
    if (total) *total = sum;
    return BOSC_OK;
}

bosc_status bosc_comm_barrier(bosc_ctx *ctx, bosc_comm *comm)
{
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    return bi_comm_agree(ctx, comm, ctx->backend->sync(ctx));
}
