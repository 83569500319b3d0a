/* Concurrent binary trees equal a list of leaves: all small trees, random ones, and trees after many rounds of random
 * commands. */
#include "cases/cbt/cbt_data.h"

#include "support/arrays.h"

/* The heap as the article lays it out, bit by bit. */
static void plain_heap(const struct reference_cbt *t, uint64_t *heap)
{
    memset(heap, 0, t->depth > 4 ? (size_t)1 << (t->depth - 1) : 8);
    heap[0] = (uint64_t)1 << t->depth;
    for (uint64_t k = 1; k < (uint64_t)2 << t->depth; k++) {
        int32_t level = reference_cbt_node_level(k), width = t->depth - level + 1;
        uint64_t bit = ((uint64_t)2 << level) + k * (uint64_t)width, value = (uint64_t)reference_cbt_heap(t, k);
        for (int32_t b = 0; b < width; b++) heap[(bit + b) / 64] |= (value >> b & 1) << (bit + b) % 64;
    }
}

/* All queries of a tree, for every node and some numbers beyond the nodes. */
static void check_all(bosc_ctx *ctx, const bosc_cbt *tree, const struct reference_cbt *t)
{
    int32_t id_bits = cbt_id_bits(ctx, tree);
    int64_t m = ((int64_t)2 << t->depth) + 2, *got = suite_alloc((size_t)m * 8), *leaves = suite_alloc((size_t)m * 8);
    uint64_t *list = suite_alloc((size_t)m * 8), *nodes = suite_alloc((size_t)m * 8);
    size_t words = t->depth > 4 ? (size_t)1 << (t->depth - 4) : 1;
    uint64_t *heap = suite_alloc(words * 8), *want = suite_alloc(words * 8);
    for (int64_t k = 0; k < m; k++) list[k] = (uint64_t)k;
    void *queried = cbt_nodes(list, m, id_bits);
    cbt_check(ctx, tree, t);
    /* 1. Leaf numbers and heap counts of every node. */
    CHECK_OK(ctx, bosc_cbt_encode(ctx, tree, queried, m, got));
    for (int64_t k = 0; k < m; k++) CHECK_EQ(got[k], reference_cbt_encode(t, (uint64_t)k));
    CHECK_OK(ctx, bosc_cbt_heap_read(ctx, tree, queried, m, got));
    for (int64_t k = 0; k < m; k++) CHECK_EQ(got[k], reference_cbt_heap(t, (uint64_t)k));
    /* 2. Nodes of leaf numbers, from -1 to beyond the last. */
    for (int64_t l = 0; l < m; l++) leaves[l] = l % (t->n + 2) - 1;
    CHECK_OK(ctx, bosc_cbt_decode_at(ctx, tree, leaves, m, nodes));
    for (int64_t l = 0; l < m; l++)
        CHECK_EQ(cbt_node(nodes, id_bits, l), leaves[l] < 0 || leaves[l] >= t->n ? 0 : t->nodes[leaves[l]]);
    /* 3. The whole heap. */
    CHECK_OK(ctx, bosc_cbt_get_heap(ctx, tree, heap));
    plain_heap(t, want);
    CHECK(memcmp(heap, want, words * 8) == 0);
    free(queried);
    free(got);
    free(leaves);
    free(list);
    free(nodes);
    free(heap);
    free(want);
}

static void all_trees(bosc_ctx *ctx)
{
    for (int32_t depth = 0; depth <= 4; depth++) {
        for (int which = 2; which < 6; which++) {
            bosc_cbt *tree = cbt_make(ctx, depth, 0, which);
            int64_t step = depth == 4 ? suite_slow(ctx) ? 97 : 4 : 1; /* every tree of depth 4 once */
            for (int64_t k = depth == 4 ? which - 2 : 0; k < reference_cbt_count(depth); k += step) {
                struct reference_cbt t = reference_cbt_number(depth, k);
                uint64_t bits, heap;
                reference_cbt_bits(&t, &bits);
                CHECK_OK(ctx, bosc_cbt_set_bits(ctx, tree, &bits));
                check_all(ctx, tree, &t);
                CHECK_OK(ctx, bosc_cbt_get_heap(ctx, tree, &heap));
                CHECK_OK(ctx, bosc_cbt_reset(ctx, tree, (int32_t)(k % (depth + 1))));
                CHECK_OK(ctx, bosc_cbt_set_heap(ctx, tree, &heap));
                cbt_check(ctx, tree, &t);
                reference_cbt_free(&t);
            }
            bosc_cbt_free(tree);
        }
    }
}

