/* Cell graphs equal the graph of a comparison of all pairs, whatever the method, the letters and the vectors. */
#include "cellgraph/steps/vectors.h"
#include "cases/plan/cells_data.h"

/* The plain answer. */
struct answer {
    int64_t vertices, edges;
    int64_t *firsts, *vertex_of, *multiplicities, *pairs;
    int32_t *positions;
};

static struct answer answer_of(const struct reference_cells *c)
{
    struct answer a = {.firsts = suite_alloc((size_t)c->n * 8),
                       .vertex_of = suite_alloc((size_t)c->n * 8),
                       .multiplicities = suite_alloc((size_t)c->n * 8)};
    a.vertices = reference_vertices(c, a.firsts, a.vertex_of, a.multiplicities);
    a.edges = reference_cell_pairs(c, a.firsts, a.vertices, NULL, NULL);
    a.pairs = suite_alloc((size_t)a.edges * 16);
    a.positions = suite_alloc((size_t)a.edges * 4);
    reference_cell_pairs(c, a.firsts, a.vertices, a.pairs, a.positions);
    return a;
}

static void answer_free(struct answer *a)
{
    free(a->firsts);
    free(a->vertex_of);
    free(a->multiplicities);
    free(a->pairs);
    free(a->positions);
}

static void check_vertices(bosc_ctx *ctx, const bosc_cellgraph *graph, const struct reference_cells *c,
                           const struct answer *a, int32_t id_bits, bool on_device)
{
    int64_t words = bosc_cellgraph_words(c->length, c->letter_bits);
    size_t id = (size_t)id_bits / 8, vertices = (size_t)a->vertices;
    struct array vectors = array_make(ctx, NULL, vertices * (size_t)words * 8, on_device);
    struct array firsts = array_make(ctx, NULL, vertices * id, on_device);
    struct array counts = array_make(ctx, NULL, vertices * 8, on_device);
    struct array vertex_of = array_make(ctx, NULL, (size_t)c->n * id, on_device);
    CHECK_OK(ctx, bosc_cellgraph_get_vertices(ctx, graph, vectors.p, firsts.p, counts.p, vertex_of.p));
    struct reference_cells got = *c;
    array_get(ctx, &firsts);
    array_get(ctx, &counts);
    array_get(ctx, &vertex_of);
    got.rows = array_get(ctx, &vectors);
    got.stride = words;
    /* Each vertex has the letters of its first row, zeros behind them, and its number of rows. */
    for (int64_t v = 0; v < a->vertices; v++) {
        CHECK_EQ(cells_id(firsts.host, id_bits, v), a->firsts[v]);
        CHECK_EQ(((int64_t *)counts.host)[v], a->multiplicities[v]);
        for (int32_t k = 0; k < c->length; k++)
            CHECK_EQ(reference_letter(&got, v, k), reference_letter(c, a->firsts[v], k));
        for (int32_t k = c->length; k < words * (64 / c->letter_bits); k++) CHECK_EQ(reference_letter(&got, v, k), 0);
    }
    for (int64_t i = 0; i < c->n; i++) CHECK_EQ(cells_id(vertex_of.host, id_bits, i), a->vertex_of[i]);
    array_free(ctx, &vectors);
    array_free(ctx, &firsts);
    array_free(ctx, &counts);
    array_free(ctx, &vertex_of);
}

static void check_pairs(bosc_ctx *ctx, const bosc_cellgraph *graph, const struct answer *a, int32_t id_bits,
                        bool on_device)
{
    struct array pairs = array_make(ctx, NULL, (size_t)a->edges * (size_t)id_bits / 4, on_device);
    struct array positions = array_make(ctx, NULL, (size_t)a->edges * 4, on_device);
    CHECK_OK(ctx, bosc_cellgraph_get_pairs(ctx, graph, pairs.p, positions.p));
    array_get(ctx, &pairs);
    array_get(ctx, &positions);
    for (int64_t e = 0; e < a->edges; e++) {
        CHECK_EQ(cells_id(pairs.host, id_bits, 2 * e), a->pairs[2 * e]);
        CHECK_EQ(cells_id(pairs.host, id_bits, 2 * e + 1), a->pairs[2 * e + 1]);
        CHECK_EQ(((int32_t *)positions.host)[e], a->positions[e]);
    }
    array_free(ctx, &pairs);
    array_free(ctx, &positions);
}

static void check_rows(bosc_ctx *ctx, const bosc_cellgraph *graph, const struct answer *a, int32_t id_bits,
                       bool on_device)
{
    struct array offsets = array_make(ctx, NULL, (size_t)(a->vertices + 1) * 8, on_device);
    struct array neighbours = array_make(ctx, NULL, (size_t)a->edges * 2 * (size_t)id_bits / 8, on_device);
    struct array positions = array_make(ctx, NULL, (size_t)a->edges * 8, on_device);
    CHECK_OK(ctx, bosc_cellgraph_get_rows(ctx, graph, offsets.p, neighbours.p, positions.p));
    const int64_t *at = array_get(ctx, &offsets);
    array_get(ctx, &neighbours);
    array_get(ctx, &positions);
    int64_t *next = suite_alloc((size_t)a->vertices * 8);
    CHECK_EQ(at[0], 0);
    CHECK_EQ(at[a->vertices], 2 * a->edges);
    for (int64_t v = 0; v < a->vertices; v++) next[v] = at[v];
    /* edges ascend, so the smaller neighbours of each vertex come first, and each kind in order */
    for (int side = 1; side >= 0; side--)
        for (int64_t e = 0; e < a->edges; e++) {
            int64_t from = a->vertex_of[a->pairs[2 * e + side]], to = a->vertex_of[a->pairs[2 * e + 1 - side]];
            CHECK(next[from] < at[from + 1]);
            CHECK_EQ(cells_id(neighbours.host, id_bits, next[from]), to);
            CHECK_EQ(((int32_t *)positions.host)[next[from]], a->positions[e]);
            next[from]++;
        }
    for (int64_t v = 0; v < a->vertices; v++) CHECK_EQ(next[v], at[v + 1]);
    free(next);
    array_free(ctx, &offsets);
    array_free(ctx, &neighbours);
    array_free(ctx, &positions);
}

