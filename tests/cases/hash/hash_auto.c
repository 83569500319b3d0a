/* Tables created as AUTO: the layout that each build chooses, and answers, bytes and memory on both sides of the limit.
 * A context's cache_shift brings the limits of 2^18 and 2^19 pairs down to small ones. */
#include "support/arrays.h"
#include "support/faults.h"
#include "cases/hash/hash_data.h"

enum { SHIFT = 10, LIMIT = (1 << 18) >> SHIFT, SMALL_LIMIT = 2 * LIMIT };

static bosc_hash_layout layout_of(bosc_ctx *ctx, const bosc_hash *table)
{
    bosc_hash_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_hash_get_info(ctx, table, &info));
    CHECK(info.layout == BOSC_HASH_ORDERED || info.layout == BOSC_HASH_BUCKETED);
    return info.layout;
}

static bosc_hash *create(bosc_ctx *ctx, bosc_hash_opts o)
{
    bosc_hash *table = NULL;
    o.size = sizeof o;
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
    return table;
}

/* Options, and the most pairs for which they mean ORDERED; -1: never. */
static const struct {
    bosc_hash_opts opts;
    int64_t limit;
} choices[] = {{{.value_size = 0}, SMALL_LIMIT},
               {{.value_size = 4}, SMALL_LIMIT},
               {{.value_size = 8}, LIMIT},
               {{.value_size = 4, .counted = 1}, LIMIT},
               {{.counted = 1, .load_factor = 0.9}, SMALL_LIMIT},
               {{.key_bits = 64}, SMALL_LIMIT},
               {{.key_bits = 64, .value_size = 4, .duplicates = BOSC_HASH_FIRST}, LIMIT},
               {{.key_bits = 64, .value_size = 8, .load_factor = 0.5}, LIMIT},
               {{.value_size = 12}, -1},
               {{.value_size = 1}, -1},
               {{.value_size = 8, .counted = 1}, -1},
               {{.key_bits = 128}, -1},
               {{.value_size = 4, .load_factor = 0.95}, -1},
               {{.value_size = 4, .kind = BOSC_HASH_MULTIMAP}, -1}};
enum { CHOICES = sizeof choices / sizeof *choices };

static struct saved save_chosen(bosc_ctx *ctx, bosc_hash_opts o, bosc_hash_layout layout, const struct hash_pairs *p,
                                int64_t n)
{
    o.layout = layout;
    bosc_hash *table = create(ctx, o);
    CHECK_OK(ctx, bosc_hash_build(ctx, table, p->keys, p->values, n));
    struct saved f = hash_save(ctx, table);
    bosc_hash_free(table);
    return f;
}

/* One table built at sizes on both sides of the limit: its bytes are those of a table of the layout that it reports. */
static void chosen_layouts(bosc_ctx *ctx)
{
    ctx->cache_shift = SHIFT;
    for (int k = 0; k < 2 * CHOICES; k++) {
        if (suite_leaves_out()) continue;
        bosc_hash_opts o = choices[k / 2].opts;
        const int64_t limit = choices[k / 2].limit, edge = limit < 0 ? LIMIT : limit;
        const int64_t sizes[] = {0, edge, edge + 1, 1, 3 * edge, edge - 1};
        struct hash_pairs p = hash_make(k % 2 ? HASH_FEW : HASH_SEQUENCE, &o, 1, 3 * edge);
        o.no_wait = k % 2;
        bosc_hash *table = create(ctx, o);
        CHECK_EQ(layout_of(ctx, table), limit < 0 ? BOSC_HASH_BUCKETED : BOSC_HASH_ORDERED);
        for (int i = 0; i < 6; i++) {
            CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, sizes[i]));
            const bosc_hash_layout layout = layout_of(ctx, table);
            /* Where keys repeat the distinct ones decide. */
            CHECK_EQ(layout, table->keys <= limit ? BOSC_HASH_ORDERED : BOSC_HASH_BUCKETED);
            struct saved f = hash_save(ctx, table), same = save_chosen(ctx, o, layout, &p, sizes[i]);
            CHECK(f.size == same.size && memcmp(f.bytes, same.bytes, f.size) == 0);
            /* A table read from the file keeps the layout. */
            bosc_hash *back = hash_load(ctx, &f);
            CHECK_EQ(layout_of(ctx, back), layout);
            CHECK_OK(ctx, bosc_hash_build(ctx, back, p.keys, p.values, sizes[5 - i]));
            CHECK_EQ(layout_of(ctx, back), layout);
            bosc_hash_free(back);
            free(f.bytes);
            free(same.bytes);
        }
        bosc_hash_free(table);
        hash_free_pairs(&p);
    }
    ctx->cache_shift = 0;
}

/* The limits themselves. */
static void limits(bosc_ctx *ctx)
{
    if (suite_slow(ctx)) return;
    for (int k = 0; k < 2; k++) {
        bosc_hash_opts o = {.key_bits = 64, .value_size = k ? 8 : 0};
        const int64_t limit = k ? 1 << 18 : 1 << 19;
        struct hash_pairs p = hash_make(HASH_SEQUENCE, &o, 1, limit + 1);
        bosc_hash *table = create(ctx, o);
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, limit));
        CHECK_EQ(layout_of(ctx, table), BOSC_HASH_ORDERED);
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, limit + 1));
        CHECK_EQ(layout_of(ctx, table), BOSC_HASH_BUCKETED);
        bosc_hash_free(table);
        hash_free_pairs(&p);
    }
}

