/* Saved tables: the same bytes everywhere, read back whole; every damage and every forged file is refused or
 * harmless. */
#include "cases/hash/hash_data.h"

static bosc_hash *build_from_pattern(bosc_ctx *ctx, bosc_hash_opts o, enum hash_pattern pattern, int64_t n)
{
    bosc_hash *table = NULL;
    o.size = sizeof o;
    if (o.duplicates == BOSC_HASH_ERROR) o.duplicates = BOSC_HASH_LAST;
    struct hash_pairs p = hash_make(pattern, &o, 7, n);
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
    CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, n));
    hash_free_pairs(&p);
    return table;
}

static void round_trip(bosc_ctx *ctx)
{
    for (int k = 0; k < 52; k++) {
        if (suite_leaves_out()) continue;
        bosc_hash_opts o = hash_options(k);
        if (o.value_size == 4) o.value_dtype = BOSC_U32;
        bosc_hash *table = build_from_pattern(ctx, o, (enum hash_pattern)(k % HASH_PATTERNS), k % 5 ? 20 * k : k % 3);
        bosc_hash *back = saved_again(ctx, &saved_hash, table, 0);
        bosc_hash_info x = {.size = sizeof x}, y = x;
        CHECK_OK(ctx, bosc_hash_get_info(ctx, table, &x));
        CHECK_OK(ctx, bosc_hash_get_info(ctx, back, &y));
        CHECK(x.keys == y.keys && x.pairs == y.pairs && x.slots == y.slots && x.linear == y.linear);
        CHECK(y.key_bits == (o.key_bits ? o.key_bits : 32) && y.value_size == o.value_size && y.kind == o.kind);
        CHECK(y.value_dtype == o.value_dtype && y.counted == (o.counted != 0));
        CHECK(x.mean_probes == y.mean_probes && x.max_probes == y.max_probes && x.partitions == y.partitions);
        bosc_hash_free(table);
        bosc_hash_free(back);
    }
}

/* Every truncation, and every bit flipped. */
static void damage(bosc_ctx *ctx)
{
    for (int layout = BOSC_HASH_BUCKETED; layout <= BOSC_HASH_ORDERED;
         layout++) { /* a saved AUTO table is one of them */
        if (suite_leaves_out()) continue;
        bosc_hash_opts o = {.layout = (bosc_hash_layout)layout, .value_size = 4};
        if (layout == BOSC_HASH_PERFECT) o.kind = BOSC_HASH_MULTIMAP;
        bosc_hash *table = build_from_pattern(ctx, o, HASH_FEW, suite_slow(ctx) ? 2 : 6);
        struct saved f = hash_save(ctx, table);
        saved_damage(ctx, &saved_hash, table, suite_slow(ctx) || f.size > 1000 ? 37 : 1);
        free(f.bytes);
        bosc_hash_free(table);
    }
}

enum { IN_PARTS = 32, IN_PADDING = 36, IN_TABLE = 48 };

