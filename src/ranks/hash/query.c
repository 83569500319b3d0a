/* Queries of hash tables over ranks: the owner of a key gives the answer. Find and count return one answer per key:
 * owners read the keys from, and write the answers to, arrays of the querying ranks where these lie. On CPUs whose
 * ranks share memory, each rank queries the tables of all instead. Retrieve returns all values of each key as CSR rows.
 */
#include "core/call.h"
#include "hash/query.h"
#include "prims/check.h"
#include "ranks/exchange/queries.h"
#include "ranks/hash/hash.h"
#include "ranks/steps/steps.h"

/* ---- find and count ---- */

enum { VALUES, FOUND, COUNTS, KINDS };

struct query {
    const void *keys; /* of the caller */
    int64_t n;
    /* By kind: this rank's output, if it wants one; and if any rank does, the size of an answer. */
    void *output[KINDS];
    struct bi_out out[KINDS];
    size_t sizes[KINDS];
};

/* Fills the outputs of a table without keys. */
static bosc_status write_zeros(bosc_ctx *ctx, const struct query *q)
{
    for (int kind = 0; kind < KINDS; kind++)
        if (q->n && q->out[kind].reachable)
            BI_TRY(ctx->backend->fill(ctx, q->out[kind].reachable, 0, (size_t)q->n * q->sizes[kind]));
    return BOSC_OK;
}

/* Answers n keys. answers: by kind; NULL if no rank wants them. */
static bosc_status answer_keys(bosc_ctx *ctx, const bosc_hash *own, const void *keys, int64_t n,
                               void *const answers[KINDS])
{
    if (n && (answers[VALUES] || answers[FOUND]))
        BI_TRY(bi_hash_find_reached(ctx, own, keys, n, answers[VALUES], answers[FOUND]));
    return n && answers[COUNTS] ? bi_hash_count_reached(ctx, own, keys, n, answers[COUNTS]) : BOSC_OK;
}

/* The windows of an exchange: the keys, then the answers of each kind, in sending order. */
struct answer_windows {
    struct bi_windows windows;
    int kinds[BI_MAX_WINDOWS];                      /* of window w, from 1 on */
    struct bi_ranks_column columns[BI_MAX_WINDOWS]; /* of window w: `received` is in sending order */
};
_Static_assert(BI_MAX_WINDOWS == 3, "keys, values and found; or keys and counts");

/* Allocates this rank's arrays in sending order, and orders its keys. */
static bosc_status prepare_windows(bosc_ctx *ctx, const bosc_ranks_hash *table, const struct bi_ranks_route *route,
                                   const void *keys, const struct query *q, struct answer_windows *a)
{
    a->windows.access = BI_WINDOW_ANSWER;
    a->columns[0] = (struct bi_ranks_column){(size_t)table->opts.key_bits / 8, (void *)(uintptr_t)keys, NULL};
    a->windows.count = 1;
    for (int kind = 0; kind < KINDS; kind++)
        if (q->sizes[kind]) {
            a->kinds[a->windows.count] = kind;
            a->columns[a->windows.count++] = (struct bi_ranks_column){q->sizes[kind], q->out[kind].reachable, NULL};
        }
    for (int w = 0; w < a->windows.count; w++) {
        BI_TRY(bi_scratch_of(ctx, q->n, a->columns[w].item_size, &a->columns[w].received));
        a->windows.of[w] = (struct bi_window){.item_size = a->columns[w].item_size, .items = a->columns[w].received};
    }
    return bi_ranks_route_order(ctx, route, false, a->columns, 1);
}

