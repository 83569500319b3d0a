/* Builds tables: of the pairs in the order of the input, by partition; or, where keys repeat or a partition is
 * oversized, of one pair a key, by a sort of the hashes. With opts.no_wait the first way is launched only. */
#include "hash/drivers.h"

/* The values as the table, whose blocks are there, stores them, from those of the input. NULL: buckets have none. So of
 * no pairs, whose values may be NULL, it is a place from which nothing is read. */
static bosc_status stored_values(bosc_ctx *ctx, const bosc_hash *next, const struct bi_hash_input *in,
                                 const void **values)
{
    *values = next->opts.value_size ? in->values : NULL;
    if (in->n == 0 && next->shape.value_bytes > 0) *values = next->blocks[BI_HASH_TABLE].data;
    if (!next->opts.counted || in->n == 0) return BOSC_OK;
    void *out;
    BI_TRY(bi_scratch_of(ctx, in->n, next->shape.value_bytes, &out));
    struct bi_hash_attach attach = {in->values, in->counts, next->opts.value_size, out};
    *values = out;
    return BI_HASH_STEP(ctx, attach, in->n, &attach);
}

/* Takes over what filling *next with `keys` keys found. *retry: see bi_hash_fill_lists. */
static void take_report(bosc_hash *next, const struct bi_hash_report *found, int64_t keys, bool *retry)
{
    *retry = found->repeats || found->oversized || found->too_large;
    next->keys = keys;
    next->buckets = found->buckets;
    next->extra_probes = (int64_t)found->extra_probes;
    next->reseeded = (int32_t)found->reseeded;
    next->linear = (int32_t)found->linear;
}

bosc_status bi_hash_fill_lists(bosc_ctx *ctx, bosc_hash *next, const struct bi_hash_lists *lists, bool distinct,
                               bool *retry)
{
    struct bi_hash_report *report, found;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *report, &report));
    BI_TRY(ctx->backend->fill(ctx, report, 0, sizeof *report));
    BI_TRY(next->layout->fill(ctx, next, lists, distinct, report));
    BI_TRY(bi_read_back(ctx, &found, report, sizeof found));
    if (found.too_large && distinct)
        return bi_fail(ctx, BOSC_ERR_LIMIT,
                       "keys: too many of them share a partition of the table; another seed separates them");
    take_report(next, &found, lists->n, retry);
    return BOSC_OK;
}

/* Gives *next blocks for the pairs in order, and their values as it stores them. */
static bosc_status begin_in_order(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next,
                                  const struct bi_hash_input *in, bool *written, const void **values)
{
    size_t bytes[BI_HASH_BLOCKS] = {0};
    bi_hash_plan(next, in->n, &next->shape, bytes);
    BI_TRY(bi_hash_reserve_blocks(ctx, table, bytes, next));
    *written = true;
    return stored_values(ctx, next, in, values);
}

static bosc_status build_in_order(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next,
                                  const struct bi_hash_input *in, bool *written, bool *retry)
{
    struct bi_hash_lists lists;
    struct bi_hash_report found;
    const void *values;
    bool built = false;
    BI_TRY(begin_in_order(ctx, table, next, in, written, &values));
    if (next->layout->build) BI_TRY(next->layout->build(ctx, next, in->keys, values, in->n, &found, &built));
    if (built) {
        take_report(next, &found, in->n, retry);
        return BOSC_OK;
    }
    BI_TRY(next->ops->partition(ctx, &next->shape, in->keys, values, in->n, &lists));
    return bi_hash_fill_lists(ctx, next, &lists, false, retry);
}

static bosc_status build_of_groups(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next,
                                   const struct bi_hash_input *in, bool *written)
{
    struct bi_hash_lists lists;
    bool retry;
    BI_TRY(bi_hash_group(ctx, table, next, in, &lists));
    *written = true;
    return bi_hash_fill_lists(ctx, next, &lists, true, &retry);
}

bosc_status bi_hash_build_from(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next, const struct bi_hash_input *in,
                               bool *written)
{
    bool retry = next->opts.kind == BOSC_HASH_MULTIMAP;
    *written = false;
    if (!retry) {
        BI_TRY_WITH_SCRATCH(ctx, build_in_order(ctx, table, next, in, written, &retry));
    }
    if (retry) BI_TRY(build_of_groups(ctx, table, next, in, written));
    next->pairs = next->opts.counted || next->opts.kind == BOSC_HASH_MULTIMAP ? in->pairs : next->keys;
    return BOSC_OK;
}