static const struct saved_lie lies[] = {
    {0, 7, "not the bytes of one"},
    {2, 2, "version 2"},
    {2, 0, "version 0"},
    {3, 7, "options"},
    {3, UINT32_MAX, "options"},
    {4, 2, "options"},
    {4, 0, NULL}, /* a map */
    {5, 0, "options"},
    {5, 16, "options"},
    {5, 64, NULL},
    {5, 256, "options"},
    {6, 65, "options"},
    {6, 0x80000000u, "options"},
    {6, 64, "ends within its values"},
    {7, 5, "options"},
    {7, 1, "options"}, /* of a multimap */
    {8, 8, "options"},
    {9, 1, "options"},
    {9, 2, "options"},
    {11, 0, "options"}, /* the load */
    {11, 0x7ff00000u, "options"},
    {11, 0x40000000u, "options"},
    {12, 1, NULL}, /* the seed */
    {14, 1, "keys"},
    {14, 100, "values"},
    {15, 1, "keys"},
    {15, 0x80000000u, "keys"},
    {16, 0, "figures"},
    {16, 1, "figures"},
    {16, 9, "keys"},
    {17, 0x80000000u, "keys"},
    {18, 0, "buckets"},
    {18, 1, NULL},
    {18, 200, "ends within its table"},
    {19, 1, "buckets"},
    {20, 1, "figures"},
    {21, 0x80000000u, "figures"},
    {22, 1, "figures"},
    {23, 1, "figures"},
    {23, UINT32_MAX, "figures"},
    {24, 0, "partitions"},
    {24, 31, "partitions"},
    {24, 2, "partition"},
    {25, 1, "options"}, /* functions, of a bucketed table */
    {25, 5, "options"},
    {26, 1, "options"}, /* to go left, of a bucketed table */
    {26, 2, "options"},
    {27, 1, "unknown fields"},
    {28, 1, "unknown fields"},
    {29, 1, "unknown fields"},
    {IN_PARTS, 1, "a partition does not begin"},
    {IN_PARTS + 1, 0, "a partition does not begin"},
    {IN_PARTS + 1, 2 << 6, "a partition does not begin"},
    {IN_PARTS + 1, UINT32_MAX, "a partition does not begin"},
    {IN_PARTS + 1, 1 << 6 | 5, "figures"},
    {IN_PARTS + 1, 1 << 6 | 63, "figures"},
    {IN_PARTS + 2, 0, "a partition does not begin"},
    {IN_PARTS + 2, 0x7fffffff, "a partition does not begin"},
    {IN_PARTS + 3, UINT32_MAX, "a partition does not begin"},
    {IN_TABLE + 3, 0x80000002u, "a hash that does not belong"},
    {IN_TABLE + 3, 0, NULL},
    {IN_TABLE + 2, 0x10000001u, "a hash that does not belong"}, /* behind a filler */
    {IN_TABLE + 5, UINT32_MAX, "values are not there"},
    {IN_TABLE + 4, UINT32_MAX, "values are not there"},
    {IN_TABLE + 5, 0, "values are not there"},
    {IN_PADDING, 1, "between its arrays"},
};

/* Two keys of three and two values, one in each partition: the buckets are the first ones of the table. */
static struct saved small_multimap(bosc_ctx *ctx)
{
    bosc_hash_opts o = {.size = sizeof o, .layout = BOSC_HASH_BUCKETED, .kind = BOSC_HASH_MULTIMAP, .value_size = 4};
    uint32_t keys[5], values[5] = {1, 2, 3, 4, 5};
    for (int i = 0; i < 5; i++)
        keys[i] = (uint32_t)bi_hash_key_of((bosc_hash_word){i % 2 ? 0x90000000u : 0x10000000u, 0}, 32, 0).low;
    bosc_hash *table = NULL;
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
    CHECK_OK(ctx, bosc_hash_build(ctx, table, keys, values, 5));
    CHECK_EQ(table->keys, 2);
    CHECK_EQ(table->buckets, 2);
    struct saved f = hash_save(ctx, table);
    bosc_hash_free(table);
    return f;
}

static void malice(bosc_ctx *ctx)
{
    struct saved f = small_multimap(ctx);
    CHECK_EQ(f.size, 128 + 64 + 128 + 64 + 8);
    saved_lies(ctx, &saved_hash, &f, lies, sizeof lies / sizeof lies[0], NULL);
    free(f.bytes);
}

/* Files of the other layouts that lie about their partitions and runs. */
static void malice_of_slots(bosc_ctx *ctx)
{
    static const struct saved_lie wrong[] = {
        {18, 3, "the number of runs is not that of its keys"},
        {18, 8, "the number of runs is not that of its keys"},
        {24, 3, "its number of partitions is not that of its keys"},
        {24, 30, "its number of partitions is not that of its keys"},
        {IN_PARTS + 2, 1 << 8, "a run does not begin where the one before it ends"},
        {IN_PARTS + 4, UINT32_MAX, "a run does not begin where the one before it ends"},
    };
    for (int layout = BOSC_HASH_PERFECT; layout <= BOSC_HASH_ORDERED; layout++) {
        bosc_hash_opts o = {.layout = (bosc_hash_layout)layout, .value_size = 4};
        bosc_hash *table = build_from_pattern(ctx, o, HASH_SEQUENCE, 2100);
        struct saved f = hash_save(ctx, table);
        saved_lies(ctx, &saved_hash, &f, wrong, sizeof wrong / sizeof wrong[0], NULL);
        free(f.bytes);
        bosc_hash_free(table);
    }
}

