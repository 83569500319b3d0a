/* The methods of cell graphs: the most comparisons of the join, the choices of AUTO, and that a choice changes nothing
 * but time. */
#include "cases/plan/cells_data.h"

/* 2^bits rows over letters that lie beside each other, or (apart > 1) at a distance; other letters are the same. */
static struct reference_cells cube(int32_t length, int32_t bits, int32_t first, int32_t apart)
{
    struct reference_cells c = {.n = (int64_t)1 << bits, .length = length, .letter_bits = 1};
    c.stride = bosc_cellgraph_words(length, 1);
    c.rows = suite_alloc((size_t)(c.n * c.stride) * 8);
    memset(c.rows, 0x55, (size_t)(c.n * c.stride) * 8);
    for (int64_t i = 0; i < c.n; i++)
        for (int32_t k = 0; k < bits; k++) reference_set_letter(&c, i, first + k * apart, (uint32_t)(i >> k) & 1);
    return c;
}

static bosc_cellgraph_info info_of(bosc_ctx *ctx, const struct reference_cells *c, bosc_cellgraph_method method)
{
    bosc_cellgraph_info info = {.size = sizeof info};
    bosc_cellgraph *graph = cells_graph(ctx, c, method, 0, 32);
    CHECK_EQ(bosc_cellgraph_get_info(ctx, graph, &info), BOSC_OK);
    bosc_cellgraph_free(graph);
    return info;
}

/* However many vectors agree outside a word, a half or a segment, the join compares a vertex with no more others than a
 * few hundred, and looks it up once for each letter: all pairs would be thousands for each. */
static void bounded(bosc_ctx *ctx)
{
    static const struct {
        int32_t length, first, apart;
    } cubes[] = {{64, 3, 1},      {128, 50, 2},   {256, 0, 1},   {256, 0, 18},   {1024, 0, 17},    {1024, 0, 70},
                 {1024, 200, 30}, {1000, 960, 3}, {4096, 0, 64}, {4096, 0, 290}, {16384, 0, 1000}, {16384, 15000, 100}};
    const bool on_device = has_device_memory(ctx) && !suite_slow(ctx); /* where more are compared at first */
    const int32_t bits = suite_slow(ctx) ? 9 : on_device ? 13 : 11, most = on_device ? 1100 : 200;
    for (size_t k = 0; k < sizeof cubes / sizeof cubes[0]; k++) {
        if (suite_leaves_out()) continue;
        struct reference_cells c = cube(cubes[k].length, bits, cubes[k].first, cubes[k].apart);
        bosc_cellgraph_info info = info_of(ctx, &c, BOSC_CELLGRAPH_JOIN);
        CHECK_EQ(info.vertices, c.n);
        CHECK_EQ(info.edges, c.n / 2 * bits);
        CHECK(info.compared >= info.edges);
        CHECK(info.compared <= c.n * most + 1000);
        free(c.rows);
    }
}

/* The methods that were the fastest by far (bench_cellgraph_auto), on both backends. */
static void choices(bosc_ctx *ctx)
{
    struct suite_random r = {71};
    const int64_t n = 6000;
    struct reference_cells few = cells_make(&r, CELLS_RANDOM, 200, 1, 10, 0);
    CHECK_EQ(info_of(ctx, &few, BOSC_CELLGRAPH_AUTO).method, BOSC_CELLGRAPH_HEURISTIC);
    free(few.rows);
    struct reference_cells bases = cells_make(&r, CELLS_RANDOM, 6, 2, 4000, 0);
    CHECK_EQ(info_of(ctx, &bases, BOSC_CELLGRAPH_AUTO).method, BOSC_CELLGRAPH_TABLE);
    free(bases.rows);
    struct reference_cells longer = cells_make(&r, CELLS_RANDOM, 27, 1, 1000, 0);
    CHECK(info_of(ctx, &longer, BOSC_CELLGRAPH_AUTO).method != BOSC_CELLGRAPH_TABLE);
    free(longer.rows);
    if (suite_slow(ctx)) return;
    struct reference_cells random = cells_make(&r, CELLS_RANDOM, 256, 1, n, 0);
    struct reference_cells word = cells_make(&r, CELLS_WALK, 60, 1, n, 0);
    struct reference_cells block = cube(512, 13, 100, 1);
    CHECK_EQ(info_of(ctx, &random, BOSC_CELLGRAPH_AUTO).method, BOSC_CELLGRAPH_JOIN);
    CHECK_EQ(info_of(ctx, &word, BOSC_CELLGRAPH_AUTO).method, BOSC_CELLGRAPH_ZOBRIST);
    CHECK_EQ(info_of(ctx, &block, BOSC_CELLGRAPH_AUTO).method, BOSC_CELLGRAPH_ZOBRIST);
    free(random.rows);
    free(word.rows);
    free(block.rows);
}

