/* The k-d tree papers' tables: bench_paper_kdtree [-s scale] [-o file]. Tuples of four 32-bit integers, 2^24 of them at
 * scale 1; the published build as published (merge sorts by superkey), and the fast builder. Duplicates are removed,
 * the tree is verified, and every builder must make the same one, on two and four devices too.
 * Sources: Brown, Building a Balanced k-d Tree in O(k n log n) Time (JCGT 2015); Robinson, KdTreeGPU. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "paper/table.h"

enum { DIM = 4, BUILDERS = 2, STAGES = 6, BLOCKS = 64, THREADS = 1024 };

static const bosc_kdtree_builder builders[BUILDERS] = {BOSC_KDTREE_BROWN, BOSC_KDTREE_AUTO};

/* A tree of one builder over the first n points. */
struct subject {
    bosc_kdtree *tree;
    const int32_t *points; /* the backend's */
    int64_t n;
};

/* Seconds of the stages, in the order of the table. */
struct stages {
    double of[STAGES]; /* initialise, sort, remove duplicates, build, verify; all of them */
};

static void build_tree(void *user)
{
    struct subject *s = user;
    BENCH(bosc_kdtree_build(bench.ctx, s->tree, s->points, s->n, 0));
    BENCH(bosc_ctx_sync(bench.ctx));
}

/* blocks: of the published launch; 0: our own. */
static void create_tree(struct subject *s, bosc_kdtree_builder builder, int32_t blocks)
{
    bosc_kdtree_opts o = {.size = sizeof o,
                          .dtype = BOSC_I32,
                          .dim = DIM,
                          .builder = builder,
                          .duplicates = BOSC_KDTREE_DUPLICATES_REMOVE,
                          .id_bits = 32,
                          .assume_valid = 1,
                          .blocks = blocks,
                          .threads = blocks ? THREADS : 0};
    BENCH(bosc_kdtree_create(bench.ctx, &o, &s->tree));
}

/* One build and verification. The fast builder has no stages: its whole time goes to `build`. */
static struct stages time_build(struct subject *s)
{
    bosc_kdtree_times times = {.size = sizeof times};
    double begin = bench_now();
    build_tree(s);
    double built = bench_now() - begin;
    BENCH(bosc_kdtree_verify(bench.ctx, s->tree, NULL));
    double all = bench_now() - begin;
    BENCH(bosc_kdtree_get_times(bench.ctx, s->tree, &times));
    bool staged = times.sort > 0;
    return (struct stages){{staged ? times.init : NAN, staged ? times.sort : NAN, staged ? times.deduplicate : NAN,
                            staged ? times.build : built, all - built, all}};
}

/* The fastest of bench.repeats runs, after a warm-up. */
static struct stages time_stages(struct subject *s)
{
    time_build(s);
    struct stages best = time_build(s);
    for (int i = 1; i < bench.repeats; i++) {
        const struct stages run = time_build(s);
        if (run.of[STAGES - 1] < best.of[STAGES - 1]) best = run;
    }
    return best;
}

/* The nodes of the tree: points, then ids. */
static void *nodes_of(const struct subject *s, size_t *bytes)
{
    bosc_kdtree_info info = {.size = sizeof info};
    BENCH(bosc_kdtree_get_info(bench.ctx, s->tree, &info));
    size_t points = (size_t)info.nodes * DIM * 4, ids = (size_t)info.nodes * 4;
    char *nodes = bench_host(points + ids);
    BENCH(bosc_kdtree_get_nodes(bench.ctx, s->tree, nodes, nodes + points));
    *bytes = points + ids;
    return nodes;
}

static bool same_tree(const struct subject *a, const struct subject *b)
{
    size_t bytes[2];
    void *nodes[2] = {nodes_of(a, &bytes[0]), nodes_of(b, &bytes[1])};
    bool same = bytes[0] == bytes[1] && memcmp(nodes[0], nodes[1], bytes[0]) == 0;
    free(nodes[0]);
    free(nodes[1]);
    return same;
}

