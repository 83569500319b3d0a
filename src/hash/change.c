/* Changes of tables: rehash, insert, erase. */
#include "core/call.h"
#include "hash/handle.h"

/* Rebuilds *table from pairs in new blocks, so that a failure leaves it unchanged. */
static bosc_status rebuild_table(bosc_ctx *ctx, bosc_hash *table, const bosc_hash_opts *opts,
                                 const struct bi_hash_input *in)
{
    bosc_hash next = *table;
    enum bi_hash_outcome outcome;
    for (int b = 0; b < BI_HASH_BLOCKS; b++) next.blocks[b] = (struct bi_block){0};
    next.opts = *opts;
    next.shape = bi_hash_shape_of(opts);
    bosc_status status = bi_hash_build_from(ctx, table, &next, in, &outcome);
    if (status == BOSC_OK) {
        bi_hash_drop_blocks(&next, table);
        bi_hash_replace(table, &next);
    } else {
        bi_hash_drop_blocks(table, &next);
    }
    return status;
}

/* Copies the used bytes of a table's blocks to scratch. The scratch suffices for any table of as many keys, so that
 * a rehash by another seed gets the same memory again. */
static bosc_status save_blocks(bosc_ctx *ctx, const bosc_hash *table, void *saved[BI_HASH_BLOCKS])
{
    size_t used[BI_HASH_BLOCKS], most[BI_HASH_BLOCKS] = {0};
    struct bi_hash_shape shape = table->shape;
    bi_hash_used_bytes(table, used);
    if (table->buckets) bi_hash_plan(table, table->keys, &shape, most);
    for (int b = 0; b < BI_HASH_BLOCKS; b++) {
        BI_TRY(bi_scratch(ctx, used[b] > most[b] ? used[b] : most[b], &saved[b]));
        if (used[b]) BI_TRY(ctx->backend->copy(ctx, saved[b], table->blocks[b].data, used[b]));
    }
    return BOSC_OK;
}

/* Copies them back. */
static bosc_status restore_blocks(bosc_ctx *ctx, const bosc_hash *table, void *const saved[BI_HASH_BLOCKS])
{
    size_t used[BI_HASH_BLOCKS];
    bi_hash_used_bytes(table, used);
    for (int b = 0; b < BI_HASH_BLOCKS; b++)
        if (used[b]) BI_TRY(ctx->backend->copy(ctx, table->blocks[b].data, saved[b], used[b]));
    return BOSC_OK;
}

static bosc_status rehash_table(bosc_ctx *ctx, bosc_hash *table, const bosc_hash_opts *opts)
{
    struct bi_hash_input in;
    void *saved[BI_HASH_BLOCKS];
    enum bi_hash_outcome outcome;
    bosc_hash next = *table;
    BI_TRY(bi_hash_list_input(ctx, table, NULL, 0, &in));
    BI_TRY(save_blocks(ctx, table, saved));
    in.pairs = table->pairs;
    next.opts = *opts;
    next.shape = bi_hash_shape_of(opts);
    bosc_status status = bi_hash_build_from(ctx, table, &next, &in, &outcome);
    if (status == BOSC_OK) {
        bi_hash_drop_blocks(&next, table);
        bi_hash_replace(table, &next);
        return BOSC_OK;
    }
    bi_hash_drop_blocks(table, &next);
    if (outcome != BI_HASH_UNTOUCHED && restore_blocks(ctx, table, saved) != BOSC_OK) bi_hash_set_empty(table);
    return status;
}

bosc_status bosc_hash_rehash(bosc_ctx *ctx, bosc_hash *table, double load_factor, uint64_t seed)
{
    bosc_hash_opts requested, full;
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_table(ctx, table));
    requested = table->opts;
    requested.seed = seed;
    if (load_factor != 0) requested.load_factor = load_factor;
    if (bi_hash_check_opts(ctx, &requested, &full) != BOSC_OK)
        return bi_fail(ctx, BOSC_ERR_ARG, "load_factor: %g is not one that this layout can have", load_factor);
    bi_progress_set_total(ctx, 16 * (double)table->pairs);
    BI_RETURN_WITH_SCRATCH(ctx, rehash_table(ctx, table, &full));
}

/* True for the tables that change in place. */
static bool is_bucketed_map(const bosc_hash *table)
{
    return table->layout == &bi_hash_bucketed_layout && table->opts.kind == BOSC_HASH_MAP;
}

