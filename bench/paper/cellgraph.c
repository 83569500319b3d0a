/* The cell graph paper's tables: bench_paper_cellgraph [-s scale] [-o file] [-l letters]. Vectors are the signs of 256
 * constraints at sampled rotations (harness/scene.h), 44,000 at scale 1. The published trie by stages, against n and by
 * blocks and threads of a launch; the published heuristic with 0 to 5 pivots; all methods, sequential ones and those of
 * a device, beside each other; Dobrowolski's sequential search; and ours. All must find the same edges. Source:
 * Kaczmarski, Rzazewski, Wolant, Massively Parallel Construction of the Cell Graph (PPAM 2015); Dobrowolski (2013). */
#include <stdlib.h>
#include <string.h>

#include "demo/key_scene.h"
#include "harness/scene.h"
#include "paper/table.h"

static const char hardware[] = "paper: Tesla K40 and Xeon E5-2620; its times are in pictures";

/* One run of a heuristic, which takes seconds on the CPU. */
enum { PIVOTS_MOST = 5, HEURISTIC_REPEATS = 1 };

static struct input {
    int32_t length;
    const uint64_t *rows; /* the backend's */
} in;

struct subject {
    bosc_cellgraph *graph;
    bosc_trie *trie;
    int64_t n, pairs;
};

static void build_graph(void *user)
{
    struct subject *s = user;
    BENCH(bosc_cellgraph_build(bench.ctx, s->graph, in.rows, s->n, 0));
}

static void build_trie(void *user)
{
    struct subject *s = user;
    BENCH(bosc_trie_build(bench.ctx, s->trie, in.rows, NULL, s->n, 0));
}

static void count_pairs(void *user)
{
    struct subject *s = user;
    BENCH(bosc_trie_pairs(bench.ctx, s->trie, NULL, NULL, 0, &s->pairs));
}

/* Edges of the first n vectors; free(pairs). */
struct edges {
    int64_t count;
    int64_t *pairs;
};

static struct edges edges_of(const struct subject *s)
{
    bosc_cellgraph_info info = {.size = sizeof info};
    BENCH(bosc_cellgraph_get_info(bench.ctx, s->graph, &info));
    struct edges e = {info.edges, bench_host((size_t)info.edges * 16)};
    BENCH(bosc_cellgraph_get_pairs(bench.ctx, s->graph, e.pairs, NULL));
    return e;
}

static bool same_edges(const struct edges *a, const struct edges *b)
{
    return a->count == b->count && memcmp(a->pairs, b->pairs, (size_t)a->count * 16) == 0;
}

/* Times a method on the first n vectors. *right: its edges are `expected`; if that is empty, it receives them. */
static struct bench_times time_graph(const bosc_cellgraph_opts *opts, int64_t n, int repeats, struct edges *expected,
                                     bool *right)
{
    bosc_cellgraph_opts o = *opts;
    struct subject s = {.n = n};
    o.size = sizeof o;
    o.length = in.length;
    BENCH(bosc_cellgraph_create(bench.ctx, &o, &s.graph));
    struct bench_times times = repeats > 1 ? bench_time(NULL, build_graph, &s, repeats) : bench_once(build_graph, &s);
    struct edges got = edges_of(&s);
    *right = !expected->pairs || same_edges(&got, expected);
    if (expected->pairs)
        free(got.pairs);
    else
        *expected = got;
    bosc_cellgraph_free(s.graph);
    return times;
}

/* --- The trie by stages ------------------------------------------------------------------------------------------- */

struct stages {
    double sort, build; /* seconds */
    struct bench_times search;
    int64_t pairs;
};

static struct stages time_stages(bosc_trie_layout layout, bool by_values, int64_t n)
{
    bosc_trie_opts o = {
        .size = sizeof o, .length = in.length, .value_bits = 32, .layout = layout, .by_values = by_values};
    bosc_trie_times times = {.size = sizeof times};
    struct subject s = {.n = n};
    BENCH(bosc_trie_create(bench.ctx, &o, &s.trie));
    bench_time(NULL, build_trie, &s, bench.repeats);
    BENCH(bosc_trie_get_times(bench.ctx, s.trie, &times));
    struct stages out = {.sort = times.sort, .build = times.build, .search = bench_time(NULL, count_pairs, &s, 1)};
    out.pairs = s.pairs;
    bosc_trie_free(s.trie);
    return out;
}

