/* Times cell graphs: bench_cellgraph [-n vectors] [-l letters] [-m methods] [-s vectors]. Methods are letters: j join
 * (and searches in its graph), z zobrist, h heuristic with 3 pivots, 0 the naive one, H heuristic as published with 5
 * pivots, t trie, p trie as published, d Dobrowolski's search, u std::unordered_map, a auto; default: jzu on the CPU,
 * jz on CUDA, aj for words. Vectors are those of a motion planning scene, uniform ones, pairs (harness/scene.h), or
 * words (harness/shapes.h), in the backend's memory; handles are warm; all methods must find the same number of edges.
 * A build is from the rows to the sorted edges.
 * Source of the comparison: Kaczmarski, Rzazewski, Wolant, Massively Parallel Construction of the Cell Graph (2015). */
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"
#include "harness/scene.h"
#include "harness/shapes.h"
#include "peers/cellgraph.h"

struct subject {
    int32_t length, letter_bits;
    bool connected; /* most vertices are: searches make sense */
    uint64_t *rows; /* the backend's */
    uint64_t *host;
    bosc_cellgraph *graph;
    int64_t found;
    int64_t from, to, reached, depth, steps;
    void *offsets, *neighbours; /* the backend's */
};

static void build_graph(void *user)
{
    struct subject *b = user;
    BENCH(bosc_cellgraph_build(bench.ctx, b->graph, b->rows, bench.n, 0));
}

static void get_rows(void *user)
{
    struct subject *b = user;
    BENCH(bosc_cellgraph_get_rows(bench.ctx, b->graph, b->offsets, b->neighbours, NULL));
}

static void time_rows(struct subject *b, const bosc_cellgraph_info *info)
{
    b->offsets = bench_array(NULL, (size_t)(info->vertices + 1) * 8);
    b->neighbours = bench_array(NULL, (size_t)(info->edges * info->id_bits / 4 + 1));
    bench_row("  rows (CSR) of the finished graph", info->edges, bench_time(NULL, get_rows, b, bench.repeats));
    bench_release(b->offsets);
    bench_release(b->neighbours);
}

static void find_levels(void *user)
{
    struct subject *b = user;
    BENCH(bosc_cellgraph_levels(bench.ctx, b->graph, b->from, NULL, NULL, &b->reached, &b->depth));
}

static void find_path(void *user)
{
    struct subject *b = user;
    BENCH(bosc_cellgraph_path(bench.ctx, b->graph, b->from, b->to, NULL, 0, &b->steps));
}

static void run_peer(void *user)
{
    struct subject *b = user;
    b->found = peer_unordered_map(b->host, bench.n, b->length);
}

static void check_edges(const struct subject *b, const char *name, int64_t *edges)
{
    if (*edges < 0) *edges = b->found;
    bench_check(*edges == b->found, "%s: %" PRId64 " edges, not %" PRId64, name, b->found, *edges);
}

/* Searches from a vertex that reaches at least half of the others to the first vertex in its last level. */
static void time_searches(struct subject *b, const bosc_cellgraph_info *info)
{
    int64_t *level = bench_host((size_t)info->vertices * sizeof *level);
    BENCH(bosc_cellgraph_prepare(bench.ctx, b->graph));
    for (b->from = b->reached = 0; b->from < info->vertices && 2 * b->reached < info->vertices; b->from += 7)
        find_levels(b);
    b->from -= 7;
    BENCH(bosc_cellgraph_levels(bench.ctx, b->graph, b->from, level, NULL, NULL, NULL));
    for (b->to = 0; level[b->to] != b->depth;) b->to++;
    bench_row("  breadth-first search", info->vertices, bench_time(NULL, find_levels, b, bench.repeats));
    bench_row("  shortest path to the last level", info->vertices, bench_time(NULL, find_path, b, bench.repeats));
    bench_say("%" PRId64 " vertices reached in %" PRId64 " levels; a path of %" PRId64, b->reached, b->depth, b->steps);
    bench_check(b->steps == b->depth + 1, "the path is not as long as the level says");
    free(level);
}

