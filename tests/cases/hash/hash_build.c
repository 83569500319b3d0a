/* Tables hold the pairs that they are built from, whatever the keys. */
#include <math.h>

#include "support/arrays.h"
#include "cases/hash/hash_data.h"

/* Builds a table and its oracle, and compares all that they say. */
static void compare(bosc_ctx *ctx, bosc_hash_opts o, enum hash_pattern pattern, int64_t n)
{
    bosc_hash *table = NULL;
    o.size = sizeof o;
    struct hash_pairs p = hash_make(pattern, &o, (uint64_t)n, n);
    struct reference_hash oracle = {.opts = o};
    int64_t bad;
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
    bool good = reference_hash_insert(&oracle, p.keys, p.values, n, &bad);
    bosc_status status = bosc_hash_build(ctx, table, p.keys, p.values, n);
    if (good) {
        CHECK_STATUS(ctx, status, BOSC_OK);
    } else {
        char message[64];
        snprintf(message, sizeof message, "keys: row %lld ", (long long)bad);
        CHECK_STATUS(ctx, status, BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx), message));
    }
    int64_t m = pattern == HASH_EQUAL || pattern == HASH_FEW ? 100 : n < 300 ? 300 : 3000; /* all values are fetched */
    void *queries = hash_queries(&p, 3, m);
    hash_check_pairs(ctx, table, &oracle);
    hash_check_queries(ctx, table, &oracle, queries, m);
    free(queries);
    hash_free_pairs(&p);
    reference_hash_clear(&oracle);
    bosc_hash_free(table);
}

static void every_small_size(bosc_ctx *ctx)
{
    for (int64_t n = 0; n <= (suite_slow(ctx) ? 40 : 300); n += n < 70 ? 1 : 11)
        compare(ctx, hash_options((int)n), (enum hash_pattern)(n / 3 % HASH_PATTERNS), n);
}

/* A sum that is no number is the canonical NaN, whatever NaNs went in or came out. */
static void sums_of_nan(bosc_ctx *ctx)
{
    const double d[2][3] = {{(double)INFINITY, -(double)INFINITY, 1}, {1, -(double)NAN, 2}};
    const float f[2][3] = {{INFINITY, -INFINITY, 1}, {1, -NAN, 2}};
    const uint32_t keys[3] = {5, 5, 5};
    for (int k = 0; k < 4; k++) {
        bosc_hash *table = NULL;
        bosc_hash_opts o = {.size = sizeof o,
                            .value_size = k % 2 ? 8 : 4,
                            .duplicates = BOSC_HASH_SUM,
                            .value_dtype = k % 2 ? BOSC_F64 : BOSC_F32};
        uint64_t sum = 0;
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, keys, k % 2 ? (const void *)d[k / 2] : f[k / 2], 3));
        CHECK_OK(ctx, bosc_hash_find(ctx, table, keys, 1, &sum, NULL));
        CHECK(sum == (k % 2 ? 0x7ff8000000000000u : 0x7fc00000u));
        bosc_hash_free(table);
    }
}

/* Every number of keys, at the highest load: all are found, and no other. */
static void every_size(bosc_ctx *ctx)
{
    int64_t most = suite_slow(ctx) ? 60 : 1000; /* and 50 absent keys */
    for (int bits = 32; bits <= 128; bits *= 2) {
        bosc_hash_opts o = {
            .size = sizeof o, .layout = BOSC_HASH_BUCKETED, .key_bits = bits, .value_size = 4, .load_factor = 0.97};
        struct hash_pairs p = hash_make(HASH_SEQUENCE, &o, 1, 2 * most);
        uint8_t *found = suite_alloc((size_t)(2 * most));
        uint32_t *values = suite_alloc((size_t)(2 * most) * 4);
        bosc_hash *table = NULL;
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        for (int64_t n = bits / 64; n <= most; n += 3) { /* the three widths share the sizes */
            CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, n));
            CHECK_EQ(table->keys, n);
            CHECK_EQ(table->linear, 0);
            CHECK_OK(ctx, bosc_hash_find(ctx, table, p.keys, n + 50, values, found));
            CHECK(memcmp(values, p.values, (size_t)n * 4) == 0);
            for (int64_t i = 0; i < n + 50; i++) CHECK_EQ(found[i], i < n);
        }
        bosc_hash_free(table);
        hash_free_pairs(&p);
        free(found);
        free(values);
    }
}