static void *bytes_of(bosc_ctx *ctx, const struct reference_cells *c, bosc_cellgraph_method method, size_t *bytes)
{
    bosc_cellgraph_info info = {.size = sizeof info};
    bosc_cellgraph *graph = cells_graph(ctx, c, method, 0, 32);
    CHECK_EQ(bosc_cellgraph_get_info(ctx, graph, &info), BOSC_OK);
    const size_t edges = (size_t)info.edges, vertices = (size_t)info.vertices, words = (size_t)info.words;
    *bytes = edges * 12 + vertices * (words * 8 + 12) + (size_t)c->n * 4;
    char *all = suite_alloc(*bytes), *at = all + vertices * (words * 8 + 8);
    CHECK_OK(ctx, bosc_cellgraph_get_vertices(ctx, graph, (uint64_t *)(void *)all, at + edges * 12,
                                              (int64_t *)(void *)(all + vertices * words * 8),
                                              at + edges * 12 + vertices * 4));
    CHECK_OK(ctx, bosc_cellgraph_get_pairs(ctx, graph, at, (uint32_t *)(void *)(at + edges * 8)));
    bosc_cellgraph_free(graph);
    return all;
}

/* AUTO gives the bytes that every method gives. */
static void same_bytes(bosc_ctx *ctx)
{
    struct suite_random r = {72};
    for (int shape = 0; shape < CELLS_SHAPES; shape++)
        for (int32_t bits = 1; bits <= 4; bits += bits) {
            if (suite_leaves_out()) continue;
            struct reference_cells c =
                cells_make(&r, (enum cells_shape)shape, 40 << shape % 4, bits, suite_slow(ctx) ? 100 : 300, 0);
            size_t bytes, other;
            void *by_auto = bytes_of(ctx, &c, BOSC_CELLGRAPH_AUTO, &bytes);
            for (int m = BOSC_CELLGRAPH_HEURISTIC; m <= BOSC_CELLGRAPH_JOIN; m++) {
                void *by_method = bytes_of(ctx, &c, (bosc_cellgraph_method)m, &other);
                CHECK_EQ(other, bytes);
                CHECK(memcmp(by_method, by_auto, bytes) == 0);
                free(by_method);
            }
            free(by_auto);
            free(c.rows);
        }
}

/* 1,000 rows over two letters of eight bits that lie beside each other: a crowd in one word, where on a device the join
 * was three times slower than lookups. */
static void crowd_of_letters(bosc_ctx *ctx)
{
    struct suite_random r = {73};
    struct reference_cells c = {.n = 1000, .length = 64, .letter_bits = 8};
    if (!has_device_memory(ctx)) return;
    c.stride = bosc_cellgraph_words(c.length, c.letter_bits);
    c.rows = suite_alloc((size_t)(c.n * c.stride) * 8);
    memset(c.rows, 0, (size_t)(c.n * c.stride) * 8);
    for (int64_t i = 0; i < c.n; i++)
        for (int32_t k = 0; k < 2; k++) reference_set_letter(&c, i, k, (uint32_t)suite_below(&r, 256));
    CHECK_EQ(info_of(ctx, &c, BOSC_CELLGRAPH_AUTO).method, BOSC_CELLGRAPH_ZOBRIST);
    free(c.rows);
}

static const struct suite_case suite_cases_cellgraph_methods[] = {
    {"bounded", bounded, NULL},
    {"choices", choices, NULL},
    {"crowd of letters", crowd_of_letters, NULL},
    {"same bytes", same_bytes, NULL},
};
SUITE(cellgraph_methods);