static void table_of_stages(int64_t most)
{
    struct table *t =
        table_open("stages", bench_text("stages of the tree method against n, vectors of %d bits", (int)in.length),
                   "n|build by values, ms|published: sort, ms|published: build|published: search|compact: sort|"
                   "compact: build|"
                   "compact: search|join, all|pairs|answer");
    const bosc_cellgraph_opts join = {.method = BOSC_CELLGRAPH_JOIN};
    for (int64_t n = most / 16 > 64 ? most / 16 : 64; n <= most; n *= 2) {
        struct edges expected = {0};
        bool right;
        /* The join gives the number of pairs that the searches of both tries must find. */
        struct bench_times all = time_graph(&join, n, bench.repeats, &expected, &right);
        table_integer(t, n);
        const struct stages by_values = time_stages(BOSC_TRIE_PUBLISHED, true, n);
        right = by_values.pairs == expected.count;
        table_number(t, 1e3 * by_values.build);
        for (int layout = BOSC_TRIE_PUBLISHED; layout >= BOSC_TRIE_COMPACT; layout--) {
            struct stages s = time_stages((bosc_trie_layout)layout, false, n);
            right = right && s.pairs == expected.count;
            table_number(t, 1e3 * s.sort);
            table_number(t, 1e3 * s.build);
            table_ms(t, s.search);
        }
        table_ms(t, all);
        table_integer(t, expected.count);
        table_answer(t, right, "as many pairs");
        free(expected.pairs);
    }
    table_plot(t, 1, 8, TABLE_LOG_LOG, "ms");
    table_note(t, "%s (Figure 4, left)", hardware);
    table_note(t,
               "by values: levels by an item for each node and value (Algorithm 3); published: by scans over the keys");
    table_note(t, "digits of 8 bits, 256 children a node; each vector is looked up with each bit flipped; %s",
               bench_device());
    table_close(t);
}

/* --- Blocks and threads ------------------------------------------------------------------------------------------- */

/* Figure 3: the published launch, a block a vector. */
static void table_of_launches(int64_t n)
{
    static const int32_t blocks[] = {64, 256, 1024, 4096, 16384}, threads[] = {32, 64, 128, 256, 512};
    struct edges expected = {0};
    bool right;
    struct table *t = table_open("launch", bench_text("the tree method by blocks and threads, %" PRId64 " vectors", n),
                                 "blocks|32 threads, ms|64 threads|128 threads|256 threads|512 threads|answer");
    /* A row for each number of blocks. */
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
        bool all = true;
        table_integer(t, blocks[b]);
        for (size_t k = 0; k < sizeof threads / sizeof threads[0]; k++) {
            const bosc_cellgraph_opts o = {.method = BOSC_CELLGRAPH_TRIE,
                                           .trie_search = BOSC_CELLGRAPH_TRIE_BLOCKS,
                                           .trie_by_values = 1,
                                           .blocks = blocks[b],
                                           .threads = threads[k]};
            table_ms(t, time_graph(&o, n, bench.repeats, &expected, &right));
            all = all && right;
        }
        table_answer(t, all, "the same edges");
    }
    free(expected.pairs);
    table_note(t, "%s (Figure 3); 4,096 blocks of 32 threads are the best", hardware);
    table_plot(t, 1, 5, TABLE_LOG_LOG, "ms");
    table_note(t, "a block has a vector, a thread a bit; levels by values; rows to sorted edges, on %s",
               bench_device());
    table_close(t);
}

static void use_threads(int32_t threads)
{
    bench.opts.threads = threads;
    bosc_ctx_free(bench.ctx);
    bench_open();
}