/* The id that is none. */
static int64_t none_of(int32_t id_bits) { return id_bits == 32 ? (int64_t)UINT32_MAX : -1; }

/* mask: a byte for each vertex, or NULL. */
static void check_components(bosc_ctx *ctx, const bosc_cellgraph *graph, const struct answer *a, const uint8_t *mask,
                             int32_t id_bits, bool on_device)
{
    struct array labels = array_make(ctx, NULL, (size_t)a->vertices * (size_t)id_bits / 8, on_device);
    struct array allowed = array_make(ctx, mask, mask ? (size_t)a->vertices : 0, on_device);
    int64_t *want = suite_alloc((size_t)a->vertices * 8), count = -1, components = 0;
    for (int64_t v = 0; v < a->vertices; v++) {
        want[v] = mask && !mask[v] ? none_of(id_bits) : v;
        components += !mask || mask[v];
    }
    /* Plain components: an edge joins two labels by relabelling all vertices of the higher one. */
    for (int64_t e = 0; e < a->edges; e++) {
        int64_t u = want[a->vertex_of[a->pairs[2 * e]]], v = want[a->vertex_of[a->pairs[2 * e + 1]]];
        if (u == v || u == none_of(id_bits) || v == none_of(id_bits)) continue;
        components--;
        for (int64_t k = 0; k < a->vertices; k++)
            if (want[k] == (u > v ? u : v)) want[k] = u > v ? v : u;
    }
    if (mask)
        CHECK_OK(ctx, bosc_cellgraph_components_masked(ctx, graph, allowed.p, labels.p, &count));
    else
        CHECK_OK(ctx, bosc_cellgraph_components(ctx, graph, labels.p, &count));
    CHECK_EQ(count, components);
    array_get(ctx, &labels);
    for (int64_t v = 0; v < a->vertices; v++) CHECK_EQ(cells_id(labels.host, id_bits, v), want[v]);
    CHECK_OK(ctx, bosc_cellgraph_components(ctx, graph, NULL, NULL));
    free(want);
    array_free(ctx, &allowed);
    array_free(ctx, &labels);
}

static void check_graph(bosc_ctx *ctx, const struct reference_cells *c, const struct answer *a,
                        bosc_cellgraph_method method, int32_t pivots, int32_t id_bits)
{
    bosc_cellgraph *graph = cells_graph(ctx, c, method, pivots, id_bits);
    bosc_cellgraph_info info = {.size = sizeof info};
    CHECK_EQ(bosc_cellgraph_get_info(ctx, graph, &info), BOSC_OK);
    CHECK_EQ(info.n, c->n);
    CHECK_EQ(info.vertices, a->vertices);
    CHECK_EQ(info.edges, a->edges);
    CHECK_EQ(info.words, bosc_cellgraph_words(c->length, c->letter_bits));
    CHECK(info.length == c->length && info.letter_bits == c->letter_bits && info.id_bits == id_bits);
    if (method != BOSC_CELLGRAPH_AUTO) CHECK_EQ(info.method, method);
    for (int device = 0; device <= has_device_memory(ctx); device++) {
        check_vertices(ctx, graph, c, a, id_bits, device);
        check_pairs(ctx, graph, a, id_bits, device);
        check_rows(ctx, graph, a, id_bits, device);
        check_components(ctx, graph, a, NULL, id_bits, device);
    }
    bosc_cellgraph_free(graph);
}

