/* Routes items to the owners of their keys, and the owners' answers back to the items' rows. */
#include "ranks/exchange/route.h"

#include "core/call.h"
#include "ranks/steps/steps.h"

/* Minimum rows of a tile, per rank. Positions have 8 bytes for each rank and tile: half a byte per row at most. */
enum { TILE_PER_RANK = 16 };

/* ---- begin ---- */

/* Counts the items of each rank, and finds the positions of the tiles. counts: (ranks), host. */
static bosc_status find_positions(bosc_ctx *ctx, const struct bi_ranks_owned *items, int64_t *counts)
{
    const int64_t ranks = items->rank_count;
    struct bi_ranks_first_positions first = {.positions = items->positions, .tiles = items->tiles};
    BI_TRY(ctx->ops->ranks->count_owned(ctx, items));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, items->positions, ranks * items->tiles,
                                    items->positions));
    BI_TRY(bi_scratch_of(ctx, ranks, sizeof *first.out, &first.out));
    BI_TRY(ctx->ops->ranks->steps->first_positions(ctx, ranks, &first));
    /* The position of each rank's first item; the differences are the counts. */
    BI_TRY(bi_read_back(ctx, counts, first.out, (size_t)ranks * sizeof *counts));
    for (int64_t r = 0; r < ranks; r++) counts[r] = (r + 1 < ranks ? counts[r + 1] : items->n) - counts[r];
    return BOSC_OK;
}

static bosc_status partition_items(bosc_ctx *ctx, struct bi_ranks_owned *items, int64_t *counts)
{
    const int64_t ranks = items->rank_count;
    for (int64_t r = 0; r < ranks; r++) counts[r] = 0;
    if (ranks == 1) counts[0] = items->n;
    if (ranks == 1 || items->n == 0) return BOSC_OK;
    items->tile = bi_max_i64(BI_RANKS_TILE, TILE_PER_RANK * ranks);
    items->tiles = bi_div_up(items->n, items->tile);
    BI_TRY(bi_scratch_of(ctx, ranks * items->tiles, sizeof *items->positions, &items->positions));
    BI_RETURN_WITH_SCRATCH(ctx, find_positions(ctx, items, counts));
}

/* Partitions the items by owner, and exchanges their numbers. */
static bosc_status begin_route(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, struct bi_ranks_owned items,
                               struct bi_ranks_route *route)
{
    const size_t bytes = (size_t)comm->rank_count * sizeof(int64_t);
    *route = (struct bi_ranks_route){.items = items};
    route->items.rank_count = (uint32_t)comm->rank_count;
    int64_t *counts = local_status == BOSC_OK ? bi_host_alloc(ctx, bytes) : NULL;
    if (local_status == BOSC_OK && !counts) local_status = BOSC_ERR_NOMEM;
    BI_IF_OK(local_status, partition_items(ctx, &route->items, counts));
    const bosc_status status = bi_exchange_begin(ctx, comm, local_status, counts, &route->x);
    bi_memory_release(&ctx->host, counts, bytes);
    return status;
}

bosc_status bi_ranks_route_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const void *keys,
                                 int32_t key_bits, int64_t n, struct bi_ranks_route *route)
{
    const struct bi_ranks_owned items = {.n = n, .keys = keys, .key_bits = key_bits};
    return begin_route(ctx, comm, local_status, items, route);
}

bosc_status bi_ranks_route_to_owners(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const uint32_t *owners,
                                     int64_t n, struct bi_ranks_route *route)
{
    const struct bi_ranks_owned items = {.n = n, .owners = owners};
    return begin_route(ctx, comm, local_status, items, route);
}

/* ---- moves ---- */

/* Moves the columns between their rows and the blocks. Answers may return to NULL rows: this rank does not need that
 * column. */
static bosc_status move_blocks(bosc_ctx *ctx, const struct bi_ranks_route *route, const struct bi_windows *windows,
                               const struct bi_ranks_column *columns)
{
    struct bi_ranks_owned_move move = {.to_rows = windows->access == BI_WINDOW_READ};
    for (int c = 0; c < windows->count; c++)
        if (columns[c].rows || !move.to_rows)
            move.columns[move.count++] =
                (struct bi_ranks_owned_column){(int64_t)columns[c].item_size, columns[c].rows, windows->of[c].blocks};
    if (route->items.n == 0 || move.count == 0) return BOSC_OK;
    return ctx->ops->ranks->move_owned(ctx, &route->items, &move);
}

/* Opens the arrays of received items as windows, and moves the columns to or from them. No rank moves items before all
 * have agreed on their statuses. Work that a rank queues later starts after all moves to and from its arrays. */
static bosc_status move_columns(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                const struct bi_ranks_route *route, enum bi_window_access access,
                                const struct bi_ranks_column *columns, int count)
{
    struct bi_windows windows = {.access = access, .count = count};
    for (int c = 0; c < count; c++)
        windows.of[c] = (struct bi_window){.item_size = columns[c].item_size, .items = columns[c].received};
    BI_TRY(bi_exchange_open_windows(ctx, comm, &local_status, &route->x, &windows));
    BI_IF_OK(local_status, move_blocks(ctx, route, &windows, columns));
    /* Answers may have changed the caller's outputs. */
    if (access == BI_WINDOW_READ) local_status = bi_ranks_status_of_outputs(local_status);
    return bi_exchange_close_windows(ctx, comm, local_status, &route->x, &windows);
}

