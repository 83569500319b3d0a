/* Tables that change, against an oracle: sequences of operations; rehash, erase, insert, unique. */
#include "cases/hash/hash_data.h"

static bosc_hash *create(bosc_ctx *ctx, bosc_hash_opts *o)
{
    bosc_hash *table = NULL;
    o->size = sizeof *o;
    CHECK_OK(ctx, bosc_hash_create(ctx, o, &table));
    return table;
}

static void check_all(bosc_ctx *ctx, const bosc_hash *table, const struct reference_hash *oracle,
                      const struct hash_pairs *p)
{
    void *queries = hash_queries(p, 9, 200);
    hash_check_pairs(ctx, table, oracle);
    hash_check_queries(ctx, table, oracle, queries, 200);
    free(queries);
}

/* One more operation on both tables. */
static void apply_random_change(bosc_ctx *ctx, bosc_hash *table, struct reference_hash *oracle, struct suite_random *r,
                                int64_t most)
{
    static const enum hash_pattern patterns[] = {HASH_SEQUENCE, HASH_FEW, HASH_STRIDED, HASH_RANDOM, HASH_EDGES};
    int64_t n = (int64_t)suite_below(r, suite_below(r, 3) ? 40 : (uint64_t)most) + 1, bad, erased = -1;
    uint64_t what = suite_below(r, 10);
    struct hash_pairs p = hash_make(patterns[suite_below(r, 5)], &table->opts, suite_next(r), n);
    if (what < 5) {
        bool good = reference_hash_insert(oracle, p.keys, p.values, n, &bad);
        CHECK_STATUS(ctx, bosc_hash_insert(ctx, table, p.keys, p.values, n), good ? BOSC_OK : BOSC_ERR_DATA);
    } else if (what < 8) {
        int64_t expected = reference_hash_erase(oracle, p.keys, n);
        CHECK_OK(ctx, bosc_hash_erase(ctx, table, p.keys, n, &erased));
        CHECK_EQ(erased, expected);
    } else if (what == 8) {
        bool any_load = table->automatic || table->opts.layout == BOSC_HASH_BUCKETED;
        CHECK_OK(ctx, bosc_hash_rehash(ctx, table, any_load ? 0.5 + 0.47 * suite_unit(r) : 0, suite_next(r)));
    } else {
        struct saved f = hash_save(ctx, table);
        bosc_hash *back = hash_load(ctx, &f);
        check_all(ctx, back, oracle, &p);
        bosc_hash_free(back);
        free(f.bytes);
    }
    check_all(ctx, table, oracle, &p);
    hash_free_pairs(&p);
}

static void sequences(bosc_ctx *ctx)
{
    for (int k = 0; k < (suite_slow(ctx) ? 10 : 40); k++) {
        if (suite_leaves_out()) continue;
        bosc_hash_opts o = hash_options(k);
        struct suite_random r = {(uint64_t)k + 100};
        bosc_hash *table = create(ctx, &o);
        struct reference_hash oracle = {.opts = o};
        int64_t most = suite_slow(ctx) ? 100 : 1500;
        for (int i = 0; i < 12; i++) apply_random_change(ctx, table, &oracle, &r, most);
        reference_hash_clear(&oracle);
        bosc_hash_free(table);
    }
}

