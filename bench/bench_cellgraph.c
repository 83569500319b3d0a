/* Times cell graphs: bench_cellgraph [-n vectors] [-l letters] [-m methods] [-t threads] [-r repeats] [-b backend].
 * Methods are letters: j join (and searches in its graph), z zobrist, h heuristic with 3 pivots, 0 the naive one, t
 * trie, p trie as published, d Dobrowolski's search, u std::unordered_map. Vectors are those of a motion planning scene
 * (cells_scene.h), in the backend's memory; handles are warm; all methods must find as many edges. A build is from the
 * rows to the sorted edges. Source of the comparison: Kaczmarski, Rzazewski, Wolant, Massively Parallel Construction of
 * the Cell Graph (2015). */
#include <inttypes.h>
#include <string.h>

#include <boscage/boscage.h>

#include "cells_scene.h"
#include "peers_cellgraph.h"
#include "timing.h"

struct bench {
    bosc_ctx *ctx;
    bosc_cellgraph *graph;
    uint64_t *host;
    uint64_t *rows; /* the backend's */
    int64_t n, found;
    int64_t from, to, reached, depth, steps;
    int32_t length;
};

static void fail(bosc_ctx *ctx, const char *what)
{
    fprintf(stderr, "bench_cellgraph: %s: %s\n", what, ctx ? bosc_message(ctx) : "no context");
    exit(1);
}

#define DO(b, call)                                   \
    do {                                              \
        if ((call) != BOSC_OK) fail((b)->ctx, #call); \
    } while (0)

static void build(void *user)
{
    struct bench *b = user;
    DO(b, bosc_cellgraph_build(b->ctx, b->graph, b->rows, b->n, 0));
}

static void rows_out(void *user)
{
    struct bench *b = user;
    DO(b, bosc_cellgraph_get_rows(b->ctx, b->graph, NULL, NULL, NULL));
}

static void levels(void *user)
{
    struct bench *b = user;
    DO(b, bosc_cellgraph_levels(b->ctx, b->graph, b->from, NULL, NULL, &b->reached, &b->depth));
}

static void path(void *user)
{
    struct bench *b = user;
    DO(b, bosc_cellgraph_path(b->ctx, b->graph, b->from, b->to, NULL, 0, &b->steps));
}

static void flips(void *user)
{
    struct bench *b = user;
    b->found = peer_unordered_map(b->host, b->n, b->length);
}

static void print(const char *name, struct timing t)
{
    printf("%-34s %12.3f %12.3f\n", name, 1e3 * t.least, 1e3 * t.median);
    fflush(stdout);
}

static void agree(const struct bench *b, const char *name, int64_t *edges)
{
    if (*edges < 0) *edges = b->found;
    if (*edges == b->found) return;
    fprintf(stderr, "bench_cellgraph: %s: %" PRId64 " edges, not %" PRId64 "\n", name, b->found, *edges);
    exit(1);
}

/* From a vertex of the largest part of the graph to the first one in its last level. */
static void searches(struct bench *b, const bosc_cellgraph_info *info, int repeats)
{
    int64_t *level = malloc((size_t)info->vertices * sizeof *level);
    if (!level) fail(NULL, "out of memory");
    DO(b, bosc_cellgraph_prepare(b->ctx, b->graph));
    for (b->from = b->reached = 0; b->from < info->vertices && 2 * b->reached < info->vertices; b->from += 7) levels(b);
    b->from -= 7;
    DO(b, bosc_cellgraph_levels(b->ctx, b->graph, b->from, level, NULL, NULL, NULL));
    for (b->to = 0; level[b->to] != b->depth;) b->to++;
    print("  breadth-first search", timing_of(NULL, levels, b, repeats));
    print("  shortest path to the last level", timing_of(NULL, path, b, repeats));
    printf("  %" PRId64 " vertices reached in %" PRId64 " levels; a path of %" PRId64 "\n", b->reached, b->depth,
           b->steps);
    if (b->steps != b->depth + 1) fail(NULL, "the path is not as long as the level says");
    free(level);
}

static void method(struct bench *b, char letter, int repeats, int64_t *edges)
{
    static const struct {
        char letter;
        const char *name;
        bosc_cell_method method;
        int32_t pivots;
        bosc_cell_trie_search search;
    } methods[] = {{'j', "join", BOSC_CELL_JOIN, 0, BOSC_CELL_TRIE_WALK},
                   {'z', "zobrist", BOSC_CELL_ZOBRIST, 0, BOSC_CELL_TRIE_WALK},
                   {'h', "heuristic, 3 pivots", BOSC_CELL_HEURISTIC, 3, BOSC_CELL_TRIE_WALK},
                   {'0', "naive", BOSC_CELL_HEURISTIC, 0, BOSC_CELL_TRIE_WALK},
                   {'t', "trie", BOSC_CELL_TRIE, 0, BOSC_CELL_TRIE_WALK},
                   {'p', "trie, as published", BOSC_CELL_TRIE, 0, BOSC_CELL_TRIE_LOOKUP},
                   {'d', "trie, Dobrowolski", BOSC_CELL_TRIE, 0, BOSC_CELL_TRIE_DOBROWOLSKI}};
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        if (methods[m].letter != letter) continue;
        bosc_cellgraph_opts o = {.size = sizeof o, .length = b->length, .method = methods[m].method};
        bosc_cellgraph_info info = {.size = sizeof info};
        o.pivots = methods[m].pivots;
        o.trie_search = methods[m].search;
        DO(b, bosc_cellgraph_create(b->ctx, &o, &b->graph));
        print(methods[m].name, timing_of(NULL, build, b, repeats));
        if (letter == 'j') print("  rows (CSR) of the finished graph", timing_of(NULL, rows_out, b, repeats));
        if (bosc_cellgraph_get_info(b->graph, &info) != BOSC_OK) fail(NULL, "bosc_cellgraph_get_info");
        if (*edges < 0) printf("  %" PRId64 " vertices, %" PRId64 " edges\n", info.vertices, info.edges);
        if (letter == 'j') searches(b, &info, repeats);
        b->found = info.edges;
        bosc_cellgraph_free(b->graph);
        agree(b, methods[m].name, edges);
        return;
    }
    if (letter != 'u') fail(NULL, "no such method");
    print("std::unordered_map, flips", timing_of(NULL, flips, b, repeats));
    agree(b, "std::unordered_map", edges);
}

