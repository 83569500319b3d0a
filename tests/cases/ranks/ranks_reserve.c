/* Reservations of distributed trees and tables are enough for builds on any number of ranks. Their _bytes functions
 * give the bytes that they keep, and enough scratch for a build. */
#include <stdlib.h>
#include <string.h>

#include <boscage/ranks.h>

#include "support/counted.h"
#include "support/ranks.h"

static const int32_t rank_counts[] = {1, 2, 3, 4, 8};

struct trial {
    int64_t total; /* items of all ranks, at most */
    uint64_t seed; /* of the slices */
    bosc_kdtree_opts tree;
    bosc_hash_opts table;
};

/* A rank's slice, of all items or of fewer. */
static int64_t slice(const struct rank *r, int64_t total, int64_t *begin)
{
    const struct trial *t = r->user;
    int64_t end;
    ranks_slice(r, t->seed, total, begin, &end);
    return end - *begin;
}

/* The builds of a trial, the largest first. */
enum { BUILDS = 4 };
static int64_t total_of(const struct trial *t, int build) { return t->total * (BUILDS - build) / BUILDS; }

/* The most items that this rank has in one of them. */
static int64_t most(const struct rank *r)
{
    int64_t begin, most = 0;
    for (int b = 0; b < BUILDS; b++) {
        const int64_t n = slice(r, total_of(r->user, b), &begin);
        if (n > most) most = n;
    }
    return most;
}

/* ---- trees ---- */

/* Rows of a type that come from their numbers; every third one equals others. */
static void *make_rows(const bosc_kdtree_opts *o, int64_t begin, int64_t n)
{
    const size_t size = bosc_dtype_size(o->dtype);
    unsigned char *rows = suite_alloc((size_t)(n * o->dim) * size);
    for (int64_t i = 0; i < n * o->dim; i++) {
        const uint64_t row = (uint64_t)(begin + i / o->dim);
        struct suite_random r = {row % 3 ? row * 7 + (uint64_t)(i % o->dim) : 1};
        const int32_t x = (int32_t)suite_below(&r, 1000);
        const float f = (float)x;
        const double d = x;
        const int64_t wide = x;
        const void *from = o->dtype == BOSC_F32 ? (const void *)&f : o->dtype == BOSC_F64 ? (const void *)&d : &wide;
        memcpy(rows + (size_t)i * size, from, size);
    }
    return rows;
}

static void build_tree(struct rank *r, bosc_ranks_kdtree *tree, int64_t total)
{
    const struct trial *t = r->user;
    int64_t begin, n = slice(r, total, &begin);
    void *rows = make_rows(&t->tree, begin, n);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_build(r->ctx, tree, rows, n, 0));
    free(rows);
}

static int64_t tree_bytes(struct rank *r, const bosc_ranks_kdtree *tree)
{
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_info(r->ctx, tree, &info));
    return info.bytes;
}

/* The nodes that a rank has, to see that a tree keeps them. */
static int64_t *tree_ids(struct rank *r, const bosc_ranks_kdtree *tree, int64_t *count)
{
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_info(r->ctx, tree, &info));
    *count = info.end - info.begin;
    int64_t *ids = suite_alloc((size_t)*count * sizeof *ids);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_nodes(r->ctx, tree, NULL, ids));
    return ids;
}

static void reserve_tree(struct rank *r)
{
    const struct trial *t = r->user;
    bosc_ranks_kdtree *tree = NULL;
    int64_t kept, count, again;
    CHECK_OK(r->ctx, bosc_ranks_kdtree_create(r->ctx, r->comm, &t->tree, &tree));
    build_tree(r, tree, t->total / 2);
    int64_t *before = tree_ids(r, tree, &count);
    bosc_ctx_trim(r->ctx);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_reserve(r->ctx, tree, most(r), t->total));
    const int64_t held = counted_scratch(r->ctx);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_bytes(r->ctx, r->comm, &t->tree, most(r), t->total, &kept, NULL));
    CHECK_EQ(tree_bytes(r, tree), kept);
    for (int b = 0; b < BUILDS; b++) {
        build_tree(r, tree, total_of(t, b));
        CHECK_EQ(counted_scratch(r->ctx), held);
        CHECK_EQ(tree_bytes(r, tree), kept);
    }
    build_tree(r, tree, t->total / 2);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_reserve(r->ctx, tree, 2 * most(r), 2 * t->total));
    int64_t *after = tree_ids(r, tree, &again);
    CHECK_EQ(count, again);
    CHECK(count == 0 || memcmp(before, after, (size_t)count * sizeof *before) == 0);
    free(before);
    free(after);
    bosc_ranks_kdtree_free(tree);
}

