/* Calls on trees documented as capturable, as graphs: replayed, with other input and another tree each time, they do
 * what the calls would. */
#include "support/capture.h"
#include "cases/cbt/cbt_data.h"

enum { DEPTH = 16, LEVEL = 5, ROOM = 4096, QUERIES = 257, ROUNDS = 6 };

/* Arrays in the backend's memory, which the recorded calls use. */
struct scene {
    bosc_cbt *tree;
    struct reference_cbt t;
    int32_t id_bits;
    bool with_sources;
    uint8_t *commands;
    int64_t *sources, *leaves, *numbers, *counts, *carried;
    void *nodes, *some, *splits, *merges, *queried;
};

static void *allocate(bosc_ctx *ctx, size_t bytes)
{
    void *p;
    CHECK_OK(ctx, bosc_ctx_alloc(ctx, bytes, &p));
    return p;
}

static void copy_array(bosc_ctx *ctx, void *to, const void *from, size_t bytes)
{
    CHECK_OK(ctx, bosc_ctx_copy(ctx, to, from, bytes));
}

static void copy_nodes(bosc_ctx *ctx, const struct scene *s, void *to, const uint64_t *from, int64_t n)
{
    void *nodes = cbt_nodes(from, n, s->id_bits);
    copy_array(ctx, to, nodes, (size_t)n * (size_t)s->id_bits / 8);
    free(nodes);
}

static void open_scene(bosc_ctx *ctx, struct scene *s, int32_t depth, int which)
{
    *s = (struct scene){.tree = cbt_make(ctx, depth, LEVEL, which), .t = reference_cbt_level(depth, LEVEL)};
    s->id_bits = cbt_id_bits(ctx, s->tree);
    s->commands = allocate(ctx, ROOM);
    s->sources = allocate(ctx, ROOM * 8);
    s->leaves = allocate(ctx, QUERIES * 8);
    s->numbers = allocate(ctx, QUERIES * 8);
    s->counts = allocate(ctx, QUERIES * 8);
    s->carried = allocate(ctx, ROOM * 8);
    s->nodes = allocate(ctx, ROOM * 8);
    s->some = allocate(ctx, QUERIES * 8);
    s->splits = allocate(ctx, QUERIES * 8);
    s->merges = allocate(ctx, QUERIES * 8);
    s->queried = allocate(ctx, QUERIES * 8);
}

static void close_scene(bosc_ctx *ctx, struct scene *s)
{
    void *big[] = {s->sources, s->carried, s->nodes};
    void *small[] = {s->leaves, s->numbers, s->counts, s->some, s->splits, s->merges, s->queried};
    for (int i = 0; i < 3; i++) bosc_ctx_release(ctx, big[i], ROOM * 8);
    for (int i = 0; i < 7; i++) bosc_ctx_release(ctx, small[i], QUERIES * 8);
    bosc_ctx_release(ctx, s->commands, ROOM);
    bosc_cbt_free(s->tree);
    reference_cbt_free(&s->t);
}

/* A random command for each leaf. */
static void draw(struct suite_random *r, const struct reference_cbt *t, uint8_t *commands, bool grow)
{
    memset(commands, 0, ROOM);
    for (int64_t l = 0; l < t->n; l++) {
        uint64_t x = suite_below(r, 8);
        commands[l] = (uint8_t)(x < (grow ? 5 : 1) ? 1 : x == 7 ? 2 : 0);
    }
}

static void check_nodes(bosc_ctx *ctx, const struct scene *s, const void *nodes, int64_t n)
{
    uint64_t *got = suite_alloc((size_t)n * 8);
    copy_array(ctx, got, nodes, (size_t)n * (size_t)s->id_bits / 8);
    for (int64_t l = 0; l < n; l++) CHECK_EQ(cbt_node(got, s->id_bits, l), l < s->t.n ? s->t.nodes[l] : 0);
    free(got);
}

static void check_numbers(bosc_ctx *ctx, const int64_t *numbers, const int64_t *want, int64_t n)
{
    int64_t *got = suite_alloc((size_t)n * 8);
    copy_array(ctx, got, numbers, (size_t)n * 8);
    for (int64_t i = 0; i < n; i++) CHECK_EQ(got[i], want[i]);
    free(got);
}

/* An update and a carry, or a whole cycle. */
static void call_update(bosc_ctx *ctx, void *user)
{
    struct scene *s = user;
    CHECK_OK(ctx, bosc_cbt_update(ctx, s->tree, s->commands, ROOM, s->sources, ROOM));
    CHECK_OK(ctx, bosc_cbt_gather_payload(ctx, s->sources, ROOM, s->sources, ROOM, 8, s->carried));
    CHECK_OK(ctx, bosc_cbt_decode(ctx, s->tree, 0, ROOM, s->nodes));
}

static void call_cycle(bosc_ctx *ctx, void *user)
{
    struct scene *s = user;
    CHECK_OK(ctx, bosc_cbt_update_and_decode(ctx, s->tree, s->commands, ROOM, s->with_sources ? s->sources : NULL,
                                             s->nodes, ROOM));
}

