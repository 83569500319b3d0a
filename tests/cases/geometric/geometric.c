/* Geometric hashing finds a model that was translated, rotated and scaled (or mapped affinely) in scenes with noise,
 * missing points and other points, and its matches are consistent. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/geometric/geometric_data.h"
#include "support/arrays.h"
#include "support/faults.h"

/* The inliers and the error of a match agree with its ids and its transform. */
static void check_match_consistent(const struct scene *s, double tolerance, const bosc_geometric_match *match,
                                   const int64_t *ids)
{
    const double *t = match->transform;
    double radius = tolerance * sqrt(fabs(t[0] * t[4] - t[1] * t[3])), sum = 0;
    bool *taken = suite_alloc((size_t)s->m);
    int64_t inliers = 0;
    memset(taken, 0, (size_t)s->m);
    for (int64_t i = 0; i < s->n; i++) {
        double p[2];
        if (ids[i] == -1) continue;
        CHECK(ids[i] >= 0 && ids[i] < s->m && !taken[ids[i]]);
        taken[ids[i]] = true;
        apply(t, s->model + 2 * i, p);
        double d = hypot(p[0] - s->points[2 * ids[i]], p[1] - s->points[2 * ids[i] + 1]);
        CHECK(d <= radius * (1 + 1e-9));
        sum += d * d;
        inliers++;
    }
    CHECK_EQ(inliers, match->inliers);
    CHECK(fabs(match->error - sqrt(sum / (double)inliers)) <= 1e-9 * radius);
    free(taken);
}

static bosc_geometric *table_of(bosc_ctx *ctx, const struct scene *s, const bosc_geometric_opts *opts)
{
    bosc_geometric *table = NULL;
    CHECK_OK(ctx, bosc_geometric_create(ctx, opts, &table));
    CHECK_OK(ctx, bosc_geometric_build(ctx, table, s->model, s->n));
    return table;
}

/* Most points of the model are found at their positions. */
static void check_scene(bosc_ctx *ctx, const struct scene *s, const bosc_geometric_opts *opts)
{
    int64_t *ids = suite_alloc((size_t)s->n * sizeof *ids), right = 0, there = 0;
    bosc_geometric_match match = {.size = sizeof match};
    bosc_geometric_info info = {.size = sizeof info};
    bosc_geometric *table = table_of(ctx, s, opts);
    CHECK_OK(ctx, bosc_geometric_find(ctx, table, s->points, s->m, ids, &match));
    CHECK_EQ(bosc_geometric_get_info(ctx, table, &info), BOSC_OK);
    CHECK_EQ(match.found, 1);
    check_match_consistent(s, info.tolerance, &match, ids);
    for (int64_t i = 0; i < s->n; i++) {
        there += s->place[i] >= 0;
        right += s->place[i] >= 0 && ids[i] == s->place[i];
    }
    CHECK(right * 100 >= there * 85);
    for (int k = 0; k < 6; k++) CHECK(fabs(match.transform[k] - s->transform[k]) < 0.1);
    bosc_geometric_free(table);
    free(ids);
}

static void similarities(bosc_ctx *ctx)
{
    struct suite_random r = {51};
    struct scene *s = suite_alloc(sizeof *s);
    bosc_geometric_opts opts = {.size = sizeof opts};
    for (int trial = 0; trial < (suite_slow(ctx) ? 3 : 6); trial++) {
        if (suite_leaves_out()) continue;
        int64_t n = suite_slow(ctx) ? 12 : 16 + 3 * trial;
        opts.seed = (uint64_t)trial;
        make_scene(&r, s, false, n, trial % 2 ? 0.004 : 0, trial % 3 ? 4 : 0, trial % 4 * n);
        check_scene(ctx, s, trial ? &opts : NULL);
    }
    free(s);
}

static void affine_maps(bosc_ctx *ctx)
{
    struct suite_random r = {52};
    struct scene *s = suite_alloc(sizeof *s);
    bosc_geometric_opts opts = {.size = sizeof opts, .kind = BOSC_GEOMETRIC_AFFINE, .max_bases = 1000};
    for (int trial = 0; trial < (suite_slow(ctx) ? 2 : 4); trial++) {
        if (suite_leaves_out()) continue;
        int64_t n = suite_slow(ctx) ? 9 : 12 + trial;
        make_scene(&r, s, true, n, trial % 2 ? 0.002 : 0, trial % 3 ? 7 : 0, trial % 3 * n / 2);
        check_scene(ctx, s, &opts);
    }
    free(s);
}

