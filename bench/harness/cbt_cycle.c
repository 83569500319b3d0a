#include "harness/cbt_cycle.h"

#include <stdlib.h>

#include <boscage/device/cbt.h>

enum { CALLS = 64, QUEUED_LEAVES = 1 << 20 /* of a larger tree a wait is nothing beside the decoding */ };

struct subject {
    bosc_cbt *tree;
    int64_t leaves, changes; /* changes: number of nodes merged and split again */
    uint32_t *nodes, *changed;
};

static void run_decode(void *user)
{
    struct subject *b = user;
    BENCH(bosc_cbt_decode(bench.ctx, b->tree, 0, b->leaves, b->nodes));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void run_queued(void *user)
{
    struct subject *b = user;
    for (int i = 0; i < CALLS; i++) BENCH(bosc_cbt_decode(bench.ctx, b->tree, 0, b->leaves, b->nodes));
    BENCH(bosc_ctx_sync(bench.ctx));
}

/* Merges some pairs of leaves. run_reduce, a split of their parents and run_reduce restore the tree. */
static void merge_some(void *user)
{
    struct subject *b = user;
    BENCH(bosc_cbt_merge(bench.ctx, b->tree, b->changed, b->changes));
}

static void run_reduce(void *user)
{
    struct subject *b = user;
    BENCH(bosc_cbt_reduce(bench.ctx, b->tree));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void restore_tree(void *user)
{
    struct subject *b = user;
    run_reduce(b);
    BENCH(bosc_cbt_split(bench.ctx, b->tree, b->changed + b->changes, b->changes));
    run_reduce(b);
    merge_some(b);
}

static void run_cycle(void *user)
{
    run_decode(user);
    merge_some(user);
    run_reduce(user);
    struct subject *b = user;
    BENCH(bosc_cbt_split(bench.ctx, b->tree, b->changed + b->changes, b->changes));
    run_reduce(b);
}

/* A full tree, or a quarter of its leaves: split at random from level depth - 4 on. */
static void fill_tree(struct subject *b, int32_t depth, bool quarter)
{
    uint64_t state = 88172645463325252u;
    uint8_t *commands;
    bosc_cbt_info info = {.size = sizeof info};
    BENCH(bosc_cbt_reset(bench.ctx, b->tree, quarter ? depth - 4 : depth));
    BENCH(bosc_cbt_get_info(bench.ctx, b->tree, &info));
    while (quarter && info.leaves < (int64_t)1 << (depth - 2)) {
        int64_t more = ((int64_t)1 << (depth - 2)) - info.leaves;
        /* Begins at a random leaf: the first ones may have the greatest depth already. */
        int64_t start = (int64_t)(state % (uint64_t)info.leaves);
        commands = bench_host((size_t)info.leaves);
        for (int64_t i = 0; i < info.leaves; i++) {
            int64_t l = (start + i) % info.leaves;
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            bool split = more > 0 && state % 3 == 0;
            commands[l] = split ? BOSC_CBT_SPLIT : BOSC_CBT_KEEP;
            more -= split;
        }
        BENCH(bosc_cbt_update(bench.ctx, b->tree, commands, info.leaves, NULL, 0));
        BENCH(bosc_cbt_get_info(bench.ctx, b->tree, &info));
        free(commands);
    }
    b->leaves = info.leaves;
}

/* Checks that the leaves follow each other without gaps. Picks pairs of siblings to merge, and their parents. */
static void check_leaves(struct subject *b, int32_t depth)
{
    uint32_t *nodes = bench_host((size_t)b->leaves * 4), *pairs = bench_host(2 * (size_t)b->changes * 4);
    uint64_t position = 0;
    int64_t found = 0, every = b->leaves / (2 * b->changes);
    run_decode(b);
    BENCH(bosc_ctx_copy(bench.ctx, nodes, b->nodes, (size_t)b->leaves * 4));
    for (int64_t l = 0; l < b->leaves; l++) {
        int32_t size = depth - bosc_cbt_level(nodes[l]);
        if (((uint64_t)nodes[l] << size) - ((uint64_t)1 << depth) != position) bench_fail("wrong leaves");
        position += (uint64_t)1 << size;
        if (found < b->changes && l >= found * every && nodes[l] % 2 == 0 && l + 1 < b->leaves &&
            nodes[l + 1] == nodes[l] + 1) {
            pairs[found] = nodes[l];
            pairs[b->changes + found++] = nodes[l] / 2;
        }
    }
    if (position != (uint64_t)1 << depth) bench_fail("leaves are missing");
    for (int64_t i = found; i < b->changes; i++) pairs[i] = pairs[b->changes + i] = 0;
    BENCH(bosc_ctx_copy(bench.ctx, b->changed, pairs, 2 * (size_t)b->changes * 4));
    free(nodes);
    free(pairs);
}

struct bench_cbt_times bench_cbt_time(const bosc_cbt_opts *opts, bool quarter, int repeats)
{
    bosc_cbt_opts o = *opts;
    struct subject b = {0};
    struct bench_cbt_times out;
    /* 1. Fill the tree. */
    o.id_bits = 32;
    BENCH(bosc_cbt_create(bench.ctx, &o, &b.tree));
    fill_tree(&b, o.depth, quarter);
    out.leaves = b.leaves;
    b.changes = b.leaves / 100 + 1;
    b.nodes = bench_array(NULL, (size_t)b.leaves * 4);
    b.changed = bench_array(NULL, 2 * (size_t)b.changes * 4);
    check_leaves(&b, o.depth);
    /* 2. Time the calls. */
    out.decode = bench_time(NULL, run_decode, &b, repeats);
    out.queued = out.decode.median;
    if (bench.opts.backend == BOSC_BACKEND_CUDA && b.leaves <= QUEUED_LEAVES)
        out.queued = bench_time(NULL, run_queued, &b, repeats).median / CALLS;
    merge_some(&b);
    out.reduce = bench_time(restore_tree, run_reduce, &b, repeats);
    BENCH(bosc_cbt_split(bench.ctx, b.tree, b.changed + b.changes, b.changes));
    run_reduce(&b);
    out.cycle = bench_time(NULL, run_cycle, &b, repeats);
    /* 3. Check the leaves again. */
    check_leaves(&b, o.depth);
    bench_release(b.nodes);
    bench_release(b.changed);
    bosc_cbt_free(b.tree);
    return out;
}