/* Answers the keys of all ranks in the windows. Copies of the blocks follow each other in memory, so one call does. */
static bosc_status answer_blocks(bosc_ctx *ctx, const bosc_ranks_hash *table, const struct bi_exchange *x,
                                 const struct answer_windows *a)
{
    const struct bi_window *windows = a->windows.of;
    for (int32_t r = 0, end; r < x->rank_count; r = end) {
        void *answers[KINDS] = {NULL};
        int64_t n = x->received_offsets[r + 1] - x->received_offsets[r];
        end = r + 1;
        for (; !a->windows.are_shared && end < x->rank_count; end++)
            n += x->received_offsets[end + 1] - x->received_offsets[end];
        for (int w = 1; w < a->windows.count; w++) answers[a->kinds[w]] = windows[w].blocks[r];
        BI_TRY(answer_keys(ctx, table->own, windows[0].blocks[r], n, answers));
    }
    return BOSC_OK;
}

/* All ranks have a table. */
static bosc_status exchange_answers(bosc_ctx *ctx, const bosc_ranks_hash *table, const struct bi_ranks_route *route,
                                    const void *keys, const struct query *q)
{
    struct answer_windows a = {.windows = {.count = 0}};
    /* 1. Order the keys by owner. 2. Answer those of all ranks. 3. Move this rank's answers to their rows. */
    bosc_status local_status = prepare_windows(ctx, table, route, keys, q, &a);
    BI_TRY(bi_exchange_open_windows(ctx, table->comm, &local_status, &route->x, &a.windows));
    BI_IF_OK(local_status, answer_blocks(ctx, table, &route->x, &a));
    BI_TRY(bi_exchange_close_windows(ctx, table->comm, local_status, &route->x, &a.windows));
    local_status = bi_ranks_route_order(ctx, route, true, a.columns + 1, a.windows.count - 1);
    return bi_comm_agree(ctx, table->comm, bi_ranks_status_of_outputs(local_status));
}

/* ---- tables of all ranks, queried where they lie ---- */

struct tables {
    const bosc_ranks_hash *own;
    const bosc_hash *const *of;    /* (ranks) */
    struct bi_ranks_queries block; /* of queries */
    void *ordered_answers[KINDS];  /* of a block, by owner; NULL: not wanted */
};

/* Answers a block of queries, from row `first` on: orders the keys by owner, queries each owner's table, and returns
 * the answers to their rows. */
static bosc_status answer_block(bosc_ctx *ctx, struct tables *t, const void *keys, const struct query *q, int64_t first,
                                int64_t n)
{
    const struct bi_ranks_ops *ops = ctx->ops->ranks;
    const size_t key_bytes = (size_t)t->own->opts.key_bits / 8;
    t->block.keys = (const char *)keys + (size_t)first * key_bytes;
    t->block.n = n;
    BI_TRY(ops->order_queries(ctx, &t->block));
    for (uint32_t r = 0; r < t->block.rank_count; r++) {
        const int64_t begin = t->block.offsets[r], count = t->block.offsets[r + 1] - begin;
        void *answers[KINDS] = {NULL};
        for (int kind = 0; kind < KINDS; kind++)
            if (t->ordered_answers[kind])
                answers[kind] = (char *)t->ordered_answers[kind] + (size_t)begin * q->sizes[kind];
        BI_TRY(answer_keys(ctx, t->of[r], (const char *)t->block.ordered_keys + (size_t)begin * key_bytes, count,
                           answers));
    }
    for (int kind = 0; kind < KINDS; kind++)
        if (t->ordered_answers[kind])
            BI_TRY(ops->return_answers(ctx, &t->block, (int64_t)q->sizes[kind], t->ordered_answers[kind],
                                       (char *)q->out[kind].reachable + (size_t)first * q->sizes[kind]));
    return BOSC_OK;
}

static bosc_status answer_blocks_in_place(bosc_ctx *ctx, struct tables *t, const void *keys, const struct query *q)
{
    const int64_t block = (int64_t)BI_RANKS_QUERY_BLOCK * ctx->threads;
    const int64_t most = block < q->n ? block : q->n;
    BI_TRY(bi_scratch_of(ctx, most, (size_t)t->own->opts.key_bits / 8, &t->block.ordered_keys));
    BI_TRY(bi_scratch_of(ctx, most, sizeof *t->block.positions, &t->block.positions));
    for (int kind = 0; kind < KINDS; kind++)
        if (q->out[kind].reachable) BI_TRY(bi_scratch_of(ctx, most, q->sizes[kind], &t->ordered_answers[kind]));
    for (int64_t first = 0; first < q->n; first += block)
        BI_TRY_WITH_SCRATCH(ctx, answer_block(ctx, t, keys, q, first, block < q->n - first ? block : q->n - first));
    return BOSC_OK;
}