/* Every command for every leaf of every tree of depth 3. */
static void all_commands(bosc_ctx *ctx)
{
    bosc_cbt *trees[2] = {cbt_make(ctx, 3, 0, 0), cbt_make(ctx, 3, 0, 1)};
    int64_t turn = 0, every = suite_slow(ctx) ? 401 : 7;
    for (int64_t k = 0; k < reference_cbt_count(3); k++) {
        int64_t combinations = 1;
        struct reference_cbt first = reference_cbt_number(3, k);
        for (int64_t l = 0; l < first.n; l++) combinations *= 3;
        /* Combination c in base 3: digit l is the command of leaf l. One combination in `every` is run. */
        for (int64_t c = 0; c < combinations; c++) {
            uint8_t commands[8];
            int64_t sources[16], got[16], rest = c;
            uint64_t bits;
            if (turn++ % every) continue;
            bosc_cbt *tree = trees[turn / every % 2];
            struct reference_cbt t = reference_cbt_number(3, k);
            for (int64_t l = 0; l < t.n; l++, rest /= 3) commands[l] = (uint8_t)(rest % 3);
            reference_cbt_bits(&t, &bits);
            CHECK_OK(ctx, bosc_cbt_set_bits(ctx, tree, &bits));
            CHECK_OK(ctx, bosc_cbt_update(ctx, tree, commands, t.n, got, 16));
            reference_cbt_update(&t, commands, sources);
            cbt_check(ctx, tree, &t);
            for (int64_t l = 0; l < 16; l++) CHECK_EQ(got[l], l < t.n ? sources[l] : -1);
            reference_cbt_free(&t);
        }
        reference_cbt_free(&first);
    }
    bosc_cbt_free(trees[0]);
    bosc_cbt_free(trees[1]);
}

/* Commands at random: mostly splits, mostly merges, or both; in places many, in others none. */
static void draw_commands(struct suite_random *r, uint8_t *commands, int64_t n, int mode)
{
    uint64_t patch = 1 + suite_below(r, 300);
    bool here = true;
    for (int64_t l = 0; l < n; l++) {
        uint64_t x = suite_below(r, 100);
        if (suite_below(r, patch) == 0) here = mode == 3 ? true : suite_below(r, 2);
        commands[l] = !here ? 0 : mode == 0 ? x < 60 : mode == 1 ? 2 * (x < 60) : (uint8_t)(x % 4);
    }
}

/* Storms of splits and merges in the same pass, from the root or from a whole level; payloads go along. */
static void storms(bosc_ctx *ctx)
{
    static const int depths[] = {1, 5, 6, 7, 9, 10, 11, 12, 13, 14, 16, 19};
    for (int k = 0; k < 24; k++) {
        if (suite_leaves_out()) continue;
        int32_t depth = depths[k % 12], level = k < 12 ? 0 : depth < 12 ? depth : 11;
        if (suite_slow(ctx) && depth > 13) continue;
        struct suite_random r = {(uint64_t)k};
        bosc_cbt *tree = cbt_make(ctx, depth, level, k / 2);
        struct reference_cbt t = reference_cbt_level(depth, level);
        cbt_check(ctx, tree, &t);
        for (int round = 0; round < (depth > 13 ? 7 : 12) && t.n < 4000; round++) {
            int64_t n = t.n;
            uint8_t *commands = suite_alloc((size_t)n);
            int64_t *sources = suite_alloc((size_t)(2 * n + 1) * 8), *got = suite_alloc((size_t)(2 * n + 1) * 8);
            uint64_t *before = suite_alloc((size_t)n * 8), *after = suite_alloc((size_t)(2 * n + 1) * 8);
            memcpy(before, t.nodes, (size_t)n * 8);
            /* 1. Update the tree by random commands. */
            draw_commands(&r, commands, n, round < 6 ? 3 * (round % 2) : (int)suite_below(&r, 4));
            CHECK_OK(ctx, bosc_cbt_update(ctx, tree, commands, n, got, 2 * n + 1));
            reference_cbt_update(&t, commands, sources);
            cbt_check(ctx, tree, &t);
            for (int64_t l = 0; l <= 2 * n; l++) CHECK_EQ(got[l], l < t.n ? sources[l] : -1);
            /* 2. Gather the payload: each leaf gets that of its source. */
            CHECK_OK(ctx, bosc_cbt_gather_payload(ctx, got, 2 * n + 1, before, n, 8, after));
            for (int64_t l = 0; l <= 2 * n; l++) CHECK_EQ(after[l], l < t.n ? before[sources[l]] : 0);
            free(commands);
            free(sources);
            free(got);
            free(before);
            free(after);
        }
        bosc_cbt_free(tree);
        reference_cbt_free(&t);
    }
}

