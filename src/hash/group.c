/* Groups the pairs by key: a stable sort of the hashes with their rows keeps equal keys in the order of the input; the
 * first of each group is its head. The options of the table decide how a group is reduced to one pair.
 * bosc_hash_unique numbers the groups by their first rows. Where a backend numbers few keys without a sort, the hashes
 * of the distinct keys alone are sorted, or none. */
#include "base/bits.h"
#include "hash/handle.h"

/* Sorts rows by one half of their hashes. */
static bosc_status sort_half(bosc_ctx *ctx, const void *keys, int32_t half, uint64_t seed, int64_t n,
                             const uint32_t *rows, uint32_t *to)
{
    void *in, *out;
    BI_TRY(bi_scratch_of(ctx, n, 8, &in));
    BI_TRY(bi_scratch_of(ctx, n, 8, &out));
    struct bi_hash_rows hash = {keys, rows, 128, half, seed, in};
    BI_TRY(BI_HASH_STEP(ctx, hash_rows, n, &hash));
    return ctx->backend->core->sort_pairs(ctx, BOSC_U64, in, 4, rows, n, out, to, 0, 64);
}

/* Finds out whether many hashes ascend already, as those of equal keys do; a sample declines most others. */
static bosc_status check_order(bosc_ctx *ctx, const void *hashes, int32_t key_bits, int64_t n, bool *ascend)
{
    /* Fewer rows are sorted in little more than the check of a sample takes: an estimate. */
    enum { SAMPLE = 1 << 10, LEAST_ROWS = 1 << 20 };
    struct bi_hash_order order = {.hashes = hashes, .n = n, .step = n / SAMPLE, .key_bits = key_bits};
    uint32_t descents = 0;
    *ascend = false;
    if (n < LEAST_ROWS) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *order.descents, &order.descents));
    BI_TRY(ctx->backend->fill(ctx, order.descents, 0, sizeof *order.descents));
    BI_TRY(BI_HASH_STEP(ctx, check_order, SAMPLE, &order));
    BI_TRY(bi_read_back(ctx, &descents, order.descents, sizeof descents));
    if (descents) return BOSC_OK;
    order.step = 1;
    BI_TRY(BI_HASH_STEP(ctx, check_order, n, &order));
    BI_TRY(bi_read_back(ctx, &descents, order.descents, sizeof descents));
    *ascend = !descents;
    return BOSC_OK;
}

/* Sorts the hashes of keys of up to 64 bits with items of 4 or 8 bytes. */
static bosc_status sort_items(bosc_ctx *ctx, int32_t key_bits, uint64_t seed, const void *keys, int64_t n,
                              bool may_ascend, const void *items, int32_t item_size, void *items_out, void *sorted)
{
    struct bi_hash_rows hash = {keys, NULL, key_bits, BI_HASH_WHOLE, seed, NULL};
    bool ascend = false;
    BI_TRY(bi_scratch_of(ctx, n, key_bits / 8, &hash.out));
    BI_TRY(BI_HASH_STEP(ctx, hash_rows, n, &hash));
    if (may_ascend) BI_TRY(check_order(ctx, hash.out, key_bits, n, &ascend));
    return ctx->backend->core->sort_pairs(ctx, key_bits == 32 ? BOSC_U32 : BOSC_U64, hash.out, (size_t)item_size, items,
                                          n, sorted, items_out, 0, ascend ? 0 : key_bits);
}

/* Sorts the hashes of keys with the rows. numbers: 0, 1, 2, ... */
static bosc_status sort_rows(bosc_ctx *ctx, int32_t key_bits, uint64_t seed, const void *keys, int64_t n,
                             bool may_ascend, const uint32_t *numbers, uint32_t *rows, void *sorted)
{
    uint32_t *by_low;
    if (key_bits != 128) return sort_items(ctx, key_bits, seed, keys, n, may_ascend, numbers, 4, rows, sorted);
    BI_TRY(bi_scratch_of(ctx, n, 4, &by_low));
    BI_TRY(sort_half(ctx, keys, BI_HASH_LOW, seed, n, numbers, by_low));
    BI_TRY(sort_half(ctx, keys, BI_HASH_HIGH, seed, n, by_low, rows));
    struct bi_hash_rows hash = {keys, rows, key_bits, BI_HASH_WHOLE, seed, sorted};
    return BI_HASH_STEP(ctx, hash_rows, n, &hash);
}