/* All ranks have a table, and share memory. */
static bosc_status query_tables(bosc_ctx *ctx, const bosc_ranks_hash *table, bosc_status local_status, const void *keys,
                                const struct query *q)
{
    const int32_t ranks = table->comm->rank_count;
    const size_t bytes = (size_t)(ranks + 1) * sizeof(int64_t) + (size_t)ranks * sizeof(void *);
    struct tables t = {.own = table, .block = {.rank_count = (uint32_t)ranks, .key_bits = table->opts.key_bits}};
    struct bi_windows windows = {
        .access = BI_WINDOW_READ_WHOLE, .count = 1, .of = {{.item_size = sizeof(char), .items = table->own}}};
    t.block.offsets = bi_host_alloc(ctx, bytes);
    if (!t.block.offsets) BI_IF_OK(local_status, BOSC_ERR_NOMEM);
    const struct bi_exchange x = {.rank_count = ranks,
                                  .blocks = t.block.offsets ? (char **)(t.block.offsets + ranks + 1) : NULL};
    bosc_status status = bi_exchange_open_windows(ctx, table->comm, &local_status, &x, &windows);
    if (status == BOSC_OK) {
        t.of = (const bosc_hash *const *)windows.of[0].blocks;
        BI_IF_OK(local_status, answer_blocks_in_place(ctx, &t, keys, q));
        status = bi_exchange_close_windows(ctx, table->comm, bi_ranks_status_of_outputs(local_status), &x, &windows);
    }
    bi_memory_release(&ctx->host, t.block.offsets, bytes);
    return status;
}

/* ---- all ---- */

static bosc_status answer_queries(bosc_ctx *ctx, const bosc_ranks_hash *table, const struct bi_ranks_route *route,
                                  const void *keys, const struct query *q)
{
    void *const outputs[KINDS] = {q->out[VALUES].reachable, q->out[FOUND].reachable, q->out[COUNTS].reachable};
    if (table->own && route->x.rank_count > 1) return exchange_answers(ctx, table, route, keys, q);
    const bosc_status local_status =
        table->own ? answer_keys(ctx, table->own, keys, q->n, outputs) : write_zeros(ctx, q);
    return bi_comm_agree(ctx, table->comm, bi_ranks_status_of_outputs(local_status));
}

/* Queries the owners for the kinds of answers that any rank wants. */
static bosc_status route_and_query(bosc_ctx *ctx, const bosc_ranks_hash *table, bosc_status local_status,
                                   struct query *q)
{
    const size_t sizes[KINDS] = {(size_t)table->opts.value_size, sizeof(uint8_t), sizeof(int64_t)};
    int64_t requests[KINDS + 1]; /* the last one: ranks that send their queries */
    struct bi_ranks_route route;
    const void *keys = NULL;
    bool staged = false;
    for (int kind = 0; kind < KINDS; kind++) requests[kind] = q->output[kind] != NULL && sizes[kind] > 0;
    requests[KINDS] = ctx->ops->ranks->order_queries == NULL || !table->own;
    BI_TRY(bi_comm_sum(ctx, table->comm, local_status, requests, KINDS + 1));
    BI_TRY(bi_comm_find_sharing(ctx, table->comm));
    const bool in_place =
        requests[KINDS] == 0 && table->comm->rank_count > 1 && table->comm->sharing == BI_SHARES_ADDRESSES;
    for (int kind = 0; kind < KINDS; kind++) q->sizes[kind] = requests[kind] ? sizes[kind] : 0;
    local_status = bi_stage_in(ctx, q->keys, (size_t)q->n * (size_t)table->opts.key_bits / 8, &keys, &staged);
    for (int kind = 0; kind < KINDS; kind++)
        BI_IF_OK(local_status,
                 bi_stage_out(ctx, q->output[kind], (size_t)q->n * q->sizes[kind], &q->out[kind], &staged));
    if (in_place) {
        BI_TRY(query_tables(ctx, table, local_status, keys, q));
    } else {
        bosc_status status =
            bi_ranks_route_begin(ctx, table->comm, local_status, keys, table->opts.key_bits, q->n, &route);
        BI_IF_OK(status, answer_queries(ctx, table, &route, keys, q));
        bi_ranks_route_end(ctx, &route);
        BI_TRY(status);
    }
    local_status = BOSC_OK;
    for (int kind = 0; kind < KINDS; kind++)
        if (q->out[kind].bytes) BI_IF_OK(local_status, bi_stage_back(ctx, &q->out[kind]));
    BI_IF_OK(local_status, ctx->backend->sync(ctx));
    return bi_comm_agree(ctx, table->comm, local_status);
}

