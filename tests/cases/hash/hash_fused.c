/* The fused build writes the bytes and the report of partition and fill, for every number of partitions, few and many
 * pairs, all key and value sizes and loads; other inputs it must leave to those two. On the CPU the build in regions
 * takes the place of the fused one; it leaves tables of few pairs a partition to those two. */
#include "support/arrays.h"
#include "hash/handle.h"
#include "cases/hash/hash_data.h"

/* A table made one way or the other. */
struct made {
    bosc_hash table;
    struct array descriptors, buckets;
    struct bi_hash_report report;
    enum bi_hash_outcome outcome;
};

static struct made make_blocks(bosc_ctx *ctx, const bosc_hash *like, int64_t n)
{
    const struct bi_hash_shape *s = &like->shape;
    const size_t partitions = (size_t)1 << s->partition_bits;
    const size_t buckets = (size_t)((double)n / (s->load_factor * BOSC_HASH_WIDTH)) + 1 + partitions;
    const bool device = has_device_memory(ctx);
    struct made m = {.table = *like};
    m.descriptors = array_make(ctx, NULL, partitions * sizeof(bosc_hash_partition), device);
    m.buckets = array_make(ctx, NULL, buckets * (size_t)s->stride, device);
    m.table.blocks[BI_HASH_DESCRIPTORS] = (struct bi_block){m.descriptors.p, m.descriptors.bytes};
    m.table.blocks[BI_HASH_TABLE] = (struct bi_block){m.buckets.p, m.buckets.bytes};
    return m;
}

static void free_blocks(bosc_ctx *ctx, struct made *m)
{
    array_get(ctx, &m->descriptors); /* checks the guards */
    array_get(ctx, &m->buckets);
    array_free(ctx, &m->descriptors);
    array_free(ctx, &m->buckets);
}

static void in_two_steps(bosc_ctx *ctx, struct made *m, const void *keys, const void *values, int64_t n)
{
    const struct bi_hash_report none = {0};
    struct array report = array_make(ctx, &none, sizeof none, has_device_memory(ctx));
    struct bi_hash_lists lists;
    struct bi_mark mark = bi_arena_mark(ctx);
    CHECK_OK(ctx, m->table.ops->partition(ctx, &m->table.shape, keys, values, n, &lists));
    CHECK_OK(ctx, m->table.ops->fill(ctx, &m->table, &lists, false, report.p));
    bi_arena_rewind(ctx, mark);
    memcpy(&m->report, array_get(ctx, &report), sizeof m->report);
    array_free(ctx, &report);
}

static void check_same(bosc_ctx *ctx, struct made *fused, struct made *steps)
{
    const struct bi_hash_report *a = &fused->report, *b = &steps->report;
    const size_t bytes = (size_t)b->buckets * (size_t)steps->table.shape.stride;
    CHECK(a->buckets == b->buckets && a->reseeded == b->reseeded && a->extra_probes == b->extra_probes);
    CHECK(!a->repeats && !a->oversized && !a->linear && !a->too_large);
    CHECK(memcmp(array_get(ctx, &fused->descriptors), array_get(ctx, &steps->descriptors), steps->descriptors.bytes) ==
          0);
    CHECK(memcmp(array_get(ctx, &fused->buckets), array_get(ctx, &steps->buckets), bytes) == 0);
}

enum outcome { SAME, REPEATS, LEFT, LAST_REPEATS /* the last key is made the first one again */ };

/* Calls, and tables that were built. */
static int attempts, built;