/* All methods on the same vectors. */
static void check_all(bosc_ctx *ctx, const struct reference_cells *c)
{
    static const struct {
        bosc_cellgraph_method method;
        int32_t pivots; /* or how TRIE searches */
    } ways[] = {{BOSC_CELLGRAPH_JOIN, 0},
                {BOSC_CELLGRAPH_ZOBRIST, 0},
                {BOSC_CELLGRAPH_HEURISTIC, 0},
                {BOSC_CELLGRAPH_HEURISTIC, 3},
                {BOSC_CELLGRAPH_AUTO, 0},
                {BOSC_CELLGRAPH_TRIE, BOSC_CELLGRAPH_TRIE_WALK},
                {BOSC_CELLGRAPH_TRIE, BOSC_CELLGRAPH_TRIE_LOOKUP},
                {BOSC_CELLGRAPH_HEURISTIC, -1}, /* as published, this many pivots */
                {BOSC_CELLGRAPH_HEURISTIC, -6},
                {BOSC_CELLGRAPH_HEURISTIC, CELLS_BLOCKS}, /* as published, with its launch and its end */
                {BOSC_CELLGRAPH_HEURISTIC, CELLS_BLOCKS - 5},
                {BOSC_CELLGRAPH_TRIE, BOSC_CELLGRAPH_TRIE_BLOCKS},
                {BOSC_CELLGRAPH_TABLE, 0},
                {BOSC_CELLGRAPH_TRIE, BOSC_CELLGRAPH_TRIE_DOBROWOLSKI}};
    struct answer a = answer_of(c);
    int count = has_device_memory(ctx) ? 13 : 14; /* the last one is the CPU's */
    for (int w = 0; w < count; w++) {
        if (ways[w].method == BOSC_CELLGRAPH_TABLE && c->length * c->letter_bits > cells_table_bits(ctx)) continue;
        const bool looks_up = ways[w].method == BOSC_CELLGRAPH_TRIE && (ways[w].pivots == BOSC_CELLGRAPH_TRIE_LOOKUP ||
                                                                        ways[w].pivots == BOSC_CELLGRAPH_TRIE_BLOCKS);
        if (looks_up && (int64_t)c->length * c->length << c->letter_bits > 40000) continue; /* its steps for a vertex */
        check_graph(ctx, c, &a, ways[w].method, ways[w].pivots, w % 2 ? 32 : 64);
    }
    answer_free(&a);
}

static void every_letter_size(bosc_ctx *ctx)
{
    static const int32_t lengths[] = {1, 2, 7, 20, 63, 64, 65, 130, 1000}; /* the last two for small alphabets */
    struct suite_random r = {51};
    for (int shape = 0; shape < CELLS_SHAPES; shape++)
        for (int32_t bits = 1; bits <= 8; bits++)
            for (int trial = 0; trial < 2; trial++) {
                if (suite_leaves_out()) continue;
                int32_t length = lengths[suite_below(&r, bits < 3 ? 9 : 7)];
                int64_t n = (int64_t)suite_below(&r, suite_slow(ctx) ? 40 : 70);
                struct reference_cells c =
                    cells_make(&r, (enum cells_shape)shape, length, bits, n, (int64_t)suite_below(&r, 2));
                check_all(ctx, &c);
                free(c.rows);
            }
}

static void few_vectors(bosc_ctx *ctx)
{
    struct suite_random r = {52};
    for (int64_t n = 0; n < 6; n++)
        for (int32_t length = 1; length < 5; length++) {
            struct reference_cells c = cells_make(&r, CELLS_WALK, length, 1 + (int32_t)n % 3, n, 0);
            check_all(ctx, &c);
            free(c.rows);
        }
}

/* Runs compared pair by pair beside runs whose letters are replaced; the number of edges makes their buffer grow. */
static void cubes(bosc_ctx *ctx)
{
    struct suite_random r = {53};
    for (int32_t dim = 4; dim <= (suite_slow(ctx) ? 6 : 8); dim += 2)
        for (int32_t where = 0; where < 3; where++) {
            if (suite_leaves_out()) continue;
            int64_t n = ((int64_t)1 << dim) + 50;
            int32_t length = where == 2 ? dim : 100;
            struct reference_cells c = cells_make(&r, CELLS_WALK, length, 1, n, 0);
            for (int64_t i = 0; i < (int64_t)1 << dim; i++)
                for (int32_t k = 0; k < length; k++)
                    reference_set_letter(&c, i, k,
                                         k < dim * (where + 1) && k % (where == 1 ? 2 : 1) == 0 &&
                                             (where == 1 ? k / 2 < dim : k < dim) &&
                                             (i >> (where == 1 ? k / 2 : k)) & 1);
            check_all(ctx, &c);
            free(c.rows);
        }
}

/* Letters of four values in long runs. */
static void letters(bosc_ctx *ctx)
{
    struct suite_random r = {54};
    for (int32_t bits = 2; bits <= 8; bits++) {
        if (suite_leaves_out()) continue;
        struct reference_cells c = cells_make(&r, CELLS_CUBE, 10 * bits, bits, suite_slow(ctx) ? 60 : 130, 1);
        check_all(ctx, &c);
        free(c.rows);
    }
}

/* Vectors of 4 to 8 words whose halves hardly any others have, as wide segments of the join need; and, in two of three
 * trials, a crowd with one half, which the emulated device does not compare pair by pair, but not so large that the
 * mean would show it. */
static void halves(bosc_ctx *ctx)
{
    static const int32_t lengths[] = {256, 200, 500};
    struct suite_random r = {59};
    for (int trial = 0; trial < 9; trial++) {
        if (trial % 3 && ctx->backend->id != BOSC_BACKEND_CUDA) continue; /* which has narrow ones alone */
        if (trial != 1 && trial != 5 && suite_leaves_out()) continue;     /* these have crowds of both halves */
        const int32_t bits = 1 + trial / 3 % 2, length = lengths[trial / 3] / bits;
        const int32_t half = ((int32_t)bosc_cellgraph_words(length, bits) + 1) / 2 * (64 / bits);
        const int64_t crowd = trial % 3 ? 96 : 0, n = trial % 3 ? 4095 : 500;
        struct reference_cells c = cells_make(&r, CELLS_RANDOM, length, bits, n, 0);
        for (int64_t i = 0; i < n; i++) {
            for (int32_t k = 0; k < length && i < crowd; k++)
                if ((k < half) == (trial % 3 == 1)) reference_set_letter(&c, i, k, 1);
            const int32_t k = (int32_t)suite_below(&r, (uint64_t)length);
            if (i % 2 == 0) continue;
            memcpy(c.rows + i * c.stride, c.rows + (i - 1) * c.stride, (size_t)c.stride * 8);
            reference_set_letter(&c, i, k, reference_letter(&c, i, k) ^ 1);
        }
        struct answer a = answer_of(&c);
        check_graph(ctx, &c, &a, BOSC_CELLGRAPH_JOIN, 0, 32);
        answer_free(&a);
        free(c.rows);
    }
}

