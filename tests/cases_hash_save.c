/* Saved tables: the same bytes everywhere, read back whole, and neither damage nor malice goes unseen. */
#include "hash/save.h"
#include "hash_data.h"

static bosc_hash *make(bosc_ctx *ctx, bosc_hash_opts o, enum hash_pattern pattern, int64_t n)
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

static int refuse(void *user, const void *bytes, size_t count)
{
    (void)user, (void)bytes, (void)count;
    return 1;
}

static void round_trip(bosc_ctx *ctx)
{
    for (int k = 0; k < 52; k++) {
        if (suite_leaves_out()) continue;
        bosc_hash *table = make(ctx, hash_options(k), (enum hash_pattern)(k % HASH_PATTERNS), k % 5 ? 20 * k : k % 3);
        struct saved f = hash_save(ctx, table);
        bosc_hash *back = hash_load(ctx, &f);
        struct saved g = hash_save(ctx, back);
        CHECK(f.size == g.size && memcmp(f.bytes, g.bytes, f.size) == 0);
        bosc_hash_info x = {.size = sizeof x}, y = x;
        CHECK_OK(ctx, bosc_hash_get_info(ctx, table, &x));
        CHECK_OK(ctx, bosc_hash_get_info(ctx, back, &y));
        CHECK(x.keys == y.keys && x.pairs == y.pairs && x.places == y.places && x.linear == y.linear);
        CHECK(x.probes_hit == y.probes_hit && x.probes_most == y.probes_most && x.parts == y.parts);
        CHECK_STATUS(ctx, bosc_hash_write(ctx, table, refuse, NULL), BOSC_ERR_IO);
        bosc_hash_free(table);
        bosc_hash_free(back);
        free(f.bytes);
        free(g.bytes);
    }
}

static void check_refused(bosc_ctx *ctx, struct saved *f, const char *reason)
{
    bosc_hash *table = NULL;
    f->at = 0;
    bosc_status status = bosc_hash_read(ctx, saved_deliver, f, &table);
    saved_refused(ctx, status, table, "saved table: ", reason);
}

/* Every truncation, and every bit flipped. */
static void damage(bosc_ctx *ctx)
{
    for (int layout = 0; layout < 4; layout++) {
        if (suite_leaves_out()) continue;
        bosc_hash_opts o = {.layout = (bosc_hash_layout)layout, .value_size = 4};
        if (layout == 1) o.kind = BOSC_HASH_MULTIMAP;
        bosc_hash *table = make(ctx, o, HASH_FEW, suite_slow(ctx) ? 2 : 6);
        struct saved f = hash_save(ctx, table);
        saved_damage(ctx, &f, suite_slow(ctx) || f.size > 1000 ? 37 : 1, check_refused);
        bosc_hash_free(hash_load(ctx, &f));
        bosc_hash_free(table);
        free(f.bytes);
    }
}

static void seal(struct saved *f) { saved_seal(f->bytes, f->size, offsetof(struct bi_hash_header, hash)); }

enum { IN_HEADER, IN_PARTS, IN_TABLE, IN_VALUES, IN_PADDING };

/* Lies with right hashes: where, which 32-bit word, what it becomes, what is said. */
static const struct lie {
    int where, at;
    uint32_t value;
    const char *reason;
} lies[] = {
    {IN_HEADER, 0, 7, "not the bytes of one"},
    {IN_HEADER, 2, 2, "version 2"},
    {IN_HEADER, 2, 0, "version 0"},
    {IN_HEADER, 3, 4, "options"},
    {IN_HEADER, 3, UINT32_MAX, "options"},
    {IN_HEADER, 4, 2, "options"},
    {IN_HEADER, 4, 0, ""}, /* a map */
    {IN_HEADER, 5, 0, "options"},
    {IN_HEADER, 5, 16, "options"},
    {IN_HEADER, 5, 64, ""},
    {IN_HEADER, 5, 256, "options"},
    {IN_HEADER, 6, 65, "options"},
    {IN_HEADER, 6, 0x80000000u, "options"},
    {IN_HEADER, 6, 64, "ends within its values"},
    {IN_HEADER, 7, 5, "options"},
    {IN_HEADER, 7, 1, "options"}, /* of a multimap */
    {IN_HEADER, 8, 8, "options"},
    {IN_HEADER, 9, 1, "options"},
    {IN_HEADER, 9, 2, "options"},
    {IN_HEADER, 11, 0, "options"}, /* the load */
    {IN_HEADER, 11, 0x7ff00000u, "options"},
    {IN_HEADER, 11, 0x40000000u, "options"},
    {IN_HEADER, 12, 1, ""}, /* the seed */
    {IN_HEADER, 14, 1, "keys"},
    {IN_HEADER, 14, 100, "values"},
    {IN_HEADER, 15, 1, "keys"},
    {IN_HEADER, 15, 0x80000000u, "keys"},
    {IN_HEADER, 16, 0, "figures"},
    {IN_HEADER, 16, 1, "figures"},
    {IN_HEADER, 16, 9, "keys"},
    {IN_HEADER, 17, 0x80000000u, "keys"},
    {IN_HEADER, 18, 0, "buckets"},
    {IN_HEADER, 18, 1, ""},
    {IN_HEADER, 18, 200, "ends within its table"},
    {IN_HEADER, 19, 1, "buckets"},
    {IN_HEADER, 20, 1, "figures"},
    {IN_HEADER, 21, 0x80000000u, "figures"},
    {IN_HEADER, 22, 1, "figures"},
    {IN_HEADER, 23, 1, "figures"},
    {IN_HEADER, 23, UINT32_MAX, "figures"},
    {IN_HEADER, 24, 0, "parts"},
    {IN_HEADER, 24, 31, "parts"},
    {IN_HEADER, 24, 2, "part"},
    {IN_HEADER, 25, 1, "unknown fields"},
    {IN_HEADER, 26, 1, "unknown fields"},
    {IN_HEADER, 29, 1, "unknown fields"},
    {IN_PARTS, 0, 1, "a part does not begin"},
    {IN_PARTS, 1, 0, "a part does not begin"},
    {IN_PARTS, 1, 2 << 6, "a part does not begin"},
    {IN_PARTS, 1, UINT32_MAX, "a part does not begin"},
    {IN_PARTS, 1, 1 << 6 | 5, "figures"},
    {IN_PARTS, 1, 1 << 6 | 63, "figures"},
    {IN_PARTS, 2, 0, "a part does not begin"},
    {IN_PARTS, 2, 0x7fffffff, "a part does not begin"},
    {IN_PARTS, 3, UINT32_MAX, "a part does not begin"},
    {IN_TABLE, 3, 0x80000002u, "a hash that does not belong"},
    {IN_TABLE, 3, 0, ""},
    {IN_TABLE, 5, UINT32_MAX, "values are not there"},
    {IN_TABLE, 4, UINT32_MAX, "values are not there"},
    {IN_PADDING, 0, 1, "between its arrays"},
};

