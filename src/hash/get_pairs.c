/* Lists all pairs of a table: for the caller, or as the input of another build. */
#include "hash/drivers.h"

bosc_status bi_hash_list_stored(bosc_ctx *ctx, const bosc_hash *table, void **hashes, void **stored)
{
    BI_TRY(bi_scratch_of(ctx, table->keys, (size_t)table->shape.key_bytes, hashes));
    BI_TRY(bi_scratch_of(ctx, table->keys, (size_t)table->shape.value_bytes, stored));
    return table->layout->pairs(ctx, table, *hashes, *stored);
}

/* Computes the index of each key's first value in a multimap's values, listed key after key. */
static bosc_status value_offsets(bosc_ctx *ctx, const bosc_hash *table, const void *stored, int64_t **offsets)
{
    BI_TRY(bi_scratch_of(ctx, table->keys, sizeof **offsets, offsets));
    struct bi_hash_read_counts counts_args = {bi_hash_stored_of(table, stored), NULL, *offsets, NULL};
    BI_TRY(BI_HASH_STEP(ctx, read_counts, table->keys, &counts_args));
    return ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, *offsets, table->keys, *offsets);
}

/* Expands a multimap's keys and their values to pairs. */
static bosc_status expand_multimap(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *stored,
                                   struct bi_hash_input *in, void *values, void *out_keys)
{
    int64_t *offsets;
    BI_TRY(value_offsets(ctx, table, stored, &offsets));
    struct bi_hash_fetch fetch = {
        bi_hash_stored_of(table, stored), offsets, table->keys, values, keys, table->shape.key_bits, out_keys};
    in->n = in->pairs = table->pairs;
    return BI_HASH_STEP(ctx, fetch_values, table->pairs, &fetch);
}

/* Lists the hashes and stored bytes of the touched partitions, or of all. */
static bosc_status list_hashes(bosc_ctx *ctx, const bosc_hash *table, const uint32_t *touched, int64_t more,
                               int64_t *count, void **hashes, void **stored)
{
    uint32_t *begins;
    *count = table->keys;
    if (touched) BI_TRY(bi_hash_count_touched(ctx, table, touched, &begins, count));
    BI_TRY(bi_scratch_of(ctx, *count + more, table->shape.key_bytes, hashes));
    BI_TRY(bi_scratch_of(ctx, *count, table->shape.value_bytes, stored));
    if (*count == 0) return BOSC_OK;
    if (touched) return bi_hash_list_touched(ctx, table, touched, begins, *hashes, *stored);
    return table->layout->pairs(ctx, table, *hashes, *stored);
}

bosc_status bi_hash_list_input(bosc_ctx *ctx, const bosc_hash *table, const uint32_t *touched, int64_t more,
                               struct bi_hash_input *in)
{
    bool multimap = table->opts.kind == BOSC_HASH_MULTIMAP;
    int64_t count, n;
    void *keys, *all_keys, *stored, *values;
    uint32_t *counts = NULL;
    BI_TRY(list_hashes(ctx, table, touched, more, &count, &keys, &stored));
    all_keys = keys;
    n = multimap ? table->pairs : count;
    BI_TRY(bi_scratch_of(ctx, n + more, table->opts.value_size, &values));
    if (table->opts.counted) BI_TRY(bi_scratch_of(ctx, n + more, 4, &counts));
    if (multimap) BI_TRY(bi_scratch_of(ctx, n + more, table->shape.key_bytes, &all_keys));
    *in = (struct bi_hash_input){all_keys, values, counts, n, n, n};
    if (count == 0) return BOSC_OK;
    struct bi_hash_keys keys_of = {keys, table->shape.key_bits, table->shape.seed, keys};
    struct bi_hash_unpack unpack = {bi_hash_stored_of(table, stored), values};
    struct bi_hash_read_counts counts_args = {bi_hash_stored_of(table, stored), NULL, NULL, counts};
    BI_TRY(BI_HASH_STEP(ctx, keys_of, count, &keys_of));
    if (multimap) return expand_multimap(ctx, table, keys, stored, in, values, all_keys);
    if (table->opts.value_size) BI_TRY(BI_HASH_STEP(ctx, unpack, count, &unpack));
    return counts ? BI_HASH_STEP(ctx, read_counts, count, &counts_args) : BOSC_OK;
}

/* Allocates everything before it writes the caller's arrays, so that lack of memory leaves them unchanged. */
static bosc_status get_pairs(bosc_ctx *ctx, const bosc_hash *table, void *keys, void *values, int64_t *counts)
{
    bool multimap = table->opts.kind == BOSC_HASH_MULTIMAP, staged = false;
    int64_t n = table->keys, n_values = multimap ? table->pairs : n;
    struct bi_out to_keys, to_values, to_counts;
    void *hashes, *stored;
    int64_t *offsets = NULL;
    if (n == 0) return BOSC_OK;
    if (table->opts.value_size == 0) values = NULL;
    BI_TRY(bi_stage_out(ctx, keys, (size_t)n * (size_t)table->shape.key_bytes, &to_keys, &staged));
    BI_TRY(bi_stage_out(ctx, values, (size_t)n_values * (size_t)table->opts.value_size, &to_values, &staged));
    BI_TRY(bi_stage_out(ctx, counts, (size_t)n * sizeof *counts, &to_counts, &staged));
    BI_TRY(bi_hash_list_stored(ctx, table, &hashes, &stored));
    if (values && multimap) BI_TRY(value_offsets(ctx, table, stored, &offsets));
    struct bi_hash_keys keys_of = {hashes, table->shape.key_bits, table->shape.seed, to_keys.reachable};
    struct bi_hash_read_counts counts_args = {bi_hash_stored_of(table, stored), NULL, to_counts.reachable, NULL};
    struct bi_hash_unpack unpack = {bi_hash_stored_of(table, stored), to_values.reachable};
    struct bi_hash_fetch fetch = {
        .stored = bi_hash_stored_of(table, stored), .offsets = offsets, .rows = n, .out = to_values.reachable};
    /* Write the arrays that the caller wants. */
    if (keys) BI_TRY(BI_HASH_STEP(ctx, keys_of, n, &keys_of));
    if (counts) BI_TRY(BI_HASH_STEP(ctx, read_counts, n, &counts_args));
    if (values && multimap) BI_TRY(BI_HASH_STEP(ctx, fetch_values, n_values, &fetch));
    if (values && !multimap) BI_TRY(BI_HASH_STEP(ctx, unpack, n, &unpack));
    if (keys) BI_TRY(bi_stage_back(ctx, &to_keys));
    if (values) BI_TRY(bi_stage_back(ctx, &to_values));
    if (counts) BI_TRY(bi_stage_back(ctx, &to_counts));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_hash_get_pairs(bosc_ctx *ctx, const bosc_hash *table, void *keys, void *values, int64_t *counts)
{
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_table(ctx, table));
    int64_t value_size = table->opts.value_size;
    BI_TRY(bi_hash_check_array(ctx, "keys", keys, 0, 1, bi_hash_key_alignment(table->opts.key_bits)));
    BI_TRY(bi_hash_check_array(ctx, "values", values, 0, 1, bi_hash_alignment(value_size)));
    BI_TRY(bi_hash_check_array(ctx, "counts", counts, 0, 1, sizeof *counts));
    bi_progress_set_total(ctx, 3 * (double)table->pairs);
    BI_RETURN_WITH_SCRATCH(ctx, get_pairs(ctx, table, keys, values, counts));
}
