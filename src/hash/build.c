/* Builds tables. First attempt: partition the pairs in the order of the input and fill the partitions. Where keys
 * repeat or a partition is oversized, second attempt: reduce the pairs to one a key, and build from these, sorted by
 * hash. Where keys repeated in the last build of the table, or in a sample, the reduction comes first (reduce_first).
 * With opts.no_wait the first attempt is only launched; the next call on the table completes it, or makes the second
 * (pending.c). A table created as AUTO chooses its layout in each attempt, by the number of pairs to build from.
 *
 * A failed build leaves the table as it was if its blocks are untouched, else empty. */
#include <string.h>

#include "hash/handle.h"

enum {
    BUILD_ITEMS = 25, /* simple items a pair, for progress: an estimate */
    /* Rows of this build for each key of the last one. From this share on, the distinct keys are numbered before a
     * build in order is tried. Not measured. */
    FEW_KEYS_SHARE = 64
};

/* Converts the values of the input to the stored form, for a table whose blocks are reserved. NULL: buckets have no
 * values. Without pairs `values` may be NULL; *values then points to a block, which nothing reads. */
static bosc_status make_stored_values(bosc_ctx *ctx, const bosc_hash *next, const struct bi_hash_input *in,
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

/* Copies the report of filling *next with `keys` keys. Returns BUILT or NEEDS_GROUPING. */
static enum bi_hash_outcome adopt_report(bosc_hash *next, const struct bi_hash_report *found, int64_t keys)
{
    next->keys = keys;
    next->buckets = found->buckets;
    next->extra_probes = (int64_t)found->extra_probes;
    next->reseeded = (int32_t)found->reseeded;
    next->rounds = (int32_t)found->rounds;
    next->linear = (int32_t)found->linear;
    return found->repeats || found->oversized || found->too_large ? BI_HASH_NEEDS_GROUPING : BI_HASH_BUILT;
}

bosc_status bi_hash_fill_lists(bosc_ctx *ctx, bosc_hash *next, const struct bi_hash_lists *lists, bool distinct,
                               enum bi_hash_outcome *outcome)
{
    struct bi_hash_report *report, found;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *report, &report));
    BI_TRY(ctx->backend->fill(ctx, report, 0, sizeof *report));
    BI_TRY(next->layout->fill(ctx, next, lists, distinct, report));
    BI_TRY(bi_read_back(ctx, &found, report, sizeof found));
    if (found.too_large && distinct)
        return bi_fail(ctx, BOSC_ERR_LIMIT,
                       "keys: too many of them share a partition of the table; another seed separates them");
    *outcome = adopt_report(next, &found, lists->n);
    return BOSC_OK;
}

/* Reserves blocks of *next for the pairs in the order of the input, and converts their values. */
static bosc_status prepare_in_order(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next,
                                    const struct bi_hash_input *in, enum bi_hash_outcome *outcome, const void **values)
{
    size_t bytes[BI_HASH_BLOCKS] = {0};
    bi_hash_choose_layout(ctx, next, in->n);
    bi_hash_plan(next, in->n, &next->shape, bytes);
    BI_TRY(bi_hash_reserve_blocks(ctx, table, bytes, next));
    *outcome = BI_HASH_UNFINISHED;
    return make_stored_values(ctx, next, in, values);
}

static bosc_status build_in_order(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next,
                                  const struct bi_hash_input *in, enum bi_hash_outcome *outcome)
{
    struct bi_hash_lists lists;
    struct bi_hash_report found;
    const void *values;
    BI_TRY(prepare_in_order(ctx, table, next, in, outcome, &values));
    if (next->layout->build && in->launched != BI_HASH_UNFINISHED)
        BI_TRY(next->layout->build(ctx, next, in->keys, values, in->n, &found, outcome));
    if (*outcome == BI_HASH_BUILT) {
        *outcome = adopt_report(next, &found, in->n);
        return BOSC_OK;
    }
    BI_TRY(next->ops->partition(ctx, &next->shape, in->keys, values, in->n, &lists));
    return bi_hash_fill_lists(ctx, next, &lists, false, outcome);
}