/* A fresh handle keeps the promised bytes, and the promised scratch is enough. */
static void measure_tree(struct rank *r)
{
    const struct trial *t = r->user;
    bosc_ranks_kdtree *tree = NULL;
    int64_t begin, kept, scratch;
    CHECK_OK(r->ctx, bosc_ranks_kdtree_create(r->ctx, r->comm, &t->tree, &tree));
    CHECK_OK(r->ctx,
             bosc_ranks_kdtree_bytes(r->ctx, r->comm, &t->tree, slice(r, t->total, &begin), t->total, &kept, &scratch));
    const int64_t held = counted_take_scratch(r->ctx, scratch);
    build_tree(r, tree, t->total);
    CHECK_EQ(counted_scratch(r->ctx), held);
    CHECK_EQ(tree_bytes(r, tree), kept);
    bosc_ranks_kdtree_free(tree);
}

static void trees(bosc_ctx *ctx)
{
    static const int64_t totals[] = {0, 1, 7, 100, 3001, 40000};
    struct suite_random r = {81};
    for (int i = 0; i < 6; i++) {
        if (suite_leaves_out() || (suite_slow(ctx) && totals[i] > 200)) continue;
        struct trial t = {.total = totals[i], .seed = suite_below(&r, 20)};
        t.tree = (bosc_kdtree_opts){.size = sizeof t.tree,
                                    .dtype = i % 3 == 0   ? BOSC_F32
                                             : i % 3 == 1 ? BOSC_F64
                                                          : BOSC_I64,
                                    .dim = 1 + (int32_t)suite_below(&r, 4),
                                    .id_bits = 64};
        for (int p = 0; p < 5; p++) {
            if (suite_slow(ctx) && p != i % 5) continue;
            ranks_run(ctx, rank_counts[p], 0, reserve_tree, &t);
            ranks_run(ctx, rank_counts[p], 0, measure_tree, &t);
        }
    }
}

/* Shards grow with the number of nodes on every rank: a reservation for many nodes is enough for fewer. */
static void shards(struct rank *r)
{
    const struct trial *t = r->user;
    int64_t last = 0, kept;
    for (int64_t total = 0; total < 700; total++, last = kept) {
        CHECK_OK(r->ctx, bosc_ranks_kdtree_bytes(r->ctx, r->comm, &t->tree, 0, total, &kept, NULL));
        CHECK(kept >= last);
    }
}

static void growth(bosc_ctx *ctx)
{
    struct trial t = {.tree = {.size = sizeof t.tree, .dtype = BOSC_F32, .dim = 2}};
    for (int32_t ranks = 1; ranks <= 9; ranks++) ranks_run(ctx, ranks, 0, shards, &t);
}

/* ---- tables ---- */

/* Keys that differ, in order or not. */
static void *make_keys(const bosc_hash_opts *o, int64_t begin, int64_t n)
{
    const size_t size = (size_t)o->key_bits / 8;
    unsigned char *keys = suite_alloc((size_t)n * size);
    memset(keys, 0, (size_t)n * size);
    for (int64_t i = 0; i < n; i++) {
        const uint32_t key = (uint32_t)(begin + i) * 2654435761u;
        memcpy(keys + (size_t)i * size, &key, sizeof key);
    }
    return keys;
}

