/* Windows: arrays of items that the work of other ranks accesses where they lie. Ranks that share memory exchange the
 * arrays' addresses, or what stands for them between processes, and order their queued work; others exchange copies. */
#include "comm/comm.h"
#include "comm/device.h"
#include "comm/ipc.h"

/* The message of a rank that opens windows. */
struct message {
    int64_t status;
    int32_t device;                /* or BI_COMM_HOST */
    int32_t is_accessible;         /* 1: other ranks can access the arrays, as far as this rank knows */
    int32_t has_new;               /* 1: it has exported memory that the others do not know */
    int32_t slots[BI_MAX_WINDOWS]; /* between processes: the arrays' exported memory; -1: no array */
    union {
        void *items;    /* NULL: none */
        int64_t offset; /* in the exported memory */
    } at[BI_MAX_WINDOWS];
};
_Static_assert(sizeof(struct message) <= BI_COMM_MESSAGE, "messages of all ranks fit comm->gather");

/* ---- access ---- */

/* True if the windows are arrays in sending order. */
static bool is_of_senders(enum bi_window_access access)
{
    return access == BI_WINDOW_READ_SENT || access == BI_WINDOW_ANSWER;
}

/* True if the ranks write to window w. */
static bool is_written(const struct bi_windows *windows, int w)
{
    return windows->access == BI_WINDOW_WRITE || (windows->access == BI_WINDOW_ANSWER && w > 0);
}

/* Memory of a caller's allocator may come from a pool, which peer access does not cover. */
static struct message describe_windows(const bosc_ctx *ctx, bosc_status local_status, const struct bi_windows *windows)
{
    const bool on_device = bi_comm_device_of(ctx) != NULL;
    struct message m = {.status = local_status,
                        .device = on_device ? ctx->memory.device : BI_COMM_HOST,
                        .is_accessible = !on_device || !ctx->memory.hooks.alloc};
    for (int w = 0; w < windows->count; w++) m.at[w].items = windows->of[w].items;
    return m;
}

/* The same between processes. Memory that cannot be exported is not accessible. */
static struct message export_windows(bosc_ctx *ctx, const bosc_comm *comm, bosc_status local_status,
                                     const struct bi_windows *windows)
{
    struct message m = describe_windows(ctx, local_status, windows);
    bool has_new = false;
    for (int w = 0; w < windows->count; w++) {
        struct bi_ipc_address address = {-1, 0};
        void *items = windows->of[w].items;
        /* After a failure the arrays may not exist. A rank of the CPU exports nothing. */
        if (local_status == BOSC_OK && m.is_accessible && m.device != BI_COMM_HOST && items)
            m.is_accessible = bi_ipc_export(ctx, comm->ipc, items, &address, &has_new);
        m.slots[w] = address.slot;
        m.at[w].offset = address.offset;
    }
    m.has_new = has_new;
    return m;
}

/* True if every rank can access the memory of all others. All ranks get the same answer from the same messages. */
static bool all_can_access(bosc_ctx *ctx, const bosc_comm *comm, const struct message *all)
{
    /* Processes have tried when they connected. Each numbers the devices in its own way. */
    const struct bi_comm_device *ops = comm->sharing == BI_SHARES_HANDLES ? NULL : bi_comm_device_of(ctx);
    for (int32_t a = 0; a < comm->rank_count; a++) {
        if (!all[a].is_accessible || (all[a].device == BI_COMM_HOST) != (all[0].device == BI_COMM_HOST)) return false;
        if (comm->sharing == BI_SHARES_HANDLES && all[a].device == BI_COMM_HOST) return false;
        for (int32_t b = 0; b < a && ops; b++)
            if (!ops->can_access(all[a].device, all[b].device) || !ops->can_access(all[b].device, all[a].device))
                return false;
    }
    return true;
}

/* ---- open ---- */

