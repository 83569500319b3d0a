/* Saved trees: the same bytes everywhere, read back whole; every damage and every forged file is refused or harmless.
 * */
#include "cbt/save.h"

#include "cases/cbt/cbt_data.h"
#include "support/saved.h"

SAVED_KIND(cbt, "saved bisection: ", bi_cbt_header)

/* A tree after some rounds of commands, and its reference *t. */
static bosc_cbt *tree_after_updates(bosc_ctx *ctx, int32_t depth, int which, struct reference_cbt *t)
{
    struct suite_random r = {(uint64_t)depth};
    bosc_cbt *tree = cbt_make(ctx, depth, depth / 2, which);
    *t = reference_cbt_level(depth, depth / 2);
    for (int round = 0; round < 3; round++) {
        uint8_t *commands = suite_alloc((size_t)t->n);
        for (int64_t l = 0; l < t->n; l++) commands[l] = (uint8_t)suite_below(&r, 3);
        CHECK_OK(ctx, bosc_cbt_update(ctx, tree, commands, t->n, NULL, 0));
        reference_cbt_update(t, commands, NULL);
        free(commands);
    }
    return tree;
}

static void round_trip(bosc_ctx *ctx)
{
    for (int32_t depth = 0; depth <= (suite_slow(ctx) ? 8 : 14); depth++) {
        if (suite_leaves_out()) continue;
        struct reference_cbt t;
        bosc_cbt *tree = tree_after_updates(ctx, depth, depth, &t);
        bosc_cbt *back = saved_again(ctx, &saved_cbt, tree, 64 + 8 + (size_t)(depth > 6 ? 1 << (depth - 3) : 8));
        cbt_check(ctx, back, &t);
        bosc_cbt_free(tree);
        bosc_cbt_free(back);
        reference_cbt_free(&t);
    }
}

/* Every truncation, and every bit flipped. */
static void damage(bosc_ctx *ctx)
{
    struct reference_cbt t;
    bosc_cbt *tree = tree_after_updates(ctx, 9, 1, &t);
    saved_damage(ctx, &saved_cbt, tree, suite_slow(ctx) ? 37 : 1);
    bosc_cbt_free(tree);
    reference_cbt_free(&t);
}

static const struct saved_lie lies[] = {
    {0, 7, "not the bytes of one"},
    {2, 2, "version 2"},
    {2, 0, "version 0"},
    {2, UINT32_MAX, "version 4294967295"},
    {3, 8, "ends within its bits"},
    {3, 36, "options"}, /* 32-bit nodes */
    {3, 31, "ends within its bits"},
    {3, 37, "options"},
    {3, UINT32_MAX, "options"},
    {3, 0x80000000u, "options"},
    {4, 8, "options"},
    {4, UINT32_MAX, "options"},
    {5, 2, "options"},
    {5, UINT32_MAX, "options"},
    {6, 0, "options"},
    {6, 16, "options"},
    {6, 33, "options"},
    {7, 1, "unknown fields"},
    {8, 0, "number of leaves"},
    {8, 1, "number of leaves is wrong"},
    {8, 129, "number of leaves is out"},
    {9, 1, "number of leaves is out"},
    {9, 0x80000000u, "number of leaves is out"},
    {10, 1, "unknown fields"},
    {13, 9, "unknown fields"},
    {16, 0, "bits are not those of a tree"},
    {16, 0xfffffffeu, "bits are not those of a tree"},
    {16, 2, "bits are not those of a tree"},
    {19, 0x80000000u, "bits are not those of a tree"},
};

static void malice(bosc_ctx *ctx)
{
    bosc_cbt *tree = cbt_make(ctx, 7, 1, 0);
    struct saved f = cbt_save(ctx, tree);
    CHECK_EQ(f.size, 64 + 16 + 8);
    saved_lies(ctx, &saved_cbt, &f, lies, sizeof lies / sizeof lies[0], NULL);
    bosc_cbt_free(tree);
    free(f.bytes);
}

static void arguments(bosc_ctx *ctx)
{
    bosc_cbt *tree = cbt_make(ctx, 7, 1, 0), *back = NULL;
    struct saved f = cbt_save(ctx, tree);
    CHECK_EQ(bosc_cbt_write(NULL, tree, saved_append, &f), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cbt_write(ctx, NULL, saved_append, &f), "tree");
    CHECK_ARG(ctx, bosc_cbt_write(ctx, tree, NULL, &f), "write");
    CHECK_EQ(bosc_cbt_read(NULL, saved_deliver, &f, &back), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cbt_read(ctx, NULL, &f, &back), "read");
    CHECK_ARG(ctx, bosc_cbt_read(ctx, saved_deliver, &f, NULL), "tree");
    CHECK(back == NULL);
    bosc_cbt_free(tree);
    free(f.bytes);
}

static const unsigned char golden_bytes[] = {
#include "golden/cbt-v1.bosc.inc"
};

static void golden(bosc_ctx *ctx)
{
    struct reference_cbt t;
    bosc_cbt *tree = tree_after_updates(ctx, 9, 2, &t);
    bosc_cbt *back = saved_golden(ctx, &saved_cbt, tree, "cbt-v1.bosc", golden_bytes, sizeof golden_bytes);
    cbt_check(ctx, back, &t);
    bosc_cbt_free(back);
    bosc_cbt_free(tree);
    reference_cbt_free(&t);
}

static const struct suite_case suite_cases_cbt_save[] = {
    {"round_trip", round_trip, NULL}, {"damage", damage, NULL}, {"malice", malice, NULL},
    {"arguments", arguments, NULL},   {"golden", golden, NULL},
};
SUITE(cbt_save);
