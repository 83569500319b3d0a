/* The calls of batches of clouds that can take long. */
#ifndef TESTS_CASES_CORE_PROGRESS_CLOUDS_H
#define TESTS_CASES_CORE_PROGRESS_CLOUDS_H

#include "cases/core/progress_world.h"

static bosc_status clouds_build(struct world *w)
{
    const int64_t offsets[] = {0, w->n / 3, w->n};
    return bosc_clouds_build(w->ctx, w->unbuilt_clouds, w->points, w->n, 3, offsets, 2);
}
static bosc_status clouds_build_from_batch(struct world *w)
{
    int64_t *numbers = (int64_t *)(void *)w->out;
    for (int64_t i = 0; i < w->n; i++) numbers[i] = i * 2 / w->n;
    return bosc_clouds_build_from_batch(w->ctx, w->unbuilt_clouds, w->points, w->n, 3, numbers, 2);
}
static bosc_status clouds_knn(struct world *w) { return bosc_clouds_knn(w->ctx, w->clouds, NULL, 4, 1, w->out, NULL); }
static bosc_status clouds_knn_edges(struct world *w)
{
    return bosc_clouds_knn_edges(w->ctx, w->clouds, NULL, 2, 1, (int64_t *)(void *)w->out, 0);
}
static bosc_status clouds_radius_count(struct world *w)
{
    return bosc_clouds_radius_count(w->ctx, w->clouds, NULL, NEAR, (int64_t *)(void *)w->out);
}
static bosc_status clouds_offsets(struct world *w)
{
    return bosc_clouds_radius(w->ctx, w->clouds, NULL, NEAR, w->offsets, NULL, NULL, 0);
}
static bosc_status clouds_radius(struct world *w)
{
    return bosc_clouds_radius(w->ctx, w->clouds, NULL, NEAR, w->offsets, w->out, NULL, OUT / 8);
}
static bosc_status clouds_radius_edges(struct world *w)
{
    bosc_clouds_edges edges = {
        .size = sizeof edges, .edges = (int64_t *)(void *)w->out, .capacity = OUT / 16, .max_edges = OUT};
    return bosc_clouds_radius_edges(w->ctx, w->clouds, NULL, NEAR, &edges);
}
static bosc_status clouds_sample_farthest(struct world *w)
{
    const int64_t offsets[] = {0, 10, 30};
    return bosc_clouds_sample_farthest(w->ctx, w->clouds, offsets, 30, NULL, w->out);
}
static bosc_status clouds_sample_ratio(struct world *w)
{
    return bosc_clouds_sample_ratio(w->ctx, w->clouds, 1e-9, NULL, NULL, w->out, OUT / 4, NULL);
}

#endif
