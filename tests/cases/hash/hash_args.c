/* Hash tables refuse bad arguments, by name, and leave everything as it was. */
#include <math.h>

#include "cases/hash/hash_data.h"

static const int64_t negative[] = {-1, -2, INT32_MIN, INT64_MIN};
static const int64_t large[] = {UINT32_MAX, (int64_t)UINT32_MAX + 1, INT64_MAX};

#define BAD_OPTION(field, type, message, ...)                                         \
    do {                                                                              \
        const type bad_[] = {__VA_ARGS__};                                            \
        for (size_t i_ = 0; i_ < sizeof bad_ / sizeof bad_[0]; i_++) {                \
            bosc_hash_opts o_ = good;                                                 \
            int64_t kept_ = 5, scratch_ = 6;                                          \
            o_.field = bad_[i_];                                                      \
            CHECK_ARG(ctx, bosc_hash_create(ctx, &o_, &table), message);              \
            CHECK_ARG(ctx, bosc_hash_bytes(ctx, &o_, 5, &kept_, &scratch_), message); \
            CHECK(kept_ == 5 && scratch_ == 6);                                       \
        }                                                                             \
    } while (0)

static void options(bosc_ctx *ctx)
{
    /* Each bad option is refused by its name, by create and by bytes, for the limits of every layout and kind. */
    bosc_hash *table = NULL;
    bosc_hash_opts good = {.size = sizeof good, .value_size = 4};
    CHECK_EQ(bosc_hash_create(NULL, &good, &table), BOSC_ERR_ARG);
    CHECK_EQ(bosc_hash_bytes(NULL, &good, 1, NULL, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_hash_create(ctx, &good, NULL), "table");
    BAD_OPTION(size, size_t, "opts: size", 0, 1, 7, sizeof good + 1, SIZE_MAX);
    BAD_OPTION(layout, int, "opts: layout", -1, 8, INT32_MAX);
    BAD_OPTION(kind, int, "opts: kind", -1, 2);
    BAD_OPTION(key_bits, int32_t, "opts: key_bits", 1, 8, 16, 31, 33, 65, 127, 129, -32, INT32_MIN);
    BAD_OPTION(value_size, int32_t, "opts: value_size", -1, 65, INT32_MAX, INT32_MIN);
    BAD_OPTION(duplicates, int, "opts: duplicates", -1, 5);
    BAD_OPTION(load_factor, double, "opts: load_factor", -1, 0.49, 0.971, 1, 2, NAN, INFINITY);
    BAD_OPTION(functions, int32_t, "opts: functions", 1, 2, 4, -1);
    BAD_OPTION(go_left, int32_t, "opts: go_left", 1, -1);
    good.duplicates = BOSC_HASH_SUM;
    BAD_OPTION(value_dtype, int, "opts: value_dtype", -1, 0, BOSC_U8, 8);
    BAD_OPTION(value_dtype, int, "opts: value_size", BOSC_F64, BOSC_I64, BOSC_U64);
    good.duplicates = BOSC_HASH_LAST;
    good.kind = BOSC_HASH_MULTIMAP;
    BAD_OPTION(duplicates, int, "opts: duplicates", BOSC_HASH_FIRST, BOSC_HASH_ERROR);
    BAD_OPTION(counted, int32_t, "opts: counted", 1, -1);
    good.layout = BOSC_HASH_HYBRID;
    BAD_OPTION(load_factor, double, "opts: load_factor", 0.7, 0.5, 0.25);
    good.layout = BOSC_HASH_FKS;
    BAD_OPTION(load_factor, double, "opts: load_factor", 0.7, 0.5, 0.71);
    good.layout = BOSC_HASH_CHAINED;
    BAD_OPTION(load_factor, double, "opts: load_factor", 0.97, 0.5, 2);
    BAD_OPTION(functions, int32_t, "opts: functions", 1, 5, -1, INT32_MAX, INT32_MIN);
    good.layout = BOSC_HASH_CUCKOO;
    BAD_OPTION(go_left, int32_t, "opts: go_left", 1, -1);
    BAD_OPTION(functions, int32_t, "opts: functions", 1, 5, -1, INT32_MAX, INT32_MIN);
    BAD_OPTION(load_factor, double, "opts: load_factor", 0.49, 0.971, 1, -1, NAN);
    good.functions = 3;
    BAD_OPTION(load_factor, double, "opts: load_factor", 0.49, 0.92, 1, NAN);
    good.functions = 2;
    BAD_OPTION(load_factor, double, "opts: load_factor", 0.24, 0.51, 0.8, NAN);
    CHECK(table == NULL);
    bosc_hash_free(NULL);
    CHECK_OK(ctx, bosc_hash_create(ctx, NULL, &table));
    CHECK(table->opts.key_bits == 32 && table->opts.value_size == 0);
    bosc_hash_free(table);
}

struct given {
    uint64_t keys[9], values[8], out[16];
    int64_t counts[16];
    uint8_t found[8];
    bosc_hash *table;
};

static void fill(bosc_ctx *ctx, struct given *g)
{
    bosc_hash_opts o = {.size = sizeof o, .layout = BOSC_HASH_BUCKETED, .key_bits = 64, .value_size = 8};
    memset(g, 0, sizeof *g);
    for (uint64_t i = 0; i < 8; i++) g->keys[i] = g->values[i] = i + 1;
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &g->table));
    CHECK_OK(ctx, bosc_hash_build(ctx, g->table, g->keys, g->values, 8));
}