/* A few keys into a large table, whose partitions have room: it stays where it is. */
static void in_place(bosc_ctx *ctx)
{
    for (int bits = 0; bits < 3; bits++) {
        bosc_hash_opts o = {.layout = BOSC_HASH_BUCKETED,
                            .key_bits = 32 << bits,
                            .value_size = 4,
                            .load_factor = 0.7,
                            .counted = bits == 1};
        bosc_hash *table = create(ctx, &o);
        struct reference_hash oracle = {.opts = table->opts};
        int64_t bad, n = suite_slow(ctx) ? 500 : 20000;
        struct hash_pairs p = hash_make(HASH_RANDOM, &o, 1, n), more = hash_make(HASH_RANDOM, &o, 2, 9);
        CHECK(reference_hash_insert(&oracle, p.keys, p.values, n, &bad));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, n));
        const void *block = table->blocks[BI_HASH_TABLE].data;
        int64_t buckets = table->buckets;
        for (int i = 0; i < 3; i++) { /* the second time all of them are there */
            CHECK(reference_hash_insert(&oracle, more.keys, more.values, more.n, &bad));
            CHECK_OK(ctx, bosc_hash_insert(ctx, table, more.keys, more.values, more.n));
            CHECK(table->blocks[BI_HASH_TABLE].data == block);
            CHECK_EQ(table->buckets, buckets);
            check_all(ctx, table, &oracle, i ? &more : &p);
        }
        CHECK_EQ(reference_hash_erase(&oracle, p.keys, n / 2), n / 2);
        int64_t erased;
        CHECK_OK(ctx, bosc_hash_erase(ctx, table, p.keys, n / 2, &erased));
        CHECK_EQ(erased, n / 2);
        check_all(ctx, table, &oracle, &p);
        CHECK_OK(ctx, bosc_hash_erase(ctx, table, p.keys, n, NULL));
        CHECK_OK(ctx, bosc_hash_erase(ctx, table, more.keys, more.n, NULL));
        CHECK_EQ(table->keys, 0);
        CHECK_EQ(table->pairs, 0);
        CHECK_EQ(table->extra_probes, 0);
        hash_free_pairs(&p);
        hash_free_pairs(&more);
        reference_hash_clear(&oracle);
        bosc_hash_free(table);
    }
}

/* Tables of slots are built again without the keys: with the counts and values of the others. */
static void counted_slots(bosc_ctx *ctx)
{
    enum { LAYOUTS = BOSC_HASH_ORDERED - BOSC_HASH_PERFECT + 1 };
    for (int k = 0; k < 2 * LAYOUTS; k++) {
        bosc_hash_opts o = {
            .layout = (bosc_hash_layout)(BOSC_HASH_PERFECT + k % LAYOUTS), .key_bits = 64, .value_size = 4};
        o.counted = k < LAYOUTS;
        if (!o.counted) o.kind = BOSC_HASH_MULTIMAP;
        bosc_hash *table = create(ctx, &o);
        struct reference_hash oracle = {.opts = o};
        int64_t bad, erased = -1, n = suite_slow(ctx) ? 300 : 1500;
        struct hash_pairs p = hash_make(HASH_FEW, &o, 1, n);
        CHECK(reference_hash_insert(&oracle, p.keys, p.values, n, &bad));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, n));
        for (int64_t some = n / 40; some <= n; some *= 40) { /* some of them, then all */
            int64_t want = reference_hash_erase(&oracle, p.keys, some);
            CHECK_OK(ctx, bosc_hash_erase(ctx, table, p.keys, some, &erased));
            CHECK_EQ(erased, want);
            check_all(ctx, table, &oracle, &p);
        }
        CHECK_EQ(table->keys, 0);
        hash_free_pairs(&p);
        reference_hash_clear(&oracle);
        bosc_hash_free(table);
    }
}

static void unique(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {0, 1, 2, 100, 4097};
    for (int k = 0; k < 3 * 5 * HASH_PATTERNS; k++) {
        bosc_hash_opts o = {.key_bits = 32 << k % 3};
        int64_t n = sizes[k / 3 % 5], count = -1, expected = 0;
        if (suite_slow(ctx) && n > 100) n = 300;
        struct hash_pairs p = hash_make((enum hash_pattern)(k / 15), &o, (uint64_t)k, n);
        int64_t *ids = suite_alloc((size_t)n * 8 + 1);
        void *keys = suite_alloc((size_t)n * 16 + 1);
        CHECK_OK(ctx, bosc_hash_unique(ctx, p.keys, n, o.key_bits, ids, k % 2 ? keys : NULL, &count));
        for (int64_t i = 0; i < n; i++) {
            CHECK(ids[i] >= 0 && ids[i] <= expected); /* new ones come in order */
            if (ids[i] == expected) expected++;
        }
        CHECK_EQ(count, expected);
        if (k % 2)
            for (int64_t i = 0; i < n; i++)
                CHECK(bi_hash_same(bosc_hash_word_at(keys, ids[i], o.key_bits),
                                   bosc_hash_word_at(p.keys, i, o.key_bits)));
        struct reference_hash oracle = {.opts = o};
        int64_t bad;
        CHECK(reference_hash_insert(&oracle, p.keys, NULL, n, &bad));
        CHECK_EQ(oracle.n, count);
        reference_hash_clear(&oracle);
        hash_free_pairs(&p);
        free(ids);
        free(keys);
    }
}