static bosc_status check_queries(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *queries, int64_t n)
{
    return bi_ranks_hash_check_keys(ctx, table, "queries", queries, "query_count", n, INT64_MAX);
}

static bosc_status find_keys(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *queries, int64_t query_count,
                             void *values, uint8_t *found)
{
    struct query q = {.keys = queries, .n = query_count, .output = {[VALUES] = values, [FOUND] = found}};
    bosc_status local_status = check_queries(ctx, table, queries, query_count);
    BI_IF_OK(local_status, bi_ranks_hash_check_values(ctx, table, values, query_count, true));
    return route_and_query(ctx, table, local_status, &q);
}

bosc_status bosc_ranks_hash_find(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *queries, int64_t query_count,
                                 void *values, uint8_t *found)
{
    BI_ENTER(ctx);
    BI_TRY(bi_ranks_hash_check(ctx, table));
    bi_progress_set_total(ctx, 15 * (double)query_count);
    BI_RETURN_WITH_SCRATCH(ctx, find_keys(ctx, table, queries, query_count, values, found));
}

static bosc_status count_pairs(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *queries, int64_t query_count,
                               int64_t *counts)
{
    struct query q = {.keys = queries, .n = query_count, .output = {[COUNTS] = counts}};
    bosc_status local_status = check_queries(ctx, table, queries, query_count);
    BI_IF_OK(local_status, bi_check_array(ctx, "counts", counts, query_count, sizeof *counts));
    return route_and_query(ctx, table, local_status, &q);
}

bosc_status bosc_ranks_hash_count(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *queries, int64_t query_count,
                                  int64_t *counts)
{
    BI_ENTER(ctx);
    BI_TRY(bi_ranks_hash_check(ctx, table));
    bi_progress_set_total(ctx, 15 * (double)query_count);
    BI_RETURN_WITH_SCRATCH(ctx, count_pairs(ctx, table, queries, query_count, counts));
}

/* ---- retrieve: CSR rows ---- */

/* Owners return the length of each row, which gives the offsets. They then send the values in the order in which
 * queries arrived, and each rank scatters them to its rows. */

struct retrieval {
    const bosc_ranks_hash *table;
    size_t value_size;
    const void *queries;
    int64_t n;
    int64_t *offsets;
    void *values;
    int64_t capacity;
    bool is_fetch; /* the second call */
    /* On the owner. */
    void *received_keys;
    int64_t *row_offsets; /* (x.received + 1) */
    /* On the querying rank. */
    int64_t *lengths, *expected; /* (n), (n + 1) */
    int64_t total;
};

static const struct bi_ranks_steps *steps_of(const bosc_ctx *ctx) { return ctx->ops->ranks->steps; }

/* Scans row lengths to offsets (n + 1). */
static bosc_status make_offsets(bosc_ctx *ctx, const int64_t *lengths, int64_t n, int64_t *offsets)
{
    BI_TRY(ctx->backend->fill(ctx, offsets, 0, sizeof *offsets));
    if (n == 0) return BOSC_OK;
    return ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_I64, lengths, n, offsets + 1);
}