/* Models large enough for bases of near points. A scene of other points only must not match. */
static void bases_of_near_points(bosc_ctx *ctx)
{
    struct suite_random r = {56};
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    static bool done; /* the largest once */
    bool few = suite_slow(ctx), most = !few && !done && info.threads == 2;
    done |= most;
    struct scene *s = suite_alloc(sizeof *s), *other = suite_alloc(sizeof *other);
    for (int trial = 0; trial < (most ? 4 : 1); trial++) {
        bool affine = trial % 2;
        int64_t n = few ? 40 : trial < 2 ? 1000 : 5000;
        bosc_geometric_opts opts = {
            .size = sizeof opts, .kind = (bosc_geometric_kind)affine, .neighbours = few ? 12 : 0};
        bosc_geometric_match match = {.size = sizeof match};
        double spacing = 2 / sqrt((double)n);
        make_scene(&r, s, affine, n, (few ? 0.02 : 0.04) * spacing, 5, n / 2);
        check_scene(ctx, s, &opts);
        if (!most || trial == 1) continue;
        make_scene(&r, other, affine, n, 0, 0, n);
        bosc_geometric *table = table_of(ctx, s, &opts);
        CHECK_OK(ctx, bosc_geometric_find(ctx, table, other->points, other->m, NULL, &match));
        CHECK_EQ(match.found, 0);
        CHECK(match.inliers * 4 < n && match.trials == 1024);
        bosc_geometric_free(table);
    }
    free(other);
    free(s);
}

/* A build takes at most the memory that bosc_geometric_bytes returns. */
static void build_within_reported_bytes(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {4, 60, 300, 2000};
    struct suite_random r = {57};
    struct scene *s = suite_alloc(sizeof *s);
    for (int i = 0; i < (suite_slow(ctx) ? 6 : 8); i++) {
        int64_t live[2], kept, scratch, n = suite_slow(ctx) ? sizes[i / 2] / 4 + 3 : sizes[i / 2];
        bosc_ctx *own = counted_context(ctx, live);
        bosc_geometric_info info = {.size = sizeof info};
        bosc_ctx_info held = {.size = sizeof held};
        bosc_geometric_opts opts = {
            .size = sizeof opts, .kind = (bosc_geometric_kind)(i % 2), .neighbours = i < 4 ? 0 : 9};
        make_scene(&r, s, i % 2, n, 0, 0, 0);
        CHECK_OK(own, bosc_geometric_bytes(own, &opts, n, &kept, &scratch));
        bosc_geometric *table = table_of(own, s, &opts);
        CHECK_EQ(bosc_geometric_get_info(ctx, table, &info), BOSC_OK);
        CHECK_OK(own, bosc_ctx_get_info(own, &held));
        CHECK(info.bytes <= kept && held.scratch_bytes <= scratch + 65536); /* a chunk holds that much at least */
        bosc_geometric_free(table);
        bosc_ctx_free(own);
        CHECK(live[0] == 0 && live[1] == 0);
    }
    free(s);
}

/* A reserve takes the reported bytes, builds take no more, and the model survives a larger reserve. */
static void reserve(bosc_ctx *ctx)
{
    struct suite_random r = {59};
    struct scene *s = suite_alloc(sizeof *s);
    /* Both kinds, with all bases and then with those of neighbours. */
    for (int i = 0; i < 4; i++) {
        int64_t kept, scratch, n = i < 2 ? 12 : suite_slow(ctx) ? 30 : 100, ids[2][100];
        bosc_geometric_opts opts = {.size = sizeof opts, .kind = (bosc_geometric_kind)(i % 2), .max_trials = 20};
        if (i >= 2) opts.neighbours = 9;
        bosc_geometric_info info = {.size = sizeof info};
        bosc_geometric_match match[2] = {{.size = sizeof *match}, {.size = sizeof *match}};
        bosc_geometric *table = NULL;
        make_scene(&r, s, i % 2, n, 0, 0, 0);
        /* A build after a reserve stays at the reserved bytes. */
        CHECK_OK(ctx, bosc_geometric_bytes(ctx, &opts, n, &kept, &scratch));
        CHECK_OK(ctx, bosc_geometric_create(ctx, &opts, &table));
        CHECK_OK(ctx, bosc_geometric_reserve(ctx, table, n));
        CHECK_OK(ctx, bosc_geometric_get_info(ctx, table, &info));
        CHECK_EQ(info.bytes, kept);
        CHECK_OK(ctx, bosc_geometric_build(ctx, table, s->model, n));
        CHECK_OK(ctx, bosc_geometric_get_info(ctx, table, &info));
        CHECK_EQ(info.bytes, kept);
        CHECK_OK(ctx, bosc_geometric_find(ctx, table, s->points, s->m, ids[0], &match[0]));
        /* A larger reserve must not change the answer. */
        CHECK_OK(ctx, bosc_geometric_reserve(ctx, table, 3 * n));
        CHECK_OK(ctx, bosc_geometric_get_info(ctx, table, &info));
        CHECK(info.bytes > kept && info.n == n);
        CHECK_OK(ctx, bosc_geometric_find(ctx, table, s->points, s->m, ids[1], &match[1]));
        CHECK(memcmp(ids[0], ids[1], (size_t)n * sizeof **ids) == 0 &&
              memcmp(&match[0], &match[1], sizeof *match) == 0);
        bosc_geometric_free(table);
    }
    free(s);
}

