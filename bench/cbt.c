/* Times concurrent binary trees as their source does: bench_cbt [-d deepest] [-p 0: without the published layout]. Full
 * trees of depths 10 to `deepest` (20), and trees filled to a quarter: every leaf decoded, a reduction after leaves
 * were split, and a whole cycle (decode, split or merge a few leaves, reduce), by ranks and beside it by the published
 * layout (a heap of sums, made level by level and descended for every leaf; minutes from depth 25 on), in the same
 * program, with the same number of threads. Arrays of 32-bit nodes in the backend's memory; handles are warm; every
 * decode is checked. Trees of up to 20 levels are measured with 1, 2, 4 threads and so on, deeper ones with all.
 * Source: Dupuy, Concurrent Binary Trees (2020), section 5. */
#include "harness/cbt_cycle.h"

enum { DEEPEST_OF_EACH = 20 }; /* the deepest trees measured with each number of threads */

static void compare(int32_t depth, bool full, bool peer)
{
    const bosc_cbt_opts ranked = {.size = sizeof ranked, .depth = depth};
    const bosc_cbt_opts published = {.size = sizeof published, .depth = depth, .layout = BOSC_CBT_PUBLISHED};
    struct bench_cbt_times theirs = {0};
    if (peer) theirs = bench_cbt_time(&published, !full, depth > 20 || bench.repeats < 5 ? 1 : 5);
    const struct bench_cbt_times ours = bench_cbt_time(&ranked, !full, bench.repeats);
    const double bits = 0.125 * (double)((int64_t)1 << depth), nodes = 4.0 * (double)ours.leaves;
    const struct {
        const char *name;
        double bytes;
        struct bench_times ours, theirs;
    } rows[] = {{"decode", nodes + bits, ours.decode, theirs.decode},
                {"reduce", bits, ours.reduce, theirs.reduce},
                {"cycle of two reductions", nodes + bits, ours.cycle, theirs.cycle}};
    for (int k = 0; k < 3; k++) {
        struct bench_row row = {.name = rows[k].name,
                                .data = bench_text("%d%s", (int)depth, full ? "" : "/4"),
                                .n = ours.leaves,
                                .bytes = rows[k].bytes,
                                .ours = rows[k].ours,
                                .peer = peer ? "published" : NULL,
                                .theirs = rows[k].theirs};
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
