/* What all ranks tell all ranks: how they are, sums, and small blocks. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "comm/comm.h"

enum {
    FEW_BYTES = 1 << 19, /* numbers to be summed that all ranks get whole: one exchange in place of two */
    TOLD = BI_COMM_MESSAGE / sizeof(int64_t) - 1 /* numbers that go with how a rank is */
};

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
    char local_status[BI_COMM_MESSAGE] = "", why[BI_COMM_MESSAGE];
    memcpy(local_status, ctx->message, sizeof local_status - 1);
    BI_TRY(bi_comm_all_gather(ctx, comm, local_status, sizeof local_status, comm->gather));
    if (failed == comm->rank) return status;
    memcpy(why, (const char *)comm->gather + (size_t)failed * sizeof local_status, sizeof why);
    why[sizeof why - 1] = 0;
    return bi_fail(ctx, status, "rank %d: %s", (int)failed, why);
}

bosc_status bi_comm_agree(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status)
{
    if (local_status == BOSC_ERR_COMM) return local_status; /* the others find out, or have */
    const int32_t code = (int32_t)local_status;
    int32_t *codes = comm->gather;
    BI_TRY(bi_comm_all_gather(ctx, comm, &code, sizeof code, codes));
    for (int32_t r = 0; r < comm->rank_count; r++)
        if (codes[r] != BOSC_OK) return tell_why(ctx, comm, r, (bosc_status)codes[r]);
    return BOSC_OK;
}

/* The same, with n numbers of each rank: those of rank r come to comm->gather, behind its status. */
static bosc_status tell(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const int64_t *values, int64_t n)
{
    int64_t told[1 + TOLD] = {local_status};
    const int64_t *rows = comm->gather;
    if (local_status == BOSC_ERR_COMM) return local_status;
    if (local_status == BOSC_OK) memcpy(told + 1, values, (size_t)n * sizeof *values);
    BI_TRY(bi_comm_all_gather(ctx, comm, told, (size_t)(n + 1) * sizeof *told, comm->gather));
    for (int32_t r = 0; r < comm->rank_count; r++)
        if (rows[r * (n + 1)] != BOSC_OK) return tell_why(ctx, comm, r, (bosc_status)rows[r * (n + 1)]);
    return BOSC_OK;
}

/* What rank r has told as number i of n. */
static int64_t told_by(const bosc_comm *comm, int32_t r, int64_t n, int64_t i)
{
    return ((const int64_t *)comm->gather)[r * (n + 1) + 1 + i];
}

bosc_status bi_comm_same(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const char *argument, int64_t value)
{
    char by[32] = "";
    BI_TRY(tell(ctx, comm, local_status, &value, 1));
    for (int32_t r = 1; r < comm->rank_count; r++) {
        const long long other = told_by(comm, r, 1, 0), first = told_by(comm, 0, 1, 0);
        if (other == first) continue;
        if (r != comm->rank) snprintf(by, sizeof by, "rank %d: ", (int)r);
        return bi_fail(ctx, BOSC_ERR_ARG, "%s%s: %lld is not the %lld of rank 0", by, argument, other, first);
    }
    return BOSC_OK;
}

bosc_status bi_comm_count(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const int64_t *counts,
                          int64_t *received)
{
    const int32_t ranks = comm->rank_count;
    int64_t *sent = comm->lists, *came = sent + 2 * (ranks + 1), *at = came + 2 * (ranks + 1); /* (status, count) */
    if (local_status == BOSC_ERR_COMM) return local_status;
    for (int32_t r = 0; r <= ranks; r++) at[r] = r * 2 * (int64_t)sizeof *sent;
    for (int32_t r = 0; r < ranks; r++) {
        sent[2 * r] = local_status;
        sent[2 * r + 1] = local_status == BOSC_OK ? counts[r] : 0;
    }
    BI_TRY(bi_comm_all_to_all(ctx, comm, true, sent, at, came, at));
    for (int32_t r = 0; r < ranks; r++)
        if (came[2 * r] != BOSC_OK) return tell_why(ctx, comm, r, (bosc_status)came[2 * r]);
    for (int32_t r = 0; r < ranks; r++) received[r] = came[2 * r + 1];
    return BOSC_OK;
}

/* ---- sums ---- */

static void add_rows(const int64_t *rows, int64_t row_count, int64_t n, int64_t *sums)
{
    memset(sums, 0, (size_t)n * sizeof *sums);
    for (int64_t r = 0; r < row_count; r++)
        for (int64_t i = 0; i < n; i++) sums[i] += rows[r * n + i];
}

static bosc_status sum_few(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, int64_t *values, int64_t n)
{
    BI_TRY(tell(ctx, comm, local_status, values, n));
    for (int64_t i = 0; i < n; i++) {
        values[i] = 0;
        for (int32_t r = 0; r < comm->rank_count; r++) values[i] += told_by(comm, r, n, i);
    }
    return BOSC_OK;
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

bosc_status bi_comm_sum(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, int64_t *values, int64_t n)
{
    if (n <= TOLD) return sum_few(ctx, comm, local_status, values, n);
    const int64_t ranks = comm->rank_count, each = (n + ranks - 1) / ranks;
    const bool few = n * (ranks - 1) <= FEW_BYTES / (int64_t)sizeof *values;
    const size_t row_bytes = (size_t)(few ? n : each) * (size_t)ranks * sizeof *values;
    const size_t bytes = row_bytes + (few ? 0 : row_bytes + (size_t)(ranks + 1) * sizeof *values);
    int64_t *rows = local_status == BOSC_OK ? bi_host_alloc(ctx, bytes) : NULL;
    if (local_status == BOSC_OK && !rows) local_status = BOSC_ERR_NOMEM;
    bosc_status status = bi_comm_agree(ctx, comm, local_status);
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

bosc_status bi_comm_offset(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, int64_t count, int64_t *before,
                           int64_t *total)
{
    int64_t sum = 0, below = 0;
    BI_TRY(tell(ctx, comm, local_status, &count, 1));
    for (int32_t r = 0; r < comm->rank_count; r++) {
        if (r == comm->rank) below = sum;
        sum += told_by(comm, r, 1, 0);
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
