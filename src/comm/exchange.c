/* Exchanges of items among all ranks: counts first, then the data, then replies. */
#include <string.h>

#include "comm/comm.h"

static size_t list_bytes(const struct bi_exchange *x) { return 4 * (size_t)(x->rank_count + 1) * sizeof(int64_t); }

/* Replaces counts[0 .. n - 1] by the offsets of n blocks and their total, which is returned. */
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
    }
    BI_TRY(bi_comm_count(ctx, comm, local_status, counts, x->received_offsets));
    memcpy(x->sent_offsets, counts, (size_t)ranks * sizeof *counts);
    x->sent = counts_to_offsets(x->sent_offsets, ranks);
    x->received = counts_to_offsets(x->received_offsets, ranks);
    return BOSC_OK;
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
