/* Exchanges from all ranks to all ranks: statuses, sums, and small blocks. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "comm/comm.h"

enum {
    /* Received bytes up to which a sum gathers all numbers on all ranks, in one exchange instead of two: chosen. */
    SMALL_SUM_BYTES = 1 << 19,
    MAX_SHARED = BI_COMM_MESSAGE / sizeof(int64_t) - 1 /* numbers that fit beside a status in comm->gather */
};

/* Adds an exchange that began at time `begin` to the statistics of bosc_comm_info. */
static bosc_status record_exchange(bosc_comm *comm, double begin, int64_t bytes, bosc_status status)
{
    comm->exchanges++;
    comm->bytes += bytes;
    comm->seconds += bi_now() - begin;
    if (status == BOSC_ERR_COMM) comm->broken = true;
    return status;
}

static bosc_status check_not_broken(bosc_ctx *ctx, const bosc_comm *comm)
{
    if (!comm->broken) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_COMM, "comm: a rank was lost before; rank %d of %d cannot use it any more",
                   (int)comm->rank, (int)comm->rank_count);
}

bosc_status bi_comm_all_gather(bosc_ctx *ctx, bosc_comm *comm, const void *sent, size_t bytes, void *received)
{
    BI_TRY(check_not_broken(ctx, comm));
    const double begin = bi_now();
    return record_exchange(comm, begin, (int64_t)bytes * (comm->rank_count - 1),
                           comm->transport->all_gather(ctx, comm, sent, bytes, received));
}

bosc_status bi_comm_all_to_all(bosc_ctx *ctx, bosc_comm *comm, bool on_host, const void *sent,
                               const int64_t *sent_offsets, void *received, const int64_t *received_offsets)
{
    BI_TRY(check_not_broken(ctx, comm));
    const double begin = bi_now();
    const int64_t own = sent_offsets[comm->rank + 1] - sent_offsets[comm->rank];
    return record_exchange(
        comm, begin, sent_offsets[comm->rank_count] - own,
        comm->transport->all_to_all(ctx, comm, on_host, sent, sent_offsets, received, received_offsets));
}

/* Sends the message of rank `failed` to all ranks and returns its status. */
static bosc_status share_failure(bosc_ctx *ctx, bosc_comm *comm, int32_t failed, bosc_status status)
{
    char own[BI_COMM_MESSAGE] = "", reason[BI_COMM_MESSAGE];
    memcpy(own, ctx->message, sizeof own - 1);
    BI_TRY(bi_comm_all_gather(ctx, comm, own, sizeof own, comm->gather));
    if (failed == comm->rank) return status;
    memcpy(reason, (const char *)comm->gather + (size_t)failed * sizeof own, sizeof reason);
    reason[sizeof reason - 1] = 0;
    return bi_fail(ctx, status, "rank %d: %s", (int)failed, reason);
}

bosc_status bi_comm_agree(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status)
{
    if (local_status == BOSC_ERR_COMM) return local_status; /* the other ranks detect the loss themselves */
    const int32_t code = (int32_t)local_status;
    int32_t *codes = comm->gather;
    BI_TRY(bi_comm_all_gather(ctx, comm, &code, sizeof code, codes));
    for (int32_t r = 0; r < comm->rank_count; r++)
        if (codes[r] != BOSC_OK) return share_failure(ctx, comm, r, (bosc_status)codes[r]);
    return BOSC_OK;
}

/* bi_comm_agree that also shares n numbers of each rank; shared_value() reads them. */
static bosc_status share_values(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const int64_t *values,
                                int64_t n)
{
    int64_t own[1 + MAX_SHARED] = {local_status};
    const int64_t *rows = comm->gather;
    if (local_status == BOSC_ERR_COMM) return local_status;
    if (local_status == BOSC_OK) memcpy(own + 1, values, (size_t)n * sizeof *values);
    BI_TRY(bi_comm_all_gather(ctx, comm, own, (size_t)(n + 1) * sizeof *own, comm->gather));
    for (int32_t r = 0; r < comm->rank_count; r++)
        if (rows[r * (n + 1)] != BOSC_OK) return share_failure(ctx, comm, r, (bosc_status)rows[r * (n + 1)]);
    return BOSC_OK;
}

/* Number i of the n that rank r shared. */
static int64_t shared_value(const bosc_comm *comm, int32_t r, int64_t n, int64_t i)
{
    return ((const int64_t *)comm->gather)[r * (n + 1) + 1 + i];
}

