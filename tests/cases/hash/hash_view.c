/* One key at a time: the functions of boscage/device/hash.h and hash_slots.h find the keys and values that the
 * library's calls find, in tables of all layouts and kinds. (On a device, queries use them: hash_build and
 * hash_layouts.) */
#include <boscage/device/hash_slots.h>

#include "cases/hash/hash_data.h"

enum { LAYOUTS = BOSC_HASH_ORDERED + 1, QUERIES = 300 };

static const struct size {
    int64_t n;
    enum hash_pattern pattern;
} sizes[] = {{0, HASH_RANDOM}, {1, HASH_RANDOM},    {40, HASH_EQUAL},    {300, HASH_EDGES},
             {700, HASH_FEW},  {900, HASH_STRIDED}, {3000, HASH_RANDOM}, {2000, HASH_ONE_PARTITION}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* A view of either kind. */
struct view {
    bool bucketed;
    bosc_hash_view buckets;
    bosc_hash_slots_view slots;
};

static struct view view_of(bosc_ctx *ctx, const bosc_hash *table)
{
    struct view v = {.bucketed = table->opts.layout == BOSC_HASH_BUCKETED};
    if (v.bucketed) {
        CHECK_OK(ctx, bosc_hash_get_view(ctx, table, &v.buckets));
        CHECK_EQ(v.buckets.version, BOSC_HASH_VIEW_VERSION);
    } else {
        CHECK_OK(ctx, bosc_hash_get_slots_view(ctx, table, &v.slots));
        CHECK_EQ(v.slots.version, BOSC_HASH_SLOTS_VERSION);
    }
    return v;
}

/* The value stored with a key, or NULL. */
static const unsigned char *look_up(const struct view *v, bosc_hash_word key)
{
    int64_t slot = v->bucketed ? bosc_hash_look_up(&v->buckets, key) : bosc_hash_slots_look_up(&v->slots, key);
    if (v->bucketed)
        CHECK((slot < 0) == !bosc_hash_look_up_value(&v->buckets, key));
    else
        CHECK((slot < 0) == !bosc_hash_slots_look_up_value(&v->slots, key));
    if (slot < 0) return NULL;
    if (!v->bucketed) {
        CHECK(bosc_hash_slots_look_up_value(&v->slots, key) == bosc_hash_slots_value_at(&v->slots, slot));
        return bosc_hash_slots_value_at(&v->slots, slot);
    }
    CHECK(bosc_hash_look_up_value(&v->buckets, key) == bosc_hash_value_at(&v->buckets, slot));
    return bosc_hash_value_at(&v->buckets, slot);
}

static void check_key(bosc_ctx *ctx, const bosc_hash *table, const struct view *v, const void *query)
{
    const bosc_hash_opts *o = &table->opts;
    const size_t size = (size_t)o->value_size;
    const unsigned char *stored = look_up(v, bosc_hash_word_at(query, 0, o->key_bits));
    unsigned char value[64], found;
    int64_t count, offsets[2];
    uint32_t words[2] = {0, stored != NULL}; /* of a multimap; otherwise the number of pairs */
    CHECK_OK(ctx, bosc_hash_find(ctx, table, query, 1, value, &found));
    CHECK_OK(ctx, bosc_hash_count(ctx, table, query, 1, &count));
    CHECK_EQ(found, stored != NULL);
    if (stored && o->kind == BOSC_HASH_MULTIMAP) memcpy(words, stored, sizeof words);
    if (stored && o->counted) memcpy(&words[1], stored + size, sizeof words[1]);
    CHECK_EQ(words[1], count);
    if (!stored || !size) return;
    const unsigned char *values = stored;
    if (o->kind == BOSC_HASH_MULTIMAP) values = (v->bucketed ? v->buckets.values : v->slots.values) + words[0] * size;
    CHECK(memcmp(values, value, size) == 0);
    if (o->kind != BOSC_HASH_MULTIMAP) return;
    unsigned char *all = suite_alloc((size_t)count * size);
    CHECK_OK(ctx, bosc_hash_retrieve(ctx, table, query, 1, offsets, NULL, 0));
    CHECK_EQ(offsets[1], count);
    CHECK_OK(ctx, bosc_hash_retrieve(ctx, table, query, 1, offsets, all, count));
    CHECK(memcmp(values, all, (size_t)count * size) == 0);
    free(all);
}

static void single_keys(bosc_ctx *ctx)
{
    static const int32_t bits[] = {32, 64, 128}, value_sizes[] = {4, 0, 8, 3, 16};
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    if (info.backend != BOSC_BACKEND_CPU) return; /* out of the host's reach */
    for (int k = 0; k < 2 * LAYOUTS * SIZES; k++) {
        if (suite_leaves_out()) continue;
        const struct size *s = &sizes[k / LAYOUTS % SIZES];
        bosc_hash_opts o = {.size = sizeof o,
                            .layout = (bosc_hash_layout)(k % LAYOUTS),
                            .kind = k / (LAYOUTS * SIZES) ? BOSC_HASH_MULTIMAP : BOSC_HASH_MAP,
                            .key_bits = bits[k / LAYOUTS % 3],
                            .value_size = value_sizes[k % 5],
                            .seed = (uint64_t)k};
        o.counted = o.kind == BOSC_HASH_MAP && k % 2;
        struct hash_pairs p = hash_make(s->pattern, &o, (uint64_t)k, s->n);
        void *queries = hash_queries(&p, (uint64_t)k + 1, QUERIES);
        bosc_hash *table = NULL;
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, p.n));
        struct view v = view_of(ctx, table);
        for (int64_t q = 0; q < QUERIES; q++) check_key(ctx, table, &v, (const char *)queries + q * o.key_bits / 8);
        bosc_hash_free(table);
        hash_free_pairs(&p);
        free(queries);
    }
}