/* A path to the deepest level and back, with little else: leaves of all sizes, most blocks empty. */
static void deep(bosc_ctx *ctx)
{
    enum { DEPTH = 24 };
    if (suite_slow(ctx)) return;
    bosc_cbt *tree = cbt_make(ctx, DEPTH, 0, 2);
    struct suite_random r = {8};
    uint64_t path[DEPTH + 1] = {1}, nodes[DEPTH + 2];
    for (int d = 0; d < DEPTH; d++) {
        CHECK_OK(ctx, bosc_cbt_split(ctx, tree, &path[d], 1));
        CHECK_OK(ctx, bosc_cbt_reduce(ctx, tree));
        path[d + 1] = 2 * path[d] + suite_below(&r, 2);
        CHECK_EQ(cbt_leaves(ctx, tree), d + 2);
    }
    for (int d = DEPTH; d >= 0; d--) {
        uint64_t place = 0;
        CHECK_OK(ctx, bosc_cbt_decode(ctx, tree, 0, d + 1, nodes));
        for (int l = 0; l <= d; l++) { /* they are on the path or beside it, and leave nothing out */
            int32_t level = bosc_cbt_level(nodes[l]);
            CHECK(level <= d && (nodes[l] == path[d] || (level > 0 && nodes[l] == (path[level] ^ 1))));
            CHECK_EQ(bosc_cbt_first_bit(nodes[l], DEPTH), place);
            place += (uint64_t)1 << (DEPTH - level);
        }
        CHECK_EQ(place, 1 << DEPTH);
        CHECK_OK(ctx, bosc_cbt_merge(ctx, tree, &path[d], 1));
        CHECK_OK(ctx, bosc_cbt_reduce(ctx, tree));
        CHECK_EQ(cbt_leaves(ctx, tree), d > 0 ? d : 1);
    }
    bosc_cbt_free(tree);
}

/* More blocks of bits than a block of CUDA threads takes at once, most leaves as large as two of them. */
static void many_bit_blocks(bosc_ctx *ctx)
{
    enum { DEPTH = 22, LEVEL = 11 };
    struct suite_random r = {9};
    bosc_cbt *tree = cbt_make(ctx, DEPTH, LEVEL, 2);
    struct reference_cbt t = reference_cbt_level(DEPTH, LEVEL);
    for (int round = 0; round < (suite_slow(ctx) ? 3 : 6); round++) {
        int64_t n = t.n;
        uint8_t *commands = suite_alloc((size_t)n);
        int64_t *sources = suite_alloc((size_t)(2 * n) * 8), *got = suite_alloc((size_t)(2 * n) * 8);
        draw_commands(&r, commands, n, round % 2 ? 3 : 0);
        CHECK_OK(ctx, bosc_cbt_update(ctx, tree, commands, n, round % 3 == 2 ? NULL : got, 2 * n));
        reference_cbt_update(&t, commands, sources);
        for (int64_t l = 0; l < t.n && round % 3 != 2; l++) CHECK_EQ(got[l], sources[l]);
        cbt_check(ctx, tree, &t);
        free(commands);
        free(sources);
        free(got);
    }
    bosc_cbt_free(tree);
    reference_cbt_free(&t);
}

/* Nodes to be split and merged, some of them many times, and some numbers of other nodes or of none: the result is
 * that of the commands for the leaves among them. */