/* A graph is rebuilt from other vectors, and from none. */
static void again(bosc_ctx *ctx)
{
    struct suite_random r = {55};
    bosc_cellgraph_opts opts = {.size = sizeof opts, .length = 70, .letter_bits = 2, .id_bits = 32};
    bosc_cellgraph *graph = NULL;
    CHECK_OK(ctx, bosc_cellgraph_create(ctx, &opts, &graph));
    for (int trial = 0; trial < 8; trial++) {
        struct reference_cells c =
            cells_make(&r, (enum cells_shape)(trial % CELLS_SHAPES), 70, 2, trial == 4 ? 0 : 300 - 30 * trial, 0);
        struct answer a = answer_of(&c);
        bosc_cellgraph_info info = {.size = sizeof info};
        CHECK_OK(ctx, bosc_cellgraph_build(ctx, graph, c.rows, c.n, 0));
        CHECK_EQ(bosc_cellgraph_get_info(ctx, graph, &info), BOSC_OK);
        CHECK_EQ(info.edges, a.edges);
        check_vertices(ctx, graph, &c, &a, 32, false);
        check_pairs(ctx, graph, &a, 32, false);
        check_rows(ctx, graph, &a, 32, false);
        answer_free(&a);
        free(c.rows);
    }
    bosc_cellgraph_free(graph);
}

/* Rows that come in parts, few or many at a time, make the same graph. */
static void added(bosc_ctx *ctx)
{
    struct suite_random r = {58};
    for (int trial = 0; trial < 3 * CELLS_SHAPES; trial++) {
        if (suite_leaves_out()) continue;
        int32_t bits = 1 + trial % 3, length = trial % 2 ? 90 : 9;
        struct reference_cells c = cells_make(&r, (enum cells_shape)(trial % CELLS_SHAPES), length, bits,
                                              suite_slow(ctx) ? 60 : 150, trial % 2),
                               part = c;
        struct answer all = answer_of(&c);
        part.n = trial / CELLS_SHAPES == 0 ? 0 : c.n / 2;
        bosc_cellgraph *graph = cells_graph(ctx, &part, BOSC_CELLGRAPH_AUTO, 0, 32);
        for (int64_t at = part.n, step; at < c.n; at += step) {
            step = trial / CELLS_SHAPES == 1 ? 3 : c.n / 3;
            if (step > c.n - at) step = c.n - at;
            CHECK_OK(ctx, bosc_cellgraph_add(ctx, graph, c.rows + at * c.stride, step, c.stride));
        }
        CHECK_OK(ctx, bosc_cellgraph_add(ctx, graph, NULL, 0, 0));
        check_vertices(ctx, graph, &c, &all, 32, false);
        check_pairs(ctx, graph, &all, 32, false);
        check_rows(ctx, graph, &all, 32, false);
        bosc_cellgraph_free(graph);
        answer_free(&all);
        free(c.rows);
    }
}

/* The plain searches among the vertices of a mask (NULL: all): levels[v], parents[v] from `source`, -1 where no way
 * leads. */
static int64_t plain_levels(const struct answer *a, const uint8_t *mask, int64_t source, int64_t *levels,
                            int64_t *parents, int64_t *depth)
{
    int64_t reached = 1;
    for (int64_t v = 0; v < a->vertices; v++) levels[v] = parents[v] = -1;
    *depth = 0;
    if (mask && !mask[source]) return 0;
    levels[source] = 0;
    parents[source] = source;
    for (bool any = true; any; *depth += any) {
        any = false;
        for (int64_t e = 0; e < 2 * a->edges; e++) {
            int64_t u = a->vertex_of[a->pairs[e]], v = a->vertex_of[a->pairs[e ^ 1]];
            if (mask && !mask[v]) continue;
            if (levels[u] != *depth || (levels[v] >= 0 && levels[v] <= *depth)) continue;
            reached += levels[v] < 0;
            any = true;
            if (parents[v] < 0 || u < parents[v]) parents[v] = u;
            levels[v] = *depth + 1;
        }
    }
    return reached;
}