static void check_kept(bosc_ctx *ctx, struct given *g)
{
    CHECK_OK(ctx, bosc_hash_find(ctx, g->table, g->keys, 8, g->out, g->found));
    for (int i = 0; i < 8; i++) CHECK(g->found[i] && g->out[i] == g->values[i]);
    bosc_hash_free(g->table);
}

static void building(bosc_ctx *ctx)
{
    /* Bad arguments of the calls that change a table, each refused by its name. */
    struct given g;
    fill(ctx, &g);
    CHECK_EQ(bosc_hash_build(NULL, g.table, g.keys, g.values, 3), BOSC_ERR_ARG);
    CHECK_EQ(bosc_hash_insert(NULL, g.table, g.keys, g.values, 3), BOSC_ERR_ARG);
    CHECK_EQ(bosc_hash_erase(NULL, g.table, g.keys, 3, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_hash_rehash(NULL, g.table, 0, 1), BOSC_ERR_ARG);
    CHECK_EQ(bosc_hash_reserve(NULL, g.table, 1, 1), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_hash_build(ctx, NULL, g.keys, g.values, 3), "table");
    CHECK_ARG(ctx, bosc_hash_insert(ctx, NULL, g.keys, g.values, 3), "table");
    CHECK_ARG(ctx, bosc_hash_erase(ctx, NULL, g.keys, 3, NULL), "table");
    CHECK_ARG(ctx, bosc_hash_rehash(ctx, NULL, 0, 3), "table");
    CHECK_ARG(ctx, bosc_hash_reserve(ctx, NULL, 3, 3), "table");
    CHECK_ARG(ctx, bosc_hash_build(ctx, g.table, NULL, g.values, 3), "keys");
    CHECK_ARG(ctx, bosc_hash_build(ctx, g.table, g.keys, NULL, 3), "values");
    CHECK_ARG(ctx, bosc_hash_insert(ctx, g.table, NULL, g.values, 3), "keys");
    CHECK_ARG(ctx, bosc_hash_insert(ctx, g.table, g.keys, NULL, 3), "values");
    CHECK_ARG(ctx, bosc_hash_erase(ctx, g.table, NULL, 3, NULL), "keys");
    for (int k = 1; k < 8; k++) {
        CHECK_ARG(ctx, bosc_hash_build(ctx, g.table, (char *)g.keys + k, g.values, 3), "keys");
        CHECK_ARG(ctx, bosc_hash_build(ctx, g.table, g.keys, (char *)g.values + k, 3), "values");
        CHECK_ARG(ctx, bosc_hash_insert(ctx, g.table, (char *)g.keys + k, g.values, 3), "keys");
        CHECK_ARG(ctx, bosc_hash_insert(ctx, g.table, g.keys, (char *)g.values + k, 3), "values");
        CHECK_ARG(ctx, bosc_hash_erase(ctx, g.table, (char *)g.keys + k, 3, NULL), "keys");
    }
    for (int i = 0; i < 4; i++) {
        CHECK_ARG(ctx, bosc_hash_build(ctx, g.table, g.keys, g.values, negative[i]), "n");
        CHECK_ARG(ctx, bosc_hash_insert(ctx, g.table, g.keys, g.values, negative[i]), "n");
        CHECK_ARG(ctx, bosc_hash_erase(ctx, g.table, g.keys, negative[i], NULL), "n");
        CHECK_ARG(ctx, bosc_hash_reserve(ctx, g.table, negative[i], 1), "n");
        CHECK_ARG(ctx, bosc_hash_reserve(ctx, g.table, 1, negative[i]), "query_count");
        CHECK_ARG(ctx, bosc_hash_bytes(ctx, NULL, negative[i], NULL, NULL), "n");
    }
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(ctx, bosc_hash_build(ctx, g.table, g.keys, g.values, large[i]), BOSC_ERR_LIMIT);
        CHECK_STATUS(ctx, bosc_hash_insert(ctx, g.table, g.keys, g.values, large[i]), BOSC_ERR_LIMIT);
        CHECK_STATUS(ctx, bosc_hash_erase(ctx, g.table, g.keys, large[i], NULL), BOSC_ERR_LIMIT);
        CHECK_STATUS(ctx, bosc_hash_reserve(ctx, g.table, large[i], 1), BOSC_ERR_LIMIT);
        CHECK_STATUS(ctx, bosc_hash_bytes(ctx, NULL, large[i], NULL, NULL), BOSC_ERR_LIMIT);
    }
    CHECK_STATUS(ctx, bosc_hash_insert(ctx, g.table, g.keys, g.values, (int64_t)UINT32_MAX - 8), BOSC_ERR_LIMIT);
    CHECK_ARG(ctx, bosc_hash_reserve(ctx, g.table, 1, INT64_MAX), "query_count");
    CHECK_ARG(ctx, bosc_hash_reserve(ctx, g.table, 1, INT64_MAX / 32), "query_count");
    static const double loads[] = {-1, 0.4, 0.98, 2, NAN, INFINITY, -0.7};
    for (int i = 0; i < 7; i++) CHECK_ARG(ctx, bosc_hash_rehash(ctx, g.table, loads[i], 1), "load_factor");
    check_kept(ctx, &g);
}

