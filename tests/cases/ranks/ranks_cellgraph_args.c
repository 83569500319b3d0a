/* Bad arguments of cell graphs over ranks: of a rank alone, and of one among others. */
#include "cases/ranks/ranks_data.h"

enum { N = 8 };

/* Eight corners of a cube. */
static const uint64_t corners[N + 1] = {0, 1, 2, 3, 4, 5, 6, 7};
static const bosc_cellgraph_opts cube = {.size = sizeof cube, .length = 3};

static void options(bosc_ctx *ctx)
{
    bosc_comm *comm;
    bosc_ranks_cellgraph *graph = NULL;
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    /* 1. NULL. */
    CHECK_EQ(bosc_ranks_cellgraph_create(NULL, comm, &cube, &graph), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_cellgraph_create(ctx, NULL, &cube, &graph), "comm");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_create(ctx, comm, NULL, &graph), "opts");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_create(ctx, comm, &cube, NULL), "graph");
    /* 2. Options. */
    bosc_cellgraph_opts bad[10];
    for (int i = 0; i < 10; i++) bad[i] = cube;
    bad[0].size = 3;
    bad[1].length = 0;
    bad[2].length = 65537;
    bad[3].letter_bits = 9;
    bad[4].method = (bosc_cellgraph_method)6;
    bad[5].pivots = 17;
    bad[6].id_bits = 33;
    bad[7].max_bytes = -1;
    bad[8].trie_search = (bosc_cellgraph_trie_search)4;
    bad[9].implied_edges = 1;
    for (int i = 0; i < 10; i++) {
        CHECK_ARG(ctx, bosc_ranks_cellgraph_create(ctx, comm, &bad[i], &graph), "opts");
        CHECK_ARG(ctx, bosc_ranks_cellgraph_bytes(ctx, comm, &bad[i], 1, 1, 1, NULL, NULL), "opts");
    }
    CHECK(!graph);
    bosc_ranks_cellgraph_free(NULL);
    bosc_comm_free(comm);
}

static void bytes(bosc_ctx *ctx)
{
    /* Bad sizes are refused by name, sizes beyond the id type as a limit; no output is written. */
    const int64_t limit = (int64_t)UINT32_MAX;
    bosc_comm *comm;
    bosc_ranks_cellgraph *g = NULL;
    bosc_ranks_cellgraph_info info = {.size = sizeof info};
    bosc_cellgraph_opts o = cube;
    int64_t kept = 7, scratch = 7;
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    o.id_bits = 32;
    CHECK_OK(ctx, bosc_ranks_cellgraph_create(ctx, comm, &o, &g));
    CHECK_EQ(bosc_ranks_cellgraph_reserve(NULL, g, 1, 1, 1), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_cellgraph_reserve(ctx, NULL, 1, 1, 1), "graph");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_reserve(ctx, g, -1, 1, 1), "n");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_reserve(ctx, g, 1, 0, 1), "total: 0 is less than n, 1");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_reserve(ctx, g, 1, 1, -1), "edges");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_reserve(ctx, g, 1, 1, INT64_MAX), "edges");
    CHECK_STATUS(ctx, bosc_ranks_cellgraph_reserve(ctx, g, limit, limit, 1), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_ranks_cellgraph_reserve(ctx, g, 0, limit, 1), BOSC_ERR_LIMIT);
    CHECK_OK(ctx, bosc_ranks_cellgraph_get_info(ctx, g, &info));
    CHECK_EQ(info.bytes, 0);
    CHECK_EQ(bosc_ranks_cellgraph_bytes(NULL, comm, &o, 1, 1, 1, &kept, &scratch), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_cellgraph_bytes(ctx, NULL, &o, 1, 1, 1, &kept, &scratch), "comm");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_bytes(ctx, comm, NULL, 1, 1, 1, &kept, &scratch), "opts");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_bytes(ctx, comm, &o, -1, 1, 1, &kept, &scratch), "n");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_bytes(ctx, comm, &o, 2, 1, 1, &kept, &scratch), "total");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_bytes(ctx, comm, &o, 1, 1, -1, &kept, &scratch), "edges");
    CHECK_STATUS(ctx, bosc_ranks_cellgraph_bytes(ctx, comm, &o, 0, limit, 1, &kept, &scratch), BOSC_ERR_LIMIT);
    o.id_bits = 64;
    CHECK_STATUS(ctx, bosc_ranks_cellgraph_bytes(ctx, comm, &o, 0, INT64_MAX, 1, &kept, &scratch), BOSC_ERR_LIMIT);
    CHECK(kept == 7 && scratch == 7);
    CHECK_OK(ctx, bosc_ranks_cellgraph_bytes(ctx, comm, &o, 0, 0, 0, NULL, NULL));
    bosc_ranks_cellgraph_free(g);
    bosc_comm_free(comm);
}