/* Numbers the distinct keys, if the backend can do so without a sort. */
static bosc_status number_keys(bosc_ctx *ctx, int32_t key_bits, const void *keys, int64_t n,
                               enum bi_hash_numbered requested, struct bi_hash_numbering *found, bool *numbered)
{
    *numbered = false;
    if (!ctx->ops->hash->number_keys) return BOSC_OK;
    return ctx->ops->hash->number_keys(ctx, key_bits, keys, n, requested, found, numbered);
}

/* The same if half the rows or more repeat a key. A sample of the first rows declines most others at little cost. */
static bosc_status number_repeats(bosc_ctx *ctx, int32_t key_bits, const void *keys, int64_t n,
                                  enum bi_hash_numbered requested, struct bi_hash_numbering *found, bool *numbered)
{
    enum { SAMPLE_SHARE = 16 /* rows a sampled row; not measured */ };
    const int64_t sampled = n / SAMPLE_SHARE;
    BI_TRY_WITH_SCRATCH(ctx, number_keys(ctx, key_bits, keys, sampled, BI_HASH_FIRST_ROWS, found, numbered));
    if (sampled && (!*numbered || found->count > sampled / 2 + 1)) {
        *numbered = false;
        return BOSC_OK;
    }
    BI_TRY(number_keys(ctx, key_bits, keys, n, requested, found, numbered));
    *numbered = *numbered && found->count <= n / 2;
    return BOSC_OK;
}

/* As sort_rows, by ranks of few keys: sorts their hashes, then the rows by the ranks. *sorted_rows: false, with
 * nothing written, if keys are many. */
static bosc_status sort_by_ranks(bosc_ctx *ctx, int32_t key_bits, uint64_t seed, const void *keys, int64_t n,
                                 const uint32_t *numbers, uint32_t *rows, void *sorted, bool *sorted_rows)
{
    struct bi_hash_numbering found;
    uint32_t *order;
    void *hashes;
    BI_TRY(number_repeats(ctx, key_bits, keys, n, BI_HASH_ROW_NUMBERS, &found, sorted_rows));
    if (!*sorted_rows) return BOSC_OK;
    const int bits = found.count > 1 ? bi_bit_length((uint64_t)found.count - 1) : 1;
    /* 1. Sort the distinct keys. */
    struct bi_hash_ranks a = {.numbers = found.numbers, .key_bits = key_bits, .sorted = sorted};
    BI_TRY(bi_scratch_of(ctx, found.count, 4, &order));
    BI_TRY(bi_scratch_of(ctx, found.count, key_bits / 8, &hashes));
    BI_TRY(bi_scratch_of(ctx, found.count, 4, &a.ranks));
    BI_TRY(bi_scratch_of(ctx, n, 4, &a.row_ranks));
    BI_TRY_WITH_SCRATCH(ctx, sort_rows(ctx, key_bits, seed, found.keys, found.count, false, numbers, order, hashes));
    a.order = order, a.hashes = hashes;
    /* 2. Sort the rows by the ranks of their keys. */
    BI_TRY(BI_HASH_STEP(ctx, rank_numbers, found.count, &a));
    BI_TRY(BI_HASH_STEP(ctx, rank_rows, n, &a));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U32, a.row_ranks, 4, numbers, n, a.row_ranks, rows, 0, bits));
    return BI_HASH_STEP(ctx, hash_ranks, n, &a);
}

