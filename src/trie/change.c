/* Insertions and erasures: the keys of a second trie are merged from those of the first and the rows; it gets nodes,
 * and replaces the first once it is complete. */
#include "core/call.h"
#include "trie/drivers.h"

static bosc_trie create_next(const bosc_trie *trie)
{
    return (bosc_trie){
        .memory = trie->memory, .host = trie->host, .opts = trie->opts, .shape = trie->shape, .rows = trie->rows};
}

/* Replaces the trie by the next one on success, and frees the other. */
static bosc_status replace_on_success(bosc_trie *trie, bosc_trie *next, bosc_status status)
{
    bosc_trie spare = status == BOSC_OK ? *trie : *next;
    if (status == BOSC_OK) *trie = *next;
    bi_trie_free_blocks(&spare);
    return status;
}

/* Sorts the distinct new keys into scratch. */
static bosc_status sort_fresh(bosc_ctx *ctx, const bosc_trie *trie, struct bi_trie_input *input,
                              struct bi_trie_sorted *fresh)
{
    struct bi_trie_order order;
    BI_TRY(bi_trie_stage_input(ctx, trie, input));
    BI_TRY(bi_trie_sort_rows(ctx, &trie->shape, &input->rows, trie->opts.layout == BOSC_TRIE_PUBLISHED, &order));
    BI_TRY(bi_scratch_of(ctx, order.count, (size_t)trie->shape.letters.words * 8, &fresh->keys));
    BI_TRY(bi_scratch_of(ctx, order.count, (size_t)trie->opts.value_bits / 8, &fresh->values));
    BI_TRY(bi_scratch_of(ctx, order.count, 4, &fresh->counts));
    fresh->count = order.count;
    return bi_trie_gather_keys(ctx, trie, &order, input->values, trie->rows, fresh);
}

static bosc_status merge_keys(bosc_ctx *ctx, const bosc_trie *trie, const struct bi_trie_sorted *fresh, bosc_trie *next)
{
    struct bi_trie_merge a = {.view = bi_trie_view_of(trie),
                              .old = bi_trie_sorted_of(trie),
                              .fresh = *fresh,
                              .words = trie->shape.letters.words,
                              .value_bits = trie->opts.value_bits,
                              .last = trie->opts.duplicates == BOSC_TRIE_LAST};
    int64_t n = fresh->count;
    uint32_t new_before;
    BI_TRY(bi_scratch_of(ctx, n, 4, &a.at));
    BI_TRY(bi_scratch_of(ctx, n, 1, &a.is_old));
    BI_TRY(bi_scratch_of(ctx, n + 1, 4, &a.new_before));
    BI_TRY(BI_TRIE_STEP(ctx, trie_locate_new, n + 1, &a));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, a.new_before, n + 1, a.new_before));
    BI_TRY(bi_read_back(ctx, &new_before, a.new_before + n, sizeof new_before));
    if (trie->keys + new_before > INT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld keys and %lld new ones; a trie holds less than 2^31",
                       (long long)trie->keys, (long long)new_before);
    BI_TRY(bi_trie_reserve_keys(ctx, next, trie->keys + new_before, &a.merged));
    BI_TRY(BI_TRIE_STEP(ctx, trie_merge_old, trie->keys, &a));
    BI_TRY(BI_TRIE_STEP(ctx, trie_merge_new, n, &a));
    next->keys = trie->keys + new_before;
    return BOSC_OK;
}

static bosc_status insert_rows(bosc_ctx *ctx, const bosc_trie *trie, struct bi_trie_input *input, bosc_trie *next)
{
    struct bi_trie_sorted fresh;
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(sort_fresh(ctx, trie, input, &fresh));
    BI_TRY(merge_keys(ctx, trie, &fresh, next));
    bi_arena_rewind(ctx, mark);
    BI_TRY(bi_trie_build_nodes(ctx, next));
    next->rows += input->rows.n;
    return ctx->backend->sync(ctx);
}

