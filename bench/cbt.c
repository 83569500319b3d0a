/* Times concurrent binary trees as their source does: bench_cbt [-d deepest] [-p 0: without the published layout].
 * Full trees of depths 10 to `deepest` (20), and trees filled to a quarter: every leaf decoded, a reduction after
 * leaves were split, and a whole cycle (decode, split or merge a few leaves, reduce), by ranks and beside it by the
 * published layout (a heap of sums, made level by level and descended for every leaf; minutes from depth 25 on), in the
 * same program, with the same number of threads. Arrays of 32-bit nodes in the backend's memory; handles are warm; every
 * decode is checked. Trees of up to 20 levels are measured with 1, 2, 4 threads and so on, deeper ones with all.
 * Source: Dupuy, Concurrent Binary Trees (2020), section 5. */
#include <stdlib.h>

#include <boscage/device/cbt.h>

#include "harness/bench.h"

enum { DEEPEST_OF_EACH = 20 }; /* trees of no more levels are measured with each number of threads */

struct subject {
    bosc_cbt *tree;
    int64_t leaves, few; /* few: nodes that are split and merged again */
    uint32_t *nodes, *changed;
};

static void run_decode(void *user)
{
    struct subject *b = user;
    BENCH(bosc_cbt_decode(bench.ctx, b->tree, 0, b->leaves, b->nodes));
    BENCH(bosc_sync(bench.ctx));
}

/* Some leaves of the tree are merged and their parents split again: the tree after two reductions is the one before. */
static void record(void *user)
{
    struct subject *b = user;
    BENCH(bosc_cbt_merge(bench.ctx, b->tree, b->changed, b->few));
}

static void run_reduce(void *user)
{
    struct subject *b = user;
    BENCH(bosc_cbt_reduce(bench.ctx, b->tree));
    BENCH(bosc_sync(bench.ctx));
}

static void restore(void *user)
{
    struct subject *b = user;
    run_reduce(b);
    BENCH(bosc_cbt_split(bench.ctx, b->tree, b->changed + b->few, b->few));
    run_reduce(b);
    record(b);
}

static void run_cycle(void *user)
{
    run_decode(user);
    record(user);
    run_reduce(user);
    struct subject *b = user;
    BENCH(bosc_cbt_split(bench.ctx, b->tree, b->changed + b->few, b->few));
    run_reduce(b);
}

