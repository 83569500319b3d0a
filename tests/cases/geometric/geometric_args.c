/* Geometric hashing refuses each bad argument by its name. */
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
    /* Every option out of its range, one at a time. */
    const bosc_geometric_opts wrong[] = {
        {.size = 1},
        {.size = sizeof o + 1},
        {.size = sizeof o, .kind = (bosc_geometric_kind)3},
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
        {.size = sizeof o, .dim = 1},
        {.size = sizeof o, .dim = 4},
        {.size = sizeof o, .dim = -2},
        {.size = sizeof o, .instances = 2},
        {.size = sizeof o, .instances = -1},
        {.size = sizeof o, .exclusive = 2},
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
    CHECK(strstr(bosc_ctx_message(ctx), "entries") && kept == 7 && scratch == 7);
    CHECK_OK(ctx, bosc_geometric_bytes(ctx, NULL, 65536, NULL, NULL));
}

/* Offsets of two models of 3 and 4 points, and invalid ones: the argument that the message names, and the status. */
static const struct {
    int64_t offsets[3], count;
    const char *name;
    bosc_status status;
} wrong_offsets[] = {
    {{0, 3, 7}, 0, "model_count", BOSC_ERR_ARG},
    {{0, 3, 7}, -1, "model_count", BOSC_ERR_ARG},
    {{0, 3, 7}, INT64_MIN, "model_count", BOSC_ERR_ARG},
    {{0, 3, 7}, (1 << 20) + 1, "model_count", BOSC_ERR_LIMIT},
    {{0, 3, 7}, INT64_MAX, "model_count", BOSC_ERR_LIMIT},
    {{1, 4, 7}, 2, "offsets: they begin with 1", BOSC_ERR_ARG},
    {{0, 3, 5}, 2, "offsets: model 1", BOSC_ERR_ARG},
    {{0, 2, 7}, 2, "offsets: model 0", BOSC_ERR_ARG},
    {{0, 7, 3}, 2, "offsets: model 1", BOSC_ERR_ARG},
    {{0, 7, INT64_MIN}, 2, "offsets: model 1", BOSC_ERR_ARG},
    {{0, 3, 65540}, 2, "offsets: the 65537 points of model 1", BOSC_ERR_LIMIT},
    {{0, 3, INT64_MAX}, 2, "offsets:", BOSC_ERR_LIMIT},
};

static void wrong_lists(bosc_ctx *ctx, bosc_geometric *table, const double *p)
{
    int64_t kept = 7, scratch = 7;
    const int64_t offsets[3] = {0, 3, 7}, *odd = (const int64_t *)(const void *)((const char *)offsets + 4);
    const bosc_geometric_opts o = {.size = sizeof o}, wrong = {.size = 1};
    /* Invalid offsets: the three functions agree on argument and status. */
    for (size_t i = 0; i < sizeof wrong_offsets / sizeof wrong_offsets[0]; i++) {
        const int64_t *bad = wrong_offsets[i].offsets, count = wrong_offsets[i].count;
        bosc_status status = wrong_offsets[i].status;
        CHECK_STATUS(ctx, bosc_geometric_build_models(ctx, table, p, bad, count), status);
        CHECK(suite_begins(bosc_ctx_message(ctx), wrong_offsets[i].name));
        CHECK_STATUS(ctx, bosc_geometric_reserve_models(ctx, table, bad, count), status);
        CHECK(suite_begins(bosc_ctx_message(ctx), wrong_offsets[i].name));
        CHECK_STATUS(ctx, bosc_geometric_bytes_models(ctx, &o, bad, count, &kept, &scratch), status);
        CHECK(suite_begins(bosc_ctx_message(ctx), wrong_offsets[i].name));
    }
    CHECK(kept == 7 && scratch == 7);
    /* Missing contexts, tables and arrays, and a misaligned one. */
    CHECK_EQ(bosc_geometric_build_models(NULL, table, p, offsets, 2), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_geometric_build_models(ctx, NULL, p, offsets, 2), "table");
    CHECK_ARG(ctx, bosc_geometric_build_models(ctx, table, NULL, offsets, 2), "points");
    CHECK_ARG(ctx, bosc_geometric_build_models(ctx, table, p, NULL, 2), "offsets");
    CHECK_ARG(ctx, bosc_geometric_build_models(ctx, table, p, odd, 2), "offsets");
    CHECK_EQ(bosc_geometric_reserve_models(NULL, table, offsets, 2), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_geometric_reserve_models(ctx, NULL, offsets, 2), "table");
    CHECK_ARG(ctx, bosc_geometric_reserve_models(ctx, table, NULL, 2), "offsets");
    CHECK_EQ(bosc_geometric_bytes_models(NULL, &o, offsets, 2, &kept, &scratch), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_geometric_bytes_models(ctx, &wrong, offsets, 2, &kept, &scratch), "opts");
    CHECK_ARG(ctx, bosc_geometric_bytes_models(ctx, &o, NULL, 2, &kept, &scratch), "offsets");
    CHECK_OK(ctx, bosc_geometric_bytes_models(ctx, NULL, offsets, 2, NULL, NULL));
}