/* Appends new pairs to those of the table, in the spare capacity of the input's arrays. */
static bosc_status append_pairs(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values, int64_t n,
                                struct bi_hash_input *in)
{
    size_t key_bytes = (size_t)table->shape.key_bytes, value_size = (size_t)table->opts.value_size;
    char *to_keys = (char *)(uintptr_t)in->keys + (size_t)in->n * key_bytes;
    BI_TRY(ctx->backend->copy(ctx, to_keys, keys, (size_t)n * key_bytes));
    if (value_size) {
        char *to_values = (char *)(uintptr_t)in->values + (size_t)in->n * value_size;
        BI_TRY(ctx->backend->copy(ctx, to_values, values, (size_t)n * value_size));
    }
    if (in->counts) {
        struct bi_hash_ones ones = {(uint32_t *)(uintptr_t)in->counts + in->n};
        BI_TRY(BI_HASH_STEP(ctx, ones, n, &ones));
    }
    in->n += n;
    in->pairs = table->pairs + n;
    return BOSC_OK;
}

/* Refills the partitions of a bucketed map that receive a key, in their own buckets. n > 0, and the table has buckets.
 * *outcome: UNTOUCHED if those do not suffice; else the pairs are inserted. Pairs of the table come before the new ones
 * of their key, and opts.duplicates decides between them; with BOSC_HASH_ERROR a repeated key fails in phase 2. A
 * failure before phase 4, or for lack of scratch, leaves the table unchanged; another one empties it. */
static bosc_status insert_in_place(bosc_ctx *ctx, bosc_hash *table, const void *keys, const void *values, int64_t n,
                                   enum bi_hash_outcome *outcome)
{
    int64_t partitions = (int64_t)1 << table->shape.partition_bits;
    struct bi_hash_input in;
    struct bi_hash_groups g;
    struct bi_hash_lists lists;
    uint32_t *touched, *over, is_over;
    void *sorted;
    bool staged = false, overwritten = false;
    *outcome = BI_HASH_UNTOUCHED;
    BI_TRY(bi_scratch_of(ctx, partitions, 4, &touched));
    BI_TRY(bi_scratch_of(ctx, 1, 4, &over));
    BI_TRY(ctx->backend->fill(ctx, touched, 0, (size_t)partitions * 4));
    BI_TRY(ctx->backend->fill(ctx, over, 0, 4));
    /* 1. Mark the partitions that receive keys. */
    struct bi_hash_touch touch = {NULL, table->shape.key_bits, table->shape.partition_bits, table->shape.seed, touched};
    BI_TRY(bi_stage_in(ctx, keys, (size_t)n * (size_t)table->shape.key_bytes, &touch.keys, &staged));
    BI_TRY(BI_HASH_STEP(ctx, touch, n, &touch));
    /* 2. List their pairs with the new ones, and group them by key. */
    BI_TRY(bi_hash_list_input(ctx, table, touched, n, &in));
    BI_TRY(append_pairs(ctx, table, touch.keys, values, n, &in));
    BI_TRY(bi_hash_sort(ctx, table->shape.key_bits, table->shape.seed, in.keys, in.n, false, NULL, 0, &g, &sorted));
    BI_TRY(bi_hash_reduce_groups(ctx, table, &in, sorted, &g));
    BI_TRY(bi_hash_lists_of(ctx, &table->shape, &g, &lists));
    /* 3. Check that the present buckets suffice. */
    struct bi_hash_capacity capacity = {table->blocks[BI_HASH_DESCRIPTORS].data, lists.starts, BI_HASH_MAX_LOAD_FACTOR,
                                        over};
    BI_TRY(BI_HASH_STEP(ctx, check_capacity, partitions, &capacity));
    BI_TRY(bi_read_back(ctx, &is_over, over, sizeof is_over));
    if (is_over) return BOSC_OK;
    /* 4. Refill, with distinct keys, and replace the figures of the touched partitions (`old`, only of these) by the
     * new ones: in place, the report counts the refilled partitions only. */
    lists.in_place = true;
    lists.overwritten = &overwritten;
    bosc_hash old = *table, next = *table;
    next.key_range.known = false;
    BI_TRY(bi_hash_recount(ctx, &old, touched));
    bosc_status status = bi_hash_fill_lists(ctx, &next, &lists, true, outcome); /* allocates before it writes */
    if (status == BOSC_OK) {
        next.keys = table->keys - in.old + g.count;
        next.pairs = table->opts.counted ? in.pairs : next.keys;
        next.extra_probes += table->extra_probes - old.extra_probes;
        next.reseeded += table->reseeded - old.reseeded;
        next.linear += table->linear - old.linear;
        bi_hash_replace(table, &next);
    } else if (status != BOSC_ERR_NOMEM || overwritten) {
        bi_hash_set_empty(table);
    }
    return status;
}

