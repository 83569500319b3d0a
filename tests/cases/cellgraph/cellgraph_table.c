/* Cell graphs by a table of all words: the plain answer, and that of another method where all pairs are many. */
#include "cases/plan/cells_data.h"

/* All that a graph gives out, as bytes. */
static void *contents_of(bosc_ctx *ctx, const bosc_cellgraph *graph, bosc_cellgraph_info *info, size_t *bytes)
{
    *info = (bosc_cellgraph_info){.size = sizeof *info};
    CHECK_EQ(bosc_cellgraph_get_info(ctx, graph, info), BOSC_OK);
    const size_t edges = (size_t)info->edges, vertices = (size_t)info->vertices;
    *bytes = edges * 20 + vertices * 24 + (size_t)info->n * 8;
    char *all = suite_alloc(*bytes), *counts = all + vertices * 8, *firsts = counts + vertices * 8,
         *vertex_of = firsts + vertices * 8, *pairs = vertex_of + info->n * 8;
    CHECK_OK(ctx, bosc_cellgraph_get_vertices(ctx, graph, (uint64_t *)(void *)all, firsts, (int64_t *)(void *)counts,
                                              vertex_of));
    CHECK_OK(ctx, bosc_cellgraph_get_pairs(ctx, graph, pairs, (uint32_t *)(void *)(pairs + edges * 16)));
    return all;
}

static bosc_cellgraph *open_graph(bosc_ctx *ctx, const struct reference_cells *c, bosc_cellgraph_method method)
{
    const bosc_cellgraph_opts opts = {
        .size = sizeof opts, .length = c->length, .letter_bits = c->letter_bits, .method = method, .keep_memory = 1};
    bosc_cellgraph *graph = NULL;
    CHECK_OK(ctx, bosc_cellgraph_create(ctx, &opts, &graph));
    return graph;
}

/* Checks that TABLE gives what ZOBRIST gives: built at once, built again, and added to. */
static void check_like_zobrist(bosc_ctx *ctx, const struct reference_cells *c)
{
    const int64_t part = c->n / 2;
    bosc_cellgraph *table = open_graph(ctx, c, BOSC_CELLGRAPH_TABLE),
                   *other = open_graph(ctx, c, BOSC_CELLGRAPH_ZOBRIST);
    CHECK_OK(ctx, bosc_cellgraph_build(ctx, other, c->rows, c->n, c->stride));
    bosc_cellgraph_info info[2];
    size_t bytes[2];
    void *want = contents_of(ctx, other, &info[0], &bytes[0]);
    for (int trial = 0; trial < 3; trial++) {
        if (trial == 2) {
            CHECK_OK(ctx, bosc_cellgraph_build(ctx, table, c->rows, part, c->stride));
            CHECK_OK(ctx, bosc_cellgraph_add(ctx, table, c->rows + part * c->stride, c->n - part, c->stride));
        } else {
            CHECK_OK(ctx, bosc_cellgraph_build(ctx, table, c->rows, c->n, c->stride));
        }
        void *got = contents_of(ctx, table, &info[1], &bytes[1]);
        CHECK_EQ(info[1].vertices, info[0].vertices);
        CHECK_EQ(info[1].edges, info[0].edges);
        if (trial < 2) CHECK_EQ(info[1].method, BOSC_CELLGRAPH_TABLE);
        CHECK(bytes[0] == bytes[1] && memcmp(want, got, bytes[0]) == 0);
        free(got);
    }
    free(want);
    bosc_cellgraph_free(table);
    bosc_cellgraph_free(other);
}

/* Random rows over an alphabet of `values` letters. */
static struct reference_cells rows_of(struct suite_random *r, int32_t length, int32_t letter_bits, uint32_t values,
                                      int64_t n)
{
    struct reference_cells c = cells_make(r, CELLS_EQUAL, length, letter_bits, n, (int64_t)suite_below(r, 2));
    for (int64_t i = 0; i < n; i++)
        for (int32_t k = 0; k < length; k++) reference_set_letter(&c, i, k, (uint32_t)suite_below(r, values));
    return c;
}

/* All words in a random order; each eighth one occurs again. */
static struct reference_cells all_words(struct suite_random *r, int32_t length, int32_t letter_bits)
{
    const int64_t words = (int64_t)1 << (length * letter_bits);
    struct reference_cells c = cells_make(r, CELLS_EQUAL, length, letter_bits, words + words / 8, 0);
    const uint64_t rest = c.rows[0] & ~(uint64_t)(words - 1); /* bits that the library must ignore */
    for (int64_t i = 0; i < c.n; i++) c.rows[i] = rest | (uint64_t)(i < words ? i : 8 * (i - words));
    for (int64_t i = c.n - 1; i > 0; i--) {
        const int64_t k = (int64_t)suite_below(r, (uint64_t)i + 1);
        const uint64_t row = c.rows[i];
        c.rows[i] = c.rows[k];
        c.rows[k] = row;
    }
    return c;
}

