/* Each allocation, copy and launch of geometric hashing fails in turn. */
#include <stdlib.h>
#include <string.h>

#include "cases/geometric_data.h"
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

static void faults(bosc_ctx *ctx)
{
    struct subject *s = suite_alloc(sizeof *s);
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info)); /* many small loops: slow with many threads */
    for (int kind = 0; kind < 4; kind++) {
        struct suite_random r = {55};
        memset(s, 0, sizeof *s);
        s->kind = kind;
        make_scene(&r, &s->scene, kind & 1, kind & 2 ? 10 : 6, 0, 0, 0);
        struct fault_sweep sweep = {.call = call,
                                    .prepare = prepare,
                                    .untouched = untouched,
                                    .right = right,
                                    .user = s,
                                    .step = info.threads > 1 ? 41 : 1};
        prepare(s);
        CHECK_OK(ctx, call(ctx, s));
        s->want = s->match;
        memcpy(s->want_ids, s->ids, sizeof s->ids);
        fault_sweep(ctx, &sweep);
    }
    free(s);
}

static const struct suite_case suite_cases_geometric_faults[] = {{"faults", faults, NULL}};
SUITE(geometric_faults);
