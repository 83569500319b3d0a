/* Saved trees: the same bytes everywhere, read back whole, and neither damage nor malice goes unseen. */
#include <stdio.h>

#include "cbt/save.h"

#include "cbt_data.h"
#include "saved.h"

static struct saved save(bosc_ctx *ctx, const bosc_cbt *tree)
{
    struct saved f = {0};
    CHECK_OK(ctx, bosc_cbt_write(ctx, tree, saved_append, &f));
    return f;
}

static bosc_cbt *load(bosc_ctx *ctx, struct saved *f)
{
    bosc_cbt *tree = NULL;
    f->at = 0;
    CHECK_OK(ctx, bosc_cbt_read(ctx, saved_deliver, f, &tree));
    CHECK_EQ(f->at, f->size);
    return tree;
}

static int refuse(void *user, const void *bytes, size_t count)
{
    (void)user, (void)bytes, (void)count;
    return 1;
}

/* A tree after some rounds of commands; *t is it too. */
static bosc_cbt *make(bosc_ctx *ctx, int32_t depth, int which, struct reference_cbt *t)
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
        bosc_cbt *tree = make(ctx, depth, depth, &t);
        struct saved f = save(ctx, tree);
        CHECK_EQ(f.size, 64 + 8 + (depth > 6 ? 1 << (depth - 3) : 8));
        bosc_cbt *back = load(ctx, &f);
        struct saved g = save(ctx, back);
        CHECK(f.size == g.size && memcmp(f.bytes, g.bytes, f.size) == 0);
        cbt_check(ctx, back, &t);
        CHECK_STATUS(ctx, bosc_cbt_write(ctx, tree, refuse, NULL), BOSC_ERR_IO);
        bosc_cbt_free(tree);
        bosc_cbt_free(back);
        reference_cbt_free(&t);
        free(f.bytes);
        free(g.bytes);
    }
}

static void check_refused(bosc_ctx *ctx, struct saved *f, const char *reason)
{
    bosc_cbt *tree = NULL;
    f->at = 0;
    bosc_status status = bosc_cbt_read(ctx, saved_deliver, f, &tree);
    saved_refused(ctx, status, tree, "saved bisection: ", reason);
}

/* Every truncation, and every bit flipped. */
static void damage(bosc_ctx *ctx)
{
    struct reference_cbt t;
    bosc_cbt *tree = make(ctx, 9, 1, &t);
    struct saved f = save(ctx, tree);
    saved_damage(ctx, &f, suite_slow(ctx) ? 37 : 1, check_refused);
    bosc_cbt_free(load(ctx, &f));
    bosc_cbt_free(tree);
    reference_cbt_free(&t);
    free(f.bytes);
}

/* Lies with right hashes: which 32-bit word, what it becomes, what is said. */
static const struct lie {
    int at;
    uint32_t value;
    const char *reason;
} lies[] = {
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
    struct saved f = save(ctx, tree);
    CHECK_EQ(f.size, 64 + 16 + 8);
    for (size_t k = 0; k < sizeof lies / sizeof lies[0]; k++) {
        struct saved bad = {0};
        saved_append(&bad, f.bytes, f.size);
        memcpy(bad.bytes + 4 * lies[k].at, &lies[k].value, 4);
        saved_seal(bad.bytes, bad.size, offsetof(struct bi_cbt_header, hash));
        check_refused(ctx, &bad, lies[k].reason);
        free(bad.bytes);
    }
    bosc_cbt_free(load(ctx, &f));
    bosc_cbt_free(tree);
    free(f.bytes);
}

static void arguments(bosc_ctx *ctx)
{
    bosc_cbt *tree = cbt_make(ctx, 7, 1, 0), *back = NULL;
    struct saved f = save(ctx, tree);
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

/* tests/golden/: a tree as the first version of the format had it. With BOSC_GOLDEN in the environment it is written to
 * the folder that it names, to begin a new version. */
static const unsigned char golden_bytes[] = {
#include "golden/cbt-v1.bosc.inc"
};

static void golden(bosc_ctx *ctx)
{
    struct reference_cbt t;
    bosc_cbt *tree = make(ctx, 9, 2, &t);
    struct saved f = save(ctx, tree), old = {.bytes = (char *)(uintptr_t)golden_bytes, .size = sizeof golden_bytes};
    const char *folder = getenv("BOSC_GOLDEN");
    if (folder) {
        char path[256];
        snprintf(path, sizeof path, "%s/cbt-v1.bosc", folder);
        FILE *to = fopen(path, "wb");
        CHECK(to && fwrite(f.bytes, 1, f.size, to) == f.size && fclose(to) == 0);
    } else {
        bosc_cbt *back = load(ctx, &old);
        cbt_check(ctx, back, &t);
        bosc_cbt_free(back);
        CHECK(f.size == old.size && memcmp(f.bytes, old.bytes, f.size) == 0);
    }
    bosc_cbt_free(tree);
    reference_cbt_free(&t);
    free(f.bytes);
}

static const struct suite_case suite_cases_cbt_save[] = {
    {"round_trip", round_trip, NULL}, {"damage", damage, NULL}, {"malice", malice, NULL},
    {"arguments", arguments, NULL},   {"golden", golden, NULL},
};
SUITE(cbt_save);