/* The CPU has threads in place of blocks. */
static void table_of_threads(int64_t n)
{
    const int32_t given = bench.opts.threads;
    const bosc_cellgraph_opts published = {.method = BOSC_CELLGRAPH_TRIE, .trie_search = BOSC_CELLGRAPH_TRIE_LOOKUP};
    const bosc_cellgraph_opts join = {.method = BOSC_CELLGRAPH_JOIN};
    struct edges expected = {0};
    bool right[2];
    struct table *t = table_open("threads", bench_text("the tree method by threads, %" PRId64 " vectors", n),
                                 "threads|published, ms|join, ms|answer");
    for (int32_t count = 1; count < 2 * given; count *= 2) {
        use_threads(count < given ? count : given);
        table_integer(t, bench.opts.threads);
        table_ms(t, time_graph(&published, n, 1, &expected, &right[0]));
        table_ms(t, time_graph(&join, n, bench.repeats, &expected, &right[1]));
        table_answer(t, right[0] && right[1], "the same edges");
    }
    free(expected.pairs);
    table_note(t, "%s (Figure 4, right); rows to sorted edges, on %s", hardware, bench_device());
    table_close(t);
}

/* --- The heuristic, and Dobrowolski's search ---------------------------------------------------------------------- */

/* search: with an end at two letters, as published (BLOCKS), or over all words. */
static void table_of_heuristic(const char *name, bosc_cellgraph_heuristic_search search, int64_t most)
{
    const bool ends_early = search == BOSC_CELLGRAPH_HEURISTIC_BLOCKS;
    struct table *t = table_open(name,
                                 bench_text("the heuristic by its number of pivots, %s",
                                            ends_early ? "as published" : "comparisons over all words"),
                                 "n|h = 0, ms|h = 1, ms|h = 2, ms|h = 3, ms|h = 4, ms|h = 5, ms|join, ms|answer");
    for (int64_t n = most / 8 > 64 ? most / 8 : 64; n <= most; n *= 2) {
        const bosc_cellgraph_opts join = {.method = BOSC_CELLGRAPH_JOIN};
        struct edges expected = {0};
        bool right, all = true;
        struct bench_times ours = time_graph(&join, n, bench.repeats, &expected, &right);
        table_integer(t, n);
        for (int32_t h = 0; h <= PIVOTS_MOST; h++) {
            const bosc_cellgraph_opts o = {.method = BOSC_CELLGRAPH_HEURISTIC, .heuristic_search = search, .pivots = h};
            table_ms(t, time_graph(&o, n, HEURISTIC_REPEATS, &expected, &right));
            all = all && right;
        }
        table_ms(t, ours);
        table_answer(t, all, "the same edges");
        free(expected.pairs);
    }
    table_plot(t, 1, 7, TABLE_LOG_LOG, "ms");
    table_note(t, "%s (Figure 4, right); 3 pivots are the best on the CPU, 5 on the GPU", hardware);
    table_note(t, "rows to sorted edges, on %s", bench_device());
    table_close(t);
}

/* The methods of Figure 4, right; those of one CPU thread stand beside a device. */
static const struct {
    const char *name;
    bosc_cellgraph_opts opts;
} compared[] = {
    {"naive", {.method = BOSC_CELLGRAPH_HEURISTIC, .heuristic_search = BOSC_CELLGRAPH_HEURISTIC_BLOCKS}},
    {"heuristic",
     {.method = BOSC_CELLGRAPH_HEURISTIC, .heuristic_search = BOSC_CELLGRAPH_HEURISTIC_BLOCKS, .pivots = 3}},
    {"tree", {.method = BOSC_CELLGRAPH_TRIE, .trie_search = BOSC_CELLGRAPH_TRIE_BLOCKS, .trie_by_values = 1}},
    {"join", {.method = BOSC_CELLGRAPH_JOIN}}};
enum { COMPARED = sizeof compared / sizeof compared[0], COMPARED_SIZES = 5 };

/* Times of all methods for n vectors, in ms. */
static bool time_methods(int64_t n, struct edges *expected, double ms[COMPARED])
{
    bool right, all = true;
    for (int k = 0; k < COMPARED; k++) {
        ms[k] = 1e3 * time_graph(&compared[k].opts, n, 1, expected, &right).median;
        all = all && right;
    }
    return all;
}

