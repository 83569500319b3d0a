/* Concurrent binary trees refuse bad arguments; they can be reserved, rebuilt without allocating, and outlive
 * contexts. */
#include "cases/cbt/cbt_data.h"
#include "support/arrays.h"
#include "support/faults.h"

static const bosc_cbt_opts good = {.size = sizeof good, .depth = 8, .level = 3, .id_bits = 32};

static void create(bosc_ctx *ctx)
{
    /* Each bad option is refused by its name; no tree is made and no size written. */
    bosc_cbt *tree = NULL;
    bosc_cbt_opts o = good;
    int64_t kept = 7;
    static const int depths[] = {-1, -2, 37, 38, 58, 1024, INT32_MAX, INT32_MIN};
    static const int levels[] = {-1, 9, 10, 36, INT32_MAX, INT32_MIN};
    static const int layouts[] = {-1, 2, 3, 99};
    static const int bits[] = {1, 16, 31, 33, 128, -64};
    CHECK_EQ(bosc_cbt_create(NULL, &o, &tree), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cbt_create(ctx, NULL, &tree), "opts");
    CHECK_ARG(ctx, bosc_cbt_create(ctx, &o, NULL), "tree");
    for (int i = 0; i < 8; i++, o = good) {
        o.depth = depths[i];
        CHECK_ARG(ctx, bosc_cbt_create(ctx, &o, &tree), "opts: depth");
        CHECK_ARG(ctx, bosc_cbt_bytes(ctx, &o, &kept, NULL, NULL), "opts: depth");
    }
    for (int i = 0; i < 6; i++, o = good) {
        o.level = levels[i];
        CHECK_ARG(ctx, bosc_cbt_create(ctx, &o, &tree), "opts: level");
        CHECK_ARG(ctx, bosc_cbt_bytes(ctx, &o, &kept, NULL, NULL), "opts: level");
    }
    for (int i = 0; i < 4; i++, o = good) {
        o.layout = (bosc_cbt_layout)layouts[i];
        CHECK_ARG(ctx, bosc_cbt_create(ctx, &o, &tree), "opts: layout");
        CHECK_ARG(ctx, bosc_cbt_bytes(ctx, &o, &kept, NULL, NULL), "opts: layout");
        o = good;
        o.decoding = (bosc_cbt_decoding)layouts[i];
        CHECK_ARG(ctx, bosc_cbt_create(ctx, &o, &tree), "opts: decoding");
    }
    for (int i = 0; i < 6; i++, o = good) {
        o.id_bits = bits[i];
        CHECK_ARG(ctx, bosc_cbt_create(ctx, &o, &tree), "opts: id_bits");
    }
    for (o.depth = 32; o.depth <= 36; o.depth++) CHECK_ARG(ctx, bosc_cbt_create(ctx, &o, &tree), "opts: id_bits 32");
    o = good;
    for (size_t size = 0; size < 3 * sizeof o; size += size < sizeof o ? 7 : sizeof o) {
        o.size = size;
        if (size >= sizeof(size_t) && size <= sizeof o) continue;
        CHECK_ARG(ctx, bosc_cbt_create(ctx, &o, &tree), "opts: size");
        CHECK_ARG(ctx, bosc_cbt_bytes(ctx, &o, &kept, NULL, NULL), "opts: size");
    }
    CHECK_EQ(bosc_cbt_bytes(NULL, &good, &kept, NULL, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cbt_bytes(ctx, NULL, &kept, NULL, NULL), "opts");
    CHECK(tree == NULL && kept == 7);
    bosc_cbt_free(NULL);
}

static void bytes(bosc_ctx *ctx)
{
    for (int32_t depth = 0; depth <= 36; depth++) {
        bosc_cbt_opts o = {.size = sizeof o, .depth = depth};
        int64_t kept, commanded, scratch, published, heap_commanded;
        CHECK_OK(ctx, bosc_cbt_bytes(ctx, &o, &kept, &commanded, &scratch));
        o.layout = BOSC_CBT_PUBLISHED;
        CHECK_OK(ctx, bosc_cbt_bytes(ctx, &o, &published, &heap_commanded, NULL));
        CHECK(kept > 0 && scratch > 0 && commanded > kept);
        CHECK_EQ(published, depth > 4 ? (int64_t)4 << (depth - 3) : 8); /* the heap, and nothing else */
        CHECK_EQ(heap_commanded, published);
        if (depth > 16) continue;
        for (int layout = 0; layout < 2; layout++) {
            uint64_t root = 1;
            bosc_cbt *tree = NULL;
            bosc_cbt_info info = {.size = sizeof info};
            o.layout = (bosc_cbt_layout)layout;
            CHECK_OK(ctx, bosc_cbt_create(ctx, &o, &tree));
            CHECK_OK(ctx, bosc_cbt_get_info(ctx, tree, &info));
            CHECK_EQ(info.bytes, layout ? published : kept);
            CHECK(info.depth == depth && info.layout == o.layout && info.id_bits == 64 && info.leaves == 1);
            CHECK_OK(ctx, bosc_cbt_split(ctx, tree, &root, 1));
            CHECK_OK(ctx, bosc_cbt_get_info(ctx, tree, &info));
            CHECK_EQ(info.bytes, layout ? published : commanded);
            bosc_cbt_free(tree);
        }
    }
}

static void nodes(bosc_ctx *ctx)
{
    bosc_cbt *tree = NULL;
    uint32_t list[16] = {1, 2, 3};
    int64_t numbers[16] = {0};
    static const int64_t sizes[] = {-1, -2, INT64_MIN, INT64_MAX, INT64_MAX / 4};
    CHECK_OK(ctx, bosc_cbt_create(ctx, &good, &tree));
    /* 1. Splits and merges. */
    for (int which = 0; which < 2; which++) {
        bosc_status (*call)(bosc_ctx *, bosc_cbt *, const void *, int64_t) = which ? bosc_cbt_merge : bosc_cbt_split;
        CHECK_EQ(call(NULL, tree, list, 3), BOSC_ERR_ARG);
        CHECK_ARG(ctx, call(ctx, NULL, list, 3), "tree");
        CHECK_ARG(ctx, call(ctx, tree, NULL, 1), "nodes");
        CHECK_ARG(ctx, call(ctx, tree, NULL, 1 << 20), "nodes");
        for (int i = 0; i < 5; i++) CHECK_ARG(ctx, call(ctx, tree, list, sizes[i]), "node_count");
        for (int off = 1; off < 4; off++) CHECK_ARG(ctx, call(ctx, tree, (char *)list + off, 3), "nodes: not aligned");
        CHECK_OK(ctx, call(ctx, tree, NULL, 0));
    }
    /* 2. Leaf numbers and heap counts. */
    for (int which = 0; which < 2; which++) {
        bosc_status (*call)(bosc_ctx *, const bosc_cbt *, const void *, int64_t, int64_t *) =
            which ? bosc_cbt_encode : bosc_cbt_heap_read;
        const char *out = which ? "leaves" : "counts";
        CHECK_EQ(call(NULL, tree, list, 3, numbers), BOSC_ERR_ARG);
        CHECK_ARG(ctx, call(ctx, NULL, list, 3, numbers), "tree");
        CHECK_ARG(ctx, call(ctx, tree, NULL, 3, numbers), "nodes");
        CHECK_ARG(ctx, call(ctx, tree, list, 3, NULL), out);
        for (int i = 0; i < 5; i++) CHECK_ARG(ctx, call(ctx, tree, list, sizes[i], numbers), "node_count");
        for (int off = 1; off < 4; off++) {
            CHECK_ARG(ctx, call(ctx, tree, (char *)list + off, 3, numbers), "nodes: not aligned");
            CHECK_ARG(ctx, call(ctx, tree, list, 3, (int64_t *)(void *)((char *)numbers + off)), out);
        }
        CHECK_OK(ctx, call(ctx, tree, NULL, 0, NULL));
    }
    /* 3. Nodes of a range of leaves, and of given leaves. */
    CHECK_EQ(bosc_cbt_decode(NULL, tree, 0, 3, list), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cbt_decode(ctx, NULL, 0, 3, list), "tree");
    CHECK_ARG(ctx, bosc_cbt_decode(ctx, tree, -1, 3, list), "first");
    CHECK_ARG(ctx, bosc_cbt_decode(ctx, tree, INT64_MIN, 3, list), "first");
    CHECK_ARG(ctx, bosc_cbt_decode(ctx, tree, INT64_MAX, 3, list), "first");
    CHECK_ARG(ctx, bosc_cbt_decode(ctx, tree, 0, 3, NULL), "nodes");
    CHECK_ARG(ctx, bosc_cbt_decode(ctx, tree, 0, 3, (char *)list + 2), "nodes");
    for (int i = 0; i < 5; i++) CHECK_ARG(ctx, bosc_cbt_decode(ctx, tree, 0, sizes[i], list), "count");
    CHECK_OK(ctx, bosc_cbt_decode(ctx, tree, INT64_MAX, 0, NULL));
    CHECK_OK(ctx, bosc_cbt_decode(ctx, tree, INT64_MAX - 3, 3, list));
    CHECK(list[0] == 0 && list[1] == 0 && list[2] == 0);
    CHECK_EQ(bosc_cbt_decode_at(NULL, tree, numbers, 3, list), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cbt_decode_at(ctx, NULL, numbers, 3, list), "tree");
    CHECK_ARG(ctx, bosc_cbt_decode_at(ctx, tree, NULL, 3, list), "leaves");
    CHECK_ARG(ctx, bosc_cbt_decode_at(ctx, tree, numbers, 3, NULL), "nodes");
    for (int i = 0; i < 5; i++) CHECK_ARG(ctx, bosc_cbt_decode_at(ctx, tree, numbers, sizes[i], list), "leaf_count");
    for (int off = 1; off < 4; off++) {
        CHECK_ARG(ctx, bosc_cbt_decode_at(ctx, tree, (int64_t *)(void *)((char *)numbers + off), 3, list), "leaves");
        CHECK_ARG(ctx, bosc_cbt_decode_at(ctx, tree, numbers, 3, (char *)list + off), "nodes");
    }
    bosc_cbt_free(tree);
}

static bosc_cbt_command keep_leaf(void *user, int64_t leaf, uint64_t node)
{
    (void)user, (void)leaf, (void)node;
    return BOSC_CBT_KEEP;
}

static const int64_t bad_counts[] = {-1, -2, INT64_MIN, INT64_MAX};

static void updates(bosc_ctx *ctx)
{
    bosc_cbt *tree = NULL;
    uint8_t commands[16] = {0};
    int64_t sources[16];
    CHECK_OK(ctx, bosc_cbt_create(ctx, &good, &tree));
    CHECK_EQ(bosc_cbt_update(NULL, tree, commands, 3, sources, 8), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cbt_update(ctx, NULL, commands, 3, sources, 8), "tree");
    CHECK_ARG(ctx, bosc_cbt_update(ctx, tree, NULL, 3, sources, 8), "commands");
    for (int i = 0; i < 4; i++) {
        CHECK_ARG(ctx, bosc_cbt_update(ctx, tree, commands, bad_counts[i], sources, 8), "command_count");
        CHECK_ARG(ctx, bosc_cbt_update(ctx, tree, commands, 3, sources, bad_counts[i]), "capacity");
    }
    CHECK_ARG(ctx, bosc_cbt_update(ctx, tree, commands, 3, NULL, -5), "capacity");
    for (int off = 1; off < 8; off++)
        CHECK_ARG(ctx, bosc_cbt_update(ctx, tree, commands, 3, (int64_t *)(void *)((char *)sources + off), 8),
                  "sources");
    CHECK_EQ(cbt_leaves(ctx, tree), 8);
    bosc_cbt_free(tree);
}

static void cycles(bosc_ctx *ctx)
{
    bosc_cbt *tree = NULL;
    uint8_t commands[16] = {0};
    int64_t sources[16];
    uint64_t nodes[16];
    CHECK_OK(ctx, bosc_cbt_create(ctx, &good, &tree));
    CHECK_EQ(bosc_cbt_update_and_decode(NULL, tree, commands, 3, sources, nodes, 8), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cbt_update_and_decode(ctx, NULL, commands, 3, sources, nodes, 8), "tree");
    CHECK_ARG(ctx, bosc_cbt_update_and_decode(ctx, tree, NULL, 3, sources, nodes, 8), "commands");
    CHECK_ARG(ctx, bosc_cbt_update_and_decode(ctx, tree, commands, 3, sources, NULL, 8), "nodes");
    for (int i = 0; i < 4; i++) {
        CHECK_ARG(ctx, bosc_cbt_update_and_decode(ctx, tree, commands, bad_counts[i], sources, nodes, 8),
                  "command_count");
        CHECK_ARG(ctx, bosc_cbt_update_and_decode(ctx, tree, commands, 3, i % 2 ? sources : NULL, nodes, bad_counts[i]),
                  "capacity");
    }
    for (int off = 1; off < 8; off++) {
        void *wrong_sources = (char *)sources + off, *wrong_nodes = (char *)nodes + off;
        CHECK_ARG(ctx, bosc_cbt_update_and_decode(ctx, tree, commands, 3, wrong_sources, nodes, 8), "sources");
        if (off % 4)
            CHECK_ARG(ctx, bosc_cbt_update_and_decode(ctx, tree, commands, 3, sources, wrong_nodes, 8), "nodes");
    }
    CHECK_EQ(cbt_leaves(ctx, tree), 8);
    bosc_cbt_free(tree);
}

static void whole_trees(bosc_ctx *ctx)
{
    /* Each bad argument is refused by its name; views exist only for their own layout. */
    bosc_cbt *tree = NULL;
    bosc_cbt_view view;
    bosc_cbt_heap_view heap;
    static const int32_t levels[] = {-1, -2, 9, 10, INT32_MAX, INT32_MIN};
    CHECK_OK(ctx, bosc_cbt_create(ctx, &good, &tree));
    CHECK_EQ(bosc_cbt_reduce(NULL, tree), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cbt_reduce(ctx, NULL), "tree");
    CHECK_EQ(bosc_cbt_reset(NULL, tree, 0), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cbt_reset(ctx, NULL, 0), "tree");
    for (int i = 0; i < 6; i++) CHECK_ARG(ctx, bosc_cbt_reset(ctx, tree, levels[i]), "level");
    CHECK_EQ(bosc_cbt_recount(NULL, tree), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cbt_recount(ctx, NULL), "tree");
    CHECK_EQ(bosc_cbt_for_each(NULL, tree, keep_leaf, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cbt_for_each(ctx, NULL, keep_leaf, NULL), "tree");
    CHECK_ARG(ctx, bosc_cbt_for_each(ctx, tree, NULL, NULL), "visit");
    CHECK_EQ(bosc_cbt_get_view(NULL, tree, &view), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cbt_get_view(ctx, NULL, &view), "tree");
    CHECK_ARG(ctx, bosc_cbt_get_view(ctx, tree, NULL), "view");
    CHECK_EQ(bosc_cbt_get_heap_view(NULL, tree, &heap), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cbt_get_heap_view(ctx, NULL, &heap), "tree");
    CHECK_ARG(ctx, bosc_cbt_get_heap_view(ctx, tree, NULL), "view");
    CHECK_ARG(ctx, bosc_cbt_get_heap_view(ctx, tree, &heap), "tree: RANKED");
    CHECK_EQ(cbt_leaves(ctx, tree), 8);
    bosc_cbt_free(tree);
    tree = cbt_make(ctx, 8, 3, 1);
    CHECK_ARG(ctx, bosc_cbt_get_view(ctx, tree, &view), "tree: PUBLISHED");
    bosc_cbt_free(tree);
}

static void carrying(bosc_ctx *ctx)
{
    int64_t sources[16] = {0};
    char in[16] = {0}, out[16];
    CHECK_EQ(bosc_cbt_gather_payload(NULL, sources, 3, in, 8, 1, out), BOSC_ERR_ARG);
    /* Sources beyond the input, though more memory follows it. */
    const int64_t strangers[3] = {-1, 3, 7};
    uint8_t items[8] = {1, 2, 3, 4, 5, 6, 7, 8}, carried[3] = {9, 9, 9};
    CHECK_OK(ctx, bosc_cbt_gather_payload(ctx, strangers, 3, items, 3, 1, carried));
    CHECK(carried[0] == 0 && carried[1] == 0 && carried[2] == 0);
    CHECK_ARG(ctx, bosc_cbt_gather_payload(ctx, NULL, 3, in, 8, 1, out), "sources");
    CHECK_ARG(ctx, bosc_cbt_gather_payload(ctx, sources, 3, NULL, 8, 1, out), "in");
    CHECK_ARG(ctx, bosc_cbt_gather_payload(ctx, sources, 3, in, 8, 1, NULL), "out");
    CHECK_ARG(ctx, bosc_cbt_gather_payload(ctx, sources, 3, in, 8, 0, out), "item_size");
    CHECK_ARG(ctx, bosc_cbt_gather_payload(ctx, sources, 3, in, 8, 257, out), "item_size");
    CHECK_ARG(ctx, bosc_cbt_gather_payload(ctx, sources, 3, in, 8, SIZE_MAX, out), "item_size");
    CHECK_ARG(ctx, bosc_cbt_gather_payload(ctx, sources, 3, in, INT64_MAX / 4, 8, out), "in_count");
    for (int i = 0; i < 4; i++) {
        CHECK_ARG(ctx, bosc_cbt_gather_payload(ctx, sources, bad_counts[i], in, 8, 1, out), "count");
        CHECK_ARG(ctx, bosc_cbt_gather_payload(ctx, sources, 3, in, bad_counts[i], 1, out), "in_count");
    }
    CHECK_OK(ctx, bosc_cbt_gather_payload(ctx, NULL, 0, NULL, 0, 1, NULL));
}

static void fields(bosc_ctx *ctx)
{
    bosc_cbt *tree = NULL;
    uint64_t words[32] = {0};
    int64_t bad = 7;
    static const int32_t depths[] = {-1, -2, 37, 38, 64, INT32_MAX, INT32_MIN};
    bosc_cbt_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_cbt_create(ctx, &good, &tree));
    /* 1. Bits and heaps; a field of zeros is no tree. */
    for (int which = 0; which < 4; which++) {
        bosc_status (*get)(bosc_ctx *, const bosc_cbt *, uint64_t *) = which ? bosc_cbt_get_bits : bosc_cbt_get_heap;
        bosc_status (*set)(bosc_ctx *, bosc_cbt *, const uint64_t *) = which ? bosc_cbt_set_bits : bosc_cbt_set_heap;
        const char *name = which ? "bits" : "heap";
        CHECK_EQ(get(NULL, tree, words), BOSC_ERR_ARG);
        CHECK_EQ(set(NULL, tree, words), BOSC_ERR_ARG);
        CHECK_ARG(ctx, get(ctx, NULL, words), "tree");
        CHECK_ARG(ctx, set(ctx, NULL, words), "tree");
        CHECK_ARG(ctx, get(ctx, tree, NULL), name);
        CHECK_ARG(ctx, set(ctx, tree, NULL), name);
        for (int off = 1; off < 8; off++) {
            CHECK_ARG(ctx, get(ctx, tree, (uint64_t *)(void *)((char *)words + off)), name);
            CHECK_ARG(ctx, set(ctx, tree, (uint64_t *)(void *)((char *)words + off)), name);
        }
        CHECK_STATUS(ctx, set(ctx, tree, words), BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx), name));
    }
    /* 2. Validation and repair. */
    CHECK_EQ(bosc_cbt_validate(NULL, words, 8, &bad), BOSC_ERR_ARG);
    CHECK_EQ(bosc_cbt_repair(NULL, words, 8), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cbt_validate(ctx, NULL, 8, &bad), "bits");
    CHECK_ARG(ctx, bosc_cbt_validate(ctx, words, 8, NULL), "invalid");
    CHECK_ARG(ctx, bosc_cbt_repair(ctx, NULL, 8), "bits");
    for (int i = 0; i < 7; i++) {
        CHECK_ARG(ctx, bosc_cbt_validate(ctx, words, depths[i], &bad), "depth");
        CHECK_ARG(ctx, bosc_cbt_repair(ctx, words, depths[i]), "depth");
    }
    for (int off = 1; off < 8; off++) {
        CHECK_ARG(ctx, bosc_cbt_validate(ctx, (uint64_t *)(void *)((char *)words + off), 8, &bad), "bits");
        CHECK_ARG(ctx, bosc_cbt_repair(ctx, (uint64_t *)(void *)((char *)words + off), 8), "bits");
    }
    CHECK_EQ(bad, 7);
    /* 3. Information. */
    CHECK_EQ(bosc_cbt_get_info(NULL, tree, &info), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_cbt_get_info(ctx, NULL, &info), "tree");
    CHECK_ARG(ctx, bosc_cbt_get_info(ctx, tree, NULL), "info");
    for (size_t size = 0; size < 3 * sizeof info; size += size < sizeof info ? 7 : sizeof info) {
        info.size = size;
        if (size >= sizeof(size_t) && size <= sizeof info) continue;
        CHECK_ARG(ctx, bosc_cbt_get_info(ctx, tree, &info), "info: size");
    }
    bosc_cbt_free(tree);
}