static void recorded(bosc_ctx *ctx)
{
    for (int k = 0; k < 12; k++) {
        int32_t depth = 3 + k;
        if (suite_leaves_out()) continue;
        struct suite_random r = {(uint64_t)k};
        bosc_cbt *tree = cbt_make(ctx, depth, 1, k);
        struct reference_cbt t = reference_cbt_level(depth, 1);
        int32_t id_bits = cbt_id_bits(ctx, tree);
        for (int round = 0; round < 8; round++) {
            enum { M = 300 };
            uint64_t list[2][M];
            uint8_t *commands = suite_alloc((size_t)t.n);
            memset(commands, 0, (size_t)t.n);
            for (int merge = 1; merge >= 0; merge--) { /* a leaf with both commands is split */
                for (int i = 0; i < M; i++) {
                    uint64_t any = suite_below(&r, (uint64_t)3 << depth), leaf = suite_below(&r, (uint64_t)t.n);
                    list[merge][i] = i % 3 == 0 ? any : t.nodes[leaf];
                    int64_t l = reference_cbt_encode(&t, list[merge][i]);
                    bool deepest = l >= 0 && reference_cbt_node_level(t.nodes[l]) == depth;
                    if (l >= 0 && (merge || !deepest)) commands[l] = merge ? 2 : 1;
                }
            }
            void *splits = cbt_nodes(list[0], M, id_bits), *merges = cbt_nodes(list[1], M, id_bits);
            int64_t some = round % 2 ? M : 0;
            CHECK_OK(ctx, bosc_cbt_split(ctx, tree, splits, M));
            CHECK_OK(ctx, bosc_cbt_merge(ctx, tree, merges, M));
            CHECK_OK(ctx, bosc_cbt_split(ctx, tree, splits, some));
            cbt_check(ctx, tree, &t);
            CHECK_OK(ctx, bosc_cbt_reduce(ctx, tree));
            reference_cbt_update(&t, commands, NULL);
            cbt_check(ctx, tree, &t);
            CHECK_OK(ctx, bosc_cbt_reduce(ctx, tree));
            cbt_check(ctx, tree, &t);
            free(splits);
            free(merges);
            free(commands);
        }
        bosc_cbt_free(tree);
        reference_cbt_free(&t);
    }
}

/* Enough blocks and nodes for several threads, in slow builds too: commands of several threads lie in the same words.
 * */
static void shared(bosc_ctx *ctx)
{
    for (int which = 2; which < (suite_slow(ctx) ? 3 : 4); which++) {
        struct suite_random r = {4};
        bosc_cbt *tree = cbt_make(ctx, 20, 13, which);
        struct reference_cbt t = reference_cbt_level(20, 13);
        for (int round = 0; round < 3; round++) {
            int64_t n = t.n, *numbers = suite_alloc((size_t)n * 8), *sources = suite_alloc((size_t)(2 * n) * 8);
            uint8_t *commands = suite_alloc((size_t)n);
            uint64_t *nodes = suite_alloc((size_t)(2 * n) * 8);
            draw_commands(&r, commands, n, 3);
            for (int64_t l = 0; l < n; l++) numbers[l] = (l * 7) % n;
            CHECK_OK(ctx, bosc_cbt_decode_at(ctx, tree, numbers, n, nodes));
            for (int64_t l = 0; l < n; l++) CHECK_EQ(nodes[l], t.nodes[numbers[l]]);
            CHECK_OK(ctx, bosc_cbt_encode(ctx, tree, nodes, n, numbers));
            for (int64_t l = 0; l < n; l++) CHECK_EQ(numbers[l], (l * 7) % n);
            CHECK_OK(ctx, bosc_cbt_heap_read(ctx, tree, nodes, n, numbers));
            for (int64_t l = 0; l < n; l++) CHECK_EQ(numbers[l], 1);
            for (int merge = 0; merge < 2; merge++) { /* every one twice, by different threads */
                for (int64_t i = 0; i < 2 * n; i++) nodes[i] = commands[i % n] == 1 + merge ? t.nodes[i % n] : 0;
                CHECK_OK(ctx, (merge ? bosc_cbt_merge : bosc_cbt_split)(ctx, tree, nodes, 2 * n));
            }
            CHECK_OK(ctx, bosc_cbt_update(ctx, tree, commands, n, sources, 2 * n)); /* the same ones once more */
            reference_cbt_update(&t, commands, NULL);
            cbt_check(ctx, tree, &t);
            free(numbers);
            free(sources);
            free(commands);
            free(nodes);
        }
        reference_cbt_free(&t);
        bosc_cbt_free(tree);
    }
}

