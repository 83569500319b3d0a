/* The operations of the bucketed layout that the drivers call. */
#include "hash/handle.h"

/* Returns the bits of a partition's number. Small tables have up to 2^8 partitions of about 1024 keys, so that each
 * multiprocessor of a device gets one (132 on the H100 and H200 that were measured). Measured: 512 keys are 2 to 9 %
 * faster at 2^16 pairs, but of each partition half a bucket is empty. */
static int32_t partition_bits(const bosc_hash_opts *o, int64_t n)
{
    enum { SMALL_TABLE_BITS = 8, SMALL_PARTITION_KEYS = 1024 };
    int32_t bits = bi_hash_partition_bits(o->key_bits, n);
    while (bits < SMALL_TABLE_BITS && n >> bits > SMALL_PARTITION_KEYS) bits++;
    return bits;
}

static void plan_bucketed(const bosc_hash_opts *o, int64_t n, struct bi_hash_shape *shape, size_t bytes[BI_HASH_BLOCKS])
{
    shape->partition_bits = partition_bits(o, n);
    size_t partitions = (size_t)1 << shape->partition_bits;
    double buckets = (double)n / (o->load_factor * BOSC_HASH_WIDTH); /* each partition rounds up */
    bytes[BI_HASH_DESCRIPTORS] = partitions * sizeof(bosc_hash_partition);
    bytes[BI_HASH_TABLE] = ((size_t)buckets + 1 + partitions) * (size_t)shape->stride;
}

static bosc_status fill_bucketed(bosc_ctx *ctx, const bosc_hash *table, const struct bi_hash_lists *lists,
                                 bool distinct, struct bi_hash_report *report)
{
    return table->ops->fill(ctx, table, lists, distinct, report);
}

static bosc_status build_bucketed(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values,
                                  int64_t n, struct bi_hash_report *found, enum bi_hash_outcome *outcome)
{
    *outcome = BI_HASH_UNFINISHED;
    return table->ops->build ? table->ops->build(ctx, table, keys, values, n, found, outcome) : BOSC_OK;
}

static bosc_status find_bucketed(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                                 void *values, uint8_t *found)
{
    return table->ops->find(ctx, table, queries, query_count, values, found);
}

bosc_status bi_hash_count_touched(bosc_ctx *ctx, const bosc_hash *table, const uint32_t *touched, uint32_t **begins,
                                  int64_t *count)
{
    uint32_t *counts, last[2];
    BI_TRY(bi_scratch_of(ctx, table->buckets, 4, &counts));
    BI_TRY(bi_scratch_of(ctx, table->buckets, 4, begins));
    struct bi_hash_list_pairs args = {.view = bi_hash_view_of(table), .touched = touched, .counts = counts};
    BI_TRY(BI_HASH_STEP(ctx, count_pairs, table->buckets, &args));
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
    struct bi_hash_list_pairs args = {bi_hash_view_of(table), touched, NULL, begins, hashes, values};
    return BI_HASH_STEP(ctx, list_pairs, table->buckets, &args);
}

static bosc_status list_all_pairs(bosc_ctx *ctx, const bosc_hash *table, void *hashes, void *values)
{
    uint32_t *begins;
    BI_TRY(bi_hash_count_touched(ctx, table, NULL, &begins, NULL));
    return bi_hash_list_touched(ctx, table, NULL, begins, hashes, values);
}

/* See bi_hash_recount; *table receives the figures. */
static bosc_status recount_touched(bosc_ctx *ctx, bosc_hash *table, const uint32_t *touched)
{
    int64_t partitions = (int64_t)1 << table->shape.partition_bits;
    uint64_t *seeds, *sums, found[2] = {0, 0};
    uint32_t *seconds;
    BI_TRY(bi_scratch_of(ctx, partitions, 8, &seeds));
    BI_TRY(bi_scratch_of(ctx, table->buckets, 4, &seconds));
    BI_TRY(bi_scratch_of(ctx, 2, 8, &sums));
    BI_TRY(ctx->backend->fill(ctx, sums, 0, 2 * sizeof *sums));
    struct bi_hash_count_second second = {bi_hash_view_of(table), touched, seconds};
    struct bi_hash_count_seeds args = {table->blocks[BI_HASH_DESCRIPTORS].data, touched, seeds};
    BI_TRY(BI_HASH_STEP(ctx, count_second, table->buckets, &second));
    BI_TRY(BI_HASH_STEP(ctx, count_seeds, partitions, &args));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U32, seconds, table->buckets, &sums[0]));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U64, seeds, partitions, &sums[1]));
    BI_TRY(bi_read_back(ctx, found, sums, sizeof found));
    table->extra_probes = (int64_t)found[0];
    table->reseeded = (int32_t)(found[1] & UINT32_MAX); /* count_seeds adds 1, or 2^32 if linear */
    table->linear = (int32_t)(found[1] >> 32);
    return BOSC_OK;
}