bosc_status bi_ranks_route_columns(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                   const struct bi_ranks_route *route, struct bi_ranks_column *columns, int count)
{
    const bool is_alone = comm->rank_count == 1;
    for (int c = 0; c < count; c++) {
        columns[c].received = is_alone ? columns[c].rows : NULL;
        if (!is_alone)
            BI_IF_OK(local_status, bi_scratch_of(ctx, route->x.received, columns[c].item_size, &columns[c].received));
    }
    if (is_alone) return bi_comm_agree(ctx, comm, local_status);
    BI_RETURN_WITH_SCRATCH(ctx, move_columns(ctx, comm, local_status, route, BI_WINDOW_WRITE, columns, count));
}

bosc_status bi_ranks_route_items(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                 const struct bi_ranks_route *route, size_t item_size, const void *items,
                                 void **received)
{
    struct bi_ranks_column column = {.item_size = item_size, .rows = (void *)(uintptr_t)items /* is only read */};
    const bosc_status status = bi_ranks_route_columns(ctx, comm, local_status, route, &column, 1);
    *received = column.received;
    return status;
}

/* One rank: answers are in the order of the rows. Most are the rows' array already, and are not copied. */
static bosc_status copy_answers(bosc_ctx *ctx, bosc_status local_status, const struct bi_ranks_route *route,
                                const struct bi_ranks_column *columns, int count)
{
    for (int c = 0; c < count && local_status == BOSC_OK; c++)
        if (columns[c].rows && columns[c].rows != columns[c].received && route->items.n)
            local_status = ctx->backend->copy(ctx, columns[c].rows, columns[c].received,
                                              (size_t)route->items.n * columns[c].item_size);
    return bi_ranks_status_of_outputs(local_status);
}

bosc_status bi_ranks_route_answer_columns(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                          const struct bi_ranks_route *route, struct bi_ranks_column *columns,
                                          int count)
{
    if (comm->rank_count == 1) return bi_comm_agree(ctx, comm, copy_answers(ctx, local_status, route, columns, count));
    BI_RETURN_WITH_SCRATCH(ctx, move_columns(ctx, comm, local_status, route, BI_WINDOW_READ, columns, count));
}

bosc_status bi_ranks_route_answers(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                   const struct bi_ranks_route *route, size_t item_size, const void *answers, void *out)
{
    struct bi_ranks_column column = {
        .item_size = item_size, .rows = out, .received = (void *)(uintptr_t)answers /* is only read */};
    return bi_ranks_route_answer_columns(ctx, comm, local_status, route, &column, 1);
}

/* x.blocks serves open windows alone. None is open, so it can list the blocks of the arrays. */
bosc_status bi_ranks_route_order(bosc_ctx *ctx, const struct bi_ranks_route *route, bool to_rows,
                                 const struct bi_ranks_column *columns, int count)
{
    const int32_t ranks = route->x.rank_count;
    struct bi_ranks_owned_move move = {.to_rows = to_rows};
    for (int c = 0; c < count; c++) {
        char **blocks = route->x.blocks + c * ranks;
        if (!columns[c].rows && to_rows) continue;
        for (int32_t r = 0; r < ranks && route->x.sent; r++)
            blocks[r] = (char *)columns[c].received + route->x.sent_offsets[r] * (int64_t)columns[c].item_size;
        move.columns[move.count++] =
            (struct bi_ranks_owned_column){(int64_t)columns[c].item_size, columns[c].rows, blocks};
    }
    if (route->x.sent == 0 || move.count == 0) return BOSC_OK;
    return ctx->ops->ranks->move_owned(ctx, &route->items, &move);
}

bosc_status bi_ranks_route_list_rows(bosc_ctx *ctx, const struct bi_ranks_route *route, int64_t **rows)
{
    struct bi_ranks_column column = {.item_size = sizeof **rows};
    BI_TRY(bi_scratch_of(ctx, route->x.sent, sizeof **rows, rows));
    if (route->x.sent == 0) return BOSC_OK;
    if (route->x.rank_count == 1) return ctx->backend->core->iota(ctx, sizeof **rows, *rows, route->x.sent);
    column.received = *rows;
    return bi_ranks_route_order(ctx, route, false, &column, 1);
}

void bi_ranks_route_end(bosc_ctx *ctx, struct bi_ranks_route *route) { bi_exchange_end(ctx, &route->x); }

/* ---- queries ---- */

static bosc_status send_query(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_owner_query *q,
                              const struct bi_ranks_route *route)
{
    void *received, *answers = NULL;
    BI_TRY(bi_ranks_route_items(ctx, comm, BOSC_OK, route, q->item_size, q->items, &received));
    bosc_status local_status = bi_scratch_of(ctx, route->x.received, q->answer_size, &answers);
    BI_IF_OK(local_status, q->answer(ctx, q->user, received, route->x.received, answers));
    return bi_ranks_route_answers(ctx, comm, local_status, route, q->answer_size, answers, q->out);
}

bosc_status bi_ranks_query_owners(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                  const struct bi_ranks_owner_query *query)
{
    struct bi_ranks_route route;
    const struct bi_mark mark = bi_arena_mark(ctx);
    bosc_status status = bi_ranks_route_to_owners(ctx, comm, local_status, query->owners, query->n, &route);
    BI_IF_OK(status, send_query(ctx, comm, query, &route));
    bi_ranks_route_end(ctx, &route);
    bi_arena_rewind(ctx, mark);
    return status;
}
