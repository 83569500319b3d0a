/* Queries: find, count, retrieve. */
#include "core/call.h"
#include "hash/drivers.h"

struct bi_hash_kept bi_hash_kept_of(const bosc_hash *table, const void *kept)
{
    return (struct bi_hash_kept){kept,
                                 table->shape.value_bytes,
                                 table->opts.value_size,
                                 table->opts.kind == BOSC_HASH_MULTIMAP,
                                 table->opts.counted != 0,
                                 table->blocks[BI_HASH_VALUES].data};
}

/* Is more kept with a key than its value? */
static bool keeps_more(const bosc_hash *table) { return table->opts.kind == BOSC_HASH_MULTIMAP || table->opts.counted; }

static bosc_status check_queries(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m)
{
    BI_TRY(bi_hash_check_table(ctx, table));
    if (m < 0) return bi_fail(ctx, BOSC_ERR_ARG, "m: %lld is less than 0", (long long)m);
    return bi_hash_check_array(ctx, "queries", queries, m, table->shape.key_bytes, table->opts.key_bits == 32 ? 4 : 8);
}

static bosc_status look_up(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m, void *values,
                           uint8_t *found)
{
    if (m == 0) return BOSC_OK;
    if (table->buckets) return table->layout->find(ctx, table, queries, m, values, found);
    if (values) BI_TRY(ctx->backend->fill(ctx, values, 0, (size_t)m * (size_t)table->shape.value_bytes));
    return found ? ctx->backend->fill(ctx, found, 0, (size_t)m) : BOSC_OK;
}

/* What the table keeps with each key, in scratch. */
static bosc_status look_up_kept(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m, void **kept,
                                uint8_t *found)
{
    *kept = NULL;
    if (table->shape.value_bytes) BI_TRY(bi_hash_scratch(ctx, m, table->shape.value_bytes, kept));
    return look_up(ctx, table, queries, m, *kept, found);
}

static bosc_status find(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m, void *values,
                        uint8_t *found)
{
    struct bi_out to_values, to_found;
    bool staged = false;
    if (table->opts.value_size == 0) values = NULL;
    BI_TRY(bi_stage_in(ctx, queries, (size_t)m * (size_t)table->shape.key_bytes, &queries, &staged));
    BI_TRY(bi_stage_out(ctx, values, (size_t)m * (size_t)table->opts.value_size, &to_values, &staged));
    BI_TRY(bi_stage_out(ctx, found, (size_t)m, &to_found, &staged));
    if (values && keeps_more(table)) {
        void *kept;
        BI_TRY(look_up_kept(ctx, table, queries, m, &kept, to_found.reachable));
        struct bi_hash_unpack unpack = {bi_hash_kept_of(table, kept), to_values.reachable};
        BI_TRY(BI_HASH_STEP(ctx, unpack, m, &unpack));
    } else {
        BI_TRY(look_up(ctx, table, queries, m, to_values.reachable, to_found.reachable));
    }
    if (values) BI_TRY(bi_stage_back(ctx, &to_values));
    if (found) BI_TRY(bi_stage_back(ctx, &to_found));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_hash_find(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m, void *values,
                           uint8_t *found)
{
    BI_ENTER(ctx);
    BI_TRY(check_queries(ctx, table, queries, m));
    if (values)
        BI_TRY(bi_hash_check_array(ctx, "values", values, m, table->opts.value_size,
                                   bi_hash_alignment(table->opts.value_size)));
    BI_RETURN_WITH_SCRATCH(ctx, find(ctx, table, queries, m, values, found));
}

/* counts in reach: of pairs, or of values, of which a counted map has one for each key as others do */
static bosc_status count_in_reach(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m, bool of_values,
                                  int64_t *counts)
{
    uint8_t *found;
    void *kept;
    BI_TRY(bi_hash_scratch(ctx, m, 1, &found));
    BI_TRY(look_up_kept(ctx, table, queries, m, &kept, found));
    struct bi_hash_take_counts take = {bi_hash_kept_of(table, kept), found, counts, NULL};
    if (of_values) take.kept.counted = false;
    return BI_HASH_STEP(ctx, take_counts, m, &take);
}

static bosc_status count(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m, int64_t *counts)
{
    struct bi_out to;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, queries, (size_t)m * (size_t)table->shape.key_bytes, &queries, &staged));
    BI_TRY(bi_stage_out(ctx, counts, (size_t)m * sizeof *counts, &to, &staged));
    BI_TRY(count_in_reach(ctx, table, queries, m, false, to.reachable));
    BI_TRY(bi_stage_back(ctx, &to));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_hash_count(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m, int64_t *counts)
{
    BI_ENTER(ctx);
    BI_TRY(check_queries(ctx, table, queries, m));
    BI_TRY(bi_hash_check_array(ctx, "counts", counts, m, sizeof *counts, sizeof *counts));
    BI_RETURN_WITH_SCRATCH(ctx, count(ctx, table, queries, m, counts));
}