static bosc_status build_grouped(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next, const struct bi_hash_input *in,
                                 enum bi_hash_outcome *outcome)
{
    struct bi_hash_lists lists;
    BI_TRY(bi_hash_group(ctx, table, next, in, &lists));
    *outcome = BI_HASH_UNFINISHED;
    BI_TRY(bi_hash_fill_lists(ctx, next, &lists, true, outcome));
    *outcome = BI_HASH_BUILT; /* oversized partitions too */
    return BOSC_OK;
}

/* The same from one pair a key, if few keys fill many rows and the table keeps one value of each. */
static bosc_status build_without_repeats(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next,
                                         const struct bi_hash_input *in, enum bi_hash_outcome *outcome)
{
    struct bi_hash_input fewer;
    bool removed;
    BI_TRY(bi_hash_remove_repeats(ctx, next, in, &fewer, &removed));
    return removed ? build_grouped(ctx, table, next, &fewer, outcome) : BOSC_OK;
}

/* True if the backend may reduce the pairs to one a key, and the table is then ORDERED or BUCKETED. */
static bool can_reduce(const bosc_hash *table, const struct bi_hash_input *in)
{
    const bosc_hash_opts *o = &table->opts;
    const bool layout = table->automatic || o->layout == BOSC_HASH_ORDERED || o->layout == BOSC_HASH_BUCKETED;
    return table->ops->reduce_repeats && layout && in->n > 0 && bi_hash_keeps_one_value(o);
}

/* Reserves blocks of *next for a table that a reduction of n pairs builds, and sets the most keys of such a table. */
static bosc_status prepare_reduction(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next, int64_t n,
                                     struct bi_hash_reduction *r)
{
    size_t bytes[BI_HASH_BLOCKS] = {0};
    r->expected = table->reduced_keys;
    r->max_ordered = table->automatic                          ? bi_hash_max_ordered_pairs(ctx, &table->opts)
                     : table->opts.layout == BOSC_HASH_ORDERED ? n
                                                               : -1;
    if (r->max_ordered <= 0) return BOSC_OK;
    const int64_t most = n < r->max_ordered ? n : r->max_ordered;
    bi_hash_choose_layout(ctx, next, most);
    bi_hash_plan(next, most, &next->shape, bytes);
    return bi_hash_reserve_blocks(ctx, table, bytes, next);
}

/* Builds from a list of one pair a key, by ascending hash, which gives the table that build_grouped makes. */
static bosc_status build_from_list(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next,
                                   const struct bi_hash_input *in, const struct bi_hash_reduction *r,
                                   enum bi_hash_outcome *outcome)
{
    struct bi_hash_input fewer = {.keys = r->list_keys, .values = r->list_payload, .n = r->keys, .pairs = in->pairs};
    if (r->rows) {
        void *values;
        BI_TRY(bi_scratch_of(ctx, r->keys, next->opts.value_size, &values));
        struct bi_hash_gather gather = {in->values, r->list_payload, next->opts.value_size, values};
        BI_TRY(BI_HASH_STEP(ctx, gather, r->keys, &gather));
        fewer.values = values;
    }
    BI_TRY_WITH_SCRATCH(ctx, build_in_order(ctx, table, next, &fewer, outcome));
    return *outcome == BI_HASH_BUILT ? BOSC_OK : build_grouped(ctx, table, next, &fewer, outcome);
}

