/* Items that move from all ranks to all ranks: counts first, then the data, then answers back. */
#include <string.h>

#include "comm/comm.h"

static size_t bytes_of_lists(const struct bi_exchange *x) { return 4 * (size_t)(x->rank_count + 1) * sizeof(int64_t); }

/* counts[0 .. n - 1] become the offsets of n blocks; returns their sum. */
static int64_t make_offsets(int64_t *counts, int32_t n)
{
    int64_t at = 0;
    for (int32_t r = 0; r <= n; r++) {
        const int64_t count = r < n ? counts[r] : 0;
        counts[r] = at;
        at += count;
    }
    return at;
}

bosc_status bi_exchange_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const int64_t *counts,
                              struct bi_exchange *x)
{
    const int32_t ranks = comm->rank_count;
    *x = (struct bi_exchange){.rank_count = ranks};
    int64_t *lists = local_status == BOSC_OK ? bi_host_alloc(ctx, bytes_of_lists(x)) : NULL;
    if (local_status == BOSC_OK && !lists) local_status = BOSC_ERR_NOMEM;
    x->sent_offsets = lists;
    if (lists) {
        x->received_offsets = lists + (ranks + 1);
        x->sent_at = x->received_offsets + (ranks + 1);
        x->received_at = x->sent_at + (ranks + 1);
    }
    BI_TRY(bi_comm_count(ctx, comm, local_status, counts, x->received_offsets));
    memcpy(x->sent_offsets, counts, (size_t)ranks * sizeof *counts);
    x->sent = make_offsets(x->sent_offsets, ranks);
    x->received = make_offsets(x->received_offsets, ranks);
    return BOSC_OK;
}

bosc_status bi_exchange_move(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status, const struct bi_exchange *x,
                             size_t item_size, const void *items, void *received)
{
    BI_TRY(bi_comm_agree(ctx, comm, *local_status));
    for (int32_t r = 0; r <= x->rank_count; r++) {
        x->sent_at[r] = x->sent_offsets[r] * (int64_t)item_size;
        x->received_at[r] = x->received_offsets[r] * (int64_t)item_size;
    }
    *local_status = bi_comm_all_to_all(ctx, comm, false, items, x->sent_at, received, x->received_at);
    return *local_status == BOSC_ERR_COMM ? *local_status : BOSC_OK;
}

bosc_status bi_exchange_items(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const struct bi_exchange *x,
                              size_t item_size, const void *items, void *received)
{
    BI_TRY(bi_exchange_move(ctx, comm, &local_status, x, item_size, items, received));
    return bi_comm_agree(ctx, comm, local_status);
}

bosc_status bi_exchange_move_back(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                  const struct bi_exchange *x, size_t item_size, const void *answers, void *received)
{
    struct bi_exchange back = *x;
    back.sent_offsets = x->received_offsets;
    back.received_offsets = x->sent_offsets;
    return bi_exchange_move(ctx, comm, local_status, &back, item_size, answers, received);
}

bosc_status bi_exchange_answers(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const struct bi_exchange *x,
                                size_t item_size, const void *answers, void *received)
{
    BI_TRY(bi_exchange_move_back(ctx, comm, &local_status, x, item_size, answers, received));
    return bi_comm_agree(ctx, comm, local_status);
}

void bi_exchange_end(bosc_ctx *ctx, struct bi_exchange *x)
{
    bi_memory_release(&ctx->host, x->sent_offsets, bytes_of_lists(x));
    *x = (struct bi_exchange){0};
}