static void check_all(bosc_ctx *ctx, const bosc_hash *table, const struct reference_hash *oracle,
                      const struct hash_pairs *p)
{
    void *queries = hash_queries(p, 9, 200);
    hash_check_pairs(ctx, table, oracle);
    hash_check_queries(ctx, table, oracle, queries, 200);
    free(queries);
}

/* Insertions, erasures and rehashes take a table over the limit and back. */
static void changes(bosc_ctx *ctx)
{
    ctx->cache_shift = SHIFT;
    for (int k = 0; k < 6; k++) {
        if (suite_leaves_out()) continue;
        bosc_hash_opts o = {.key_bits = k % 2 ? 64 : 32, .value_size = 8, .counted = 0, .seed = (uint64_t)k};
        if (k % 3 == 1) o.value_size = 4, o.counted = 1;
        const int64_t n = 2 * LIMIT;
        struct hash_pairs p = hash_make(HASH_SEQUENCE, &o, 1, n);
        struct reference_hash oracle = {.opts = o};
        int64_t bad, erased;
        bosc_hash *table = create(ctx, o);
        oracle.opts = table->opts;
        /* 1. Over the limit by insertions. */
        for (int64_t at = 0; at < n; at += n / 4) {
            const char *keys = (const char *)p.keys + at * o.key_bits / 8,
                       *values = (const char *)p.values + at * o.value_size;
            CHECK(reference_hash_insert(&oracle, keys, values, n / 4, &bad));
            CHECK_OK(ctx, bosc_hash_insert(ctx, table, keys, values, n / 4));
            CHECK_EQ(layout_of(ctx, table), at + n / 4 <= LIMIT ? BOSC_HASH_ORDERED : BOSC_HASH_BUCKETED);
            check_all(ctx, table, &oracle, &p);
        }
        /* 2. Below it by erasures in place and a rehash; BUCKETED again at a high load factor. */
        CHECK_EQ(reference_hash_erase(&oracle, p.keys, n - 100), n - 100);
        CHECK_OK(ctx, bosc_hash_erase(ctx, table, p.keys, n - 100, &erased));
        CHECK_EQ(erased, n - 100);
        CHECK_EQ(layout_of(ctx, table), BOSC_HASH_BUCKETED);
        check_all(ctx, table, &oracle, &p);
        CHECK_OK(ctx, bosc_hash_rehash(ctx, table, 0, 77));
        CHECK_EQ(layout_of(ctx, table), BOSC_HASH_ORDERED);
        check_all(ctx, table, &oracle, &p);
        CHECK_OK(ctx, bosc_hash_rehash(ctx, table, 0.95, 78));
        CHECK_EQ(layout_of(ctx, table), BOSC_HASH_BUCKETED);
        check_all(ctx, table, &oracle, &p);
        CHECK_OK(ctx, bosc_hash_rehash(ctx, table, 0.8, 79));
        CHECK_EQ(layout_of(ctx, table), BOSC_HASH_ORDERED);
        CHECK_EQ(reference_hash_erase(&oracle, p.keys, n), 100);
        CHECK_OK(ctx, bosc_hash_erase(ctx, table, p.keys, n, &erased));
        CHECK_EQ(erased, 100);
        check_all(ctx, table, &oracle, &p);
        bosc_hash_free(table);
        hash_free_pairs(&p);
        reference_hash_clear(&oracle);
    }
    ctx->cache_shift = 0;
}

/* A table created with a load factor that is too high for ORDERED gets a lower one by a rehash. */
static void lowered_load_factors(bosc_ctx *ctx)
{
    ctx->cache_shift = SHIFT;
    for (int k = 0; k < 4; k++) {
        if (suite_leaves_out()) continue;
        bosc_hash_opts o = {.value_size = 4, .load_factor = 0.95, .no_wait = k % 2};
        const int64_t n = k / 2 ? SMALL_LIMIT : 100;
        struct hash_pairs p = hash_make(HASH_SEQUENCE, &o, 1, n);
        bosc_hash *table = create(ctx, o);
        struct reference_hash oracle = {.opts = table->opts};
        int64_t bad;
        CHECK(reference_hash_insert(&oracle, p.keys, p.values, n, &bad));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, n));
        CHECK_EQ(layout_of(ctx, table), BOSC_HASH_BUCKETED);
        CHECK_OK(ctx, bosc_hash_rehash(ctx, table, 0.8, 5));
        CHECK_EQ(layout_of(ctx, table), BOSC_HASH_ORDERED);
        check_all(ctx, table, &oracle, &p);
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, n));
        CHECK_EQ(layout_of(ctx, table), BOSC_HASH_ORDERED);
        check_all(ctx, table, &oracle, &p);
        bosc_hash_free(table);
        hash_free_pairs(&p);
        reference_hash_clear(&oracle);
    }
    ctx->cache_shift = 0;
}