/* Builds from the pairs reduced to one a key by the backend. *outcome becomes BUILT unless it declines. */
static bosc_status build_reduced(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next, const struct bi_hash_input *in,
                                 enum bi_hash_outcome *outcome)
{
    struct bi_hash_reduction r = {0};
    bool fits;
    if (!can_reduce(next, in)) return BOSC_OK;
    BI_TRY(prepare_reduction(ctx, table, next, in->n, &r));
    if (r.max_ordered > 0) *outcome = BI_HASH_UNFINISHED;
    BI_TRY(next->ops->reduce_repeats(ctx, next, in->keys, in->values, in->n, &r, &fits));
    if (!fits) return BOSC_OK;
    if (r.listed) return build_from_list(ctx, table, next, in, &r, outcome);
    size_t bytes[BI_HASH_BLOCKS] = {0}; /* reserved before, for more keys */
    bi_hash_plan(next, r.keys, &next->shape, bytes);
    *outcome = adopt_report(next, &r.found, r.keys);
    return BOSC_OK;
}

bosc_status bi_hash_build_from(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next, const struct bi_hash_input *in,
                               enum bi_hash_outcome *outcome)
{
    const bool repeats = table->reduced_keys == 0 && next->ops->has_repeats && can_reduce(next, in) &&
                         next->ops->has_repeats(in->keys, in->n, next->shape.key_bits),
               reduce_first = repeats || table->reduced_keys > 0,
               few_keys = repeats || (reduce_first && table->reduced_keys <= in->n / FEW_KEYS_SHARE);
    *outcome = BI_HASH_UNTOUCHED;
    next->key_range.known = false;
    if (next->ops->find_key_range)
        next->ops->find_key_range(ctx, in->keys, in->n, next->shape.key_bits, &next->key_range);
    if (reduce_first) BI_TRY_WITH_SCRATCH(ctx, build_reduced(ctx, table, next, in, outcome));
    if (*outcome != BI_HASH_BUILT && few_keys)
        BI_TRY_WITH_SCRATCH(ctx, build_without_repeats(ctx, table, next, in, outcome));
    if (*outcome != BI_HASH_BUILT && !repeats && next->opts.kind != BOSC_HASH_MULTIMAP &&
        in->launched != BI_HASH_NEEDS_GROUPING)
        BI_TRY_WITH_SCRATCH(ctx, build_in_order(ctx, table, next, in, outcome));
    if (*outcome != BI_HASH_BUILT && !reduce_first)
        BI_TRY_WITH_SCRATCH(ctx, build_reduced(ctx, table, next, in, outcome));
    if (*outcome != BI_HASH_BUILT && !few_keys)
        BI_TRY_WITH_SCRATCH(ctx, build_without_repeats(ctx, table, next, in, outcome));
    if (*outcome != BI_HASH_BUILT) BI_TRY(build_grouped(ctx, table, next, in, outcome));
    next->pairs = next->opts.counted || next->opts.kind == BOSC_HASH_MULTIMAP ? in->pairs : next->keys;
    next->reduced_keys = next->keys < in->n && can_reduce(next, in) ? next->keys : 0;
    return BOSC_OK;
}

/* Launches a build; bi_hash_wait_pending completes it. Until then the table has no buckets. */
static bosc_status launch_in_order(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next,
                                   const struct bi_hash_input *in, enum bi_hash_outcome *outcome)
{
    const void *values;
    BI_TRY(prepare_in_order(ctx, table, next, in, outcome, &values));
    return next->ops->launch_build(ctx, next, in->keys, values, in->n, &next->pending.completion, outcome);
}

/* True if a build of these pairs may return before it is done. staged: they are in scratch, freed by the end of the
 * call. Where keys repeated in the last build, a launch would most likely be in vain. */
static bool can_launch(const bosc_hash *table, int64_t n, bool staged)
{
    return table->pending.completion.words && table->layout->launches && table->opts.kind == BOSC_HASH_MAP && n > 0 &&
           !staged && !table->reduced_keys;
}

static bosc_status finish_pending(bosc_ctx *ctx, bosc_hash *table);

