/* Paths of graphs with implied edges: those of graphs that store them, and functions that need them. */
#include <stdlib.h>
#include <string.h>

#include "reference/cellgraph.h"
#include "support/faults.h"
#include "support/suite.h"

enum { MOST = 1024, WORDS = 3 };

/* A random part of a subcube of `bits` dimensions: letters anywhere in vectors of `length`. */
static int64_t make_part(struct suite_random *r, int32_t length, int32_t bits, uint64_t percent, uint64_t *rows)
{
    const int64_t words = bosc_cellgraph_words(length, 1);
    int32_t letters[12];
    int64_t n = 0;
    uint64_t common[WORDS];
    for (int b = 0; b < bits; b++) letters[b] = (int32_t)suite_below(r, (uint64_t)length);
    for (int64_t w = 0; w < words; w++) common[w] = suite_next(r);
    for (uint64_t x = 0; x < 1ull << bits; x++) {
        if (suite_below(r, 100) >= percent) continue;
        for (int64_t w = 0; w < words; w++) rows[n * words + w] = common[w];
        for (int b = 0; b < bits; b++) rows[n * words + letters[b] / 64] ^= (x >> b & 1) << (letters[b] % 64);
        n++;
    }
    return n;
}

static bosc_cellgraph *open_graph(bosc_ctx *ctx, int32_t length, int32_t implied)
{
    const bosc_cellgraph_opts o = {.size = sizeof o, .length = length, .implied_edges = implied};
    bosc_cellgraph *graph = NULL;
    CHECK_OK(ctx, bosc_cellgraph_create(ctx, &o, &graph));
    return graph;
}

/* Checks a path of both graphs. */
static void check_path(bosc_ctx *ctx, bosc_cellgraph *const graphs[2], int64_t from, int64_t to, const uint8_t *mask)
{
    int64_t paths[2][MOST], length[2];
    for (int g = 0; g < 2; g++)
        CHECK_OK(ctx, bosc_cellgraph_path_masked(ctx, graphs[g], from, to, mask, paths[g], MOST, &length[g]));
    CHECK_EQ(length[0], length[1]);
    CHECK(memcmp(paths[0], paths[1], (size_t)length[0] * sizeof paths[0][0]) == 0);
}

static void same_paths(bosc_ctx *ctx)
{
    static const int32_t lengths[] = {1, 7, 40, 64, 65, 150};
    static uint64_t rows[MOST * WORDS];
    struct suite_random r = {11};
    int64_t found = 0;
    for (int t = 0; t < 48; t++) {
        if (suite_leaves_out()) continue;
        /* 1. A graph with and without stored edges, built at once or in two parts. */
        const int32_t length = lengths[t % 6], bits = 2 + (int32_t)suite_below(&r, suite_slow(ctx) ? 4 : 8);
        const int64_t n = make_part(&r, length, bits, 30 + suite_below(&r, 71), rows);
        const int64_t first = t % 4 ? n : n / 2, words = bosc_cellgraph_words(length, 1);
        bosc_cellgraph *graphs[2] = {open_graph(ctx, length, 0), open_graph(ctx, length, 1)};
        bosc_cellgraph_info info = {.size = sizeof info};
        uint8_t mask[MOST];
        if (n == 0) rows[0] = 0;
        for (int g = 0; g < 2; g++) {
            CHECK_OK(ctx, bosc_cellgraph_build(ctx, graphs[g], rows, first, 0));
            CHECK_OK(ctx, bosc_cellgraph_add(ctx, graphs[g], rows + first * words, n - first, 0));
            if (t % 2) CHECK_OK(ctx, bosc_cellgraph_prepare(ctx, graphs[g]));
            CHECK_OK(ctx, bosc_cellgraph_get_info(ctx, graphs[g], &info));
        }
        CHECK_EQ(info.edges, 0);
        /* 2. Paths, also through some of the vertices. */
        for (int64_t v = 0; v < info.vertices; v++) mask[v] = suite_below(&r, 8) > 0;
        for (int k = 0; k < 12 && info.vertices > 0; k++) {
            const int64_t from = (int64_t)suite_below(&r, (uint64_t)info.vertices),
                          to = (int64_t)suite_below(&r, (uint64_t)info.vertices);
            check_path(ctx, graphs, from, to, k % 3 == 2 ? mask : NULL);
            found++;
        }
        for (int g = 0; g < 2; g++) bosc_cellgraph_free(graphs[g]);
    }
    CHECK(found > 0);
}

/* A path in a cube of 12 dimensions whose vertices have no other neighbours among them: it winds, so that its length is
 * far above the distance of its ends, and searches take many rounds. */