/* ---- offsets ---- */

static bosc_status measure_own_rows(bosc_ctx *ctx, const struct retrieval *r, int64_t received, int64_t *lengths)
{
    const struct bi_ranks_row_lengths step = {r->row_offsets, lengths};
    const size_t bytes = ((size_t)received + 1) * sizeof *r->row_offsets;
    if (received == 0 || !r->table->own)
        BI_TRY(ctx->backend->fill(ctx, r->row_offsets, 0, bytes));
    else
        BI_TRY(bosc_hash_retrieve(ctx, r->table->own, r->received_keys, received, r->row_offsets, NULL, 0));
    return received ? steps_of(ctx)->row_lengths(ctx, received, &step) : BOSC_OK;
}

static bosc_status exchange_lengths(bosc_ctx *ctx, struct retrieval *r, const struct bi_ranks_route *route)
{
    const int64_t received = route->x.received;
    int64_t *lengths = NULL;
    bosc_status local_status = bi_scratch_of(ctx, received, sizeof *lengths, &lengths);
    BI_IF_OK(local_status, measure_own_rows(ctx, r, received, lengths));
    BI_TRY(bi_ranks_route_answers(ctx, r->table->comm, local_status, route, sizeof *lengths, lengths, r->lengths));
    local_status = make_offsets(ctx, r->lengths, r->n, r->expected);
    BI_IF_OK(local_status, bi_read_back(ctx, &r->total, r->expected + r->n, sizeof r->total));
    return bi_comm_agree(ctx, r->table->comm, local_status);
}

static bosc_status write_offsets(bosc_ctx *ctx, const struct retrieval *r)
{
    BI_TRY(ctx->backend->copy(ctx, r->offsets, r->expected, ((size_t)r->n + 1) * sizeof *r->offsets));
    return ctx->backend->sync(ctx);
}

/* Second call: checks that the offsets are those of the first, and that the values fit. */
static bosc_status check_offsets(bosc_ctx *ctx, const struct retrieval *r)
{
    struct bi_ranks_mark_differences differ = {.expected = r->expected};
    const void *offsets;
    int64_t *least, first;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, r->offsets, ((size_t)r->n + 1) * sizeof first, &offsets, &staged));
    BI_TRY(bi_scratch_of(ctx, r->n + 1, sizeof first, &differ.positions));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof first, &least));
    differ.numbers = offsets;
    BI_TRY(steps_of(ctx)->mark_differences(ctx, r->n + 1, &differ));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_MIN, BOSC_I64, differ.positions, r->n + 1, least));
    BI_TRY(bi_read_back(ctx, &first, least, sizeof first));
    if (first < INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_ARG, "offsets: number %lld is not what the first call wrote", (long long)first);
    if (r->total && r->value_size && !r->values)
        return bi_fail(ctx, BOSC_ERR_ARG, "values: NULL, but not on all ranks");
    if (r->values && r->total > r->capacity)
        return bi_fail(ctx, BOSC_ERR_SPACE, "capacity: %lld, but there are %lld values", (long long)r->capacity,
                       (long long)r->total);
    return BOSC_OK;
}

/* ---- values ---- */