/* Checks TABLE against a comparison of all rows. */
static void check_plain(bosc_ctx *ctx, const struct reference_cells *c)
{
    bosc_cellgraph *graph = open_graph(ctx, c, BOSC_CELLGRAPH_TABLE);
    bosc_cellgraph_info info = {.size = sizeof info};
    int64_t *rows = suite_alloc((size_t)c->n * 24), *counts = rows + c->n, *vertex_of = counts + c->n;
    /* 1. The plain answer. */
    const int64_t vertices = reference_vertices(c, rows, vertex_of, counts);
    const int64_t edges = reference_cell_pairs(c, rows, vertices, NULL, NULL);
    int64_t *pairs = suite_alloc((size_t)edges * 16), *got = suite_alloc((size_t)edges * 16);
    int32_t *positions = suite_alloc((size_t)edges * 4);
    uint32_t *got_positions = suite_alloc((size_t)edges * 4);
    reference_cell_pairs(c, rows, vertices, pairs, positions);
    /* 2. The table's. */
    CHECK_OK(ctx, bosc_cellgraph_build(ctx, graph, c->rows, c->n, c->stride));
    CHECK_EQ(bosc_cellgraph_get_info(ctx, graph, &info), BOSC_OK);
    CHECK_EQ(info.vertices, vertices);
    CHECK_EQ(info.edges, edges);
    CHECK_OK(ctx, bosc_cellgraph_get_pairs(ctx, graph, got, got_positions));
    CHECK(edges == 0 || memcmp(got, pairs, (size_t)edges * 16) == 0);
    for (int64_t e = 0; e < edges; e++) CHECK_EQ(got_positions[e], positions[e]);
    free(rows);
    free(pairs);
    free(got);
    free(positions);
    free(got_positions);
    bosc_cellgraph_free(graph);
}

/* Lengths, letter sizes and alphabets; the last ones have the most bits that a table may have. */
static const struct {
    int32_t length, letter_bits;
    uint32_t values;
} shapes[] = {{1, 1, 2},  {3, 1, 2},  {5, 1, 2},  {6, 1, 2},  {10, 1, 2},  {14, 1, 2},  {1, 2, 3},
              {4, 2, 3},  {4, 2, 4},  {7, 2, 3},  {3, 3, 5},  {5, 3, 5},   {2, 5, 20},  {3, 5, 20},
              {4, 4, 16}, {2, 6, 64}, {2, 7, 99}, {1, 8, 7},  {2, 8, 256}, {26, 1, 2},  {12, 2, 4},
              {13, 2, 4}, {8, 3, 5},  {5, 5, 20}, {4, 6, 33}, {3, 7, 9},   {3, 8, 256}, {6, 4, 11}};

static void alphabets(bosc_ctx *ctx)
{
    static const int64_t counts[] = {1, 2, 31, 300};
    struct suite_random r = {81};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        if (suite_leaves_out() || shapes[k].length * shapes[k].letter_bits > cells_table_bits(ctx)) continue;
        for (int n = 0; n < 4; n++) {
            struct reference_cells c =
                rows_of(&r, shapes[k].length, shapes[k].letter_bits, shapes[k].values, counts[n]);
            check_plain(ctx, &c);
            free(c.rows);
        }
    }
}

/* Every word is a vertex, so that rows of edges are the longest. */
static void every_word(bosc_ctx *ctx)
{
    static const int32_t lengths[][2] = {{1, 1}, {4, 1}, {5, 1}, {9, 1}, {1, 2},
                                         {4, 2}, {3, 3}, {1, 5}, {2, 4}, {1, 8}};
    struct suite_random r = {82};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        if (suite_leaves_out()) continue;
        struct reference_cells c = all_words(&r, lengths[k][0], lengths[k][1]);
        check_plain(ctx, &c);
        free(c.rows);
    }
}

static void equal_words(bosc_ctx *ctx)
{
    struct suite_random r = {83};
    for (int64_t n = 1; n < 2000; n = n * 5 + 1) {
        struct reference_cells c = cells_make(&r, CELLS_EQUAL, 6, 2, n, n % 2);
        check_plain(ctx, &c);
        free(c.rows);
    }
}

/* More vertices than a block has, and more edges than its shared memory. */
static void many(bosc_ctx *ctx)
{
    struct suite_random r = {84};
    struct reference_cells words = all_words(&r, 5, 2);
    check_like_zobrist(ctx, &words);
    free(words.rows);
    words = all_words(&r, 2, 5);
    check_like_zobrist(ctx, &words);
    free(words.rows);
    if (suite_slow(ctx)) return;
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        if (suite_leaves_out()) continue;
        struct reference_cells c = rows_of(&r, shapes[k].length, shapes[k].letter_bits, shapes[k].values, 20000);
        check_like_zobrist(ctx, &c);
        free(c.rows);
    }
}

/* A reserve after a build that had none keeps the graph. */
static void reserve_later(bosc_ctx *ctx)
{
    struct suite_random r = {85};
    struct reference_cells c = rows_of(&r, 6, 2, 4, 300);
    bosc_cellgraph *graph = open_graph(ctx, &c, BOSC_CELLGRAPH_TABLE);
    bosc_cellgraph_info info;
    size_t bytes[2];
    CHECK_OK(ctx, bosc_cellgraph_build(ctx, graph, c.rows, c.n, c.stride));
    void *want = contents_of(ctx, graph, &info, &bytes[0]);
    CHECK(info.edges > 0);
    CHECK_OK(ctx, bosc_cellgraph_reserve(ctx, graph, 2 * c.n, 2 * info.edges));
    void *got = contents_of(ctx, graph, &info, &bytes[1]);
    CHECK(bytes[0] == bytes[1] && memcmp(want, got, bytes[0]) == 0);
    free(want);
    free(got);
    free(c.rows);
    bosc_cellgraph_free(graph);
}

static const struct suite_case suite_cases_cellgraph_table[] = {
    {"alphabets", alphabets, NULL}, {"every word", every_word, NULL},       {"equal words", equal_words, NULL},
    {"many", many, NULL},           {"reserve later", reserve_later, NULL},
};
SUITE(cellgraph_table);
