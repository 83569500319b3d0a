/* Each allocation and copy of the calls that reserve memory for trees and tables over ranks fails in turn on one of
 * three ranks: all ranks get the same status, and the structure keeps its contents. */
#include <boscage/ranks.h>

#include "cases/ranks/ranks_faults.h"

enum { N = 200, MORE = 700 };

struct held {
    bosc_ranks_kdtree *tree;
    bosc_ranks_hash *table;
    uint64_t keys[N];
};

static void *open_tree(struct rank *r)
{
    const bosc_kdtree_opts o = {.size = sizeof o, .dtype = BOSC_I64, .dim = 1};
    struct held *h = suite_alloc(sizeof *h);
    *h = (struct held){.tree = NULL};
    for (int64_t i = 0; i < N; i++) h->keys[i] = (uint64_t)(3 * i + r->rank);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_create(r->ctx, r->comm, &o, &h->tree));
    CHECK_OK(r->ctx, bosc_ranks_kdtree_build(r->ctx, h->tree, h->keys, N, 0));
    return h;
}

static bosc_status reserve_tree(struct rank *r, void *state, unsigned char *out)
{
    struct held *h = state;
    const bosc_status status = bosc_ranks_kdtree_reserve(r->ctx, h->tree, MORE, 3 * MORE);
    if (status == BOSC_OK) *out = 1;
    return status;
}

/* The tree has the points 0, 1, 2, ... in this order. */
static void close_tree(struct rank *r, void *state)
{
    struct held *h = state;
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    int64_t points[3 * N];
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_info(r->ctx, h->tree, &info));
    CHECK_EQ(info.nodes, 3 * N);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_nodes(r->ctx, h->tree, points, NULL));
    for (int64_t i = info.begin; i < info.end; i++) CHECK_EQ(points[i - info.begin], i);
    bosc_ranks_kdtree_free(h->tree);
    free(h);
}

static void tree(bosc_ctx *ctx)
{
    struct ranks_fault f = {.open = open_tree, .call = reserve_tree, .close = close_tree, .bytes = 1};
    ranks_fault_sweep(ctx, &f);
}

static bool is_empty; /* the table to be reserved for */

static void *open_table(struct rank *r)
{
    const bosc_hash_opts o = {.size = sizeof o, .key_bits = 64, .value_size = 8};
    struct held *h = suite_alloc(sizeof *h);
    *h = (struct held){.tree = NULL};
    for (int64_t i = 0; i < N; i++) h->keys[i] = (uint64_t)(3 * i + r->rank);
    CHECK_OK(r->ctx, bosc_ranks_hash_create(r->ctx, r->comm, &o, &h->table));
    if (!is_empty) CHECK_OK(r->ctx, bosc_ranks_hash_build(r->ctx, h->table, h->keys, h->keys, N));
    return h;
}

static bosc_status reserve_table(struct rank *r, void *state, unsigned char *out)
{
    struct held *h = state;
    const bosc_status status = bosc_ranks_hash_reserve(r->ctx, h->table, MORE, 3 * MORE);
    if (status == BOSC_OK) *out = 1;
    return status;
}

static void close_table(struct rank *r, void *state)
{
    struct held *h = state;
    uint64_t values[N];
    uint8_t found[N];
    CHECK_OK(r->ctx, bosc_ranks_hash_find(r->ctx, h->table, h->keys, N, values, found));
    for (int64_t i = 0; i < N; i++) CHECK(found[i] == !is_empty && (is_empty || values[i] == h->keys[i]));
    bosc_ranks_hash_free(h->table);
    free(h);
}

static void table(bosc_ctx *ctx)
{
    for (int i = 0; i < 2; i++) {
        struct ranks_fault f = {.open = open_table, .call = reserve_table, .close = close_table, .bytes = 1};
        is_empty = i;
        ranks_fault_sweep(ctx, &f);
    }
}

static const struct suite_case suite_cases_ranks_reserve_faults[] = {
    {"tree", tree, NULL},
    {"table", table, NULL},
};
SUITE(ranks_reserve_faults);
