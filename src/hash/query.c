/* Queries: find, count, retrieve; lists of all pairs, for the caller or as the input of another build. */
#include "hash/query.h"

#include "core/csr.h"
#include "hash/handle.h"

/* True if a table stores more with a key than its value. */
static bool stores_more(const bosc_hash *table)
{
    return table->opts.kind == BOSC_HASH_MULTIMAP || table->opts.counted;
}

static bosc_status check_queries(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count)
{
    BI_TRY(bi_hash_check_table(ctx, table));
    if (query_count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "query_count: %lld is less than 0", (long long)query_count);
    return bi_hash_check_array(ctx, "queries", queries, query_count, table->shape.key_bytes,
                               bi_hash_key_alignment(table->opts.key_bits));
}

static bosc_status look_up(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                           void *values, uint8_t *found)
{
    if (query_count == 0) return BOSC_OK;
    if (table->buckets) return table->layout->find(ctx, table, queries, query_count, values, found);
    if (values) BI_TRY(ctx->backend->fill(ctx, values, 0, (size_t)query_count * (size_t)table->shape.value_bytes));
    return found ? ctx->backend->fill(ctx, found, 0, (size_t)query_count) : BOSC_OK;
}

/* Looks up the bytes that the table stores with each key, in scratch. */
static bosc_status look_up_stored(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                                  void **stored, uint8_t *found)
{
    BI_TRY(bi_scratch_of(ctx, query_count, (size_t)table->shape.value_bytes, stored));
    return look_up(ctx, table, queries, query_count, *stored, found);
}

static bosc_status find_reached(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                                void *values, uint8_t *found)
{
    void *stored;
    if (!values || table->opts.value_size == 0) return look_up(ctx, table, queries, query_count, NULL, found);
    if (!stores_more(table)) return look_up(ctx, table, queries, query_count, values, found);
    BI_TRY(look_up_stored(ctx, table, queries, query_count, &stored, found));
    struct bi_hash_unpack unpack = {bi_hash_stored_of(table, stored), values};
    return BI_HASH_STEP(ctx, unpack, query_count, &unpack);
}

bosc_status bi_hash_find_reached(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                                 void *values, uint8_t *found)
{
    BI_TRY(bi_hash_check_table(ctx, table));
    BI_RETURN_WITH_SCRATCH(ctx, find_reached(ctx, table, queries, query_count, values, found));
}

static bosc_status find_values(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                               void *values, uint8_t *found)
{
    struct bi_out to_values, to_found;
    bool staged = false;
    if (table->opts.value_size == 0) values = NULL;
    BI_TRY(bi_stage_in(ctx, queries, (size_t)query_count * (size_t)table->shape.key_bytes, &queries, &staged));
    BI_TRY(bi_stage_out(ctx, values, (size_t)query_count * (size_t)table->opts.value_size, &to_values, &staged));
    BI_TRY(bi_stage_out(ctx, found, (size_t)query_count, &to_found, &staged));
    BI_TRY(find_reached(ctx, table, queries, query_count, to_values.reachable, to_found.reachable));
    if (values) BI_TRY(bi_stage_back(ctx, &to_values));
    if (found) BI_TRY(bi_stage_back(ctx, &to_found));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_hash_find(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                           void *values, uint8_t *found)
{
    BI_ENTER(ctx);
    BI_TRY(check_queries(ctx, table, queries, query_count));
    if (values)
        BI_TRY(bi_hash_check_array(ctx, "values", values, query_count, table->opts.value_size,
                                   bi_hash_alignment(table->opts.value_size)));
    bi_progress_set_total(ctx, 8 * (double)query_count);
    BI_RETURN_WITH_SCRATCH(ctx, find_values(ctx, table, queries, query_count, values, found));
}

static bosc_status count_reached(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                                 int64_t *counts)
{
    uint8_t *found;
    void *stored;
    BI_TRY(bi_scratch_of(ctx, query_count, sizeof *found, &found));
    BI_TRY(look_up_stored(ctx, table, queries, query_count, &stored, found));
    struct bi_hash_read_counts counts_args = {bi_hash_stored_of(table, stored), found, counts, NULL};
    return BI_HASH_STEP(ctx, read_counts, query_count, &counts_args);
}

bosc_status bi_hash_count_reached(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                                  int64_t *counts)
{
    BI_TRY(bi_hash_check_table(ctx, table));
    BI_RETURN_WITH_SCRATCH(ctx, count_reached(ctx, table, queries, query_count, counts));
}

static bosc_status count_values(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                                int64_t *counts)
{
    struct bi_out to;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, queries, (size_t)query_count * (size_t)table->shape.key_bytes, &queries, &staged));
    BI_TRY(bi_stage_out(ctx, counts, (size_t)query_count * sizeof *counts, &to, &staged));
    BI_TRY(count_reached(ctx, table, queries, query_count, to.reachable));
    BI_TRY(bi_stage_back(ctx, &to));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_hash_count(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                            int64_t *counts)
{
    BI_ENTER(ctx);
    BI_TRY(check_queries(ctx, table, queries, query_count));
    BI_TRY(bi_hash_check_array(ctx, "counts", counts, query_count, sizeof *counts, sizeof *counts));
    bi_progress_set_total(ctx, 9 * (double)query_count);
    BI_RETURN_WITH_SCRATCH(ctx, count_values(ctx, table, queries, query_count, counts));
}