/* Parts of the leaves, from before the first to beyond the last. */
static void ranges(bosc_ctx *ctx)
{
    for (int which = 2; which < 6; which++) {
        struct suite_random r = {5};
        bosc_cbt *tree = cbt_make(ctx, 13, 9, which);
        struct reference_cbt t = reference_cbt_level(13, 9);
        int32_t id_bits = cbt_id_bits(ctx, tree);
        /* 1. Make an uneven tree. */
        for (int round = 0; round < 4; round++) {
            uint8_t *commands = suite_alloc((size_t)t.n);
            draw_commands(&r, commands, t.n, round < 2 ? 0 : 3);
            CHECK_OK(ctx, bosc_cbt_update(ctx, tree, commands, t.n, NULL, 0));
            reference_cbt_update(&t, commands, NULL);
            free(commands);
        }
        /* 2. Decode random ranges; nothing is written behind the range. */
        for (int trial = 0; trial < (suite_slow(ctx) ? 4 : 40); trial++) {
            int64_t first = (int64_t)suite_below(&r, (uint64_t)t.n + 20), count = (int64_t)suite_below(&r, 2500);
            uint64_t *nodes = suite_alloc((size_t)(count + 1) * 8);
            memset(nodes, 0x55, (size_t)(count + 1) * 8);
            CHECK_OK(ctx, bosc_cbt_decode(ctx, tree, first, count, nodes));
            for (int64_t i = 0; i < count; i++)
                CHECK_EQ(cbt_node(nodes, id_bits, i), first + i < t.n ? t.nodes[first + i] : 0);
            CHECK_EQ(cbt_node(nodes, id_bits, count), id_bits == 32 ? 0x55555555 : 0x5555555555555555);
            free(nodes);
        }
        bosc_cbt_free(tree);
        reference_cbt_free(&t);
    }
}

/* Windows of every size and place over blocks with one leaf and with several: nothing is written before or behind. */
static void windows(bosc_ctx *ctx)
{
    for (int which = 0; which < 4; which++) {
        bosc_cbt *tree = cbt_make(ctx, 14, 4, which);
        struct reference_cbt t = reference_cbt_level(14, 4);
        uint8_t commands[16] = {0};
        for (int l = 0; l < 16; l++) commands[l] = l % 5 == 3;
        CHECK_OK(ctx, bosc_cbt_update(ctx, tree, commands, t.n, NULL, 0));
        reference_cbt_update(&t, commands, NULL);
        const int32_t id_bits = cbt_id_bits(ctx, tree);
        for (int64_t first = 0; first < t.n + 2; first++)
            for (int64_t count = 0; count < 7; count += suite_slow(ctx) ? 3 : 1) {
                struct array nodes =
                    array_make(ctx, NULL, (size_t)(count + 2) * (size_t)id_bits / 8, has_device_memory(ctx));
                uint64_t guards[2];
                for (int g = 0; g < 2; g++) guards[g] = cbt_node(nodes.host, id_bits, g ? count + 1 : 0);
                CHECK_OK(ctx, bosc_cbt_decode(ctx, tree, first, count, (char *)nodes.p + id_bits / 8));
                const void *got = array_get(ctx, &nodes);
                for (int g = 0; g < 2; g++) CHECK_EQ(cbt_node(got, id_bits, g ? count + 1 : 0), guards[g]);
                for (int64_t i = 0; i < count; i++)
                    CHECK_EQ(cbt_node(got, id_bits, 1 + i), first + i < t.n ? t.nodes[first + i] : 0);
                array_free(ctx, &nodes);
            }
        bosc_cbt_free(tree);
        reference_cbt_free(&t);
    }
}

