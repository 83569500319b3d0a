/* Geometric hashing equals a reference bit for bit: planted models among other points, scenes without one, and points
 * that tie, repeat, lie on lines or make flat bases. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/geometric.h"
#include "support/suite.h"

enum { MOST = 40, TRIALS = 400 };

enum shape { ANYWHERE, LATTICE, REPEATED, POLYGON, STRIP, SHAPES };

struct problem {
    bosc_geometric_opts opts;
    int64_t n, m;
    double model[2 * MOST], scene[2 * MOST];
};

struct answer {
    bool known;
    int64_t bases, ids[MOST];
    bosc_geometric_match match;
};

static double between(struct suite_random *r, double low, double high) { return low + (high - low) * suite_unit(r); }

/* Small whole numbers tie and repeat; a strip makes flat bases. */
static void make_point(struct suite_random *r, enum shape shape, int64_t i, int64_t n, double *p)
{
    static const double corners[8] = {4, 1, -1, 4, -4, -1, 1, -4};
    for (int k = 0; k < 2; k++) {
        if (shape == ANYWHERE) p[k] = between(r, -1, 1);
        if (shape == LATTICE || shape == REPEATED) p[k] = (double)suite_below(r, shape == LATTICE ? 6 : 3);
        if (shape == POLYGON) p[k] = corners[(2 * i + k) % 8] * (double)(1 + i / 4);
        if (shape == STRIP) p[k] = k ? 0.1 * between(r, -1, 1) : (double)i / (double)n;
    }
}

static void transform_of(struct suite_random *r, bool exact, bool affine, double t[6])
{
    double angle = between(r, 0, 6.283), scale = between(r, 0.3, 3);
    t[0] = exact ? 0 : scale * cos(angle);
    t[3] = exact ? 2 : scale * sin(angle);
    t[1] = -t[3];
    t[4] = t[0];
    if (affine) t[1] += exact ? 1 : between(r, -0.2, 0.2);
    t[2] = exact ? 3 : between(r, -10, 10);
    t[5] = exact ? -5 : between(r, -10, 10);
}

/* A scene of `copies` of the model with some points missing or moved, and other points. */
static void make_scene(struct suite_random *r, struct problem *p, bool exact, int copies, double noise)
{
    double t[6];
    int64_t others = (int64_t)suite_below(r, 6);
    uint64_t missing = suite_below(r, 5);
    p->m = 0;
    for (int copy = 0; copy < copies; copy++) {
        transform_of(r, exact, p->opts.kind == BOSC_GEOMETRIC_AFFINE, t);
        t[2] += 64 * copy;
        for (int64_t i = 0; i < p->n && p->m < MOST; i++) {
            const double *from = p->model + 2 * i;
            if (missing && suite_below(r, 8) < missing) continue;
            for (int k = 0; k < 2; k++)
                p->scene[2 * p->m + k] =
                    t[3 * k] * from[0] + t[3 * k + 1] * from[1] + t[3 * k + 2] + between(r, -noise, noise);
            p->m++;
        }
    }
    for (; others > 0 && p->m < MOST; others--, p->m++)
        make_point(r, exact ? LATTICE : ANYWHERE, p->m, MOST, p->scene + 2 * p->m);
    for (int64_t a = p->m - 1; a > 0; a--) /* in any order */
        for (int k = 0, b = (int)suite_below(r, (uint64_t)a + 1); k < 2; k++) {
            double x = p->scene[2 * a + k];
            p->scene[2 * a + k] = p->scene[2 * b + k];
            p->scene[2 * b + k] = x;
        }
}

static void make_problem(struct problem *p, int trial)
{
    static const double fractions[] = {0, 0.1, 0.3, 0.6, 1}, tolerances[] = {0, 0.05, 0.4, 3}, votes[] = {0, 0.1, 0.3};
    static const int64_t bases[] = {0, 30, 90, 300}, trials[] = {0, 20, 300, 600};
    struct suite_random random = {(uint64_t)trial + 1000}, *r = &random;
    enum shape shape = (enum shape)(trial % SHAPES);
    bool affine = trial / SHAPES % 2;
    *p = (struct problem){.opts = {.size = sizeof p->opts, .kind = (bosc_geometric_kind)affine}};
    if (trial / SHAPES % 4 >= 2) p->opts.neighbours = 8 + (int32_t)suite_below(r, 3);
    p->n = (p->opts.neighbours ? 11 : 5) + (int64_t)suite_below(r, 8);
    p->opts.tolerance = tolerances[suite_below(r, 4)];
    p->opts.vote_radius = votes[suite_below(r, 3)];
    p->opts.max_bases = bases[suite_below(r, 4)];
    p->opts.max_trials = trials[suite_below(r, 4)];
    p->opts.min_fraction = fractions[suite_below(r, 4)];
    p->opts.stop_fraction = fractions[suite_below(r, 5)];
    p->opts.seed = suite_next(r);
    if (affine && p->opts.max_bases == 0) p->opts.max_bases = 200;
    for (int64_t i = 0; i < p->n; i++) make_point(r, shape, i, p->n, p->model + 2 * i);
    int copies = trial % 11 ? 1 + trial % 2 : 0;
    make_scene(r, p, shape != ANYWHERE && shape != STRIP, copies, suite_below(r, 3) ? 0 : 0.01);
}