struct retrieval {
    const bosc_hash *table;
    const void *queries; /* in reach of the backend */
    int64_t query_count;
    /* Result of the look-ups. */
    uint8_t *found;
    struct bi_hash_stored stored; /* with `counted` off: a counted map too has one value a key */
};

static bosc_status look_up_answers(bosc_ctx *ctx, struct retrieval *r)
{
    void *stored;
    BI_TRY(bi_scratch_of(ctx, r->query_count, sizeof *r->found, &r->found));
    BI_TRY(look_up_stored(ctx, r->table, r->queries, r->query_count, &stored, r->found));
    r->stored = bi_hash_stored_of(r->table, stored);
    r->stored.counted = false;
    return BOSC_OK;
}

static bosc_status count_answers(bosc_ctx *ctx, void *query, int64_t *counts)
{
    struct retrieval *r = query;
    BI_TRY(look_up_answers(ctx, r));
    struct bi_hash_read_counts counts_args = {r->stored, r->found, counts, NULL};
    return BI_HASH_STEP(ctx, read_counts, r->query_count, &counts_args);
}

static bosc_status fetch_answers(bosc_ctx *ctx, void *query, const struct bi_csr_rows *to)
{
    struct retrieval *r = query;
    BI_TRY(look_up_answers(ctx, r));
    struct bi_hash_check_rows check = {r->stored, r->found, to->offsets, to->bad};
    struct bi_hash_fetch fetch = {.stored = r->stored, .offsets = to->offsets, .rows = to->rows, .out = to->columns[0]};
    BI_TRY(BI_HASH_STEP(ctx, check_rows, to->rows, &check));
    return r->table->opts.value_size ? BI_HASH_STEP(ctx, fetch_values, to->total, &fetch) : BOSC_OK;
}

static bosc_status retrieve_values(bosc_ctx *ctx, struct retrieval *r, int64_t *offsets, void *values, int64_t capacity)
{
    struct bi_csr_column columns[BI_CSR_COLUMNS] = {{values, (size_t)r->table->opts.value_size}};
    bool staged = false;
    size_t bytes = (size_t)r->query_count * (size_t)r->table->shape.key_bytes;
    BI_TRY(bi_stage_in(ctx, r->queries, bytes, &r->queries, &staged));
    if (!values) return bi_csr_offsets(ctx, r->query_count, count_answers, r, offsets);
    return bi_csr_fill(ctx, r->query_count, offsets, capacity, columns, fetch_answers, r);
}

bosc_status bosc_hash_retrieve(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                               int64_t *offsets, void *values, int64_t capacity)
{
    struct retrieval r = {.table = table, .queries = queries, .query_count = query_count};
    BI_ENTER(ctx);
    BI_TRY(check_queries(ctx, table, queries, query_count));
    BI_TRY(bi_csr_check(ctx, query_count, offsets, values != NULL, capacity));
    if (values)
        BI_TRY(bi_hash_check_array(ctx, "values", values, capacity, table->opts.value_size,
                                   bi_hash_alignment(table->opts.value_size)));
    bi_progress_set_total(ctx, 10 * (double)query_count);
    BI_RETURN_WITH_SCRATCH(ctx, retrieve_values(ctx, &r, offsets, values, capacity));
}

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
    *in = (struct bi_hash_input){.keys = all_keys, .values = values, .counts = counts, .n = n, .old = n, .pairs = n};
    if (count == 0) return BOSC_OK;
    struct bi_hash_keys keys_of = {keys, table->shape.key_bits, table->shape.seed, keys};
    struct bi_hash_unpack unpack = {bi_hash_stored_of(table, stored), values};
    struct bi_hash_read_counts counts_args = {bi_hash_stored_of(table, stored), NULL, NULL, counts};
    BI_TRY(BI_HASH_STEP(ctx, keys_of, count, &keys_of));
    if (multimap) return expand_multimap(ctx, table, keys, stored, in, values, all_keys);
    if (table->opts.value_size) BI_TRY(BI_HASH_STEP(ctx, unpack, count, &unpack));
    return counts ? BI_HASH_STEP(ctx, read_counts, count, &counts_args) : BOSC_OK;
}

/* counts: the number of pairs of each key. Any array may be NULL. Without keys nothing is written. A multimap's values
 * follow key after key: table->pairs in all. Allocates everything before it writes the caller's arrays, so that lack of
 * memory leaves them unchanged. */
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
