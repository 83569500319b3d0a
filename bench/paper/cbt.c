/* The concurrent binary tree paper's tables: bench_paper_cbt [-s scale] [-o file]. Trees of 10 to 30 levels at scale 1,
 * decoded as published (by descending the heap of sums, and by one thread over all bits) and by ranks, with 1, 2, 4 and
 * 8 threads; a tree of 17 levels filled to a quarter; the reduction, alone and with the decoding of trees filled to a
 * quarter; the memory.
 * Sources: Dupuy, Concurrent Binary Trees (2020); of the measurements: Grachev and Ushakov, Software & Systems 36(3)
 * (2023). */
#include <math.h>

#include "harness/cbt_cycle.h"
#include "paper/table.h"

enum { SHALLOWEST = 10, DEEPEST = 30, DEEP = 20, STEP = 5, ROWS = (DEEPEST - SHALLOWEST) / STEP + 1 };
enum { THREAD_COUNTS = 4, LAYOUTS = 2 };
/* One thread of an H200 takes 137 ns a bit: 4.6 s at depth 25, 147 s at depth 30. */
enum { DEVICE_SEQUENTIAL_DEEPEST = 25 };

static const int32_t thread_counts[THREAD_COUNTS] = {1, 2, 4, 8};
static const bosc_cbt_layout layouts[LAYOUTS] = {BOSC_CBT_PUBLISHED, BOSC_CBT_RANKED};

/* Microseconds of the paper, Figure 11: all leaves of a perfect tree decoded, by a GPU and by 1, 2, 4, 8 threads. */
static const struct {
    double gpu, cpu[THREAD_COUNTS];
} article[ROWS] = {{5, {180, 73, 42, 22}},
                   {8, {6158, 3586, 1915, 1127}},
                   {128, {266135, 131800, 71508, 42104}},
                   {4327, {9848790, 5163936, 2845855, 1467655}},
                   {158764, {365332272, 187841708, 95478423, 52341579}}};
static const char source[] = "paper: GeForce RTX 3080; Core i7-11700 with 1, 2, 4 and 8 threads";

static int32_t deepest;

/* Times of a full tree and of one filled to a quarter, by the context's device or by its number of threads. */
struct measured {
    struct bench_cbt_times of[THREAD_COUNTS][LAYOUTS];
    bool right; /* as many leaves in every tree */
};
static struct measured full[ROWS], quarter[ROWS];

static bool is_device(void) { return bench.opts.backend == BOSC_BACKEND_CUDA; }

static int32_t depth_of(int row) { return SHALLOWEST + STEP * row; }

static double microseconds(struct bench_times t) { return 1e6 * t.median; }

static struct bench_cbt_times time_layout(int32_t depth, bool is_quarter, bosc_cbt_layout layout)
{
    const bosc_cbt_opts o = {.size = sizeof o, .depth = depth, .layout = layout};
    return bench_cbt_time(&o, is_quarter, depth > DEEP ? 1 : bench.repeats);
}

static void use_context(bosc_backend backend, int32_t threads)
{
    bench_close();
    bench.opts.backend = backend;
    bench.opts.threads = threads;
    bench_open();
}

/* Measures a tree: on a device in entry 0, on the CPU by each number of threads. */
static void measure_tree(struct measured *m, int32_t depth, bool is_quarter)
{
    m->right = true;
    for (int k = 0; k < (is_device() ? 1 : THREAD_COUNTS); k++) {
        if (!is_device()) use_context(BOSC_BACKEND_CPU, thread_counts[k]);
        for (int l = 0; l < LAYOUTS; l++) {
            m->of[k][l] = time_layout(depth, is_quarter, layouts[l]);
            m->right = m->right && m->of[k][l].leaves == m->of[0][0].leaves;
        }
    }
}

/* Measures the trees of all depths for the tables of decoding, reduction and both. */
static void measure_trees(void)
{
    const int32_t given = bench.opts.threads;
    for (int row = 0; row < ROWS && depth_of(row) <= deepest; row++) {
        measure_tree(&full[row], depth_of(row), false);
        measure_tree(&quarter[row], depth_of(row), true);
    }
    if (!is_device()) use_context(BOSC_BACKEND_CPU, given);
}

static double decoding(const struct bench_cbt_times *t) { return microseconds(t->decode); }
static double reduction(const struct bench_cbt_times *t) { return microseconds(t->reduce); }
static double both(const struct bench_cbt_times *t) { return microseconds(t->decode) + microseconds(t->reduce); }

