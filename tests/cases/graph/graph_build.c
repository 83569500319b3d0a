/* Built graphs equal the reference for the same entries. */
#include <stdio.h>

#include "cases/graph/graph_data.h"

static const bosc_dtype weight_types[] = {BOSC_U32, BOSC_I32, BOSC_F32, BOSC_U64, BOSC_I64, BOSC_F64};

static bosc_graph *new_graph(bosc_ctx *ctx, const bosc_graph_opts *o)
{
    bosc_graph *graph = NULL;
    CHECK_OK(ctx, bosc_graph_create(ctx, o, &graph));
    return graph;
}

static void build_and_check(bosc_ctx *ctx, const bosc_graph_opts *o, const struct graph_entries *e)
{
    if (suite_leaves_out()) return;
    for (int device = 0; device <= has_device_memory(ctx); device++) {
        bosc_graph *graph = new_graph(ctx, o);
        CHECK_OK(ctx, graph_build(ctx, o, graph, e, device));
        graph_check(ctx, o, graph, e, device);
        bosc_graph_free(graph);
    }
}

/* Every shape and type of weights, ids of both sizes, 32 and 64 bits inside. */
static void every_shape_and_weight(bosc_ctx *ctx)
{
    static const int64_t sizes[][2] = {{0, 0}, {1, 0}, {1, 3}, {2, 5}, {9, 0}, {33, 64}, {257, 700}};
    uint64_t seed = 1;
    for (int shape = 0; shape < GRAPH_SHAPES; shape++)
        for (int size = 0; size < (suite_slow(ctx) ? 6 : 7); size++, seed++) {
            bosc_graph_opts o = {.size = sizeof o,
                                 .weight = weight_types[seed % 6],
                                 .id_bits = seed % 4 < 2 ? 32 : 64,
                                 .wide = seed % 3 == 0};
            enum pattern pattern = seed % 5 ? RANDOM : FEW_VALUES;
            struct graph_entries e = graph_make(seed, shape, sizes[size][0], sizes[size][1], o.weight, pattern);
            build_and_check(ctx, &o, &e);
            graph_free_entries(&e);
        }
}

/* The limits of every type, zeros of both signs, infinities; and NaN where it is allowed. */
static void limits_of_every_weight_type(bosc_ctx *ctx)
{
    for (int t = 0; t < 6; t++)
        for (int nan = BOSC_GRAPH_NAN_DROP; nan <= BOSC_GRAPH_NAN_LAST; nan++) {
            bosc_graph_opts o = {
                .size = sizeof o, .weight = weight_types[t], .id_bits = 64, .nan = (bosc_graph_nan)nan};
            struct graph_entries e = graph_make((uint64_t)t, GRAPH_SPARSE, 40, 160, o.weight, SPECIAL);
            build_and_check(ctx, &o, &e);
            free(e.weights);
            e.weights = NULL;
            build_and_check(ctx, &o, &e);
            graph_free_entries(&e);
        }
}

