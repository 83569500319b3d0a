/* Trees of the library beside plain reference trees. */
#ifndef TESTS_CASES_CBT_CBT_DATA_H
#define TESTS_CASES_CBT_CBT_DATA_H

#include <stdlib.h>
#include <string.h>

#include <boscage/cbt.h>
#include <boscage/device/cbt.h>
#include <boscage/device/cbt_heap.h>

#include "reference/cbt.h"
#include "support/suite.h"

static inline bosc_cbt *cbt_make(bosc_ctx *ctx, int32_t depth, int32_t level, int which)
{
    bosc_cbt_opts o = {.size = sizeof o,
                       .depth = depth,
                       .level = level,
                       .layout = which % 2 ? BOSC_CBT_PUBLISHED : BOSC_CBT_RANKED,
                       .id_bits = which % 4 < 2 && depth < 32 ? 32 : 0,
                       .decoding = which % 8 == 5 && depth < 14 ? BOSC_CBT_SEQUENTIAL : BOSC_CBT_BY_LAYOUT};
    bosc_cbt *tree = NULL;
    CHECK_OK(ctx, bosc_cbt_create(ctx, &o, &tree));
    return tree;
}

static inline int32_t cbt_id_bits(bosc_ctx *ctx, const bosc_cbt *tree)
{
    bosc_cbt_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_cbt_get_info(ctx, tree, &info));
    return info.id_bits;
}

static inline int64_t cbt_leaves(bosc_ctx *ctx, const bosc_cbt *tree)
{
    bosc_cbt_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_cbt_get_info(ctx, tree, &info));
    return info.leaves;
}

static inline bool cbt_is_published(bosc_ctx *ctx, const bosc_cbt *tree)
{
    bosc_cbt_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_cbt_get_info(ctx, tree, &info));
    return info.layout == BOSC_CBT_PUBLISHED;
}

/* Takes a view; where its bit field is, if that begins with a word. */
static inline uint64_t *cbt_share(bosc_ctx *ctx, bosc_cbt *tree)
{
    bosc_cbt_view view;
    bosc_cbt_heap_view heap;
    if (cbt_is_published(ctx, tree)) {
        CHECK_OK(ctx, bosc_cbt_get_heap_view(ctx, tree, &heap));
        return heap.heap + ((uint64_t)3 << heap.depth) / 64;
    }
    CHECK_OK(ctx, bosc_cbt_get_view(ctx, tree, &view));
    return (uint64_t *)(uintptr_t)view.bits;
}

/* Node i of an array as the tree's. */
static inline uint64_t cbt_node(const void *nodes, int32_t id_bits, int64_t i)
{
    return id_bits == 32 ? ((const uint32_t *)nodes)[i] : ((const uint64_t *)nodes)[i];
}

/* Nodes as an array of the tree's. */
static inline void *cbt_nodes(const uint64_t *from, int64_t n, int32_t id_bits)
{
    void *nodes = suite_alloc((size_t)n * 8);
    for (int64_t i = 0; i < n; i++) {
        if (id_bits == 32)
            ((uint32_t *)nodes)[i] = (uint32_t)from[i];
        else
            ((uint64_t *)nodes)[i] = from[i];
    }
    return nodes;
}

/* The bit fields and all leaves are the same. */
static inline void cbt_check(bosc_ctx *ctx, const bosc_cbt *tree, const struct reference_cbt *t)
{
    int32_t id_bits = cbt_id_bits(ctx, tree);
    size_t bytes = t->depth > 6 ? (size_t)1 << (t->depth - 3) : 8;
    uint64_t *bits = suite_alloc(bytes), *got = suite_alloc(bytes), *nodes = suite_alloc((size_t)(t->n + 3) * 8);
    CHECK_EQ(cbt_leaves(ctx, tree), t->n);
    reference_cbt_bits(t, bits);
    CHECK_OK(ctx, bosc_cbt_get_bits(ctx, tree, got));
    CHECK(memcmp(bits, got, bytes) == 0);
    memset(nodes, 0x55, (size_t)(t->n + 3) * 8);
    CHECK_OK(ctx, bosc_cbt_decode(ctx, tree, 0, t->n + 2, nodes));
    for (int64_t l = 0; l < t->n; l++)
        if (cbt_node(nodes, id_bits, l) != t->nodes[l])
            suite_fail(__FILE__, __LINE__, "depth %d: leaf %lld of %lld is %llx, not %llx", (int)t->depth, (long long)l,
                       (long long)t->n, (unsigned long long)cbt_node(nodes, id_bits, l),
                       (unsigned long long)t->nodes[l]);
    for (int k = 0; k < 2; k++) CHECK_EQ(cbt_node(nodes, id_bits, t->n + k), 0);
    CHECK(cbt_node(nodes, id_bits, t->n + 2) != 0);
    free(bits);
    free(got);
    free(nodes);
}

#endif
