/* Times pools of bisectors: bench_bisector [-n leaves].
 * An octahedron, refined at random to at least n leaves (131,072), gets commands for none of its leaves, for some in a
 * hundred, and for all. A split also splits the leaves that conformity requires. Commands lie in the backend's memory,
 * handles are warm, and the pool is restored before each update. After each case the leaves must tile the octahedron,
 * neighbours must be mutual, and another context on the CPU must give the same leaves.
 * Source: Benyoub and Dupuy, Concurrent Binary Trees for Large-Scale Game Components (2024). */
#include <stdlib.h>

#include "harness/bench.h"
#include "harness/random.h"

enum { ROOTS = 8, DEPTH = 60 };

/* split, merge: leaves in a thousand that get this command. */
static const struct commands {
    const char *name;
    int split, merge;
} cases[] = {{"update: nothing", 0, 0},         {"update: split 1 in 100", 10, 0},  {"update: merge 1 in 100", 0, 10},
             {"update: 1 in 100 each", 10, 10}, {"update: 1 in 10 each", 100, 100}, {"update: split all", 1000, 0}};
enum { CASES = sizeof cases / sizeof cases[0] };

struct subject {
    bosc_bisectors *pool;
    int64_t leaves, now;       /* before an update, and after it */
    uint64_t *nodes, *decoded; /* the backend's: leaves before, and after */
    uint8_t *commands;
};

static void make_octahedron(int64_t glued[ROOTS][3])
{
    for (int64_t r = 0; r < 4; r++) {
        const int64_t next = (r + 1) % 4, before = (r + 3) % 4;
        const int64_t north[3] = {3 * (4 + r), 3 * next + 2, 3 * before + 1};
        const int64_t south[3] = {3 * r, 3 * (4 + before) + 2, 3 * (4 + next) + 1};
        for (int e = 0; e < 3; e++) {
            glued[r][e] = north[e];
            glued[4 + r][e] = south[e];
        }
    }
}

static bosc_bisectors_info info_of(const struct subject *b)
{
    bosc_bisectors_info info = {.size = sizeof info};
    BENCH(bosc_bisectors_get_info(bench.ctx, b->pool, &info));
    return info;
}

/* Random commands, one a leaf, in host memory. */
static uint8_t *draw_commands(int64_t leaves, int split, int merge, uint64_t seed)
{
    uint8_t *commands = bench_host((size_t)leaves);
    for (int64_t l = 0; l < leaves; l++) {
        const int part = (int)(bench_next(&seed) % 1000);
        commands[l] = part < split           ? BOSC_BISECTOR_SPLIT
                      : part < split + merge ? BOSC_BISECTOR_MERGE
                                             : BOSC_BISECTOR_KEEP;
    }
    return commands;
}

/* Splits random leaves, from the deepest uniform level with at most a quarter of the leaves on. */
static void refine(struct subject *b)
{
    int32_t level = 0;
    while ((int64_t)ROOTS << (level + 1) <= bench.n / 4) level++;
    BENCH(bosc_bisectors_reset(bench.ctx, b->pool, level));
    for (uint64_t seed = 1; (b->leaves = info_of(b).leaves) < bench.n; seed++) {
        uint8_t *commands = draw_commands(b->leaves, 100, 0, seed);
        BENCH(bosc_bisectors_update(bench.ctx, b->pool, commands, b->leaves, NULL, 0));
        free(commands);
    }
}