/* Retrieves an owner's values; counts[r]: number of values for rank r. */
static bosc_status retrieve_own(bosc_ctx *ctx, const struct retrieval *r, const struct bi_ranks_route *route,
                                int64_t *counts, void **values)
{
    const int64_t received = route->x.received;
    const int32_t ranks = route->x.rank_count;
    struct bi_ranks_move_rows gather = {.in = r->row_offsets, .item_size = sizeof *counts};
    int64_t *rows, own_total;
    BI_TRY(bi_read_back(ctx, &own_total, r->row_offsets + received, sizeof own_total));
    BI_TRY(bi_scratch_of(ctx, own_total, r->value_size, values));
    BI_TRY(bi_scratch_of(ctx, ranks + 1, sizeof *rows, &rows));
    BI_TRY(bi_scratch_of(ctx, ranks + 1, sizeof *rows, &gather.out));
    gather.rows = rows;
    if (own_total)
        BI_TRY(bosc_hash_retrieve(ctx, r->table->own, r->received_keys, received, r->row_offsets, *values, own_total));
    BI_TRY(ctx->backend->copy(ctx, rows, route->x.received_offsets, ((size_t)ranks + 1) * sizeof *rows));
    BI_TRY(steps_of(ctx)->gather_rows(ctx, ranks + 1, &gather));
    BI_TRY(ctx->backend->copy(ctx, counts, gather.out, ((size_t)ranks + 1) * sizeof *counts));
    BI_TRY(ctx->backend->sync(ctx));
    for (int32_t i = 0; i < ranks; i++) counts[i] = counts[i + 1] - counts[i];
    return BOSC_OK;
}

/* rows: the row of each query in sending order. */
static bosc_status scatter_values(bosc_ctx *ctx, const struct retrieval *r, const int64_t *rows, const void *entries,
                                  const int64_t *received_offsets, void *out)
{
    const struct bi_ranks_scatter_entries step = {.received_offsets = received_offsets,
                                                  .queries = rows,
                                                  .offsets = r->expected,
                                                  .rows = r->n,
                                                  .entry_size = (int64_t)r->value_size,
                                                  .entries = entries,
                                                  .out = out};
    return r->total ? steps_of(ctx)->scatter_entries(ctx, r->total, &step) : BOSC_OK;
}

/* Finds the offsets of the rows among received values. */
static bosc_status find_received_rows(bosc_ctx *ctx, const struct retrieval *r, const int64_t *rows,
                                      int64_t **received_offsets)
{
    struct bi_ranks_move_rows gather = {.rows = rows, .in = r->lengths, .item_size = sizeof **received_offsets};
    BI_TRY(bi_scratch_of(ctx, r->n + 1, sizeof **received_offsets, received_offsets));
    BI_TRY(bi_scratch_of(ctx, r->n, sizeof **received_offsets, &gather.out));
    if (r->n) BI_TRY(steps_of(ctx)->gather_rows(ctx, r->n, &gather));
    return make_offsets(ctx, gather.out, r->n, *received_offsets);
}

static bosc_status exchange_values(bosc_ctx *ctx, const struct retrieval *r, const struct bi_ranks_route *route,
                                   bosc_status local_status, const int64_t *counts, const void *own)
{
    bosc_comm *comm = r->table->comm;
    struct bi_exchange x;
    struct bi_out to = {0};
    int64_t *received_offsets = NULL, *rows = NULL;
    void *entries = NULL;
    bool staged = false;
    bosc_status status = bi_exchange_begin(ctx, comm, local_status, counts, &x);
    if (status == BOSC_OK) {
        local_status = bi_scratch_of(ctx, r->total, r->value_size, &entries);
        BI_IF_OK(local_status, bi_stage_out(ctx, r->values, (size_t)r->total * r->value_size, &to, &staged));
        BI_IF_OK(local_status, bi_ranks_route_list_rows(ctx, route, &rows));
        BI_IF_OK(local_status, find_received_rows(ctx, r, rows, &received_offsets));
        status = bi_exchange_items(ctx, comm, local_status, &x, r->value_size, own, entries);
    }
    bi_exchange_end(ctx, &x);
    BI_TRY(status);
    local_status = scatter_values(ctx, r, rows, entries, received_offsets, to.reachable);
    BI_IF_OK(local_status, bi_stage_back(ctx, &to));
    BI_IF_OK(local_status, ctx->backend->sync(ctx));
    return bi_comm_agree(ctx, comm, local_status);
}

