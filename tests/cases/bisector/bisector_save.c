/* Saved bisector pools: the same bytes on every backend, read back completely; damaged and hostile files are refused.
 * */
#include "bisector/save.h"

#include "cases/bisector/bisector_data.h"
#include "support/saved.h"

SAVED_KIND(bisectors, "saved pool of bisectors: ", bi_bisector_header)

/* A pool after some rounds of commands; *plain receives the same pool as a reference. */
static bosc_bisectors *make_pool(bosc_ctx *ctx, enum reference_mesh mesh, struct reference_bisectors *plain)
{
    struct suite_random r = {(uint64_t)mesh + 1};
    bosc_bisectors *b = bisectors_make(ctx, mesh, 18, 0);
    *plain = reference_bisectors_make(mesh, 18);
    for (int round = 0; round < 4; round++) {
        uint8_t *commands = suite_alloc((size_t)plain->n);
        for (int64_t l = 0; l < plain->n; l++) commands[l] = (uint8_t)(1 + (suite_below(&r, 4) == 0));
        CHECK_OK(ctx, bosc_bisectors_update(ctx, b, commands, plain->n, NULL, 0));
        reference_bisectors_update(plain, commands);
        free(commands);
    }
    return b;
}

static void round_trip(bosc_ctx *ctx)
{
    for (int mesh = 0; mesh < REFERENCE_MESHES; mesh++) {
        struct reference_bisectors plain;
        double at[8][3][3];
        bosc_bisectors *b = make_pool(ctx, (enum reference_mesh)mesh, &plain);
        const int64_t roots = reference_bisector_roots((enum reference_mesh)mesh, at);
        bosc_bisectors *back = saved_again(ctx, &saved_bisectors, b, (size_t)(64 + 12 * roots + 8 * plain.n + 8));
        bisectors_check(ctx, back, &plain);
        reference_bisectors_free(&plain);
        bosc_bisectors_free(b);
        bosc_bisectors_free(back);
    }
}

/* Every truncation, and every bit flipped. */
static void damage(bosc_ctx *ctx)
{
    struct reference_bisectors plain;
    bosc_bisectors *b = make_pool(ctx, REFERENCE_SQUARE, &plain);
    saved_damage(ctx, &saved_bisectors, b, suite_slow(ctx) ? 37 : 1);
    bosc_bisectors_free(b);
    reference_bisectors_free(&plain);
}

/* Words: 2 version, 3 depth, 4 and 5 roots, 6 and 7 leaves, 8 to 13 unused, 16 to 21 two roots, from 22 on nodes. */
static const struct saved_lie lies[] = {
    {0, 7, "not the bytes of one"},
    {2, 0, "version 0"},
    {2, 2, "version 2"},
    {2, UINT32_MAX, "version 4294967295"},
    {3, 61, "depth or number of roots"},
    {3, UINT32_MAX, "depth or number of roots"},
    {3, 0x80000000u, "depth or number of roots"},
    {3, 0, "not the leaves"},
    {3, 1, NULL}, /* all leaves are on level 1 */
    {4, 0, "depth or number of roots"},
    {4, 3, "ends within its"},
    {5, 1, "depth or number of roots"},
    {5, 0x80000000u, "depth or number of roots"},
    {6, 0, "number of leaves"},
    {6, 1, "number of leaves"},
    {6, 5, "ends within its"},
    {7, 1, "number of leaves"},
    {7, 0x80000000u, "number of leaves"},
    {8, 1, "unknown fields"},
    {13, 9, "unknown fields"},
    {16, 8, "roots"}, /* a root that does not exist */
    {16, 7, "roots"}, /* an edge that does not exist */
    {16, 5, "roots"}, /* a base glued to an edge that does not exist */
    {16, 0, "roots"}, /* itself */
    {16, UINT32_MAX, "roots"},
    {17, 5, "roots"},
    {17, 1, "roots"}, /* a border glued to itself */
    {18, 2, "roots"},
    {20, 5, "roots"},
    {21, 6, "roots"},
    {22, 0, "not the leaves"},
    {22, 1, "not the leaves"},
    {22, 2, "not the leaves"},
    {22, UINT32_MAX, "not the leaves"},
    {23, UINT32_MAX, "not the leaves"},
};

static void malice(bosc_ctx *ctx)
{
    bosc_bisectors *b = bisectors_make(ctx, REFERENCE_SQUARE, 6, 0);
    const uint64_t node = 2;
    CHECK_OK(ctx, bosc_bisectors_split(ctx, b, &node, 1));
    CHECK_OK(ctx, bosc_bisectors_update(ctx, b, NULL, 0, NULL, 0));
    struct saved f = bisectors_save(ctx, b);
    CHECK_EQ(f.size, 64 + 24 + 4 * 8 + 8);
    saved_lies(ctx, &saved_bisectors, &f, lies, sizeof lies / sizeof lies[0], NULL);
    bosc_bisectors_free(b);
    free(f.bytes);
}

static void arguments(bosc_ctx *ctx)
{
    bosc_bisectors *b = bisectors_make(ctx, REFERENCE_TRIANGLE, 7, 1), *back = NULL;
    struct saved f = bisectors_save(ctx, b);
    CHECK_EQ(bosc_bisectors_write(NULL, b, saved_append, &f), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_bisectors_write(ctx, NULL, saved_append, &f), "bisectors");
    CHECK_ARG(ctx, bosc_bisectors_write(ctx, b, NULL, &f), "write");
    CHECK_EQ(bosc_bisectors_read(NULL, saved_deliver, &f, &back), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_bisectors_read(ctx, NULL, &f, &back), "read");
    CHECK_ARG(ctx, bosc_bisectors_read(ctx, saved_deliver, &f, NULL), "bisectors");
    CHECK(back == NULL);
    bosc_bisectors_free(b);
    free(f.bytes);
}

static const unsigned char golden_bytes[] = {
#include "golden/bisectors-v1.bosc.inc"
};

static void golden(bosc_ctx *ctx)
{
    struct reference_bisectors plain;
    bosc_bisectors *b = make_pool(ctx, REFERENCE_OCTAHEDRON, &plain);
    bosc_bisectors *back =
        saved_golden(ctx, &saved_bisectors, b, "bisectors-v1.bosc", golden_bytes, sizeof golden_bytes);
    bisectors_check(ctx, back, &plain);
    reference_bisectors_free(&plain);
    bosc_bisectors_free(b);
    bosc_bisectors_free(back);
}

static const struct suite_case suite_cases_bisector_save[] = {{"round_trip", round_trip, NULL},
                                                              {"damage", damage, NULL},
                                                              {"malice", malice, NULL},
                                                              {"arguments", arguments, NULL},
                                                              {"golden", golden, NULL}};
SUITE(bisector_save);
