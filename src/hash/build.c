/* Builds tables: the pairs as they come, in the order of their parts; or, where keys repeat or a part is crowded, by a
 * sort of the hashes first. */
#include <string.h>

#include "base/bits.h"
#include "core/call.h"
#include "hash/drivers.h"

bosc_status bi_hash_scratch(bosc_ctx *ctx, int64_t n, int64_t size, void *p)
{
    void *memory;
    BI_TRY(bi_scratch(ctx, n * size > 0 ? (size_t)n * (size_t)size : 1, &memory));
    memcpy(p, &memory, sizeof memory);
    return BOSC_OK;
}

void bi_hash_drop_blocks(const bosc_hash *keep, bosc_hash *drop)
{
    for (int b = 0; b < BI_HASH_BLOCKS; b++)
        if (drop->blocks[b].data != keep->blocks[b].data) bi_block_free(&drop->memory, &drop->blocks[b]);
}

bosc_status bi_hash_reserve_blocks(bosc_ctx *ctx, const bosc_hash *table, const size_t bytes[BI_HASH_BLOCKS],
                                   bosc_hash *next)
{
    for (int b = 0; b < BI_HASH_BLOCKS; b++) {
        if (bytes[b] <= next->blocks[b].bytes) continue;
        if (next->blocks[b].data == table->blocks[b].data) next->blocks[b] = (struct bi_block){0};
        bosc_status status = bi_block_reserve(ctx, &table->memory, &next->blocks[b], bytes[b]);
        if (status == BOSC_OK) continue;
        bi_hash_drop_blocks(table, next);
        return status;
    }
    return BOSC_OK;
}

void bi_hash_forget(bosc_hash *table)
{
    table->keys = table->pairs = table->buckets = table->second = 0;
    table->reseeded = table->linear = 0;
}

/* Values as the table keeps them, from those of the input. */
static bosc_status keep_values(bosc_ctx *ctx, const bosc_hash *next, const struct bi_hash_input *in,
                               const void **values)
{
    *values = next->opts.value_size ? in->values : NULL;
    if (!next->opts.counted) return BOSC_OK;
    void *out;
    BI_TRY(bi_hash_scratch(ctx, in->n, next->shape.value_bytes, &out));
    struct bi_hash_attach attach = {in->values, in->counts, next->opts.value_size, out};
    *values = out;
    return BI_HASH_STEP(ctx, attach, in->n, &attach);
}

bosc_status bi_hash_fill_lists(bosc_ctx *ctx, bosc_hash *next, const struct bi_hash_lists *lists, bool any, bool *again)
{
    struct bi_hash_report *report, found;
    BI_TRY(bi_hash_scratch(ctx, 1, sizeof *report, &report));
    BI_TRY(ctx->backend->fill(ctx, report, 0, sizeof *report));
    BI_TRY(next->layout->fill(ctx, next, lists, any, report));
    BI_TRY(bi_read_back(ctx, &found, report, sizeof found));
    if (found.beyond && any)
        return bi_fail(ctx, BOSC_ERR_LIMIT,
                       "keys: too many of them share a part of the table; another seed parts them");
    *again = found.repeats || found.crowded || found.beyond;
    next->keys = lists->n;
    next->buckets = found.buckets;
    next->second = (int64_t)found.second;
    next->reseeded = (int32_t)found.reseeded;
    next->linear = (int32_t)found.linear;
    return BOSC_OK;
}

static bosc_status make_as_it_comes(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next,
                                    const struct bi_hash_input *in, bool *written, bool *again)
{
    size_t bytes[BI_HASH_BLOCKS] = {0};
    struct bi_hash_lists lists;
    const void *values;
    next->layout->plan(&next->opts, in->n, &next->shape, bytes);
    BI_TRY(bi_hash_reserve_blocks(ctx, table, bytes, next));
    *written = true;
    BI_TRY(keep_values(ctx, next, in, &values));
    BI_TRY(next->ops->partition(ctx, &next->shape, in->keys, values, in->n, &lists));
    return bi_hash_fill_lists(ctx, next, &lists, false, again);
}

static bosc_status make_of_groups(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next,
                                  const struct bi_hash_input *in, bool *written)
{
    struct bi_hash_lists lists;
    bool again;
    BI_TRY(bi_hash_group(ctx, table, next, in, &lists));
    *written = true;
    return bi_hash_fill_lists(ctx, next, &lists, true, &again);
}

bosc_status bi_hash_make(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next, const struct bi_hash_input *in,
                         bool *written)
{
    bool again = next->opts.kind == BOSC_HASH_MULTIMAP;
    *written = false;
    if (!again) {
        BI_TRY_WITH_SCRATCH(ctx, make_as_it_comes(ctx, table, next, in, written, &again));
    }
    if (again) BI_TRY(make_of_groups(ctx, table, next, in, written));
    next->pairs = next->opts.counted || next->opts.kind == BOSC_HASH_MULTIMAP ? in->pairs : next->keys;
    return BOSC_OK;
}

static bosc_status build(bosc_ctx *ctx, bosc_hash *table, const void *keys, const void *values, int64_t n)
{
    struct bi_hash_input in = {.n = n, .pairs = n};
    bool staged = false, written = false;
    bosc_hash next = *table;
    size_t key_bytes = (size_t)table->shape.key_bytes, value_size = (size_t)table->opts.value_size;
    BI_TRY(bi_stage_in(ctx, keys, (size_t)n * key_bytes, &in.keys, &staged));
    BI_TRY(bi_stage_in(ctx, values, (size_t)n * value_size, &in.values, &staged));
    bosc_status status = bi_hash_make(ctx, table, &next, &in, &written);
    if (status == BOSC_OK) {
        bi_hash_drop_blocks(&next, table);
        *table = next;
    } else {
        bi_hash_drop_blocks(table, &next);
        if (written) bi_hash_forget(table);
    }
    return status;
}

bosc_status bosc_hash_build(bosc_ctx *ctx, bosc_hash *table, const void *keys, const void *values, int64_t n)
{
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_table(ctx, table));
    BI_TRY(bi_hash_check_n(ctx, "n", n));
    const bosc_hash_opts *o = &table->opts;
    BI_TRY(bi_hash_check_array(ctx, "keys", keys, n, o->key_bits / 8, o->key_bits == 32 ? 4 : 8));
    BI_TRY(bi_hash_check_array(ctx, "values", values, n, o->value_size, bi_hash_alignment(o->value_size)));
    BI_RETURN_WITH_SCRATCH(ctx, build(ctx, table, keys, values, n));
}
