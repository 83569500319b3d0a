/* Routes items to the owners of their keys, and the owners' answers back to the items' rows. */
#include "ranks/exchange/route.h"

#include "core/call.h"
#include "ranks/steps/steps.h"

/* Items to route: by known owners, or by keys. */
struct items {
    int64_t n;
    const uint32_t *owners; /* (n); NULL: computed from the keys */
    const void *keys;
    int32_t key_bits;
};

static bosc_status find_owners(bosc_ctx *ctx, struct items *items, int32_t ranks)
{
    struct bi_ranks_hash_owners hash = {
        .keys = items->keys, .key_bits = items->key_bits, .rank_count = (uint32_t)ranks};
    BI_TRY(bi_scratch_of(ctx, items->n, sizeof *hash.owners, &hash.owners));
    items->owners = hash.owners;
    return ctx->ops->ranks->steps->hash_owners(ctx, items->n, &hash);
}

/* Lists the rows grouped by owner, stably. counts[r]: number of rows of rank r. */
static bosc_status split_rows(bosc_ctx *ctx, struct items items, int64_t *rows, int64_t *counts, int32_t ranks)
{
    int64_t *all, *offsets, *ends;
    uint32_t *bad; /* of an owner out of range; there is none */
    if (items.n == 0) return BOSC_OK;
    if (!items.owners) BI_TRY(find_owners(ctx, &items, ranks));
    BI_TRY(bi_scratch_of(ctx, items.n, sizeof *all, &all));
    BI_TRY(bi_scratch_of(ctx, ranks + 1, sizeof *offsets, &offsets));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *bad, &bad));
    BI_TRY(ctx->backend->core->iota(ctx, sizeof *all, all, items.n));
    BI_TRY(ctx->backend->core->split(ctx, sizeof *rows, all, items.owners, items.n, ranks, rows, offsets, bad));
    ends = offsets + 1; /* counts[r] = the end of rank r's rows; then differences */
    BI_TRY(ctx->backend->copy(ctx, counts, ends, (size_t)ranks * sizeof *counts));
    BI_TRY(ctx->backend->sync(ctx));
    for (int32_t r = ranks - 1; r > 0; r--)
        counts[r] -= counts[r - 1]; /* from the back: counts[r - 1] is still an end */
    return BOSC_OK;
}

/* Orders the rows by owner, and exchanges the numbers of items. */
static bosc_status begin_route(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, struct items items,
                               struct bi_ranks_route *route)
{
    const int32_t ranks = comm->rank_count;
    const size_t bytes = (size_t)ranks * sizeof(int64_t);
    *route = (struct bi_ranks_route){.rows = NULL};
    int64_t *counts = local_status == BOSC_OK ? bi_host_alloc(ctx, bytes) : NULL;
    if (local_status == BOSC_OK && !counts) local_status = BOSC_ERR_NOMEM;
    for (int32_t r = 0; r < ranks && local_status == BOSC_OK; r++) counts[r] = 0;
    BI_IF_OK(local_status, bi_scratch_of(ctx, items.n, sizeof *route->rows, &route->rows));
    if (local_status == BOSC_OK)
        BI_WITH_SCRATCH(ctx, local_status = split_rows(ctx, items, route->rows, counts, ranks));
    bosc_status status = bi_exchange_begin(ctx, comm, local_status, counts, &route->x);
    bi_memory_release(&ctx->host, counts, bytes);
    return status;
}

bosc_status bi_ranks_route_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const void *keys,
                                 int32_t key_bits, int64_t n, struct bi_ranks_route *route)
{
    return begin_route(ctx, comm, local_status, (struct items){n, NULL, keys, key_bits}, route);
}

bosc_status bi_ranks_route_to_owners(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const uint32_t *owners,
                                     int64_t n, struct bi_ranks_route *route)
{
    return begin_route(ctx, comm, local_status, (struct items){.n = n, .owners = owners}, route);
}

static bosc_status move_rows(bosc_ctx *ctx, bi_step_fn move, const struct bi_ranks_route *route, size_t item_size,
                             const void *in, void *out)
{
    const struct bi_ranks_move_rows rows = {.rows = route->rows, .in = in, .item_size = (int64_t)item_size, .out = out};
    return route->x.sent ? move(ctx, route->x.sent, &rows) : BOSC_OK;
}

/* Gathers the items in sending order, and exchanges them. */
static bosc_status send_items(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                              const struct bi_ranks_route *route, size_t item_size, const void *items, void *received)
{
    void *sent = NULL;
    BI_IF_OK(*local_status, bi_scratch_of(ctx, route->x.sent, item_size, &sent));
    BI_IF_OK(*local_status, move_rows(ctx, ctx->ops->ranks->steps->gather_rows, route, item_size, items, sent));
    return bi_exchange_items_deferred(ctx, comm, local_status, &route->x, item_size, sent, received);
}

bosc_status bi_ranks_route_move(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                const struct bi_ranks_route *route, size_t item_size, const void *items,
                                void **received)
{
    *received = NULL;
    BI_IF_OK(*local_status, bi_scratch_of(ctx, route->x.received, item_size, received));
    BI_RETURN_WITH_SCRATCH(ctx, send_items(ctx, comm, local_status, route, item_size, items, *received));
}

bosc_status bi_ranks_route_items(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                 const struct bi_ranks_route *route, size_t item_size, const void *items,
                                 void **received)
{
    BI_TRY(bi_ranks_route_move(ctx, comm, &local_status, route, item_size, items, received));
    return bi_comm_agree(ctx, comm, local_status);
}

/* Returns the answers, and scatters them from sending order to their rows. */
static bosc_status send_answers(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                const struct bi_ranks_route *route, size_t item_size, const void *answers, void *out)
{
    void *returned = NULL;
    BI_IF_OK(*local_status, bi_scratch_of(ctx, route->x.sent, item_size, &returned));
    BI_TRY(bi_exchange_replies_deferred(ctx, comm, local_status, &route->x, item_size, answers, returned));
    BI_IF_OK(*local_status, move_rows(ctx, ctx->ops->ranks->steps->scatter_rows, route, item_size, returned, out));
    return BOSC_OK;
}

bosc_status bi_ranks_route_move_back(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                     const struct bi_ranks_route *route, size_t item_size, const void *answers,
                                     void *out)
{
    BI_RETURN_WITH_SCRATCH(ctx, send_answers(ctx, comm, local_status, route, item_size, answers, out));
}

bosc_status bi_ranks_route_answers(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                   const struct bi_ranks_route *route, size_t item_size, const void *answers, void *out)
{
    BI_TRY(bi_ranks_route_move_back(ctx, comm, &local_status, route, item_size, answers, out));
    return bi_comm_agree(ctx, comm, local_status);
}

void bi_ranks_route_end(bosc_ctx *ctx, struct bi_ranks_route *route) { bi_exchange_end(ctx, &route->x); }
