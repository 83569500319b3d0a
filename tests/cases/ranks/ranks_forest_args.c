/* Bad arguments of forests over ranks: alone, and on one rank of several. */
#include <string.h>

#include "cases/ranks/ranks_forest_data.h"

enum { N = 20 };

static struct forest_graph make_graph(bosc_dtype type)
{
    struct suite_random r = {91};
    return forest_make(&r, FOREST_RANDOM, WEIGHTS_FEW, type, N);
}

static void check_opts(bosc_ctx *ctx, bosc_comm *comm, const bosc_graph *graph)
{
    static const float nan[] = {NAN, 0};
    const bosc_msf_opts bad[] = {
        {.size = sizeof bad[0], .algorithm = (bosc_msf_algorithm)-1},
        {.size = sizeof bad[0], .algorithm = (bosc_msf_algorithm)3},
        {.size = sizeof bad[0], .trees = -1},
        {.size = sizeof bad[0], .trees = INT64_MIN},
        {.size = sizeof bad[0], .replicated_bytes = -1},
        {.size = sizeof bad[0], .replicated_bytes = INT64_MIN},
        {.size = 7},
        {.size = sizeof bad[0] + 8},
        {.size = sizeof bad[0], .limit = &nan[0]},
        {.size = sizeof bad[0], .limit = (const char *)nan + 2},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_ARG(ctx, bosc_ranks_msf_compute(ctx, comm, graph, &bad[i], NULL, NULL, NULL, NULL), "opts");
        CHECK_ARG(ctx, bosc_ranks_components_compute(ctx, comm, graph, &bad[i], NULL, NULL), "opts");
        CHECK_ARG(ctx, bosc_ranks_msf_verify(ctx, comm, graph, &bad[i], NULL, 0, NULL), "opts");
    }
}

static void alone(bosc_ctx *ctx)
{
    /* Each bad argument is refused by its name; outputs stay as they were. Then the same calls succeed. */
    static const size_t bad_sizes[] = {0, 1, sizeof(size_t) - 1, sizeof(bosc_msf_info) + 1, SIZE_MAX};
    static const int64_t negative[] = {-1, -2, INT32_MIN, INT64_MIN};
    struct forest_graph g = make_graph(BOSC_F32);
    bosc_graph *graph = forest_build(ctx, &g.e, 64, 0);
    bosc_comm *comm;
    int64_t edges[N], labels[N], count = 5, edge = 5;
    const bosc_msf_opts cut = {.size = sizeof cut, .trees = 2};
    bosc_msf_info info = {.size = sizeof info, .edges = 77};
    memset(edges, 0x55, sizeof edges);
    memset(labels, 0x55, sizeof labels);
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    CHECK_EQ(bosc_ranks_msf_compute(NULL, comm, graph, NULL, edges, &count, labels, &info), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ranks_components_compute(NULL, comm, graph, NULL, labels, &count), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ranks_msf_verify(NULL, comm, graph, NULL, edges, 0, &edge), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_msf_compute(ctx, NULL, graph, NULL, edges, &count, labels, &info), "comm");
    CHECK_ARG(ctx, bosc_ranks_components_compute(ctx, NULL, graph, NULL, labels, &count), "comm");
    CHECK_ARG(ctx, bosc_ranks_msf_verify(ctx, NULL, graph, NULL, edges, 0, &edge), "comm");
    CHECK_ARG(ctx, bosc_ranks_msf_compute(ctx, comm, NULL, NULL, edges, &count, labels, &info), "graph");
    CHECK_ARG(ctx, bosc_ranks_components_compute(ctx, comm, NULL, NULL, labels, &count), "graph");
    CHECK_ARG(ctx, bosc_ranks_msf_verify(ctx, comm, NULL, NULL, edges, 0, &edge), "graph");
    check_opts(ctx, comm, graph);
    /* Misaligned outputs. */
    for (int i = 1; i < 8; i++) {
        CHECK_ARG(ctx, bosc_ranks_msf_compute(ctx, comm, graph, NULL, (char *)edges + i, &count, labels, &info),
                  "edges");
        CHECK_ARG(ctx, bosc_ranks_msf_compute(ctx, comm, graph, NULL, edges, &count, (char *)labels + i, &info),
                  "labels");
        CHECK_ARG(ctx, bosc_ranks_components_compute(ctx, comm, graph, NULL, (char *)labels + i, &count), "labels");
        CHECK_ARG(ctx, bosc_ranks_msf_verify(ctx, comm, graph, NULL, (char *)edges + i, 1, &edge), "edges");
    }
    for (size_t i = 0; i < sizeof bad_sizes / sizeof bad_sizes[0]; i++) {
        bosc_msf_info wrong = {.size = bad_sizes[i]};
        CHECK_ARG(ctx, bosc_ranks_msf_compute(ctx, comm, graph, NULL, edges, &count, labels, &wrong), "info");
    }
    for (size_t i = 0; i < 4; i++)
        CHECK_ARG(ctx, bosc_ranks_msf_verify(ctx, comm, graph, NULL, edges, negative[i], &edge), "count");
    CHECK_ARG(ctx, bosc_ranks_msf_verify(ctx, comm, graph, NULL, NULL, 1, &edge), "edges");
    CHECK_ARG(ctx, bosc_ranks_msf_verify(ctx, comm, graph, &cut, edges, 0, &edge), "opts: trees");
    CHECK_STATUS(ctx, bosc_ranks_msf_verify(ctx, comm, graph, NULL, edges, UINT32_MAX, &edge), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_ranks_msf_verify(ctx, comm, graph, NULL, edges, INT64_MAX, &edge), BOSC_ERR_LIMIT);
    /* Nothing was written; good arguments are accepted. */
    for (int i = 0; i < N; i++) CHECK(edges[i] == 0x5555555555555555 && labels[i] == 0x5555555555555555);
    CHECK(info.edges == 77 && count == 5 && edge == 5);
    CHECK_OK(ctx, bosc_ranks_msf_compute(ctx, comm, graph, NULL, edges, &count, labels, &info));
    CHECK_OK(ctx, bosc_ranks_msf_verify(ctx, comm, graph, NULL, edges, count, &edge));
    CHECK_EQ(edge, 5);
    bosc_comm_free(comm);
    bosc_graph_free(graph);
    forest_free(&g);
}