static void check_levels(bosc_ctx *ctx, const bosc_cellgraph *graph, const struct answer *a, const uint8_t *mask,
                         int64_t source, int32_t id_bits, bool on_device)
{
    struct array allowed = array_make(ctx, mask, mask ? (size_t)a->vertices : 0, on_device);
    size_t bytes = (size_t)a->vertices * (size_t)id_bits / 8;
    struct array levels = array_make(ctx, NULL, bytes, on_device), parents = array_make(ctx, NULL, bytes, on_device);
    int64_t *want = suite_alloc((size_t)a->vertices * 16), depth = -1, reached = -1, deepest;
    int64_t all = plain_levels(a, mask, source, want, want + a->vertices, &deepest);
    if (mask)
        CHECK_OK(ctx,
                 bosc_cellgraph_levels_masked(ctx, graph, source, allowed.p, levels.p, parents.p, &reached, &depth));
    else
        CHECK_OK(ctx, bosc_cellgraph_levels(ctx, graph, source, levels.p, parents.p, &reached, &depth));
    CHECK_EQ(reached, all);
    CHECK_EQ(depth, deepest);
    array_get(ctx, &levels);
    array_get(ctx, &parents);
    for (int64_t v = 0; v < a->vertices; v++) {
        const int64_t none = none_of(id_bits);
        CHECK_EQ(cells_id(levels.host, id_bits, v), want[v] < 0 ? none : want[v]);
        CHECK_EQ(cells_id(parents.host, id_bits, v), want[v] < 0 ? none : want[a->vertices + v]);
    }
    CHECK_OK(ctx, bosc_cellgraph_levels(ctx, graph, source, NULL, NULL, NULL, NULL));
    free(want);
    array_free(ctx, &allowed);
    array_free(ctx, &levels);
    array_free(ctx, &parents);
}

/* The path of bosc_cellgraph_path, from the levels and parents of both ends: its vertices but those beyond the room are
 * written, and their number is returned. */
static int64_t plain_path(const struct answer *a, const uint8_t *mask, int64_t from, int64_t to, int64_t *path)
{
    int64_t n = a->vertices, *levels[2], *parents[2], ends[2] = {from, to}, depth[2] = {0, 0}, unused;
    int64_t *arrays = suite_alloc((size_t)n * 32), middle = -1, length = 0;
    for (int side = 0; side < 2; side++) {
        levels[side] = arrays + 2 * side * n;
        parents[side] = levels[side] + n;
        plain_levels(a, mask, ends[side], levels[side], parents[side], &unused);
    }
    if (from == to && levels[0][to] == 0) middle = from;
    for (int side = 0; middle < 0 && levels[0][to] >= 0; side = 1 - side) {
        depth[side]++;
        for (int64_t v = n - 1; v >= 0; v--)
            if (levels[0][v] == depth[0] && levels[1][v] == depth[1]) middle = v;
    }
    if (middle >= 0) {
        int64_t at = middle;
        for (int64_t i = depth[0]; i >= 0; i--, at = parents[0][at]) path[i] = at;
        at = middle;
        for (int64_t i = depth[0]; i <= depth[0] + depth[1]; i++, at = parents[1][at]) path[i] = at;
        length = depth[0] + depth[1] + 1;
    }
    free(arrays);
    return length;
}

static void check_path(bosc_ctx *ctx, const bosc_cellgraph *graph, const struct answer *a, const uint8_t *mask,
                       int64_t from, int64_t to, int32_t id_bits, bool on_device)
{
    int64_t *want = suite_alloc((size_t)a->vertices * 8), length = -1, again = -1;
    int64_t all = plain_path(a, mask, from, to, want), room = all > 2 && from % 3 == 0 ? all - 1 : all + 1;
    struct array allowed = array_make(ctx, mask, mask ? (size_t)a->vertices : 0, on_device);
    const uint8_t *only = mask ? allowed.p : NULL;
    CHECK_OK(ctx, bosc_cellgraph_path_masked(ctx, graph, from, to, only, NULL, 0, &length));
    CHECK_EQ(length, all);
    struct array path = array_make(ctx, NULL, (size_t)room * (size_t)id_bits / 8, on_device);
    if (mask)
        CHECK_OK(ctx, bosc_cellgraph_path_masked(ctx, graph, from, to, only, path.p, room, &again));
    else
        CHECK_OK(ctx, bosc_cellgraph_path(ctx, graph, from, to, path.p, room, &again));
    CHECK_EQ(again, all);
    array_get(ctx, &path);
    for (int64_t i = 0; i < room && i < all; i++) CHECK_EQ(cells_id(path.host, id_bits, i), want[i]);
    free(want);
    array_free(ctx, &allowed);
    array_free(ctx, &path);
}

static void searches(bosc_ctx *ctx)
{
    struct suite_random r = {59};
    for (int trial = 0; trial < 4 * CELLS_SHAPES; trial++) {
        if (suite_leaves_out()) continue;
        int32_t bits = 1 + trial % 2, id_bits = trial % 3 ? 32 : 64;
        struct reference_cells c = cells_make(&r, (enum cells_shape)(trial % CELLS_SHAPES), trial % 5 ? 12 : 80, bits,
                                              1 + (int64_t)suite_below(&r, suite_slow(ctx) ? 60 : 300), 0);
        struct answer a = answer_of(&c);
        uint8_t *mask = suite_alloc((size_t)a.vertices);
        bosc_cellgraph *graph = cells_graph(ctx, &c, BOSC_CELLGRAPH_AUTO, 0, id_bits);
        if (trial % 2) CHECK_OK(ctx, bosc_cellgraph_prepare(ctx, graph));
        /* From random vertices, without a mask and with a random one. */
        for (int k = 0; k < 3; k++) {
            int64_t from = (int64_t)suite_below(&r, (uint64_t)a.vertices);
            bool on_device = k == 1 && has_device_memory(ctx);
            const int64_t to = (int64_t)suite_below(&r, (uint64_t)a.vertices);
            check_levels(ctx, graph, &a, NULL, from, id_bits, on_device);
            check_path(ctx, graph, &a, NULL, from, to, id_bits, on_device);
            for (int64_t v = 0; v < a.vertices; v++) mask[v] = suite_below(&r, 8) >= (k == 2 ? 4 : 1) ? 1 + k : 0;
            check_levels(ctx, graph, &a, mask, from, id_bits, on_device);
            check_path(ctx, graph, &a, mask, from, to, id_bits, on_device);
            check_path(ctx, graph, &a, mask, from, from, id_bits, on_device);
            check_components(ctx, graph, &a, mask, id_bits, on_device);
        }
        /* A mask without vertices; a path of one vertex. */
        memset(mask, 0, (size_t)a.vertices);
        check_levels(ctx, graph, &a, mask, 0, id_bits, false);
        check_components(ctx, graph, &a, mask, id_bits, false);
        check_path(ctx, graph, &a, NULL, 0, 0, id_bits, false);
        free(mask);
        bosc_cellgraph_free(graph);
        answer_free(&a);
        free(c.rows);
    }
}