/* Builds the table, or launches the build and records it as pending. */
static bosc_status build_or_launch(bosc_ctx *ctx, bosc_hash *table, bosc_hash *next, const struct bi_hash_input *in,
                                   bool can, enum bi_hash_outcome *outcome)
{
    if (can) BI_TRY_WITH_SCRATCH(ctx, launch_in_order(ctx, table, next, in, outcome));
    if (*outcome != BI_HASH_PENDING) return bi_hash_build_from(ctx, table, next, in, outcome);
    bi_hash_set_empty(next);
    table->pending.finish = finish_pending;
    table->pending.keys = in->keys;
    table->pending.values = in->values;
    table->pending.n = in->n;
    table->pending.completion = next->pending.completion;
    bi_hash_set_pending(table, BI_HASH_LAUNCHED);
    return BOSC_OK;
}

/* launched: as in struct bi_hash_input. After a launched build this one waits, whatever the options say. */
static bosc_status build_table(bosc_ctx *ctx, bosc_hash *table, const void *keys, const void *values, int64_t n,
                               enum bi_hash_outcome launched)
{
    struct bi_hash_input in = {.n = n, .pairs = n, .launched = launched};
    enum bi_hash_outcome outcome = BI_HASH_UNTOUCHED;
    bool staged = false;
    bosc_hash next = *table;
    size_t key_bytes = (size_t)table->shape.key_bytes, value_size = (size_t)table->opts.value_size;
    BI_TRY(bi_stage_in(ctx, keys, (size_t)n * key_bytes, &in.keys, &staged));
    BI_TRY(bi_stage_in(ctx, values, (size_t)n * value_size, &in.values, &staged));
    const bool can = launched == BI_HASH_UNTOUCHED && can_launch(table, n, staged);
    bosc_status status = build_or_launch(ctx, table, &next, &in, can, &outcome);
    if (status == BOSC_OK) {
        bi_hash_drop_blocks(&next, table);
        bi_hash_replace(table, &next);
    } else {
        bi_hash_drop_blocks(table, &next);
        if (outcome != BI_HASH_UNTOUCHED) bi_hash_set_empty(table);
    }
    return status;
}

/* Waits for the launched build. Where keys repeat, or a partition was left out, goes on with the next form of the build
 * and waits. */
static bosc_status finish_pending(bosc_ctx *ctx, bosc_hash *table)
{
    const struct bi_hash_pending *p = &table->pending;
    struct bi_hash_report found;
    enum bi_hash_outcome outcome = BI_HASH_UNFINISHED;
    BI_TRY(table->ops->await_build(ctx, &p->completion, &found, &outcome));
    if (outcome == BI_HASH_BUILT) outcome = adopt_report(table, &found, p->n);
    if (outcome != BI_HASH_BUILT) {
        /* ORDERED has no other form in the order of the input. */
        if (table->opts.layout == BOSC_HASH_ORDERED) outcome = BI_HASH_NEEDS_GROUPING;
        bi_hash_set_empty(table);
        bi_progress_set_total(ctx, BUILD_ITEMS * (double)p->n);
        BI_RETURN_WITH_SCRATCH(ctx, build_table(ctx, table, p->keys, p->values, p->n, outcome));
    }
    table->pairs = table->keys;
    return BOSC_OK;
}

bosc_status bosc_hash_build(bosc_ctx *ctx, bosc_hash *table, const void *keys, const void *values, int64_t n)
{
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_table(ctx, table));
    BI_TRY(bi_hash_check_pairs(ctx, table, keys, values, n));
    bi_progress_set_total(ctx, BUILD_ITEMS * (double)n);
    if (table->opts.no_wait && ctx->backend->records && ctx->backend->records(ctx))
        return bi_fail(ctx, BOSC_ERR_ARG, "table: its builds report to the host, and the stream records a graph");
    BI_RETURN_WITH_SCRATCH(ctx, build_table(ctx, table, keys, values, n, BI_HASH_UNTOUCHED));
}
