/* The replacement of every edge of a spanning tree is the first of all pairs across its cut, for minimum trees and
 * others. */
#include <math.h>
#include <stdlib.h>

#include "cases/forest/emst_data.h"

enum tree_kind { MINIMUM, STAR, PATH, RANDOM, TREE_KINDS };

/* Replaces the minimum tree by one of another kind, over a random order of the points. */
static void set_tree(const struct emst_trial *t, struct suite_random *r, enum tree_kind kind)
{
    const int64_t n = t->points.n;
    int64_t *order = suite_alloc((size_t)n * sizeof *order);
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = (int64_t)suite_below(r, (uint64_t)(i + 1));
        order[i] = order[k];
        order[k] = i;
    }
    for (int64_t i = 1; i < n; i++) {
        const int64_t parent = kind == STAR ? 0 : kind == PATH ? i - 1 : (int64_t)suite_below(r, (uint64_t)i);
        const bool swapped = suite_below(r, 2);
        emst_set_pair(t, i - 1, order[swapped ? i : parent], order[swapped ? parent : i]);
    }
    free(order);
}

static struct emst_trial make_trial(bosc_ctx *ctx, struct suite_random *r, struct reference_points points,
                                    int64_t min_samples, int32_t id_bits, enum tree_kind kind)
{
    struct emst_trial t = emst_make_trial(ctx, points, min_samples, id_bits);
    if (kind != MINIMUM) set_tree(&t, r, kind);
    return t;
}

/* Compares the replacement of a row with all pairs across its cut. d: the squared lengths of all pairs. */
static void check_row(const struct emst_trial *t, const double *d, int64_t row, const void *found, const void *dist2)
{
    const int64_t n = t->points.n, u = emst_end_of(t, row, 0), v = emst_end_of(t, row, 1), first = u < v ? u : v,
                  second = u < v ? v : u;
    uint8_t *side = suite_alloc((size_t)n);
    double best = INFINITY;
    int64_t best_i = -1, best_j = -1;
    emst_find_side(t, row, u, side);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++) {
            if (side[i] == side[j] || (i == first && j == second)) continue;
            if (best_i >= 0 && !(d[i * n + j] < best)) continue;
            best = d[i * n + j];
            best_i = i;
            best_j = j;
        }
    CHECK_EQ(kd_id(found, t->id_bits, 2 * row), best_i);
    CHECK_EQ(kd_id(found, t->id_bits, 2 * row + 1), best_j);
    if (dist2) CHECK(kd_get(dist2, t->points.dtype == BOSC_F32 ? BOSC_F32 : BOSC_F64, row) == best);
    free(side);
}

static void check_trial(bosc_ctx *ctx, const struct emst_trial *t, bool lengths)
{
    const struct reference_points *p = &t->points;
    const int64_t n = p->n;
    const bosc_emst_opts o = emst_opts_of(t);
    void *found = suite_alloc((size_t)(2 * n) * 8), *dist2 = lengths ? suite_alloc((size_t)n * 8) : NULL;
    double *d = suite_alloc((size_t)(n * n) * sizeof *d);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++) d[i * n + j] = emst_length_of(t, i, j);
    CHECK_OK(ctx, bosc_emst_find_replacements(ctx, p->data, n, p->stride, &o, t->min_samples, t->pairs, found, dist2));
    for (int64_t row = 0; row < n - 1 && n > 2; row++) check_row(t, d, row, found, dist2);
    free(found);
    free(dist2);
    free(d);
}

static void every_shape(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    struct suite_random r = {31};
    for (int s = 0; s < KD_SHAPES; s++)
        for (int k = 0; k < 8; k++) {
            if (suite_leaves_out()) continue;
            const int64_t n = 1 + (int64_t)suite_below(&r, suite_slow(ctx) ? 30 : 90);
            struct reference_points p =
                kd_ordinary_points(&r, dtypes[k % 4], 1 + (int32_t)suite_below(&r, 5), n, 5, (enum kd_shape)s);
            const int64_t min_samples = k < 4 ? 0 : 1 + (int64_t)suite_below(&r, (uint64_t)(n < 6 ? n : 6));
            struct emst_trial t =
                make_trial(ctx, &r, p, min_samples, k % 2 ? 32 : 64, (enum tree_kind)((s + k / 2) % TREE_KINDS));
            check_trial(ctx, &t, k != 3);
            emst_free_trial(&t);
        }
}

/* Few points, where other pairs than the edges connect least; a grid, where lengths are equal. */
static void few_points(bosc_ctx *ctx)
{
    struct suite_random r = {32};
    static const int64_t sizes[] = {3, 4, 5, 6, 25};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < TREE_KINDS; kind++)
            for (int64_t min_samples = 0; min_samples <= 3; min_samples += 3) {
                int32_t *data = suite_alloc(2 * 25 * sizeof *data);
                for (int i = 0; i < 25; i++) {
                    data[2 * i] = i * 7 % 25 % 5;
                    data[2 * i + 1] = i * 7 % 25 / 5;
                }
                struct emst_trial t = make_trial(ctx, &r, (struct reference_points){BOSC_I32, 2, sizes[s], 2, data},
                                                 min_samples, 64, (enum tree_kind)kind);
                check_trial(ctx, &t, true);
                emst_free_trial(&t);
            }
}