static void queries(bosc_ctx *ctx)
{
    /* Bad arguments of the calls that read a table, each refused by its name. */
    struct given g;
    fill(ctx, &g);
    CHECK_EQ(bosc_hash_find(NULL, g.table, g.keys, 3, g.out, g.found), BOSC_ERR_ARG);
    CHECK_EQ(bosc_hash_count(NULL, g.table, g.keys, 3, g.counts), BOSC_ERR_ARG);
    CHECK_EQ(bosc_hash_retrieve(NULL, g.table, g.keys, 3, g.counts, NULL, 0), BOSC_ERR_ARG);
    CHECK_EQ(bosc_hash_get_pairs(NULL, g.table, g.out, g.out, g.counts), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_hash_find(ctx, NULL, g.keys, 3, g.out, g.found), "table");
    CHECK_ARG(ctx, bosc_hash_count(ctx, NULL, g.keys, 3, g.counts), "table");
    CHECK_ARG(ctx, bosc_hash_retrieve(ctx, NULL, g.keys, 3, g.counts, NULL, 0), "table");
    CHECK_ARG(ctx, bosc_hash_get_pairs(ctx, NULL, g.out, g.out, g.counts), "table");
    CHECK_ARG(ctx, bosc_hash_find(ctx, g.table, NULL, 3, g.out, g.found), "queries");
    CHECK_ARG(ctx, bosc_hash_count(ctx, g.table, NULL, 3, g.counts), "queries");
    CHECK_ARG(ctx, bosc_hash_retrieve(ctx, g.table, NULL, 3, g.counts, NULL, 0), "queries");
    CHECK_ARG(ctx, bosc_hash_count(ctx, g.table, g.keys, 3, NULL), "counts");
    CHECK_ARG(ctx, bosc_hash_retrieve(ctx, g.table, g.keys, 3, NULL, NULL, 0), "offsets");
    for (int k = 1; k < 8; k++) {
        CHECK_ARG(ctx, bosc_hash_find(ctx, g.table, (char *)g.keys + k, 3, g.out, g.found), "queries");
        CHECK_ARG(ctx, bosc_hash_find(ctx, g.table, g.keys, 3, (char *)g.out + k, g.found), "values");
        CHECK_ARG(ctx, bosc_hash_count(ctx, g.table, (char *)g.keys + k, 3, g.counts), "queries");
        CHECK_ARG(ctx, bosc_hash_count(ctx, g.table, g.keys, 3, (int64_t *)(void *)((char *)g.counts + k)), "counts");
        CHECK_ARG(ctx, bosc_hash_retrieve(ctx, g.table, (char *)g.keys + k, 3, g.counts, NULL, 0), "queries");
        CHECK_ARG(ctx, bosc_hash_retrieve(ctx, g.table, g.keys, 3, g.counts, (char *)g.out + k, 9), "values");
        CHECK_ARG(ctx, bosc_hash_get_pairs(ctx, g.table, (char *)g.out + k, NULL, NULL), "keys");
        CHECK_ARG(ctx, bosc_hash_get_pairs(ctx, g.table, NULL, (char *)g.out + k, NULL), "values");
        CHECK_ARG(ctx, bosc_hash_get_pairs(ctx, g.table, NULL, NULL, (int64_t *)(void *)((char *)g.counts + k)),
                  "counts");
    }
    for (int i = 0; i < 4; i++) {
        CHECK_ARG(ctx, bosc_hash_find(ctx, g.table, g.keys, negative[i], g.out, g.found), "query_count");
        CHECK_ARG(ctx, bosc_hash_count(ctx, g.table, g.keys, negative[i], g.counts), "query_count");
        CHECK_ARG(ctx, bosc_hash_retrieve(ctx, g.table, g.keys, negative[i], g.counts, NULL, 0), "query_count");
        CHECK_ARG(ctx, bosc_hash_retrieve(ctx, g.table, g.keys, 3, g.counts, g.out, negative[i]), "capacity");
    }
    CHECK_ARG(ctx, bosc_hash_find(ctx, g.table, g.keys, INT64_MAX, g.out, g.found), "queries");
    CHECK_ARG(ctx, bosc_hash_find(ctx, g.table, g.keys, INT64_MAX / 16, g.out, g.found), "queries");
    /* Room that is too small, and offsets that no first call gave. */
    CHECK_OK(ctx, bosc_hash_retrieve(ctx, g.table, g.keys, 3, g.counts, NULL, 0));
    CHECK_STATUS(ctx, bosc_hash_retrieve(ctx, g.table, g.keys, 3, g.counts, g.out, 2), BOSC_ERR_SPACE);
    CHECK(suite_begins(bosc_ctx_message(ctx), "capacity"));
    g.counts[3] = -4;
    CHECK_ARG(ctx, bosc_hash_retrieve(ctx, g.table, g.keys, 3, g.counts, g.out, 3), "offsets");
    int64_t wild[4] = {7, -9, INT64_MAX, 5};
    CHECK_ARG(ctx, bosc_hash_retrieve(ctx, g.table, g.keys, 3, wild, g.out, 5), "offsets");
    check_kept(ctx, &g);
}