static bosc_status insert_pairs(bosc_ctx *ctx, bosc_hash *table, const void *keys, const void *values, int64_t n)
{
    struct bi_hash_input in;
    enum bi_hash_outcome outcome = BI_HASH_UNTOUCHED;
    if (is_bucketed_map(table) && table->buckets) {
        BI_TRY_WITH_SCRATCH(ctx, insert_in_place(ctx, table, keys, values, n, &outcome));
    }
    if (outcome != BI_HASH_UNTOUCHED) return BOSC_OK;
    BI_TRY(bi_hash_list_input(ctx, table, NULL, n, &in));
    BI_TRY(append_pairs(ctx, table, keys, values, n, &in));
    return rebuild_table(ctx, table, &table->opts, &in);
}

bosc_status bosc_hash_insert(bosc_ctx *ctx, bosc_hash *table, const void *keys, const void *values, int64_t n)
{
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_table(ctx, table));
    BI_TRY(bi_hash_check_pairs(ctx, table, keys, values, n));
    if (table->pairs + n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld pairs, and %lld are there; a table holds less than 2^32 - 1",
                       (long long)n, (long long)table->pairs);
    if (n == 0) return BOSC_OK;
    bi_progress_set_total(ctx, 18 * (double)(table->pairs + n));
    BI_RETURN_WITH_SCRATCH(ctx, insert_pairs(ctx, table, keys, values, n));
}

/* Clears the marked slots, and waits. Cancellation does not interrupt it, as it changes the table. */
static bosc_status clear_marked(bosc_ctx *ctx, int64_t words, const struct bi_hash_erase *e)
{
    BI_TRY_UNINTERRUPTIBLE(ctx, BI_HASH_STEP(ctx, clear_slots, words, e));
    return ctx->backend->sync(ctx);
}

/* Replaces the keys in a bucketed map, which is not empty, by fillers; the number of buckets stays. `keys` are in
 * reach, and may repeat or be absent. *erased: keys that were there, not their pairs. A failure before phase 2 leaves
 * the table unchanged; a later one empties it. */
static bosc_status erase_in_place(bosc_ctx *ctx, bosc_hash *table, const void *keys, int64_t n, int64_t *erased)
{
    int64_t words = (table->buckets * BOSC_HASH_WIDTH + 31) / 32, sums[3];
    struct bi_hash_erase e = {.view = bi_hash_view_of(table),
                              .keys = keys,
                              .buckets = table->buckets,
                              .table = table->blocks[BI_HASH_TABLE].data,
                              .value_size = table->opts.value_size,
                              .counted = table->opts.counted};
    uint64_t *result;
    BI_TRY(bi_scratch_of(ctx, words, 4, &e.bits));
    BI_TRY(bi_scratch_of(ctx, words, 8, &e.keys_gone));
    BI_TRY(bi_scratch_of(ctx, words, 8, &e.pairs_gone));
    BI_TRY(bi_scratch_of(ctx, words, 8, &e.seconds_gone));
    BI_TRY(bi_scratch_of(ctx, 3, 8, &result));
    BI_TRY(ctx->backend->fill(ctx, e.bits, 0, (size_t)words * 4));
    /* 1. Mark the slots of the keys, then count keys, pairs and second-bucket keys that go. */
    BI_TRY(BI_HASH_STEP(ctx, mark_slots, n, &e));
    BI_TRY(BI_HASH_STEP(ctx, count_gone, words, &e));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U64, e.keys_gone, words, &result[0]));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U64, e.pairs_gone, words, &result[1]));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U64, e.seconds_gone, words, &result[2]));
    BI_TRY(bi_read_back(ctx, sums, result, sizeof sums));
    /* 2. Clear the slots. */
    const bosc_status status = clear_marked(ctx, words, &e);
    if (status != BOSC_OK) {
        bi_hash_set_empty(table);
        return status;
    }
    table->keys -= sums[0];
    table->pairs -= sums[1];
    table->extra_probes -= sums[2];
    *erased = sums[0];
    return BOSC_OK;
}

/* Lists the pairs of a table whose keys are not in the set `gone`, in scratch. A map has one pair for each key, with
 * its count if the table is counted; a multimap has one for each value. in->old stays 0: only insertions use it. */
