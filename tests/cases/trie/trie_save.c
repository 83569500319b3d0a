/* Saved tries: the same bytes everywhere, read back whole; every damage and every forged file is refused or harmless.
 * */
#include "trie/save.h"
#include "cases/trie/trie_data.h"

static void round_trip(bosc_ctx *ctx)
{
    struct suite_random r = {91};
    for (int k = 0; k < 16; k++) {
        if (suite_leaves_out()) continue;
        bosc_trie_opts o = trie_options(k, 1 + 13 * k, 1 + k % 8);
        struct reference_cells c =
            cells_make(&r, (enum cells_shape)(k % CELLS_SHAPES), o.length, o.letter_bits, 7 * k, 0);
        struct reference_trie t = trie_oracle(&o);
        bosc_trie *trie = trie_of(ctx, &o, &c);
        bosc_trie *back = saved_again(ctx, &saved_trie, trie, 0);
        bosc_trie_info x = {.size = sizeof x}, y = x;
        CHECK_OK(ctx, bosc_trie_get_info(ctx, trie, &x));
        CHECK_OK(ctx, bosc_trie_get_info(ctx, back, &y));
        CHECK(x.keys == y.keys && x.rows == y.rows && x.nodes == y.nodes && x.depth == y.depth);
        trie_oracle_insert(&t, &c, NULL, 0);
        trie_check_keys(ctx, back, &o, &t, false);
        reference_trie_clear(&t);
        bosc_trie_free(trie);
        bosc_trie_free(back);
        free(c.rows);
    }
}

/* Three keys of 70 letters of one bit, which came with four rows. */
static bosc_trie *three(bosc_ctx *ctx, bosc_trie_layout layout)
{
    uint64_t rows[] = {1, 2, 6, 0, 1, 2, 5, 0};
    bosc_trie_opts o = {.size = sizeof o, .length = 70, .layout = layout, .value_bits = 32};
    bosc_trie *trie = trie_create(ctx, &o);
    CHECK_OK(ctx, bosc_trie_build(ctx, trie, rows, NULL, 4, 0));
    return trie;
}

/* Every truncation, and every bit flipped. */
static void damage(bosc_ctx *ctx)
{
    bosc_trie *trie = three(ctx, BOSC_TRIE_COMPACT);
    saved_damage(ctx, &saved_trie, trie, suite_slow(ctx) ? 37 : 1);
    bosc_trie_free(trie);
}

static const struct saved_lie lies[] = {
    {0, 7, "not the bytes of one"},
    {2, 2, "version 2"},
    {2, 0, "version 0"},
    {2, UINT32_MAX, "version 4294967295"},
    {3, 0, "options"},
    {3, 65537, "options"},
    {3, UINT32_MAX, "options"},
    {3, 0x80000000u, "options"},
    {3, 65536, "ends within its keys"},
    {3, 64, NULL},
    {3, 69, NULL},
    {3, 65, "bits beyond its letters"},
    {4, 0, "options"},
    {4, 9, "options"},
    {4, UINT32_MAX, "options"},
    {4, 2, NULL},
    {5, 2, "options"},
    {5, UINT32_MAX, "options"},
    {6, 2, "options"},
    {6, UINT32_MAX, "options"},
    {7, 0, "options"},
    {7, 16, "options"},
    {7, 65, "options"},
    {7, 64, NULL}, /* the arrays fill their 64 bytes the same: read as another trie, or refused */
    {8, 4, NULL},
    {8, 5, "number of rows"},
    {8, 2, "something"},
    {9, 1, "number of keys"},
    {9, 0x80000000u, "number of keys"},
    {10, 2, "number of rows"},
    {10, 3, "multiplicities"},
    {11, 1, "number of rows"},
    {11, 0x80000000u, "number of rows"},
    {12, 1, NULL}, /* another digit, or no whole letter */
    {12, 9, "options"},
    {12, UINT32_MAX, "options"},
    {13, 1, "unknown fields"},
    {16, 1, NULL},
    {17, 0xffffffffu, "not in order"},
    {18, 1, "bits beyond its letters"},
    {19, 0x02000000u, "bits beyond its letters"},
    {21, 0, "not in order"},
    {25, 0x40000000u, NULL},
    {28, 1, "something"},
    {35, 1, "something"},
    {48, 0, "multiplicities"},
    {48, UINT32_MAX, "multiplicities"},
    {49, 3, "multiplicities"},
    {50, 0, "multiplicities"},
    {51, 1, "something"},
    {63, 0x80000000u, "something"},
};

/* A trie that was read can be queried, whatever the file said. */
static void query_read_trie(bosc_ctx *ctx, const void *trie)
{
    int64_t range[2];
    uint64_t *row = suite_alloc(65536 * 8);
    memset(row, 0x5a, 65536 * 8);
    CHECK_OK(ctx, bosc_trie_longest(ctx, trie, row, 1, 0, NULL, range, range + 1));
    CHECK(range[0] >= 0 && range[0] <= range[1]);
    free(row);
}

static void malice(bosc_ctx *ctx)
{
    for (int layout = 0; layout < 2; layout++) {
        bosc_trie *trie = three(ctx, (bosc_trie_layout)layout);
        struct saved f = trie_save(ctx, trie);
        CHECK_EQ(f.size, 64 + 64 + 64 + 64 + 8);
        saved_lies(ctx, &saved_trie, &f, lies, sizeof lies / sizeof lies[0], query_read_trie);
        bosc_trie_free(trie);
        free(f.bytes);
    }
}

static const unsigned char golden[] = {
#include "golden/trie-v1.bosc.inc"
};

/* The rows of the golden file: a walk over letters of three bits. */
static bosc_trie *golden_trie(bosc_ctx *ctx)
{
    struct suite_random r = {92};
    bosc_trie_opts o = trie_options(3, 30, 3);
    struct reference_cells c = cells_make(&r, CELLS_WALK, o.length, o.letter_bits, 25, 0);
    bosc_trie *trie = trie_of(ctx, &o, &c);
    free(c.rows);
    return trie;
}

static void golden_file(bosc_ctx *ctx)
{
    bosc_trie *trie = golden_trie(ctx);
    bosc_trie_free(saved_golden(ctx, &saved_trie, trie, "trie-v1.bosc", golden, sizeof golden));
    bosc_trie_free(trie);
}

static void arguments(bosc_ctx *ctx)
{
    bosc_trie_opts o = trie_options(0, 9, 1);
    bosc_trie *trie = trie_create(ctx, &o), *back = NULL;
    struct saved f = trie_save(ctx, trie);
    CHECK_EQ(bosc_trie_write(NULL, trie, saved_append, &f), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_trie_write(ctx, NULL, saved_append, &f), "trie");
    CHECK_ARG(ctx, bosc_trie_write(ctx, trie, NULL, &f), "write");
    CHECK_EQ(bosc_trie_read(NULL, saved_deliver, &f, &back), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_trie_read(ctx, NULL, &f, &back), "read");
    CHECK_ARG(ctx, bosc_trie_read(ctx, saved_deliver, &f, NULL), "trie");
    CHECK(back == NULL);
    bosc_trie_free(trie_load(ctx, &f));
    bosc_trie_free(trie);
    free(f.bytes);
}

static const struct suite_case suite_cases_trie_save[] = {
    {"round_trip", round_trip, NULL},   {"damage", damage, NULL},       {"malice", malice, NULL},
    {"golden_file", golden_file, NULL}, {"arguments", arguments, NULL},
};
SUITE(trie_save);