/* Times all builders over n points. Returns true if they built the same tree. */
static bool time_builders(const int32_t *points, int64_t n, struct stages times[BUILDERS])
{
    struct subject first = {.points = points, .n = n};
    bool same = true;
    create_tree(&first, builders[0], 0);
    times[0] = time_stages(&first);
    for (int b = 1; b < BUILDERS; b++) {
        struct subject s = {.points = points, .n = n};
        create_tree(&s, builders[b], 0);
        times[b] = time_stages(&s);
        same = same && same_tree(&first, &s);
        bosc_kdtree_free(s.tree);
    }
    bosc_kdtree_free(first.tree);
    return same;
}

/* Times the published partition with its launch, on a device; NaN elsewhere. Returns true if its tree is the one that
 * our launch builds. */
static bool time_launch(const int32_t *points, int64_t n, struct stages *times)
{
    struct subject ours = {.points = points, .n = n}, s = ours;
    for (int k = 0; k < STAGES; k++) times->of[k] = NAN;
    if (bench.opts.backend != BOSC_BACKEND_CUDA) return true;
    create_tree(&ours, BOSC_KDTREE_BROWN, 0);
    build_tree(&ours);
    create_tree(&s, BOSC_KDTREE_BROWN, BLOCKS);
    *times = time_stages(&s);
    const bool same = same_tree(&ours, &s);
    bosc_kdtree_free(s.tree);
    bosc_kdtree_free(ours.tree);
    return same;
}

/* Stages of the paper's machines, ms. On GPUs sort and removal of duplicates are one figure, in the row of the sort. */
enum { MACHINES = 5, CPU_MACHINES = 3 };
static const double machines[STAGES][MACHINES] = {{120, 60, 50, 81, 48},     {5140, 7050, 8080, 823, 388},
                                                  {420, 550, 620, NAN, NAN}, {5970, 6920, 8860, 1365, 920},
                                                  {220, 190, 170, 101, 80},  {11880, 14770, 17790, 2371, 1437}};

/* The least time of a stage on the paper's hardware of the backend. */
static double best_machine(int stage)
{
    const bool cuda = bench.opts.backend == BOSC_BACKEND_CUDA;
    double best = NAN;
    for (int k = cuda ? CPU_MACHINES : 0; k < (cuda ? MACHINES : CPU_MACHINES); k++)
        if (!(machines[stage][k] >= best)) best = machines[stage][k];
    return best;
}

static void table_of_stages(const int32_t *points, int64_t n)
{
    static const char *const names[STAGES] = {"initialise", "sort", "remove duplicates", "build", "verify", "all"};
    struct stages times[BUILDERS];
    struct table *t = table_open("stages", bench_text("stages of a build, %" PRId64 " tuples of 4 integers", n),
                                 "stage|paper: MacBook, ms|Windows 7 PC|AWS, CPU|AWS, K520|Titan Black|"
                                 "as published, 64 x 1,024, ms|as published, ms|fast, ms|ahead of the paper|answer");
    struct stages launch;
    /* 1. Measure. */
    bool same = time_builders(points, n, times);
    same = time_launch(points, n, &launch) && same;
    /* 2. A row a stage, and notes. */
    for (int k = 0; k < STAGES; k++) {
        table_text(t, "%s", names[k]);
        for (int m = 0; m < MACHINES; m++) table_number(t, machines[k][m]);
        table_number(t, 1e3 * launch.of[k]);
        for (int b = 0; b < BUILDERS; b++) table_number(t, 1e3 * times[b].of[k]);
        table_ahead(t, k + 1 == STAGES ? best_machine(k) : NAN, 1e3 * times[0].of[k], 1e3 * times[1].of[k]);
        table_answer(t, same, "verified, one tree");
    }
    table_note(t,
               "paper: Robinson, 16,777,216 tuples; three CPUs, GRID K520 and GeForce GTX Titan Black, where the sort "
               "includes the removal of duplicates");
    table_note(t, "ahead of the paper: of the fastest %s above; here: %s",
               bench.opts.backend == BOSC_BACKEND_CUDA ? "GPU" : "CPU", bench_device());
    table_note(
        t, "64 x 1,024: the published launch, on a device; each list is partitioned at every level, and copied back");
    table_note(t, "as published: merge sorts by superkey; fast: %s",
               bench.opts.backend == BOSC_BACKEND_CUDA ? "sampled pivots, integers as floats" : "no lists at all");
    table_close(t);
}