/* Rebuilds a table of the same shape: it allocates nothing. */
static void build_again(bosc_ctx *own, bosc_geometric *table, const struct scene *s)
{
    int64_t before = counted_allocations();
    CHECK_OK(own, bosc_geometric_build(own, table, s->model, s->n));
    CHECK_EQ(counted_allocations(), before);
}

/* A second build and search allocate nothing; a trim frees their blocks. */
static void second_build(bosc_ctx *ctx)
{
    struct suite_random r = {61};
    struct scene *s = suite_alloc(sizeof *s);
    for (int i = 0; i < 4; i++) {
        int64_t live[2], before = 0, n = 40;
        bosc_ctx *own = counted_context(ctx, live);
        bosc_geometric_opts opts = {.size = sizeof opts,
                                    .kind = (bosc_geometric_kind)(i % 2),
                                    .neighbours = i < 2 ? 0 : 9,
                                    .max_bases = 500,
                                    .max_trials = 20};
        make_scene(&r, s, i % 2, n, 0, 4, 5);
        bosc_geometric *table = table_of(own, s, &opts);
        build_again(own, table, s);
        for (int k = 0; k < 3; k++) {
            bosc_geometric_match match = {.size = sizeof match};
            CHECK_OK(own, bosc_geometric_find(own, table, s->points, s->m, NULL, &match));
            if (k > 0) CHECK_EQ(counted_allocations(), before);
            CHECK_OK(own, bosc_geometric_build(own, table, s->model, n));
            if (k > 0) CHECK_EQ(counted_allocations(), before);
            before = counted_allocations();
        }
        bosc_geometric_free(table);
        CHECK_OK(own, bosc_ctx_trim(own));
        CHECK(live[0] + live[1] == 1); /* the context */
        bosc_ctx_free(own);
        CHECK(live[0] == 0 && live[1] == 0);
    }
    free(s);
}

/* Ids of 32 bits equal those of 64; a missing one is all ones. */
static void narrow_ids(bosc_ctx *ctx)
{
    struct suite_random r = {60};
    struct scene *s = suite_alloc(sizeof *s);
    make_scene(&r, s, false, 14, 0, 4, 5);
    int64_t wide[14];
    uint32_t narrow[14];
    for (int bits = 64; bits >= 32; bits -= 32) {
        bosc_geometric_opts opts = {.size = sizeof opts, .id_bits = bits};
        bosc_geometric_match match = {.size = sizeof match};
        bosc_geometric_info info = {.size = sizeof info};
        bosc_geometric *table = table_of(ctx, s, &opts);
        CHECK_OK(ctx, bosc_geometric_find(ctx, table, s->points, s->m, bits == 64 ? (void *)wide : narrow, &match));
        CHECK_OK(ctx, bosc_geometric_get_info(ctx, table, &info));
        CHECK(match.found == 1 && info.id_bits == bits);
        bosc_geometric_free(table);
    }
    for (int i = 0; i < 14; i++) CHECK_EQ(narrow[i], (uint32_t)wide[i]);
    CHECK_EQ(narrow[0], UINT32_MAX);
    free(s);
}

/* Neighbours in scenes with fewer points than the model, or with all points in one place; models with repeated points.
 * */
static void few_neighbours(bosc_ctx *ctx)
{
    double model[2 * SMALL], scene[2 * SMALL];
    int64_t ids[SMALL];
    struct suite_random r = {58};
    for (int kind = 0; kind < 2; kind++) {
        bosc_geometric *table = NULL;
        bosc_geometric_opts opts = {
            .size = sizeof opts, .kind = (bosc_geometric_kind)kind, .neighbours = 8, .max_trials = 100};
        bosc_geometric_match match = {.size = sizeof match};
        CHECK_OK(ctx, bosc_geometric_create(ctx, &opts, &table));
        for (int i = 0; i < 2 * SMALL; i++) model[i] = suite_unit(&r);
        CHECK_OK(ctx, bosc_geometric_build(ctx, table, model, SMALL));
        for (int64_t m = 0; m < 13; m++) {
            CHECK_OK(ctx, bosc_geometric_find(ctx, table, model, m, ids, &match));
            CHECK(match.trials <= 100 && match.inliers <= m && (m < 2 || kind || match.trials > 0));
        }
        for (int i = 0; i < 2 * SMALL; i++) scene[i] = -1e59;
        CHECK_OK(ctx, bosc_geometric_find(ctx, table, scene, SMALL, ids, &match));
        CHECK(match.found == 0 && match.inliers == 0);
        CHECK_STATUS(ctx, bosc_geometric_build(ctx, table, scene, SMALL), BOSC_ERR_DATA);
        for (int i = 0; i < SMALL; i++) { /* each of them three times, huge and negative */
            model[2 * i] = (double)(i / 3 % 4) * -1e59;
            model[2 * i + 1] = (double)(i / 12) * 1e59 + (double)(i / 3 % 3) * 3e58;
        }
        bosc_status status = bosc_geometric_build(ctx, table, model, SMALL);
        CHECK(status == BOSC_OK || status == BOSC_ERR_DATA);
        CHECK_OK(ctx, bosc_geometric_find(ctx, table, model, SMALL, ids, &match));
        bosc_geometric_free(table);
    }
}

