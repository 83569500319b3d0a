/* Building, insertion, erasure: pairs go to the owners of their keys, in the order of ranks and rows, and these change
 * their own tables. */
#include "core/call.h"
#include "ranks/prims/representatives.h"
#include "ranks/hash/hash.h"
#include "ranks/steps/steps.h"

struct pairs {
    const void *keys, *values;
    int64_t n;
};

/* ---- keys that must not repeat ---- */

/* Of an owner: the items that came whose key came before. */
static bosc_status mark_repeats(bosc_ctx *ctx, const bosc_ranks_hash *table, bool among_old, const struct pairs *came,
                                uint8_t *repeats)
{
    struct bi_ranks_first_items firsts;
    uint8_t *found;
    if (came->n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, came->n, sizeof *found, &found));
    BI_TRY(ctx->backend->fill(ctx, found, 0, (size_t)came->n));
    if (among_old && table->own) BI_TRY(bosc_hash_find(ctx, table->own, came->keys, came->n, NULL, found));
    BI_TRY(bi_ranks_find_firsts(ctx, came->keys, came->n, table->opts.key_bits, &firsts));
    const struct bi_ranks_repeats mark = {firsts.is_first, found, repeats};
    return ctx->ops->dist->steps->mark_repeats(ctx, came->n, &mark);
}

/* Of the rank that has the items: BOSC_ERR_DATA with the first row that repeats, `before` of the ranks below
 * included. */
static bosc_status refuse_first(bosc_ctx *ctx, const uint8_t *repeats, int64_t n, int64_t before)
{
    struct bi_ranks_global_ids number = {.first = before};
    int64_t *rows, *count, found;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *number.ids, &number.ids));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *rows, &rows));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    BI_TRY(ctx->ops->dist->steps->global_ids(ctx, n, &number));
    BI_TRY(ctx->backend->core->compact(ctx, sizeof *rows, number.ids, repeats, n, rows, count));
    BI_TRY(bi_read_back(ctx, &found, count, sizeof found));
    if (found == 0) return BOSC_OK;
    BI_TRY(bi_read_back(ctx, &found, rows, sizeof found));
    return bi_fail(ctx, BOSC_ERR_DATA, "keys: row %lld is a key that came before", (long long)found);
}

static bosc_status refuse_repeats(bosc_ctx *ctx, const bosc_ranks_hash *table, bool among_old,
                                  const struct bi_ranks_route *route, const struct pairs *came)
{
    uint8_t *marked = NULL, *repeats = NULL;
    int64_t before;
    bosc_status local_status = bi_scratch_of(ctx, came->n, sizeof *marked, &marked);
    if (local_status == BOSC_OK) local_status = bi_scratch_of(ctx, route->x.sent, sizeof *repeats, &repeats);
    if (local_status == BOSC_OK) local_status = mark_repeats(ctx, table, among_old, came, marked);
    BI_TRY(bi_ranks_route_answers(ctx, table->comm, local_status, route, sizeof *repeats, marked, repeats));
    BI_TRY(bi_comm_offset(ctx, table->comm, BOSC_OK, route->x.sent, &before, NULL));
    return bi_comm_agree(ctx, table->comm, refuse_first(ctx, repeats, route->x.sent, before));
}

/* ---- changes ---- */

typedef bosc_status (*change_fn)(bosc_ctx *ctx, bosc_hash *own, const struct pairs *came, int64_t *erased);

static bosc_status build_own(bosc_ctx *ctx, bosc_hash *own, const struct pairs *came, int64_t *erased)
{
    (void)erased;
    return bosc_hash_build(ctx, own, came->keys, came->values, came->n);
}

static bosc_status insert_own(bosc_ctx *ctx, bosc_hash *own, const struct pairs *came, int64_t *erased)
{
    (void)erased;
    return bosc_hash_insert(ctx, own, came->keys, came->values, came->n);
}

static bosc_status erase_own(bosc_ctx *ctx, bosc_hash *own, const struct pairs *came, int64_t *erased)
{
    return bosc_hash_erase(ctx, own, came->keys, came->n, erased);
}

/* From here on a failure of one rank leaves all of them without their tables. */
static bosc_status change_own(bosc_ctx *ctx, bosc_ranks_hash *table, change_fn change, const struct pairs *came,
                              int64_t *erased)
{
    bosc_status local_status = table->own ? BOSC_OK : bosc_hash_create(ctx, &table->opts, &table->own);
    if (local_status == BOSC_OK) local_status = change(ctx, table->own, came, erased);
    const bosc_status status = bi_comm_sum(ctx, table->comm, local_status, erased, 1);
    if (status != BOSC_OK) bi_ranks_hash_clear(table);
    return status;
}