/* Brown's figure, in which time grows in proportion to n log2 n. */
static void table_of_growth(const int32_t *points, int64_t most)
{
    struct stages times[BUILDERS];
    struct table *t =
        table_open("growth", "build and verification against n, tuples of 4 integers",
                   "n|as published, ms|fast, ms|as published, ns / (n log2 n)|fast, ns / (n log2 n)|answer");
    for (int64_t n = most / 64 > 1024 ? most / 64 : 1024; n <= most; n *= 2) {
        bool same = time_builders(points, n, times);
        table_integer(t, n);
        for (int b = 0; b < BUILDERS; b++) table_number(t, 1e3 * times[b].of[STAGES - 1]);
        table_number(t, 1e9 * times[0].of[STAGES - 1] / ((double)n * log2((double)n)));
        table_number(t, 1e9 * times[1].of[STAGES - 1] / ((double)n * log2((double)n)));
        table_answer(t, same, "verified, one tree");
    }
    table_plot(t, 1, 2, TABLE_LOG_LOG, "ms");
    table_note(t, "paper: a picture, without numbers");
    table_note(t,
               "Brown's build takes O(k n log n) work: the fourth column is constant once a device is full; here: %s",
               bench_device());
    table_close(t);
}

/* --- Two devices -------------------------------------------------------------------------------------------------- */

/* The stages of a build on ranks, in the order of the table. */
enum { PARTS = 9, ALL = PARTS - 2, SHARD = PARTS - 1 };

/* A thread that is a rank, with its share of the points in host memory. */
struct rank_share {
    bosc_ctx *ctx;
    bosc_comm *comm;
    int32_t rank;
    bool published, full_coordinates;
    const int32_t *points;
    int64_t n; /* of this rank */
    bosc_ranks_kdtree *tree;
    bosc_ranks_kdtree_info info;
    double of[PARTS]; /* in the order of the table, table_of_devices */
    void *nodes;
};

#define ON_RANK(call)                                                                        \
    do {                                                                                     \
        if ((call) != BOSC_OK) bench_fail("rank %d: %s", h->rank, bosc_ctx_message(h->ctx)); \
    } while (0)

static void build_share(struct rank_share *h, const int32_t *points)
{
    bosc_ranks_kdtree_times t = {.size = sizeof t};
    ON_RANK(bosc_comm_barrier(h->ctx, h->comm));
    const double begin = bench_now();
    ON_RANK(bosc_ranks_kdtree_build(h->ctx, h->tree, points, h->n, 0));
    ON_RANK(bosc_comm_barrier(h->ctx, h->comm));
    const double built = bench_now() - begin;
    ON_RANK(bosc_ranks_kdtree_verify(h->ctx, h->tree, NULL));
    const double all = bench_now() - begin;
    ON_RANK(bosc_ranks_kdtree_get_times(h->ctx, h->tree, &t));
    const double parts[PARTS] = {t.init,  t.sort,      t.pivot,       t.merge, t.deduplicate,
                                 t.build, all - built, all - t.shard, t.shard};
    const double whole[PARTS] = {NAN, NAN, NAN, NAN, NAN, built, all - built, all, NAN};
    const double *these = h->published ? parts : whole;
    if (h->of[ALL] == 0 || these[ALL] < h->of[ALL]) memcpy(h->of, these, sizeof h->of);
}