/* ---- a rank of its own, and one whose arguments alone are bad ---- */

static void check_builds(bosc_ctx *ctx, bosc_ranks_cellgraph *g)
{
    const uint64_t *skewed = (const uint64_t *)(const void *)((const char *)corners + 4);
    CHECK_EQ(bosc_ranks_cellgraph_build(NULL, g, corners, N, 0), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_cellgraph_build(ctx, NULL, corners, N, 0), "graph");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_build(ctx, g, NULL, N, 0), "vectors");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_build(ctx, g, skewed, N, 0), "vectors");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_build(ctx, g, corners, -1, 0), "n");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_build(ctx, g, corners, INT64_MIN, 0), "n");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_build(ctx, g, corners, N, -1), "stride");
    CHECK_STATUS(ctx, bosc_ranks_cellgraph_build(ctx, g, corners, UINT32_MAX, 0), BOSC_ERR_LIMIT);
}

static void check_copies(bosc_ctx *ctx, bosc_ranks_cellgraph *g)
{
    uint64_t room[2 * 3 * N], *skewed = (uint64_t *)(void *)((char *)room + 4);
    int64_t *odd = (int64_t *)(void *)skewed;
    uint32_t *crooked = (uint32_t *)(void *)((char *)room + 2);
    bosc_ranks_cellgraph_info info = {.size = 3};
    CHECK_EQ(bosc_ranks_cellgraph_get_vertices(NULL, g, room, room, NULL, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ranks_cellgraph_get_pairs(NULL, g, room, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ranks_cellgraph_components(NULL, g, room, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ranks_cellgraph_components_masked(NULL, g, NULL, room, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ranks_cellgraph_get_info(NULL, g, &info), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_cellgraph_get_vertices(ctx, NULL, room, NULL, NULL, NULL), "graph");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_get_pairs(ctx, NULL, room, NULL), "graph");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_components(ctx, NULL, room, NULL), "graph");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_components_masked(ctx, NULL, NULL, room, NULL), "graph");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_get_info(ctx, NULL, &info), "graph");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_get_info(ctx, g, NULL), "info");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_get_info(ctx, g, &info), "info");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_get_vertices(ctx, g, skewed, NULL, NULL, NULL), "vectors");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_get_vertices(ctx, g, NULL, skewed, NULL, NULL), "representatives");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_get_vertices(ctx, g, NULL, NULL, odd, NULL), "multiplicities");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_get_vertices(ctx, g, NULL, NULL, NULL, skewed), "vertex_of");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_get_pairs(ctx, g, skewed, NULL), "pairs");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_get_pairs(ctx, g, NULL, crooked), "positions");
    info.size = sizeof info;
    CHECK_OK(ctx, bosc_ranks_cellgraph_get_info(ctx, g, &info));
    CHECK(info.vertices == N && info.edges == 12); /* as it was built before */
}

static void calls(bosc_ctx *ctx)
{
    bosc_comm *comm;
    bosc_ranks_cellgraph *g = NULL;
    char room[8 * N];
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    CHECK_OK(ctx, bosc_ranks_cellgraph_create(ctx, comm, &cube, &g));
    CHECK_OK(ctx, bosc_ranks_cellgraph_build(ctx, g, corners, N, 0));
    check_builds(ctx, g);
    check_copies(ctx, g);
    CHECK_ARG(ctx, bosc_ranks_cellgraph_components(ctx, g, room + 1, NULL), "labels");
    CHECK_ARG(ctx, bosc_ranks_cellgraph_components_masked(ctx, g, NULL, room + 1, NULL), "labels");
    bosc_ranks_cellgraph_free(g);
    bosc_comm_free(comm);
}