static void fused(bosc_ctx *ctx, enum hash_pattern pattern, const bosc_hash_opts *o, int32_t partition_bits, int64_t n,
                  enum outcome expected)
{
    bosc_hash *table = NULL;
    struct hash_pairs p = hash_make(pattern, o, (uint64_t)n, n);
    const bool device = has_device_memory(ctx);
    CHECK_OK(ctx, bosc_hash_create(ctx, o, &table));
    table->shape.partition_bits = partition_bits;
    if (expected == LAST_REPEATS) {
        const size_t bytes = (size_t)table->shape.key_bytes;
        memcpy((char *)p.keys + (size_t)(n - 1) * bytes, p.keys, bytes);
        expected = REPEATS;
    }
    struct array keys = array_make(ctx, p.keys, (size_t)n * (size_t)table->shape.key_bytes, device);
    struct array values = array_make(ctx, p.values, (size_t)n * (size_t)o->value_size, device);
    const void *stored = o->value_size ? values.p : NULL;
    struct made one = make_blocks(ctx, table, n), two = make_blocks(ctx, table, n);
    CHECK_OK(ctx, bosc_ctx_sync(ctx)); /* enters the backend */
    CHECK_OK(ctx, table->ops->build(ctx, &one.table, keys.p, stored, n, &one.report, &one.outcome));
    if (device) CHECK_EQ(one.outcome == BI_HASH_BUILT, expected != LEFT);
    attempts++;
    built += one.outcome == BI_HASH_BUILT;
    if (one.outcome == BI_HASH_BUILT && expected == REPEATS) CHECK(one.report.repeats);
    if (one.outcome == BI_HASH_BUILT && expected != REPEATS) {
        in_two_steps(ctx, &two, keys.p, stored, n);
        check_same(ctx, &one, &two);
    }
    free_blocks(ctx, &one);
    free_blocks(ctx, &two);
    array_free(ctx, &keys);
    array_free(ctx, &values);
    bosc_hash_free(table);
    hash_free_pairs(&p);
}

static bosc_hash_opts opts_of(int32_t key_bits, int32_t value_size, double load)
{
    return (bosc_hash_opts){.size = sizeof(bosc_hash_opts),
                            .layout = BOSC_HASH_BUCKETED,
                            .key_bits = key_bits,
                            .value_size = value_size,
                            .load_factor = load,
                            .seed = 77};
}

static const int32_t sizes[] = {4, 0, 8, 12}; /* values; the last ones go as numbers of rows */
static const double loads[] = {0.7, 0.95, 0.8, 0.5, 0.9};

/* Sizes at the limits of blocks and tiles, with one to seven bits of partitions or more. */
static void every_size(bosc_ctx *ctx)
{
    attempts = built = 0;
    static const int64_t n[] = {1, 2, 31, 33, 500, 1023, 1025, 2049, 4096, 4097, 8192, 8193, 16384, 16385, 20001};
    for (int k = 0; k < 15 * 12; k++) {
        if (suite_leaves_out()) continue;
        bosc_hash_opts o = opts_of(32 << k % 3, sizes[k / 3 % 4], loads[k % 5]);
        int32_t bits = 1 + k % 7;
        while (n[k / 12] >> bits > 3000) bits++;
        fused(ctx, HASH_SEQUENCE, &o, bits, n[k / 12], SAME);
    }
    /* On the CPU the others have too few pairs a region; few attempts are no measure. */
    CHECK(ctx->threads > 1 || attempts < 60 || built > attempts / 4);
}

/* Tables of 2 to 16 partitions, at two load factors. */
static void few_partitions(bosc_ctx *ctx)
{
    static const int64_t n[] = {1030, 4096, 4097, 6000, 8192, 16384};
    static const int32_t bits[] = {2, 2, 3, 3, 4, 4};
    for (int k = 0; k < 12; k++) {
        bosc_hash_opts o = opts_of(32 << k % 3, sizes[k % 4], loads[k / 6]);
        fused(ctx, HASH_SEQUENCE, &o, bits[k % 6], n[k % 6], SAME);
    }
}