/* A full bucket whose first two keys are in order is marked: some of its keys are in their second buckets. Turned
 * round, they would be looked for no more. */
static void lost_marks(bosc_ctx *ctx)
{
    bosc_hash_opts o = {.layout = BOSC_HASH_BUCKETED, .load_factor = 0.97};
    bosc_hash *table = build_from_pattern(ctx, o, HASH_SEQUENCE, 400);
    struct saved f = hash_save(ctx, table);
    size_t bytes = (size_t)table->buckets * BOSC_HASH_WIDTH * 4;
    uint32_t *buckets = (uint32_t *)(void *)(f.bytes + f.size - sizeof(uint64_t) - (bytes + 63) / 64 * 64);
    int marked = 0;
    CHECK_EQ(table->shape.partition_bits, 1); /* fillers have another top bit than the keys before them */
    for (int64_t b = 0; b < table->buckets; b++) {
        uint32_t *hash = buckets + b * BOSC_HASH_WIDTH, first = hash[0], second = hash[1];
        if (first >= second || (first ^ hash[BOSC_HASH_WIDTH - 1]) >> 31) continue;
        hash[0] = second;
        hash[1] = first;
        saved_seal(f.bytes, f.size, saved_hash.header);
        saved_refused(ctx, &saved_hash, &f, "a bucket is not marked as spilled");
        hash[0] = first;
        hash[1] = second;
        marked++;
    }
    CHECK(marked > 10);
    free(f.bytes);
    bosc_hash_free(table);
}

/* A file whose header claims a huge table and that then ends takes little memory. */
static void huge_header(bosc_ctx *ctx)
{
    struct saved f = small_multimap(ctx);
    struct bi_hash_header *h = (struct bi_hash_header *)(void *)f.bytes;
    h->partition_bits = 30;
    saved_seal(f.bytes, f.size, saved_hash.header);
    saved_refused(ctx, &saved_hash, &f, "ends within its partitions");
    h->partition_bits = 1;
    h->keys = h->pairs = (int64_t)UINT32_MAX - 1;
    h->buckets = UINT32_MAX;
    saved_seal(f.bytes, f.size, saved_hash.header);
    saved_refused(ctx, &saved_hash, &f, "ends within its table");
    free(f.bytes);
}

static const unsigned char golden_bucketed[] = {
#include "golden/hash-v1.bosc.inc"
};
static const unsigned char golden_perfect[] = {
#include "golden/hash-v1-perfect.bosc.inc"
};
static const unsigned char golden_hybrid[] = {
#include "golden/hash-v1-hybrid.bosc.inc"
};
static const unsigned char golden_fks[] = {
#include "golden/hash-v1-fks.bosc.inc"
};
static const unsigned char golden_cuckoo[] = {
#include "golden/hash-v1-cuckoo.bosc.inc"
};
static const unsigned char golden_chained[] = {
#include "golden/hash-v1-chained.bosc.inc"
};
static const unsigned char golden_ordered[] = {
#include "golden/hash-v1-ordered.bosc.inc"
};

/* Tables in the first version of the format, one of each layout, and the options that they were made with. */
static const struct {
    const char *name;
    const unsigned char *bytes;
    size_t size;
    bosc_hash_opts opts;
} golden_files[] = {
    {"hash-v1.bosc",
     golden_bucketed,
     sizeof golden_bucketed,
     {.layout = BOSC_HASH_BUCKETED, .key_bits = 64, .value_size = 3, .counted = 1, .seed = 3}},
    {"hash-v1-perfect.bosc", golden_perfect, sizeof golden_perfect, {.layout = BOSC_HASH_PERFECT, .value_size = 4}},
    {"hash-v1-hybrid.bosc",
     golden_hybrid,
     sizeof golden_hybrid,
     {.layout = BOSC_HASH_HYBRID, .value_size = 4, .seed = 1}},
    {"hash-v1-fks.bosc", golden_fks, sizeof golden_fks, {.layout = BOSC_HASH_FKS, .key_bits = 64, .value_size = 4}},
    {"hash-v1-cuckoo.bosc",
     golden_cuckoo,
     sizeof golden_cuckoo,
     {.layout = BOSC_HASH_CUCKOO, .functions = 2, .load_factor = 0.5, .value_size = 4, .seed = 256}},
    {"hash-v1-chained.bosc",
     golden_chained,
     sizeof golden_chained,
     {.layout = BOSC_HASH_CHAINED, .key_bits = 128, .value_size = 1}},
    {"hash-v1-ordered.bosc",
     golden_ordered,
     sizeof golden_ordered,
     {.layout = BOSC_HASH_ORDERED, .key_bits = 64, .value_size = 4, .seed = 2}},
};

