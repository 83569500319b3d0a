/* Geometric hashing takes no bad argument, and says which one is bad. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"

static void wrong_options(bosc_ctx *ctx)
{
    int64_t kept = 7, scratch = 7;
    bosc_geometric *table = NULL;
    const bosc_geometric_opts o = {.size = sizeof o};
    CHECK_EQ(bosc_geometric_create(NULL, &o, &table), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_geometric_create(ctx, &o, NULL), "table");
    const bosc_geometric_opts wrong[] = {
        {.size = 1},
        {.size = sizeof o + 1},
        {.size = sizeof o, .kind = (bosc_geometric_kind)2},
        {.size = sizeof o, .kind = (bosc_geometric_kind)-1},
        {.size = sizeof o, .tolerance = -1},
        {.size = sizeof o, .tolerance = NAN},
        {.size = sizeof o, .tolerance = INFINITY},
        {.size = sizeof o, .vote_radius = -0.1},
        {.size = sizeof o, .vote_radius = 1e-9},
        {.size = sizeof o, .vote_radius = 2},
        {.size = sizeof o, .vote_radius = NAN},
        {.size = sizeof o, .neighbours = -1},
        {.size = sizeof o, .neighbours = 7},
        {.size = sizeof o, .max_bases = -1},
        {.size = sizeof o, .max_bases = INT64_MAX},
        {.size = sizeof o, .max_trials = -1},
        {.size = sizeof o, .max_trials = INT64_MAX},
        {.size = sizeof o, .min_fraction = -1},
        {.size = sizeof o, .min_fraction = 1.5},
        {.size = sizeof o, .min_fraction = NAN},
        {.size = sizeof o, .stop_fraction = -1},
        {.size = sizeof o, .stop_fraction = 1.01},
        {.size = sizeof o, .stop_fraction = INFINITY},
        {.size = sizeof o, .id_bits = 16},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_ARG(ctx, bosc_geometric_create(ctx, &wrong[i], &table), "opts");
    CHECK_ARG(ctx, bosc_geometric_bytes(ctx, &wrong[0], 5, &kept, &scratch), "opts");
    CHECK(table == NULL && kept == 7 && scratch == 7);
}

static const int64_t wrong_sizes[] = {-1, INT64_MIN, 0, 1, 2};

static void wrong_bytes(bosc_ctx *ctx)
{
    int64_t kept = 7, scratch = 7;
    const bosc_geometric_opts o = {.size = sizeof o},
                              all = {.size = sizeof all, .neighbours = 65535, .max_bases = 1 << 16};
    CHECK_EQ(bosc_geometric_bytes(NULL, &o, 5, &kept, &scratch), BOSC_ERR_ARG);
    for (int i = 0; i < 5; i++) CHECK_ARG(ctx, bosc_geometric_bytes(ctx, &o, wrong_sizes[i], &kept, &scratch), "n");
    CHECK_STATUS(ctx, bosc_geometric_bytes(ctx, &o, 65537, &kept, &scratch), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_geometric_bytes(ctx, &all, 65536, &kept, &scratch), BOSC_ERR_LIMIT);
    CHECK(strstr(bosc_message(ctx), "entries") && kept == 7 && scratch == 7);
    CHECK_OK(ctx, bosc_geometric_bytes(ctx, NULL, 65536, NULL, NULL));
}

static void wrong_models(bosc_ctx *ctx, bosc_geometric *table, const double *p)
{
    double bad[8] = {0, 0, 1, 0, 0, NAN, 1, 1};
    const void *odd = (const char *)p + 4;
    CHECK_EQ(bosc_geometric_build(NULL, table, p, 4), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_geometric_build(ctx, NULL, p, 4), "table");
    CHECK_ARG(ctx, bosc_geometric_build(ctx, table, NULL, 4), "points");
    CHECK_ARG(ctx, bosc_geometric_build(ctx, table, odd, 4), "points");
    for (int i = 0; i < 5; i++) CHECK_ARG(ctx, bosc_geometric_build(ctx, table, p, wrong_sizes[i]), "n");
    CHECK_STATUS(ctx, bosc_geometric_build(ctx, table, p, 65537), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_geometric_build(ctx, table, p, INT64_MAX), BOSC_ERR_LIMIT);
    for (int k = 0; k < 4; k++) {
        static const double values[] = {NAN, INFINITY, -INFINITY, 1e61};
        bad[5] = values[k];
        CHECK_STATUS(ctx, bosc_geometric_build(ctx, table, bad, 4), BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_message(ctx), "points: row 2"));
    }
}

static void wrong_scenes(bosc_ctx *ctx, const bosc_geometric *table, double *p)
{
    const double bad[8] = {0, 0, 1, 0, 0, NAN, 1, 1};
    int64_t ids[8] = {7, 7, 7, 7, 7, 7, 7, 7};
    void *odd = (char *)p + 4;
    bosc_geometric_match match = {.size = sizeof match, .votes = 77};
    CHECK_EQ(bosc_geometric_find(NULL, table, p, 4, ids, &match), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_geometric_find(ctx, NULL, p, 4, ids, &match), "table");
    CHECK_ARG(ctx, bosc_geometric_find(ctx, table, NULL, 4, ids, &match), "scene");
    CHECK_ARG(ctx, bosc_geometric_find(ctx, table, odd, 4, ids, &match), "scene");
    CHECK_ARG(ctx, bosc_geometric_find(ctx, table, p, -1, ids, &match), "scene_count");
    CHECK_ARG(ctx, bosc_geometric_find(ctx, table, p, INT64_MIN, ids, &match), "scene_count");
    CHECK_ARG(ctx, bosc_geometric_find(ctx, table, p, 4, odd, &match), "ids");
    CHECK_ARG(ctx, bosc_geometric_find(ctx, table, p, 4, ids, NULL), "match");
    for (size_t size = 0; size < sizeof(size_t); size++) {
        match.size = size;
        CHECK_ARG(ctx, bosc_geometric_find(ctx, table, p, 4, ids, &match), "match");
    }
    match.size = sizeof match + 1;
    CHECK_ARG(ctx, bosc_geometric_find(ctx, table, p, 4, ids, &match), "match");
    match.size = sizeof match;
    CHECK_STATUS(ctx, bosc_geometric_find(ctx, table, p, (1 << 20) + 1, ids, &match), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_geometric_find(ctx, table, bad, 4, ids, &match), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_message(ctx), "scene: row 2"));
    CHECK(match.votes == 77 && ids[0] == 7);
}

static void arguments(bosc_ctx *ctx)
{
    double p[12] = {0, 0, 1, 0, 0, 1, 2, 3};
    int64_t ids[8];
    bosc_geometric *table = NULL;
    bosc_geometric_match match = {.size = sizeof match};
    bosc_geometric_info info = {.size = 1};
    wrong_options(ctx);
    wrong_bytes(ctx);
    bosc_geometric_free(NULL);
    CHECK_OK(ctx, bosc_geometric_create(ctx, NULL, &table));
    CHECK_ARG(ctx, bosc_geometric_find(ctx, table, p, 4, ids, &match), "table: it holds no model");
    wrong_models(ctx, table, p);
    CHECK_OK(ctx, bosc_geometric_build(ctx, table, p, 4));
    wrong_scenes(ctx, table, p);
    CHECK_ARG(ctx, bosc_geometric_get_info(ctx, table, &info), "info");
    CHECK_ARG(ctx, bosc_geometric_get_info(ctx, NULL, &info), "table");
    CHECK_ARG(ctx, bosc_geometric_get_info(ctx, table, NULL), "info: NULL");
    CHECK_EQ(bosc_geometric_get_info(NULL, table, &info), BOSC_ERR_ARG);
    CHECK_EQ(bosc_geometric_reserve(NULL, table, 5), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_geometric_reserve(ctx, NULL, 5), "table");
    for (int i = 0; i < 5; i++) CHECK_ARG(ctx, bosc_geometric_reserve(ctx, table, wrong_sizes[i]), "n");
    CHECK_STATUS(ctx, bosc_geometric_reserve(ctx, table, 65537), BOSC_ERR_LIMIT);
    bosc_geometric_free(table);
}

static const struct suite_case suite_cases_geometric_args[] = {{"arguments", arguments, NULL}};
SUITE(geometric_args);