/* Each edge in both directions, most partners far apart; or the same arcs sorted by their first vertex. */
static struct graph_entries both_ways(uint64_t seed, const struct graph_entries *e, bool sorted)
{
    struct suite_random r = {seed};
    size_t size = bosc_dtype_size(e->dtype);
    struct graph_entries both = {.n = e->n, .dtype = e->dtype};
    both.u = suite_alloc((size_t)e->m * 2 * 8);
    both.v = suite_alloc((size_t)e->m * 2 * 8);
    both.weights = suite_alloc((size_t)e->m * 2 * size);
    /* Both arcs of each edge, loops once, shuffled. */
    int64_t *order = suite_alloc((size_t)e->m * 2 * 8), m = 0;
    for (int64_t i = 0; i < 2 * e->m; i++)
        if (i < e->m || e->u[i - e->m] != e->v[i - e->m]) order[m++] = i;
    for (int64_t i = m - 1; i > 0; i--) {
        int64_t j = (int64_t)suite_below(&r, (uint64_t)i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    /* Writes them in that order, or vertex by vertex. */
    for (int64_t u = 0; u < (sorted ? e->n : 1); u++)
        for (int64_t k = 0; k < m; k++) {
            int64_t i = order[k] % e->m, to = both.m;
            bool back = order[k] >= e->m;
            if (sorted && (back ? e->v : e->u)[i] != u) continue;
            both.u[to] = back ? e->v[i] : e->u[i];
            both.v[to] = back ? e->u[i] : e->v[i];
            memcpy((char *)both.weights + (size_t)to * size, (char *)e->weights + (size_t)i * size, size);
            both.m++;
        }
    free(order);
    return both;
}

static void arcs_of_both_ways(bosc_ctx *ctx)
{
    uint64_t seed = 100;
    for (int shape = 0; shape < GRAPH_SHAPES; shape++)
        for (int k = 0; k < 6; k++, seed++) {
            bosc_graph_opts o = {.size = sizeof o,
                                 .weight = weight_types[(seed / 6 + seed) % 6],
                                 .id_bits = seed % 4 < 2 ? 32 : 64,
                                 .arcs = BOSC_GRAPH_ARCS_BOTH,
                                 .parallel = k < 2 ? BOSC_GRAPH_PARALLEL_KEEP : (bosc_graph_parallel)(seed % 4),
                                 .nan = seed % 5 ? BOSC_GRAPH_NAN_LAST : BOSC_GRAPH_NAN_DROP,
                                 .drop_loops = seed % 3 == 0,
                                 .wide = seed % 7 == 0,
                                 .assume_valid = k == 1};
            enum pattern pattern = k % 3 == 0 ? SPECIAL : k % 3 == 1 ? FEW_VALUES : EQUAL;
            if (o.parallel == BOSC_GRAPH_PARALLEL_SUM) pattern = SMALL_INTEGERS;
            struct graph_entries one = graph_make(seed, shape, 11 + 20 * (k % 2), 60, o.weight, pattern);
            struct graph_entries e = both_ways(seed, &one, k % 2);
            build_and_check(ctx, &o, &e);
            graph_free_entries(&one);
            graph_free_entries(&e);
        }
}

/* An arc without its partner is reported, whether the arc, its direction or its weight is wrong. */
static void unpaired(bosc_ctx *ctx)
{
    bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_I32, .id_bits = 64, .arcs = BOSC_GRAPH_ARCS_BOTH};
    bosc_graph *graph = new_graph(ctx, &o);
    struct suite_random r = {8};
    for (int k = 0; k < 40; k++) {
        struct graph_entries one =
            graph_make((uint64_t)k, k % 2 ? GRAPH_DENSE : GRAPH_SPARSE, 9, 25, o.weight, FEW_VALUES);
        struct graph_entries e = both_ways((uint64_t)k, &one, false);
        int64_t at = (int64_t)suite_below(&r, (uint64_t)e.m), expected;
        /* Breaks one arc: drops the last, or changes an end or the weight of a random one. */
        if (k % 4 == 0) e.m--;
        if (k % 4 == 1) e.v[at] = (e.v[at] + 1) % e.n;
        if (k % 4 == 2) ((int32_t *)e.weights)[at]++;
        if (k % 4 == 3) e.v[at] = e.u[at];
        struct reference_graph g;
        struct reference_entries in = graph_reference(&e);
        bool good = reference_build(&o, &in, &g, &expected);
        bosc_status status = graph_build(ctx, &o, graph, &e, k % 2 && has_device_memory(ctx));
        CHECK_EQ(status, good ? BOSC_OK : BOSC_ERR_DATA);
        /* The message names the first arc without a partner. */
        char message[64];
        snprintf(message, sizeof message, "entry %lld has no partner", (long long)expected);
        if (!good && !suite_begins(bosc_ctx_message(ctx), message))
            suite_fail(__FILE__, __LINE__, "\"%s\" is not \"%s\"", bosc_ctx_message(ctx), message);
        reference_graph_free(&g);
        graph_free_entries(&one);
        graph_free_entries(&e);
    }
    bosc_graph_free(graph);
}

static void parallel(bosc_ctx *ctx)
{
    uint64_t seed = 200;
    for (int shape = 0; shape < GRAPH_SHAPES; shape++)
        for (int t = 0; t < 6; t++)
            for (int p = BOSC_GRAPH_PARALLEL_MIN; p <= BOSC_GRAPH_PARALLEL_FIRST; p++, seed++) {
                bosc_graph_opts o = {.size = sizeof o,
                                     .weight = weight_types[t],
                                     .id_bits = 64,
                                     .parallel = (bosc_graph_parallel)p,
                                     .nan = seed % 2 ? BOSC_GRAPH_NAN_LAST : BOSC_GRAPH_NAN_DROP,
                                     .wide = seed % 7 == 0};
                enum pattern pattern = seed % 3 == 0 ? SMALL_INTEGERS : SPECIAL;
                if (p == BOSC_GRAPH_PARALLEL_SUM && t != 2 && t != 5) pattern = SMALL_INTEGERS;
                struct graph_entries e = graph_make(seed, shape, 12, 70, o.weight, pattern);
                build_and_check(ctx, &o, &e);
                graph_free_entries(&e);
            }
}

/* Sums that overflow or become NaN are refused with the id of the first edge; sums that just fit are accepted. */
static void sums_at_the_limits(bosc_ctx *ctx)
{
    /* Weights of three parallel edges, as bits. */
    static const struct {
        bosc_dtype dtype;
        uint64_t a, b, c;
    } rows[] = {{BOSC_U32, UINT32_MAX, 1, 0},
                {BOSC_U32, UINT32_MAX, 0, 0},
                {BOSC_I32, INT32_MAX, 1, 0},
                {BOSC_I32, INT32_MAX, (uint32_t)INT32_MIN, 1},
                {BOSC_I32, (uint32_t)INT32_MIN, (uint32_t)-1, 1},
                {BOSC_I32, (uint32_t)INT32_MIN, (uint32_t)-1, 0},
                {BOSC_I32, (uint32_t)INT32_MIN, (uint32_t)INT32_MIN, 0},
                {BOSC_I32, INT32_MAX, INT32_MAX, INT32_MAX},
                {BOSC_I32, (uint32_t)INT32_MIN, 0, 0},
                {BOSC_I32, (uint32_t)INT32_MIN, 1, (uint32_t)-1},
                {BOSC_U64, UINT64_MAX, 1, 0},
                {BOSC_U64, UINT64_MAX - 5, 2, 3},
                {BOSC_U64, (uint64_t)1 << 63, (uint64_t)1 << 63, 0},
                {BOSC_I64, INT64_MAX, 1, 0},
                {BOSC_I64, INT64_MAX, (uint64_t)-1, 1},
                {BOSC_I64, (uint64_t)INT64_MIN, (uint64_t)-1, 0},
                {BOSC_I64, (uint64_t)INT64_MIN, INT64_MAX, (uint64_t)INT64_MAX},
                {BOSC_F32, 0x7f800000, 0xff800000, 0},
                {BOSC_F64, 0x7ff0000000000000, 0x3ff0000000000000, 0xfff0000000000000},
                {BOSC_F64, 0x7ff0000000000000, 0x3ff0000000000000, 0x7ff0000000000000}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        bosc_graph_opts o = {
            .size = sizeof o, .weight = rows[k].dtype, .id_bits = 64, .parallel = BOSC_GRAPH_PARALLEL_SUM};
        /* Edge 1 is the first of the three, between edges of other pairs. */
        int64_t u[5] = {3, 1, 2, 2, 1}, v[5] = {3, 2, 1, 1, 4}, expected;
        const uint64_t all[5] = {0, rows[k].a, rows[k].b, rows[k].c, 0};
        unsigned char weights[40];
        size_t size = bosc_dtype_size(o.weight);
        for (size_t i = 0; i < 5; i++) memcpy(weights + i * size, &all[i], size);
        struct graph_entries e = {5, 5, u, v, weights, o.weight};
        struct reference_graph g;
        struct reference_entries in = graph_reference(&e);
        bool good = reference_build(&o, &in, &g, &expected);
        bosc_graph *graph = new_graph(ctx, &o);
        CHECK_EQ(graph_build(ctx, &o, graph, &e, false), good ? BOSC_OK : BOSC_ERR_DATA);
        if (good)
            graph_check(ctx, &o, graph, &e, false);
        else
            CHECK(expected == 1 &&
                  suite_begins(bosc_ctx_message(ctx), "weights: the sum of the edges parallel to edge 1 "));
        bosc_graph_free(graph);
        reference_graph_free(&g);
    }
}

static void counts_and_drops_loops(bosc_ctx *ctx)
{
    for (int shape = 0; shape < GRAPH_SHAPES; shape++) {
        bosc_graph_opts o = {
            .size = sizeof o, .weight = BOSC_F32, .id_bits = 32, .drop_loops = 1, .nan = BOSC_GRAPH_NAN_DROP};
        struct graph_entries e = graph_make(3, shape, 7, 60, o.weight, SPECIAL);
        build_and_check(ctx, &o, &e);
        graph_free_entries(&e);
    }
}

/* All lists of three edges among four vertices, in every order: lists already in order take the branch without a sort.
 * */
static void all_lists_of_three_edges(bosc_ctx *ctx)
{
    enum { PAIRS = 6, LISTS = PAIRS * PAIRS * PAIRS };
    static const int64_t pairs[PAIRS][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    for (int k = 0; k < LISTS; k++) {
        bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_U32, .id_bits = 64, .drop_loops = k % 3 > 0};
        struct graph_entries e = graph_make(1, GRAPH_DENSE, 4, 3, o.weight, SMALL_INTEGERS);
        for (int i = 0, code = k; i < 3; i++, code /= PAIRS) {
            e.u[i] = pairs[code % PAIRS][0];
            e.v[i] = pairs[code % PAIRS][1];
        }
        build_and_check(ctx, &o, &e);
        graph_free_entries(&e);
    }
}

/* Graphs large enough for several threads and blocks. */
static void several_threads_and_blocks(bosc_ctx *ctx)
{
    int64_t m = suite_slow(ctx) ? 3000 : 60000;
    for (int shape = 0; shape < GRAPH_SHAPES; shape++) {
        bosc_graph_opts o = {
            .size = sizeof o, .weight = weight_types[shape % 6], .id_bits = 64 >> shape % 2, .wide = shape == 2};
        struct graph_entries e = graph_make(9, shape, m / 4, m, o.weight, RANDOM);
        build_and_check(ctx, &o, &e);
        graph_free_entries(&e);
    }
}

struct copied_rows {
    int64_t *offsets, *neighbours, *edges;
};

static struct copied_rows copy_rows(bosc_ctx *ctx, const struct graph_entries *e, bool wide)
{
    bosc_graph_opts o = {.size = sizeof o, .id_bits = 64, .wide = wide};
    struct copied_rows rows = {suite_alloc((size_t)(e->n + 1) * 8), suite_alloc((size_t)e->m * 16),
                               suite_alloc((size_t)e->m * 16)};
    bosc_graph *graph = new_graph(ctx, &o);
    CHECK_OK(ctx, bosc_graph_build(ctx, graph, e->u, e->v, e->weights, e->n, e->m));
    CHECK_OK(ctx, bosc_graph_get_rows(ctx, graph, rows.offsets, rows.neighbours, NULL, rows.edges));
    bosc_graph_free(graph);
    return rows;
}

/* More vertices than a cache holds counters for, with near and with distant neighbours. Builds with 32 and with 64
 * bits inside use different methods. */
static void vertices_beyond_cache(bosc_ctx *ctx)
{
    int64_t n = suite_slow(ctx) ? 3000 : 270000, m = suite_slow(ctx) ? 2000 : 70000;
    for (int near = 0; near < 2; near++) {
        struct graph_entries e = graph_make(71, GRAPH_SPARSE, n, m, BOSC_U32, RANDOM);
        for (int64_t i = 0; near && i < m; i++) {
            e.u[i] = i * 3 % n;
            e.v[i] = (i * 3 + i % 5) % n;
        }
        struct copied_rows a = copy_rows(ctx, &e, false), b = copy_rows(ctx, &e, true);
        CHECK(memcmp(a.offsets, b.offsets, (size_t)(n + 1) * 8) == 0);
        CHECK(memcmp(a.neighbours, b.neighbours, (size_t)a.offsets[n] * 8) == 0);
        CHECK(memcmp(a.edges, b.edges, (size_t)a.offsets[n] * 8) == 0);
        for (int k = 0; k < 2; k++) {
            struct copied_rows *rows = k ? &a : &b;
            free(rows->offsets);
            free(rows->neighbours);
            free(rows->edges);
        }
        graph_free_entries(&e);
    }
}

/* Rows with neighbours in any order give the same graph as their entries. */
static void rows_equal_entries(bosc_ctx *ctx)
{
    for (int shape = 0; shape < GRAPH_SHAPES; shape++)
        for (int device = 0; device <= has_device_memory(ctx); device++) {
            bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_I32, .id_bits = 32 << shape % 2};
            struct graph_entries e = graph_make(5, shape, 30, 120, o.weight, RANDOM);
            int64_t offsets[31] = {0}, at = 0;
            for (int64_t i = 0; i < e.m; i++) e.u[i] = e.u[i] / 2 * 2; /* some rows are empty */
            for (int64_t u = 0; u < e.n; u++) {                        /* the entries of u, in their order */
                for (int64_t i = at; i < e.m; i++) {
                    if (e.u[i] != u) continue;
                    int64_t v = e.v[i], kept = e.u[at];
                    e.v[i] = e.v[at];
                    e.u[i] = kept;
                    e.u[at] = u;
                    e.v[at++] = v;
                }
                offsets[u + 1] = at;
            }
            bosc_graph *graph = new_graph(ctx, &o);
            struct array from = array_make(ctx, offsets, sizeof offsets, device);
            struct array v = graph_ids(ctx, &o, e.v, e.m, device);
            struct array w = array_make(ctx, e.weights, (size_t)e.m * 4, device);
            CHECK_OK(ctx, bosc_graph_build_rows(ctx, graph, from.p, v.p, w.p, e.n));
            graph_check(ctx, &o, graph, &e, device);
            array_free(ctx, &from);
            array_free(ctx, &v);
            array_free(ctx, &w);
            bosc_graph_free(graph);
            graph_free_entries(&e);
        }
}