static void open_subject(struct subject *b)
{
    int64_t glued[ROOTS][3];
    const bosc_bisectors_opts opts = {.size = sizeof opts, .depth = DEPTH, .root_count = ROOTS, .glued = glued[0]};
    make_octahedron(glued);
    BENCH(bosc_bisectors_create(bench.ctx, &opts, &b->pool));
    refine(b);
    b->nodes = bench_array(NULL, (size_t)b->leaves * sizeof *b->nodes);
    b->decoded = bench_array(NULL, (size_t)b->leaves * 4 * sizeof *b->nodes);
    b->commands = bench_array(NULL, (size_t)b->leaves);
    BENCH(bosc_bisectors_decode(bench.ctx, b->pool, 0, b->leaves, b->nodes));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void restore_pool(void *user)
{
    struct subject *b = user;
    BENCH(bosc_bisectors_set_nodes(bench.ctx, b->pool, b->nodes, b->leaves));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void run_update(void *user)
{
    struct subject *b = user;
    BENCH(bosc_bisectors_update(bench.ctx, b->pool, b->commands, b->leaves, NULL, 0));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void run_decode(void *user)
{
    struct subject *b = user;
    BENCH(bosc_bisectors_decode(bench.ctx, b->pool, 0, b->now, b->decoded));
    BENCH(bosc_ctx_sync(bench.ctx));
}

/* True if neighbours are mutual, across the same edges. */
static bool is_closed(const struct subject *b, int64_t leaves)
{
    int64_t *list = bench_host((size_t)leaves * sizeof *list),
            *across = bench_host((size_t)leaves * 3 * sizeof *across);
    bool closed = true;
    for (int64_t l = 0; l < leaves; l++) list[l] = l;
    BENCH(bosc_bisectors_get_neighbours(bench.ctx, b->pool, list, leaves, across));
    for (int64_t e = 0; e < 3 * leaves && closed; e++)
        closed = across[e] >= 0 && across[e] < 3 * leaves && across[e] != e && across[across[e]] == e;
    free(list);
    free(across);
    return closed;
}

/* Checks the pool, and returns a checksum of its leaves. */
static uint64_t check_pool(struct subject *b, const char *name)
{
    const bosc_bisectors_info info = info_of(b);
    b->now = info.leaves;
    uint64_t area = 0, *nodes = bench_host((size_t)info.leaves * sizeof *nodes);
    run_decode(b);
    BENCH(bosc_ctx_copy(bench.ctx, nodes, b->decoded, (size_t)info.leaves * sizeof *nodes));
    for (int64_t l = 0; l < info.leaves;
         l++) { /* a leaf of level k is 2^-k of a root, and has a number from 8 2^k on */
        int32_t level = 0;
        while (nodes[l] >> level >= 2 * ROOTS) level++;
        area += (uint64_t)1 << (info.deepest - level);
    }
    bench_check(area == (uint64_t)ROOTS << info.deepest, "%s: the leaves do not tile the octahedron", name);
    bench_check(is_closed(b, info.leaves), "%s: the surface is not closed", name);
    free(nodes);
    return bench_sum(b->decoded, (size_t)info.leaves * sizeof *nodes, 0xcbf29ce484222325u);
}

/* Runs the case, timed or only once; returns a checksum of the leaves. */
static uint64_t run_case(struct subject *b, int k, bool timed)
{
    struct bench_row row = {.name = cases[k].name, .n = b->leaves};
    uint8_t *commands = draw_commands(b->leaves, cases[k].split, cases[k].merge, 1000 + (uint64_t)k);
    BENCH(bosc_ctx_copy(bench.ctx, b->commands, commands, (size_t)b->leaves));
    free(commands);
    if (timed) {
        row.ours = bench_time(restore_pool, run_update, b, bench.repeats);
    } else {
        restore_pool(b);
        run_update(b);
    }
    const uint64_t sum = check_pool(b, row.name);
    row.data = bench_text("to %" PRId64, b->now);
    row.bytes = 21.0 * (double)b->leaves + 20.0 * (double)b->now; /* nodes, neighbours, commands */
    row.note = bench_text("sum %016" PRIx64, sum);
    if (timed) bench_print(&row);
    return sum;
}

int main(int argc, char **argv)
{
    struct subject b = {0}, other = {0};
    uint64_t sums[CASES];
    bench.n = 131072;
    bench.repeats = 21;
    bench_options(argc, argv, "leaves", NULL, 0);
    if (bench.n < 64 || bench.n > 100000000) bench_fail("-n: %" PRId64 " is not from 64 to 100000000", bench.n);
    bench_open();
    open_subject(&b);
    bench_say("%s: %" PRId64 " leaves to level %d", bench_device(), b.leaves, (int)info_of(&b).deepest);
    for (int k = 0; k < CASES; k++) sums[k] = run_case(&b, k, true);
    restore_pool(&b);
    b.now = b.leaves;
    bench_row("decode", b.leaves, bench_time(NULL, run_decode, &b, bench.repeats));
    bosc_bisectors_free(b.pool);
    bench_reopen();
    open_subject(&other);
    bench_check(other.leaves == b.leaves, "%" PRId64 " leaves, and %" PRId64 " on %s", b.leaves, other.leaves,
                bench_device());
    for (int k = 0; k < CASES; k++)
        bench_check(run_case(&other, k, false) == sums[k], "%s: other leaves than on %s", cases[k].name,
                    bench_device());
    bosc_bisectors_free(other.pool);
    return bench_close();
}