/* Finds the array of rank r for window w; NULL: it has none. */
static bosc_status find_items(bosc_ctx *ctx, bosc_comm *comm, const struct message *all, int32_t r, int w,
                              const struct bi_window *window, char **items)
{
    const struct message *m = &all[r];
    if (comm->sharing == BI_SHARES_HANDLES) {
        const struct bi_ipc_address address = {m->slots[w], m->at[w].offset};
        *items = r == comm->rank ? window->items : address.slot < 0 ? NULL : bi_ipc_import(ctx, comm->ipc, r, address);
        if (*items || address.slot < 0) return BOSC_OK;
    } else {
        *items = m->at[w].items;
        if (bi_comm_open_peer(ctx, comm, m->device)) return BOSC_OK;
    }
    return bi_fail(ctx, BOSC_ERR_DEVICE, "comm: device %d cannot open the memory of rank %d, device %d",
                   (int)ctx->memory.device, (int)r, (int)m->device);
}

/* Points the blocks into the arrays of all ranks. */
static bosc_status share_blocks(bosc_ctx *ctx, bosc_comm *comm, const struct bi_exchange *x, const struct message *all,
                                struct bi_windows *windows)
{
    /* The first item for or from this rank in each array; of whole arrays the first one. */
    const int64_t *offsets = windows->access == BI_WINDOW_READ_WHOLE ? NULL
                             : is_of_senders(windows->access)        ? x->remote_sent_offsets
                                                                     : x->remote_offsets;
    bosc_status status = BOSC_OK;
    for (int32_t r = 0; r < comm->rank_count; r++)
        for (int w = 0; w < windows->count; w++) {
            struct bi_window *window = &windows->of[w];
            char *items = NULL;
            BI_IF_OK(status, find_items(ctx, comm, all, r, w, window, &items));
            window->blocks[r] = items && offsets ? items + offsets[r] * (int64_t)window->item_size : items;
        }
    windows->are_shared = true;
    return status;
}

/* Agrees on the statuses, and exchanges the addresses of the arrays. Returns a failure that all ranks share;
 * *local_status: this rank's own, which it reports at the next agreement. */
static bosc_status exchange_addresses(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                      const struct bi_exchange *x, struct bi_windows *windows)
{
    const struct message *all = comm->gather;
    const bosc_status published = comm->transport->publish_queued(ctx, comm); /* by every rank, after a failure too */
    BI_IF_OK(*local_status, published);
    *local_status = bi_comm_take_deferred(ctx, comm, *local_status);
    if (*local_status == BOSC_ERR_COMM) return *local_status; /* a rank is lost: no exchange completes */
    const struct message own = comm->sharing == BI_SHARES_HANDLES ? export_windows(ctx, comm, *local_status, windows)
                                                                  : describe_windows(ctx, *local_status, windows);
    bool has_new = false;
    BI_TRY(bi_comm_all_gather(ctx, comm, &own, sizeof own, comm->gather));
    for (int32_t r = 0; r < comm->rank_count; r++)
        if (all[r].status != BOSC_OK) return bi_comm_share_failure(ctx, comm, r, (bosc_status)all[r].status);
    for (int32_t r = 0; r < comm->rank_count; r++) has_new = has_new || all[r].has_new;
    if (has_new) BI_TRY(bi_ipc_announce(ctx, comm, comm->ipc));
    if (all_can_access(ctx, comm, all)) *local_status = share_blocks(ctx, comm, x, all, windows);
    BI_IF_OK(*local_status, comm->transport->await_queued(ctx, comm));
    return BOSC_OK;
}

/* Points the blocks into copies: of the sent items, or, if the arrays are those of senders, of the received ones. */
static bosc_status allocate_copies(bosc_ctx *ctx, const struct bi_exchange *x, struct bi_windows *windows)
{
    const int64_t *offsets = is_of_senders(windows->access) ? x->received_offsets : x->sent_offsets;
    for (int w = 0; w < windows->count; w++) {
        struct bi_window *window = &windows->of[w];
        BI_TRY(bi_scratch_of(ctx, offsets[x->rank_count], window->item_size, &window->copy));
        /* NULL: there are 0 items, so no block is used. */
        for (int32_t r = 0; r < x->rank_count && window->copy; r++)
            window->blocks[r] = window->copy + offsets[r] * (int64_t)window->item_size;
    }
    return BOSC_OK;
}