/* ---- one rank of several ---- */

enum mistake {
    NO_GRAPH,
    NEGATIVE_TREES,
    BAD_SIZE,
    VERTICES,
    WEIGHT,
    ID_BITS,
    MAXIMUM,
    TREES,
    REPLICATED,
    LIMIT,
    MASK,
    MISTAKES
};

static const char *const said[MISTAKES] = {
    "graph: NULL",
    "opts: trees",
    "opts: size",
    "graph: vertices: 5 is not the 20 of rank 0",
    "graph: weight type: ",
    "graph: id",
    "opts: max",
    "opts: trees:",
    "opts: replicated_bytes: 1 is not the 0 of rank 0",
    "opts: limit: not that of rank 0",
    "opts: vertex_mask: ",
};

struct wrong {
    int32_t rank;
    enum mistake mistake;
};

static bosc_graph *build_graph(struct rank *r, bosc_dtype type, int64_t n, int32_t id_bits)
{
    static const uint32_t u[] = {0, 1, 2, 0}, v[] = {1, 2, 3, 3};
    const bosc_graph_opts o = {.size = sizeof o, .weight = type, .id_bits = id_bits};
    bosc_graph *graph;
    CHECK_OK(r->ctx, bosc_graph_create(r->ctx, &o, &graph));
    CHECK_OK(r->ctx, bosc_graph_build(r->ctx, graph, id_bits == 32 ? u : NULL, id_bits == 32 ? v : NULL, NULL, n,
                                      id_bits == 32 ? 4 : 0));
    return graph;
}

/* Outputs stay as they were, and the communicator remains usable. */
static void mistaken(struct rank *r)
{
    static const uint32_t limit = 3;
    static const uint8_t mask[N] = {1, 1, 0, 1};
    const struct wrong *w = r->user;
    const bool wrong = r->rank == w->rank;
    const enum mistake m = wrong ? w->mistake : MISTAKES;
    bosc_graph *graph =
        build_graph(r, m == WEIGHT ? BOSC_F32 : BOSC_U32, m == VERTICES ? 5 : N, m == ID_BITS ? 64 : 32);
    const bosc_msf_opts opts = {.size = m == BAD_SIZE ? 3 : sizeof opts,
                                .maximum = m == MAXIMUM,
                                .trees = m == NEGATIVE_TREES ? -1
                                         : m == TREES        ? 4
                                                             : 0,
                                .replicated_bytes = m == REPLICATED,
                                .limit = m == LIMIT ? &limit : NULL,
                                .vertex_mask = m == MASK ? mask : NULL};
    const bosc_graph *given = m == NO_GRAPH ? NULL : graph;
    uint32_t labels[N] = {9};
    int64_t count = 9;
    bosc_msf_info info = {.size = sizeof info, .edges = 9};
    for (int call = 0; call < 3; call++) {
        bosc_status status = call == 0
                                 ? bosc_ranks_msf_compute(r->ctx, r->comm, given, &opts, NULL, &count, labels, &info)
                             : call == 1 ? bosc_ranks_components_compute(r->ctx, r->comm, given, &opts, labels, &count)
                                         : bosc_ranks_msf_verify(r->ctx, r->comm, given, &opts, NULL, 0, &count);
        CHECK_EQ(status, BOSC_ERR_ARG);
        const bool other_message = call == 2 && w->mistake == TREES;
        if (w->rank > 0) /* rank 0's options are the reference */
            ranks_check_message(r, w->rank, other_message ? "opts: trees" : said[w->mistake]);
        CHECK(count == 9 && labels[0] == 9 && labels[1] == 0 && info.edges == 9);
    }
    CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
    bosc_graph_free(graph);
}

static void one_of_three(bosc_ctx *ctx)
{
    for (struct wrong w = {0}; w.rank < 3; w.rank++)
        for (w.mistake = 0; w.mistake < MISTAKES; w.mistake++) ranks_run(ctx, 3, 0, mistaken, &w);
}

/* No rank passes too many edges, but all ranks together do. */
static void pass_half_of_limit(struct rank *r)
{
    static const uint32_t list[1];
    bosc_graph *graph = build_graph(r, BOSC_U32, N, 32);
    int64_t edge = 9;
    CHECK_STATUS(r->ctx,
                 bosc_ranks_msf_verify(r->ctx, r->comm, graph, NULL, list, r->rank < 2 ? (int64_t)1 << 31 : 0, &edge),
                 BOSC_ERR_LIMIT);
    CHECK(suite_begins(bosc_ctx_message(r->ctx), "count: 4294967296 edges"));
    CHECK_EQ(edge, 9);
    CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
    bosc_graph_free(graph);
}

static void too_many(bosc_ctx *ctx) { ranks_run(ctx, 3, 0, pass_half_of_limit, NULL); }

static const struct suite_case suite_cases_ranks_forest_args[] = {
    {"alone", alone, NULL},
    {"one of three ranks", one_of_three, NULL},
    {"too many edges", too_many, NULL},
};
SUITE(ranks_forest_args);