/* Options that differ from those of rank 0. */
static void create_badly(struct rank *r)
{
    static const char *const messages[] = {
        "opts: length: 5 is not the 3 of rank 0",      "opts: letter_bits: 2 is not the 1 of rank 0",
        "opts: method: 4 is not the 0 of rank 0",      "opts: pivots: 7 is not the 0 of rank 0",
        "opts: id_bits: 32 is not the 64 of rank 0",   "opts: heuristic_search: 1 is not the 0 of rank 0",
        "opts: trie_search: 1 is not the 0 of rank 0", "opts: digit_bits: 4 is not the 0 of rank 0",
        "opts: length 0 is not in 1 to 65536"};
    const int32_t values[] = {5, 2, 4, 7, 32, 1, 1, 4, 0};
    for (int i = 0; i < 9; i++) {
        bosc_cellgraph_opts o = cube;
        bosc_ranks_cellgraph *g = NULL;
        if (r->rank == 1) {
            if (i == 0 || i == 8) o.length = values[i];
            if (i == 1) o.letter_bits = values[i];
            if (i == 2) o.method = (bosc_cellgraph_method)values[i];
            if (i == 3) o.pivots = values[i];
            if (i == 4) o.id_bits = values[i];
            if (i == 5) o.heuristic_search = (bosc_cellgraph_heuristic_search)values[i];
            if (i == 6) o.trie_search = (bosc_cellgraph_trie_search)values[i];
            if (i == 7) o.digit_bits = values[i];
        }
        ranks_check_blame(r, bosc_ranks_cellgraph_create(r->ctx, r->comm, &o, &g), BOSC_ERR_ARG, messages[i]);
        CHECK(!g);
    }
}

static void call_badly(struct rank *r)
{
    /* Rank 1 passes the bad argument; all ranks return the same status, with a message that names it (and rank 1). The
     * graph stays as it was. */
    const bool bad = r->rank == 1;
    char room[8 * N + 8];
    int64_t components = -1;
    bosc_ranks_cellgraph *g = NULL;
    const int64_t n = r->rank == 2 ? 0 : N / 2;
    const uint64_t *rows = r->rank == 1 ? corners + N / 2 : corners;
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_create(r->ctx, r->comm, &cube, &g));
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_components(r->ctx, g, room, &components));
    CHECK_EQ(components, 0);
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_build(r->ctx, g, rows, n, 0));
    ranks_check_blame(r, bosc_ranks_cellgraph_build(r->ctx, g, bad ? NULL : rows, n, 0), BOSC_ERR_ARG, "vectors: NULL");
    ranks_check_blame(r, bosc_ranks_cellgraph_build(r->ctx, g, rows, bad ? -1 : n, 0), BOSC_ERR_ARG, "n: -1");
    ranks_check_blame(r, bosc_ranks_cellgraph_build(r->ctx, g, rows, n, bad ? -1 : 0), BOSC_ERR_ARG, "stride: -1");
    ranks_check_blame(r, bosc_ranks_cellgraph_build(r->ctx, g, rows, bad ? (int64_t)UINT32_MAX : n, 0), BOSC_ERR_LIMIT,
                      "n: 4294967295");
    ranks_check_blame(r, bosc_ranks_cellgraph_reserve(r->ctx, g, bad ? -1 : n, N, N), BOSC_ERR_ARG, "n: -1");
    ranks_check_blame(r, bosc_ranks_cellgraph_reserve(r->ctx, g, n, bad ? 9 : 8, N), BOSC_ERR_ARG,
                      "total: 9 is not the 8 of rank 0");
    ranks_check_blame(r, bosc_ranks_cellgraph_components(r->ctx, g, room + bad, NULL), BOSC_ERR_ARG, "labels: ");
    ranks_check_blame(r, bosc_ranks_cellgraph_components_masked(r->ctx, g, NULL, room + bad, NULL), BOSC_ERR_ARG,
                      "labels: ");
    check_copies(r->ctx, g);
    CHECK_OK(r->ctx, bosc_ranks_cellgraph_components(r->ctx, g, room, &components));
    CHECK_EQ(components, 1);
    bosc_ranks_cellgraph_free(g);
}

static void one_of_three(bosc_ctx *ctx)
{
    ranks_run(ctx, 3, 0, create_badly, NULL);
    ranks_run(ctx, 3, 0, call_badly, NULL);
}

static const struct suite_case suite_cases_ranks_cellgraph_args[] = {
    {"options", options, NULL},
    {"bytes", bytes, NULL},
    {"calls", calls, NULL},
    {"one of three ranks", one_of_three, NULL},
};
SUITE(ranks_cellgraph_args);
