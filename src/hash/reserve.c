/* How much memory tables take, and taking it beforehand. */
#include "core/blocks.h"
#include "core/call.h"
#include "hash/drivers.h"

/* Bytes of the blocks for n distinct keys, and of scratch to build from n pairs that are in reach. */
static int64_t size_build(const bosc_ctx *ctx, const bosc_hash *sized, int64_t n, size_t bytes[BI_HASH_BLOCKS])
{
    bosc_hash table = *sized;
    const bosc_hash_opts *o = &table.opts;
    for (int b = 0; b < BI_HASH_BLOCKS; b++) bytes[b] = 0;
    table.layout->plan(o, n, &table.shape, bytes);
    int64_t scratch = (int64_t)table.layout->fill_bytes(&table, n) + (1 << 16);
    int64_t key_bytes = table.shape.key_bytes, value_bytes = table.shape.value_bytes;
    if (o->counted) scratch += n * value_bytes;
    if (o->kind == BOSC_HASH_MULTIMAP) { /* rows, heads, hashes, and what the sort and the lists take */
        bytes[BI_HASH_VALUES] = (size_t)n * (size_t)o->value_size;
        scratch += n * (5 * key_bytes + value_bytes + 40);
    }
    return scratch + (int64_t)table.ops->build_bytes(ctx, &table.shape, n);
}

bosc_status bosc_hash_bytes(const bosc_ctx *ctx, const bosc_hash_opts *opts, int64_t n, int64_t *kept, int64_t *scratch)
{
    bosc_hash table = {0};
    size_t bytes[BI_HASH_BLOCKS];
    if (!ctx) return BOSC_ERR_ARG;
    bosc_ctx *says = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    bi_begin(says);
    BI_TRY(bi_hash_check_opts(says, opts, &table.opts, &table.layout));
    BI_TRY(bi_hash_check_n(says, "n", n));
    table.ops = ctx->ops->hash;
    table.shape = bi_hash_shape_of(&table.opts);
    int64_t sum = 0, needed = size_build(ctx, &table, n, bytes);
    for (int b = 0; b < BI_HASH_BLOCKS; b++) sum += (int64_t)bytes[b];
    if (kept) *kept = sum;
    if (scratch) *scratch = needed;
    return BOSC_OK;
}

/* Larger blocks get what the smaller ones held. */
static bosc_status grow(bosc_ctx *ctx, bosc_hash *table, const size_t bytes[BI_HASH_BLOCKS])
{
    struct bi_block *blocks[BI_HASH_BLOCKS];
    size_t used[BI_HASH_BLOCKS];
    bi_hash_used(table, used);
    for (int b = 0; b < BI_HASH_BLOCKS; b++) blocks[b] = &table->blocks[b];
    return bi_blocks_grow(ctx, &table->memory, blocks, BI_HASH_BLOCKS, bytes, used);
}

bosc_status bosc_hash_reserve(bosc_ctx *ctx, bosc_hash *table, int64_t n, int64_t m)
{
    size_t bytes[BI_HASH_BLOCKS];
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_table(ctx, table));
    BI_TRY(bi_hash_check_n(ctx, "n", n));
    if (m < 0) return bi_fail(ctx, BOSC_ERR_ARG, "m: %lld is less than 0", (long long)m);
    int64_t pair = table->shape.key_bytes + table->opts.value_size;
    int64_t query = 2 * pair + table->shape.value_bytes + 3 * (int64_t)sizeof(int64_t); /* staged, and retrieve */
    if (m > INT64_MAX / 4 / query)
        return bi_fail(ctx, BOSC_ERR_ARG, "m: %lld queries are more than memory can hold", (long long)m);
    int64_t scratch = size_build(ctx, table, n, bytes) + n * pair, queries = m * query + (1 << 16);
    struct bi_mark mark = bi_arena_mark(ctx);
    void *room;
    bosc_status status = bi_scratch(ctx, (size_t)(scratch > queries ? scratch : queries), &room);
    bi_arena_rewind(ctx, mark);
    BI_TRY(status);
    return grow(ctx, table, bytes);
}
