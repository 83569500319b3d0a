/* Build, insertion and erasure: pairs go to the owners of their keys, ordered by rank and row, and the owners change
 * their own tables. */
#include "core/call.h"
#include "ranks/prims/unique.h"
#include "ranks/hash/hash.h"
#include "ranks/steps/steps.h"

struct pairs {
    const void *keys, *values;
    int64_t n;
};

/* ---- keys that must not repeat ---- */

/* On the owner: marks received items whose key came earlier, or (`check_table`) is in the table. */
static bosc_status mark_repeated(bosc_ctx *ctx, const bosc_ranks_hash *table, bool check_table,
                                 const struct pairs *received, uint8_t *is_repeat)
{
    struct bi_ranks_representatives representatives;
    uint8_t *found;
    if (received->n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, received->n, sizeof *found, &found));
    BI_TRY(ctx->backend->fill(ctx, found, 0, (size_t)received->n));
    if (check_table && table->own) BI_TRY(bosc_hash_find(ctx, table->own, received->keys, received->n, NULL, found));
    BI_TRY(bi_ranks_find_representatives(ctx, received->keys, received->n, table->opts.key_bits, &representatives));
    const struct bi_ranks_mark_repeats mark = {representatives.is_first, found, is_repeat};
    return ctx->ops->ranks->steps->mark_repeats(ctx, received->n, &mark);
}

/* On the sending rank: fails with BOSC_ERR_DATA at the first repeated row. first_row: number of rows on lower ranks. */
static bosc_status report_first_repeat(bosc_ctx *ctx, const uint8_t *is_repeat, int64_t n, int64_t first_row)
{
    struct bi_ranks_global_ids number = {.first = first_row};
    int64_t *rows, *count, found;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *number.ids, &number.ids));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *rows, &rows));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    BI_TRY(ctx->ops->ranks->steps->global_ids(ctx, n, &number));
    BI_TRY(ctx->backend->core->compact(ctx, sizeof *rows, number.ids, is_repeat, n, rows, count));
    BI_TRY(bi_read_back(ctx, &found, count, sizeof found));
    if (found == 0) return BOSC_OK;
    BI_TRY(bi_read_back(ctx, &found, rows, sizeof found));
    return bi_fail(ctx, BOSC_ERR_DATA, "keys: row %lld is a key that came before", (long long)found);
}

static bosc_status check_repeats(bosc_ctx *ctx, const bosc_ranks_hash *table, bool check_table,
                                 const struct bi_ranks_route *route, const struct pairs *received)
{
    uint8_t *marked = NULL, *is_repeat = NULL;
    int64_t first_row;
    bosc_status local_status = bi_scratch_of(ctx, received->n, sizeof *marked, &marked);
    BI_IF_OK(local_status, bi_scratch_of(ctx, route->x.sent, sizeof *is_repeat, &is_repeat));
    BI_IF_OK(local_status, mark_repeated(ctx, table, check_table, received, marked));
    BI_TRY(bi_ranks_route_answers(ctx, table->comm, local_status, route, sizeof *is_repeat, marked, is_repeat));
    BI_TRY(bi_comm_offset(ctx, table->comm, BOSC_OK, route->x.sent, &first_row, NULL));
    return bi_comm_agree(ctx, table->comm, report_first_repeat(ctx, is_repeat, route->x.sent, first_row));
}

/* ---- changes ---- */

typedef bosc_status (*change_fn)(bosc_ctx *ctx, bosc_hash *own, const struct pairs *received, int64_t *erased);

static bosc_status build_own(bosc_ctx *ctx, bosc_hash *own, const struct pairs *received, int64_t *erased)
{
    (void)erased;
    return bosc_hash_build(ctx, own, received->keys, received->values, received->n);
}

static bosc_status insert_own(bosc_ctx *ctx, bosc_hash *own, const struct pairs *received, int64_t *erased)
{
    (void)erased;
    return bosc_hash_insert(ctx, own, received->keys, received->values, received->n);
}

static bosc_status erase_own(bosc_ctx *ctx, bosc_hash *own, const struct pairs *received, int64_t *erased)
{
    return bosc_hash_erase(ctx, own, received->keys, received->n, erased);
}