static void *run_rank(void *user)
{
    struct rank_share *h = user;
    const size_t bytes = (size_t)h->n * DIM * 4;
    bosc_kdtree_opts o = {.size = sizeof o,
                          .dtype = BOSC_I32,
                          .dim = DIM,
                          .builder = h->published ? BOSC_KDTREE_BROWN : BOSC_KDTREE_AUTO,
                          .duplicates = BOSC_KDTREE_DUPLICATES_REMOVE,
                          .id_bits = 32,
                          .assume_valid = 1,
                          .sort_halves = h->published,
                          .full_coordinates = h->full_coordinates};
    void *points;
    ON_RANK(bosc_ctx_alloc(h->ctx, bytes, &points));
    ON_RANK(bosc_ctx_copy(h->ctx, points, h->points, bytes));
    ON_RANK(bosc_ctx_sync(h->ctx));
    ON_RANK(bosc_ranks_kdtree_create(h->ctx, h->comm, &o, &h->tree));
    build_share(h, points);
    h->of[ALL] = 0; /* the first run is a warm-up */
    for (int i = 0; i < bench.repeats; i++) build_share(h, points);
    h->info.size = sizeof h->info;
    ON_RANK(bosc_ranks_kdtree_get_info(h->ctx, h->tree, &h->info));
    const size_t count = (size_t)(h->info.end - h->info.begin);
    h->nodes = bench_host(count * (DIM + 1) * 4);
    ON_RANK(bosc_ranks_kdtree_get_nodes(h->ctx, h->tree, h->nodes, (char *)h->nodes + count * DIM * 4));
    bosc_ctx_release(h->ctx, points, bytes);
    bosc_ranks_kdtree_free(h->tree);
    bosc_comm_free(h->comm);
    bosc_ctx_free(h->ctx);
    return NULL;
}

enum { MOST_RANKS = 4 };

enum method { BY_SELECTION, PUBLISHED, PUBLISHED_FULL /* with all coordinates on every rank */ };

/* Builds on ranks. of: the stages of the slowest rank. Returns true if the nodes of all are those of one context's tree
 * (`right`: its points, then its ids). */
static bool time_ranks(int32_t ranks, const int32_t *points, int64_t n, enum method method, const char *right,
                       int64_t nodes, double of[PARTS])
{
    struct rank_share shares[MOST_RANKS];
    pthread_t threads[MOST_RANKS];
    bosc_comm *comms[MOST_RANKS];
    bool same = true;
    int slowest = 0;
    BENCH(bosc_comm_create_threads(bench.ctx, ranks, NULL, comms));
    /* 1. A context for each rank: another device, or a share of the threads. */
    for (int32_t r = 0; r < ranks; r++) {
        const int64_t begin = n * r / ranks, end = n * (r + 1) / ranks;
        bosc_ctx_opts opts = bench.opts;
        if (opts.backend == BOSC_BACKEND_CUDA)
            opts.device = r % bosc_device_count();
        else
            opts.threads = bench.opts.threads > ranks ? bench.opts.threads / ranks : 1;
        shares[r] = (struct rank_share){.comm = comms[r],
                                        .rank = r,
                                        .published = method != BY_SELECTION,
                                        .full_coordinates = method == PUBLISHED_FULL};
        shares[r].points = points + begin * DIM;
        shares[r].n = end - begin;
        if (bosc_ctx_create(&opts, &shares[r].ctx) != BOSC_OK) bench_fail("rank %d has no context", (int)r);
    }
    /* 2. Run all. */
    for (int r = 0; r < ranks; r++)
        if (pthread_create(&threads[r], NULL, run_rank, &shares[r]) != 0) bench_fail("no thread for rank %d", r);
    for (int r = 0; r < ranks; r++) pthread_join(threads[r], NULL);
    for (int r = 1; r < ranks; r++)
        if (shares[r].of[ALL] > shares[slowest].of[ALL]) slowest = r;
    memcpy(of, shares[slowest].of, sizeof shares[slowest].of);
    /* 3. Compare each rank's range of nodes with the one tree's. */
    for (int r = 0; r < ranks; r++) {
        const struct rank_share *h = &shares[r];
        const size_t row = DIM * 4, begin = (size_t)h->info.begin, count = (size_t)(h->info.end - h->info.begin);
        same = same && h->info.nodes == nodes && memcmp(h->nodes, right + begin * row, count * row) == 0 &&
               memcmp((char *)h->nodes + count * row, right + (size_t)nodes * row + begin * 4, count * 4) == 0;
        free(h->nodes);
    }
    return same;
}