bosc_status bi_hash_sort(bosc_ctx *ctx, int32_t key_bits, uint64_t seed, const void *keys, int64_t n, bool may_ascend,
                         const void *values, int32_t value_size, struct bi_hash_groups *g, void **sorted)
{
    const bool carries = values && key_bits <= 64 && (value_size == 4 || value_size == 8);
    bool sorted_rows;
    uint32_t *rows;
    int64_t *count;
    *g = (struct bi_hash_groups){0};
    BI_TRY(bi_scratch_of(ctx, n, 4, &g->numbers));
    BI_TRY(bi_scratch_of(ctx, n, 4, &rows));
    BI_TRY(bi_scratch_of(ctx, n, 4, &g->group_begins));
    BI_TRY(bi_scratch_of(ctx, n, 1, &g->heads));
    BI_TRY(bi_scratch_of(ctx, n, key_bits / 8, sorted));
    BI_TRY(bi_scratch_of(ctx, 1, 8, &count));
    g->rows = rows;
    if (n == 0) return BOSC_OK;
    /* 1. Sort: by ranks where keys are few, else with the values, else with the rows. */
    BI_TRY(ctx->backend->core->iota(ctx, 4, g->numbers, n));
    BI_TRY_WITH_SCRATCH(ctx, sort_by_ranks(ctx, key_bits, seed, keys, n, g->numbers, rows, *sorted, &sorted_rows));
    if (!sorted_rows && carries) {
        BI_TRY(bi_scratch_of(ctx, n, (size_t)value_size, &g->carried));
        BI_TRY_WITH_SCRATCH(
            ctx, sort_items(ctx, key_bits, seed, keys, n, may_ascend, values, value_size, g->carried, *sorted));
        g->rows = NULL;
    } else if (!sorted_rows) {
        BI_TRY_WITH_SCRATCH(ctx, sort_rows(ctx, key_bits, seed, keys, n, may_ascend, g->numbers, rows, *sorted));
    }
    /* 2. Find the groups. */
    struct bi_hash_heads heads = {*sorted, key_bits, g->heads};
    BI_TRY(BI_HASH_STEP(ctx, mark_heads, n, &heads));
    BI_TRY(ctx->backend->core->compact(ctx, 4, g->numbers, g->heads, n, g->group_begins, count));
    return bi_read_back(ctx, &g->count, count, sizeof g->count);
}

static bosc_status refuse_repeat(bosc_ctx *ctx, const struct bi_hash_input *in, const struct bi_hash_groups *g)
{
    int64_t *bad, row = INT64_MAX;
    BI_TRY(bi_scratch_of(ctx, 1, 8, &bad));
    struct bi_hash_repeat repeat = {g->heads, g->rows, bad};
    BI_TRY(ctx->backend->copy(ctx, bad, &row, sizeof row));
    BI_TRY(BI_HASH_STEP(ctx, first_repeat, in->n, &repeat));
    BI_TRY(bi_read_back(ctx, &row, bad, sizeof row));
    return bi_fail(ctx, BOSC_ERR_DATA, "keys: row %lld is a key that came before", (long long)(row - in->old));
}

/* Computes the running sums or minima of items within their groups. */
static bosc_status scan_groups(bosc_ctx *ctx, const struct bi_hash_input *in, const struct bi_hash_groups *g,
                               bosc_op op, bosc_dtype dtype, const void *items, const void **running)
{
    void *gathered, *out;
    int32_t size = (int32_t)bosc_dtype_size(dtype);
    BI_TRY(bi_scratch_of(ctx, in->n, size, &gathered));
    BI_TRY(bi_scratch_of(ctx, in->n, size, &out));
    struct bi_hash_gather gather = {items, g->rows, size, gathered};
    BI_TRY(BI_HASH_STEP(ctx, gather, in->n, &gather));
    *running = out;
    return ctx->backend->core->scan_segmented(ctx, op, BOSC_INCLUSIVE, dtype, gathered, g->heads, in->n, out);
}

