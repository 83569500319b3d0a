/* Saved graphs as files: round trips, damage, faults. The cases of graphs test their contents. */
#include <stdio.h>

#include "support/saved_files.h"

enum { N = 6, M = 7 };

static bosc_graph *make_graph(bosc_ctx *ctx, int64_t m)
{
    static const uint32_t u[M] = {0, 1, 2, 4, 3, 3, 0}, v[M] = {1, 2, 0, 4, 1, 1, 5};
    static const int32_t weights[M] = {5, -3, 2, 0, 7, 7, 1};
    bosc_graph_opts opts = {.size = sizeof opts, .weight = BOSC_I32, .id_bits = 32};
    bosc_graph *graph = NULL;
    CHECK_OK(ctx, bosc_graph_create(ctx, &opts, &graph));
    CHECK_OK(ctx, bosc_graph_build(ctx, graph, u, v, weights, N, m));
    return graph;
}

static void check_equal(bosc_ctx *ctx, const bosc_graph *a, const bosc_graph *b)
{
    bosc_graph_info ia = {.size = sizeof ia}, ib = {.size = sizeof ib};
    uint32_t arrays[2][3][M];
    int32_t weights[2][M];
    CHECK_OK(ctx, bosc_graph_get_info(ctx, a, &ia));
    CHECK_OK(ctx, bosc_graph_get_info(ctx, b, &ib));
    CHECK(ia.n == ib.n && ia.m == ib.m && ia.entries == ib.entries && ia.weight == ib.weight);
    CHECK_OK(ctx, bosc_graph_get_edges(ctx, a, arrays[0][0], arrays[0][1], arrays[0][2], weights[0]));
    CHECK_OK(ctx, bosc_graph_get_edges(ctx, b, arrays[1][0], arrays[1][1], arrays[1][2], weights[1]));
    for (int i = 0; i < 3; i++) CHECK(memcmp(arrays[0][i], arrays[1][i], (size_t)ia.m * 4) == 0);
    CHECK(memcmp(weights[0], weights[1], (size_t)ia.m * 4) == 0);
}

static void round_trips(bosc_ctx *ctx)
{
    char path[PATH_ROOM];
    bosc_io_error error;
    fresh_path(path, ".bosc");
    /* 1. A saved graph is read by both readers, and refused by those of other structures. */
    for (int64_t m = 0; m <= M; m += M) {
        bosc_graph *graph = make_graph(ctx, m), *back = NULL, *again = NULL;
        bosc_edges edges = {0};
        CHECK_OK(ctx, bosc_graph_save(ctx, graph, path, &error));
        CHECK_OK(ctx, bosc_graph_load(ctx, path, &back, &error));
        check_equal(ctx, graph, back);
        CHECK_OK(ctx, bosc_graph_or_edges_read(ctx, path, NULL, &again, &edges, &error));
        CHECK(again && !edges.u);
        check_equal(ctx, graph, again);
        CHECK_EQ(bosc_edges_read(path, &edges, &error), BOSC_ERR_FORMAT);
        CHECK(strstr(error.text, ": a saved graph, not a list of edges"));
        bosc_kdtree *tree = NULL;
        CHECK_EQ(bosc_kdtree_load(ctx, path, &tree, &error), BOSC_ERR_FORMAT);
        CHECK(!tree && strstr(error.text, ": not a saved k-d tree"));
        bosc_graph_free(graph);
        bosc_graph_free(back);
        bosc_graph_free(again);
    }
    /* 2. An edge list is read as edges, and refused as a saved graph. */
    unlink(path);
    strcpy(strrchr(path, '.'), ".gr");
    FILE *f = fopen(path, "w");
    CHECK(f && fputs("p sp 2 1\na 1 2 9\n", f) > 0 && fclose(f) == 0);
    bosc_graph *none = NULL;
    bosc_edges edges = {0};
    CHECK_OK(ctx, bosc_graph_or_edges_read(ctx, path, NULL, &none, &edges, &error));
    CHECK(!none && edges.m == 1);
    bosc_edges_free(&edges);
    CHECK_EQ(bosc_graph_load(ctx, path, &none, &error), BOSC_ERR_FORMAT);
    CHECK(!none && strstr(error.text, ".gr: not a saved graph"));
    unlink(path);
}

SAVED_FILE_KIND(graph, check_equal);

static void damage(bosc_ctx *ctx)
{
    bosc_graph *graph = make_graph(ctx, M);
    saved_file_damage(ctx, &saved_file_graph, graph, 128);
    bosc_graph_free(graph);
}

static void bad_arguments(bosc_ctx *ctx)
{
    bosc_graph *graph = make_graph(ctx, M), *fresh = NULL;
    bosc_edges edges = {0};
    bosc_io_error failure;
    CHECK_TEXT(bosc_graph_save(NULL, graph, "none", error), "ctx");
    CHECK_TEXT(bosc_graph_save(ctx, NULL, "none", error), "graph");
    CHECK_TEXT(bosc_graph_save(ctx, graph, NULL, error), "path");
    CHECK_TEXT(bosc_graph_load(NULL, "none", &fresh, error), "ctx");
    CHECK_TEXT(bosc_graph_load(ctx, NULL, &fresh, error), "path");
    CHECK_TEXT(bosc_graph_load(ctx, "none", NULL, error), "graph");
    CHECK_TEXT(bosc_graph_or_edges_read(NULL, "none", NULL, &fresh, &edges, error), "ctx");
    CHECK_TEXT(bosc_graph_or_edges_read(ctx, NULL, NULL, &fresh, &edges, error), "path");
    CHECK_TEXT(bosc_graph_or_edges_read(ctx, "none", NULL, NULL, &edges, error), "graph");
    CHECK_TEXT(bosc_graph_or_edges_read(ctx, "none", NULL, &fresh, NULL, error), "edges");
    CHECK_EQ(bosc_graph_save(ctx, graph, "/nowhere/g.bosc", &failure), BOSC_ERR_IO);
    CHECK(suite_begins(failure.text, "/nowhere/g.bosc: cannot create"));
    CHECK_EQ(bosc_graph_load(ctx, "/nowhere/g.bosc", &fresh, &failure), BOSC_ERR_IO);
    CHECK_EQ(bosc_graph_or_edges_read(ctx, "/nowhere/g.bosc", NULL, &fresh, &edges, &failure), BOSC_ERR_IO);
    CHECK(!fresh && !edges.u);
    bosc_graph_free(graph);
}

#ifdef BOSC_FAULTS
static void faults(bosc_ctx *ctx)
{
    bosc_graph *graph = make_graph(ctx, M), *old = make_graph(ctx, M - 1);
    saved_file_faults(ctx, &saved_file_graph, graph, old);
    bosc_graph_free(graph);
    bosc_graph_free(old);
}
#endif

static const struct suite_case suite_cases_io_graph_saved[] = {
    {"round trips", round_trips, NULL},
    {"damage", damage, NULL},
    {"bad arguments", bad_arguments, NULL},
#ifdef BOSC_FAULTS
    {"saving and loading fail at every passage", faults, NULL},
#endif
};
SUITE(io_graph_saved);