/* Receives copies of the items that this rank will read. */
static bosc_status receive_copies(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                  const struct bi_exchange *x, const struct bi_windows *windows)
{
    for (int w = 0; w < windows->count; w++) {
        const struct bi_window *window = &windows->of[w];
        if (is_written(windows, w)) continue;
        if (windows->access == BI_WINDOW_READ)
            BI_TRY(bi_exchange_replies_deferred(ctx, comm, local_status, x, window->item_size, window->items,
                                                window->copy));
        else
            BI_TRY(
                bi_exchange_items_deferred(ctx, comm, local_status, x, window->item_size, window->items, window->copy));
    }
    return BOSC_OK;
}

bosc_status bi_exchange_open_windows(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                     const struct bi_exchange *x, struct bi_windows *windows)
{
    windows->are_shared = false;
    for (int w = 0; w < windows->count; w++)
        windows->of[w].blocks = x->blocks ? x->blocks + w * x->rank_count : NULL; /* NULL: of a rank that fails */
    if (*local_status != BOSC_ERR_COMM) BI_TRY(bi_comm_find_sharing(ctx, comm));  /* else other ranks do not call it */
    if (comm->sharing >= BI_SHARES_ADDRESSES)
        BI_TRY(exchange_addresses(ctx, comm, local_status, x, windows));
    else
        BI_TRY(bi_comm_agree(ctx, comm, *local_status));
    /* Whole arrays have no copies: if they are not shared, there are no blocks. */
    if (windows->are_shared || windows->access == BI_WINDOW_READ_WHOLE) return BOSC_OK;
    BI_IF_OK(*local_status, allocate_copies(ctx, x, windows));
    return receive_copies(ctx, comm, local_status, x, windows);
}

/* ---- close ---- */

/* Agrees on the statuses behind all accesses. */
static bosc_status finish_accesses(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status)
{
    const bosc_status published = comm->transport->publish_queued(ctx, comm);
    BI_IF_OK(local_status, published);
    const bosc_status status = bi_comm_agree(ctx, comm, local_status);
    /* After a failure too, since the ranks that succeeded have queued accesses. A lost rank may no longer order its
     * work, but this rank's own work ends before the caller gets its memory back. */
    if (status == BOSC_ERR_COMM)
        (void)ctx->backend->sync(ctx);
    else
        bi_comm_defer(ctx, comm, comm->transport->await_queued(ctx, comm));
    return status;
}

/* Items of window w that leave this rank. Of whole arrays, others read a few. */
static int64_t count_sent(const bosc_comm *comm, const struct bi_exchange *x, const struct bi_windows *windows, int w)
{
    const bool replies = windows->access == BI_WINDOW_READ || (windows->access == BI_WINDOW_ANSWER && w > 0);
    const int64_t *offsets = replies ? x->received_offsets : x->sent_offsets;
    if (windows->access == BI_WINDOW_READ_WHOLE) return 0;
    return offsets[x->rank_count] - (offsets[comm->rank + 1] - offsets[comm->rank]);
}

/* Sends the copies that this rank has written to the owners of the window's arrays. */
static bosc_status send_copies(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status, const struct bi_exchange *x,
                               enum bi_window_access access, const struct bi_window *window)
{
    if (access == BI_WINDOW_ANSWER)
        return bi_exchange_replies_deferred(ctx, comm, local_status, x, window->item_size, window->copy, window->items);
    return bi_exchange_items_deferred(ctx, comm, local_status, x, window->item_size, window->copy, window->items);
}

bosc_status bi_exchange_close_windows(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                      const struct bi_exchange *x, const struct bi_windows *windows)
{
    if (windows->are_shared) {
        for (int w = 0; w < windows->count; w++)
            comm->bytes += count_sent(comm, x, windows, w) * (int64_t)windows->of[w].item_size;
        return finish_accesses(ctx, comm, local_status);
    }
    for (int w = 0; w < windows->count; w++)
        if (is_written(windows, w)) BI_TRY(send_copies(ctx, comm, &local_status, x, windows->access, &windows->of[w]));
    return bi_comm_agree(ctx, comm, local_status);
}