/* Reduces each group to one pair, after the running sums that *r still lacks. */
static bosc_status reduce_groups(bosc_ctx *ctx, const bosc_hash *next, const struct bi_hash_input *in,
                                 const struct bi_hash_groups *g, struct bi_hash_reduce *r)
{
    const bosc_hash_opts *o = &next->opts;
    bool floats = o->value_dtype == BOSC_F32 || o->value_dtype == BOSC_F64;
    if (o->duplicates == BOSC_HASH_MIN || (o->duplicates == BOSC_HASH_SUM && !floats))
        BI_TRY(scan_groups(ctx, in, g, o->duplicates == BOSC_HASH_MIN ? BOSC_MIN : BOSC_SUM, o->value_dtype, in->values,
                           &r->running));
    if (o->counted && in->counts)
        BI_TRY(scan_groups(ctx, in, g, BOSC_SUM, BOSC_U32, in->counts, (const void **)&r->counts));
    return BI_HASH_STEP(ctx, reduce, g->count, r);
}

bosc_status bi_hash_reduce_groups(bosc_ctx *ctx, const bosc_hash *next, const struct bi_hash_input *in,
                                  const void *sorted, struct bi_hash_groups *g)
{
    const bosc_hash_opts *o = &next->opts;
    if (o->duplicates == BOSC_HASH_ERROR && g->count < in->n) return refuse_repeat(ctx, in, g);
    BI_TRY(bi_scratch_of(ctx, g->count, next->shape.key_bytes, &g->hashes));
    BI_TRY(bi_scratch_of(ctx, g->count, next->shape.value_bytes, &g->values));
    struct bi_hash_reduce r = {.hashes = sorted,
                               .rows = g->rows,
                               .group_begins = g->group_begins,
                               .groups = g->count,
                               .n = in->n,
                               .key_bits = o->key_bits,
                               .value_size = o->value_size,
                               .value_bytes = next->shape.value_bytes,
                               .duplicates = o->duplicates,
                               .dtype = o->value_dtype,
                               .values = in->values,
                               .multimap = o->kind == BOSC_HASH_MULTIMAP,
                               .counted = o->counted,
                               .out_hashes = g->hashes,
                               .out_values = g->values};
    BI_RETURN_WITH_SCRATCH(ctx, reduce_groups(ctx, next, in, g, &r));
}

bosc_status bi_hash_lists_of(bosc_ctx *ctx, const struct bi_hash_shape *s, const struct bi_hash_groups *g,
                             struct bi_hash_lists *lists)
{
    int64_t partitions = (int64_t)1 << s->partition_bits;
    uint32_t *starts;
    BI_TRY(bi_scratch_of(ctx, partitions + 1, 4, &starts));
    struct bi_hash_find_starts find = {g->hashes, g->count,  s->key_bits,   s->partition_bits,
                                       starts,    g->starts, g->starts_bits};
    const bool whole = bi_hash_fits_payload(s->value_bytes);
    const void *payload = g->spans ? g->spans : whole ? g->values : (const void *)g->numbers;
    *lists = (struct bi_hash_lists){.n = g->count,
                                    .hashes = g->hashes,
                                    .payload = payload,
                                    .payload_bytes = g->spans || !whole ? 4 : s->value_bytes,
                                    .values = whole ? NULL : g->values,
                                    .spans = g->spans != NULL,
                                    .piece_bits = g->starts_bits,
                                    .piece_begins = g->begins,
                                    .piece_starts = g->starts,
                                    .starts = starts};
    return BI_HASH_STEP(ctx, find_starts, partitions + 1, &find);
}

bool bi_hash_keeps_one_value(const bosc_hash_opts *o)
{
    if (o->kind == BOSC_HASH_MULTIMAP || o->counted || o->duplicates == BOSC_HASH_ERROR) return false;
    return o->value_size == 0 || o->duplicates == BOSC_HASH_LAST || o->duplicates == BOSC_HASH_FIRST;
}