/* A full tree, or a quarter of its leaves: split at random from level depth - 4 on. */
static void fill(struct subject *b, int32_t depth, bool full)
{
    uint64_t state = 88172645463325252u;
    uint8_t *commands;
    bosc_cbt_info info = {.size = sizeof info};
    BENCH(bosc_cbt_reset(bench.ctx, b->tree, full ? depth : depth - 4));
    BENCH(bosc_cbt_get_info(bench.ctx, b->tree, &info));
    while (!full && info.leaves < (int64_t)1 << (depth - 2)) { /* as many more as are left to add */
        int64_t more = ((int64_t)1 << (depth - 2)) - info.leaves;
        int64_t start = (int64_t)(state % (uint64_t)info.leaves); /* the first ones may be as deep as they can be */
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

/* Leaves follow each other without gaps. Picks pairs of siblings to be merged, and their parents. */
static void check(struct subject *b, int32_t depth)
{
    uint32_t *nodes = bench_host((size_t)b->leaves * 4), *pairs = bench_host(2 * (size_t)b->few * 4);
    uint64_t place = 0;
    int64_t found = 0, every = b->leaves / (2 * b->few);
    run_decode(b);
    BENCH(bosc_copy(bench.ctx, nodes, b->nodes, (size_t)b->leaves * 4));
    for (int64_t l = 0; l < b->leaves; l++) {
        int32_t size = depth - bosc_cbt_level(nodes[l]);
        if (((uint64_t)nodes[l] << size) - ((uint64_t)1 << depth) != place) bench_fail("wrong leaves");
        place += (uint64_t)1 << size;
        if (found < b->few && l >= found * every && nodes[l] % 2 == 0 && l + 1 < b->leaves &&
            nodes[l + 1] == nodes[l] + 1) {
            pairs[found] = nodes[l];
            pairs[b->few + found++] = nodes[l] / 2;
        }
    }
    if (place != (uint64_t)1 << depth) bench_fail("leaves are missing");
    for (int64_t i = found; i < b->few; i++) pairs[i] = pairs[b->few + i] = 0;
    BENCH(bosc_copy(bench.ctx, b->changed, pairs, 2 * (size_t)b->few * 4));
    free(nodes);
    free(pairs);
}

/* decode, reduce, cycle of one layout */
static int64_t measure(int32_t depth, bool full, bosc_cbt_layout layout, int repeats, struct bench_times out[3])
{
    bosc_cbt_opts opts = {.size = sizeof opts, .depth = depth, .layout = layout, .id_bits = 32};
    struct subject b = {0};
    BENCH(bosc_cbt_create(bench.ctx, &opts, &b.tree));
    fill(&b, depth, full);
    b.few = b.leaves / 100 + 1;
    b.nodes = bench_array(NULL, (size_t)b.leaves * 4);
    b.changed = bench_array(NULL, 2 * (size_t)b.few * 4);
    check(&b, depth);
    out[0] = bench_time(NULL, run_decode, &b, repeats);
    record(&b);
    out[1] = bench_time(restore, run_reduce, &b, repeats);
    BENCH(bosc_cbt_split(bench.ctx, b.tree, b.changed + b.few, b.few));
    run_reduce(&b);
    out[2] = bench_time(NULL, run_cycle, &b, repeats);
    check(&b, depth);
    bench_release(b.nodes);
    bench_release(b.changed);
    bosc_cbt_free(b.tree);
    return b.leaves;
}

static void compare(int32_t depth, bool full, bool peer)
{
    static const char *const names[] = {"decode", "reduce", "cycle of two reductions"};
    struct bench_times ours[3], theirs[3] = {{0, 0}};
    if (peer) measure(depth, full, BOSC_CBT_PUBLISHED, depth > 20 || bench.repeats < 5 ? 1 : 5, theirs);
    int64_t leaves = measure(depth, full, BOSC_CBT_RANKED, bench.repeats, ours);
    for (int k = 0; k < 3; k++) {
        struct bench_row row = {.name = names[k],
                                .data = bench_text("%d%s", (int)depth, full ? "" : "/4"),
                                .n = leaves,
                                .bytes = (k == 1 ? 0 : 4.0 * (double)leaves) + 0.125 * (double)((int64_t)1 << depth),
                                .ours = ours[k],
                                .peer = peer ? "published" : NULL,
                                .theirs = theirs[k]};
        bench_print(&row);
    }
}

int main(int argc, char **argv)
{
    static const int depths[] = {10, 15, 17, 20, 25, 28, 30, 31};
    int64_t deepest = 20, peer = 1;
    const struct bench_option own[] = {{'d', BENCH_INTEGER, &deepest, "deepest trees, 10 to 31"},
                                       {'p', BENCH_INTEGER, &peer, "0: without the published layout"}};
    bench.repeats = 11;
    bench_options(argc, argv, "(not used)", own, sizeof own / sizeof own[0]);
    if (deepest < 10 || deepest > 31) bench_fail("-d: %" PRId64 " is not from 10 to 31", deepest);
    bench_open();
    const int32_t most = bench.opts.threads;
    for (int32_t t = bench.opts.backend == BOSC_BACKEND_CUDA ? most : 1; t < 2 * most; t *= 2) {
        bench_close();
        bench.opts.threads = t < most ? t : most;
        bench_open();
        for (size_t k = 0; k < sizeof depths / sizeof depths[0] && depths[k] <= deepest; k++) {
            if (depths[k] > DEEPEST_OF_EACH && t < most) continue;
            compare(depths[k], true, peer != 0);
            compare(depths[k], false, peer != 0);
        }
    }
    return bench_close();
}