/* A cycle that was made before allocates nothing, and a tree outlives the context that made it. */
static void life(bosc_ctx *ctx)
{
    int64_t live[2], sources[64];
    uint8_t commands[32];
    for (int layout = 0; layout < 2; layout++) {
        bosc_ctx *own = counted_context(ctx, live), *other;
        bosc_cbt *tree = cbt_make(own, 12, 4, layout);
        memset(commands, 1, sizeof commands);
        for (int round = 0; round < 6; round++) {
            int64_t held[2] = {live[0], live[1]};
            CHECK_OK(own, bosc_cbt_reset(own, tree, 4));
            CHECK_OK(own, bosc_cbt_update(own, tree, commands, 16, sources, 64));
            CHECK_EQ(cbt_leaves(own, tree), 32);
            if (round > 1) CHECK(live[0] == held[0] && live[1] == held[1]);
        }
        other = ctx;
        bosc_ctx_free(own);
        CHECK_EQ(cbt_leaves(other, tree), 32);
        bosc_cbt_free(tree);
        CHECK(live[0] == 0 && live[1] == 0);
    }
}

/* After a reserve no call with arrays in the context's memory allocates. */
static void reserved(bosc_ctx *ctx)
{
    enum { DEPTH = 14, LEAVES = 64, ROOM = 128 };
    for (int layout = 0; layout < 2; layout++) {
        int64_t live[2];
        bosc_ctx *own = counted_context(ctx, live);
        bosc_cbt *tree = cbt_make(own, DEPTH, 6, 2 + layout);
        uint8_t host[LEAVES];
        uint64_t *bits = suite_alloc((size_t)1 << (DEPTH - 3));
        memset(host, BOSC_CBT_SPLIT, sizeof host);
        struct array commands = array_make(own, host, LEAVES, true), sources = array_make(own, NULL, ROOM * 8, true);
        struct array nodes = array_make(own, NULL, ROOM * 8, true);
        bosc_cbt_info info = {.size = sizeof info};
        bosc_cbt_opts opts = {.size = sizeof opts, .depth = DEPTH, .layout = (bosc_cbt_layout)layout};
        int64_t commanded;
        CHECK_EQ(bosc_cbt_reserve(NULL, tree), BOSC_ERR_ARG);
        CHECK_ARG(own, bosc_cbt_reserve(own, NULL), "tree");
        CHECK_OK(own, bosc_cbt_reserve(own, tree));
        CHECK_OK(own, bosc_cbt_get_info(own, tree, &info));
        CHECK_OK(own, bosc_cbt_bytes(own, &opts, NULL, &commanded, NULL));
        CHECK_EQ(info.bytes, commanded);
        int64_t held[2] = {live[0], live[1]};
        CHECK_OK(own, bosc_cbt_update_and_decode(own, tree, commands.p, LEAVES, sources.p, nodes.p, ROOM));
        CHECK_OK(own, bosc_cbt_merge(own, tree, nodes.p, LEAVES));
        CHECK_OK(own, bosc_cbt_reserve(own, tree)); /* again: the commands stay */
        CHECK_OK(own, bosc_cbt_reduce(own, tree));
        CHECK_EQ(cbt_leaves(own, tree), LEAVES + LEAVES / 2);
        CHECK_OK(own, bosc_cbt_get_bits(own, tree, bits));
        CHECK_OK(own, bosc_cbt_reset(own, tree, 3));
        CHECK_OK(own, bosc_cbt_set_bits(own, tree, bits));
        CHECK_EQ(cbt_leaves(own, tree), LEAVES + LEAVES / 2);
        CHECK_OK(own, bosc_cbt_recount(own, tree));
        CHECK(live[0] == held[0] && live[1] == held[1]);
        array_free(own, &commands);
        array_free(own, &sources);
        array_free(own, &nodes);
        bosc_cbt_free(tree);
        bosc_ctx_free(own);
        CHECK(live[0] == 0 && live[1] == 0);
        free(bits);
    }
}

static const struct suite_case suite_cases_cbt_args[] = {
    {"create", create, NULL},     {"bytes", bytes, NULL},   {"nodes", nodes, NULL},
    {"updates", updates, NULL},   {"cycles", cycles, NULL}, {"whole trees", whole_trees, NULL},
    {"carrying", carrying, NULL}, {"fields", fields, NULL}, {"life", life, NULL},
    {"reserved", reserved, NULL},
};
SUITE(cbt_args);