/* Too many points or entries in total, though no single model has too many. */
static void wrong_totals(bosc_ctx *ctx, bosc_geometric *table)
{
    enum { MODELS = 257, EACH = 65536 };
    int64_t offsets[MODELS + 1];
    const bosc_geometric_opts many = {.size = sizeof many, .neighbours = 65535, .max_bases = 1 << 10};
    for (int64_t k = 0; k <= MODELS; k++) offsets[k] = k * EACH;
    CHECK_STATUS(ctx, bosc_geometric_reserve_models(ctx, table, offsets, MODELS), BOSC_ERR_LIMIT);
    CHECK(strstr(bosc_ctx_message(ctx), "points of all models"));
    CHECK_STATUS(ctx, bosc_geometric_bytes_models(ctx, &many, offsets, 256, NULL, NULL), BOSC_ERR_LIMIT);
    CHECK(strstr(bosc_ctx_message(ctx), "entries"));
    CHECK_OK(ctx, bosc_geometric_bytes_models(ctx, NULL, offsets, 256, NULL, NULL));
}

/* Limits in three dimensions. */
static void wrong_space(bosc_ctx *ctx)
{
    double p[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 1e41};
    bosc_geometric *table = NULL;
    bosc_geometric_match match = {.size = sizeof match};
    const bosc_geometric_opts o = {.size = sizeof o, .dim = 3},
                              affine = {.size = sizeof o, .dim = 3, .kind = BOSC_GEOMETRIC_AFFINE};
    CHECK_OK(ctx, bosc_geometric_create(ctx, &o, &table));
    CHECK_ARG(ctx, bosc_geometric_build(ctx, table, p, 3), "n: 3 is less than 4");
    CHECK_STATUS(ctx, bosc_geometric_build(ctx, table, p, 5), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "points: row 4 holds 1e+41"));
    CHECK_OK(ctx, bosc_geometric_build(ctx, table, p, 4));
    CHECK_STATUS(ctx, bosc_geometric_find(ctx, table, p, 5, NULL, &match), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "scene: row 4"));
    bosc_geometric_free(table);
    CHECK_OK(ctx, bosc_geometric_create(ctx, &affine, &table));
    p[14] = 4;
    CHECK_ARG(ctx, bosc_geometric_build(ctx, table, p, 4), "n: 4 is less than 5");
    CHECK_OK(ctx, bosc_geometric_build(ctx, table, p, 5));
    CHECK_STATUS(ctx, bosc_geometric_find(ctx, table, p, 65537, NULL, &match), BOSC_ERR_LIMIT);
    CHECK(suite_begins(bosc_ctx_message(ctx), "scene_count: 65537"));
    bosc_geometric_free(table);
}

static void wrong_matches(bosc_ctx *ctx, const bosc_geometric *table, double *p)
{
    int64_t ids[16] = {7}, count = 77;
    void *odd = (char *)p + 4;
    bosc_geometric_match m[2] = {{.size = sizeof *m, .votes = 77}};
    CHECK_EQ(bosc_geometric_find_models(NULL, table, p, 4, ids, m, 2, &count), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_geometric_find_models(ctx, NULL, p, 4, ids, m, 2, &count), "table");
    CHECK_ARG(ctx, bosc_geometric_find_models(ctx, table, NULL, 4, ids, m, 2, &count), "scene");
    CHECK_ARG(ctx, bosc_geometric_find_models(ctx, table, odd, 4, ids, m, 2, &count), "scene");
    CHECK_ARG(ctx, bosc_geometric_find_models(ctx, table, p, -1, ids, m, 2, &count), "scene_count");
    CHECK_ARG(ctx, bosc_geometric_find_models(ctx, table, p, 4, odd, m, 2, &count), "ids");
    CHECK_ARG(ctx, bosc_geometric_find_models(ctx, table, p, 4, ids, NULL, 2, &count), "matches");
    CHECK_ARG(ctx, bosc_geometric_find_models(ctx, table, p, 4, ids, m, 0, &count), "capacity");
    CHECK_ARG(ctx, bosc_geometric_find_models(ctx, table, p, 4, ids, m, INT64_MIN, &count), "capacity");
    CHECK_ARG(ctx, bosc_geometric_find_models(ctx, table, p, 4, ids, m, 2, NULL), "count");
    m[0].size = 4;
    CHECK_ARG(ctx, bosc_geometric_find_models(ctx, table, p, 4, ids, m, 2, &count), "matches");
    m[0].size = sizeof *m;
    CHECK_STATUS(ctx, bosc_geometric_find_models(ctx, table, p, (1 << 20) + 1, ids, m, 2, &count), BOSC_ERR_LIMIT);
    CHECK(m[0].votes == 77 && ids[0] == 7 && count == 77);
}

