/* Defects of other implementations of these trees, one case each. */
#include "cases/cbt/cbt_data.h"

/* Depths that an assertion admits, and that overflow or count no leaves. */
static void depths(bosc_ctx *ctx)
{
    static const int32_t refused[] = {37, 58, 62, 63, 64, -1, INT32_MAX, INT32_MIN};
    for (int k = 0; k < 8; k++) {
        bosc_cbt_opts o = {.size = sizeof o, .depth = refused[k]};
        bosc_cbt *tree = NULL;
        CHECK_ARG(ctx, bosc_cbt_create(ctx, &o, &tree), "opts: depth");
        CHECK(tree == NULL);
    }
    for (int32_t depth = 0; depth <= 12; depth++) {
        bosc_cbt *tree = cbt_make(ctx, depth, depth, depth);
        uint64_t root = 1;
        uint32_t narrow = 1;
        int64_t count;
        CHECK_EQ(cbt_leaves(ctx, tree), (int64_t)1 << depth);
        CHECK_OK(ctx, bosc_cbt_heap_read(ctx, tree, cbt_id_bits(ctx, tree) == 32 ? (void *)&narrow : &root, 1, &count));
        CHECK_EQ(count, (int64_t)1 << depth);
        bosc_cbt_free(tree);
    }
}

/* The leaves of a tree cover its places, each once. */
static void check_tiling(bosc_ctx *ctx, const bosc_cbt *tree, int32_t depth)
{
    int64_t n = cbt_leaves(ctx, tree), bad;
    uint64_t *nodes = suite_alloc((size_t)n * 8), place = 0;
    uint64_t *bits = suite_alloc(depth > 6 ? (size_t)1 << (depth - 3) : 8);
    CHECK_OK(ctx, bosc_cbt_decode(ctx, tree, 0, n, nodes));
    for (int64_t l = 0; l < n; l++) {
        CHECK_EQ(bosc_cbt_first_bit(nodes[l], depth), place);
        place += (uint64_t)1 << (depth - bosc_cbt_level(nodes[l]));
    }
    CHECK_EQ(place, (uint64_t)1 << depth);
    CHECK_OK(ctx, bosc_cbt_get_bits(ctx, tree, bits));
    CHECK_OK(ctx, bosc_cbt_validate(ctx, bits, depth, &bad));
    CHECK_EQ(bad, -1); /* and no bit is left over */
    free(nodes);
    free(bits);
}

/* Splits and merges in the same pass, recorded for any nodes in any order: after each of 200 rounds the leaves are a
 * tiling. */
static void split_and_merge(bosc_ctx *ctx)
{
    enum { DEPTH = 11, M = 120 };
    struct suite_random r = {11};
    bosc_cbt *tree = cbt_make(ctx, DEPTH, 4, 2);
    for (int round = 0; round < (suite_slow(ctx) ? 20 : 200); round++) {
        uint64_t nodes[2][M];
        for (int i = 0; i < 2 * M; i++) {
            int32_t level = (int32_t)suite_below(&r, DEPTH + 1);
            nodes[i % 2][i / 2] = ((uint64_t)1 << level) + suite_below(&r, (uint64_t)1 << level);
        }
        CHECK_OK(ctx, bosc_cbt_split(ctx, tree, nodes[0], M));
        CHECK_OK(ctx, bosc_cbt_merge(ctx, tree, nodes[1], M));
        CHECK_OK(ctx, bosc_cbt_reduce(ctx, tree));
        check_tiling(ctx, tree, DEPTH);
    }
    bosc_cbt_free(tree);
}

/* A leaf whose sibling is no leaf is merged: nothing is left over of it, for nothing is done. */
static void merge_beside_split(bosc_ctx *ctx)
{
    for (int right = 0; right < 2; right++) {
        bosc_cbt *tree = cbt_make(ctx, 7, 1, 2);
        uint64_t sibling = 2 + (uint64_t)right, leaf = sibling ^ 1;
        CHECK_OK(ctx, bosc_cbt_split(ctx, tree, &sibling, 1));
        CHECK_OK(ctx, bosc_cbt_reduce(ctx, tree));
        CHECK_OK(ctx, bosc_cbt_merge(ctx, tree, &leaf, 1));
        CHECK_OK(ctx, bosc_cbt_reduce(ctx, tree));
        CHECK_EQ(cbt_leaves(ctx, tree), 3);
        check_tiling(ctx, tree, 7);
        bosc_cbt_free(tree);
    }
}

static bosc_cbt_command note(void *user, int64_t leaf, uint64_t node)
{
    unsigned char *seen = user;
    (void)node;
    __atomic_fetch_add(&seen[leaf], 1, __ATOMIC_RELAXED);
    return BOSC_CBT_SPLIT;
}

/* Every leaf is visited and decoded once, whatever their number: not only whole groups of 256. And while they are
 * visited and split, no bit changes: who looks meanwhile sees the tree as it was. */
static void tails(bosc_ctx *ctx)
{
    enum { DEPTH = 10, MOST = 1 << DEPTH };
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    bosc_cbt *tree = cbt_make(ctx, DEPTH, 0, 2);
    for (int round = 0; round < 300; round++) {
        int64_t n = cbt_leaves(ctx, tree);
        uint64_t first, nodes[MOST], before[MOST / 64], after[MOST / 64];
        check_tiling(ctx, tree, DEPTH);
        if (info.backend == BOSC_BACKEND_CPU) {
            unsigned char seen[MOST + 1] = {0};
            CHECK_OK(ctx, bosc_cbt_get_bits(ctx, tree, before));
            CHECK_OK(ctx, bosc_cbt_for_each(ctx, tree, note, seen));
            for (int64_t l = 0; l <= n; l++) CHECK_EQ(seen[l], l < n);
            CHECK_OK(ctx, bosc_cbt_get_bits(ctx, tree, after));
            CHECK(memcmp(before, after, sizeof before) == 0);
            check_tiling(ctx, tree, DEPTH);
            CHECK_OK(ctx, bosc_cbt_set_bits(ctx, tree, before)); /* the splits are forgotten */
        }
        CHECK_OK(ctx, bosc_cbt_decode(ctx, tree, 0, n, nodes));
        first = nodes[0];
        for (int64_t l = 0; l < n && first >> DEPTH; l++) first = nodes[l]; /* one more leaf: one that can be split */
        CHECK_OK(ctx, bosc_cbt_split(ctx, tree, &first, 1));
        CHECK_OK(ctx, bosc_cbt_reduce(ctx, tree));
        CHECK_EQ(cbt_leaves(ctx, tree), n + 1);
        if (suite_slow(ctx) && round > 20) break;
    }
    bosc_cbt_free(tree);
}

static const struct suite_case suite_cases_cbt_defects[] = {
    {"depths", depths, NULL},
    {"split_and_merge", split_and_merge, NULL},
    {"merge_beside_split", merge_beside_split, NULL},
    {"tails", tails, NULL},
};
SUITE(cbt_defects);
