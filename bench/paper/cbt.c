/* The concurrent binary tree paper's tables: bench_paper_cbt [-s scale] [-o file]. Trees of 10 to 30 levels at scale 1,
 * decoded as published (by descending the heap of sums, and by one thread over all bits) and by ranks, with 1, 2, 4 and
 * 8 threads; a tree of 17 levels filled to a quarter; the reduction; the memory.
 * Sources: Dupuy, Concurrent Binary Trees (2020); of the measurements: Grachev and Ushakov, Software & Systems 36(3)
 * (2023). */
#include <math.h>

#include "harness/cbt_cycle.h"
#include "paper/table.h"

enum { SHALLOWEST = 10, DEEPEST = 30, DEEP = 20, DEVICE_SEQUENTIAL_DEEPEST = 20 };

/* Microseconds of the paper: all leaves of a perfect tree decoded. */
static const struct {
    int32_t depth;
    double gpu, cpu;
} article[] = {{10, 5, 22}, {15, 8, 1127}, {20, 128, 42104}, {25, 4327, 1.47e6}, {30, 158764, 52e6}};
enum { ARTICLE_ROWS = sizeof article / sizeof article[0] };
static const char source[] = "paper: GeForce RTX 3080; Core i7-11700 with 8 threads";

static int32_t deepest;

static double microseconds(struct bench_times t) { return 1e6 * t.median; }

static struct bench_cbt_times time_layout(int32_t depth, bool quarter, bosc_cbt_layout layout)
{
    const bosc_cbt_opts o = {.size = sizeof o, .depth = depth, .layout = layout};
    return bench_cbt_time(&o, quarter, depth > DEEP ? 1 : bench.repeats);
}

static void use_threads(int32_t threads)
{
    bench_close();
    bench.opts.threads = threads;
    bench_open();
}

/* Times both layouts with the context's threads. Returns true if both have the same number of leaves. */
static bool time_both(int32_t depth, double us[2])
{
    struct bench_cbt_times published = time_layout(depth, false, BOSC_CBT_PUBLISHED);
    struct bench_cbt_times ranked = time_layout(depth, false, BOSC_CBT_RANKED);
    us[0] = microseconds(published.decode);
    us[1] = microseconds(ranked.decode);
    return published.leaves == ranked.leaves;
}

static void decode_on_device(struct table *t, int32_t depth)
{
    double us[2];
    bool right = time_both(depth, us);
    table_number(t, us[0]);
    table_number(t, us[1]);
    table_number(t, us[0] / us[1]);
    table_answer(t, right, "every leaf");
}

/* The paper has 8 threads, so these columns come first. */
static void decode_by_threads(struct table *t, int32_t depth)
{
    double us[4][2];
    bool right = true;
    for (int k = 0; k < 4; k++) {
        use_threads(8 >> k);
        right = time_both(depth, us[k]) && right;
    }
    table_number(t, us[0][0]);
    table_number(t, us[0][1]);
    for (int layout = 0; layout < 2; layout++)
        for (int k = 3; k > 0; k--) table_number(t, us[k][layout]);
    table_answer(t, right, "every leaf");
}

static void table_of_decoding(void)
{
    const bool cuda = bench.opts.backend == BOSC_BACKEND_CUDA;
    const int32_t given = bench.opts.threads;
    const char *device = bench_device();
    struct table *t =
        table_open("decode", "all leaves of perfect trees decoded, us",
                   cuda ? "depth|paper, GPU|paper, 8 threads|published|ranked|published / ranked|answer"
                        : "depth|paper, GPU|paper, 8 threads|published, 8 threads|ranked, 8 threads|published, 1|"
                          "published, 2|published, 4|ranked, 1|ranked, 2|ranked, 4|answer");
    for (int row = 0; row < ARTICLE_ROWS && article[row].depth <= deepest; row++) {
        table_integer(t, article[row].depth);
        table_number(t, article[row].gpu);
        table_number(t, article[row].cpu);
        if (cuda)
            decode_on_device(t, article[row].depth);
        else
            decode_by_threads(t, article[row].depth);
    }
    table_plot(t, 1, 4, TABLE_LINEAR_LOG, "us");
    table_note(t, "%s; here: %s", source, cuda ? device : "the CPU, by its number of threads");
    table_close(t);
    if (!cuda) use_threads(given);
}