bosc_status bosc_trie_insert(bosc_ctx *ctx, bosc_trie *trie, const uint64_t *keys, const void *values, int64_t n,
                             int64_t stride)
{
    struct bi_trie_input input;
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check_input(ctx, trie, keys, values, n, stride, &input));
    if (n > INT32_MAX || n >= (int64_t)UINT32_MAX - trie->rows)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld rows after %lld; a trie gets less than 2^32 - 1, and 2^31 at once",
                       (long long)n, (long long)trie->rows);
    if (n == 0) return BOSC_OK;
    bi_progress_set_total(ctx, 110 * (double)(n + trie->keys));
    bosc_trie next = create_next(trie);
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = insert_rows(ctx, trie, &input, &next));
    return replace_on_success(trie, &next, status);
}

/* Copies the keys that equal no query to the next trie, and builds its nodes. An erased key goes with all its rows,
 * whatever its count. Neither the trie nor the queries are empty; the next trie may be. The call always waits, so it
 * does not read `staged`. The caller frees `next` on failure. */
static bosc_status erase_keys(bosc_ctx *ctx, const bosc_trie *trie, const struct bi_trie_rows *queries, bosc_trie *next)
{
    struct bi_trie_erase a = {.view = bi_trie_view_of(trie),
                              .queries = *queries,
                              .old = bi_trie_sorted_of(trie),
                              .words = trie->shape.letters.words,
                              .value_bits = trie->opts.value_bits};
    bool staged = false;
    int64_t *kept_count;
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_trie_stage_rows(ctx, &trie->shape, &a.queries, &staged));
    BI_TRY(bi_scratch_of(ctx, trie->keys, 4, &a.erased));
    BI_TRY(bi_scratch_of(ctx, trie->keys, 1, &a.remains));
    BI_TRY(bi_scratch_of(ctx, trie->keys, 4, &a.indices));
    BI_TRY(bi_scratch_of(ctx, 1, 8, &kept_count));
    /* 1. Mark the keys found; list the remaining ones. trie_flag_remaining sets a.indices to 0, 1, ... */
    BI_TRY(ctx->backend->fill(ctx, a.erased, 0, (size_t)trie->keys * 4));
    BI_TRY(BI_TRIE_STEP(ctx, trie_mark_erased, a.queries.n, &a));
    BI_TRY(BI_TRIE_STEP(ctx, trie_flag_remaining, trie->keys, &a));
    uint32_t *remaining;
    BI_TRY(bi_scratch_of(ctx, trie->keys, 4, &remaining));
    BI_TRY(ctx->backend->core->compact(ctx, 4, a.indices, a.remains, trie->keys, remaining, kept_count));
    BI_TRY(bi_read_back(ctx, &next->keys, kept_count, sizeof next->keys));
    /* 2. Copy them, and build nodes. */
    BI_TRY(bi_trie_reserve_keys(ctx, next, next->keys, &a.remaining));
    a.indices = remaining;
    BI_TRY(BI_TRIE_STEP(ctx, trie_copy_remaining, next->keys, &a));
    bi_arena_rewind(ctx, mark);
    BI_TRY(bi_trie_build_nodes(ctx, next));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_trie_erase(bosc_ctx *ctx, bosc_trie *trie, const uint64_t *keys, int64_t n, int64_t stride,
                            int64_t *erased)
{
    struct bi_trie_rows rows;
    bosc_status status = BOSC_OK;
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check(ctx, trie));
    BI_TRY(bi_trie_check_rows(ctx, &trie->shape, "keys", keys, "n", n, stride, &rows));
    bi_progress_set_total(ctx, 50 * (double)(n + trie->keys));
    int64_t before = trie->keys;
    if (n > 0 && before > 0) {
        bosc_trie next = create_next(trie);
        BI_WITH_SCRATCH(ctx, status = erase_keys(ctx, trie, &rows, &next));
        status = replace_on_success(trie, &next, status);
    }
    if (status == BOSC_OK && erased) *erased = before - trie->keys;
    return status;
}
