/* Bad arguments of shortest paths are refused by name, and nothing is written; memory is as announced. */
#include "cases/paths/paths_data.h"

enum { N = 4 };

static void arguments(bosc_ctx *ctx)
{
    struct suite_random r = {3};
    struct forest_graph g = paths_make(&r, FOREST_PATH, WEIGHTS_RANDOM, BOSC_F64, N);
    bosc_graph *graph = forest_build(ctx, &g.e, 64, 0);
    const int64_t source = 1, beyond = N, below = -1;
    const double limit = -1, nan = NAN;
    double distances[N] = {-7, -7, -7, -7};
    int64_t ids[N] = {-7, -7, -7, -7}, length = -7;
    bosc_paths_info info = {.size = 4};
    bosc_paths_fault fault = {.size = 4};
    const bosc_paths_opts bad[] = {{.size = sizeof bad[0], .algorithm = (bosc_paths_algorithm)2},
                                   {.size = sizeof bad[0], .algorithm = (bosc_paths_algorithm)-1},
                                   {.size = sizeof bad[0], .width = -1},
                                   {.size = sizeof bad[0], .width = NAN},
                                   {.size = sizeof bad[0], .limit = &limit},
                                   {.size = sizeof bad[0], .limit = &nan},
                                   {.size = sizeof bad[0], .limit = (const char *)&limit + 4},
                                   {.size = sizeof bad[0], .offset_bits = 16},
                                   {.size = 3}};
    const bosc_paths_opts each = {.size = sizeof each, .each = 1};
#define COMPUTE(sources, count, opts, d, p, e, s, i) bosc_paths_compute(ctx, graph, sources, count, opts, d, p, e, s, i)
#define VERIFY(sources, count, opts, d, p, f) bosc_paths_verify(ctx, graph, sources, count, opts, d, p, f)
    /* 1. Options, then each argument. */
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        CHECK_ARG(ctx, COMPUTE(&source, 1, &bad[k], distances, NULL, NULL, NULL, NULL), "opts");
        CHECK_ARG(ctx, VERIFY(&source, 1, &bad[k], distances, NULL, NULL), "opts");
    }
    CHECK_ARG(ctx, VERIFY(&source, 1, &each, distances, NULL, NULL), "opts");
    CHECK_ARG(ctx, COMPUTE(NULL, 1, NULL, distances, NULL, NULL, NULL, NULL), "sources");
    CHECK_ARG(ctx, COMPUTE(&source, -1, NULL, distances, NULL, NULL, NULL, NULL), "source_count");
    CHECK_STATUS(ctx, COMPUTE(&source, UINT32_MAX, NULL, distances, NULL, NULL, NULL, NULL), BOSC_ERR_LIMIT);
    CHECK_ARG(ctx, COMPUTE((const char *)&source + 4, 1, NULL, distances, NULL, NULL, NULL, NULL), "sources");
    CHECK_STATUS(ctx, COMPUTE(&beyond, 1, NULL, distances, NULL, NULL, NULL, NULL), BOSC_ERR_DATA);
    CHECK_STATUS(ctx, COMPUTE(&below, 1, NULL, distances, NULL, NULL, NULL, NULL), BOSC_ERR_DATA);
    CHECK_ARG(ctx, COMPUTE(&source, 1, NULL, (char *)distances + 4, NULL, NULL, NULL, NULL), "distances");
    CHECK_ARG(ctx, COMPUTE(&source, 1, NULL, NULL, (char *)ids + 4, NULL, NULL, NULL), "predecessors");
    CHECK_ARG(ctx, COMPUTE(&source, 1, NULL, NULL, NULL, (char *)ids + 4, NULL, NULL), "edges");
    CHECK_ARG(ctx, COMPUTE(&source, 1, NULL, NULL, NULL, NULL, (char *)ids + 4, NULL), "nearest");
    CHECK_ARG(ctx, COMPUTE(&source, 1, NULL, distances, NULL, NULL, NULL, &info), "info");
    CHECK_ARG(ctx, VERIFY(&source, 1, NULL, NULL, NULL, NULL), "distances");
    CHECK_ARG(ctx, VERIFY(&source, 1, NULL, (char *)distances + 4, NULL, NULL), "distances");
    CHECK_ARG(ctx, VERIFY(&source, 1, NULL, distances, (char *)ids + 4, NULL), "predecessors");
    CHECK_ARG(ctx, VERIFY(&source, 1, NULL, distances, NULL, &fault), "fault");
    CHECK_STATUS(ctx, VERIFY(&beyond, 1, NULL, distances, NULL, NULL), BOSC_ERR_DATA);
    CHECK_ARG(ctx, bosc_paths_compute(ctx, NULL, &source, 1, NULL, distances, NULL, NULL, NULL, NULL), "graph");
    CHECK_ARG(ctx, bosc_paths_verify(ctx, NULL, &source, 1, NULL, distances, NULL, NULL), "graph");
    CHECK_ARG(ctx, bosc_paths_route(ctx, ids, N, 16, 0, NULL, 0, &length), "id_bits");
    CHECK_ARG(ctx, bosc_paths_route(ctx, ids, 0, 64, 0, NULL, 0, &length), "n");
    CHECK_ARG(ctx, bosc_paths_route(ctx, NULL, N, 64, 0, NULL, 0, &length), "predecessors");
    CHECK_ARG(ctx, bosc_paths_route(ctx, (char *)ids + 4, N, 64, 0, NULL, 0, &length), "predecessors");
    CHECK_ARG(ctx, bosc_paths_route(ctx, ids, N, 64, N, NULL, 0, &length), "target");
    CHECK_ARG(ctx, bosc_paths_route(ctx, ids, N, 64, -1, NULL, 0, &length), "target");
    CHECK_ARG(ctx, bosc_paths_route(ctx, ids, N, 64, 0, ids, -1, &length), "capacity");
    CHECK_ARG(ctx, bosc_paths_route(ctx, ids, N, 64, 0, (char *)ids + 4, N, &length), "route");
    CHECK_ARG(ctx, bosc_paths_route(ctx, ids, N, 64, 0, ids, N, NULL), "length");
    /* 2. Nothing has changed, and no source is no error. */
    for (int v = 0; v < N; v++) CHECK(distances[v] == -7 && ids[v] == -7);
    CHECK_EQ(length, -7);
    CHECK_OK(ctx, COMPUTE(NULL, 0, NULL, distances, ids, NULL, NULL, NULL));
    for (int v = 0; v < N; v++) CHECK(distances[v] == INFINITY && ids[v] == -1);
    bosc_graph_free(graph);
    forest_free(&g);
}