/* A bad neighbour of rows is named wherever it is: rows expand to 32-bit ids, neighbours may have 64 bits. */
static void bad_neighbours(bosc_ctx *ctx)
{
    enum { N = 3, M = 8 };
    static const int64_t wrong[] = {N, -1, (int64_t)1 << 32};
    const int64_t offsets[N + 1] = {0, 3, 6, M};
    for (int arcs = BOSC_GRAPH_ARCS_ONE; arcs <= BOSC_GRAPH_ARCS_BOTH; arcs++)
        for (int k = 0; k < 2 * (int)(sizeof wrong / sizeof wrong[0]); k++)
            for (int at = 0; at < M; at++) {
                bosc_graph_opts o = {.size = sizeof o, .arcs = arcs, .drop_loops = true, .id_bits = k % 2 ? 32 : 64};
                int64_t neighbours[M] = {1, 2, 1, 0, 2, 0, 0, 1};
                const int64_t bad = o.id_bits == 32 ? N + k / 2 : wrong[k / 2];
                char message[64];
                snprintf(message, sizeof message, "v: entry %d is %lld", at, (long long)bad);
                neighbours[at] = bad;
                bosc_graph *graph = new_graph(ctx, &o);
                struct array v = graph_ids(ctx, &o, neighbours, M, false);
                CHECK_STATUS(ctx, bosc_graph_build_rows(ctx, graph, offsets, v.p, NULL, N), BOSC_ERR_DATA);
                CHECK(suite_begins(bosc_ctx_message(ctx), message));
                array_free(ctx, &v);
                bosc_graph_free(graph);
            }
}