static bosc_status change_owners(bosc_ctx *ctx, bosc_ranks_hash *table, change_fn change, const struct pairs *given,
                                 const struct bi_ranks_route *route, int64_t *erased)
{
    const size_t key_bytes = (size_t)table->opts.key_bits / 8, value_size = (size_t)table->opts.value_size;
    const bool strict = table->opts.duplicates == BOSC_HASH_ERROR && change != erase_own;
    void *keys, *values = NULL;
    BI_TRY(bi_ranks_route_items(ctx, table->comm, BOSC_OK, route, key_bytes, given->keys, &keys));
    if (value_size && change != erase_own)
        BI_TRY(bi_ranks_route_items(ctx, table->comm, BOSC_OK, route, value_size, given->values, &values));
    const struct pairs came = {keys, values, route->x.received};
    if (strict) BI_TRY_WITH_SCRATCH(ctx, refuse_repeats(ctx, table, change == insert_own, route, &came));
    return change_own(ctx, table, change, &came, erased);
}

static bosc_status stage(bosc_ctx *ctx, const bosc_ranks_hash *table, struct pairs *p)
{
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, p->keys, (size_t)p->n * (size_t)table->opts.key_bits / 8, &p->keys, &staged));
    if (!p->values) return BOSC_OK;
    return bi_stage_in(ctx, p->values, (size_t)p->n * (size_t)table->opts.value_size, &p->values, &staged);
}

/* `local_status` is that of the checks. */
static bosc_status send(bosc_ctx *ctx, bosc_ranks_hash *table, bosc_status local_status, change_fn change,
                        struct pairs given, int64_t *erased)
{
    struct bi_ranks_route route;
    if (local_status == BOSC_OK) local_status = stage(ctx, table, &given);
    bosc_status status =
        bi_ranks_route_begin(ctx, table->comm, local_status, given.keys, table->opts.key_bits, given.n, &route);
    if (status == BOSC_OK) status = change_owners(ctx, table, change, &given, &route, erased);
    bi_ranks_route_end(ctx, &route);
    return status;
}

static bosc_status check(bosc_ctx *ctx, const bosc_ranks_hash *table, const struct pairs *p, bool with_values)
{
    BI_TRY(bi_ranks_hash_check_keys(ctx, table, "keys", p->keys, "n", p->n, (int64_t)UINT32_MAX - 1));
    return with_values ? bi_ranks_hash_check_values(ctx, table, p->values, p->n, false) : BOSC_OK;
}

bosc_status bosc_ranks_hash_build(bosc_ctx *ctx, bosc_ranks_hash *table, const void *keys, const void *values,
                                  int64_t n)
{
    const struct pairs p = {keys, values, n};
    int64_t erased = 0;
    BI_ENTER(ctx);
    BI_TRY(bi_ranks_hash_check(ctx, table));
    bi_progress_set_total(ctx, 35 * (double)n);
    BI_RETURN_WITH_SCRATCH(ctx, send(ctx, table, check(ctx, table, &p, true), build_own, p, &erased));
}

bosc_status bosc_ranks_hash_insert(bosc_ctx *ctx, bosc_ranks_hash *table, const void *keys, const void *values,
                                   int64_t n)
{
    const struct pairs p = {keys, values, n};
    int64_t erased = 0;
    BI_ENTER(ctx);
    BI_TRY(bi_ranks_hash_check(ctx, table));
    bi_progress_set_total(ctx, 28 * (double)n);
    BI_RETURN_WITH_SCRATCH(ctx, send(ctx, table, check(ctx, table, &p, true), insert_own, p, &erased));
}

bosc_status bosc_ranks_hash_erase(bosc_ctx *ctx, bosc_ranks_hash *table, const void *keys, int64_t n, int64_t *erased)
{
    const struct pairs p = {keys, NULL, n};
    int64_t count = 0;
    bosc_status status;
    BI_ENTER(ctx);
    BI_TRY(bi_ranks_hash_check(ctx, table));
    bi_progress_set_total(ctx, 10 * (double)n);
    BI_WITH_SCRATCH(ctx, status = send(ctx, table, check(ctx, table, &p, false), erase_own, p, &count));
    if (status == BOSC_OK && erased) *erased = count;
    return status;
}
