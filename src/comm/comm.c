/* Communicators: creates, frees and describes their ends; exchanges from all ranks to all ranks: statuses, sums, small
 * blocks, and items (counts first, then the data, then replies). */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "comm/comm.h"
#include "comm/device.h"
#include "comm/ipc.h"

enum {
    DEFAULT_TIMEOUT = 300, /* seconds (boscage/comm.h) */
    /* Received bytes up to which a sum gathers all numbers on all ranks, in one exchange instead of two. More:
     * more bytes, fewer exchanges. Not measured. */
    SMALL_SUM_BYTES = 1 << 19,
    MAX_SHARED = BI_COMM_MESSAGE / sizeof(int64_t) - 1 /* numbers that fit beside a status in comm->gather */
};

/* ---- ends ---- */

bosc_status bi_comm_check_timeout(bosc_ctx *ctx, double timeout)
{
    if (timeout >= 0 && timeout <= 1e9) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "opts: timeout %g is not in 0 to 1e9 seconds", timeout);
}

static bosc_status check_opts(bosc_ctx *ctx, const bosc_comm_opts *opts, bosc_comm_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_comm_opts", opts, full, sizeof *full));
    BI_TRY(bi_comm_check_timeout(ctx, full->timeout));
    if (full->timeout == 0) full->timeout = DEFAULT_TIMEOUT;
    return BOSC_OK;
}

/* Bytes of comm->gather and of comm->lists, which follows it. */
static size_t buffer_bytes(int32_t rank_count)
{
    return (size_t)rank_count * BI_COMM_MESSAGE + 5 * (size_t)(rank_count + 1) * sizeof(int64_t);
}

bosc_status bi_comm_create_end(bosc_ctx *ctx, int32_t rank, int32_t rank_count, const bosc_comm_opts *opts,
                               const struct bi_transport *transport, bosc_comm **comm)
{
    bosc_comm_opts full;
    BI_TRY(check_opts(ctx, opts, &full));
    bosc_comm *fresh = bi_host_alloc(ctx, sizeof *fresh);
    void *gather = fresh ? bi_host_alloc(ctx, buffer_bytes(rank_count)) : NULL;
    if (!gather) {
        bi_memory_release(&ctx->host, fresh, sizeof *fresh);
        return BOSC_ERR_NOMEM;
    }
    *fresh = (bosc_comm){.transport = transport,
                         .host = ctx->host,
                         .rank = rank,
                         .rank_count = rank_count,
                         .timeout = full.timeout,
                         .gather = gather,
                         .lists = (int64_t *)gather + (size_t)rank_count * (BI_COMM_MESSAGE / sizeof(int64_t))};
    *comm = fresh;
    return BOSC_OK;
}

void bosc_comm_free(bosc_comm *comm)
{
    if (!comm) return;
    BI_SAVE_CALLER(1);
    bi_ipc_free(comm->ipc);
    if (comm->transport->release) comm->transport->release(comm);
    bi_memory_release(&comm->host, comm->gather, buffer_bytes(comm->rank_count));
    bi_memory_release(&comm->host, comm, sizeof *comm);
}

bosc_status bi_comm_check(bosc_ctx *ctx, const bosc_comm *comm)
{
    return comm ? BOSC_OK : bi_fail(ctx, BOSC_ERR_ARG, "comm: NULL");
}

bosc_status bi_comm_check_create(bosc_ctx *ctx, int32_t rank, int32_t rank_count, bosc_comm **comm)
{
    if (rank_count < 1) return bi_fail(ctx, BOSC_ERR_ARG, "rank_count: %d is less than 1", (int)rank_count);
    if (rank < 0 || rank >= rank_count)
        return bi_fail(ctx, BOSC_ERR_ARG, "rank: %d is not in 0 to %d", (int)rank, (int)rank_count - 1);
    return comm ? BOSC_OK : bi_fail(ctx, BOSC_ERR_ARG, "comm: NULL");
}

bosc_status bosc_comm_get_info(bosc_ctx *ctx, const bosc_comm *comm, bosc_comm_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_comm_info));
    const bosc_comm_info full = {.rank = comm->rank,
                                 .rank_count = comm->rank_count,
                                 .exchanges = comm->exchanges,
                                 .bytes = comm->bytes,
                                 .seconds = comm->seconds,
                                 .broken = comm->broken,
                                 .shared = comm->sharing >= BI_SHARES_ADDRESSES};
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}