/* The counts of values, then 0: an exclusive scan of them is the offsets. */
static bosc_status make_offsets(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m, int64_t *offsets)
{
    struct bi_out to;
    bool staged = false;
    int64_t *counts;
    BI_TRY(bi_stage_out(ctx, offsets, ((size_t)m + 1) * sizeof *offsets, &to, &staged));
    BI_TRY(bi_hash_scratch(ctx, m + 1, sizeof *counts, &counts));
    BI_TRY(ctx->backend->fill(ctx, counts + m, 0, sizeof *counts));
    BI_TRY(count_in_reach(ctx, table, queries, m, true, counts));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, counts, m + 1, to.reachable));
    BI_TRY(bi_stage_back(ctx, &to));
    return ctx->backend->sync(ctx);
}

static bosc_status fetch(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m, const int64_t *offsets,
                         void *values, int64_t room)
{
    struct bi_out to;
    const void *reach;
    void *kept;
    bool staged = false;
    int64_t total;
    size_t value_size = (size_t)table->opts.value_size;
    BI_TRY(bi_stage_in(ctx, offsets, ((size_t)m + 1) * sizeof *offsets, &reach, &staged));
    BI_TRY(bi_read_back(ctx, &total, (const int64_t *)reach + m, sizeof total));
    if (total < 0) return bi_fail(ctx, BOSC_ERR_ARG, "offsets: the last one is %lld", (long long)total);
    if (total > room)
        return bi_fail(ctx, BOSC_ERR_SPACE, "room: %lld values, but there are %lld", (long long)room, (long long)total);
    if (total == 0 || m == 0 || value_size == 0) return BOSC_OK;
    BI_TRY(bi_stage_out(ctx, values, (size_t)total * value_size, &to, &staged));
    BI_TRY(look_up_kept(ctx, table, queries, m, &kept, NULL));
    struct bi_hash_fetch fetch = {.kept = bi_hash_kept_of(table, kept), .offsets = reach, .m = m, .out = to.reachable};
    BI_TRY(BI_HASH_STEP(ctx, fetch_values, total, &fetch));
    BI_TRY(bi_stage_back(ctx, &to));
    return ctx->backend->sync(ctx);
}

static bosc_status retrieve(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m, int64_t *offsets,
                            void *values, int64_t room)
{
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, queries, (size_t)m * (size_t)table->shape.key_bytes, &queries, &staged));
    if (!values) return make_offsets(ctx, table, queries, m, offsets);
    return fetch(ctx, table, queries, m, offsets, values, room);
}

bosc_status bosc_hash_retrieve(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m, int64_t *offsets,
                               void *values, int64_t room)
{
    BI_ENTER(ctx);
    BI_TRY(check_queries(ctx, table, queries, m));
    BI_TRY(bi_hash_check_array(ctx, "offsets", offsets, m + 1, sizeof *offsets, sizeof *offsets));
    if (room < 0) return bi_fail(ctx, BOSC_ERR_ARG, "room: %lld is less than 0", (long long)room);
    if (values)
        BI_TRY(bi_hash_check_array(ctx, "values", values, room, table->opts.value_size,
                                   bi_hash_alignment(table->opts.value_size)));
    BI_RETURN_WITH_SCRATCH(ctx, retrieve(ctx, table, queries, m, offsets, values, room));
}