/* Adds the measured columns of a row: on a device both layouts and their ratio, on the CPU those of all numbers of
 * threads. */
static void add_measured(struct table *t, const struct measured *m, double (*us)(const struct bench_cbt_times *))
{
    for (int l = 0; l < LAYOUTS; l++)
        for (int k = 0; k < (is_device() ? 1 : THREAD_COUNTS); k++) table_number(t, us(&m->of[k][l]));
    if (is_device()) table_number(t, us(&m->of[0][0]) / us(&m->of[0][1]));
}

#define MEASURED_ON_DEVICE "published|ranked|published / ranked"
#define MEASURED_ON_CPU "published, 1|published, 2|published, 4|published, 8|ranked, 1|ranked, 2|ranked, 4|ranked, 8"

/* Figure 11. The column of the paper's GPU comes first, so that on the CPU the plot has the threads alone. */
static void table_of_decoding(void)
{
    static const char cpu[] =
        "depth|paper, GPU|paper, 1|paper, 2|paper, 4|paper, 8|" MEASURED_ON_CPU "|ahead of the paper|answer";
    static const char device[] = "depth|paper, GPU|paper, 1|paper, 2|paper, 4|paper, 8|" MEASURED_ON_DEVICE
                                 "|queued: published|queued: ranked|ahead of the paper|ahead, queued|answer";
    struct table *t = table_open("decode", "all leaves of perfect trees decoded, us", is_device() ? device : cpu);
    /* 1. A row a depth. */
    for (int row = 0; row < ROWS && depth_of(row) <= deepest; row++) {
        const struct measured *m = &full[row];
        const int best = is_device() ? 0 : THREAD_COUNTS - 1;
        const double printed = is_device() ? article[row].gpu : article[row].cpu[THREAD_COUNTS - 1];
        table_integer(t, depth_of(row));
        table_number(t, article[row].gpu);
        for (int k = 0; k < THREAD_COUNTS; k++) table_number(t, article[row].cpu[k]);
        add_measured(t, m, decoding);
        if (is_device())
            for (int l = 0; l < LAYOUTS; l++) table_number(t, 1e6 * m->of[0][l].queued);
        table_ahead(t, printed, decoding(&m->of[best][0]), decoding(&m->of[best][1]));
        if (is_device()) table_ahead(t, printed, 1e6 * m->of[0][0].queued, 1e6 * m->of[0][1].queued);
        table_answer(t, m->right, "every leaf");
    }
    /* 2. The plot and the notes. */
    table_plot(t, is_device() ? 1 : 2, is_device() ? 7 : 13, TABLE_LINEAR_LOG, "us");
    table_note(t, "%s; here: %s", source, is_device() ? bench_device() : "the CPU, by its number of threads");
    table_note(t, "ahead of the paper: of its %s; times of the published method and of ranks",
               is_device() ? "GPU" : "8 threads");
    if (is_device()) table_note(t, "queued: one of 64 calls with a wait behind the last; else a wait behind each");
    table_close(t);
}

/* Figures 13 and 14, which the paper has as pictures without numbers. */
static void table_of_trees(const char *name, const char *title, const struct measured *trees,
                           double (*us)(const struct bench_cbt_times *), const char *note)
{
    struct table *t = table_open(
        name, title, is_device() ? "depth|" MEASURED_ON_DEVICE "|answer" : "depth|" MEASURED_ON_CPU "|answer");
    for (int row = 0; row < ROWS && depth_of(row) <= deepest; row++) {
        table_integer(t, depth_of(row));
        add_measured(t, &trees[row], us);
        table_answer(t, trees[row].right, "every leaf");
    }
    table_plot(t, 1, is_device() ? 2 : 8, TABLE_LINEAR_LOG, "us");
    table_note(t, "%s", note);
    table_note(t, "%s; here: %s", source, is_device() ? bench_device() : "the CPU, by its number of threads");
    table_close(t);
}

static double time_sequential(int32_t depth, int64_t *leaves)
{
    const bosc_cbt_opts o = {.size = sizeof o, .depth = depth, .decoding = BOSC_CBT_SEQUENTIAL};
    const struct bench_cbt_times one = bench_cbt_time(&o, false, depth > DEEP ? 1 : bench.repeats);
    *leaves = one.leaves;
    return microseconds(one.decode);
}