static bosc_status list_kept_pairs(bosc_ctx *ctx, const bosc_hash *table, const bosc_hash *gone,
                                   struct bi_hash_input *in)
{
    const struct bi_core_ops *core = ctx->backend->core;
    struct bi_hash_input all;
    uint8_t *keep;
    void *keys, *values, *counts = NULL;
    int64_t *count;
    BI_TRY(bi_hash_list_input(ctx, table, NULL, 0, &all));
    BI_TRY(bi_scratch_of(ctx, all.n, 1, &keep));
    BI_TRY(bi_scratch_of(ctx, all.n, table->shape.key_bytes, &keys));
    BI_TRY(bi_scratch_of(ctx, all.n, table->opts.value_size, &values));
    BI_TRY(bi_scratch_of(ctx, 1, 8, &count));
    /* 1. Flag the pairs that stay, and compact keys, values and counts by the flags. */
    struct bi_hash_invert invert = {keep};
    BI_TRY(gone->layout->find(ctx, gone, all.keys, all.n, NULL, keep)); /* no values; keep: 1 if the key is found */
    BI_TRY(BI_HASH_STEP(ctx, invert, all.n, &invert));
    BI_TRY(core->compact(ctx, (size_t)table->shape.key_bytes, all.keys, keep, all.n, keys, count));
    if (table->opts.value_size)
        BI_TRY(core->compact(ctx, (size_t)table->opts.value_size, all.values, keep, all.n, values, count));
    if (all.counts) {
        BI_TRY(bi_scratch_of(ctx, all.n, 4, &counts));
        BI_TRY(core->compact(ctx, 4, all.counts, keep, all.n, counts, count));
    }
    /* 2. Read back the number of keys and of pairs. */
    *in = (struct bi_hash_input){.keys = keys, .values = values, .counts = counts};
    BI_TRY(bi_read_back(ctx, &in->n, count, sizeof in->n));
    in->pairs = in->n;
    if (!counts || in->n == 0) return BOSC_OK;
    uint32_t sum;
    BI_TRY(core->reduce(ctx, BOSC_SUM, BOSC_U32, counts, in->n, count));
    BI_TRY(bi_read_back(ctx, &sum, count, sizeof sum));
    in->pairs = sum;
    return BOSC_OK;
}

/* Rebuilds a table of any other kind without the keys. */
static bosc_status erase_and_rebuild(bosc_ctx *ctx, bosc_hash *table, const void *keys, int64_t n, int64_t *erased)
{
    bosc_hash_opts set = {
        .size = sizeof set, .layout = BOSC_HASH_BUCKETED, .key_bits = table->opts.key_bits, .load_factor = 0.8};
    bosc_hash empty = {.ops = table->ops, .layout = &bi_hash_bucketed_layout, .memory = ctx->memory, .opts = set};
    empty.shape = bi_hash_shape_of(&set);
    bosc_hash gone = empty;
    struct bi_hash_input in = {.keys = keys, .n = n, .pairs = n};
    enum bi_hash_outcome outcome;
    int64_t old_keys = table->keys;
    bosc_status status = bi_hash_build_from(ctx, &empty, &gone, &in, &outcome);
    if (status == BOSC_OK) status = list_kept_pairs(ctx, table, &gone, &in);
    if (status == BOSC_OK) status = rebuild_table(ctx, table, &table->opts, &in);
    bi_hash_drop_blocks(&empty, &gone);
    if (status == BOSC_OK) *erased = old_keys - table->keys;
    return status;
}

static bosc_status erase_keys(bosc_ctx *ctx, bosc_hash *table, const void *keys, int64_t n, int64_t *erased)
{
    bool staged = false;
    *erased = 0;
    if (n == 0 || table->keys == 0) return BOSC_OK;
    BI_TRY(bi_stage_in(ctx, keys, (size_t)n * (size_t)table->shape.key_bytes, &keys, &staged));
    if (is_bucketed_map(table)) return erase_in_place(ctx, table, keys, n, erased);
    return erase_and_rebuild(ctx, table, keys, n, erased);
}

bosc_status bosc_hash_erase(bosc_ctx *ctx, bosc_hash *table, const void *keys, int64_t n, int64_t *erased)
{
    int64_t count = 0;
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_table(ctx, table));
    BI_TRY(bi_hash_check_n(ctx, "n", n));
    BI_TRY(
        bi_hash_check_array(ctx, "keys", keys, n, table->shape.key_bytes, bi_hash_key_alignment(table->opts.key_bits)));
    bi_progress_set_total(ctx, (double)(table->pairs + n));
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = erase_keys(ctx, table, keys, n, &count));
    if (status == BOSC_OK && erased) *erased = count;
    return status;
}
