/* The calls of motion planning that can last. */
#ifndef TESTS_CASES_CORE_PROGRESS_PLAN_H
#define TESTS_CASES_CORE_PROGRESS_PLAN_H

#include <stddef.h>
#include <string.h>

#include "cases/core/progress_world.h"

/* The figures of a build. */
static bosc_status plan_build(struct world *w)
{
    bosc_status status = bosc_plan_build(w->ctx, w->unbuilt_plan, &w->fans);
    bosc_plan_info info = {.size = sizeof info};
    if (status == BOSC_OK) CHECK_OK(w->ctx, bosc_plan_get_info(w->ctx, w->unbuilt_plan, &info));
    if (status == BOSC_OK) memcpy(w->out, &info, offsetof(bosc_plan_info, bytes));
    return status;
}
static bosc_status plan_signs(struct world *w)
{
    return bosc_plan_signs(w->ctx, w->plan, w->rotations, w->n, 0, (uint64_t *)(void *)w->out);
}
static bosc_status plan_collides(struct world *w)
{
    return bosc_plan_collides(w->ctx, w->plan, w->rotations, w->n, 0, w->out);
}
static bosc_status plan_sample(struct world *w)
{
    int64_t rows;
    return bosc_plan_sample(w->ctx, w->plan, NULL, w->n / 4, (double *)(void *)w->out, NULL, NULL, &rows, NULL);
}

static bosc_status plan_labels(struct world *w)
{
    return bosc_plan_labels(w->ctx, w->plan, (const uint64_t *)(void *)w->numbers, w->n, 0, w->out);
}
static bosc_status plan_arcs(struct world *w)
{
    return bosc_plan_arcs(w->ctx, w->plan, w->rotations, w->rotations + 4, w->n - 1, NULL, (uint64_t *)(void *)w->out);
}
static bosc_status plan_crossings(struct world *w)
{
    return bosc_plan_crossings(w->ctx, w->plan, w->rotations, w->rotations + 4, w->n - 1, w->offsets, NULL, NULL, NULL,
                               0);
}
static bosc_status roadmap_reset(struct world *w) { return bosc_roadmap_reset(w->ctx, w->roadmap, w->plan); }
static bosc_status roadmap_add(struct world *w)
{
    return bosc_roadmap_add(w->ctx, w->roadmap, w->plan, w->rotations, w->n, 0);
}
static bosc_status roadmap_explore(struct world *w)
{
    const bosc_roadmap_explore_opts o = {.size = sizeof o, .max_rows = w->n, .new_rate = -1};
    return bosc_roadmap_explore(w->ctx, w->roadmap, w->plan, &o);
}
static bosc_status planner_build(struct world *w) { return bosc_planner_build(w->ctx, w->planner, &w->scene); }
static bosc_status planner_add(struct world *w) { return bosc_planner_add(w->ctx, w->planner, w->rotations, w->n); }
static bosc_status planner_locate(struct world *w)
{
    return bosc_planner_locate(w->ctx, w->planner, w->rotations, w->n, (int64_t *)(void *)w->out);
}
static bosc_status planner_certify(struct world *w)
{
    return bosc_planner_certify(w->ctx, w->planner, w->rotations, w->n, w->out, NULL);
}
static bosc_status planner_route(struct world *w) /* through a wall without a gap */
{
    static const double start[4] = {1, 0, 0.1, 0}, goal[4] = {0.1, 0, 0, 1};
    const bosc_planner_route_opts o = {.size = sizeof o, .rounds = -1, .max_tested = w->n / 50, .max_boxes = w->n / 20};
    return bosc_planner_route(w->ctx, w->planner, start, goal, &o, NULL);
}

#endif
