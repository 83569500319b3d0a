/* Proofs of paths: right ones are accepted, each kind of wrong one is refused with its vertex; and limits and
 * routes. */
#include "cases/paths/paths_data.h"

/* A square with a diagonal, a pair of vertices joined by length 0, another one at its end, and a vertex apart. */
enum { N = 8, M = 9 };
static const int64_t ends_u[M] = {0, 1, 2, 0, 0, 3, 4, 5, 4}, ends_v[M] = {1, 2, 3, 3, 2, 4, 5, 6, 6};
static const uint32_t lengths[M] = {4, 3, 2, 9, 7, 5, 0, 0, 0};

struct subject {
    bosc_ctx *ctx;
    bosc_graph *graph;
    int64_t source;
    uint64_t distances[N];
    int64_t predecessors[N];
};

static struct subject subject_of(bosc_ctx *ctx)
{
    const struct reference_edges e = {N, M, ends_u, ends_v, BOSC_U32, lengths};
    static const uint64_t distances[N] = {0, 4, 7, 9, 14, 14, 14, UINT64_MAX};
    static const int64_t predecessors[N] = {-1, 0, 0, 0, 3, 4, 4, -1};
    struct subject s = {.ctx = ctx, .graph = forest_build(ctx, &e, 64, 0), .source = 0};
    CHECK_OK(ctx, bosc_paths_compute(ctx, s.graph, &s.source, 1, NULL, s.distances, s.predecessors, NULL, NULL, NULL));
    for (int v = 0; v < N; v++) CHECK(s.distances[v] == distances[v] && s.predecessors[v] == predecessors[v]);
    return s;
}

/* The proof must fail, with the words in the message, and name the vertex and the edge. */
static void check_fault(const struct subject *s, bool tree, const char *words, int64_t vertex, int64_t from,
                        int64_t edge)
{
    bosc_paths_fault fault = {.size = sizeof fault};
    CHECK_STATUS(
        s->ctx,
        bosc_paths_verify(s->ctx, s->graph, &s->source, 1, NULL, s->distances, tree ? s->predecessors : NULL, &fault),
        BOSC_ERR_DATA);
    if (!strstr(bosc_ctx_message(s->ctx), words)) CHECK_EQ(bosc_ctx_message(s->ctx)[0], 0);
    CHECK_EQ(fault.vertex, vertex);
    CHECK_EQ(fault.from, from);
    CHECK_EQ(fault.edge, edge);
}

