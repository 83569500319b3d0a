/* Whole cycles in the backend's own memory: commands, an update, the sources of leaves and their nodes. */
#include "cases/cbt/cbt_data.h"

enum { LEAST = 3, MOST = 17, BEYOND = 40, SKEW = 13 };

/* The arrays of a cycle: the host's, and where the backend reaches them. */
struct arrays {
    int64_t n, room;
    uint8_t *commands, *to_commands;
    int64_t *sources, *to_sources;
    uint64_t *nodes, *to_nodes;
};

static void open_arrays(bosc_ctx *ctx, int64_t n, struct arrays *a)
{
    a->n = n;
    a->room = 2 * n + BEYOND;
    a->commands = suite_alloc((size_t)n);
    a->sources = suite_alloc((size_t)a->room * 8);
    a->nodes = suite_alloc((size_t)a->room * 8);
    CHECK_OK(ctx, bosc_ctx_alloc(ctx, (size_t)n + SKEW, (void **)&a->to_commands));
    CHECK_OK(ctx, bosc_ctx_alloc(ctx, (size_t)a->room * 8, (void **)&a->to_sources));
    CHECK_OK(ctx, bosc_ctx_alloc(ctx, (size_t)a->room * 8, (void **)&a->to_nodes));
}

static void close_arrays(bosc_ctx *ctx, struct arrays *a)
{
    bosc_ctx_release(ctx, a->to_commands, (size_t)a->n + SKEW);
    bosc_ctx_release(ctx, a->to_sources, (size_t)a->room * 8);
    bosc_ctx_release(ctx, a->to_nodes, (size_t)a->room * 8);
    free(a->commands);
    free(a->sources);
    free(a->nodes);
}

/* One cycle; the commands begin anywhere, for `count` leaves, and what comes out has room for `room`. */
static void cycle(bosc_ctx *ctx, bosc_cbt *tree, struct reference_cbt *t, struct arrays *a, int skew, int64_t count,
                  int64_t room, bool with_sources)
{
    int32_t id_bits = cbt_id_bits(ctx, tree);
    int64_t *want = suite_alloc((size_t)(2 * t->n + 1) * 8);
    memset(a->sources, 0x33, (size_t)a->room * 8);
    memset(a->nodes, 0x33, (size_t)a->room * 8);
    CHECK_OK(ctx, bosc_ctx_copy(ctx, a->to_commands + skew, a->commands, (size_t)count));
    CHECK_OK(ctx, bosc_ctx_copy(ctx, a->to_sources, a->sources, (size_t)a->room * 8));
    CHECK_OK(ctx, bosc_ctx_copy(ctx, a->to_nodes, a->nodes, (size_t)a->room * 8));
    CHECK_OK(ctx, bosc_cbt_update_and_decode(ctx, tree, a->to_commands + skew, count,
                                             with_sources ? a->to_sources : NULL, a->to_nodes, room));
    CHECK_OK(ctx, bosc_ctx_copy(ctx, a->sources, a->to_sources, (size_t)a->room * 8));
    CHECK_OK(ctx, bosc_ctx_copy(ctx, a->nodes, a->to_nodes, (size_t)a->room * 8));
    CHECK_OK(ctx, bosc_ctx_sync(ctx));
    memset(a->commands + count, 0, (size_t)(a->n - count));
    reference_cbt_update(t, a->commands, want);
    cbt_check(ctx, tree, t);
    for (int64_t l = 0; l < room; l++) {
        CHECK_EQ(cbt_node(a->nodes, id_bits, l), l < t->n ? t->nodes[l] : 0);
        if (with_sources) CHECK_EQ(a->sources[l], l < t->n ? want[l] : -1);
    }
    CHECK(cbt_node(a->nodes, id_bits, room) >= 0x33333333);
    CHECK_EQ(a->sources[with_sources ? room : 0], 0x3333333333333333);
    free(want);
}

static void cycles(bosc_ctx *ctx)
{
    for (int32_t depth = LEAST; depth <= (suite_slow(ctx) ? 15 : MOST); depth++) {
        if (suite_leaves_out()) continue;
        struct suite_random r = {(uint64_t)depth};
        int32_t level = depth < 12 ? 1 : depth - 9;
        bosc_cbt *tree = cbt_make(ctx, depth, level, depth);
        struct reference_cbt t = reference_cbt_level(depth, level);
        for (int round = 0; round < 8 && t.n < 3000; round++) {
            struct arrays a;
            open_arrays(ctx, t.n, &a);
            uint64_t often = round == 5 ? 1000 : 2 + suite_below(&r, 4);
            for (int64_t l = 0; l < t.n; l++) {
                uint64_t x = suite_below(&r, often);
                a.commands[l] = (uint8_t)(x == 0 ? 1 + (round > 3 && suite_below(&r, 2)) : x == 1 ? round : 0);
            }
            int64_t count = round % 3 == 2 ? (int64_t)suite_below(&r, (uint64_t)t.n + 1) : t.n;
            int64_t room = round % 4 == 3 ? (int64_t)suite_below(&r, (uint64_t)t.n) : a.room - 1;
            cycle(ctx, tree, &t, &a, (int)suite_below(&r, SKEW), count, room, round % 2);
            close_arrays(ctx, &a);
        }
        reference_cbt_free(&t);
        bosc_cbt_free(tree);
    }
}

/* Commands for leaves are applied together with commands recorded before. */
static void both(bosc_ctx *ctx)
{
    bosc_cbt *tree = cbt_make(ctx, 14, 4, 2);
    struct reference_cbt t = reference_cbt_level(14, 4);
    for (int round = 0; round < 6; round++) {
        struct arrays a;
        uint64_t list[2] = {t.nodes[0], t.nodes[t.n - 1]};
        open_arrays(ctx, t.n, &a);
        for (int64_t l = 0; l < t.n; l++) a.commands[l] = (uint8_t)(l % 5 == 1 ? 1 : l % 5 > 2 ? 2 : 0);
        CHECK_OK(ctx, bosc_cbt_split(ctx, tree, list, 1));
        CHECK_OK(ctx, bosc_cbt_merge(ctx, tree, list + 1, 1));
        a.commands[0] = 0;
        CHECK_OK(ctx, bosc_ctx_copy(ctx, a.to_commands, a.commands, (size_t)t.n));
        CHECK_OK(ctx, bosc_cbt_update_and_decode(ctx, tree, a.to_commands, t.n, NULL, a.to_nodes, a.room));
        a.commands[0] = 1;
        if (a.commands[t.n - 1] == 0) a.commands[t.n - 1] = 2;
        reference_cbt_update(&t, a.commands, NULL);
        cbt_check(ctx, tree, &t);
        close_arrays(ctx, &a);
    }
    reference_cbt_free(&t);
    bosc_cbt_free(tree);
}

static const struct suite_case suite_cases_cbt_cycles[] = {{"cycles", cycles, NULL}, {"both", both, NULL}};
SUITE(cbt_cycles);
