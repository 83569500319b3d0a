/* Calls of neighbour lists that can take long. */
#ifndef TESTS_CASES_CORE_PROGRESS_NEIGHBORLIST_H
#define TESTS_CASES_CORE_PROGRESS_NEIGHBORLIST_H

#include "cases/core/progress_world.h"

static bosc_status neighborlist_build(struct world *w)
{
    const bosc_neighborlist_systems systems = {.size = sizeof systems, .positions = w->points, .n = w->n};
    return bosc_neighborlist_build(w->ctx, w->neighbors, &systems);
}
static bosc_status neighborlist_pairs(struct world *w)
{
    bosc_neighborlist_arrays arrays = {.size = sizeof arrays, .capacity = OUT / 8};
    arrays.neighbors = w->out;
    return bosc_neighborlist_pairs(w->ctx, w->neighbors, 0, &arrays, NULL);
}
static bosc_status neighborlist_rows(struct world *w)
{
    return bosc_neighborlist_rows(w->ctx, w->neighbors, 0, (int64_t *)(void *)w->out);
}
static bosc_status neighborlist_padded(struct world *w)
{
    bosc_neighborlist_arrays arrays = {.size = sizeof arrays, .capacity = 2 * w->n};
    arrays.neighbors = w->out;
    return bosc_neighborlist_padded(w->ctx, w->neighbors, 0, 2, NULL, &arrays);
}
static bosc_status neighborlist_move(struct world *w)
{
    int32_t needs_build;
    return bosc_neighborlist_move(w->ctx, w->neighbors, w->points, 0, &needs_build);
}

#endif