/* ---- one exchange ---- */

/* Adds an exchange that began at time `begin` to the statistics of bosc_comm_info; marks a communicator that has lost a
 * rank as broken. */
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

bosc_status bi_comm_all_gather_blocks(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const int64_t *offsets,
                                      size_t item_size, void *array)
{
    const int32_t ranks = comm->rank_count, own = comm->rank;
    const int64_t size = (int64_t)item_size;
    int64_t *sent = comm->lists + 2 * (ranks + 1), *received = sent + (ranks + 1);
    BI_TRY(bi_comm_agree(ctx, comm, local_status));
    if (offsets[ranks] == 0) return BOSC_OK;
    /* Send the own block `distance` ranks up, cyclically, and receive from as many ranks below. */
    for (int32_t distance = 1; distance < ranks; distance++) {
        const int32_t to = (own + distance) % ranks, from = (own + ranks - distance) % ranks;
        for (int32_t r = 0; r <= ranks; r++) {
            sent[r] = r > to ? (offsets[own + 1] - offsets[own]) * size : 0;
            received[r] = r > from ? (offsets[from + 1] - offsets[from]) * size : 0;
        }
        const bosc_status status = bi_comm_all_to_all(ctx, comm, false, (char *)array + offsets[own] * size, sent,
                                                      (char *)array + offsets[from] * size, received);
        if (status == BOSC_ERR_COMM) return status;
        if (local_status == BOSC_OK) local_status = status; /* the others continue */
    }
    return bi_comm_agree(ctx, comm, local_status);
}

bosc_status bi_comm_find_sharing(bosc_ctx *ctx, bosc_comm *comm)
{
    if (comm->sharing != BI_SHARING_UNKNOWN) return BOSC_OK;
    BI_TRY(check_not_broken(ctx, comm));
    if (comm->transport->find_sharing) return comm->transport->find_sharing(ctx, comm);
    comm->sharing = comm->transport->publish_queued ? BI_SHARES_ADDRESSES : BI_SHARES_NOTHING;
    return BOSC_OK;
}

bool bi_comm_open_peer(bosc_ctx *ctx, bosc_comm *comm, int32_t device)
{
    const struct bi_comm_device *ops = bi_comm_device_of(ctx);
    const int32_t own = ctx->memory.device;
    if (!ops || device == own) return true;
    if (device < 0) return false;                    /* host memory */
    if (comm->peers_of != own) comm->open_peers = 0; /* the rank now uses a context of another device */
    comm->peers_of = own;
    if (device < 64 && comm->open_peers >> device & 1) return true;
    const bool is_open = ops->open_peer(ctx, device);
    if (device < 64 && is_open) comm->open_peers |= (uint64_t)1 << device;
    return is_open;
}

/* ---- agreement ---- */

void bi_comm_defer(bosc_ctx *ctx, bosc_comm *comm, bosc_status status)
{
    if (status == BOSC_OK || comm->pending != BOSC_OK) return;
    comm->pending = status;
    memcpy(comm->pending_message, ctx->message, sizeof comm->pending_message - 1); /* the next call clears it */
}

bosc_status bi_comm_take_deferred(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status)
{
    const bosc_status pending = comm->pending;
    comm->pending = BOSC_OK;
    if (local_status != BOSC_OK || pending == BOSC_OK) return local_status;
    return bi_fail(ctx, pending, "%s", comm->pending_message);
}

bosc_status bi_comm_share_failure(bosc_ctx *ctx, bosc_comm *comm, int32_t failed, bosc_status status)
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
    local_status = bi_comm_take_deferred(ctx, comm, local_status);
    if (local_status == BOSC_ERR_COMM) return local_status; /* the other ranks detect the loss themselves */
    const int32_t code = (int32_t)local_status;
    int32_t *codes = comm->gather;
    BI_TRY(bi_comm_all_gather(ctx, comm, &code, sizeof code, codes));
    for (int32_t r = 0; r < comm->rank_count; r++)
        if (codes[r] != BOSC_OK) return bi_comm_share_failure(ctx, comm, r, (bosc_status)codes[r]);
    return BOSC_OK;
}