static bosc_status fetch_values(bosc_ctx *ctx, const struct retrieval *r, const struct bi_ranks_route *route)
{
    const size_t bytes = ((size_t)route->x.rank_count + 1) * sizeof(int64_t);
    int64_t *counts = bi_host_alloc(ctx, bytes);
    void *own = NULL;
    bosc_status local_status = counts ? BOSC_OK : BOSC_ERR_NOMEM;
    BI_IF_OK(local_status, retrieve_own(ctx, r, route, counts, &own));
    const bosc_status status = exchange_values(ctx, r, route, local_status, counts, own);
    bi_memory_release(&ctx->host, counts, bytes);
    return status;
}

/* ---- the call ---- */

static bosc_status exchange_rows(bosc_ctx *ctx, struct retrieval *r, const struct bi_ranks_route *route,
                                 const void *queries)
{
    bosc_comm *comm = r->table->comm;
    bosc_status local_status = bi_scratch_of(ctx, route->x.received + 1, sizeof *r->row_offsets, &r->row_offsets);
    BI_IF_OK(local_status, bi_scratch_of(ctx, r->n, sizeof *r->lengths, &r->lengths));
    BI_IF_OK(local_status, bi_scratch_of(ctx, r->n + 1, sizeof *r->expected, &r->expected));
    BI_TRY(bi_ranks_route_items(ctx, comm, local_status, route, (size_t)r->table->opts.key_bits / 8, queries,
                                &r->received_keys));
    /* First call: the offsets, from the lengths of the rows. Second call: the values. */
    BI_TRY_WITH_SCRATCH(ctx, exchange_lengths(ctx, r, route));
    if (!r->is_fetch) return bi_comm_agree(ctx, comm, write_offsets(ctx, r));
    BI_WITH_SCRATCH(ctx, local_status = check_offsets(ctx, r));
    BI_TRY(bi_comm_agree(ctx, comm, local_status));
    return r->value_size ? fetch_values(ctx, r, route) : BOSC_OK;
}

static bosc_status check_retrieval(bosc_ctx *ctx, const struct retrieval *r)
{
    BI_TRY(bi_ranks_hash_check_keys(ctx, r->table, "queries", r->queries, "query_count", r->n, INT64_MAX));
    BI_TRY(bi_check_array(ctx, "offsets", r->offsets, 1, sizeof *r->offsets));
    if (!r->values) return BOSC_OK;
    BI_TRY(bi_check_count(ctx, "capacity", r->capacity, r->value_size ? r->value_size : 1));
    return bi_ranks_hash_check_values(ctx, r->table, r->values, r->capacity, true);
}

static bosc_status route_and_retrieve(bosc_ctx *ctx, struct retrieval *r)
{
    struct bi_ranks_route route;
    const void *queries = NULL;
    int64_t fetch_count = r->values != NULL;
    bool staged = false;
    BI_TRY(bi_comm_sum(ctx, r->table->comm, check_retrieval(ctx, r), &fetch_count, 1));
    r->is_fetch = fetch_count > 0;
    bosc_status local_status =
        bi_stage_in(ctx, r->queries, (size_t)r->n * (size_t)r->table->opts.key_bits / 8, &queries, &staged);
    bosc_status status =
        bi_ranks_route_begin(ctx, r->table->comm, local_status, queries, r->table->opts.key_bits, r->n, &route);
    BI_IF_OK(status, exchange_rows(ctx, r, &route, queries));
    bi_ranks_route_end(ctx, &route);
    return status;
}

bosc_status bosc_ranks_hash_retrieve(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *queries,
                                     int64_t query_count, int64_t *offsets, void *values, int64_t capacity)
{
    struct retrieval r = {.table = table,
                          .queries = queries,
                          .n = query_count,
                          .offsets = offsets,
                          .values = values,
                          .capacity = capacity};
    BI_ENTER(ctx);
    BI_TRY(bi_ranks_hash_check(ctx, table));
    r.value_size = (size_t)table->opts.value_size;
    bi_progress_set_total(ctx, 25 * (double)query_count);
    BI_RETURN_WITH_SCRATCH(ctx, route_and_retrieve(ctx, &r));
}
