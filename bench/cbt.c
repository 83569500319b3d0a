/* Times concurrent binary trees as their source does: bench_cbt [-d deepest] [-t threads] [-r repeats] [-b backend]
 * [-p 0].
 * Full trees of depths 10 to `deepest` (20), and trees filled to a quarter: every leaf decoded, a reduction after
 * leaves were split, and a whole cycle (decode, split or merge a few leaves, reduce), by ranks and beside it by the
 * published layout (a heap of sums, made level by level and descended for every leaf) in the same program, with the
 * same number of threads (-p 0: without it, which takes minutes from depth 25 on). Arrays of 32-bit nodes in the
 * backend's memory; handles are warm; every decode is checked. Source: Dupuy, Concurrent Binary Trees (2020),
 * section 5. Trees of up to 20 levels are measured with 1, 2, 4 threads and so on, deeper ones with all. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/boscage.h>
#include <boscage/device/cbt.h>

#include "harness/calls.h"
#include "harness/timing.h"

enum { DEEPEST_OF_EACH = 20 }; /* trees of no more levels are measured with each number of threads */

struct bench {
    bosc_ctx *ctx;
    bosc_cbt *tree;
    int64_t leaves, few; /* few: nodes that are split and merged again */
    uint32_t *nodes, *changed;
};

static void run_decode(void *user)
{
    struct bench *b = user;
    DO(b, bosc_cbt_decode(b->ctx, b->tree, 0, b->leaves, b->nodes));
    DO(b, bosc_sync(b->ctx));
}

/* Some leaves of the tree are merged and their parents split again: the tree after two reductions is the one before. */
static void record(void *user)
{
    struct bench *b = user;
    DO(b, bosc_cbt_merge(b->ctx, b->tree, b->changed, b->few));
}

static void run_reduce(void *user)
{
    struct bench *b = user;
    DO(b, bosc_cbt_reduce(b->ctx, b->tree));
    DO(b, bosc_sync(b->ctx));
}

static void restore(void *user)
{
    struct bench *b = user;
    run_reduce(b);
    DO(b, bosc_cbt_split(b->ctx, b->tree, b->changed + b->few, b->few));
    run_reduce(b);
    record(b);
}

static void run_cycle(void *user)
{
    run_decode(user);
    record(user);
    run_reduce(user);
    struct bench *b = user;
    DO(b, bosc_cbt_split(b->ctx, b->tree, b->changed + b->few, b->few));
    run_reduce(b);
}

/* A full tree, or a quarter of its leaves: split at random from level depth - 4 on. */
static void fill(struct bench *b, int32_t depth, bool full)
{
    uint64_t state = 88172645463325252u;
    uint8_t *commands;
    bosc_cbt_info info = {.size = sizeof info};
    DO(b, bosc_cbt_reset(b->ctx, b->tree, full ? depth : depth - 4));
    DO(b, bosc_cbt_get_info(b->ctx, b->tree, &info));
    while (!full && info.leaves < (int64_t)1 << (depth - 2)) { /* as many more as are left to add */
        int64_t more = ((int64_t)1 << (depth - 2)) - info.leaves;
        int64_t start = (int64_t)(state % (uint64_t)info.leaves); /* the first ones may be as deep as they can be */
        commands = host((size_t)info.leaves);
        for (int64_t i = 0; i < info.leaves; i++) {
            int64_t l = (start + i) % info.leaves;
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            bool split = more > 0 && state % 3 == 0;
            commands[l] = split ? BOSC_CBT_SPLIT : BOSC_CBT_KEEP;
            more -= split;
        }
        DO(b, bosc_cbt_update(b->ctx, b->tree, commands, info.leaves, NULL, 0));
        DO(b, bosc_cbt_get_info(b->ctx, b->tree, &info));
        free(commands);
    }
    b->leaves = info.leaves;
}

/* Leaves follow each other without gaps. Picks pairs of siblings to be merged, and their parents. */
static void check(struct bench *b, int32_t depth)
{
    uint32_t *nodes = host((size_t)b->leaves * 4), *pairs = host(2 * (size_t)b->few * 4);
    uint64_t place = 0;
    int64_t found = 0, every = b->leaves / (2 * b->few);
    run_decode(b);
    DO(b, bosc_copy(b->ctx, nodes, b->nodes, (size_t)b->leaves * 4));
    for (int64_t l = 0; l < b->leaves; l++) {
        int32_t size = depth - bosc_cbt_level(nodes[l]);
        if (((uint64_t)nodes[l] << size) - ((uint64_t)1 << depth) != place) fail(NULL, "wrong leaves");
        place += (uint64_t)1 << size;
        if (found < b->few && l >= found * every && nodes[l] % 2 == 0 && l + 1 < b->leaves &&
            nodes[l + 1] == nodes[l] + 1) {
            pairs[found] = nodes[l];
            pairs[b->few + found++] = nodes[l] / 2;
        }
    }
    if (place != (uint64_t)1 << depth) fail(NULL, "leaves are missing");
    for (int64_t i = found; i < b->few; i++) pairs[i] = pairs[b->few + i] = 0;
    DO(b, bosc_copy(b->ctx, b->changed, pairs, 2 * (size_t)b->few * 4));
    free(nodes);
    free(pairs);
}