/* From here on a failure of one rank empties the tables of all. */
static bosc_status change_own(bosc_ctx *ctx, bosc_ranks_hash *table, change_fn change, const struct pairs *received,
                              int64_t *erased)
{
    bosc_status local_status = table->own ? BOSC_OK : bosc_hash_create(ctx, &table->opts, &table->own);
    BI_IF_OK(local_status, change(ctx, table->own, received, erased));
    const bosc_status status = bi_comm_sum(ctx, table->comm, local_status, erased, 1);
    if (status != BOSC_OK) bi_ranks_hash_clear(table);
    return status;
}

static bosc_status send_and_change(bosc_ctx *ctx, bosc_ranks_hash *table, change_fn change, const struct pairs *input,
                                   const struct bi_ranks_route *route, int64_t *erased)
{
    const bool is_erase = change == erase_own, strict = table->opts.duplicates == BOSC_HASH_ERROR && !is_erase;
    /* The columns are only read. */
    struct bi_ranks_column columns[] = {
        {.item_size = (size_t)table->opts.key_bits / 8, .rows = (void *)(uintptr_t)input->keys},
        {.item_size = (size_t)table->opts.value_size, .rows = (void *)(uintptr_t)input->values}};
    BI_TRY(
        bi_ranks_route_columns(ctx, table->comm, BOSC_OK, route, columns, table->opts.value_size && !is_erase ? 2 : 1));
    const struct pairs received = {columns[0].received, columns[1].received, route->x.received};
    if (strict) BI_TRY_WITH_SCRATCH(ctx, check_repeats(ctx, table, change == insert_own, route, &received));
    return change_own(ctx, table, change, &received, erased);
}

static bosc_status stage_pairs(bosc_ctx *ctx, const bosc_ranks_hash *table, struct pairs *p)
{
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, p->keys, (size_t)p->n * (size_t)table->opts.key_bits / 8, &p->keys, &staged));
    if (!p->values) return BOSC_OK;
    return bi_stage_in(ctx, p->values, (size_t)p->n * (size_t)table->opts.value_size, &p->values, &staged);
}

/* local_status: the result of this rank's argument checks. */
static bosc_status route_and_change(bosc_ctx *ctx, bosc_ranks_hash *table, bosc_status local_status, change_fn change,
                                    struct pairs input, int64_t *erased)
{
    struct bi_ranks_route route;
    BI_IF_OK(local_status, stage_pairs(ctx, table, &input));
    bosc_status status =
        bi_ranks_route_begin(ctx, table->comm, local_status, input.keys, table->opts.key_bits, input.n, &route);
    BI_IF_OK(status, send_and_change(ctx, table, change, &input, &route, erased));
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
    BI_RETURN_WITH_SCRATCH(ctx, route_and_change(ctx, table, check(ctx, table, &p, true), build_own, p, &erased));
}

bosc_status bosc_ranks_hash_insert(bosc_ctx *ctx, bosc_ranks_hash *table, const void *keys, const void *values,
                                   int64_t n)
{
    const struct pairs p = {keys, values, n};
    int64_t erased = 0;
    BI_ENTER(ctx);
    BI_TRY(bi_ranks_hash_check(ctx, table));
    bi_progress_set_total(ctx, 28 * (double)n);
    BI_RETURN_WITH_SCRATCH(ctx, route_and_change(ctx, table, check(ctx, table, &p, true), insert_own, p, &erased));
}

bosc_status bosc_ranks_hash_erase(bosc_ctx *ctx, bosc_ranks_hash *table, const void *keys, int64_t n, int64_t *erased)
{
    const struct pairs p = {keys, NULL, n};
    int64_t count = 0;
    bosc_status status;
    BI_ENTER(ctx);
    BI_TRY(bi_ranks_hash_check(ctx, table));
    bi_progress_set_total(ctx, 10 * (double)n);
    BI_WITH_SCRATCH(ctx, status = route_and_change(ctx, table, check(ctx, table, &p, false), erase_own, p, &count));
    if (status == BOSC_OK && erased) *erased = count;
    return status;
}