static int64_t seeded_partitions(const bosc_hash_view *view)
{
    const uint32_t seeds = (1u << BOSC_HASH_SEED_BITS) - 1;
    int64_t count = 0;
    for (int64_t i = 0; i < (int64_t)1 << view->partition_bits; i++) {
        const uint32_t seed = view->partitions[i].buckets_seed & seeds;
        count += seed != 0 && seed != BOSC_HASH_LINEAR;
    }
    return count;
}

/* A table large enough that look-ups prefetch second buckets; some of its partitions have another seed than 0. */
static void large_table(bosc_ctx *ctx)
{
    enum { PAIRS = 1 << 18, LOOKED_UP = 4000 };
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    if (info.backend != BOSC_BACKEND_CPU) return; /* out of the host's reach */
    for (int32_t bits = 32; bits <= 128; bits *= 2) {
        if (suite_leaves_out()) continue;
        bosc_hash_opts o = {
            .size = sizeof o, .layout = BOSC_HASH_BUCKETED, .key_bits = bits, .value_size = 8, .load_factor = 0.97};
        struct hash_pairs p = hash_make(HASH_RANDOM, &o, (uint64_t)bits, PAIRS);
        void *queries = hash_queries(&p, (uint64_t)bits + 1, LOOKED_UP);
        bosc_hash *table = NULL;
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, p.n));
        struct view v = view_of(ctx, table);
        CHECK(v.buckets.partition_bits >= 8 && seeded_partitions(&v.buckets) > 0);
        for (int64_t q = 0; q < LOOKED_UP; q++) check_key(ctx, table, &v, (const char *)queries + q * bits / 8);
        bosc_hash_free(table);
        hash_free_pairs(&p);
        free(queries);
    }
}

/* Hashes that differ in one half, or in neither from the wanted one: only the whole of a hash matches. */
static void halves(bosc_ctx *ctx)
{
    (void)ctx;
    for (int32_t bits = 32; bits <= 128; bits *= 2) {
        const uint64_t shift = bits / 2 % 64;
        uint64_t hashes[2 * BOSC_HASH_WIDTH];
        for (uint64_t i = 0; i < BOSC_HASH_WIDTH; i++) {
            const uint64_t low = 1 + i % 2, high = 1 + i / 2;
            const bosc_hash_word hash = {bits == 128 ? low : high << shift | low, bits == 128 ? high : 0};
            bi_hash_store(hashes, bits, (int64_t)i, hash);
        }
        for (uint64_t k = 0; k < 9; k++) {
            const uint64_t low = 1 + k % 3, high = 1 + k / 3;
            const bosc_hash_word hash = {bits == 128 ? low : high << shift | low, bits == 128 ? high : 0};
            const uint32_t slot = (uint32_t)(low - 1 + 2 * (high - 1));
            CHECK_EQ(bosc_hash_match((const unsigned char *)hashes, bits, hash), low < 3 && high < 3 ? 1u << slot : 0);
        }
    }
}

static const struct suite_case suite_cases_hash_view[] = {
    {"single keys", single_keys, NULL}, {"large table", large_table, NULL}, {"halves", halves, NULL}};
SUITE(hash_view);