/* Offsets that ascend, but with a row that is not as long as its key's answer. */
static void check_wrong_rows(bosc_ctx *ctx, const bosc_hash_opts *opts)
{
    static const uint32_t keys[6] = {5, 9, 5, 7, 5, 9}, values[6] = {0, 1, 2, 3, 4, 5}, queried[5] = {9, 4, 5, 7, 5};
    bool multimap = opts->kind == BOSC_HASH_MULTIMAP;
    int64_t offsets[6], expected[6] = {0, 1, 1, 2, 3, 4};
    const int64_t expected_all[6] = {0, 2, 2, 5, 6, 9};
    uint32_t out[12];
    bosc_hash *table;
    if (multimap) memcpy(expected, expected_all, sizeof expected);
    CHECK_OK(ctx, bosc_hash_create(ctx, opts, &table));
    CHECK_OK(ctx, bosc_hash_build(ctx, table, keys, opts->value_size ? values : NULL, 6));
    CHECK_OK(ctx, bosc_hash_retrieve(ctx, table, queried, 5, offsets, NULL, 0));
    CHECK(memcmp(offsets, expected, sizeof offsets) == 0);
    CHECK_OK(ctx, bosc_hash_retrieve(ctx, table, queried, 5, offsets, out, 12));
    for (int i = 1; i < 6; i++) {
        for (int change = -1; change <= 1; change += 2) {
            memcpy(offsets, expected, sizeof offsets);
            offsets[i] += change;
            CHECK_ARG(ctx, bosc_hash_retrieve(ctx, table, queried, 5, offsets, out, 12), "offsets");
        }
    }
    memset(offsets, 0, sizeof offsets);
    CHECK_ARG(ctx, bosc_hash_retrieve(ctx, table, queried, 5, offsets, out, 12), "offsets: the row of query 0 ");
    CHECK_OK(ctx, bosc_hash_erase(ctx, table, keys, 6, NULL)); /* nothing is left in it */
    CHECK_OK(ctx, bosc_hash_retrieve(ctx, table, queried, 5, offsets, out, 12));
    offsets[5] = 1;
    CHECK_ARG(ctx, bosc_hash_retrieve(ctx, table, queried, 5, offsets, out, 12), "offsets: the row of query 4 ");
    bosc_hash_free(table);
}