/* Launches a build, whose outcome bi_hash_settle finds. Until then the table has no buckets. */
static bosc_status launch(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next, const struct bi_hash_input *in,
                          bool *written, bool *launched)
{
    const void *values;
    BI_TRY(begin_in_order(ctx, table, next, in, written, &values));
    return next->ops->launch_build(ctx, next, in->keys, values, in->n, &next->pending.outcome, launched);
}

/* Whether a build of these pairs may be left to run. */
static bool may_launch(const bosc_hash *table, int64_t n, bool staged)
{
    return table->pending.outcome.words && table->layout->launches && table->opts.kind == BOSC_HASH_MAP && n > 0 &&
           !staged;
}

static bosc_status finish(bosc_ctx *ctx, bosc_hash *table);

/* Builds the table, or launches the build and notes it as pending. */
static bosc_status build_or_launch(bosc_ctx *ctx, bosc_hash *table, bosc_hash *next, const struct bi_hash_input *in,
                                   bool may, bool *written)
{
    bool launched = false;
    if (may) BI_TRY_WITH_SCRATCH(ctx, launch(ctx, table, next, in, written, &launched));
    if (!launched) return bi_hash_build_from(ctx, table, next, in, written);
    bi_hash_set_empty(next);
    table->pending.finish = finish;
    table->pending.keys = in->keys;
    table->pending.values = in->values;
    table->pending.n = in->n;
    table->pending.outcome = next->pending.outcome;
    bi_hash_set_pending(table, BI_HASH_LAUNCHED);
    return BOSC_OK;
}

/* wait: whatever the options say. */
static bosc_status build(bosc_ctx *ctx, bosc_hash *table, const void *keys, const void *values, int64_t n, bool wait)
{
    struct bi_hash_input in = {.n = n, .pairs = n};
    bool staged = false, written = false;
    bosc_hash next = *table;
    size_t key_bytes = (size_t)table->shape.key_bytes, value_size = (size_t)table->opts.value_size;
    BI_TRY(bi_stage_in(ctx, keys, (size_t)n * key_bytes, &in.keys, &staged));
    BI_TRY(bi_stage_in(ctx, values, (size_t)n * value_size, &in.values, &staged));
    const bool may = !wait && may_launch(table, n, staged);
    bosc_status status = build_or_launch(ctx, table, &next, &in, may, &written);
    if (status == BOSC_OK) {
        bi_hash_drop_blocks(&next, table);
        bi_hash_replace(table, &next);
    } else {
        bi_hash_drop_blocks(table, &next);
        if (written) bi_hash_set_empty(table);
    }
    return status;
}

/* Keys that repeat, or a partition that the launched build does not take: the table is made again, and waited for. */
static bosc_status finish(bosc_ctx *ctx, bosc_hash *table)
{
    const struct bi_hash_pending *p = &table->pending;
    struct bi_hash_report found;
    bool built = false, retry = true;
    BI_TRY(table->ops->await_build(ctx, &p->outcome, &found, &built));
    if (built) take_report(table, &found, p->n, &retry);
    if (retry) {
        bi_hash_set_empty(table);
        bi_progress_set_total(ctx, 25 * (double)p->n);
        BI_RETURN_WITH_SCRATCH(ctx, build(ctx, table, p->keys, p->values, p->n, true));
    }
    table->pairs = table->keys;
    return BOSC_OK;
}

bosc_status bosc_hash_build(bosc_ctx *ctx, bosc_hash *table, const void *keys, const void *values, int64_t n)
{
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_table(ctx, table));
    BI_TRY(bi_hash_check_pairs(ctx, table, keys, values, n));
    bi_progress_set_total(ctx, 25 * (double)n);
    if (table->opts.no_wait && ctx->backend->records && ctx->backend->records(ctx))
        return bi_fail(ctx, BOSC_ERR_ARG,
                       "table: its builds tell the host how they went, and the stream records a graph");
    BI_RETURN_WITH_SCRATCH(ctx, build(ctx, table, keys, values, n, false));
}