static const struct method {
    char letter;
    const char *name;
    bosc_cellgraph_method method;
    int32_t pivots;
    bosc_cellgraph_trie_search search;
    bosc_cellgraph_heuristic_search heuristic;
} methods[] = {
    {.letter = 'a', .name = "auto", .method = BOSC_CELLGRAPH_AUTO},
    {.letter = 'j', .name = "join", .method = BOSC_CELLGRAPH_JOIN},
    {.letter = 'z', .name = "zobrist", .method = BOSC_CELLGRAPH_ZOBRIST},
    {.letter = 'h', .name = "heuristic, 3 pivots", .method = BOSC_CELLGRAPH_HEURISTIC, .pivots = 3},
    {.letter = '0', .name = "naive", .method = BOSC_CELLGRAPH_HEURISTIC},
    {.letter = 'H',
     .name = "heuristic, as published, 5 pivots",
     .method = BOSC_CELLGRAPH_HEURISTIC,
     .pivots = 5,
     .heuristic = BOSC_CELLGRAPH_HEURISTIC_PUBLISHED},
    {.letter = 't', .name = "trie", .method = BOSC_CELLGRAPH_TRIE},
    {.letter = 'p', .name = "trie, as published", .method = BOSC_CELLGRAPH_TRIE, .search = BOSC_CELLGRAPH_TRIE_LOOKUP},
    {.letter = 'd',
     .name = "trie, Dobrowolski",
     .method = BOSC_CELLGRAPH_TRIE,
     .search = BOSC_CELLGRAPH_TRIE_DOBROWOLSKI}};

static void time_method(struct subject *b, const struct method *m, int64_t *edges)
{
    bosc_cellgraph_opts o = {.size = sizeof o,
                             .length = b->length,
                             .letter_bits = b->letter_bits,
                             .method = m->method,
                             .pivots = m->pivots,
                             .trie_search = m->search,
                             .heuristic_search = m->heuristic};
    bosc_cellgraph_info info = {.size = sizeof info};
    BENCH(bosc_cellgraph_create(bench.ctx, &o, &b->graph));
    bench_row_of_bytes(m->name, bench.n, 8.0 * (double)(bench.n * bosc_cellgraph_words(b->length, b->letter_bits)),
                       bench_time(NULL, build_graph, b, bench.repeats));
    BENCH(bosc_cellgraph_get_info(bench.ctx, b->graph, &info));
    if (*edges < 0) bench_say("%" PRId64 " vertices, %" PRId64 " edges", info.vertices, info.edges);
    if (m->letter == 'j') {
        time_rows(b, &info);
        if (b->connected) time_searches(b, &info);
    }
    b->found = info.edges;
    bosc_cellgraph_free(b->graph);
    check_edges(b, m->name, edges);
}

/* Timed once: it takes a minute where other methods take a tenth of a second. */
static void time_peer(struct subject *b, int64_t *edges)
{
    struct bench_times once = bench_once(run_peer, b);
    if (b->found < 0) return;
    const struct bench_row row = {.name = "join", .library = "std::unordered_map, flips", .n = bench.n, .ours = once};
    bench_print(&row);
    check_edges(b, "std::unordered_map", edges);
}

int main(int argc, char **argv)
{
    struct subject b = {0};
    const char *letters = NULL, *scene = "screws";
    int64_t edges = -1, length = 256;
    const struct bench_option own[] = {
        {'l', BENCH_INTEGER, &length, "letters of a vector"},
        {'m', BENCH_TEXT, &letters, "methods: letters of ajzh0Htpdu"},
        {'s', BENCH_TEXT, &scene, "vectors: " SHAPE_TEXT(SCENE_SHAPES) "; " SHAPE_TEXT(WORD_SHAPES)}};
    bench.n = 1000000;
    bench.repeats = 5;
    bench.opts.threads = 1;
    bench_options(argc, argv, "vectors", own, 3);
    /* 1. Make the vectors. */
    b.length = (int32_t)length;
    b.letter_bits = 1;
    if (bench_word_shape(scene, &b.length, &b.letter_bits) && !letters) letters = "aj";
    if (!letters) letters = bench.opts.backend == BOSC_BACKEND_CUDA ? "jz" : "jzu";
    bench_open();
    bench_time_one_thread();
    b.host = bench_vectors(scene, b.length, bench.n);
    b.connected = strcmp(scene, "screws") == 0;
    b.rows = bench_array(b.host, (size_t)(bench.n * bosc_cellgraph_words(b.length, b.letter_bits)) * 8);
    bench_say("%s: %" PRId64 " vectors of %d letters (%s)", bench_device(), bench.n, (int)b.length, scene);
    /* 2. Time each method. */
    for (const char *letter = letters; *letter; letter++) {
        size_t m = 0;
        while (m < sizeof methods / sizeof methods[0] && methods[m].letter != *letter) m++;
        if (*letter == 'u' && b.letter_bits == 1)
            time_peer(&b, &edges);
        else if (m < sizeof methods / sizeof methods[0])
            time_method(&b, &methods[m], &edges);
        else
            bench_fail("-m: '%c' is no method", *letter);
    }
    free(b.host);
    return bench_close();
}