bosc_status bi_hash_remove_repeats(bosc_ctx *ctx, const bosc_hash *next, const struct bi_hash_input *in,
                                   struct bi_hash_input *fewer, bool *removed)
{
    const bosc_hash_opts *o = &next->opts;
    const bool last = o->duplicates == BOSC_HASH_LAST && o->value_size > 0;
    struct bi_hash_numbering found;
    void *values = NULL;
    *removed = false;
    if (!bi_hash_keeps_one_value(o)) return BOSC_OK;
    BI_TRY(number_repeats(ctx, o->key_bits, in->keys, in->n, last ? BI_HASH_LAST_ROWS : BI_HASH_FIRST_ROWS, &found,
                          removed));
    if (!*removed) return BOSC_OK;
    if (o->value_size) {
        BI_TRY(bi_scratch_of(ctx, found.count, o->value_size, &values));
        struct bi_hash_gather gather = {in->values, last ? found.last_rows : found.first_rows, o->value_size, values};
        BI_TRY(BI_HASH_STEP(ctx, gather, found.count, &gather));
    }
    *fewer = (struct bi_hash_input){.keys = found.keys, .values = values, .n = found.count, .pairs = in->pairs};
    return BOSC_OK;
}

/* Groups the pairs of a multimap without a sort, where the backend can. *grouped: false, with no scratch taken, if they
 * have to be sorted. */
static bosc_status group_without_sort(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next,
                                      const struct bi_hash_input *in, const void *values, struct bi_hash_groups *g,
                                      bool *grouped)
{
    /* A vain attempt costs about a quarter of a sort. One in 16 builds adds less than 2 % on average; with few pairs
     * each may try. Estimates. */
    enum { SORTED_BUILDS = 15, LEAST_PAIRS = 1 << 16 };
    const bosc_hash_opts *o = &next->opts;
    const bool had_few_keys = table->pairs > 0 && table->keys <= table->pairs / 64;
    *grouped = false;
    if (!next->ops->group_pairs || o->kind != BOSC_HASH_MULTIMAP || had_few_keys) return BOSC_OK;
    if (next->sorted_builds > 0) {
        next->sorted_builds--;
        return BOSC_OK;
    }
    const struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(next->ops->group_pairs(ctx, &next->shape, in->keys, values, o->value_size, in->n, g, grouped));
    if (*grouped) return BOSC_OK;
    bi_arena_rewind(ctx, mark);
    if (in->n >= LEAST_PAIRS) next->sorted_builds = SORTED_BUILDS;
    return BOSC_OK;
}

/* Lists groups in pieces with their values. Layouts other than BUCKETED have no spans. */
static bosc_status expand_spans(bosc_ctx *ctx, int32_t key_bits, struct bi_hash_groups *g)
{
    void *hashes;
    uint32_t *values;
    BI_TRY(bi_scratch_of(ctx, g->count, key_bits / 8, &hashes));
    BI_TRY(bi_scratch_of(ctx, g->count, 8, &values));
    const struct bi_hash_expand_spans expand = {g->hashes,      g->spans, g->starts, g->begins,
                                                g->starts_bits, key_bits, hashes,    values};
    BI_TRY(BI_HASH_STEP(ctx, expand_spans, g->count, &expand));
    g->hashes = hashes;
    g->values = values;
    g->spans = NULL;
    return BOSC_OK;
}

/* The same by a sort, for any table. values: as bi_hash_sort has it. */
static bosc_status group_by_sort(bosc_ctx *ctx, const bosc_hash *table, const bosc_hash *next,
                                 const struct bi_hash_input *in, const void *values, struct bi_hash_groups *g)
{
    /* The last build, if any, had few keys; else its next one most likely does not ascend. An estimate. */
    const bool may_ascend = table->keys <= table->pairs / 64;
    void *sorted;
    BI_TRY(bi_hash_sort(ctx, next->shape.key_bits, next->shape.seed, in->keys, in->n, may_ascend, values,
                        next->opts.value_size, g, &sorted));
    return bi_hash_reduce_groups(ctx, next, in, sorted, g);
}