/* Words with every number of leaves from 1 to 64. */
static void words_of_every_count(bosc_ctx *ctx)
{
    for (int k = 0; k < 4; k++) {
        struct suite_random r = {(uint64_t)k};
        bosc_cbt *tree = cbt_make(ctx, 10, 4, k);
        struct reference_cbt t = reference_cbt_level(10, 4);
        for (bool splits = true; splits;) { /* word w gets 16 k + w + 1 leaves */
            uint8_t *commands = suite_alloc((size_t)t.n);
            int missing[16];
            for (int w = 0; w < 16; w++) missing[w] = 16 * k + w + 1;
            for (int64_t l = 0; l < t.n; l++) missing[t.nodes[l] >> (reference_cbt_node_level(t.nodes[l]) - 4) & 15]--;
            splits = false;
            for (int64_t l = 0; l < t.n; l++) {
                const int32_t level = reference_cbt_node_level(t.nodes[l]);
                int *left = &missing[t.nodes[l] >> (level - 4) & 15];
                commands[l] = level < 10 && *left > 0 && suite_below(&r, 3) > 0;
                splits |= *left > 0;
                *left -= commands[l];
            }
            CHECK_OK(ctx, bosc_cbt_update(ctx, tree, commands, t.n, NULL, 0));
            reference_cbt_update(&t, commands, NULL);
            free(commands);
        }
        CHECK_EQ(t.n, 16 * 16 * k + 136);
        cbt_check(ctx, tree, &t);
        bosc_cbt_free(tree);
        reference_cbt_free(&t);
    }
}

/* All fields of up to 16 bits: which are trees, and the largest tree in the others. */
static void fields(bosc_ctx *ctx)
{
    for (int32_t depth = 0; depth <= 4; depth++) {
        uint64_t step = depth == 4 ? suite_slow(ctx) ? 4099 : 13 : suite_slow(ctx) ? 5 : 1, beyond = 0;
        for (uint64_t bits = 0; bits < (uint64_t)1 << (1 << depth); bits += step) {
            int64_t bad = 7;
            uint64_t mended = bits | beyond;
            CHECK_OK(ctx, bosc_cbt_validate(ctx, &mended, depth, &bad));
            CHECK_EQ(bad == -1, reference_cbt_is_tree(depth, bits) && !beyond);
            CHECK_OK(ctx, bosc_cbt_repair(ctx, &mended, depth));
            CHECK_EQ(mended, reference_cbt_repaired(depth, bits));
            beyond = bits % 5 ? 0 : (uint64_t)1 << 63;
        }
    }
}

/* A bit more or less in a field of many words is seen, where it leaves no tree, and mended. */
static void large_fields(bosc_ctx *ctx)
{
    struct suite_random r = {3};
    bosc_cbt *tree = cbt_make(ctx, 12, 5, 0);
    for (int round = 0; round < 5; round++) {
        int64_t n = cbt_leaves(ctx, tree);
        uint8_t *commands = suite_alloc((size_t)n);
        draw_commands(&r, commands, n, 0);
        CHECK_OK(ctx, bosc_cbt_update(ctx, tree, commands, n, NULL, 0));
        free(commands);
    }
    uint64_t bits[64], changed[64], twice[64];
    CHECK_OK(ctx, bosc_cbt_get_bits(ctx, tree, bits));
    for (int trial = 0; trial < (suite_slow(ctx) ? 20 : 400); trial++) {
        uint64_t x = suite_below(&r, 4096);
        int64_t bad, still;
        memcpy(changed, bits, sizeof bits);
        changed[x / 64] ^= (uint64_t)1 << x % 64;
        CHECK_OK(ctx, bosc_cbt_validate(ctx, changed, 12, &bad));
        bosc_status status = bosc_cbt_set_bits(ctx, tree, changed);
        CHECK_EQ(status, bad < 0 ? BOSC_OK : BOSC_ERR_DATA);
        CHECK_OK(ctx, bosc_cbt_get_bits(ctx, tree, twice));
        CHECK(memcmp(twice, bad < 0 ? changed : bits, sizeof bits) == 0);
        CHECK_OK(ctx, bosc_cbt_set_bits(ctx, tree, bits));
        CHECK_OK(ctx, bosc_cbt_repair(ctx, changed, 12));
        CHECK_OK(ctx, bosc_cbt_validate(ctx, changed, 12, &still));
        CHECK_EQ(still, -1);
        if (bad >= 0 && bits[x / 64] >> x % 64 & 1) continue; /* a split was lost, and with it those below */
        if (bad >= 0) CHECK(memcmp(changed, bits, sizeof bits) == 0);
    }
    bosc_cbt_free(tree);
}

static bosc_cbt_command command_of(int64_t leaf)
{
    return leaf % 4 == 0 || leaf % 7 == 3 ? BOSC_CBT_SPLIT : leaf % 4 > 1 ? BOSC_CBT_MERGE : BOSC_CBT_KEEP;
}