/* Figure 6, the paper's other decoding: one thread reads every bit, of a GPU and of the CPU. */
static void table_of_sequential_decoding(void)
{
    const int32_t given = bench.opts.threads;
    const bool device = is_device();
    struct table *t = table_open("sequential", "all leaves decoded by one thread over the bit field, and by ranks",
                                 device ? "depth|one GPU thread, us|one CPU thread, us|ranked, us|GPU / CPU|"
                                          "GPU, ns a bit|answer"
                                        : "depth|sequential, us|ranked, us|sequential, ns a bit|answer");
    for (int row = 0; row < ROWS && depth_of(row) <= deepest; row++) {
        const int32_t depth = depth_of(row);
        int64_t leaves[2];
        /* 1. One thread of the context, and one of the CPU beside a device. */
        if (device && depth > DEVICE_SEQUENTIAL_DEEPEST) break;
        const double us = time_sequential(depth, &leaves[0]);
        leaves[1] = leaves[0];
        table_integer(t, depth);
        table_number(t, us);
        if (device) {
            use_context(BOSC_BACKEND_CPU, 1);
            const double cpu = time_sequential(depth, &leaves[1]);
            use_context(BOSC_BACKEND_CUDA, given);
            table_number(t, cpu);
            table_number(t, microseconds(full[row].of[0][1].decode));
            table_number(t, us / cpu);
        } else {
            table_number(t, microseconds(time_layout(depth, false, BOSC_CBT_RANKED).decode));
        }
        /* 2. The time of a bit; every leaf of a perfect tree is found. */
        table_number(t, 1e3 * us / (double)((int64_t)1 << depth));
        table_answer(t, leaves[0] == (int64_t)1 << depth && leaves[1] == leaves[0], "every leaf");
    }
    table_plot(t, 1, device ? 3 : 2, TABLE_LINEAR_LOG, "us");
    table_note(t, "paper: a GeForce RTX 3080's thread is about 50 times slower than one of a Core i7-11700 (a picture, "
                  "to depth 30)");
    table_note(t, "%s", bench_device());
    table_close(t);
}

static void table_of_cycle(void)
{
    const int32_t depth = deepest < 17 ? deepest : 17;
    struct table *t =
        table_open("cycle", bench_text("a tree of %d levels, a quarter of its leaves: decode, reduce", (int)depth),
                   "stage|paper, us|published, us|ranked, us|published / ranked|ahead of the paper|answer");
    /* 1. Both layouts; the paper has a tree of 17 levels. */
    struct bench_cbt_times published = time_layout(depth, true, BOSC_CBT_PUBLISHED);
    struct bench_cbt_times ranked = time_layout(depth, true, BOSC_CBT_RANKED);
    const struct {
        const char *name;
        double paper, published, ranked;
    } rows[] = {{"decode", 11, decoding(&published), decoding(&ranked)},
                {"reduce", 12, reduction(&published), reduction(&ranked)},
                {"decode, reduce", 23, both(&published), both(&ranked)},
                {"decode, reduce twice", NAN, microseconds(published.cycle), microseconds(ranked.cycle)}};
    /* 2. A row a stage, and their sum. */
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        table_text(t, "%s", rows[k].name);
        table_number(t, depth == 17 ? rows[k].paper : NAN);
        table_number(t, rows[k].published);
        table_number(t, rows[k].ranked);
        table_number(t, rows[k].published / rows[k].ranked);
        table_ahead(t, is_device() && depth == 17 ? rows[k].paper : NAN, rows[k].published, rows[k].ranked);
        table_answer(t, published.leaves == ranked.leaves, "every leaf");
    }
    table_note(t, "paper: GeForce RTX 3080, a cycle of one reduction (Figure 12); here: %s, %" PRId64 " leaves",
               bench_device(), ranked.leaves);
    table_note(t,
               "decode, reduce: the sum of two calls; decode, reduce twice: one leaf in a hundred merged, then split");
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
    paper_keep_sizes();
    deepest = DEEPEST + (int32_t)floor(log2(paper_scale()));
    deepest = deepest > DEEPEST ? DEEPEST : deepest < SHALLOWEST ? SHALLOWEST : deepest;
    measure_trees();
    table_of_decoding();
    table_of_sequential_decoding();
    table_of_cycle();
    table_of_trees("reduction", "sum reduction of perfect trees after one leaf in a hundred was merged", full,
                   reduction,
                   "paper: 8 threads take a fifth to a sixth of the time of one, the GPU a 100th to a 1,000th "
                   "(Figure 13, a picture)");
    table_of_trees("quarter", "reduction and decoding of trees filled to a quarter", quarter, both,
                   "paper: Figure 14, a picture");
    table_of_memory();
    return paper_close();
}