/* Scenes without the model, empty ones, ones of few points; the smallest and the most regular models. */
static void degenerate(bosc_ctx *ctx)
{
    struct suite_random r = {54};
    struct scene *s = suite_alloc(sizeof *s);
    int64_t ids[SMALL];
    make_scene(&r, s, false, 15, 0, 0, 0);
    bosc_geometric_opts opts = {.size = sizeof opts, .max_trials = 200};
    bosc_geometric *table = table_of(ctx, s, &opts);
    for (int64_t m = 0; m < 6; m++) {
        bosc_geometric_match match = {.size = sizeof match};
        for (int64_t i = 0; i < 2 * m; i++) s->points[i] = suite_unit(&r);
        CHECK_OK(ctx, bosc_geometric_find(ctx, table, m ? s->points : NULL, m, ids, &match));
        CHECK_EQ(match.found, 0);
        CHECK_EQ(match.trials, m * (m - 1) < 200 ? m * (m - 1) : 200);
        CHECK(match.inliers <= m);
        for (int64_t i = 0; i < s->n && match.votes == 0; i++) CHECK_EQ(ids[i], -1);
    }
    for (int64_t i = 0; i < 200; i++) s->points[i] = 3; /* all points in one place: no basis */
    bosc_geometric_match match = {.size = sizeof match};
    CHECK_OK(ctx, bosc_geometric_find(ctx, table, s->points, 100, NULL, &match));
    CHECK(match.found == 0 && match.inliers == 0 && match.trials == 200);
    for (int side = 3; side < 6; side++) { /* grids of points, which match themselves in several ways */
        s->n = s->m = side * side;
        for (int64_t i = 0; i < s->n; i++) {
            s->model[2 * i] = (double)(i % side);
            s->model[2 * i + 1] = (double)(i / side);
            s->points[2 * i] = 5 - s->model[2 * i + 1] * 2;
            s->points[2 * i + 1] = s->model[2 * i] * 2;
        }
        CHECK_OK(ctx, bosc_geometric_build(ctx, table, s->model, s->n));
        CHECK_OK(ctx, bosc_geometric_find(ctx, table, s->points, s->m, ids, &match));
        CHECK_EQ(match.inliers, s->n);
        CHECK(match.found == 1 && match.error < 1e-12);
        check_match_consistent(s, 0.5, &match, ids);
    }
    double line[8] = {0, 0, 1, 1, 2, 2, 3.5, 3.5}, same[8] = {1, 2, 1, 2, 1, 2, 1, 2};
    CHECK_OK(ctx, bosc_geometric_build(ctx, table, line, 4));
    CHECK_OK(ctx, bosc_geometric_find(ctx, table, line, 4, ids, &match));
    for (int i = 0; i < 4; i++) CHECK_EQ(ids[i], i);
    CHECK_STATUS(ctx, bosc_geometric_build(ctx, table, same, 4), BOSC_ERR_DATA);
    CHECK_OK(ctx, bosc_geometric_find(ctx, table, line, 4, ids, &match)); /* the table still holds the last model */
    bosc_geometric_free(table);
    few_neighbours(ctx);
    opts.kind = BOSC_GEOMETRIC_AFFINE;
    CHECK_OK(ctx, bosc_geometric_create(ctx, &opts, &table));
    CHECK_STATUS(ctx, bosc_geometric_build(ctx, table, line, 4), BOSC_ERR_DATA);
    CHECK_STATUS(ctx, bosc_geometric_build(ctx, table, same, 4), BOSC_ERR_DATA);
    bosc_geometric_free(table);
    free(s);
}

static const struct suite_case suite_cases_geometric[] = {
    {"similarities", similarities, NULL},
    {"affine maps", affine_maps, NULL},
    {"large", bases_of_near_points, NULL},
    {"memory", build_within_reported_bytes, NULL},
    {"reserve", reserve, NULL},
    {"second build", second_build, NULL},
    {"ids of 32 bits", narrow_ids, NULL},
    {"degenerate", degenerate, NULL},
};
SUITE(geometric);
