/* The layout of buckets, as the drivers see it. */
#include "hash/drivers.h"

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

bosc_status bi_hash_count_touched(bosc_ctx *ctx, const bosc_hash *table, const uint32_t *touched, uint32_t **begins,
                                  int64_t *count)
{
    uint32_t *counts, last[2];
    BI_TRY(bi_hash_scratch(ctx, table->buckets, 4, &counts));
    BI_TRY(bi_hash_scratch(ctx, table->buckets, 4, begins));
    struct bi_hash_places places = {.view = bi_hash_view(table), .touched = touched, .counts = counts};
    BI_TRY(BI_HASH_STEP(ctx, count_places, table->buckets, &places));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, counts, table->buckets, *begins));
    if (!count) return BOSC_OK;
    BI_TRY(bi_read_back(ctx, &last[0], counts + table->buckets - 1, sizeof last[0]));
    BI_TRY(bi_read_back(ctx, &last[1], *begins + table->buckets - 1, sizeof last[1]));
    *count = (int64_t)last[0] + last[1];
    return BOSC_OK;
}

bosc_status bi_hash_list_touched(bosc_ctx *ctx, const bosc_hash *table, const uint32_t *touched, const uint32_t *begins,
                                 void *hashes, void *values)
{
    struct bi_hash_places places = {bi_hash_view(table), touched, NULL, begins, hashes, values};
    return BI_HASH_STEP(ctx, list_places, table->buckets, &places);
}

static bosc_status pairs(bosc_ctx *ctx, const bosc_hash *table, void *hashes, void *values)
{
    uint32_t *begins;
    BI_TRY(bi_hash_count_touched(ctx, table, NULL, &begins, NULL));
    return bi_hash_list_touched(ctx, table, NULL, begins, hashes, values);
}

bosc_status bi_hash_recount(bosc_ctx *ctx, bosc_hash *table, const uint32_t *touched)
{
    int64_t parts = (int64_t)1 << table->shape.part_bits;
    uint64_t *seeds, *sums, found[2] = {0, 0};
    uint32_t *seconds;
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_hash_scratch(ctx, parts, 8, &seeds));
    BI_TRY(bi_hash_scratch(ctx, table->buckets, 4, &seconds));
    BI_TRY(bi_hash_scratch(ctx, 2, 8, &sums));
    BI_TRY(ctx->backend->fill(ctx, sums, 0, 2 * sizeof *sums));
    struct bi_hash_second second = {bi_hash_view(table), touched, seconds};
    struct bi_hash_seeds args = {table->blocks[BI_HASH_PARTS].data, touched, seeds};
    BI_TRY(BI_HASH_STEP(ctx, count_second, table->buckets, &second));
    BI_TRY(BI_HASH_STEP(ctx, count_seeds, parts, &args));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U32, seconds, table->buckets, &sums[0]));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U64, seeds, parts, &sums[1]));
    BI_TRY(bi_read_back(ctx, found, sums, sizeof found));
    bi_arena_rewind(ctx, mark);
    table->second = (int64_t)found[0];
    table->reseeded = (int32_t)(found[1] & UINT32_MAX);
    table->linear = (int32_t)(found[1] >> 32);
    return BOSC_OK;
}

static bosc_status check(bosc_ctx *ctx, const bosc_hash *table, const char **wrong)
{
    static const char *const texts[] = {"a part does not begin where the one before it ends",
                                        "a bucket has a hash that does not belong there",
                                        "a bucket is not marked as overflowed"};
    int64_t parts = (int64_t)1 << table->shape.part_bits, keys = 0;
    uint32_t *found, bits, *begins;
    BI_TRY(bi_hash_scratch(ctx, 1, 4, &found));
    BI_TRY(ctx->backend->fill(ctx, found, 0, sizeof *found));
    struct bi_hash_check args = {bi_hash_view(table), (uint32_t)table->buckets, found, false};
    for (int round = 0; round < 2; round++) {
        args.buckets_too = round;
        BI_TRY(BI_HASH_STEP(ctx, check_part, parts, &args));
        BI_TRY(bi_read_back(ctx, &bits, found, sizeof bits));
        for (int k = 2; k >= 0; k--)
            if (bits & 1u << k) *wrong = texts[k];
        if (*wrong) return BOSC_OK;
    }
    BI_TRY(bi_hash_count_touched(ctx, table, NULL, &begins, &keys));
    bosc_hash again = *table;
    BI_TRY(bi_hash_recount(ctx, &again, NULL));
    if (keys != table->keys || again.second != table->second || again.reseeded != table->reseeded ||
        again.linear != table->linear)
        *wrong = "its figures are not those of its buckets";
    return BOSC_OK;
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
    .plan = plan, .fill = fill, .find = find, .pairs = pairs, .fill_bytes = fill_bytes, .info = info, .check = check};
