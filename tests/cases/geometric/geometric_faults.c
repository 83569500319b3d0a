/* Each allocation, copy and launch of geometric hashing fails in turn. */
#include <stdlib.h>
#include <string.h>

#include "cases/geometric/geometric_data.h"
#include "support/faults.h"

struct subject {
    struct scene scene;
    int kind;
    int64_t ids[SMALL], want_ids[SMALL];
    bosc_geometric_match match, want;
};

static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    bosc_geometric *table = NULL;
    bosc_geometric_opts o = {
        .size = sizeof o, .kind = (bosc_geometric_kind)(s->kind & 1), .max_bases = 40, .max_trials = 8};
    if (s->kind & 2) o.neighbours = 8;
    bosc_status status = bosc_geometric_create(ctx, &o, &table);
    if (status == BOSC_OK) status = bosc_geometric_build(ctx, table, s->scene.model, s->scene.n);
    if (status == BOSC_OK) status = bosc_geometric_find(ctx, table, s->scene.points, s->scene.m, s->ids, &s->match);
    bosc_geometric_free(table);
    return status;
}

/* Several models, in 3-D for odd kinds, with neighbours if the second bit of the kind is set; matches are exclusive. */
static bosc_status call_models(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    bosc_geometric *table = NULL;
    bosc_geometric_opts o = {.size = sizeof o,
                             .dim = 2 + (s->kind & 1),
                             .max_bases = 30,
                             .max_trials = 8,
                             .stop_fraction = 0.3,
                             .min_fraction = 0.3,
                             .exclusive = 1};
    if (s->kind & 2) o.neighbours = 8;
    const int64_t n = s->scene.n, offsets[3] = {0, n, 2 * n};
    int64_t count = 0;
    bosc_geometric_match matches[2] = {{.size = sizeof *matches}};
    bosc_status status = bosc_geometric_create(ctx, &o, &table);
    if (status == BOSC_OK) status = bosc_geometric_build_models(ctx, table, s->scene.model, offsets, 2);
    if (status == BOSC_OK)
        status = bosc_geometric_find_models(ctx, table, s->scene.model, 2 * n, s->ids, matches, 2, &count);
    if (status == BOSC_OK) s->match = matches[0];
    bosc_geometric_free(table);
    return status;
}

static void prepare(void *user)
{
    struct subject *s = user;
    memset(s->ids, 0x77, sizeof s->ids);
    memset(&s->match, 0x77, sizeof s->match);
    s->match.size = sizeof s->match;
}

static bool untouched(void *user)
{
    struct subject *s = user;
    return s->ids[0] == 0x7777777777777777 && s->match.votes == 0x7777777777777777;
}

static bool right(void *user)
{
    struct subject *s = user;
    return memcmp(s->ids, s->want_ids, sizeof s->ids) == 0 && memcmp(&s->match, &s->want, sizeof s->match) == 0;
}

static void sweep(bosc_ctx *ctx, struct subject *s, bosc_status (*run)(bosc_ctx *ctx, void *user))
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info)); /* many small loops: slow with many threads */
    struct fault_sweep sweep = {.call = run,
                                .prepare = prepare,
                                .untouched = untouched,
                                .right = right,
                                .user = s,
                                .step = info.threads > 1 ? 41 : 1};
    prepare(s);
    CHECK_OK(ctx, run(ctx, s));
    s->want = s->match;
    memcpy(s->want_ids, s->ids, sizeof s->ids);
    fault_sweep(ctx, &sweep);
}

static void faults(bosc_ctx *ctx)
{
    struct subject *s = suite_alloc(sizeof *s);
    for (int kind = 0; kind < 4; kind++) {
        struct suite_random r = {55};
        memset(s, 0, sizeof *s);
        s->kind = kind;
        make_scene(&r, &s->scene, kind & 1, kind & 2 ? 10 : 6, 0, 0, 0);
        sweep(ctx, s, call);
    }
    free(s);
}

static void faults_of_models(bosc_ctx *ctx)
{
    struct subject *s = suite_alloc(sizeof *s);
    for (int kind = 0; kind < 4; kind++) {
        struct suite_random r = {56};
        memset(s, 0, sizeof *s);
        s->kind = kind;
        s->scene.n = kind & 2 ? 10 : 6;
        for (int64_t i = 0; i < 6 * s->scene.n; i++) s->scene.model[i] = suite_unit(&r);
        sweep(ctx, s, call_models);
    }
    free(s);
}

static const struct suite_case suite_cases_geometric_faults[] = {{"faults", faults, NULL},
                                                                 {"models", faults_of_models, NULL}};
SUITE(geometric_faults);