/* A line of n vertices, 0 - 1 - 2 - ..., next to a cube whose levels are too large for one block: letters are 1 up to
 * the place in the line; the cube has its own. */
static void far(bosc_ctx *ctx)
{
    enum { CUBE = 14, LINE = 300 };
    int64_t cube = (int64_t)1 << (suite_slow(ctx) ? 5 : CUBE), n = cube + LINE, length = 0, reached, depth;
    struct reference_cells c = {.n = n, .length = CUBE + LINE, .letter_bits = 1, .stride = (CUBE + LINE + 63) / 64};
    c.rows = suite_alloc((size_t)(n * c.stride) * 8);
    memset(c.rows, 0, (size_t)(n * c.stride) * 8);
    for (int64_t i = 0; i < cube; i++) c.rows[i * c.stride] = (uint64_t)i;
    for (int64_t i = 0; i < LINE; i++) {
        c.rows[(cube + i) * c.stride] = (uint64_t)cube - 1;
        for (int64_t k = 0; k <= i; k++) reference_set_letter(&c, cube + i, (int32_t)(CUBE + k), 1);
    }
    bosc_cellgraph *graph = cells_graph(ctx, &c, BOSC_CELLGRAPH_JOIN, 0, 64);
    CHECK_OK(ctx, bosc_cellgraph_prepare(ctx, graph));
    int64_t dims = 0, *path = suite_alloc(sizeof *path * (CUBE + LINE + 1));
    while ((int64_t)1 << dims < cube) dims++;
    CHECK_OK(ctx, bosc_cellgraph_levels(ctx, graph, 0, NULL, NULL, &reached, &depth));
    CHECK_EQ(reached, n);
    CHECK_EQ(depth, dims + LINE);
    CHECK_OK(ctx, bosc_cellgraph_path(ctx, graph, 0, n - 1, path, dims + LINE + 1, &length));
    CHECK_EQ(length, dims + LINE + 1);
    for (int64_t i = 0; i < LINE; i++) CHECK_EQ(path[dims + 1 + i], cube + i);
    for (int64_t i = 0; i < dims; i++) CHECK_EQ(path[i] & ~path[i + 1], 0);
    uint8_t *mask = suite_alloc((size_t)n); /* the line is cut */
    memset(mask, 1, (size_t)n);
    mask[n - 5] = 0;
    CHECK_OK(ctx, bosc_cellgraph_levels_masked(ctx, graph, 0, mask, NULL, NULL, &reached, &depth));
    CHECK(reached == n - 5 && depth == dims + LINE - 5);
    CHECK_OK(ctx, bosc_cellgraph_path_masked(ctx, graph, 0, n - 1, mask, path, dims + LINE + 1, &length));
    CHECK_EQ(length, 0);
    free(mask);
    free(path);
    bosc_cellgraph_free(graph);
    free(c.rows);
}

/* The x with x * odd = 1. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd; /* right in 3 bits, then in twice as many each time */
    for (int k = 0; k < 5; k++) x *= 2 - odd * x;
    return x;
}

/* The word with a hash. */
static uint64_t unhash(uint64_t hash, uint64_t seed)
{
    uint64_t z = hash * inverse(0xbf58476d1ce4e5b9ull);
    z ^= z >> 29 ^ z >> 58;
    z *= inverse(0xd6e8feb86659fd93ull);
    z ^= z >> 32;
    return (z * inverse(0x9e3779b97f4a7c15ull)) ^ seed;
}

/* Different vectors whose hashes differ in few bits, which parts and tables do not look at, with copies of each
 * between. */
static void collisions(bosc_ctx *ctx)
{
    struct suite_random r = {56};
    struct reference_cells c = {.length = 64, .letter_bits = 1, .stride = 1};
    c.rows = suite_alloc(240 * 8);
    for (int i = 0; i < 60; i++) {
        const uint64_t hash = suite_next(&r), word = unhash(hash, bi_cellgraph_seed(0));
        CHECK_EQ(bi_cellgraph_hash(word, bi_cellgraph_seed(0)), hash);
        for (int k = 0; k < 4; k++)
            c.rows[c.n++] = i % 3 ? unhash(hash ^ (uint64_t)(k % 3) << 40, bi_cellgraph_seed(0)) : word ^ 1ull << k;
    }
    check_all(ctx, &c);
    free(c.rows);
}