/* Many copies of two points: core distances are found without most of them. */
static void copies(bosc_ctx *ctx)
{
    enum { N = 160 };
    struct suite_random r = {33};
    for (int kind = 0; kind < TREE_KINDS; kind += suite_slow(ctx) ? 3 : 1)
        for (int64_t min_samples = 0; min_samples <= 4; min_samples += 4) {
            float *data = suite_alloc(N * sizeof *data);
            for (int i = 0; i < N; i++) data[i] = i % 50 == 7 ? (float)i : (float)(i % 2);
            struct emst_trial t = make_trial(ctx, &r, (struct reference_points){BOSC_F32, 1, N, 1, data}, min_samples,
                                             32, (enum tree_kind)kind);
            check_trial(ctx, &t, true);
            emst_free_trial(&t);
        }
}

/* None, one and two points. */
static void no_replacements(bosc_ctx *ctx)
{
    const bosc_emst_opts o = {sizeof o, BOSC_F32, 1, 64}, wide = {sizeof wide, BOSC_F64, 1, 32};
    int64_t found[2] = {9, 9};
    uint32_t found32[2] = {9, 9};
    float dist2 = 9;
    double wide_dist2 = 9;
    CHECK_OK(ctx, bosc_emst_find_replacements(ctx, NULL, 0, 0, &o, 0, NULL, NULL, NULL));
    CHECK_OK(ctx, bosc_emst_find_replacements(ctx, (float[]){4}, 1, 0, &o, 1, NULL, NULL, NULL));
    CHECK_OK(ctx, bosc_emst_find_replacements(ctx, (float[]){4, 7}, 2, 0, &o, 1, (int64_t[]){1, 0}, found, &dist2));
    CHECK(found[0] == -1 && found[1] == -1 && dist2 == (float)INFINITY);
    CHECK_OK(ctx, bosc_emst_find_replacements(ctx, (double[]){4, 7}, 2, 0, &wide, 0, (uint32_t[]){0, 1}, found32,
                                              &wide_dist2));
    CHECK(found32[0] == UINT32_MAX && found32[1] == UINT32_MAX && wide_dist2 == (double)INFINITY);
}

/* Points with squares out of range. */
static void magnitudes(bosc_ctx *ctx)
{
    const double scale = 0x1p-520, points[] = {0, scale, 3 * scale, 7 * scale};
    const bosc_emst_opts o = {sizeof o, BOSC_F64, 1, 64};
    int64_t found[6];
    double dist2[3] = {7, 7, 7};
    CHECK_OK(ctx, bosc_emst_find_replacements(ctx, points, 4, 0, &o, 0, (int64_t[]){0, 1, 1, 2, 2, 3}, found, NULL));
    CHECK(found[0] == 0 && found[1] == 2 && found[2] == 0 && found[3] == 2 && found[4] == 1 && found[5] == 3);
    const double large[] = {0, 0x1p600, 3 * 0x1p600, 7 * 0x1p600};
    found[0] = 5;
    CHECK_STATUS(ctx, bosc_emst_find_replacements(ctx, large, 4, 0, &o, 0, (int64_t[]){0, 1, 1, 2, 2, 3}, found, dist2),
                 BOSC_ERR_LIMIT);
    CHECK(found[0] == 5 && dist2[0] == 7);
}

static void arguments(bosc_ctx *ctx)
{
    const bosc_emst_opts o = {sizeof o, BOSC_F32, 1, 64};
    const float points[4] = {0, 1, 3, 7};
    const int64_t pairs[6] = {0, 1, 1, 2, 2, 3};
    int64_t found[6] = {5};
    float dist2[3] = {5};
    /* 1. Each argument that is checked before the points. */
    const struct {
        const void *points;
        int64_t n;
        const bosc_emst_opts *opts;
        int64_t min_samples;
        const void *pairs;
        void *found, *dist2;
        const char *name;
    } bad[] = {{points, -1, &o, 0, pairs, found, dist2, "n"},
               {points, 4, NULL, 0, pairs, found, dist2, "opts"},
               {points, 4, &o, -1, pairs, found, dist2, "min_samples"},
               {points, 4, &o, 5, pairs, found, dist2, "min_samples"},
               {points, 4, &o, 0, NULL, found, dist2, "pairs"},
               {points, 4, &o, 0, (const char *)pairs + 4, found, dist2, "pairs"},
               {points, 4, &o, 0, pairs, NULL, dist2, "replacements"},
               {points, 4, &o, 0, pairs, (char *)found + 4, dist2, "replacements"},
               {points, 4, &o, 0, pairs, found, (char *)dist2 + 2, "dist2"},
               {NULL, 4, &o, 0, pairs, found, dist2, "points"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        CHECK_ARG(ctx,
                  bosc_emst_find_replacements(ctx, bad[k].points, bad[k].n, 0, bad[k].opts, bad[k].min_samples,
                                              bad[k].pairs, bad[k].found, bad[k].dist2),
                  bad[k].name);
    /* 2. Edges without a tree. */
    const int64_t no_trees[][6] = {{0, 1, 1, 2, 2, 4}, {0, 1, 1, 2, 0, 2}, {0, 1, -1, 2, 2, 3}};
    for (size_t k = 0; k < sizeof no_trees / sizeof *no_trees; k++)
        CHECK_STATUS(ctx, bosc_emst_find_replacements(ctx, points, 4, 0, &o, 0, no_trees[k], found, dist2),
                     BOSC_ERR_DATA);
    CHECK(found[0] == 5 && dist2[0] == 5);
}

static const struct suite_case suite_cases_emst_replacements[] = {
    {"every shape", every_shape, NULL},         {"few points", few_points, NULL}, {"copies", copies, NULL},
    {"no replacements", no_replacements, NULL}, {"magnitudes", magnitudes, NULL}, {"arguments", arguments, NULL},
};
SUITE(emst_replacements);