/* Uses a context of the backend, and the vectors in its memory. */
static void use_backend(bosc_backend backend, int32_t threads, const uint64_t *host, int64_t n)
{
    bench_close();
    bench.opts.backend = backend;
    bench.opts.threads = threads;
    bench_open();
    const size_t bytes = (size_t)(n * bosc_cellgraph_words(in.length, 1)) * 8;
    in.rows = backend == BOSC_BACKEND_CUDA ? bench_array(host, bytes) : host;
}

static void table_of_methods(const uint64_t *host, int64_t most)
{
    const bosc_backend backend = bench.opts.backend;
    const int32_t threads = bench.opts.threads;
    const char *others = backend == BOSC_BACKEND_CUDA ? "device" : "all threads";
    double ms[COMPARED_SIZES][2][COMPARED];
    struct edges expected[COMPARED_SIZES] = {{0}};
    int64_t sizes[COMPARED_SIZES];
    bool right[COMPARED_SIZES];
    int count = 0;
    struct table *t = table_open("methods", "methods on one CPU thread and in parallel, from rows to sorted edges, ms",
                                 bench_text("n|naive, 1 thread|heuristic, 1 thread|tree, 1 thread|join, 1 thread|"
                                            "naive, %s|heuristic, %s|tree, %s|join, %s|tree: 1 thread / %s|answer",
                                            others, others, others, others, others));
    /* 1. The backend's, then one CPU thread's: a context each. */
    for (int64_t n = most / 16 > 64 ? most / 16 : 64; n <= most && count < COMPARED_SIZES; n *= 2) sizes[count++] = n;
    for (int k = 0; k < count; k++) right[k] = time_methods(sizes[k], &expected[k], ms[k][1]);
    use_backend(BOSC_BACKEND_CPU, 1, host, most);
    for (int k = 0; k < count; k++) right[k] = time_methods(sizes[k], &expected[k], ms[k][0]) && right[k];
    use_backend(backend, threads, host, most);
    /* 2. The rows. */
    for (int k = 0; k < count; k++) {
        table_integer(t, sizes[k]);
        for (int where = 0; where < 2; where++)
            for (int m = 0; m < COMPARED; m++) table_number(t, ms[k][where][m]);
        table_number(t, ms[k][0][2] / ms[k][1][2]);
        table_answer(t, right[k], "the same edges");
        free(expected[k].pairs);
    }
    table_plot(t, 1, 2 * COMPARED, TABLE_LOG_LOG, "ms");
    table_note(t, "%s (Figure 4, right); heuristic: 3 pivots", hardware);
    table_note(t, "one build each, without a warm-up; parallel: %s", bench_device());
    table_close(t);
}

static void table_of_dobrowolski(int64_t most)
{
    const bosc_cellgraph_opts join = {.method = BOSC_CELLGRAPH_JOIN};
    const bosc_cellgraph_opts his = {.method = BOSC_CELLGRAPH_TRIE, .trie_search = BOSC_CELLGRAPH_TRIE_DOBROWOLSKI};
    const bosc_cellgraph_opts published = {.method = BOSC_CELLGRAPH_TRIE, .trie_search = BOSC_CELLGRAPH_TRIE_LOOKUP};
    struct table *t = table_open("dobrowolski", "Dobrowolski's sequential O(n l) search, from rows to sorted edges, ms",
                                 "n|Dobrowolski, ms|the tree method, ms|join, ms|answer");
    for (int64_t n = most / 16 > 64 ? most / 16 : 64; n <= most; n *= 2) {
        struct edges expected = {0};
        bool right[3];
        table_integer(t, n);
        table_ms(t, time_graph(&his, n, bench.repeats, &expected, &right[0]));
        table_ms(t, time_graph(&published, n, 1, &expected, &right[1]));
        table_ms(t, time_graph(&join, n, bench.repeats, &expected, &right[2]));
        table_answer(t, right[0] && right[1] && right[2], "the same edges");
        free(expected.pairs);
    }
    table_plot(t, 1, 3, TABLE_LOG_LOG, "ms");
    table_note(t, "%s; the paper has no time of this search; here: %s", hardware, bench_device());
    table_close(t);
}