/* The paper's other decoding: one thread reads every bit. */
static void table_of_sequential_decoding(void)
{
    const bool cuda = bench.opts.backend == BOSC_BACKEND_CUDA;
    struct table *t = table_open("sequential", "all leaves decoded by one thread over the bit field, and by ranks",
                                 "depth|sequential, us|ranked, us|sequential, ns a bit|answer");
    for (int32_t depth = SHALLOWEST; depth <= deepest; depth += 5) {
        if (cuda && depth > DEVICE_SEQUENTIAL_DEEPEST) break;
        const bosc_cbt_opts o = {.size = sizeof o, .depth = depth, .decoding = BOSC_CBT_SEQUENTIAL};
        struct bench_cbt_times one = bench_cbt_time(&o, false, depth > DEEP ? 1 : bench.repeats);
        table_integer(t, depth);
        table_number(t, microseconds(one.decode));
        table_number(t, microseconds(time_layout(depth, false, BOSC_CBT_RANKED).decode));
        table_number(t, 1e9 * one.decode.median / (double)((int64_t)1 << depth));
        table_answer(t, true, "every leaf");
    }
    table_plot(t, 1, 2, TABLE_LINEAR_LOG, "us");
    table_note(t, "%s", bench_device());
    table_close(t);
}

static void table_of_cycle(void)
{
    const int32_t depth = deepest < 17 ? deepest : 17;
    struct table *t =
        table_open("cycle", bench_text("a tree of %d levels, a quarter of its leaves: decode, reduce", (int)depth),
                   "stage|paper, us|published, us|ranked, us|published / ranked|answer");
    struct bench_cbt_times published = time_layout(depth, true, BOSC_CBT_PUBLISHED);
    struct bench_cbt_times ranked = time_layout(depth, true, BOSC_CBT_RANKED);
    const struct {
        const char *name;
        double paper;
        struct bench_times published, ranked;
    } rows[] = {{"decode", 11, published.decode, ranked.decode},
                {"reduce", 12, published.reduce, ranked.reduce},
                {"decode, reduce twice", NAN, published.cycle, ranked.cycle}};
    for (int k = 0; k < 3; k++) {
        table_text(t, "%s", rows[k].name);
        table_number(t, rows[k].paper);
        table_number(t, microseconds(rows[k].published));
        table_number(t, microseconds(rows[k].ranked));
        table_number(t, rows[k].published.median / rows[k].ranked.median);
        table_answer(t, published.leaves == ranked.leaves, "every leaf");
    }
    table_note(t, "paper: GeForce RTX 3080, 23 us for the cycle of one reduction; here: %s, %" PRId64 " leaves",
               bench_device(), ranked.leaves);
    table_close(t);
}

static void table_of_reduction(void)
{
    struct table *t = table_open("reduction", "sum reduction of perfect trees after one leaf in a hundred was merged",
                                 "depth|published, us|ranked, us|published / ranked|answer");
    for (int32_t depth = SHALLOWEST; depth <= deepest; depth += 5) {
        struct bench_cbt_times published = time_layout(depth, false, BOSC_CBT_PUBLISHED);
        struct bench_cbt_times ranked = time_layout(depth, false, BOSC_CBT_RANKED);
        table_integer(t, depth);
        table_number(t, microseconds(published.reduce));
        table_number(t, microseconds(ranked.reduce));
        table_number(t, published.reduce.median / ranked.reduce.median);
        table_answer(t, published.leaves == ranked.leaves, "every leaf");
    }
    table_plot(t, 1, 2, TABLE_LINEAR_LOG, "us");
    table_note(t, "published: the whole heap is summed anew; %s", bench_device());
    table_close(t);
}

static int64_t bytes_kept(int32_t depth, bosc_cbt_layout layout)
{
    const bosc_cbt_opts o = {.size = sizeof o, .depth = depth, .layout = layout};
    int64_t kept;
    BENCH(bosc_cbt_bytes(bench.ctx, &o, &kept, NULL, NULL));
    return kept;
}

static void table_of_memory(void)
{
    struct table *t = table_open("memory", "bytes of a tree", "depth|paper: 2^(D+2) bits|published|ranked|answer");
    for (int32_t depth = SHALLOWEST; depth <= deepest; depth += 5) {
        const int64_t paper = (int64_t)1 << (depth - 1), published = bytes_kept(depth, BOSC_CBT_PUBLISHED);
        table_integer(t, depth);
        table_integer(t, paper);
        table_integer(t, published);
        table_integer(t, bytes_kept(depth, BOSC_CBT_RANKED));
        table_answer(t, published == paper, "as published");
    }
    table_close(t);
}

int main(int argc, char **argv)
{
    paper_open(argc, argv, NULL, 0);
    deepest = DEEPEST + (int32_t)floor(log2(paper_scale()));
    deepest = deepest > DEEPEST ? DEEPEST : deepest < SHALLOWEST ? SHALLOWEST : deepest;
    table_of_decoding();
    table_of_sequential_decoding();
    table_of_cycle();
    table_of_reduction();
    table_of_memory();
    return paper_close();
}
