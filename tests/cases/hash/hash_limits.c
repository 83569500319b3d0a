/* The largest partition: arithmetic of the shape at the limit, larger partitions refused before anything is read or
 * written, and the report of a build. Partitions just below the limit need gigabytes: see bench/hash_large.cu. */
#include <limits.h>

#include "support/arrays.h"
#include "hash/handle.h"
#include "cases/hash/hash_data.h"

enum { MOST = 1 << (32 - BOSC_HASH_SEED_BITS) }; /* buckets that a partition cannot have any more */

static void arithmetic(void)
{
    static const double loads[] = {0.5, 0.71, 0.8, 0.95, 0.97};
    CHECK_EQ(MOST, 1 << 26);
    CHECK(!bi_hash_too_many_buckets(1) && !bi_hash_too_many_buckets(MOST - 1) && bi_hash_too_many_buckets(MOST) &&
          bi_hash_too_many_buckets(UINT32_MAX));
    CHECK_EQ(bi_hash_partition_buckets(0.5, 0), 1);
    CHECK_EQ(bi_hash_partition_buckets(0.5, 2 * (MOST - 1)), MOST - 1);
    CHECK_EQ(bi_hash_partition_buckets(0.5, 2 * (MOST - 1) + 1), MOST);
    for (int l = 0; l < 5; l++) {
        uint32_t low = 0,
                 high = UINT32_MAX; /* the number of buckets fits its field for `low` keys, and not for `high` keys */
        while (high - low > 1) {
            uint32_t middle = low + (high - low) / 2;
            if (bi_hash_too_many_buckets(bi_hash_partition_buckets(loads[l], middle)))
                high = middle;
            else
                low = middle;
        }
        CHECK_EQ(bi_hash_partition_buckets(loads[l], low), MOST - 1);
        CHECK_EQ(bi_hash_partition_buckets(loads[l], high), MOST);
        CHECK((double)low <= loads[l] * BOSC_HASH_WIDTH * (MOST - 1) && (double)high > loads[l] * 4.0 * (MOST - 1));
    }
    /* a partition that is too large for its descriptor is never the common one, at any size of table */
    for (int bits = 32; bits <= 128; bits *= 2)
        CHECK(!bi_hash_too_many_buckets(bi_hash_partition_buckets(0.5, bi_hash_max_partition_keys(bits))));
}

/* Lists that say that the second partition has `keys` keys, though none is there: the fill must decide by the
 * number. */
static struct bi_hash_report fill_counts(bosc_ctx *ctx, double load, uint32_t keys, bool any)
{
    const bool device = has_device_memory(ctx);
    const uint32_t begins[] = {0, 0, keys}; /* scratch is for fewer */
    bosc_hash_partition partitions[2] = {{77, 78}, {79, 80}};
    bosc_hash_opts o = {.size = sizeof o, .layout = BOSC_HASH_BUCKETED, .load_factor = load};
    bosc_hash *table = NULL;
    struct bi_hash_report report = {0};
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
    struct array starts = array_make(ctx, begins, sizeof begins, device);
    struct array descriptors = array_make(ctx, partitions, sizeof partitions, device);
    struct array found = array_make(ctx, &report, sizeof report, device), none = array_make(ctx, NULL, 4, device);
    struct array bucket = array_make(ctx, NULL, 256, device); /* of the first partition, which is empty */
    bosc_hash shown = *table;
    shown.blocks[BI_HASH_DESCRIPTORS] = (struct bi_block){descriptors.p, sizeof partitions};
    shown.blocks[BI_HASH_TABLE] = (struct bi_block){bucket.p, 256};
    struct bi_hash_lists lists = {.n = 1000, .hashes = none.p, .starts = starts.p};
    CHECK_OK(ctx, bosc_ctx_sync(ctx)); /* enters the backend */
    struct bi_mark mark = bi_arena_mark(ctx);
    CHECK_OK(ctx, shown.ops->fill(ctx, &shown, &lists, any, found.p));
    bi_arena_rewind(ctx, mark);
    memcpy(&report, array_get(ctx, &found), sizeof report);
    array_get(ctx, &descriptors);
    array_get(ctx, &bucket);
    array_free(ctx, &bucket);
    array_free(ctx, &starts);
    array_free(ctx, &descriptors);
    array_free(ctx, &found);
    array_free(ctx, &none);
    bosc_hash_free(table);
    return report;
}

static void partitions_too_large(bosc_ctx *ctx)
{
    static const uint32_t keys[] = {2 * (MOST - 1) + 1, 2u * MOST, 2u * MOST + 1, 3000000000u, UINT32_MAX - 2};
    for (int k = 0; k < 5; k++) {
        struct bi_hash_report report = fill_counts(ctx, 0.5, keys[k], true);
        CHECK(report.too_large);
        report = fill_counts(ctx, 0.5, keys[k], false);
        CHECK(report.too_large && report.oversized);
    }
    /* the largest valid partition is crowded, not too large */
    struct bi_hash_report report = fill_counts(ctx, 0.5, 2 * (MOST - 1), false);
    CHECK(!report.too_large && report.oversized);
}

/* A layout whose partitions are always too large. */
static bosc_status fill_too_large(bosc_ctx *ctx, const bosc_hash *table, const struct bi_hash_lists *lists, bool any,
                                  struct bi_hash_report *report)
{
    (void)table, (void)lists, (void)any;
    return ctx->backend->fill(ctx, &report->too_large, 1, sizeof report->too_large);
}

/* The build fails by name, and leaves a table that is empty and can be built again. */
static void refused(bosc_ctx *ctx)
{
    struct bi_hash_layout too_large = bi_hash_bucketed_layout;
    bosc_hash_opts o = {.size = sizeof o, .layout = BOSC_HASH_BUCKETED, .value_size = 4};
    struct hash_pairs p = hash_make(HASH_SEQUENCE, &o, 1, 50);
    bosc_hash *table = NULL;
    uint8_t found[50];
    too_large.build = NULL;
    too_large.fill = fill_too_large;
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
    CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, 50));
    table->layout = &too_large;
    CHECK_STATUS(ctx, bosc_hash_build(ctx, table, p.keys, p.values, 50), BOSC_ERR_LIMIT);
    CHECK(suite_begins(bosc_ctx_message(ctx), "keys: too many of them share a part"));
    table->layout = &bi_hash_bucketed_layout;
    CHECK_OK(ctx, bosc_hash_find(ctx, table, p.keys, 50, NULL, found));
    for (int i = 0; i < 50; i++) CHECK_EQ(found[i], 0);
    CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, 50));
    table->layout = &too_large;
    CHECK_STATUS(ctx, bosc_hash_rehash(ctx, table, 0, 5), BOSC_ERR_LIMIT);
    table->layout = &bi_hash_bucketed_layout;
    CHECK_OK(ctx, bosc_hash_find(ctx, table, p.keys, 50, NULL, found));
    for (int i = 0; i < 50; i++) CHECK_EQ(found[i], 1);
    bosc_hash_free(table);
    hash_free_pairs(&p);
}

static const struct suite_case suite_cases_hash_limits[] = {
    {"arithmetic", NULL, arithmetic}, {"partitions too large", partitions_too_large, NULL}, {"refused", refused, NULL}};
SUITE(hash_limits);