/* Cell graphs of scenes of solids, boscage generate scene: the signs of all constraints along great circles. */
static void table_of_scenes(void)
{
    static const struct {
        const char *name;
        enum key_scene_kind kind;
    } rows[] = {{"key", KEY_SCENE_KEY}, {"pegs", KEY_SCENE_PEGS}, {"cross", KEY_SCENE_CROSS}};
    static struct key_scene scene;
    const bosc_cellgraph_opts join = {.method = BOSC_CELLGRAPH_JOIN};
    const bosc_cellgraph_opts trie = {.method = BOSC_CELLGRAPH_TRIE, .trie_search = BOSC_CELLGRAPH_TRIE_BLOCKS};
    struct table *t = table_open("scenes", "cells of scenes of boxes, from rows to sorted edges, ms",
                                 "scene|constraints|rotations|pairs|the tree method, ms|join, ms|tree / join|answer");
    const struct input vectors = in;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        /* 1. The constraints, and their signs at rotations of whole circles. */
        bosc_plan *plan;
        bosc_plan_info info = {.size = sizeof info};
        const bosc_plan_scene solids = key_scene_build(&scene, rows[k].kind);
        BENCH(bosc_plan_create(bench.ctx, NULL, &plan));
        BENCH(bosc_plan_build(bench.ctx, plan, &solids));
        BENCH(bosc_plan_get_info(bench.ctx, plan, &info));
        /* A circle crosses each constraint at most twice. Searches of 4,000 vectors take seconds on a CPU. */
        const int64_t limit = paper_size(4000, 256);
        const int64_t capacity = limit > 2 * info.constraints ? limit : 2 * info.constraints;
        double *rotations = bench_host((size_t)capacity * 4 * sizeof *rotations);
        uint64_t *signs = bench_host((size_t)(capacity * info.words) * sizeof *signs);
        int64_t n = 0;
        BENCH(bosc_plan_sample(bench.ctx, plan, NULL, capacity, rotations, signs, NULL, &n, NULL));
        if (n > limit) n = limit;
        /* 2. Both methods on them. */
        const bool cuda = bench.opts.backend == BOSC_BACKEND_CUDA;
        in.length = (int32_t)info.constraints;
        in.rows = cuda ? bench_array(signs, (size_t)(n * info.words) * sizeof *signs) : signs;
        struct edges expected = {0};
        bool right[2];
        const struct bench_times joined = time_graph(&join, n, bench.repeats, &expected, &right[0]);
        const struct bench_times searched = time_graph(&trie, n, 1, &expected, &right[1]);
        table_text(t, "%s", rows[k].name);
        table_integer(t, info.constraints);
        table_integer(t, n);
        table_integer(t, expected.count);
        table_ms(t, searched);
        table_ms(t, joined);
        table_number(t, searched.median / joined.median);
        table_answer(t, right[0] && right[1], "the same edges");
        if (cuda) bench_release((void *)in.rows);
        free(expected.pairs);
        free(rotations);
        free(signs);
        bosc_plan_free(plan);
    }
    in = vectors;
    table_note(t, "the paper's scenes are not published; these are made by boscage generate scene; here: %s",
               bench_device());
    table_close(t);
}

int main(int argc, char **argv)
{
    int64_t length = 256;
    const struct bench_option own[] = {{'l', BENCH_INTEGER, &length, "bits of a vector (256)"}};
    paper_open(argc, argv, own, 1);
    const int64_t n = paper_size(44000, 256);
    in.length = (int32_t)length;
    uint64_t *host = bench_scene_vectors(1, in.length, n);
    const bool cuda = bench.opts.backend == BOSC_BACKEND_CUDA;
    in.rows = cuda ? bench_array(host, (size_t)(n * bosc_cellgraph_words(in.length, 1)) * 8) : host;
    table_of_stages(n);
    if (cuda)
        table_of_launches(n);
    else
        table_of_threads(n);
    table_of_heuristic("heuristic", BOSC_CELLGRAPH_HEURISTIC_BLOCKS, n < 20000 ? n : 20000);
    table_of_heuristic("heuristic-whole", BOSC_CELLGRAPH_HEURISTIC_PUBLISHED, n < 20000 ? n : 20000);
    table_of_methods(host, n);
    if (!cuda) table_of_dobrowolski(n);
    table_of_scenes();
    free(host);
    return paper_close();
}