static void build_table(struct rank *r, bosc_ranks_hash *table, int64_t total)
{
    const struct trial *t = r->user;
    int64_t begin, n = slice(r, total, &begin);
    void *keys = make_keys(&t->table, begin, n), *values = suite_alloc((size_t)n * (size_t)t->table.value_size + 1);
    memset(values, 5, (size_t)n * (size_t)t->table.value_size + 1);
    CHECK_OK(r->ctx, bosc_ranks_hash_build(r->ctx, table, keys, values, n));
    free(keys);
    free(values);
}

static int64_t table_bytes(struct rank *r, const bosc_ranks_hash *table, int64_t keys)
{
    bosc_ranks_hash_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_ranks_hash_get_info(r->ctx, table, &info));
    CHECK_EQ(info.keys, keys);
    return info.own_bytes;
}

static void reserve_table(struct rank *r)
{
    const struct trial *t = r->user;
    bosc_ranks_hash *table = NULL;
    int64_t kept;
    CHECK_OK(r->ctx, bosc_ranks_hash_create(r->ctx, r->comm, &t->table, &table));
    if (t->seed % 2) build_table(r, table, t->total / 2);
    bosc_ctx_trim(r->ctx);
    CHECK_OK(r->ctx, bosc_ranks_hash_reserve(r->ctx, table, most(r), t->total));
    const int64_t held = counted_scratch(r->ctx);
    CHECK_OK(r->ctx, bosc_ranks_hash_bytes(r->ctx, r->comm, &t->table, most(r), t->total, &kept, NULL));
    CHECK_EQ(table_bytes(r, table, t->seed % 2 ? t->total / 2 : 0), kept);
    for (int b = 0; b < BUILDS; b++) {
        build_table(r, table, total_of(t, b));
        CHECK_EQ(counted_scratch(r->ctx), held);
        CHECK_EQ(table_bytes(r, table, total_of(t, b)), kept);
    }
    CHECK_OK(r->ctx, bosc_ranks_hash_reserve(r->ctx, table, 0, 3 * t->total));
    CHECK(table_bytes(r, table, t->total / 4) >= kept);
    bosc_ranks_hash_free(table);
}

static void measure_table(struct rank *r)
{
    const struct trial *t = r->user;
    bosc_ranks_hash *table = NULL;
    int64_t begin, kept, scratch;
    CHECK_OK(r->ctx, bosc_ranks_hash_create(r->ctx, r->comm, &t->table, &table));
    CHECK_OK(r->ctx,
             bosc_ranks_hash_bytes(r->ctx, r->comm, &t->table, slice(r, t->total, &begin), t->total, &kept, &scratch));
    const int64_t held = counted_take_scratch(r->ctx, scratch);
    build_table(r, table, t->total);
    CHECK_EQ(counted_scratch(r->ctx), held);
    CHECK(table_bytes(r, table, t->total) <= kept);
    bosc_ranks_hash_free(table);
}

static void tables(bosc_ctx *ctx)
{
    static const int64_t totals[] = {0, 1, 64, 5000, 60000};
    static const int32_t keys[] = {32, 64, 128}, values[] = {0, 4, 12};
    struct suite_random r = {82};
    for (int i = 0; i < 15; i++) {
        if (suite_leaves_out() || (suite_slow(ctx) && totals[i % 5] > 64)) continue;
        struct trial t = {.total = totals[i % 5], .seed = suite_below(&r, 20)};
        t.table = (bosc_hash_opts){.size = sizeof t.table,
                                   .kind = i % 4 == 3 ? BOSC_HASH_MULTIMAP : BOSC_HASH_MAP,
                                   .key_bits = keys[i % 3],
                                   .value_size = i % 4 == 3 ? 8 : values[(i + i / 5) % 3]};
        for (int p = 0; p < 5; p++) {
            if (suite_slow(ctx) && p != i % 5) continue;
            ranks_run(ctx, rank_counts[p], 0, reserve_table, &t);
            ranks_run(ctx, rank_counts[p], 0, measure_table, &t);
        }
    }
}

static const struct suite_case suite_cases_ranks_reserve[] = {
    {"trees", trees, NULL},
    {"shards grow", growth, NULL},
    {"tables", tables, NULL},
};
SUITE(ranks_reserve);