/* After a reserve builds on both sides of the limit allocate nothing, and take no more than bosc_hash_bytes. */
static void reserved(bosc_ctx *ctx)
{
    for (int k = 0; k < 2 * CHOICES; k++) {
        if (suite_leaves_out()) continue;
        int64_t live[2], kept, scratch;
        /* 1. Reserve; the table has the bytes that bosc_hash_bytes promises. */
        const int64_t limit = choices[k / 2].limit, edge = limit < 0 ? LIMIT : limit;
        const int64_t most = k % 2 ? edge + 3 : 4 * edge;
        bosc_hash_opts o = choices[k / 2].opts;
        bosc_hash_info info = {.size = sizeof info};
        bosc_ctx *counted = counted_context(ctx, live);
        struct hash_pairs p = hash_make(HASH_SEQUENCE, &o, 1, most);
        counted->cache_shift = SHIFT;
        o.size = sizeof o;
        bosc_hash *table = create(counted, o);
        CHECK_OK(counted, bosc_hash_reserve(counted, table, most, 1));
        CHECK_OK(counted, bosc_hash_bytes(counted, &o, most, &kept, &scratch));
        CHECK_OK(counted, bosc_hash_get_info(counted, table, &info));
        CHECK_EQ(info.bytes, kept);
        /* 2. Build; nothing is allocated. */
        const int64_t before[2] = {live[0], live[1]};
        const int64_t sizes[] = {edge, most, edge + 1, 7, edge - 1, most - 1};
        for (int i = 0; i < 6; i++) {
            CHECK_OK(counted, bosc_hash_build(counted, table, p.keys, p.values, sizes[i]));
            CHECK(live[0] == before[0] && live[1] == before[1]);
        }
        bosc_hash_free(table);
        bosc_ctx_free(counted);
        hash_free_pairs(&p);
    }
}

/* A table that crosses the limit while memory is short. */
struct crossing {
    struct hash_pairs pairs;
    uint8_t found[64];
};

static bosc_status cross(bosc_ctx *ctx, void *user)
{
    struct crossing *c = user;
    const bosc_hash_opts o = {.size = sizeof o, .value_size = 8};
    bosc_hash *table = NULL;
    ctx->cache_shift = SHIFT;
    bosc_status s = bosc_hash_create(ctx, &o, &table);
    /* 1. Build on both sides of the limit. */
    if (s == BOSC_OK) s = bosc_hash_build(ctx, table, c->pairs.keys, c->pairs.values, LIMIT);
    if (s == BOSC_OK) s = bosc_hash_build(ctx, table, c->pairs.keys, c->pairs.values, LIMIT + 1);
    if (s == BOSC_OK) s = bosc_hash_build(ctx, table, c->pairs.keys, c->pairs.values, 64);
    /* 2. Rehash to the other layout and back; insert over the limit. */
    if (s == BOSC_OK) s = bosc_hash_rehash(ctx, table, 0.95, 1);
    if (s == BOSC_OK) {
        s = bosc_hash_rehash(ctx, table, 0.8, 2);
        if (s == BOSC_ERR_NOMEM) CHECK(table->keys == 64 || table->keys == 0); /* 0: restoring the blocks failed too */
    }
    if (s == BOSC_OK) {
        s = bosc_hash_insert(ctx, table, c->pairs.keys, c->pairs.values, c->pairs.n);
        if (s == BOSC_ERR_NOMEM) CHECK(table->keys == 64 && table->opts.layout == BOSC_HASH_ORDERED);
    }
    if (s == BOSC_OK) s = bosc_hash_find(ctx, table, c->pairs.keys, 64, NULL, c->found);
    bosc_hash_free(table);
    return s;
}

static void prepare(void *user) { memset(((struct crossing *)user)->found, 0x77, 64); }

static bool all_are(void *user, uint8_t byte)
{
    const struct crossing *c = user;
    for (int i = 0; i < 64; i++)
        if (c->found[i] != byte) return false;
    return true;
}

static bool untouched(void *user) { return all_are(user, 0x77); }
static bool right(void *user) { return all_are(user, 1); }

static void faults(bosc_ctx *ctx)
{
    if (ctx->threads > 2 || (suite_slow(ctx) && has_device_memory(ctx))) return;
    const bosc_hash_opts o = {.value_size = 8};
    struct crossing c = {.pairs = hash_make(HASH_SEQUENCE, &o, 1, LIMIT + 40)};
    struct fault_sweep sweep = {.call = cross, .prepare = prepare, .untouched = untouched, .right = right, .user = &c};
    CHECK(fault_sweep(ctx, &sweep) > 3);
    hash_free_pairs(&c.pairs);
}

static const struct suite_case suite_cases_hash_auto[] = {{"chosen layouts", chosen_layouts, NULL},
                                                          {"limits", limits, NULL},
                                                          {"changes", changes, NULL},
                                                          {"lowered load factors", lowered_load_factors, NULL},
                                                          {"reserved", reserved, NULL},
                                                          {"faults", faults, NULL}};
SUITE(hash_auto);