/* Matches of a caller whose struct has fewer fields are as far apart as its own, and nothing behind them is written. */
static void older_matches(bosc_ctx *ctx)
{
    enum { N = 16, WHOLE = sizeof(bosc_geometric_match) };
    const bosc_geometric_opts opts = {.size = sizeof opts};
    static const size_t sizes[] = {16, 24, WHOLE - 8, WHOLE, WHOLE + 16};
    const int64_t offsets[3] = {0, N, 2 * N};
    struct suite_random r = {2};
    double models[4 * N], scene[4 * N];
    bosc_geometric *table = NULL;
    for (int i = 0; i < 4 * N; i++) models[i] = (double)suite_below(&r, 1000);
    for (int i = 0; i < 2 * N; i++) { /* both models, moved apart */
        scene[2 * i] = models[2 * i] + (i < N ? 5000 : 20000);
        scene[2 * i + 1] = models[2 * i + 1];
    }
    CHECK_OK(ctx, bosc_geometric_create(ctx, &opts, &table));
    CHECK_OK(ctx, bosc_geometric_build_models(ctx, table, models, offsets, 2));
    bosc_geometric_match known[2] = {{.size = sizeof *known}};
    int64_t count = 0;
    CHECK_OK(ctx, bosc_geometric_find_models(ctx, table, scene, 2 * N, NULL, known, 2, &count));
    CHECK_EQ(count, 2);
    for (int s = 0; s < 5; s += suite_slow(ctx) ? 2 : 1) {
        const size_t size = sizes[s];
        union {
            bosc_geometric_match first;
            unsigned char bytes[3 * (WHOLE + 16)];
        } room;
        memset(&room, 0x55, sizeof room);
        room.first.size = size;
        CHECK_OK(ctx, bosc_geometric_find_models(ctx, table, scene, 2 * N, NULL, &room.first, 2, &count));
        CHECK_EQ(count, 2);
        const size_t shared = size < WHOLE ? size : WHOLE;
        for (size_t k = 0; k < 2; k++) {
            const unsigned char *match = room.bytes + k * size;
            CHECK(memcmp(match, &size, sizeof size) == 0);
            CHECK(memcmp(match + sizeof size, (const char *)&known[k] + sizeof size, shared - sizeof size) == 0);
            for (size_t b = shared; b < size; b++) CHECK_EQ(match[b], 0); /* fields of later versions */
        }
        for (size_t b = 2 * size; b < sizeof room; b++) CHECK_EQ(room.bytes[b], 0x55);
    }
    bosc_geometric_free(table);
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
        CHECK(suite_begins(bosc_ctx_message(ctx), "points: row 2"));
    }
    for (int i = 0; i < 8; i++) bad[i] = 1e-62 * i * i;
    CHECK_STATUS(ctx, bosc_geometric_build(ctx, table, bad, 4), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "points: the largest coordinate is 4.9e-61, less than 1e-60"));
    bad[7] = 1e-60;
    CHECK_OK(ctx, bosc_geometric_build(ctx, table, bad, 4));
    CHECK_OK(ctx, bosc_geometric_build(ctx, table, p, 4));
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
    CHECK(suite_begins(bosc_ctx_message(ctx), "scene: row 2"));
    CHECK(match.votes == 77 && ids[0] == 7);
}

static void arguments(bosc_ctx *ctx)
{
    double p[12] = {0, 0, 1, 0, 0, 1, 2, 3};
    int64_t ids[8];
    bosc_geometric *table = NULL;
    bosc_geometric_match match = {.size = sizeof match};
    bosc_geometric_info info = {.size = 1};
    /* Errors before a model is built. */
    wrong_options(ctx);
    wrong_bytes(ctx);
    bosc_geometric_free(NULL);
    CHECK_OK(ctx, bosc_geometric_create(ctx, NULL, &table));
    CHECK_ARG(ctx, bosc_geometric_find(ctx, table, p, 4, ids, &match), "table: it holds no model");
    CHECK_ARG(ctx, bosc_geometric_find_models(ctx, table, p, 4, ids, &match, 1, ids), "table: it holds no model");
    wrong_models(ctx, table, p);
    wrong_lists(ctx, table, p);
    wrong_totals(ctx, table);
    wrong_space(ctx);
    /* Errors with a model in the table. */
    CHECK_OK(ctx, bosc_geometric_build(ctx, table, p, 4));
    wrong_scenes(ctx, table, p);
    wrong_matches(ctx, table, p);
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

static const struct suite_case suite_cases_geometric_args[] = {{"arguments", arguments, NULL},
                                                               {"older matches", older_matches, NULL}};
SUITE(geometric_args);
