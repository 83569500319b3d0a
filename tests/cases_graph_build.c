/* Graphs are what the plain version makes of the same entries. */
#include "graph_data.h"

static const bosc_dtype weight_types[] = {BOSC_U32, BOSC_I32, BOSC_F32, BOSC_U64, BOSC_I64, BOSC_F64};

static bosc_graph *new_graph(bosc_ctx *ctx, const bosc_graph_opts *o)
{
    bosc_graph *graph = NULL;
    CHECK_OK(ctx, bosc_graph_create(ctx, o, &graph));
    return graph;
}

static void build_and_check(bosc_ctx *ctx, const bosc_graph_opts *o, const struct graph_entries *e)
{
    for (int device = 0; device <= has_device_memory(ctx); device++) {
        bosc_graph *graph = new_graph(ctx, o);
        CHECK_OK(ctx, graph_build(ctx, o, graph, e, device));
        graph_check(ctx, o, graph, e, device);
        bosc_graph_free(graph);
    }
}

/* Every shape and type of weights, ids of both sizes, narrow and wide inside. */
static void shapes(bosc_ctx *ctx)
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

/* The ends of every type, zeros of both signs, infinities; and NaN where it is allowed. */
static void weights(bosc_ctx *ctx)
{
    for (int t = 0; t < 6; t++)
        for (int nan = BOSC_NAN_DROP; nan <= BOSC_NAN_LAST; nan++) {
            bosc_graph_opts o = {.size = sizeof o, .weight = weight_types[t], .id_bits = 64, .nan = (bosc_nan)nan};
            struct graph_entries e = graph_make((uint64_t)t, GRAPH_SPARSE, 40, 160, o.weight, SPECIAL);
            build_and_check(ctx, &o, &e);
            free(e.weights);
            e.weights = NULL;
            build_and_check(ctx, &o, &e);
            graph_free_entries(&e);
        }
}

static void loops(bosc_ctx *ctx)
{
    for (int shape = 0; shape < GRAPH_SHAPES; shape++) {
        bosc_graph_opts o = {
            .size = sizeof o, .weight = BOSC_F32, .id_bits = 32, .drop_loops = 1, .nan = BOSC_NAN_DROP};
        struct graph_entries e = graph_make(3, shape, 7, 60, o.weight, SPECIAL);
        build_and_check(ctx, &o, &e);
        graph_free_entries(&e);
    }
}

/* Large enough for several threads and blocks. */
static void large(bosc_ctx *ctx)
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

/* Rows, whose neighbours are in any order, are the same as their entries. */
static void rows(bosc_ctx *ctx)
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
            CHECK_OK(ctx, bosc_graph_build_rows(ctx, graph, e.n, from.p, v.p, w.p));
            graph_check(ctx, &o, graph, &e, device);
            array_free(ctx, &from);
            array_free(ctx, &v);
            array_free(ctx, &w);
            bosc_graph_free(graph);
            graph_free_entries(&e);
        }
}

/* The first bad entry is named, and the graph stays. */
static void bad_data(bosc_ctx *ctx)
{
    static const struct {
        int64_t at, u, v;
        float w;
        const char *message;
    } bad[] = {{5, 10, 2, 1, "u: entry 5 is 10"},
               {5, 2, 10, 1, "v: entry 5 is 10"},
               {0, -1, 2, 1, "u: entry 0 is -1"},
               {19, 2, INT64_MIN, 1, "v: entry 19 is -9223372036854775808"},
               {19, INT64_MAX, 11, 1, "u: entry 19 is 9223372036854775807"},
               {7, (int64_t)1 << 32, 1, 1, "u: entry 7 is 4294967296"},
               {7, 3, 1, (float)(1e300 * 1e300 * 0), "weights: entry 7 is NaN"}};
    bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F32, .id_bits = 64};
    bosc_graph *graph = new_graph(ctx, &o);
    struct graph_entries good = graph_make(4, GRAPH_SPARSE, 10, 20, o.weight, RANDOM);
    CHECK_OK(ctx, graph_build(ctx, &o, graph, &good, false));
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        for (int device = 0; device <= has_device_memory(ctx); device++) {
            struct graph_entries e = graph_make(6, GRAPH_SPARSE, 10, 20, o.weight, RANDOM);
            e.u[bad[k].at] = bad[k].u;
            e.v[bad[k].at] = bad[k].v;
            ((float *)e.weights)[bad[k].at] = bad[k].w;
            CHECK_STATUS(ctx, graph_build(ctx, &o, graph, &e, device), BOSC_ERR_DATA);
            if (!suite_begins(bosc_message(ctx), bad[k].message))
                suite_fail(__FILE__, __LINE__, "\"%s\" is not \"%s\"", bosc_message(ctx), bad[k].message);
            graph_check(ctx, &o, graph, &good, false);
            graph_free_entries(&e);
        }
    bosc_graph_free(graph);
    graph_free_entries(&good);
}

static const struct suite_case suite_cases_graph_build[] = {
    {"shapes", shapes, NULL}, {"weights", weights, NULL}, {"loops", loops, NULL},
    {"large", large, NULL},   {"rows", rows, NULL},       {"bad data", bad_data, NULL},
};
SUITE(graph_build);