static void *pairs_of(bosc_ctx *ctx, const struct reference_cells *c, bosc_cellgraph_method method, int32_t pivots,
                      size_t *bytes)
{
    bosc_cellgraph *graph = cells_graph(ctx, c, method, pivots, 32);
    bosc_cellgraph_info info = {.size = sizeof info};
    CHECK_EQ(bosc_cellgraph_get_info(ctx, graph, &info), BOSC_OK);
    *bytes = (size_t)info.edges * 8;
    void *pairs = suite_alloc(*bytes);
    CHECK_OK(ctx, bosc_cellgraph_get_pairs(ctx, graph, pairs, NULL));
    bosc_cellgraph_free(graph);
    return pairs;
}

/* The join with little scratch, in slices of its work, finds the edges of a join in one pass. */
static void slices(bosc_ctx *ctx)
{
    static const int64_t rooms[] = {0, 1, 60000, 300000};
    struct suite_random r = {60};
    struct reference_cells c = cells_make(&r, CELLS_WALK, 320, 1, suite_slow(ctx) ? 900 : 6000, 0);
    int64_t *want = NULL, edges = 0;
    for (int k = 0; k < 4; k++) {
        bosc_cellgraph_opts opts = {
            .size = sizeof opts, .length = 320, .method = BOSC_CELLGRAPH_JOIN, .max_bytes = rooms[k]};
        bosc_cellgraph_info info = {.size = sizeof info};
        bosc_cellgraph *graph = NULL;
        CHECK_OK(ctx, bosc_cellgraph_create(ctx, &opts, &graph));
        CHECK_OK(ctx, bosc_cellgraph_build(ctx, graph, c.rows, c.n, 0));
        CHECK_EQ(bosc_cellgraph_get_info(ctx, graph, &info), BOSC_OK);
        /* The first build, with the default scratch, gives the expected edges. */
        int64_t *pairs = suite_alloc((size_t)info.edges * 16);
        CHECK_OK(ctx, bosc_cellgraph_get_pairs(ctx, graph, pairs, NULL));
        if (!want) edges = info.edges;
        CHECK(info.edges == edges && edges > 100);
        CHECK(!want || memcmp(pairs, want, (size_t)edges * 16) == 0);
        if (want)
            free(pairs);
        else
            want = pairs;
        bosc_cellgraph_free(graph);
    }
    free(want);
    free(c.rows);
}

/* Row i is vector (i * 2557) % n. Vectors 64 k to 64 k + 63 have one neighbourhood: they differ in one letter, and from
 * the others in two or more. */
static struct reference_cells crowds(int64_t n)
{
    enum { LENGTH = 24, BITS = 6, WORDS = 3 };
    struct reference_cells c = {.n = n, .length = LENGTH, .letter_bits = BITS, .stride = WORDS};
    c.rows = suite_alloc((size_t)(n * WORDS) * 8);
    memset(c.rows, 0, (size_t)(n * WORDS) * 8);
    for (int64_t i = 0; i < n; i++) {
        const int64_t vector = i * 2557 % n;
        for (int32_t twice = 0; twice < 2; twice++) {
            reference_set_letter(&c, i, 5 * twice, (uint32_t)(vector >> 6));
            reference_set_letter(&c, i, 5 * twice + 1, (uint32_t)(vector >> 12));
        }
        reference_set_letter(&c, i, 20, (uint32_t)vector);
    }
    return c;
}

/* Edges and rows are in order where vertices are many, and neighbours too. */
static void crowded(bosc_ctx *ctx)
{
    const int64_t n = suite_slow(ctx) ? 4288 : 9024;
    struct reference_cells c = crowds(n);
    struct answer a = {.vertices = n, .edges = n / 64 * (64 * 63 / 2)};
    int64_t e = 0;
    a.vertex_of = suite_alloc((size_t)n * 8);
    a.pairs = suite_alloc((size_t)a.edges * 16);
    a.positions = suite_alloc((size_t)a.edges * 4);
    for (int64_t i = 0; i < n; i++) {
        a.vertex_of[i] = i;
        for (int64_t j = i + 1; j < n; j++) {
            if (i * 2557 % n / 64 != j * 2557 % n / 64) continue;
            a.pairs[2 * e] = i;
            a.pairs[2 * e + 1] = j;
            a.positions[e++] = 20;
        }
    }
    CHECK_EQ(e, a.edges);
    bosc_cellgraph *graph = cells_graph(ctx, &c, BOSC_CELLGRAPH_JOIN, 0, 32);
    check_pairs(ctx, graph, &a, 32, false);
    check_rows(ctx, graph, &a, 32, false);
    bosc_cellgraph_free(graph);
    answer_free(&a);
    free(c.rows);
}

/* Vectors that differ in one word of four are all one partition of that word's join, more than a thread's cache has
 * room for; they are joined by other means. */