/* The first bad entry is named, and the graph keeps its last build. */
static void bad_data(bosc_ctx *ctx)
{
    static const struct {
        int64_t at, u, v;
        float w;
        const char *message;
    } bad[] = {{5, 10, 2, 1, "u: entry 5 is 10"},
               {5, 2, 10, 1, "v: entry 5 is 10"},
               {7, 3, 1, (float)(1e300 * 1e300 * 0), "weights: entry 7 is NaN"},
               {8, 3, UINT32_MAX, 1, "v: entry 8 is 4294967295"},
               {0, -1, 2, 1, "u: entry 0 is -1"}, /* from here on: not representable in 32 bits */
               {19, 2, INT64_MIN, 1, "v: entry 19 is -9223372036854775808"},
               {19, INT64_MAX, 11, 1, "u: entry 19 is 9223372036854775807"},
               {7, (int64_t)1 << 32, 1, 1, "u: entry 7 is 4294967296"}};
    enum { ALL = sizeof bad / sizeof bad[0], NARROW = 4 };
    for (int k = 0; k < ALL + NARROW; k++) {
        const int b = k % ALL;
        bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F32, .id_bits = k < ALL ? 64 : 32};
        bosc_graph *graph = new_graph(ctx, &o);
        struct graph_entries good = graph_make(4, GRAPH_SPARSE, 10, 20, o.weight, RANDOM);
        CHECK_OK(ctx, graph_build(ctx, &o, graph, &good, false));
        for (int device = 0; device <= has_device_memory(ctx); device++) {
            struct graph_entries e = graph_make(6, GRAPH_SPARSE, 10, 20, o.weight, RANDOM);
            e.u[bad[b].at] = bad[b].u;
            e.v[bad[b].at] = bad[b].v;
            ((float *)e.weights)[bad[b].at] = bad[b].w;
            CHECK_STATUS(ctx, graph_build(ctx, &o, graph, &e, device), BOSC_ERR_DATA);
            if (!suite_begins(bosc_ctx_message(ctx), bad[b].message))
                suite_fail(__FILE__, __LINE__, "\"%s\" is not \"%s\"", bosc_ctx_message(ctx), bad[b].message);
            graph_check(ctx, &o, graph, &good, false);
            graph_free_entries(&e);
        }
        bosc_graph_free(graph);
        graph_free_entries(&good);
    }
}

static const struct suite_case suite_cases_graph_build[] = {
    {"shapes", every_shape_and_weight, NULL},
    {"weights", limits_of_every_weight_type, NULL},
    {"loops", counts_and_drops_loops, NULL},
    {"short lists", all_lists_of_three_edges, NULL},
    {"large", several_threads_and_blocks, NULL},
    {"many vertices", vertices_beyond_cache, NULL},
    {"rows", rows_equal_entries, NULL},
    {"bad data", bad_data, NULL},
    {"bad neighbours", bad_neighbours, NULL},
    {"arcs of both ways", arcs_of_both_ways, NULL},
    {"unpaired", unpaired, NULL},
    {"parallel", parallel, NULL},
    {"sums", sums_at_the_limits, NULL},
};
SUITE(graph_build);
