/* The figures of the cell graph paper, with current methods: bench_cellgraph_figures [-n vectors] [-l letters]. Stages
 * of the published trie (building nodes, and looking up each vector with each letter replaced) against n, beside the
 * compact trie and the join; the heuristic with 0, 3 and 5 pivots against n; and, on the CPU, each method with 1, 2, 4
 * threads and so on, by the clock. Blocks and threads of a launch: bench_cellgraph_launch. Source: Kaczmarski,
 * Rzazewski, Wolant, Massively Parallel Construction of the Cell Graph (2015). */
#include <stdlib.h>

#include "harness/bench.h"
#include "harness/scene.h"

struct subject {
    int32_t length;
    uint64_t *host, *rows; /* rows: the backend's */
    bosc_cellgraph *graph;
    bosc_trie *trie;
    int64_t n; /* number of rows used */
};

static void build_graph(void *user)
{
    struct subject *b = user;
    BENCH(bosc_cellgraph_build(bench.ctx, b->graph, b->rows, b->n, 0));
}

static void build_trie(void *user)
{
    struct subject *b = user;
    BENCH(bosc_trie_build(bench.ctx, b->trie, b->rows, NULL, b->n, 0));
}

static void search_trie(void *user)
{
    struct subject *b = user;
    int64_t pairs;
    BENCH(bosc_trie_pairs(bench.ctx, b->trie, NULL, NULL, 0, &pairs));
}

static void time_graph(struct subject *b, const char *name, bosc_cellgraph_method method,
                       bosc_cellgraph_trie_search search, int32_t pivots)
{
    bosc_cellgraph_opts o = {
        .size = sizeof o, .length = b->length, .method = method, .pivots = pivots, .trie_search = search};
    BENCH(bosc_cellgraph_create(bench.ctx, &o, &b->graph));
    bench_row(name, b->n, bench_time(NULL, build_graph, b, bench.repeats));
    bosc_cellgraph_free(b->graph);
}

static void time_stages(struct subject *b, bosc_trie_layout layout)
{
    const char *name = layout == BOSC_TRIE_PUBLISHED ? "published trie" : "compact trie";
    bosc_trie_opts o = {.size = sizeof o, .length = b->length, .value_bits = 32, .layout = layout};
    BENCH(bosc_trie_create(bench.ctx, &o, &b->trie));
    bench_row(bench_text("%s: sort and build", name), b->n, bench_time(NULL, build_trie, b, bench.repeats));
    bench_row(bench_text("%s: all pairs", name), b->n, bench_time(NULL, search_trie, b, bench.repeats));
    bosc_trie_free(b->trie);
}

static void time_sizes(struct subject *b)
{
    for (int64_t fraction = 16; fraction >= 1; fraction /= 2) {
        b->n = bench.n / fraction;
        if (b->n < 1) continue;
        time_stages(b, BOSC_TRIE_PUBLISHED);
        time_stages(b, BOSC_TRIE_COMPACT);
        time_graph(b, "zobrist", BOSC_CELLGRAPH_ZOBRIST, BOSC_CELLGRAPH_TRIE_WALK, 0);
        time_graph(b, "join", BOSC_CELLGRAPH_JOIN, BOSC_CELLGRAPH_TRIE_WALK, 0);
    }
}

static void time_pivots(struct subject *b)
{
    static const int32_t counts[] = {0, 3, 5};
    for (b->n = 2500; b->n <= 20000 && b->n <= bench.n; b->n *= 2)
        for (int k = 0; k < 3; k++)
            time_graph(b, bench_text("heuristic, %d pivots", (int)counts[k]), BOSC_CELLGRAPH_HEURISTIC,
                       BOSC_CELLGRAPH_TRIE_WALK, counts[k]);
}

/* Wall-clock times of each method on 1, 2, 4... threads. */
static void time_threads(struct subject *b)
{
    static const struct {
        const char *name;
        bosc_cellgraph_method method;
        bosc_cellgraph_trie_search search;
        int64_t most;
    } methods[] = {{"join", BOSC_CELLGRAPH_JOIN, BOSC_CELLGRAPH_TRIE_WALK, INT64_MAX},
                   {"zobrist", BOSC_CELLGRAPH_ZOBRIST, BOSC_CELLGRAPH_TRIE_WALK, INT64_MAX},
                   {"trie", BOSC_CELLGRAPH_TRIE, BOSC_CELLGRAPH_TRIE_WALK, INT64_MAX},
                   {"trie as published", BOSC_CELLGRAPH_TRIE, BOSC_CELLGRAPH_TRIE_LOOKUP, 20000},
                   {"heuristic, 3 pivots", BOSC_CELLGRAPH_HEURISTIC, BOSC_CELLGRAPH_TRIE_WALK, 20000},
                   {"Dobrowolski (sequential)", BOSC_CELLGRAPH_TRIE, BOSC_CELLGRAPH_TRIE_DOBROWOLSKI, INT64_MAX}};
    const int32_t most = bench.opts.threads;
    bench.clock = BENCH_WALL;
    for (size_t w = 0; w < sizeof methods / sizeof methods[0]; w++) {
        b->n = bench.n < methods[w].most ? bench.n : methods[w].most;
        for (int32_t t = 1; t <= most; t *= 2) {
            bench_close();
            bench.opts.threads = t;
            bench_open();
            b->rows = b->host; /* the CPU's memory is the host's */
            time_graph(b, bench_text("by the clock: %s", methods[w].name), methods[w].method, methods[w].search,
                       methods[w].method == BOSC_CELLGRAPH_HEURISTIC ? 3 : 0);
            if (methods[w].search == BOSC_CELLGRAPH_TRIE_DOBROWOLSKI) break;
        }
    }
}

int main(int argc, char **argv)
{
    struct subject b = {0};
    int64_t length = 256;
    const struct bench_option own[] = {{'l', BENCH_INTEGER, &length, "letters of a vector"}};
    bench.n = 44000;
    bench.repeats = 3;
    bench.opts.threads = 1;
    bench_options(argc, argv, "vectors", own, 1);
    bench_open();
    bench_time_one_thread();
    b.length = (int32_t)length;
    b.host = bench_scene_vectors(1, b.length, bench.n);
    b.rows = bench_array(b.host, (size_t)(bench.n * bosc_cellgraph_words(b.length, 1)) * 8);
    bench_say("%s: %" PRId64 " vectors of %d letters", bench_device(), bench.n, (int)b.length);
    time_sizes(&b);
    time_pivots(&b);
    if (bench.opts.backend != BOSC_BACKEND_CUDA) time_threads(&b);
    free(b.host);
    return bench_close();
}