/* Writes n ascending keys from `first` on. */
static void write_keys(void *keys, int32_t key_bits, int64_t at, uint64_t first, int64_t n)
{
    for (int64_t i = 0; i < n; i++) bi_hash_store(keys, key_bits, at + i, (bosc_hash_word){first + (uint64_t)i, 0});
}

/* Tables of keys FIRST to FIRST + n - 1: queries beyond them in long runs, at the borders, and a single present one
 * among absent ones; also after keys on both sides of the range were inserted, and after a build without these. */
static void key_ranges(bosc_ctx *ctx)
{
    enum { FIRST = 100000, RUN = 600 };
    for (int k = 0; k < 40; k++) {
        if (suite_leaves_out()) continue;
        /* 1. Present keys, and queries around them. */
        bosc_hash_opts o = hash_options(k);
        bosc_hash *table = create(ctx, &o);
        const int32_t bits = table->opts.key_bits;
        const int64_t n = suite_slow(ctx) ? 100 : 2000, m = 5 * RUN;
        struct hash_pairs p = hash_make(HASH_SEQUENCE, &table->opts, (uint64_t)k, n);
        void *queries = suite_alloc((size_t)m * 16);
        write_keys(p.keys, bits, 0, FIRST, n);
        write_keys(queries, bits, 0, 0, RUN);
        write_keys(queries, bits, RUN, FIRST - 5, RUN);
        write_keys(queries, bits, 2 * RUN, FIRST + (uint64_t)n - 5, RUN);
        write_keys(queries, bits, 3 * RUN, (uint64_t)-RUN, RUN);
        write_keys(queries, bits, 4 * RUN, FIRST + 10 * (uint64_t)n, RUN);
        write_keys(queries, bits, 4 * RUN + RUN / 2, FIRST + (uint64_t)n - 1, 1);
        /* 2. A build, an insertion on both sides, and a build again. */
        for (int step = 0; step < 3; step++) {
            struct reference_hash oracle = {.opts = o};
            struct hash_pairs beyond = hash_make(HASH_SEQUENCE, &table->opts, (uint64_t)k, 10);
            int64_t bad;
            write_keys(beyond.keys, bits, 0, 3, 5);
            write_keys(beyond.keys, bits, 5, (uint64_t)-5, 5);
            CHECK(reference_hash_insert(&oracle, p.keys, p.values, n, &bad));
            if (step != 1) CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, n));
            if (step == 1) {
                CHECK(reference_hash_insert(&oracle, beyond.keys, beyond.values, 10, &bad));
                CHECK_OK(ctx, bosc_hash_insert(ctx, table, beyond.keys, beyond.values, 10));
            }
            hash_check_queries(ctx, table, &oracle, queries, m);
            reference_hash_clear(&oracle);
            hash_free_pairs(&beyond);
        }
        bosc_hash_free(table);
        hash_free_pairs(&p);
        free(queries);
    }
}

static const struct suite_case suite_cases_hash_change[] = {
    {"sequences", sequences, NULL},         {"in place", in_place, NULL}, {"key ranges", key_ranges, NULL},
    {"counted slots", counted_slots, NULL}, {"unique", unique, NULL},
};
SUITE(hash_change);