static bosc_cbt_command visit(void *user, int64_t leaf, uint64_t node)
{
    struct reference_cbt *t = user;
    if (leaf < 0 || leaf >= t->n || t->nodes[leaf] != node) return BOSC_CBT_SPLIT; /* seen by what becomes of it */
    return command_of(leaf);
}

/* Records the commands of the leaves through a view of either layout, and checks the leaf number and node passed for
 * each leaf. */
static void command_by_view(bosc_ctx *ctx, bosc_cbt *tree, const struct reference_cbt *t, const uint8_t *commands)
{
    const bool published = cbt_is_published(ctx, tree);
    bosc_cbt_view v;
    bosc_cbt_heap_view h;
    if (published)
        CHECK_OK(ctx, bosc_cbt_get_heap_view(ctx, tree, &h));
    else
        CHECK_OK(ctx, bosc_cbt_get_view(ctx, tree, &v));
    CHECK_EQ(published ? bosc_cbt_heap_leaf_count(&h) : bosc_cbt_leaf_count(&v), t->n);
    for (int64_t l = 0; l < t->n; l++) {
        const uint64_t node = published ? bosc_cbt_heap_leaf_node(&h, l) : bosc_cbt_leaf_node(&v, l);
        CHECK_EQ(node, t->nodes[l]);
        CHECK_EQ(published ? bosc_cbt_heap_leaf_index(&h, node) : bosc_cbt_leaf_index(&v, node), l);
        CHECK_EQ(published ? (int64_t)bosc_cbt_heap_value(&h, node, bosc_cbt_level(node))
                           : bosc_cbt_leaves_below(&v, node),
                 1);
        if (commands[l] == BOSC_CBT_SPLIT)
            published ? bosc_cbt_heap_mark_split(&h, node) : bosc_cbt_mark_split(&v, node);
        if (commands[l] == BOSC_CBT_MERGE)
            published ? bosc_cbt_heap_mark_merge(&h, node) : bosc_cbt_mark_merge(&v, node);
    }
}

/* Leaves are split and merged while others visit them, by a function of the caller's and through a view. */
static void visits(bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    for (int layout = 0; layout < 2; layout++) {
        bosc_cbt *tree = cbt_make(ctx, 14, 3, layout);
        struct reference_cbt t = reference_cbt_level(14, 3);
        if (info.backend != BOSC_BACKEND_CPU)
            CHECK_STATUS(ctx, bosc_cbt_for_each(ctx, tree, visit, &t), BOSC_ERR_BACKEND);
        for (int round = 0; round < 10 && info.backend == BOSC_BACKEND_CPU; round++) {
            uint8_t *commands = suite_alloc((size_t)t.n);
            for (int64_t l = 0; l < t.n; l++) commands[l] = (uint8_t)command_of(l);
            if (round % 2)
                CHECK_OK(ctx, bosc_cbt_for_each(ctx, tree, visit, &t));
            else
                command_by_view(ctx, tree, &t, commands);
            cbt_check(ctx, tree, &t); /* as it was */
            CHECK_OK(ctx, bosc_cbt_reduce(ctx, tree));
            reference_cbt_update(&t, commands, NULL);
            cbt_check(ctx, tree, &t);
            free(commands);
        }
        bosc_cbt_free(tree);
        reference_cbt_free(&t);
    }
}

/* Until it is reduced, a tree with commands answers every query as before; a heap of less than a word too. The order
 * of the commands makes no difference. */