int main(int argc, char **argv)
{
    struct bench b = {.n = 1000000, .length = 256};
    bosc_ctx_opts o = {.size = sizeof o, .backend = BOSC_BACKEND_CPU, .threads = 1};
    const char *methods = "jz";
    int repeats = 5;
    int64_t edges = -1;
    for (int i = 1; i + 1 < argc; i += 2) {
        switch (argv[i][0] == '-' ? argv[i][1] : 0) {
        case 'n': b.n = (int64_t)atof(argv[i + 1]); break;
        case 'l': b.length = atoi(argv[i + 1]); break;
        case 'm': methods = argv[i + 1]; break;
        case 't': o.threads = atoi(argv[i + 1]); break;
        case 'r': repeats = atoi(argv[i + 1]); break;
        case 'b': o.backend = strcmp(argv[i + 1], "cuda") == 0 ? BOSC_BACKEND_CUDA : BOSC_BACKEND_CPU; break;
        default:
            fprintf(stderr, "usage: bench_cellgraph [-n vectors] [-l letters] [-m jzh0tpdu] [-t threads] [-r repeats] "
                            "[-b cpu|cuda]\n");
            return 2;
        }
    }
    if (bosc_cellgraph_words(b.length, 1) == 0 || b.n < 1 || repeats < 1) fail(NULL, "bad sizes");
    if (bosc_ctx_create(&o, &b.ctx) != BOSC_OK) fail(NULL, bosc_backend_reason(o.backend));
    size_t bytes = (size_t)(b.n * bosc_cellgraph_words(b.length, 1)) * 8;
    b.host = scene_vectors(1, b.length, b.n);
    if (!b.host) fail(NULL, "out of memory");
    DO(&b, bosc_alloc(b.ctx, bytes, (void **)&b.rows));
    DO(&b, bosc_copy(b.ctx, b.rows, b.host, bytes));
    printf("%" PRId64 " vectors of %d letters, %d threads\n%-34s %12s %12s\n", b.n, (int)b.length, (int)o.threads, "",
           "least ms", "median ms");
    for (const char *m = methods; *m; m++) method(&b, *m, repeats, &edges);
    bosc_release(b.ctx, b.rows, bytes);
    bosc_ctx_free(b.ctx);
    free(b.host);
    return 0;
}