static void table_of_devices(const int32_t *points, const int32_t *host, int64_t n)
{
    static const char *const names[PARTS] = {"initialise",           "sort",  "pivot and swap", "merge",
                                             "remove duplicates",    "build", "verify",         "all",
                                             "the shard for queries"};
    const bool cuda = bench.opts.backend == BOSC_BACKEND_CUDA, two = cuda && bosc_device_count() > 1;
    struct subject one = {.points = points, .n = n};
    double published[PARTS], full[PARTS], fast[PARTS], four[PARTS], fast_four[PARTS];
    size_t bytes;
    const enum bench_clock clock = bench.clock;
    bench.clock = BENCH_WALL; /* the ranks are threads of their own */
    struct table *t =
        table_open("two_devices", bench_text("ranks, %" PRId64 " tuples of 4 integers", n),
                   "stage|one as published, ms|two as published, ms|two, full coordinates, ms|two by selection, ms|"
                   "four as published, ms|four by selection, ms|answer");
    create_tree(&one, BOSC_KDTREE_BROWN, 0);
    const struct stages s = time_stages(&one);
    const double single[PARTS] = {s.of[0], s.of[1], NAN, NAN, s.of[2], s.of[3], s.of[4], s.of[5], NAN};
    char *right = nodes_of(&one, &bytes);
    bosc_kdtree_free(one.tree);
    const int64_t nodes = (int64_t)(bytes / (DIM * 4 + 4));
    bool same = time_ranks(2, host, n, PUBLISHED, right, nodes, published);
    same = time_ranks(2, host, n, PUBLISHED_FULL, right, nodes, full) && same;
    same = time_ranks(2, host, n, BY_SELECTION, right, nodes, fast) && same;
    same = time_ranks(4, host, n, PUBLISHED, right, nodes, four) && same;
    same = time_ranks(4, host, n, BY_SELECTION, right, nodes, fast_four) && same;
    free(right);
    for (int k = 0; k < PARTS; k++) {
        table_text(t, "%s", names[k]);
        table_number(t, 1e3 * single[k]);
        table_number(t, 1e3 * published[k]);
        table_number(t, 1e3 * full[k]);
        table_number(t, 1e3 * fast[k]);
        table_number(t, 1e3 * four[k]);
        table_number(t, 1e3 * fast_four[k]);
        table_answer(t, same, "verified, the tree of one");
    }
    table_note(t,
               "speed-up of two: %.3g as published, %.3g with full coordinates, %.3g by selection; paper: 1.9, on GPUs "
               "and at times that it does not name",
               single[ALL] / published[ALL], single[ALL] / full[ALL], single[ALL] / fast[ALL]);
    table_note(t, "full coordinates: all points on both ranks, which the paper suggests; initialise sends them");
    table_note(t, "ranks: threads of this program, with %s; %s",
               !cuda ? "equal shares of its CPU threads"
               : two ? "its devices in turn"
                     : "a context each on the one device",
               bench_device());
    table_note(t, "all as published: without the last row, in which the shard is made ready for queries");
    table_note(t, "by selection: no sorts between ranks; medians above the cut are selected by digits");
    table_close(t);
    bench.clock = clock;
}

int main(int argc, char **argv)
{
    paper_open(argc, argv, NULL, 0);
    const int64_t n = paper_size(1 << 24, 1024);
    uint32_t *random = bench_host((size_t)n * DIM * 4);
    int32_t *points = bench_array(NULL, (size_t)n * DIM * 4);
    BENCH(bosc_random_bits(bench.ctx, 1, 0, n * DIM, random));
    for (int64_t i = 0; i < n * DIM; i++) random[i] >>= 1; /* not negative, as in the published program */
    BENCH(bosc_ctx_copy(bench.ctx, points, random, (size_t)n * DIM * 4));
    table_of_stages(points, n);
    table_of_growth(points, n);
    table_of_devices(points, (const int32_t *)(const void *)random, n);
    free(random);
    return paper_close();
}