/* Two keys of three and two values, one in each part: the buckets are the first ones of the table. */
static struct saved small_multimap(bosc_ctx *ctx)
{
    bosc_hash_opts o = {.size = sizeof o, .kind = BOSC_HASH_MULTIMAP, .value_size = 4};
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
    for (size_t k = 0; k < sizeof lies / sizeof lies[0]; k++) {
        static const size_t begin[] = {0, 128, 192, 320, 128 + 16};
        struct saved bad = {0};
        saved_append(&bad, f.bytes, f.size);
        memcpy(bad.bytes + begin[lies[k].where] + 4 * lies[k].at, &lies[k].value, 4);
        seal(&bad);
        if (lies[k].where == IN_HEADER && lies[k].at == 12) { /* another seed: of other keys, but a table */
            bosc_hash_free(hash_load(ctx, &bad));
        } else {
            bosc_hash *table = NULL;
            bosc_status status = bosc_hash_read(ctx, saved_deliver, &bad, &table);
            if (status == BOSC_OK) suite_fail(__FILE__, __LINE__, "lie %d was believed", (int)k);
            bad.at = 0;
            check_refused(ctx, &bad, lies[k].reason);
        }
        free(bad.bytes);
    }
    bosc_hash_free(hash_load(ctx, &f));
    free(f.bytes);
}

/* A file that tells of a huge table and ends takes little memory. */
static void huge_header(bosc_ctx *ctx)
{
    struct saved f = small_multimap(ctx);
    struct bi_hash_header *h = (struct bi_hash_header *)(void *)f.bytes;
    h->part_bits = 30;
    seal(&f);
    check_refused(ctx, &f, "ends within its parts");
    h->part_bits = 1;
    h->keys = h->pairs = (int64_t)UINT32_MAX - 1;
    h->buckets = UINT32_MAX;
    seal(&f);
    check_refused(ctx, &f, "ends within its table");
    free(f.bytes);
}

/* tests/golden/: a table as the first version of the format had it. With BOSC_GOLDEN in the environment it is written
 * to the folder that it names, to begin a new version. */
static const unsigned char golden_bytes[] = {
#include "golden/hash-v1.bosc.inc"
};

static void golden(bosc_ctx *ctx)
{
    bosc_hash_opts o = {.key_bits = 64, .value_size = 3, .counted = 1, .seed = 3};
    bosc_hash *table = make(ctx, o, HASH_FEW, 40);
    struct saved f = hash_save(ctx, table),
                 old = {.bytes = (char *)(uintptr_t)golden_bytes, .size = sizeof golden_bytes};
    const char *folder = getenv("BOSC_GOLDEN");
    if (folder) {
        char path[256];
        snprintf(path, sizeof path, "%s/hash-v1.bosc", folder);
        FILE *to = fopen(path, "wb");
        CHECK(to && fwrite(f.bytes, 1, f.size, to) == f.size && fclose(to) == 0);
    } else {
        bosc_hash_free(hash_load(ctx, &old));
        CHECK(f.size == old.size && memcmp(f.bytes, old.bytes, f.size) == 0);
    }
    bosc_hash_free(table);
    free(f.bytes);
}

static const struct suite_case suite_cases_hash_save[] = {
    {"round trip", round_trip, NULL},   {"damage", damage, NULL}, {"malice", malice, NULL},
    {"huge header", huge_header, NULL}, {"golden", golden, NULL},
};
SUITE(hash_save);