/* Each wrong distance, with and without predecessors. */
static void wrong_distances(bosc_ctx *ctx)
{
    struct subject s = subject_of(ctx);
    bosc_paths_fault fault = {.size = sizeof fault, .vertex = 5};
    CHECK_OK(ctx, bosc_paths_verify(ctx, s.graph, &s.source, 1, NULL, s.distances, s.predecessors, &fault));
    CHECK(fault.vertex == -1 && fault.from == -1 && fault.edge == -1);
    static const struct {
        int64_t vertex;
        uint64_t distance;
        const char *words;
        int64_t faulty, from, edge; /* with and without predecessors alike */
    } wrong[] = {
        {1, 5, "less than its distance", 1, 0, 0},          /* an arc is shorter */
        {2, 8, "less than its distance", 2, 0, 4},          /* another edge than the one of the tree's */
        {4, UINT64_MAX, "less than its distance", 4, 3, 5}, /* reached after all */
        {0, 1, "it is a source", 0, -1, -1},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        for (int tree = 0; tree < 2; tree++) {
            struct subject t = s;
            t.distances[wrong[k].vertex] = wrong[k].distance;
            if (wrong[k].distance == UINT64_MAX) t.predecessors[wrong[k].vertex] = -1;
            check_fault(&t, tree, wrong[k].words, wrong[k].faulty, wrong[k].from, wrong[k].edge);
        }
    /* Distances of a vertex alone, or of vertices joined by length 0, that no path attains. */
    struct subject t = s;
    t.distances[7] = 3;
    check_fault(&t, false, "no path", 7, -1, -1);
    check_fault(&t, true, "no edge from its predecessor", 7, -1, -1);
    t = s;
    t.distances[4] = t.distances[5] = t.distances[6] = 13;
    check_fault(&t, false, "no path", 4, -1, -1);
    check_fault(&t, true, "no edge from its predecessor", 4, -1, -1);
    t.predecessors[4] = 5; /* a cycle of length 0 */
    check_fault(&t, true, "no path", 4, -1, -1);
    bosc_graph_free(s.graph);
}

static void wrong_predecessors(bosc_ctx *ctx)
{
    struct subject s = subject_of(ctx), t = s;
    t.predecessors[2] = 1; /* another shortest path */
    CHECK_OK(ctx, bosc_paths_verify(ctx, t.graph, &t.source, 1, NULL, t.distances, t.predecessors, NULL));
    t.predecessors[2] = 3;
    check_fault(&t, true, "no edge from its predecessor", 2, -1, -1);
    t = s;
    t.predecessors[3] = 1; /* no neighbour */
    check_fault(&t, true, "no edge from its predecessor", 3, -1, -1);
    t = s;
    t.predecessors[3] = -1;
    check_fault(&t, true, "no edge from its predecessor", 3, -1, -1);
    t = s;
    t.predecessors[3] = N;
    check_fault(&t, true, "is no vertex", 3, -1, -1);
    t = s;
    t.predecessors[3] = -2;
    check_fault(&t, true, "is no vertex", 3, -1, -1);
    t = s;
    t.predecessors[7] = 2;
    check_fault(&t, true, "without a distance", 7, -1, -1);
    t = s;
    t.predecessors[0] = 1;
    check_fault(&t, true, "it is a source", 0, -1, -1);
    t = s;
    t.predecessors[6] = 5; /* 4, 5, 6 are joined by length 0 */
    CHECK_OK(ctx, bosc_paths_verify(ctx, t.graph, &t.source, 1, NULL, t.distances, t.predecessors, NULL));
    t.predecessors[5] = 6;
    check_fault(&t, true, "no path", 5, -1, -1);
    bosc_graph_free(s.graph);
}

static void limits(bosc_ctx *ctx)
{
    struct subject s = subject_of(ctx), t = s;
    static const uint64_t limit[] = {0, 3, 4, 8, 14, UINT64_MAX};
    static const int64_t reached[] = {1, 1, 2, 3, 7, 7};
    for (size_t k = 0; k < sizeof limit / sizeof limit[0]; k++) {
        const bosc_paths_opts o = {.size = sizeof o, .limit = &limit[k]};
        bosc_paths_info info = {.size = sizeof info};
        CHECK_OK(ctx,
                 bosc_paths_compute(ctx, t.graph, &t.source, 1, &o, t.distances, t.predecessors, NULL, NULL, &info));
        CHECK_EQ(info.reached, reached[k]);
        CHECK_OK(ctx, bosc_paths_verify(ctx, t.graph, &t.source, 1, &o, t.distances, t.predecessors, NULL));
        for (int v = 0; v < N; v++) CHECK_EQ(t.distances[v], s.distances[v] <= limit[k] ? s.distances[v] : UINT64_MAX);
        const bosc_status whole = bosc_paths_verify(ctx, s.graph, &s.source, 1, &o, s.distances, s.predecessors, NULL);
        CHECK_EQ(whole, reached[k] == 7 ? BOSC_OK : BOSC_ERR_DATA);
    }
    bosc_graph_free(s.graph);
}

/* Sums of 2^64 - 1 and more are errors on shortest paths alone. */
static void overflow(bosc_ctx *ctx)
{
    const int64_t u[3] = {0, 1, 0}, v[3] = {1, 2, 2}, source = 0;
    uint64_t w[3] = {UINT64_MAX - 5, 4, 7}, distances[3] = {9, 9, 9};
    const struct reference_edges e = {3, 3, u, v, BOSC_U64, w}, path = {3, 2, u, v, BOSC_U64, w};
    bosc_graph *graph = forest_build(ctx, &e, 64, 0);
    CHECK_OK(ctx, bosc_paths_compute(ctx, graph, &source, 1, NULL, distances, NULL, NULL, NULL, NULL));
    CHECK(distances[0] == 0 && distances[1] == 11 && distances[2] == 7);
    bosc_graph_free(graph);
    graph = forest_build(ctx, &path, 64, 0);
    CHECK_OK(ctx, bosc_paths_compute(ctx, graph, &source, 1, NULL, distances, NULL, NULL, NULL, NULL));
    CHECK(distances[2] == UINT64_MAX - 1);
    bosc_graph_free(graph);
    w[1] = 5;
    graph = forest_build(ctx, &path, 64, 0);
    memset(distances, 0x77, sizeof distances);
    CHECK_STATUS(ctx, bosc_paths_compute(ctx, graph, &source, 1, NULL, distances, NULL, NULL, NULL, NULL),
                 BOSC_ERR_LIMIT);
    CHECK(suite_begins(bosc_ctx_message(ctx), "vertex 2"));
    CHECK(distances[0] == 0x7777777777777777 && distances[2] == 0x7777777777777777);
    /* The proof refuses them too. With a limit the vertex is beyond it, also with the largest one. */
    const uint64_t limit = UINT64_MAX - 1;
    const bosc_paths_opts limited = {.size = sizeof limited, .limit = &limit};
    CHECK_OK(ctx, bosc_paths_compute(ctx, graph, &source, 1, &limited, distances, NULL, NULL, NULL, NULL));
    CHECK(distances[0] == 0 && distances[1] == UINT64_MAX - 5 && distances[2] == UINT64_MAX);
    CHECK_OK(ctx, bosc_paths_verify(ctx, graph, &source, 1, &limited, distances, NULL, NULL));
    bosc_paths_fault fault = {.size = sizeof fault, .vertex = 7};
    CHECK_STATUS(ctx, bosc_paths_verify(ctx, graph, &source, 1, NULL, distances, NULL, &fault), BOSC_ERR_LIMIT);
    CHECK(suite_begins(bosc_ctx_message(ctx), "vertex 2") && fault.vertex == 7);
    bosc_graph_free(graph);
}

/* Sums of doubles beyond their range too; infinite weights are no edges. */
static void real_overflow(bosc_ctx *ctx)
{
    const int64_t u[4] = {0, 1, 0, 3}, v[4] = {1, 2, 2, 0}, source = 0;
    double w[4] = {1e308, 1e308, 1.5e308, (double)INFINITY}, distances[4] = {9, 9, 9, 9};
    const double limit = 1.6e308, none = (double)INFINITY;
    const struct reference_edges e = {4, 4, u, v, BOSC_F64, w};
    bosc_graph *graph = forest_build(ctx, &e, 64, 0);
    CHECK_OK(ctx, bosc_paths_compute(ctx, graph, &source, 1, NULL, distances, NULL, NULL, NULL, NULL));
    CHECK(distances[2] == 1.5e308 && isinf(distances[3]));
    CHECK_OK(ctx, bosc_paths_verify(ctx, graph, &source, 1, NULL, distances, NULL, NULL));
    bosc_graph_free(graph);
    w[2] = (double)INFINITY;
    graph = forest_build(ctx, &e, 64, 0);
    for (int k = 0; k < 2; k++) {
        const bosc_paths_opts opts = {
            .size = sizeof opts, .algorithm = (bosc_paths_algorithm)k, .limit = k ? &none : NULL};
        distances[2] = 7;
        CHECK_STATUS(ctx, bosc_paths_compute(ctx, graph, &source, 1, &opts, distances, NULL, NULL, NULL, NULL),
                     BOSC_ERR_LIMIT);
        CHECK(suite_begins(bosc_ctx_message(ctx), "vertex 2: its distance is beyond") && distances[2] == 7);
    }
    const bosc_paths_opts limited = {.size = sizeof limited, .limit = &limit};
    CHECK_OK(ctx, bosc_paths_compute(ctx, graph, &source, 1, &limited, distances, NULL, NULL, NULL, NULL));
    CHECK(distances[1] == 1e308 && isinf(distances[2]) && isinf(distances[3]));
    CHECK_STATUS(ctx, bosc_paths_verify(ctx, graph, &source, 1, NULL, distances, NULL, NULL), BOSC_ERR_LIMIT);
    bosc_graph_free(graph);
}

static void routes(bosc_ctx *ctx)
{
    struct subject s = subject_of(ctx);
    static const int64_t right[] = {0, 3, 4, 6};
    int64_t route[N] = {0}, length = -1;
    uint32_t narrow[N], short_route[N];
    CHECK_OK(ctx, bosc_paths_route(ctx, s.predecessors, N, 64, 6, route, N, &length));
    CHECK(length == 4 && memcmp(route, right, sizeof right) == 0);
    for (int v = 0; v < N; v++) narrow[v] = (uint32_t)s.predecessors[v];
    CHECK_OK(ctx, bosc_paths_route(ctx, narrow, N, 32, 6, short_route, 4, &length));
    for (int k = 0; k < 4; k++) CHECK_EQ(short_route[k], right[k]);
    CHECK_OK(ctx, bosc_paths_route(ctx, s.predecessors, N, 64, 0, route, 1, &length));
    CHECK(length == 1 && route[0] == 0);
    length = -1;
    CHECK_OK(ctx, bosc_paths_route(ctx, s.predecessors, N, 64, 6, NULL, 0, &length));
    CHECK_EQ(length, 4);
    route[0] = 77;
    CHECK_STATUS(ctx, bosc_paths_route(ctx, s.predecessors, N, 64, 6, route, 3, &length), BOSC_ERR_SPACE);
    CHECK(length == 4 && route[0] == 77);
    length = -1;
    s.predecessors[3] = 4; /* a cycle */
    CHECK_STATUS(ctx, bosc_paths_route(ctx, s.predecessors, N, 64, 6, route, N, &length), BOSC_ERR_DATA);
    s.predecessors[3] = N;
    CHECK_STATUS(ctx, bosc_paths_route(ctx, s.predecessors, N, 64, 6, route, N, &length), BOSC_ERR_DATA);
    CHECK(length == -1 && route[0] == 77);
    bosc_graph_free(s.graph);
}

static const struct suite_case suite_cases_paths_verify[] = {
    {"wrong distances", wrong_distances, NULL},
    {"wrong predecessors", wrong_predecessors, NULL},
    {"limits", limits, NULL},
    {"overflow", overflow, NULL},
    {"overflow of reals", real_overflow, NULL},
    {"routes", routes, NULL},
};
SUITE(paths_verify);