/* Every number of bits, tiles of every kind. */
static void tiles(bosc_ctx *ctx)
{
    const bool slow = suite_slow(ctx);
    for (int k = 0; k < 10 * 6; k++) {
        if (suite_leaves_out()) continue;
        bosc_hash_opts o = opts_of(32 << k % 3, sizes[k / 3 % 4], loads[k / 2 % 5]);
        const int32_t bits = 1 + k / 6;
        const int64_t room = (int64_t)3000 << bits, most = slow && room > 40000 ? 40000 : room;
        const int64_t n = 17000 + 1999 * (int64_t)k;
        fused(ctx, HASH_SEQUENCE, &o, bits, n < most ? n : most, SAME);
    }
    bosc_hash_opts o = opts_of(32, 4, 0.7);
    if (!suite_leaves_out()) fused(ctx, HASH_SEQUENCE, &o, 8, slow ? 262145 : 600001, SAME);
}

/* Partitions of more buckets than the threads of a block hold. */
static void more_buckets_than_threads(bosc_ctx *ctx)
{
    for (int k = 0; k < 12; k++) {
        if (suite_leaves_out()) continue;
        bosc_hash_opts o = opts_of(32, sizes[k % 4], loads[k / 4]);
        fused(ctx, HASH_SEQUENCE, &o, 1, 16500 + k, SAME);
    }
}

/* Partitions whose codes name the other bucket, of few threads and many. Others have more buckets than codes can name,
 * or a load above 0.96. A repeated key uses up all priorities, or finds its bucket full too often; if that happens
 * once, the key is in its bucket twice, or in both buckets. */
static void linked(bosc_ctx *ctx)
{
    static const double full[] = {0.5, 0.7, 0.95, 0.96, 0.97};
    static const int32_t bits[] = {1, 2, 3};
    static const int64_t n[] = {16400, 17001, 20003};
    for (int k = 0; k < 15; k++) {
        if (suite_leaves_out()) continue;
        bosc_hash_opts o = opts_of(32 << k % 2, sizes[k / 2 % 3], full[k % 5]);
        const int64_t most = (int64_t)4096 << bits[k / 5];
        fused(ctx, HASH_SEQUENCE, &o, bits[k / 5], o.key_bits == 32 || n[k / 5] < most ? n[k / 5] : most, SAME);
    }
    for (int k = 0; k < 4; k++) {
        bosc_hash_opts o = opts_of(32, sizes[k / 2], 0.95);
        fused(ctx, k % 2 ? HASH_FEW : HASH_EDGES, &o, 1, 16400, REPEATS);
    }
    for (int k = 0; k < 8; k++) { /* the emulator's blocks take half of the keys that a device's do */
        bosc_hash_opts o = opts_of(32, sizes[k % 3], k % 2 ? 0.95 : 0.6);
        fused(ctx, HASH_SEQUENCE, &o, 1 + k / 4, 16400 + k, LAST_REPEATS);
    }
    bosc_hash_opts in_both = opts_of(32, 8, 0.8);
    fused(ctx, HASH_SEQUENCE, &in_both, 2, 16420, LAST_REPEATS);
}

/* Repeated keys are reported; a crowded partition is left to the other build, and so are too many partitions. */
static void repeats_and_fallbacks(bosc_ctx *ctx)
{
    for (int k = 0; k < 12; k++) {
        bosc_hash_opts o = opts_of(32 << k % 3, sizes[k / 3], loads[k % 2]);
        fused(ctx, HASH_EQUAL, &o, 1, 40, REPEATS);
        fused(ctx, HASH_EQUAL, &o, 1, 2 + k / 4, REPEATS);
        fused(ctx, HASH_ONE_PARTITION, &o, 5, 3000, LEFT);
        fused(ctx, HASH_ONE_PARTITION, &o, 5, 17000, LEFT);
        fused(ctx, HASH_SEQUENCE, &o, 11, 3000, LEFT);
    }
}

static const struct suite_case suite_cases_hash_fused[] = {
    {"every size", every_size, NULL}, {"few partitions", few_partitions, NULL},
    {"tiles", tiles, NULL},           {"large", more_buckets_than_threads, NULL},
    {"linked", linked, NULL},         {"left", repeats_and_fallbacks, NULL}};
SUITE(hash_fused);
