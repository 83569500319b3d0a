/* Times paths without stored edges: bench_cellgraph_route [-n cells] [-d distance]. Cells are a random part of a cube
 * of 12 to 31 dimensions, with 64 letters: a flip leads to another cell with a probability of .44 to .89.
 * Paths lead from the first cell to the first ones at a quarter, a half, three quarters and all of the letters; -d: at
 * this distance alone. Up to 4,194,304 cells the answers are compared with those of a graph that stores its edges,
 * which is timed beside. Handles are warm, arrays are in the backend's memory. */
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"

enum { STORED = 1 << 22, LEAST_DIMENSIONS = 12, MOST_DIMENSIONS = 31 };
enum { MOST_CELLS = 1900000000 /* 8 / 9 of the largest cube */ };

struct subject {
    uint64_t *rows; /* the backend's */
    bosc_cellgraph *graph;
    int64_t from, to, steps;
};

/* Spreads the bits of x over the letters. */
static uint64_t vector_of(uint64_t x)
{
    uint64_t vector = 0x5a5a5a5a5a5a5a5aull;
    for (int b = 0; b < MOST_DIMENSIONS; b++) vector ^= (x >> b & 1) << (2 * b + (b & 1));
    return vector;
}

static bool is_cell(uint64_t x, uint64_t limit)
{
    uint64_t z = x + 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (z ^ z >> 31) >> 32 <= limit;
}

/* Makes bench.n cells, or a few less: returns their number. */
static int64_t make_cells(int dimensions, uint64_t *rows)
{
    const uint64_t all = 1ull << dimensions, limit = (uint64_t)((double)bench.n / (double)all * 0x1p32);
    int64_t n = 0;
    for (uint64_t x = 0; x < all && n < bench.n; x++)
        if (is_cell(x, limit)) rows[n++] = vector_of(x);
    return n;
}

static void build_graph(void *user)
{
    struct subject *s = user;
    BENCH(bosc_cellgraph_build(bench.ctx, s->graph, s->rows, bench.n, 0));
}

static void find_path(void *user)
{
    struct subject *s = user;
    BENCH(bosc_cellgraph_path(bench.ctx, s->graph, s->from, s->to, NULL, 0, &s->steps));
}

static int64_t find_at_distance(const uint64_t *rows, int distance)
{
    for (int64_t i = 0; i < bench.n; i++)
        if (__builtin_popcountll(rows[i] ^ rows[0]) == distance) return i;
    return -1;
}

/* Times the build, and one path for each distance: steps[distance]. Bytes are those before the graph is prepared. */
static void time_graph(struct subject *s, const uint64_t *host, int32_t implied, int first, int last, int step,
                       int64_t *steps)
{
    const bosc_cellgraph_opts o = {.size = sizeof o, .length = 64, .implied_edges = implied};
    bosc_cellgraph_info info = {.size = sizeof info};
    BENCH(bosc_cellgraph_create(bench.ctx, &o, &s->graph));
    bench_row(implied ? "vertices" : "vertices and stored edges", bench.n,
              bench_time(NULL, build_graph, s, bench.repeats));
    BENCH(bosc_cellgraph_get_info(bench.ctx, s->graph, &info));
    bench_say("%" PRId64 " vertices, %" PRId64 " edges, %.3f GB", info.vertices, info.edges, 1e-9 * (double)info.bytes);
    BENCH(bosc_cellgraph_prepare(bench.ctx, s->graph));
    for (int distance = first; distance <= last; distance += step) {
        s->from = 0;
        s->to = find_at_distance(host, distance);
        if (s->to < 0) continue;
        const struct bench_times times = bench_time(NULL, find_path, s, bench.repeats);
        bench_row(bench_text("  path at distance %d, %s", distance, implied ? "by flips" : "breadth first"), bench.n,
                  times);
        bench_say("  %" PRId64 " edges", s->steps - 1);
        if (implied)
            steps[distance] = s->steps;
        else
            bench_check(steps[distance] == s->steps, "distance %d: %" PRId64 " vertices, not %" PRId64, distance,
                        steps[distance], s->steps);
    }
    bosc_cellgraph_free(s->graph);
}

int main(int argc, char **argv)
{
    struct subject s = {0};
    int64_t distance = 0, steps[MOST_DIMENSIONS + 1] = {0};
    int dimensions = LEAST_DIMENSIONS;
    const struct bench_option own[] = {{'d', BENCH_INTEGER, &distance, "distance of the ends"}};
    bench.n = 1000000;
    bench.repeats = 3;
    bench_options(argc, argv, "cells", own, 1);
    if (bench.n < 1 << 11 || bench.n > MOST_CELLS) bench_fail("-n: 2,048 to %d cells", MOST_CELLS);
    if (distance < 0 || distance > MOST_DIMENSIONS) bench_fail("-d: 0 to %d", MOST_DIMENSIONS);
    while (1ll << dimensions < bench.n + bench.n / 8) dimensions++;
    bench_open();
    uint64_t *host = bench_host((size_t)bench.n * sizeof *host);
    bench.n = make_cells(dimensions, host);
    s.rows = bench_array(host, (size_t)bench.n * sizeof *host);
    bench_say("%s: %" PRId64 " cells of a cube of %d dimensions", bench_device(), bench.n, dimensions);
    const int step = dimensions / 4, first = distance ? (int)distance : step,
              last = distance ? (int)distance : dimensions;
    time_graph(&s, host, 1, first, last, step, steps);
    if (bench.n <= STORED) time_graph(&s, host, 0, first, last, step, steps);
    bench_release(s.rows);
    free(host);
    return bench_close();
}