static void run_updates(bosc_ctx *ctx, int32_t depth, int which, void (*calls)(bosc_ctx *ctx, void *user))
{
    struct suite_random r = {(uint64_t)which};
    struct capture c;
    struct scene s;
    uint8_t commands[ROOM] = {0};
    int64_t *sources = suite_alloc(2 * ROOM * 8), *twice = suite_alloc(ROOM * 8);
    open_scene(ctx, &s, depth, which);
    s.with_sources = which % 3 == 0;
    copy_array(ctx, s.commands, commands, ROOM);
    capture_open(&c, ctx, calls, &s);
    /* Each replay applies new commands and gives the nodes, and the sources where they are requested. */
    for (int round = 0; round < ROUNDS && s.t.n < ROOM / 2; round++) {
        draw(&r, &s.t, commands, round < 4);
        copy_array(ctx, s.commands, commands, ROOM);
        capture_replay(&c);
        reference_cbt_update(&s.t, commands, sources);
        cbt_check(ctx, s.tree, &s.t);
        check_nodes(ctx, &s, s.nodes, ROOM);
        for (int64_t l = s.t.n; l < ROOM; l++) sources[l] = -1;
        if (calls == call_update || s.with_sources) check_numbers(ctx, s.sources, sources, ROOM);
        for (int64_t l = 0; l < ROOM; l++) twice[l] = sources[l] < 0 ? 0 : sources[sources[l]];
        if (calls == call_update) check_numbers(ctx, s.carried, twice, ROOM);
    }
    capture_close(&c);
    close_scene(ctx, &s);
    free(sources);
    free(twice);
}

/* Trees that CUDA changes and decodes in one launch, and some that it does not. */
static void updates(bosc_ctx *ctx)
{
    static const int32_t depths[] = {17, 12, 21, 14};
    for (int which = 0; which < 4; which++) {
        if (suite_leaves_out()) continue;
        run_updates(ctx, suite_slow(ctx) ? 12 : depths[which], which, call_update);
        run_updates(ctx, suite_slow(ctx) ? 13 : depths[which] - 2, which, call_cycle);
    }
}

/* Commands for nodes are recorded and carried out; then all queries run. */
static void call_all(bosc_ctx *ctx, void *user)
{
    struct scene *s = user;
    CHECK_OK(ctx, bosc_cbt_split(ctx, s->tree, s->splits, QUERIES));
    CHECK_OK(ctx, bosc_cbt_merge(ctx, s->tree, s->merges, QUERIES));
    CHECK_OK(ctx, bosc_cbt_reduce(ctx, s->tree));
    CHECK_OK(ctx, bosc_cbt_decode(ctx, s->tree, 0, ROOM, s->nodes));
    CHECK_OK(ctx, bosc_cbt_decode_at(ctx, s->tree, s->leaves, QUERIES, s->some));
    CHECK_OK(ctx, bosc_cbt_encode(ctx, s->tree, s->queried, QUERIES, s->numbers));
    CHECK_OK(ctx, bosc_cbt_heap_read(ctx, s->tree, s->queried, QUERIES, s->counts));
}

static void check_answers(bosc_ctx *ctx, const struct scene *s, const uint64_t *queried, const int64_t *leaves)
{
    int64_t want[QUERIES];
    uint64_t got[QUERIES];
    check_nodes(ctx, s, s->nodes, ROOM);
    copy_array(ctx, got, s->some, QUERIES * (size_t)s->id_bits / 8);
    for (int i = 0; i < QUERIES; i++)
        CHECK_EQ(cbt_node(got, s->id_bits, i), leaves[i] < s->t.n ? s->t.nodes[leaves[i]] : 0);
    for (int i = 0; i < QUERIES; i++) want[i] = reference_cbt_encode(&s->t, queried[i]);
    check_numbers(ctx, s->numbers, want, QUERIES);
    for (int i = 0; i < QUERIES; i++) want[i] = reference_cbt_heap(&s->t, queried[i]);
    check_numbers(ctx, s->counts, want, QUERIES);
}