bosc_status bi_comm_check_equal(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const char *argument,
                                int64_t value)
{
    char rank_prefix[32] = "";
    BI_TRY(share_values(ctx, comm, local_status, &value, 1));
    for (int32_t r = 1; r < comm->rank_count; r++) {
        const long long other = shared_value(comm, r, 1, 0), first = shared_value(comm, 0, 1, 0);
        if (other == first) continue;
        if (r != comm->rank) snprintf(rank_prefix, sizeof rank_prefix, "rank %d: ", (int)r);
        return bi_fail(ctx, BOSC_ERR_ARG, "%s%s: %lld is not the %lld of rank 0", rank_prefix, argument, other, first);
    }
    return BOSC_OK;
}

bosc_status bi_comm_count(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const int64_t *counts,
                          int64_t *received)
{
    const int32_t ranks = comm->rank_count;
    int64_t *sent = comm->lists, *got = sent + 2 * (ranks + 1), *at = got + 2 * (ranks + 1); /* (status, count) */
    if (local_status == BOSC_ERR_COMM) return local_status;
    for (int32_t r = 0; r <= ranks; r++) at[r] = r * 2 * (int64_t)sizeof *sent;
    for (int32_t r = 0; r < ranks; r++) {
        sent[2 * r] = local_status;
        sent[2 * r + 1] = local_status == BOSC_OK ? counts[r] : 0;
    }
    BI_TRY(bi_comm_all_to_all(ctx, comm, true, sent, at, got, at));
    for (int32_t r = 0; r < ranks; r++)
        if (got[2 * r] != BOSC_OK) return share_failure(ctx, comm, r, (bosc_status)got[2 * r]);
    for (int32_t r = 0; r < ranks; r++) received[r] = got[2 * r + 1];
    return BOSC_OK;
}

/* ---- sums ---- */

static void add_rows(const int64_t *rows, int64_t row_count, int64_t n, int64_t *sums)
{
    memset(sums, 0, (size_t)n * sizeof *sums);
    for (int64_t r = 0; r < row_count; r++)
        for (int64_t i = 0; i < n; i++) sums[i] += rows[r * n + i];
}

static bosc_status sum_shared(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, int64_t *values, int64_t n)
{
    BI_TRY(share_values(ctx, comm, local_status, values, n));
    for (int64_t i = 0; i < n; i++) {
        values[i] = 0;
        for (int32_t r = 0; r < comm->rank_count; r++) values[i] += shared_value(comm, r, n, i);
    }
    return BOSC_OK;
}

/* Every rank gathers all values and adds them. */
static bosc_status sum_gathered(bosc_ctx *ctx, bosc_comm *comm, int64_t *values, int64_t n, int64_t *rows)
{
    BI_TRY(bi_comm_all_gather(ctx, comm, values, (size_t)n * sizeof *values, rows));
    add_rows(rows, comm->rank_count, n, values);
    return BOSC_OK;
}

/* Reduce-scatter and all-gather: rank r sums slice r of the values, then all ranks gather the sums. */
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
    if (n <= MAX_SHARED) return sum_shared(ctx, comm, local_status, values, n);
    const int64_t ranks = comm->rank_count, each = (n + ranks - 1) / ranks;
    const bool small = n * (ranks - 1) <= SMALL_SUM_BYTES / (int64_t)sizeof *values;
    const size_t row_bytes = (size_t)(small ? n : each) * (size_t)ranks * sizeof *values;
    const size_t bytes = row_bytes + (small ? 0 : row_bytes + (size_t)(ranks + 1) * sizeof *values);
    int64_t *rows = local_status == BOSC_OK ? bi_host_alloc(ctx, bytes) : NULL;
    if (local_status == BOSC_OK && !rows) local_status = BOSC_ERR_NOMEM;
    bosc_status status = bi_comm_agree(ctx, comm, local_status);
    if (status == BOSC_OK && small) status = sum_gathered(ctx, comm, values, n, rows);
    if (status == BOSC_OK && !small) { /* pad to slices of equal length */
        int64_t *padded = rows + each * ranks;
        memset(padded, 0, row_bytes);
        memcpy(padded, values, (size_t)n * sizeof *values);
        status = sum_slices(ctx, comm, padded, each, rows, padded + each * ranks);
        if (status == BOSC_OK) memcpy(values, rows, (size_t)n * sizeof *values);
    }
    bi_memory_release(&ctx->host, rows, bytes);
    return status;
}

bosc_status bi_comm_offset(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, int64_t count, int64_t *offset,
                           int64_t *total)
{
    int64_t sum = 0, below = 0; /* of lower ranks */
    BI_TRY(share_values(ctx, comm, local_status, &count, 1));
    for (int32_t r = 0; r < comm->rank_count; r++) {
        if (r == comm->rank) below = sum;
        sum += shared_value(comm, r, 1, 0);
    }
    if (offset) *offset = below;
    if (total) *total = sum;
    return BOSC_OK;
}

bosc_status bosc_comm_barrier(bosc_ctx *ctx, bosc_comm *comm)
{
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    return bi_comm_agree(ctx, comm, ctx->backend->sync(ctx));
}
