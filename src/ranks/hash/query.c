/* Queries of hash tables over ranks: they go to the owners of their keys, which return answers. */
#include "core/call.h"
#include "ranks/hash/hash.h"
#include "prims/check.h"

struct query {
    const void *keys; /* of the caller */
    int64_t n;
    /* Answers on the owner, and on the querying rank; NULL if no rank requests them. */
    void *values, *values_back;
    uint8_t *found, *found_back;
    int64_t *counts, *counts_back;
};

enum { VALUES, FOUND, COUNTS, KINDS };

/* Allocates answers to received queries, and room for the answers to this rank's own. */
static bosc_status allocate_answers(bosc_ctx *ctx, const struct bi_ranks_route *route, size_t size, void *answers,
                                    void *back)
{
    BI_TRY(bi_scratch_of(ctx, route->x.received, size, answers));
    return bi_scratch_of(ctx, route->x.sent, size, back);
}

static bosc_status answer_queries(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *received, int64_t n,
                                  const struct query *q)
{
    const size_t bytes = (size_t)n * (size_t)table->opts.value_size;
    if (n == 0) return BOSC_OK;
    if (table->own && (q->values || q->found))
        BI_TRY(bosc_hash_find(ctx, table->own, received, n, q->values, q->found));
    if (table->own) return q->counts ? bosc_hash_count(ctx, table->own, received, n, q->counts) : BOSC_OK;
    if (q->values) BI_TRY(ctx->backend->fill(ctx, q->values, 0, bytes));
    if (q->found) BI_TRY(ctx->backend->fill(ctx, q->found, 0, (size_t)n));
    return q->counts ? ctx->backend->fill(ctx, q->counts, 0, (size_t)n * sizeof *q->counts) : BOSC_OK;
}

static bosc_status exchange_with_owners(bosc_ctx *ctx, const bosc_ranks_hash *table, const int64_t requested[KINDS],
                                        const struct bi_ranks_route *route, const void *keys, struct query *q)
{
    const size_t value_size = (size_t)table->opts.value_size;
    bosc_comm *comm = table->comm;
    bosc_status local_status = BOSC_OK;
    void *received;
    /* 1. Send the keys to their owners. 2. Look them up. 3. Return the answers of each requested kind. */
    if (requested[VALUES]) local_status = allocate_answers(ctx, route, value_size, &q->values, &q->values_back);
    if (requested[FOUND] && local_status == BOSC_OK)
        local_status = allocate_answers(ctx, route, sizeof *q->found, &q->found, &q->found_back);
    if (requested[COUNTS] && local_status == BOSC_OK)
        local_status = allocate_answers(ctx, route, sizeof *q->counts, &q->counts, &q->counts_back);
    BI_TRY(bi_ranks_route_items(ctx, comm, local_status, route, (size_t)table->opts.key_bits / 8, keys, &received));
    local_status = answer_queries(ctx, table, received, route->x.received, q);
    if (requested[VALUES])
        BI_TRY(bi_ranks_route_answers(ctx, comm, local_status, route, value_size, q->values, q->values_back));
    if (requested[FOUND])
        BI_TRY(bi_ranks_route_answers(ctx, comm, local_status, route, sizeof *q->found, q->found, q->found_back));
    if (!requested[COUNTS]) return BOSC_OK;
    return bi_ranks_route_answers(ctx, comm, local_status, route, sizeof *q->counts, q->counts, q->counts_back);
}

/* Queries the owners for the kinds of answers that any rank requests. */
static bosc_status query_owners(bosc_ctx *ctx, const bosc_ranks_hash *table, bosc_status local_status,
                                int64_t requested[KINDS], struct query *q)
{
    struct bi_ranks_route route;
    const void *keys = NULL;
    bool staged = false;
    BI_TRY(bi_comm_sum(ctx, table->comm, local_status, requested, KINDS));
    local_status = bi_stage_in(ctx, q->keys, (size_t)q->n * (size_t)table->opts.key_bits / 8, &keys, &staged);
    bosc_status status = bi_ranks_route_begin(ctx, table->comm, local_status, keys, table->opts.key_bits, q->n, &route);
    if (status == BOSC_OK) status = exchange_with_owners(ctx, table, requested, &route, keys, q);
    bi_ranks_route_end(ctx, &route);
    return status;
}

static bosc_status copy_output(bosc_ctx *ctx, void *to, const void *from, int64_t n, size_t size)
{
    return to && n && size ? ctx->backend->copy(ctx, to, from, (size_t)n * size) : BOSC_OK;
}

static bosc_status check_queries(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *queries, int64_t n)
{
    return bi_ranks_hash_check_keys(ctx, table, "queries", queries, "query_count", n, INT64_MAX);
}

static bosc_status find_keys(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *queries, int64_t query_count,
                             void *values, uint8_t *found)
{
    const size_t value_size = (size_t)table->opts.value_size;
    struct query q = {.keys = queries, .n = query_count};
    int64_t requested[KINDS] = {values && value_size, found != NULL, 0};
    bosc_status local_status = check_queries(ctx, table, queries, query_count);
    if (local_status == BOSC_OK) local_status = bi_ranks_hash_check_values(ctx, table, values, query_count, true);
    BI_TRY(query_owners(ctx, table, local_status, requested, &q));
    local_status = copy_output(ctx, values, q.values_back, query_count, value_size);
    if (local_status == BOSC_OK) local_status = copy_output(ctx, found, q.found_back, query_count, sizeof *found);
    if (local_status == BOSC_OK) local_status = ctx->backend->sync(ctx);
    return bi_comm_agree(ctx, table->comm, local_status);
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
    struct query q = {.keys = queries, .n = query_count};
    int64_t requested[KINDS] = {0, 0, 1};
    bosc_status local_status = check_queries(ctx, table, queries, query_count);
    if (local_status == BOSC_OK) local_status = bi_check_array(ctx, "counts", counts, query_count, sizeof *counts);
    BI_TRY(query_owners(ctx, table, local_status, requested, &q));
    local_status = copy_output(ctx, counts, q.counts_back, query_count, sizeof *counts);
    if (local_status == BOSC_OK) local_status = ctx->backend->sync(ctx);
    return bi_comm_agree(ctx, table->comm, local_status);
}

bosc_status bosc_ranks_hash_count(bosc_ctx *ctx, const bosc_ranks_hash *table, const void *queries, int64_t query_count,
                                  int64_t *counts)
{
    BI_ENTER(ctx);
    BI_TRY(bi_ranks_hash_check(ctx, table));
    bi_progress_set_total(ctx, 15 * (double)query_count);
    BI_RETURN_WITH_SCRATCH(ctx, count_pairs(ctx, table, queries, query_count, counts));
}