static void check_problem(bosc_ctx *ctx, const struct problem *p, const struct answer *want)
{
    int64_t ids[MOST];
    bosc_geometric *table = NULL;
    bosc_geometric_info info = {.size = sizeof info};
    bosc_geometric_match match = {.size = sizeof match};
    CHECK_OK(ctx, bosc_geometric_create(ctx, &p->opts, &table));
    CHECK_STATUS(ctx, bosc_geometric_build(ctx, table, p->model, p->n), want->bases ? BOSC_OK : BOSC_ERR_DATA);
    if (want->bases) {
        CHECK_OK(ctx, bosc_geometric_get_info(ctx, table, &info));
        CHECK_EQ(info.bases, want->bases);
        CHECK_OK(ctx, bosc_geometric_find(ctx, table, p->scene, p->m, ids, &match));
        CHECK_EQ(match.trials, want->match.trials);
        CHECK_EQ(match.inliers, want->match.inliers);
        for (int64_t i = 0; i < p->n; i++) CHECK_EQ(ids[i], want->ids[i]);
        CHECK(memcmp(&match, &want->match, sizeof match) == 0);
    }
    bosc_geometric_free(table);
}

static void plain_version(bosc_ctx *ctx)
{
    static struct answer answers[TRIALS]; /* the plain version's; all are compared on the first configuration */
    for (int trial = 0; trial < TRIALS; trial++) {
        struct problem p;
        struct answer *want = &answers[trial];
        if (suite_leaves_out() || ((want->known || suite_slow(ctx)) && trial % 21)) continue;
        make_problem(&p, trial);
        if (!want->known) {
            want->known = true;
            want->bases = reference_geometric_bases(&p.opts, p.model, p.n);
            if (want->bases) reference_geometric_find(&p.opts, p.model, p.n, p.scene, p.m, want->ids, &want->match);
        }
        if (!suite_slow(ctx) || want->match.trials < 600) check_problem(ctx, &p, want);
    }
}

/* All points of a scene but one are on a line. The best transform includes that one; another round of refinement would
 * lose it and map the model to the line. */
static void nearly_a_line(bosc_ctx *ctx)
{
    struct problem p = {.opts = {.size = sizeof p.opts,
                                 .kind = BOSC_GEOMETRIC_AFFINE,
                                 .tolerance = 0.6,
                                 .vote_radius = 0.1,
                                 .min_fraction = 0.01,
                                 .stop_fraction = 1},
                        .n = 13,
                        .m = 13};
    struct answer want;
    for (int i = 0; i < 12; i++) {
        p.model[2 * i] = p.scene[2 * i] = i;
        p.model[2 * i + 1] = (i + 1) / 2 % 2 ? 0.4 : -0.4;
    }
    p.model[24] = p.scene[24] = 5.5;
    p.model[25] = 0.4;
    p.scene[25] = 0.3;
    want.bases = reference_geometric_bases(&p.opts, p.model, p.n);
    reference_geometric_find(&p.opts, p.model, p.n, p.scene, p.m, want.ids, &want.match);
    check_problem(ctx, &p, &want);
    const double *t = want.match.transform;
    CHECK(t[0] * t[4] - t[1] * t[3] != 0);
}

/* One point far from many that lie together: nearly all bases look the same, and 60 of the first 256 of the scene have
 * 2^26 votes. That batch is halved; its first half has two of the 60. */
static void too_many_votes(bosc_ctx *ctx)
{
    enum { N = 112, M = 100 };
    static bool done;
    double model[2 * N], scene[2 * M];
    struct suite_random r = {61};
    bosc_geometric *table = NULL;
    bosc_geometric_match match = {.size = sizeof match};
    bosc_geometric_opts opts = {.size = sizeof opts,
                                .neighbours = N,
                                .max_trials = M * (M - 1),
                                .tolerance = 1e-5,
                                .min_fraction = 0.01,
                                .stop_fraction = 0.01};
    if (done || suite_slow(ctx)) return;
    done = true;
    for (int i = 0; i < 2 * N; i++) model[i] = between(&r, -5e-4, 5e-4);
    model[4] = 1;
    for (int i = 0; i < 2 * M; i++) scene[i] = 2 * model[i];
    CHECK_OK(ctx, bosc_geometric_create(ctx, &opts, &table));
    CHECK_OK(ctx, bosc_geometric_build(ctx, table, model, N));
    CHECK_OK(ctx, bosc_geometric_find(ctx, table, scene, M, NULL, &match));
    CHECK_EQ(match.trials, 128);
    CHECK(match.found && match.inliers >= 2);
    bosc_geometric_free(table);
}

static const struct suite_case suite_cases_geometric_exact[] = {
    {"plain version", plain_version, NULL},
    {"nearly a line", nearly_a_line, NULL},
    {"too many votes", too_many_votes, NULL},
};
SUITE(geometric_exact);