static void one_partition(bosc_ctx *ctx)
{
    enum { WORDS = 4 };
    static bool done; /* once: it takes many vectors */
    struct suite_random r = {65};
    int64_t n = 40000, pairs = 0;
    bosc_cellgraph_info info = {.size = sizeof info};
    if (done || suite_slow(ctx)) return;
    done = true;
    uint64_t *rows = suite_alloc((size_t)n * WORDS * 8);
    memset(rows, 0, (size_t)n * WORDS * 8);
    for (int64_t i = 0; i < n; i++) {
        bool joined = i % 40 == 1; /* to the one before it */
        rows[WORDS * i] = joined ? rows[WORDS * (i - 1)] ^ (uint64_t)1 << i % 64 : suite_next(&r);
        pairs += joined;
    }
    struct reference_cells c = {.n = n, .length = 64 * WORDS, .letter_bits = 1, .stride = WORDS, .rows = rows};
    bosc_cellgraph *graph = cells_graph(ctx, &c, BOSC_CELLGRAPH_JOIN, 0, 32);
    CHECK_OK(ctx, bosc_cellgraph_get_info(ctx, graph, &info));
    CHECK(info.vertices == n && info.edges == pairs);
    uint32_t *found = suite_alloc((size_t)pairs * 8);
    CHECK_OK(ctx, bosc_cellgraph_get_pairs(ctx, graph, found, NULL));
    for (int64_t k = 0; k < pairs; k++) CHECK(found[2 * k] == 40 * k && found[2 * k + 1] == 40 * k + 1);
    bosc_cellgraph_free(graph);
    free(found);
    free(rows);
}

/* Many new rows are found with all others by the graph's method, a few one by one; a reserve keeps which vertex a row
 * is, of more rows than vertices. */
static void many_added(bosc_ctx *ctx)
{
    enum { N = 160 };
    struct suite_random r = {66};
    struct reference_cells c = cells_make(&r, CELLS_WALK, 100, 1, N, 0);
    int64_t vertex_of[2][N];
    for (int64_t i = N / 2; i < N; i++) /* half of them are there already */
        memcpy(c.rows + i * c.stride, c.rows + i / 4 * c.stride, (size_t)c.stride * 8);
    for (int64_t part = N - 1; part > 0; part -= N - 2) {
        bosc_cellgraph_info info = {.size = sizeof info};
        struct reference_cells first = c;
        first.n = part;
        bosc_cellgraph *graph = cells_graph(ctx, &first, BOSC_CELLGRAPH_JOIN, 0, 64);
        CHECK_OK(ctx, bosc_cellgraph_add(ctx, graph, c.rows + part * c.stride, N - part, c.stride));
        CHECK_OK(ctx, bosc_cellgraph_get_info(ctx, graph, &info));
        CHECK_EQ(info.method, part == 1 ? BOSC_CELLGRAPH_JOIN : BOSC_CELLGRAPH_ZOBRIST);
        CHECK(info.vertices < N);
        CHECK_OK(ctx, bosc_cellgraph_get_vertices(ctx, graph, NULL, NULL, NULL, vertex_of[0]));
        CHECK_OK(ctx, bosc_cellgraph_reserve(ctx, graph, 100 * N, 100));
        CHECK_OK(ctx, bosc_cellgraph_get_vertices(ctx, graph, NULL, NULL, NULL, vertex_of[1]));
        CHECK(memcmp(vertex_of[0], vertex_of[1], sizeof vertex_of[0]) == 0);
        bosc_cellgraph_free(graph);
    }
    free(c.rows);
}

/* The methods agree where all pairs are many. */
static void methods_agree_at_scale(void)
{
    struct suite_random r = {57};
    bosc_ctx *ctx = NULL;
    CHECK_EQ(bosc_ctx_create(NULL, &ctx), BOSC_OK);
    struct reference_cells c = cells_make(&r, CELLS_WALK, 256, 1, suite_slow(ctx) ? 3000 : 44000, 0);
    size_t bytes, other;
    void *join = pairs_of(ctx, &c, BOSC_CELLGRAPH_JOIN, 0, &bytes);
    for (int m = BOSC_CELLGRAPH_HEURISTIC; m <= BOSC_CELLGRAPH_ZOBRIST; m++) {
        void *pairs = pairs_of(ctx, &c, (bosc_cellgraph_method)m,
                               m == BOSC_CELLGRAPH_TRIE ? BOSC_CELLGRAPH_TRIE_DOBROWOLSKI : 3, &other);
        CHECK_EQ(other, bytes);
        CHECK(memcmp(pairs, join, bytes) == 0);
        free(pairs);
    }
    CHECK(bytes > 8 * 1000);
    void *published = pairs_of(ctx, &c, BOSC_CELLGRAPH_HEURISTIC, -6, &other); /* 5 pivots */
    CHECK(other == bytes && memcmp(published, join, bytes) == 0);
    free(published);
    free(join);
    free(c.rows);
    bosc_ctx_free(ctx);
}

static const struct suite_case suite_cases_cellgraph[] = {
    {"one partition", one_partition, NULL},
    {"many added", many_added, NULL},
    {"shapes", every_letter_size, NULL},
    {"small", few_vectors, NULL},
    {"cubes", cubes, NULL},
    {"letters", letters, NULL},
    {"halves", halves, NULL},
    {"again", again, NULL},
    {"added", added, NULL},
    {"collisions", collisions, NULL},
    {"large", NULL, methods_agree_at_scale},
    {"searches", searches, NULL},
    {"far", far, NULL},
    {"slices", slices, NULL},
    {"crowded", crowded, NULL},
};
SUITE(cellgraph);
