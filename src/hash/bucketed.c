/* The layout of buckets, as the drivers see it. */
#include "hash/driver.h"

static void plan(const bosc_hash_opts *o, int64_t n, struct bi_hash_shape *shape, size_t bytes[BI_HASH_BLOCKS])
{
    shape->part_bits = bi_hash_part_bits(o->key_bits, n);
    size_t parts = (size_t)1 << shape->part_bits;
    double buckets = (double)n / (o->load * BOSC_HASH_WIDTH); /* and each part's are rounded up */
    bytes[BI_HASH_PARTS] = parts * sizeof(bosc_hash_part);
    bytes[BI_HASH_TABLE] = ((size_t)buckets + 1 + parts) * (size_t)shape->stride;
}

static bosc_status fill(bosc_ctx *ctx, const bosc_hash *table, const struct bi_hash_lists *lists, bool any,
                        struct bi_hash_report *report)
{
    return table->ops->fill(ctx, table, lists, any, report);
}

static bosc_status find(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m, void *values,
                        uint8_t *found)
{
    return table->ops->find(ctx, table, queries, m, values, found);
}

static bosc_status pairs(bosc_ctx *ctx, const bosc_hash *table, void *hashes, void *values)
{
    uint32_t *counts, *begins;
    BI_TRY(bi_hash_scratch(ctx, table->buckets, 4, &counts));
    BI_TRY(bi_hash_scratch(ctx, table->buckets, 4, &begins));
    struct bi_hash_places places = {bi_hash_view(table), counts, begins, hashes, values};
    BI_TRY(BI_HASH_STEP(ctx, count_places, table->buckets, &places));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, counts, table->buckets, begins));
    return BI_HASH_STEP(ctx, list_places, table->buckets, &places);
}

static size_t fill_bytes(const bosc_hash *table, int64_t n)
{
    (void)table, (void)n;
    return 0;
}

/* The most buckets of a linear part. */
static bosc_status longest(bosc_ctx *ctx, const bosc_hash *table, int32_t *most)
{
    int64_t parts = (int64_t)1 << table->shape.part_bits;
    uint32_t *lengths, *result, longest;
    BI_TRY(bi_hash_scratch(ctx, parts, 4, &lengths));
    BI_TRY(bi_hash_scratch(ctx, 1, 4, &result));
    struct bi_hash_lengths args = {table->blocks[BI_HASH_PARTS].data, lengths};
    BI_TRY(BI_HASH_STEP(ctx, linear_lengths, parts, &args));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_MAX, BOSC_U32, lengths, parts, result));
    BI_TRY(bi_read_back(ctx, &longest, result, sizeof longest));
    if ((int64_t)longest > *most) *most = longest > INT32_MAX ? INT32_MAX : (int32_t)longest;
    return BOSC_OK;
}

static bosc_status info(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_info *info)
{
    info->parts = (int32_t)1 << table->shape.part_bits;
    info->places = table->buckets * BOSC_HASH_WIDTH;
    info->probes_most = 2;
    info->probes_hit = table->keys ? 1 + (double)table->second / (double)table->keys : 0;
    return table->linear ? longest(ctx, table, &info->probes_most) : BOSC_OK;
}

const struct bi_hash_layout bi_hash_bucketed = {
    .plan = plan, .fill = fill, .find = find, .pairs = pairs, .fill_bytes = fill_bytes, .info = info};
