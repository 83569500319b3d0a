/* Each allocation, copy and launch of a tour fails in turn. */
#include "support/faults.h"
#include "support/suite.h"

#include <string.h>

#include <boscage/tour.h>

enum { POINTS = 40 };

struct subject {
    double points[2 * POINTS];
    struct {
        int64_t order[POINTS];
        double length, bound;
    } out;
};

static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const bosc_tour_search_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = 2, .kicks = 1, .rounds = 2};
    int64_t order[POINTS];
    double length, bound;
    for (int64_t i = 0; i < POINTS; i++) order[i] = i;
    bosc_status status = bosc_tour_improve(ctx, s->points, POINTS, 0, &o, order, &length);
    if (status == BOSC_OK) status = bosc_tour_bound(ctx, s->points, POINTS, 0, &o, &bound);
    if (status != BOSC_OK) return status;
    memcpy(s->out.order, order, sizeof order);
    s->out.length = length;
    s->out.bound = bound;
    return BOSC_OK;
}

static void faults(bosc_ctx *ctx)
{
    struct suite_random r = {7};
    struct subject s;
    for (int i = 0; i < 2 * POINTS; i++) s.points[i] = suite_unit(&r);
    const struct fault_sweep sweep = {.call = call, .user = &s, .outputs = &s.out, .output_bytes = sizeof s.out};
    fault_sweep(ctx, &sweep);
}

static const struct suite_case suite_cases_tour_faults[] = {{"faults", faults, NULL}};
SUITE(tour_faults);