bosc_status bi_hash_group(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next, const struct bi_hash_input *in,
                          struct bi_hash_lists *lists)
{
    struct bi_hash_groups g;
    size_t bytes[BI_HASH_BLOCKS] = {0}, value_size = (size_t)next->opts.value_size;
    const bool values_apart = next->opts.kind == BOSC_HASH_MULTIMAP && value_size > 0 && in->n > 0;
    const void *values = values_apart ? in->values : NULL;
    bool grouped;
    /* 1. Find the groups. */
    BI_TRY(group_without_sort(ctx, table, next, in, values, &g, &grouped));
    if (!grouped) BI_TRY(group_by_sort(ctx, table, next, in, values, &g));
    /* 2. Plan the table for them; list them. */
    bi_hash_choose_layout(ctx, next, g.count);
    bi_hash_plan(next, g.count, &next->shape, bytes);
    if (values_apart) bytes[BI_HASH_VALUES] = (size_t)in->n * value_size;
    if (g.spans && (next->opts.layout != BOSC_HASH_BUCKETED || next->shape.partition_bits > g.starts_bits))
        BI_TRY(expand_spans(ctx, next->opts.key_bits, &g));
    BI_TRY(bi_hash_lists_of(ctx, &next->shape, &g, lists));
    BI_TRY(bi_hash_reserve_blocks(ctx, table, bytes, next));
    if (!values_apart) return BOSC_OK;
    /* 3. Write the values. */
    if (g.carried && lists->spans) { /* the fill copies them */
        lists->carried = g.carried;
        lists->carried_to = next->blocks[BI_HASH_VALUES].data;
        lists->carried_bytes = bytes[BI_HASH_VALUES];
        return BOSC_OK;
    }
    if (g.carried) return ctx->backend->copy(ctx, next->blocks[BI_HASH_VALUES].data, g.carried, bytes[BI_HASH_VALUES]);
    struct bi_hash_gather gather = {in->values, g.rows, next->opts.value_size, next->blocks[BI_HASH_VALUES].data};
    return BI_HASH_STEP(ctx, gather, in->n, &gather);
}

static bosc_status number_groups(bosc_ctx *ctx, int32_t key_bits, const void *keys, int64_t n, struct bi_hash_ids *a,
                                 int64_t *count)
{
    const struct bi_core_ops *core = ctx->backend->core;
    struct bi_hash_groups g;
    uint32_t *flags, *groups, *exclusive_prefix;
    void *sorted;
    BI_TRY(bi_hash_sort(ctx, key_bits, 0, keys, n, false, NULL, 0, &g, &sorted));
    BI_TRY(bi_scratch_of(ctx, n, 4, &flags));
    BI_TRY(bi_scratch_of(ctx, n, 4, &groups));
    BI_TRY(bi_scratch_of(ctx, n, 4, &exclusive_prefix));
    BI_TRY(bi_scratch_of(ctx, n, 1, &a->is_first));
    a->heads = g.heads, a->rows = g.rows, a->group_begins = g.group_begins, a->groups = groups,
    a->exclusive_prefix = exclusive_prefix;
    struct bi_hash_widen widen = {g.heads, flags};
    BI_TRY(BI_HASH_STEP(ctx, mark_first, n, a));
    BI_TRY(BI_HASH_STEP(ctx, widen, n, &widen));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, flags, n, groups));
    widen.flags = a->is_first;
    BI_TRY(BI_HASH_STEP(ctx, widen, n, &widen));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, flags, n, exclusive_prefix));
    *count = g.count;
    return BOSC_OK;
}

/* Writes ids and, unless NULL, distinct keys as assign_ids, from number_keys. *assigned: false, with nothing written,
 * if that leaves the keys to a sort. ids is in reach. */