bosc_status bi_hash_recount(bosc_ctx *ctx, bosc_hash *table, const uint32_t *touched)
{
    BI_RETURN_WITH_SCRATCH(ctx, recount_touched(ctx, table, touched));
}

/* *wrong is NULL before. A wrong table is no failure: returns BOSC_OK with the reason in *wrong. */
static bosc_status check_bucketed(bosc_ctx *ctx, const bosc_hash *table, const char **wrong)
{
    static const char *const texts[] = {"a partition does not begin where the one before it ends",
                                        "a bucket has a hash that does not belong there",
                                        "a bucket is not marked as spilled"};
    int64_t partitions = (int64_t)1 << table->shape.partition_bits, keys = 0;
    uint32_t *found, bits, *begins;
    BI_TRY(bi_scratch_of(ctx, 1, 4, &found));
    BI_TRY(ctx->backend->fill(ctx, found, 0, sizeof *found));
    struct bi_hash_check args = {bi_hash_view_of(table), (uint32_t)table->buckets, found, false};
    /* 1. Check the partitions alone, then, if they are right, their buckets too; report the first kind of error. */
    for (int round = 0; round < 2; round++) {
        args.buckets_too = round;
        BI_TRY(BI_HASH_STEP(ctx, check_partition, partitions, &args));
        BI_TRY(bi_read_back(ctx, &bits, found, sizeof bits));
        for (int k = 2; k >= 0; k--)
            if (bits & 1u << k) *wrong = texts[k];
        if (*wrong) return BOSC_OK;
    }
    /* 2. Count again, and compare with the figures of the file. */
    BI_TRY(bi_hash_count_touched(ctx, table, NULL, &begins, &keys));
    bosc_hash again = *table;
    BI_TRY(bi_hash_recount(ctx, &again, NULL));
    if (keys != table->keys || again.extra_probes != table->extra_probes || again.reseeded != table->reseeded ||
        again.linear != table->linear)
        *wrong = "its figures are not those of its buckets";
    return BOSC_OK;
}

static size_t no_fill_bytes(const bosc_hash *table, int64_t n)
{
    (void)table, (void)n;
    return 0;
}

/* Raises *most to the buckets of the longest linear partition. */
static bosc_status raise_to_longest(bosc_ctx *ctx, const bosc_hash *table, int32_t *most)
{
    int64_t partitions = (int64_t)1 << table->shape.partition_bits;
    uint32_t *lengths, *result, longest;
    BI_TRY(bi_scratch_of(ctx, partitions, 4, &lengths));
    BI_TRY(bi_scratch_of(ctx, 1, 4, &result));
    struct bi_hash_linear_lengths args = {table->blocks[BI_HASH_DESCRIPTORS].data, lengths};
    BI_TRY(BI_HASH_STEP(ctx, linear_lengths, partitions, &args));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_MAX, BOSC_U32, lengths, partitions, result));
    BI_TRY(bi_read_back(ctx, &longest, result, sizeof longest));
    if ((int64_t)longest > *most) *most = longest > INT32_MAX ? INT32_MAX : (int32_t)longest;
    return BOSC_OK;
}

static bosc_status get_bucketed_info(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_info *info)
{
    info->partitions = (int32_t)1 << table->shape.partition_bits;
    info->slots = table->buckets * BOSC_HASH_WIDTH;
    info->max_probes = 2;
    info->mean_probes = table->keys ? 1 + (double)table->extra_probes / (double)table->keys : 0;
    return table->linear ? raise_to_longest(ctx, table, &info->max_probes) : BOSC_OK;
}

const struct bi_hash_layout bi_hash_bucketed_layout = {.plan = plan_bucketed,
                                                       .fill = fill_bucketed,
                                                       .find = find_bucketed,
                                                       .build = build_bucketed,
                                                       .launches = true,
                                                       .pairs = list_all_pairs,
                                                       .fill_bytes = no_fill_bytes,
                                                       .info = get_bucketed_info,
                                                       .check = check_bucketed};