/* bi_comm_agree that also shares n numbers of each rank; shared_value() reads them. */
static bosc_status share_values(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const int64_t *values,
                                int64_t n)
{
    local_status = bi_comm_take_deferred(ctx, comm, local_status);
    int64_t own[1 + MAX_SHARED] = {local_status};
    const int64_t *rows = comm->gather;
    if (local_status == BOSC_ERR_COMM) return local_status;
    if (local_status == BOSC_OK) memcpy(own + 1, values, (size_t)n * sizeof *values);
    BI_TRY(bi_comm_all_gather(ctx, comm, own, (size_t)(n + 1) * sizeof *own, comm->gather));
    for (int32_t r = 0; r < comm->rank_count; r++)
        if (rows[r * (n + 1)] != BOSC_OK) return bi_comm_share_failure(ctx, comm, r, (bosc_status)rows[r * (n + 1)]);
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

/* bi_comm_count of more ranks than share their numbers in one small exchange. */
static bosc_status exchange_counts(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const int64_t *counts,
                                   int64_t *received)
{
    const int32_t ranks = comm->rank_count;
    int64_t *sent = comm->lists, *arrived = sent + 2 * (ranks + 1),
            *offsets = arrived + 2 * (ranks + 1); /* pairs (status, count); their offsets in bytes */
    local_status = bi_comm_take_deferred(ctx, comm, local_status);
    if (local_status == BOSC_ERR_COMM) return local_status;
    for (int32_t r = 0; r <= ranks; r++) offsets[r] = r * 2 * (int64_t)sizeof *sent;
    for (int32_t r = 0; r < ranks; r++) {
        sent[2 * r] = local_status;
        sent[2 * r + 1] = local_status == BOSC_OK ? counts[r] : 0;
    }
    BI_TRY(bi_comm_all_to_all(ctx, comm, true, sent, offsets, arrived, offsets));
    for (int32_t r = 0; r < ranks; r++)
        if (arrived[2 * r] != BOSC_OK) return bi_comm_share_failure(ctx, comm, r, (bosc_status)arrived[2 * r]);
    for (int32_t r = 0; r < ranks; r++) received[r] = arrived[2 * r + 1];
    return BOSC_OK;
}

bosc_status bi_comm_count(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const int64_t *counts,
                          int64_t *received)
{
    const int32_t ranks = comm->rank_count;
    if (ranks > MAX_SHARED) return exchange_counts(ctx, comm, local_status, counts, received);
    BI_TRY(share_values(ctx, comm, local_status, counts, ranks));
    for (int32_t r = 0; r < ranks; r++) received[r] = shared_value(comm, r, ranks, comm->rank);
    return BOSC_OK;
}

bosc_status bosc_comm_barrier(bosc_ctx *ctx, bosc_comm *comm)
{
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    const bosc_status local_status = ctx->backend->sync(ctx);
    BI_TRY(bi_comm_find_sharing(ctx, comm));
    return bi_comm_agree(ctx, comm, local_status);
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
    /* 1. Allocate rows for all values of all ranks (small), or for a slice of each rank, its values padded, and
     * offsets. */
    const int64_t ranks = comm->rank_count, each = (n + ranks - 1) / ranks;
    const bool small = n * (ranks - 1) <= SMALL_SUM_BYTES / (int64_t)sizeof *values;
    const size_t row_bytes = (size_t)(small ? n : each) * (size_t)ranks * sizeof *values;
    const size_t bytes = row_bytes + (small ? 0 : row_bytes + (size_t)(ranks + 1) * sizeof *values);
    int64_t *rows = local_status == BOSC_OK ? bi_host_alloc(ctx, bytes) : NULL;
    if (local_status == BOSC_OK && !rows) local_status = BOSC_ERR_NOMEM;
    bosc_status status = bi_comm_agree(ctx, comm, local_status);
    /* 2. Sum; the values are written only on success. */
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

/* ---- items ---- */

/* Six lists of offsets, then the windows' blocks. */
static size_t list_bytes(const struct bi_exchange *x)
{
    return 6 * (size_t)(x->rank_count + 1) * sizeof(int64_t) + BI_MAX_WINDOWS * (size_t)x->rank_count * sizeof(char *);
}

/* Replaces the counts of n blocks by their offsets; counts[n] becomes the total, which is returned. */
static int64_t counts_to_offsets(int64_t *counts, int32_t n)
{
    int64_t sum = 0;
    for (int32_t r = 0; r <= n; r++) {
        const int64_t count = r < n ? counts[r] : 0;
        counts[r] = sum;
        sum += count;
    }
    return sum;
}

/* After bi_comm_count: from the numbers of all ranks, or by two more exchanges if there are too many. */
static bosc_status find_remote_offsets(bosc_ctx *ctx, bosc_comm *comm, const struct bi_exchange *x)
{
    const int32_t ranks = comm->rank_count;
    int64_t *offsets = comm->lists;
    if (ranks > MAX_SHARED) {
        for (int32_t r = 0; r <= ranks; r++) offsets[r] = r * (int64_t)sizeof *offsets;
        BI_TRY(bi_comm_all_to_all(ctx, comm, true, x->received_offsets, offsets, x->remote_offsets, offsets));
        return bi_comm_all_to_all(ctx, comm, true, x->sent_offsets, offsets, x->remote_sent_offsets, offsets);
    }
    for (int32_t r = 0; r < ranks; r++) {
        x->remote_offsets[r] = x->remote_sent_offsets[r] = 0;
        for (int32_t lower = 0; lower < comm->rank; lower++) {
            x->remote_offsets[r] += shared_value(comm, lower, ranks, r);
            x->remote_sent_offsets[r] += shared_value(comm, r, ranks, lower);
        }
    }
    return BOSC_OK;
}

bosc_status bi_exchange_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const int64_t *counts,
                              struct bi_exchange *x)
{
    const int32_t ranks = comm->rank_count;
    *x = (struct bi_exchange){.rank_count = ranks};
    int64_t *lists = local_status == BOSC_OK ? bi_host_alloc(ctx, list_bytes(x)) : NULL;
    if (local_status == BOSC_OK && !lists) local_status = BOSC_ERR_NOMEM;
    x->sent_offsets = lists;
    if (lists) {
        x->received_offsets = lists + (ranks + 1);
        x->sent_bytes = x->received_offsets + (ranks + 1);
        x->received_bytes = x->sent_bytes + (ranks + 1);
        x->remote_offsets = x->received_bytes + (ranks + 1);
        x->remote_sent_offsets = x->remote_offsets + (ranks + 1);
        x->blocks = (char **)(x->remote_sent_offsets + (ranks + 1));
    }
    if (local_status != BOSC_ERR_COMM) BI_TRY(bi_comm_find_sharing(ctx, comm)); /* else other ranks do not call it */
    BI_TRY(bi_comm_count(ctx, comm, local_status, counts, x->received_offsets));
    memcpy(x->sent_offsets, counts, (size_t)ranks * sizeof *counts);
    x->sent = counts_to_offsets(x->sent_offsets, ranks);
    x->received = counts_to_offsets(x->received_offsets, ranks);
    return comm->sharing >= BI_SHARES_ADDRESSES ? find_remote_offsets(ctx, comm, x) : BOSC_OK;
}

bosc_status bi_exchange_items_deferred(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                       const struct bi_exchange *x, size_t item_size, const void *items, void *received)
{
    BI_TRY(bi_comm_agree(ctx, comm, *local_status));
    for (int32_t r = 0; r <= x->rank_count; r++) {
        x->sent_bytes[r] = x->sent_offsets[r] * (int64_t)item_size;
        x->received_bytes[r] = x->received_offsets[r] * (int64_t)item_size;
    }
    *local_status = bi_comm_all_to_all(ctx, comm, false, items, x->sent_bytes, received, x->received_bytes);
    return *local_status == BOSC_ERR_COMM ? *local_status : BOSC_OK;
}

bosc_status bi_exchange_items(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const struct bi_exchange *x,
                              size_t item_size, const void *items, void *received)
{
    BI_TRY(bi_exchange_items_deferred(ctx, comm, &local_status, x, item_size, items, received));
    return bi_comm_agree(ctx, comm, local_status);
}

bosc_status bi_exchange_replies_deferred(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                         const struct bi_exchange *x, size_t item_size, const void *replies,
                                         void *received)
{
    struct bi_exchange back = *x;
    back.sent_offsets = x->received_offsets;
    back.received_offsets = x->sent_offsets;
    return bi_exchange_items_deferred(ctx, comm, local_status, &back, item_size, replies, received);
}

bosc_status bi_exchange_replies(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const struct bi_exchange *x,
                                size_t item_size, const void *replies, void *received)
{
    BI_TRY(bi_exchange_replies_deferred(ctx, comm, &local_status, x, item_size, replies, received));
    return bi_comm_agree(ctx, comm, local_status);
}

void bi_exchange_end(bosc_ctx *ctx, struct bi_exchange *x)
{
    bi_memory_release(&ctx->host, x->sent_offsets, list_bytes(x));
    *x = (struct bi_exchange){0};
}