static bosc_status assign_by_numbers(bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits, int64_t *ids,
                                     void *distinct, int64_t *count, bool *assigned)
{
    struct bi_hash_numbering found;
    struct bi_out to;
    bool staged = false;
    BI_TRY(number_keys(ctx, key_bits, keys, n, BI_HASH_ROW_NUMBERS, &found, assigned));
    if (!*assigned) return BOSC_OK;
    const size_t bytes = (size_t)found.count * (size_t)key_bits / 8;
    if (distinct) {
        BI_TRY(bi_stage_out(ctx, distinct, bytes, &to, &staged));
        BI_TRY(ctx->backend->copy(ctx, to.reachable, found.keys, bytes));
        BI_TRY(bi_stage_back(ctx, &to));
    }
    struct bi_hash_numbered_ids args = {found.numbers, ids};
    *count = found.count;
    return BI_HASH_STEP(ctx, number_ids, n, &args);
}

/* The same from groups of sorted hashes. */
static bosc_status assign_by_groups(bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits, int64_t *ids,
                                    void *distinct, int64_t *count)
{
    const size_t key_bytes = (size_t)key_bits / 8;
    struct bi_hash_ids args = {.ids = ids};
    struct bi_out to;
    bool staged = false;
    int64_t *compacted;
    BI_TRY(bi_scratch_of(ctx, 1, 8, &compacted));
    /* 1. Sort the hashes and number the groups. */
    BI_TRY(number_groups(ctx, key_bits, keys, n, &args, count));
    /* 2. Compact the first key of each group, then write the ids. */
    if (distinct) {
        BI_TRY(bi_stage_out(ctx, distinct, (size_t)*count * key_bytes, &to, &staged));
        BI_TRY(ctx->backend->core->compact(ctx, key_bytes, keys, args.is_first, n, to.reachable, compacted));
        BI_TRY(bi_stage_back(ctx, &to));
    }
    return BI_HASH_STEP(ctx, write_ids, n, &args); /* last, as nothing can fail for lack of memory any more */
}

/* Numbers the distinct keys from 0 in the order of their first rows. ids (n): the number of each row's key. distinct:
 * NULL, or receives these keys in that order. *count: their number, set on success. */
static bosc_status assign_ids(bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits, int64_t *ids,
                              void *distinct, int64_t *count)
{
    struct bi_out to;
    bool staged = false, assigned = false;
    int64_t found = 0;
    if (n > 0) {
        BI_TRY(bi_stage_in(ctx, keys, (size_t)n * (size_t)key_bits / 8, &keys, &staged));
        BI_TRY(bi_stage_out(ctx, ids, (size_t)n * sizeof *ids, &to, &staged));
        BI_TRY_WITH_SCRATCH(ctx, assign_by_numbers(ctx, keys, n, key_bits, to.reachable, distinct, &found, &assigned));
        if (!assigned) BI_TRY(assign_by_groups(ctx, keys, n, key_bits, to.reachable, distinct, &found));
        BI_TRY(bi_stage_back(ctx, &to));
        BI_TRY(ctx->backend->sync(ctx));
    }
    *count = found;
    return BOSC_OK;
}

bosc_status bosc_hash_unique(bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits, int64_t *ids, void *distinct,
                             int64_t *count)
{
    BI_ENTER(ctx);
    if (key_bits != 32 && key_bits != 64 && key_bits != 128)
        return bi_fail(ctx, BOSC_ERR_ARG, "key_bits: %d is none of 32, 64, 128", (int)key_bits);
    int64_t alignment = bi_hash_key_alignment(key_bits);
    BI_TRY(bi_hash_check_n(ctx, "n", n));
    BI_TRY(bi_hash_check_array(ctx, "keys", keys, n, key_bits / 8, alignment));
    BI_TRY(bi_hash_check_array(ctx, "ids", ids, n, sizeof *ids, sizeof *ids));
    BI_TRY(bi_hash_check_array(ctx, "unique", distinct, 0, 1, alignment));
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    bi_progress_set_total(ctx, 17 * (double)n);
    BI_RETURN_WITH_SCRATCH(ctx, assign_ids(ctx, keys, n, key_bits, ids, distinct, count));
}