/* decode, reduce, cycle of one layout */
static void measure(bosc_ctx *ctx, int32_t depth, bool full, bosc_cbt_layout layout, int repeats, struct timing out[3],
                    int64_t *leaves)
{
    bosc_cbt_opts opts = {.size = sizeof opts, .depth = depth, .layout = layout, .id_bits = 32};
    struct bench b = {.ctx = ctx};
    DO(&b, bosc_cbt_create(ctx, &opts, &b.tree));
    fill(&b, depth, full);
    b.few = b.leaves / 100 + 1;
    DO(&b, bosc_alloc(ctx, (size_t)b.leaves * 4, (void **)&b.nodes));
    DO(&b, bosc_alloc(ctx, 2 * (size_t)b.few * 4, (void **)&b.changed));
    check(&b, depth);
    out[0] = timing_of(NULL, run_decode, &b, repeats);
    record(&b);
    out[1] = timing_of(restore, run_reduce, &b, repeats);
    DO(&b, bosc_cbt_split(ctx, b.tree, b.changed + b.few, b.few));
    run_reduce(&b);
    out[2] = timing_of(NULL, run_cycle, &b, repeats);
    check(&b, depth);
    *leaves = b.leaves;
    bosc_release(ctx, b.nodes, (size_t)b.leaves * 4);
    bosc_release(ctx, b.changed, 2 * (size_t)b.few * 4);
    bosc_cbt_free(b.tree);
}

struct run {
    bosc_ctx *ctx;
    int threads, repeats;
    bool peer, json;
};

static void compare(const struct run *r, int32_t depth, bool full)
{
    static const char *const names[] = {"decode", "reduce", "cycle of two reductions"};
    struct timing ours[3], theirs[3] = {{0, 0}};
    int64_t leaves;
    char type[16];
    snprintf(type, sizeof type, "%d%s", (int)depth, full ? "" : "/4");
    if (r->peer)
        measure(r->ctx, depth, full, BOSC_CBT_PUBLISHED, depth > 20 || r->repeats < 5 ? 1 : 5, theirs, &leaves);
    measure(r->ctx, depth, full, BOSC_CBT_RANKED, r->repeats, ours, &leaves);
    for (int k = 0; k < 3; k++) {
        double bytes = (k == 1 ? 0 : 4.0 * (double)leaves) + 0.125 * (double)((int64_t)1 << depth);
        struct timing_row row = {names[k], type,     r->peer ? "published" : "", leaves, r->threads, bytes,
                                 ours[k],  theirs[k]};
        timing_print(&row, r->json);
    }
}

static bosc_ctx *open_context(bosc_backend backend, int threads)
{
    bosc_ctx_opts opts = {.size = sizeof opts, .backend = backend, .threads = threads};
    bosc_ctx *ctx;
    if (bosc_ctx_create(&opts, &ctx) != BOSC_OK) fail(NULL, bosc_backend_reason(backend));
    return ctx;
}

/* How many threads a context has that is asked for `threads` (0: all). */
static int threads_of(bosc_backend backend, int threads)
{
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx *ctx = open_context(backend, threads);
    bosc_ctx_get_info(ctx, &info);
    bosc_ctx_free(ctx);
    return info.threads;
}

int main(int argc, char **argv)
{
    static const int depths[] = {10, 15, 17, 20, 25, 28, 30, 31};
    int deepest = 20, threads = 0, repeats = 11, peer = 1;
    bosc_backend backend = BOSC_BACKEND_CPU;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "-d") == 0) deepest = atoi(argv[i + 1]);
        if (strcmp(argv[i], "-t") == 0) threads = atoi(argv[i + 1]);
        if (strcmp(argv[i], "-r") == 0) repeats = atoi(argv[i + 1]);
        if (strcmp(argv[i], "-p") == 0) peer = atoi(argv[i + 1]);
        if (strcmp(argv[i], "-b") == 0 && strcmp(argv[i + 1], "cuda") == 0) backend = BOSC_BACKEND_CUDA;
    }
    const bool json = getenv("BENCH_JSON") != NULL;
    if (deepest < 10 || deepest > 31 || repeats < 1) fail(NULL, "-d 10 to 31, -r 1 or more");
    const int most = threads_of(backend, threads);
    timing_head(json);
    for (int t = backend == BOSC_BACKEND_CUDA ? most : 1; t < 2 * most; t *= 2) {
        struct run r = {.threads = t < most ? t : most, .repeats = repeats, .peer = peer, .json = json};
        r.ctx = open_context(backend, r.threads);
        for (size_t k = 0; k < sizeof depths / sizeof depths[0] && depths[k] <= deepest; k++) {
            if (depths[k] > DEEPEST_OF_EACH && t < most) continue;
            compare(&r, depths[k], true);
            compare(&r, depths[k], false);
        }
        bosc_ctx_free(r.ctx);
    }
    return 0;
}