static void detours(bosc_ctx *ctx)
{
    enum { DIMENSIONS = 12, LONG = 90 };
    struct suite_random r = {2};
    uint64_t rows[LONG];
    int64_t n = 0, length;
    for (int tries = 0; n < LONG; tries++) {
        if (tries % 4096 == 0) rows[0] = 0, n = 1;
        const uint64_t next = rows[n - 1] ^ 1ull << suite_below(&r, DIMENSIONS);
        bool is_new = true;
        for (int64_t i = 0; i < n - 1 && is_new; i++) {
            const uint64_t bits = next ^ rows[i];
            is_new = (bits & (bits - 1)) != 0;
        }
        if (is_new) rows[n++] = next;
    }
    bosc_cellgraph *graphs[2] = {open_graph(ctx, DIMENSIONS, 0), open_graph(ctx, DIMENSIONS, 1)};
    for (int g = 0; g < 2; g++) CHECK_OK(ctx, bosc_cellgraph_build(ctx, graphs[g], rows, n, 0));
    for (int64_t to = 0; to < n; to += 7) check_path(ctx, graphs, 0, to, NULL);
    check_path(ctx, graphs, n - 1, 3, NULL);
    CHECK_OK(ctx, bosc_cellgraph_path(ctx, graphs[1], 0, n - 1, NULL, 0, &length));
    CHECK_EQ(length, LONG);
    for (int g = 0; g < 2; g++) bosc_cellgraph_free(graphs[g]);
}

/* Ends whose distance is far above the number of vertices: no path is that long. */
static void far_ends(bosc_ctx *ctx)
{
    enum { LENGTH = 65536, FAR_WORDS = LENGTH / 64, ENDS = 2 };
    static uint64_t rows[ENDS * FAR_WORDS];
    for (int64_t w = 0; w < FAR_WORDS; w++) rows[FAR_WORDS + w] = UINT64_MAX;
    bosc_cellgraph *graphs[2] = {open_graph(ctx, LENGTH, 0), open_graph(ctx, LENGTH, 1)};
    for (int g = 0; g < 2; g++) CHECK_OK(ctx, bosc_cellgraph_build(ctx, graphs[g], rows, ENDS, 0));
    check_path(ctx, graphs, 0, 1, NULL);
    check_path(ctx, graphs, 1, 1, NULL);
    for (int g = 0; g < 2; g++) bosc_cellgraph_free(graphs[g]);
}

static void refuses(bosc_ctx *ctx)
{
    bosc_cellgraph_opts o = {.size = sizeof o, .length = 5, .implied_edges = 2};
    bosc_cellgraph *graph = NULL;
    int64_t numbers[16];
    CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: implied_edges");
    o.implied_edges = 1;
    o.letter_bits = 2;
    CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: implied_edges");
    o.letter_bits = 1;
    o.method = BOSC_CELLGRAPH_JOIN;
    CHECK_ARG(ctx, bosc_cellgraph_create(ctx, &o, &graph), "opts: implied_edges");
    graph = open_graph(ctx, 5, 1);
    const uint64_t rows[3] = {0, 1, 3};
    CHECK_OK(ctx, bosc_cellgraph_build(ctx, graph, rows, 3, 0));
    CHECK_ARG(ctx, bosc_cellgraph_get_pairs(ctx, graph, numbers, NULL), "graph");
    CHECK_ARG(ctx, bosc_cellgraph_get_rows(ctx, graph, numbers, NULL, NULL), "graph");
    CHECK_ARG(ctx, bosc_cellgraph_components(ctx, graph, numbers, NULL), "graph");
    CHECK_ARG(ctx, bosc_cellgraph_levels(ctx, graph, 0, numbers, NULL, NULL, NULL), "graph");
    CHECK_ARG(ctx, bosc_cellgraph_path(ctx, graph, 0, 3, NULL, 0, numbers), "to");
    bosc_cellgraph_free(graph);
}

struct subject {
    bosc_cellgraph *graph;
    int64_t path[8], length;
};

static void open_subject(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const uint64_t rows[6] = {0, 1, 3, 7, 6, 12};
    s->graph = open_graph(ctx, 5, 1);
    CHECK_OK(ctx, bosc_cellgraph_build(ctx, s->graph, rows, 6, 0));
}

static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    return bosc_cellgraph_path(ctx, s->graph, 0, 4, s->path, 8, &s->length);
}

static void close_subject(void *user) { bosc_cellgraph_free(((struct subject *)user)->graph); }

static void faults(bosc_ctx *ctx)
{
    struct subject s = {NULL, {0}, 0};
    const struct fault_sweep sweep = {.open = open_subject,
                                      .call = call,
                                      .close = close_subject,
                                      .user = &s,
                                      .outputs = s.path,
                                      .output_bytes = sizeof s.path + sizeof s.length};
    fault_sweep(ctx, &sweep);
}

static const struct suite_case suite_cases_cellgraph_route[] = {{"same paths", same_paths, NULL},
                                                                {"detours", detours, NULL},
                                                                {"far ends", far_ends, NULL},
                                                                {"refused arguments", refuses, NULL},
                                                                {"faults", faults, NULL}};
SUITE(cellgraph_route);