/* Negative weights, of each type, are named by their edge; so are NaNs. */
static void weights(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_I32, BOSC_I64, BOSC_F32, BOSC_F64};
    const int64_t u[3] = {0, 1, 2}, v[3] = {1, 2, 3}, source = 0;
    for (int k = 0; k < 6; k++) {
        const bosc_dtype t = dtypes[k % 4];
        int64_t space[3];
        double distances[N];
        for (int i = 0; i < 3; i++) forest_set_weight(space, t, i, i == 1 ? (k < 4 ? -1 : 2) : 3);
        if (k == 4) ((int32_t *)space)[1] = INT32_MIN;
        if (k == 5) ((int64_t *)space)[1] = INT64_MIN;
        const struct reference_edges e = {N, 3, u, v, t, space};
        bosc_graph *graph = forest_build(ctx, &e, 64, 0);
        const bosc_paths_opts hops = {.size = sizeof hops, .unweighted = 1};
        CHECK_STATUS(ctx, bosc_paths_compute(ctx, graph, &source, 1, NULL, distances, NULL, NULL, NULL, NULL),
                     BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx), "edge 1"));
        CHECK_OK(ctx, bosc_paths_compute(ctx, graph, &source, 1, &hops, distances, NULL, NULL, NULL, NULL));
        bosc_graph_free(graph);
    }
    const float nan[3] = {1, 2, NAN};
    const struct reference_edges e = {N, 3, u, v, BOSC_F32, nan};
    bosc_graph *graph = forest_build(ctx, &e, 64, 0);
    CHECK_STATUS(ctx, bosc_paths_compute(ctx, graph, &source, 1, NULL, NULL, NULL, NULL, NULL, NULL), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "edge 2"));
    bosc_graph_free(graph);
}

/* bosc_paths_bytes bounds the scratch of calls with all outputs, on graphs that use most. */
static void bytes(bosc_ctx *ctx)
{
    for (int k = 0; k < 4; k++) {
        struct suite_random r = {(uint64_t)k};
        const int64_t n = k < 2 ? 60 : 3000;
        struct forest_graph g = paths_make(&r, k % 2 ? FOREST_COMB : FOREST_RANDOM, WEIGHTS_FEW, BOSC_U32, n);
        bosc_graph *graph = forest_build(ctx, &g.e, 64, 0);
        struct paths_outputs o = paths_outputs_of(n);
        bosc_graph_info info = {.size = sizeof info};
        bosc_ctx_info used = {.size = sizeof used};
        const int64_t source = n / 3;
        int64_t most = 0;
        CHECK_OK(ctx, bosc_graph_get_info(ctx, graph, &info));
        CHECK_OK(ctx, bosc_ctx_trim(ctx));
        CHECK_OK(ctx, bosc_paths_compute(ctx, graph, &source, 1, NULL, o.distances, o.predecessors, o.edges, o.nearest,
                                         &o.info));
        CHECK_OK(ctx, bosc_ctx_get_info(ctx, &used));
        CHECK_OK(ctx, bosc_paths_bytes(ctx, n, info.arcs, 1, &most));
        if (used.scratch_bytes > most) CHECK_EQ(used.scratch_bytes, most);
        paths_outputs_free(&o);
        bosc_graph_free(graph);
        forest_free(&g);
    }
    /* Bad arguments. */
    int64_t most = -7;
    CHECK_ARG(ctx, bosc_paths_bytes(ctx, -1, 0, 1, &most), "n");
    CHECK_ARG(ctx, bosc_paths_bytes(ctx, UINT32_MAX, 0, 1, &most), "n");
    CHECK_ARG(ctx, bosc_paths_bytes(ctx, 1, -1, 1, &most), "arcs");
    CHECK_ARG(ctx, bosc_paths_bytes(ctx, 1, 0, -1, &most), "source_count");
    CHECK_ARG(ctx, bosc_paths_bytes(ctx, 1, 0, 1, NULL), "bytes");
    CHECK_EQ(most, -7);
}

static const struct suite_case suite_cases_paths_args[] = {
    {"arguments", arguments, NULL},
    {"weights", weights, NULL},
    {"bytes", bytes, NULL},
};
SUITE(paths_args);