static void between(bosc_ctx *ctx)
{
    for (int trial = 0; trial < 40; trial++) {
        struct suite_random r = {(uint64_t)trial};
        const int32_t depth = trial % 10, level = depth / 2;
        if (suite_leaves_out()) continue;
        bosc_cbt *tree = cbt_make(ctx, depth, level, 3 + 2 * (trial % 2)); /* sequential decoding every other time */
        struct reference_cbt t = reference_cbt_level(depth, level);
        for (int round = 0; round < 4; round++) {
            uint8_t *commands = suite_alloc((size_t)t.n);
            draw_commands(&r, commands, t.n, 3);
            for (int pass = 0; pass < 2; pass++)
                for (int64_t i = 0; i < t.n; i++) {
                    const int64_t l = trial % 4 < 2 ? i : t.n - 1 - i;
                    if (commands[l] != 1 + (pass + round) % 2) continue;
                    void *node = cbt_nodes(&t.nodes[l], 1, cbt_id_bits(ctx, tree));
                    CHECK_OK(ctx, commands[l] == 1 ? bosc_cbt_split(ctx, tree, node, 1)
                                                   : bosc_cbt_merge(ctx, tree, node, 1));
                    free(node);
                }
            check_all(ctx, tree, &t);
            CHECK_OK(ctx, bosc_cbt_reduce(ctx, tree));
            reference_cbt_update(&t, commands, NULL);
            check_all(ctx, tree, &t);
            free(commands);
        }
        reference_cbt_free(&t);
        bosc_cbt_free(tree);
    }
}

/* Whole levels, split and merged as a whole. */
static void levels(bosc_ctx *ctx)
{
    for (int32_t depth = 0; depth <= (suite_slow(ctx) ? 8 : 16); depth++) {
        for (int32_t level = 0; level <= depth; level += 1 + depth / 9) {
            bosc_cbt *tree = cbt_make(ctx, depth, level, level + depth);
            struct reference_cbt t = reference_cbt_level(depth, level);
            cbt_check(ctx, tree, &t);
            uint8_t *commands = suite_alloc((size_t)t.n);
            memset(commands, 1, (size_t)t.n);
            CHECK_OK(ctx, bosc_cbt_update(ctx, tree, commands, t.n, NULL, 0));
            CHECK_EQ(cbt_leaves(ctx, tree), level == depth ? t.n : 2 * t.n);
            CHECK_OK(ctx, bosc_cbt_reset(ctx, tree, level));
            memset(commands, 2, (size_t)t.n);
            CHECK_OK(ctx, bosc_cbt_update(ctx, tree, commands, t.n, NULL, 0));
            CHECK_EQ(cbt_leaves(ctx, tree), level == 0 ? 1 : t.n / 2);
            free(commands);
            reference_cbt_free(&t);
            bosc_cbt_free(tree);
        }
    }
}

/* The arithmetic of nodes. */
static void nodes(void)
{
    for (int32_t depth = 0; depth <= BOSC_CBT_MAX_DEPTH; depth++) {
        for (int32_t level = 0; level <= depth; level++) {
            for (int k = 0; k < 3; k++) {
                uint64_t first = (uint64_t)1 << level, node = k == 0   ? first
                                                              : k == 1 ? 2 * first - 1
                                                                       : first + first / 2;
                CHECK_EQ(bosc_cbt_level(node), level);
                CHECK(bosc_cbt_is_node(node, depth));
                CHECK_EQ(bosc_cbt_node(bosc_cbt_first_bit(node, depth), depth - level, depth), node);
                CHECK_EQ(bosc_cbt_parent(bosc_cbt_left(node)), node);
                CHECK_EQ(bosc_cbt_parent(bosc_cbt_right(node)), node);
                CHECK_EQ(bosc_cbt_sibling(bosc_cbt_left(node)), bosc_cbt_right(node));
                CHECK(level == depth ||
                      bosc_cbt_first_bit(bosc_cbt_left(node), depth) == bosc_cbt_first_bit(node, depth));
            }
        }
        CHECK(!bosc_cbt_is_node((uint64_t)2 << depth, depth) && !bosc_cbt_is_node(0, depth));
        CHECK(!bosc_cbt_is_node(UINT64_MAX, depth));
    }
    CHECK_EQ(bosc_cbt_sibling(1), 0);
}

static const struct suite_case suite_cases_cbt[] = {
    {"all_trees", all_trees, NULL},  {"all_commands", all_commands, NULL},
    {"storms", storms, NULL},        {"deep", deep, NULL},
    {"wide", many_bit_blocks, NULL}, {"recorded", recorded, NULL},
    {"shared", shared, NULL},        {"ranges", ranges, NULL},
    {"fields", fields, NULL},        {"large_fields", large_fields, NULL},
    {"visits", visits, NULL},        {"levels", levels, NULL},
    {"between", between, NULL},      {"nodes", NULL, nodes},
    {"windows", windows, NULL},      {"words", words_of_every_count, NULL},
};
SUITE(cbt);