static void recorded(bosc_ctx *ctx)
{
    for (int which = 0; which < 4; which++) {
        if (suite_leaves_out()) continue;
        struct suite_random r = {(uint64_t)which};
        struct capture c;
        struct scene s;
        uint64_t splits[QUERIES] = {0}, merges[QUERIES] = {0}, queried[QUERIES] = {0};
        int64_t leaves[QUERIES] = {0};
        int32_t depth = suite_slow(ctx) ? 12 : DEPTH;
        open_scene(ctx, &s, depth, which);
        copy_nodes(ctx, &s, s.splits, splits, QUERIES);
        copy_nodes(ctx, &s, s.merges, merges, QUERIES);
        copy_nodes(ctx, &s, s.queried, queried, QUERIES);
        copy_array(ctx, s.leaves, leaves, sizeof leaves);
        capture_open(&c, ctx, call_all, &s);
        for (int round = 0; round < ROUNDS && s.t.n < ROOM - QUERIES; round++) {
            uint8_t commands[ROOM] = {0};
            for (int i = 0; i < QUERIES; i++) { /* leaves, and numbers that may be no nodes */
                uint64_t leaf = suite_below(&r, (uint64_t)s.t.n), other = suite_below(&r, (uint64_t)s.t.n);
                bool deepest = reference_cbt_node_level(s.t.nodes[leaf]) == depth;
                splits[i] = round % 2 ? 0 : s.t.nodes[leaf];
                merges[i] = s.t.nodes[other];
                queried[i] = suite_below(&r, (uint64_t)3 << depth);
                leaves[i] = (int64_t)suite_below(&r, (uint64_t)s.t.n + 9);
                if (commands[other] == 0) commands[other] = 2;
                if (round % 2 == 0 && !deepest) commands[leaf] = 1;
            }
            copy_nodes(ctx, &s, s.splits, splits, QUERIES);
            copy_nodes(ctx, &s, s.merges, merges, QUERIES);
            copy_nodes(ctx, &s, s.queried, queried, QUERIES);
            copy_array(ctx, s.leaves, leaves, sizeof leaves);
            capture_replay(&c);
            reference_cbt_update(&s.t, commands, NULL);
            cbt_check(ctx, s.tree, &s.t);
            check_answers(ctx, &s, queried, leaves);
        }
        capture_close(&c);
        close_scene(ctx, &s);
    }
}

/* A reset, after which a view's commands and whatever else was recorded are forgotten. */
static void call_reset(bosc_ctx *ctx, void *user)
{
    struct scene *s = user;
    CHECK_OK(ctx, bosc_cbt_reset(ctx, s->tree, LEVEL + 1));
    CHECK_OK(ctx, bosc_cbt_reduce(ctx, s->tree));
}

static void resets(bosc_ctx *ctx)
{
    for (int which = 0; which < 4; which++) {
        struct capture c;
        struct scene s;
        uint64_t node = 1 << LEVEL;
        open_scene(ctx, &s, suite_slow(ctx) ? 11 : DEPTH, which);
        cbt_share(ctx, s.tree);
        capture_open(&c, ctx, call_reset, &s);
        reference_cbt_free(&s.t);
        s.t = reference_cbt_level(s.t.depth, LEVEL + 1);
        for (int round = 0; round < 3; round++) {
            node = ((uint64_t)2 << LEVEL) + (uint64_t)round;
            copy_nodes(ctx, &s, s.splits, &node, 1);
            CHECK_OK(ctx, bosc_cbt_split(ctx, s.tree, s.splits, 1));
            if (round == 1) CHECK_OK(ctx, bosc_cbt_reduce(ctx, s.tree));
            capture_replay(&c);
            cbt_check(ctx, s.tree, &s.t);
        }
        capture_close(&c);
        close_scene(ctx, &s);
    }
}

static void call_recount(bosc_ctx *ctx, void *user)
{
    CHECK_OK(ctx, bosc_cbt_recount(ctx, ((struct scene *)user)->tree));
}

/* Bits changed in place are counted anew, and recorded commands are dropped. */
static void recounts(bosc_ctx *ctx)
{
    static const int32_t depths[] = {3, 10, 13, 18};
    for (int which = 0; which < 4; which++) {
        struct suite_random r = {(uint64_t)which};
        int32_t depth = suite_slow(ctx) && depths[which] > 13 ? 12 : depths[which], level = depth < 5 ? 1 : LEVEL;
        size_t bytes = depth > 6 ? (size_t)1 << (depth - 3) : 8;
        uint64_t *bits = suite_alloc(bytes), node = 1 << level;
        bosc_cbt *tree = cbt_make(ctx, depth, level, which);
        struct reference_cbt t = reference_cbt_level(depth, level);
        struct scene s = {.tree = tree, .id_bits = cbt_id_bits(ctx, tree)};
        void *nodes = cbt_nodes(&node, 1, s.id_bits);
        struct capture c;
        uint64_t *field = cbt_share(ctx, tree);
        capture_open(&c, ctx, call_recount, &s);
        cbt_check(ctx, tree, &t);
        for (int round = 0; round < ROUNDS && t.n < ROOM / 2; round++) {
            uint8_t commands[ROOM];
            draw(&r, &t, commands, round < 4);
            reference_cbt_update(&t, commands, NULL);
            reference_cbt_bits(&t, bits);
            /* A pending split, which the recount must drop; then new bits. */
            CHECK_OK(ctx, bosc_cbt_split(ctx, tree, nodes, 1));
            copy_array(ctx, field, bits, bytes);
            capture_replay(&c);
            cbt_check(ctx, tree, &t);
            CHECK_OK(ctx, bosc_cbt_reduce(ctx, tree));
            cbt_check(ctx, tree, &t);
        }
        capture_close(&c);
        bosc_cbt_free(tree);
        reference_cbt_free(&t);
        free(nodes);
        free(bits);
    }
}

static const struct suite_case suite_cases_cbt_capture[] = {
    {"updates", updates, NULL}, {"recorded", recorded, NULL}, {"resets", resets, NULL}, {"recounts", recounts, NULL}};
SUITE(cbt_capture);