static void golden(bosc_ctx *ctx)
{
    enum { QUERIES = 200 };
    for (size_t k = 0; k < sizeof golden_files / sizeof *golden_files; k++) {
        const bosc_hash_opts *o = &golden_files[k].opts;
        const enum hash_pattern pattern = k ? HASH_SEQUENCE : HASH_FEW;
        const int64_t n = k ? 60 : 40;
        bosc_hash_info info = {.size = sizeof info};
        bosc_hash *table = build_from_pattern(ctx, *o, pattern, n), *back;
        struct reference_hash oracle = {.opts = table->opts};
        struct hash_pairs p = hash_make(pattern, &table->opts, 7, n);
        void *queries = hash_queries(&p, 5, QUERIES);
        int64_t bad;
        CHECK(reference_hash_insert(&oracle, p.keys, p.values, n, &bad));
        back = saved_golden(ctx, &saved_hash, table, golden_files[k].name, golden_files[k].bytes, golden_files[k].size);
        hash_check_queries(ctx, back, &oracle, queries, QUERIES);
        CHECK_OK(ctx, bosc_hash_get_info(ctx, back, &info));
        if (o->layout == BOSC_HASH_CUCKOO) CHECK_EQ(info.max_probes, o->functions + 1); /* it has a stash */
        bosc_hash_free(back);
        bosc_hash_free(table);
        reference_hash_clear(&oracle);
        hash_free_pairs(&p);
        free(queries);
    }
}

/* Copies the bytes of a slot over its neighbour, under correct hashes: reading refuses the table, or each of its keys
 * is there once and found. */
static void repeated_slots(bosc_ctx *ctx)
{
    enum { N = 60, HEADER = 128 };
    for (int layout = BOSC_HASH_PERFECT; layout <= BOSC_HASH_ORDERED; layout++) {
        int refused = 0, trials = 0;
        bosc_hash_opts o = {.layout = (bosc_hash_layout)layout, .value_size = 4, .key_bits = 32};
        bosc_hash *table = build_from_pattern(ctx, o, HASH_SEQUENCE, N), *read = NULL;
        struct saved f = hash_save(ctx, table);
        /* Every 8 bytes of the file in turn. */
        for (size_t at = HEADER; at + 24 <= f.size; at += 8) {
            if (suite_leaves_out()) continue;
            struct saved bad = {.bytes = suite_alloc(f.size), .size = f.size};
            trials++;
            memcpy(bad.bytes, f.bytes, f.size);
            memcpy(bad.bytes + at + 8, f.bytes + at, 8);
            saved_seal(bad.bytes, bad.size, saved_hash.header);
            if (bosc_hash_read(ctx, saved_deliver, &bad, &read) == BOSC_OK) {
                uint32_t keys[N], values[N];
                int64_t erased;
                CHECK_OK(ctx, bosc_hash_get_pairs(ctx, read, keys, values, NULL));
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < i; j++) CHECK(keys[i] != keys[j]);
                CHECK_OK(ctx, bosc_hash_erase(ctx, read, keys, N, &erased));
                CHECK_EQ(erased, N);
                bosc_hash_free(read);
            } else {
                CHECK(suite_begins(bosc_ctx_message(ctx), "saved table: "));
                refused++;
            }
            free(bad.bytes);
        }
        CHECK(trials < 20 || refused > 0);
        free(f.bytes);
        bosc_hash_free(table);
    }
}

static const struct suite_case suite_cases_hash_save[] = {
    {"round trip", round_trip, NULL}, {"damage", damage, NULL},
    {"malice", malice, NULL},         {"malice of slots", malice_of_slots, NULL},
    {"lost marks", lost_marks, NULL}, {"huge header", huge_header, NULL},
    {"golden", golden, NULL},         {"repeated slots", repeated_slots, NULL},
};
SUITE(hash_save);
