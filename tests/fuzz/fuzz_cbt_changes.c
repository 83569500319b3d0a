/* Compares sequences of operations on a concurrent binary tree with a list of leaves. The first bytes choose the
 * options; each operation reads a byte, and each command another. */
#include <boscage/cbt.h>

#include "reference/cbt.c"
#include "fuzz.h"

enum { DEEPEST = 13, MOST = 2000 /* leaves */ };

static uint64_t node_of(const void *nodes, int32_t id_bits, int64_t i)
{
    return id_bits == 32 ? ((const uint32_t *)nodes)[i] : ((const uint64_t *)nodes)[i];
}

static void compare(bosc_ctx *ctx, const bosc_cbt *tree, const struct reference_cbt *t, int32_t id_bits)
{
    uint64_t *nodes = suite_alloc((size_t)(t->n + 1) * 8);
    size_t bytes = t->depth > 6 ? (size_t)1 << (t->depth - 3) : 8;
    uint64_t *bits = suite_alloc(bytes), *expected = suite_alloc(bytes);
    if (bosc_cbt_decode(ctx, tree, 0, t->n + 1, nodes) != BOSC_OK) abort();
    for (int64_t l = 0; l <= t->n; l++)
        if (node_of(nodes, id_bits, l) != (l < t->n ? t->nodes[l] : 0)) abort();
    reference_cbt_bits(t, expected);
    if (bosc_cbt_get_bits(ctx, tree, bits) != BOSC_OK || memcmp(bits, expected, bytes) != 0) abort();
    free(nodes);
    free(bits);
    free(expected);
}

/* Applies commands to the first leaves, by number or by node. */
static void apply_commands(bosc_ctx *ctx, bosc_cbt *tree, struct reference_cbt *t, int32_t id_bits, struct input *in,
                           bool by_node)
{
    uint8_t *commands = suite_alloc((size_t)t->n);
    memset(commands, 0, (size_t)t->n);
    int64_t step = 1 + next_byte(in) % 7;
    for (int64_t l = 0; l < t->n && in->size; l += step) commands[l] = (uint8_t)(next_byte(in) % 3);
    for (int64_t l = 0; l < t->n && by_node; l++) {
        uint32_t node_32 = (uint32_t)t->nodes[l];
        const void *node = id_bits == 32 ? (const void *)&node_32 : &t->nodes[l];
        if (commands[l] == 1 && bosc_cbt_split(ctx, tree, node, 1) != BOSC_OK) abort();
        if (commands[l] == 2 && bosc_cbt_merge(ctx, tree, node, 1) != BOSC_OK) abort();
    }
    bosc_status status = by_node ? bosc_cbt_reduce(ctx, tree) : bosc_cbt_update(ctx, tree, commands, t->n, NULL, 0);
    if (status != BOSC_OK) abort();
    for (int64_t l = 0; l < t->n; l++) /* splits at the deepest level have no effect */
        if (commands[l] == 1 && reference_cbt_node_level(t->nodes[l]) == t->depth) commands[l] = 0;
    reference_cbt_update(t, commands, NULL);
    free(commands);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bosc_ctx *ctx = fuzz_context();
    struct input in = {data, size};
    bosc_cbt_opts o = {.size = sizeof o, .depth = (int32_t)(next_byte(&in) % (DEEPEST + 1))};
    /* 1. The options. */
    uint32_t kind = next_byte(&in);
    o.level = (int32_t)(kind % 4) < o.depth ? (int32_t)(kind % 4) : o.depth;
    o.layout = (bosc_cbt_layout)(kind / 4 % 2);
    o.id_bits = kind / 8 % 2 ? 32 : 64;
    bosc_cbt *tree = NULL;
    if (bosc_cbt_create(ctx, &o, &tree) != BOSC_OK) abort();
    struct reference_cbt t = reference_cbt_level(o.depth, o.level);
    /* 2. Operations: a reset, or commands. */
    while (in.size && t.n < MOST) {
        uint32_t what = next_byte(&in);
        if (what % 8 == 7) {
            int32_t level = (int32_t)(what / 8) < o.depth && what / 8 < 6 ? (int32_t)(what / 8) : 0;
            if (bosc_cbt_reset(ctx, tree, level) != BOSC_OK) abort();
            reference_cbt_free(&t);
            t = reference_cbt_level(o.depth, level);
        } else {
            apply_commands(ctx, tree, &t, o.id_bits, &in, what % 2);
        }
        compare(ctx, tree, &t, o.id_bits);
    }
    reference_cbt_free(&t);
    bosc_cbt_free(tree);
    return 0;
}
