/* Dense ids by first occurrence over ranks. The distinct keys of each rank go to their owners, who say which rank has
 * each one first; each rank numbers its own, and tells the owners, who tell the others. */
#include <boscage/ranks/prims.h>
#include <boscage/hash.h>

#include "core/call.h"
#include "ranks/prims/representatives.h"
#include "ranks/exchange/route.h"
#include "ranks/steps/steps.h"
#include "prims/check.h"

struct unique {
    int32_t key_bits;
    size_t key_bytes;
    const void *keys;
    int64_t n;
    /* Of this rank. */
    int64_t *ids;   /* (n) of its own distinct keys, then of all */
    void *distinct; /* (count) */
    int64_t count;
    uint8_t *is_first; /* (count): on no lower rank */
    int64_t *numbers;  /* (count): ids among all */
    void *kept;        /* (kept_count): the first ones */
    int64_t kept_count, total;
};

static bosc_status find_distinct(bosc_ctx *ctx, struct unique *u)
{
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, u->keys, (size_t)u->n * u->key_bytes, &u->keys, &staged));
    BI_TRY(bi_scratch_of(ctx, u->n, sizeof *u->ids, &u->ids));
    BI_TRY(bi_scratch_of(ctx, u->n, u->key_bytes, &u->distinct));
    BI_TRY(bosc_hash_unique(ctx, u->keys, u->n, u->key_bits, u->ids, u->distinct, &u->count));
    BI_TRY(bi_scratch_of(ctx, u->count, sizeof *u->is_first, &u->is_first));
    BI_TRY(bi_scratch_of(ctx, u->count, sizeof *u->numbers, &u->numbers));
    return bi_scratch_of(ctx, u->count, u->key_bytes, &u->kept);
}

/* Numbers the keys that are first here, from 0. */
static bosc_status number_kept(bosc_ctx *ctx, struct unique *u)
{
    const struct bi_core_ops *core = ctx->backend->core;
    const struct bi_ranks_widen widen = {u->is_first, u->numbers};
    int64_t *count;
    if (u->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    BI_TRY(ctx->ops->dist->steps->widen(ctx, u->count, &widen));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, u->numbers, u->count, u->numbers));
    BI_TRY(core->compact(ctx, u->key_bytes, u->distinct, u->is_first, u->count, u->kept, count));
    return bi_read_back(ctx, &u->kept_count, count, sizeof *count);
}

static bosc_status take(bosc_ctx *ctx, int64_t n, const int64_t *rows, const int64_t *in, int64_t *out)
{
    const struct bi_ranks_move_rows take = {rows, in, sizeof *out, out};
    return n ? ctx->ops->dist->steps->take_rows(ctx, n, &take) : BOSC_OK;
}

/* An owner's part: which of the keys that came are first, and then, by the ids of those, the ids of all. */
static bosc_status ask_owners(bosc_ctx *ctx, bosc_comm *comm, struct unique *u, const struct bi_ranks_route *route)
{
    struct bi_ranks_first_items firsts = {NULL, NULL, NULL, 0};
    void *came, *numbers;
    int64_t before;
    BI_TRY(bi_ranks_route_items(ctx, comm, BOSC_OK, route, u->key_bytes, u->distinct, &came));
    bosc_status local_status = bi_ranks_find_firsts(ctx, came, route->x.received, u->key_bits, &firsts);
    BI_TRY(bi_ranks_route_answers(ctx, comm, local_status, route, 1, firsts.is_first, u->is_first));
    BI_WITH_SCRATCH(ctx, local_status = number_kept(ctx, u));
    BI_TRY(bi_comm_offset(ctx, comm, local_status, u->kept_count, &before, &u->total));
    const struct bi_ranks_add add = {u->numbers, before};
    if (u->count) local_status = ctx->ops->dist->steps->add(ctx, u->count, &add);
    BI_TRY(bi_ranks_route_items(ctx, comm, local_status, route, sizeof *u->numbers, u->numbers, &numbers));
    local_status = take(ctx, route->x.received, firsts.ids, firsts.firsts, firsts.ids);
    if (local_status == BOSC_OK) local_status = take(ctx, route->x.received, firsts.ids, numbers, firsts.ids);
    return bi_ranks_route_answers(ctx, comm, local_status, route, sizeof *u->numbers, firsts.ids, u->numbers);
}

static bosc_status give(bosc_ctx *ctx, const struct unique *u, int64_t *ids, void *distinct)
{
    if (u->n) BI_TRY(ctx->backend->copy(ctx, ids, u->ids, (size_t)u->n * sizeof *ids));
    if (distinct && u->kept_count)
        BI_TRY(ctx->backend->copy(ctx, distinct, u->kept, (size_t)u->kept_count * u->key_bytes));
    return ctx->backend->sync(ctx);
}

static bosc_status unique(bosc_ctx *ctx, bosc_comm *comm, struct unique *u, int64_t *ids, void *distinct)
{
    struct bi_ranks_route route;
    bosc_status local_status = find_distinct(ctx, u);
    bosc_status status = bi_ranks_route_begin(ctx, comm, local_status, u->distinct, u->key_bits, u->count, &route);
    if (status == BOSC_OK) status = ask_owners(ctx, comm, u, &route);
    bi_ranks_route_end(ctx, &route);
    BI_TRY(status);
    BI_TRY(bi_comm_agree(ctx, comm, take(ctx, u->n, u->ids, u->numbers, u->ids)));
    return bi_comm_agree(ctx, comm, give(ctx, u, ids, distinct));
}

static bosc_status check(bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits, const int64_t *ids,
                         const void *distinct, const int64_t *count)
{
    if (key_bits != 32 && key_bits != 64 && key_bits != 128)
        return bi_fail(ctx, BOSC_ERR_ARG, "key_bits: %d is none of 32, 64, 128", (int)key_bits);
    const size_t size = (size_t)key_bits / 8, alignment = key_bits == 32 ? 4 : 8;
    BI_TRY(bi_check_count(ctx, "n", n, size));
    if (n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld keys; a rank may have less than 2^32 - 1", (long long)n);
    BI_TRY(bi_check_array(ctx, "keys", keys, n, alignment));
    BI_TRY(bi_check_array(ctx, "ids", ids, n, sizeof *ids));
    BI_TRY(bi_check_apart(ctx, "ids", ids, (size_t)n * sizeof *ids, "keys", keys, (size_t)n * size, false));
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    if (!distinct) return BOSC_OK;
    BI_TRY(bi_check_array(ctx, "unique", distinct, n, alignment));
    BI_TRY(bi_check_apart(ctx, "unique", distinct, (size_t)n * size, "keys", keys, (size_t)n * size, false));
    return bi_check_apart(ctx, "unique", distinct, (size_t)n * size, "ids", ids, (size_t)n * sizeof *ids, false);
}

bosc_status bosc_ranks_unique(bosc_ctx *ctx, bosc_comm *comm, const void *keys, int64_t n, int32_t key_bits,
                              int64_t *ids, void *distinct, int64_t *count, int64_t *total)
{
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    const struct bi_ranks_argument shared[] = {{"key_bits", key_bits}};
    BI_TRY(bi_ranks_same(ctx, comm, check(ctx, keys, n, key_bits, ids, distinct, count), shared, 1));
    bi_progress_set_total(ctx, 40 * (double)n);
    struct unique u = {.key_bits = key_bits, .key_bytes = (size_t)key_bits / 8, .keys = keys, .n = n};
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = unique(ctx, comm, &u, ids, distinct));
    BI_TRY(status);
    *count = u.kept_count;
    if (total) *total = u.total;
    return BOSC_OK;
}