/* Enough keys for all threads to share partitions, partitions and queries. */
static void shared_by_threads(bosc_ctx *ctx)
{
    if (suite_slow(ctx) && has_device_memory(ctx)) return;
    for (int k = 0; k < 6; k++) {
        static const int32_t sizes[] = {4, 8, 0, 12, 8, 4};
        bosc_hash_opts o = {.size = sizeof o, .key_bits = 32 << k % 3, .value_size = sizes[k], .load_factor = 0.95};
        const int64_t n = 100000;
        struct hash_pairs p = hash_make(HASH_SEQUENCE, &o, 1, n + 1000);
        uint8_t *found = suite_alloc((size_t)(n + 1000));
        void *values = suite_alloc((size_t)((n + 1000) * o.value_size + 1));
        bosc_hash *table = NULL;
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        for (int again = 0; again < 2; again++) {
            CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, n));
            CHECK_OK(ctx, bosc_hash_find(ctx, table, p.keys, n + 1000, values, found));
            CHECK(memcmp(values, p.values, (size_t)(n * o.value_size)) == 0);
            for (int64_t i = 0; i < n + 1000; i++) CHECK_EQ(found[i], i < n);
        }
        bosc_hash_free(table);
        hash_free_pairs(&p);
        free(found);
        free(values);
    }
}

static void check_block(const bosc_hash *a, const bosc_hash *b, int block, size_t bytes)
{
    CHECK(memcmp(a->blocks[block].data, b->blocks[block].data, bytes) == 0);
}

/* Builds without a count of the pairs, or without lists, make the bytes that counted lists make. crowded: one partition
 * has more keys than chance gives it, though not too many. */
static void same_as_lists(bosc_ctx *ctx, bosc_hash_opts o, int64_t n, int64_t crowded)
{
    bosc_hash *table = NULL, *listed = NULL;
    struct hash_pairs p = hash_make(HASH_RANDOM, &o, (uint64_t)n, n);
    for (int64_t i = 0; i < crowded; i++) {
        const uint64_t x = (uint64_t)i * 3 + 1; /* hashes of the first partition */
        bi_hash_store(p.keys, o.key_bits, i * (n / crowded),
                      bi_hash_key_of((bosc_hash_word){x, 0}, o.key_bits, o.seed));
    }
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &listed));
    struct bi_hash_layout without = *listed->layout;
    without.build = NULL;
    listed->layout = &without;
    CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, n));
    CHECK_OK(ctx, bosc_hash_build(ctx, listed, p.keys, p.values, n));
    CHECK_EQ(table->keys, listed->keys);
    CHECK_EQ(table->buckets, listed->buckets);
    CHECK_EQ(table->extra_probes, listed->extra_probes);
    CHECK_EQ(table->reseeded, listed->reseeded);
    check_block(table, listed, BI_HASH_DESCRIPTORS, sizeof(bosc_hash_partition) << table->shape.partition_bits);
    check_block(table, listed, BI_HASH_TABLE, (size_t)table->buckets * (size_t)table->shape.stride);
    bosc_hash_free(table);
    bosc_hash_free(listed);
    hash_free_pairs(&p);
}

static void builds_equal_lists(bosc_ctx *ctx)
{
    static const int64_t numbers[] = {1, 63, 1000, 5000, 16384, 16385, 33000, 70001};
    if (has_device_memory(ctx)) return;
    for (int k = 0; k < 96; k++) {
        static const int32_t sizes[] = {4, 8, 0, 12};
        bosc_hash_opts o = {.size = sizeof o,
                            .layout = BOSC_HASH_BUCKETED,
                            .key_bits = 32 << k % 3,
                            .value_size = sizes[k / 3 % 4],
                            .load_factor = k % 2 ? 0.8 : 0.95,
                            .seed = 99};
        if (suite_leaves_out() || (suite_slow(ctx) && k / 12 > 5)) continue;
        const int64_t n = numbers[k / 12];
        same_as_lists(ctx, o, n, 0);
        if (n > 16384) same_as_lists(ctx, o, n, 700);
    }
}

static void patterns(bosc_ctx *ctx)
{
    for (int k = 0; k < 9 * HASH_PATTERNS; k++) {
        if (suite_leaves_out()) continue;
        int64_t n = suite_slow(ctx) ? 100 + 13 * k : 3000 + 377 * k;
        if (k % HASH_PATTERNS == HASH_ONE_FOLD) n = 200;
        compare(ctx, hash_options(k), (enum hash_pattern)(k % HASH_PATTERNS), n);
    }
}

static void sums(bosc_ctx *ctx)
{
    static const bosc_dtype types[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64, BOSC_U32, BOSC_U64};
    for (int k = 0; k < 24; k++) {
        bosc_hash_opts o = {.value_dtype = types[k % 6],
                            .value_size = (int32_t)bosc_dtype_size(types[k % 6]),
                            .duplicates = k / 6 % 2 ? BOSC_HASH_MIN : BOSC_HASH_SUM,
                            .counted = k / 12};
        compare(ctx, o, HASH_FEW, suite_slow(ctx) ? 200 : 5000);
        compare(ctx, o, HASH_EQUAL, 100);
    }
}

static const struct suite_case suite_cases_hash_build[] = {
    {"sums of NaN", sums_of_nan, NULL},
    {"small", every_small_size, NULL},
    {"every size", every_size, NULL},
    {"many", shared_by_threads, NULL},
    {"ways", builds_equal_lists, NULL},
    {"patterns", patterns, NULL},
    {"sums", sums, NULL},
};
SUITE(hash_build);
