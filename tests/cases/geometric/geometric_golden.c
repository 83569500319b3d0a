/* Golden hashes of the matches and ids of searches for one model of 2-D points, older than tables of several models.
 * The data use no functions of libm, which differ between machines. */
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"

enum { MOST = 120, GOLDEN = 12 };

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ p[i]) * 0x100000001b3u; /* FNV-1a */
    return hash;
}

static uint64_t hash_match(const bosc_geometric_match *match, const int64_t *ids, int64_t n)
{
    uint64_t hash = 0xcbf29ce484222325u;
    int64_t numbers[4] = {match->found, match->votes, match->inliers, match->trials};
    hash = hash_bytes(hash, match->transform, 6 * sizeof *match->transform);
    hash = hash_bytes(hash, numbers, sizeof numbers);
    hash = hash_bytes(hash, &match->error, sizeof match->error);
    return hash_bytes(hash, ids, (size_t)n * sizeof *ids);
}

/* Trial t: similarities and affine maps; all points, and neighbours; found, half hidden, absent. */
static uint64_t search_trial(bosc_ctx *ctx, int t)
{
    static const double maps[2][6] = {{1.5, -2, 7, 2, 1.5, -3}, {1.5, -1, 7, 0.5, 2, -3}};
    const double *map = maps[t % 2];
    struct suite_random r = {(uint64_t)t + 400};
    bosc_geometric_opts opts = {
        .size = sizeof opts, .kind = (bosc_geometric_kind)(t % 2), .max_trials = 300, .seed = (uint64_t)t};
    bosc_geometric *table = NULL;
    bosc_geometric_match match = {.size = sizeof match};
    int64_t n = t / 2 % 2 ? 40 : 12 + t, m = 0, ids[MOST];
    double model[2 * MOST], scene[2 * MOST];
    /* The scene: the mapped model with noise (whole, without every third point, or absent), then as many other points.
     * */
    if (t / 2 % 2) opts.neighbours = 10;
    for (int64_t i = 0; i < 2 * n; i++) model[i] = 2 * suite_unit(&r) - 1;
    for (int64_t i = 0; i < n && t / 4 < 2; i++) {
        if (t / 4 == 1 && i % 3 == 0) continue;
        for (int k = 0; k < 2; k++)
            scene[2 * m + k] = map[3 * k] * model[2 * i] + map[3 * k + 1] * model[2 * i + 1] + map[3 * k + 2] +
                               0.01 * (suite_unit(&r) - 0.5);
        m++;
    }
    for (int64_t others = n; others > 0; others--, m++)
        for (int k = 0; k < 2; k++) scene[2 * m + k] = map[3 * k + 2] + 5 * (suite_unit(&r) - 0.5);
    CHECK_OK(ctx, bosc_geometric_create(ctx, &opts, &table));
    CHECK_OK(ctx, bosc_geometric_build(ctx, table, model, n));
    CHECK_OK(ctx, bosc_geometric_find(ctx, table, scene, m, ids, &match));
    bosc_geometric_free(table);
    return hash_match(&match, ids, n);
}

static void one_model(bosc_ctx *ctx)
{
    static const uint64_t golden[GOLDEN] = {0x8025b3eb9090574bu, 0x059e5c0e42c7ec57u, 0x1dd2c1d9d287f693u,
                                            0x244db899f7f7c1a9u, 0xbb25737c6f012a7bu, 0x19741921216175eeu,
                                            0x18e1b3a896a907e6u, 0x9e9ebcda98fa694au, 0xfe4bef977ebc114eu,
                                            0xc35f793bd5436186u, 0x520df58d3c0f38afu, 0x4b150001bbdb5c48u};
    for (int t = 0; t < GOLDEN; t++) {
        if (suite_leaves_out()) continue;
        CHECK(search_trial(ctx, t) == golden[t]);
    }
}

static const struct suite_case suite_cases_geometric_golden[] = {{"one model", one_model, NULL}};
SUITE(geometric_golden);