static void rows(bosc_ctx *ctx)
{
    for (int layout = BOSC_HASH_AUTO; layout <= BOSC_HASH_ORDERED; layout++) {
        for (int form = 0; form < 5; form++) {
            bosc_hash_opts o = {.size = sizeof o, .layout = (bosc_hash_layout)layout};
            o.kind = form >= 3 ? BOSC_HASH_MULTIMAP : BOSC_HASH_MAP;
            o.counted = form == 2;
            o.value_size = form == 0 || form == 4 ? 0 : 4;
            check_wrong_rows(ctx, &o);
        }
    }
}

static void others(bosc_ctx *ctx)
{
    /* Bad arguments of information, views, files and bosc_hash_unique. */
    struct given g;
    bosc_hash_info info = {.size = sizeof info};
    bosc_hash_view view;
    bosc_hash *read = NULL;
    fill(ctx, &g);
    CHECK_EQ(bosc_hash_get_info(NULL, g.table, &info), BOSC_ERR_ARG);
    CHECK_EQ(bosc_hash_get_view(NULL, g.table, &view), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_hash_get_info(ctx, NULL, &info), "table");
    CHECK_ARG(ctx, bosc_hash_get_info(ctx, g.table, NULL), "info");
    static const size_t sizes[] = {0, 1, 7, sizeof info + 1, SIZE_MAX};
    for (int i = 0; i < 5; i++) {
        info.size = sizes[i];
        CHECK_ARG(ctx, bosc_hash_get_info(ctx, g.table, &info), "info: size");
    }
    CHECK_ARG(ctx, bosc_hash_get_view(ctx, NULL, &view), "table");
    CHECK_ARG(ctx, bosc_hash_get_view(ctx, g.table, NULL), "view");
    bosc_hash_opts perfect = {.size = sizeof perfect, .layout = BOSC_HASH_PERFECT};
    CHECK_OK(ctx, bosc_hash_create(ctx, &perfect, &read));
    CHECK_ARG(ctx, bosc_hash_get_view(ctx, read, &view), "table");
    bosc_hash_free(read);
    /* Files. */
    CHECK_EQ(bosc_hash_write(NULL, g.table, saved_append, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_hash_write(ctx, NULL, saved_append, NULL), "table");
    CHECK_ARG(ctx, bosc_hash_write(ctx, g.table, NULL, NULL), "write");
    CHECK_EQ(bosc_hash_read(NULL, saved_deliver, NULL, &read), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_hash_read(ctx, NULL, NULL, &read), "read");
    CHECK_ARG(ctx, bosc_hash_read(ctx, saved_deliver, NULL, NULL), "table");
    /* bosc_hash_unique. */
    int64_t count = 77;
    static const int32_t bits[] = {0, 1, 16, 31, 33, 65, 129, -32};
    for (int i = 0; i < 8; i++)
        CHECK_ARG(ctx, bosc_hash_unique(ctx, g.keys, 3, bits[i], g.counts, NULL, &count), "key_bits");
    CHECK_EQ(bosc_hash_unique(NULL, g.keys, 3, 64, g.counts, NULL, &count), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_hash_unique(ctx, NULL, 3, 64, g.counts, NULL, &count), "keys");
    CHECK_ARG(ctx, bosc_hash_unique(ctx, g.keys, 3, 64, NULL, NULL, &count), "ids");
    CHECK_ARG(ctx, bosc_hash_unique(ctx, g.keys, 3, 64, g.counts, NULL, NULL), "count");
    for (int i = 0; i < 4; i++)
        CHECK_ARG(ctx, bosc_hash_unique(ctx, g.keys, negative[i], 64, g.counts, NULL, &count), "n");
    for (int i = 0; i < 3; i++)
        CHECK_STATUS(ctx, bosc_hash_unique(ctx, g.keys, large[i], 64, g.counts, NULL, &count), BOSC_ERR_LIMIT);
    for (int k = 1; k < 8; k++) {
        CHECK_ARG(ctx, bosc_hash_unique(ctx, (char *)g.keys + k, 3, 64, g.counts, NULL, &count), "keys");
        CHECK_ARG(ctx, bosc_hash_unique(ctx, g.keys, 3, 64, g.counts, (char *)g.out + k, &count), "unique");
    }
    CHECK_EQ(count, 77);
    check_kept(ctx, &g);
}

static const struct suite_case suite_cases_hash_args[] = {{"options", options, NULL},
                                                          {"building", building, NULL},
                                                          {"queries", queries, NULL},
                                                          {"rows", rows, NULL},
                                                          {"others", others, NULL}};
SUITE(hash_args);
