/* All pairs of a table: copied out for the caller, or as the input of another build. */
#include "hash/driver.h"

/* Keys (or NULL) and what is kept with them, in scratch. */
static bosc_status list(bosc_ctx *ctx, const bosc_hash *table, void *keys, void **kept)
{
    void *hashes;
    *kept = NULL;
    BI_TRY(bi_hash_scratch(ctx, table->keys, table->shape.key_bytes, &hashes));
    if (table->shape.value_bytes) BI_TRY(bi_hash_scratch(ctx, table->keys, table->shape.value_bytes, kept));
    BI_TRY(table->layout->pairs(ctx, table, hashes, *kept));
    struct bi_hash_keys keys_of = {hashes, table->shape.key_bits, table->shape.seed, keys};
    return keys ? BI_HASH_STEP(ctx, keys_of, table->keys, &keys_of) : BOSC_OK;
}

/* Of a multimap: values grouped as the keys stand in *kept. The counts and a 0 are scanned to offsets (keys + 1). */
static bosc_status group_values(bosc_ctx *ctx, const bosc_hash *table, const void *kept, int64_t *counts, void *values)
{
    int64_t *offsets;
    BI_TRY(bi_hash_scratch(ctx, table->keys + 1, sizeof *offsets, &offsets));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, counts, table->keys, offsets));
    struct bi_hash_fetch fetch = {bi_hash_kept_of(table, kept), offsets, table->keys, values};
    return BI_HASH_STEP(ctx, fetch_values, table->pairs, &fetch);
}

static bosc_status get_pairs(bosc_ctx *ctx, const bosc_hash *table, void *keys, void *values, int64_t *counts)
{
    bool multimap = table->opts.kind == BOSC_HASH_MULTIMAP, staged = false;
    int64_t n = table->keys, n_values = multimap ? table->pairs : n;
    struct bi_out to_keys, to_values, to_counts;
    void *kept;
    if (n == 0) return BOSC_OK;
    if (table->opts.value_size == 0) values = NULL;
    BI_TRY(bi_stage_out(ctx, keys, (size_t)n * (size_t)table->shape.key_bytes, &to_keys, &staged));
    BI_TRY(bi_stage_out(ctx, values, (size_t)n_values * (size_t)table->opts.value_size, &to_values, &staged));
    BI_TRY(bi_stage_out(ctx, counts, (size_t)n * sizeof *counts, &to_counts, &staged));
    BI_TRY(list(ctx, table, keys ? to_keys.reachable : NULL, &kept));
    if (!counts) BI_TRY(bi_hash_scratch(ctx, n, sizeof *counts, &to_counts.reachable));
    struct bi_hash_take_counts take = {bi_hash_kept_of(table, kept), NULL, to_counts.reachable};
    struct bi_hash_unpack unpack = {bi_hash_kept_of(table, kept), to_values.reachable};
    if (counts || multimap) BI_TRY(BI_HASH_STEP(ctx, take_counts, n, &take));
    if (values && multimap) BI_TRY(group_values(ctx, table, kept, to_counts.reachable, to_values.reachable));
    if (values && !multimap) BI_TRY(BI_HASH_STEP(ctx, unpack, n, &unpack));
    if (keys) BI_TRY(bi_stage_back(ctx, &to_keys));
    if (values) BI_TRY(bi_stage_back(ctx, &to_values));
    if (counts) BI_TRY(bi_stage_back(ctx, &to_counts));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_hash_get_pairs(bosc_ctx *ctx, const bosc_hash *table, void *keys, void *values, int64_t *counts)
{
    if (!ctx) return BOSC_ERR_ARG;
    bi_begin(ctx);
    BI_TRY(bi_hash_check_table(ctx, table));
    int64_t value_size = table->opts.value_size;
    BI_TRY(bi_hash_check_array(ctx, "keys", keys, 0, 1, table->opts.key_bits == 32 ? 4 : 8));
    BI_TRY(bi_hash_check_array(ctx, "values", values, 0, 1, bi_hash_alignment(value_size)));
    BI_TRY(bi_hash_check_array(ctx, "counts", counts, 0, 1, sizeof *counts));
    struct bi_mark mark = bi_arena_mark(ctx);
    bosc_status status = get_pairs(ctx, table, keys, values, counts);
    bi_arena_rewind(ctx, mark);
    return status;
}
