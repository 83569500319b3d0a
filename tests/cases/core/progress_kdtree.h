/* The calls of k-d trees that report progress. */
#ifndef TESTS_CASES_CORE_PROGRESS_KDTREE_H
#define TESTS_CASES_CORE_PROGRESS_KDTREE_H

#include "cases/core/progress_world.h"

static bosc_status kdtree_build(struct world *w)
{
    return bosc_kdtree_build(w->ctx, w->unbuilt_tree, w->points, w->n, 3);
}
static bosc_status kdtree_build_published(struct world *w)
{
    return bosc_kdtree_build(w->ctx, w->published_tree, w->points, w->n, 3);
}
static bosc_status kdtree_knn(struct world *w)
{
    return bosc_kdtree_knn(w->ctx, w->tree, w->points, w->n, 3, K, w->out, w->out + 8 * w->n * K);
}
static bosc_status kdtree_knn_self(struct world *w) { return bosc_kdtree_knn_self(w->ctx, w->tree, K, w->out, NULL); }
static bosc_status kdtree_knn_within(struct world *w)
{
    return bosc_kdtree_knn_within(w->ctx, w->tree, w->points, w->n, 3, K, NEAR, w->out, NULL);
}
static bosc_status kdtree_nearest_other(struct world *w)
{
    return bosc_kdtree_nearest_other(w->ctx, w->tree, w->bins, NULL, w->out, NULL);
}
static bosc_status kdtree_radius_count(struct world *w)
{
    return bosc_kdtree_radius_count(w->ctx, w->tree, w->points, w->n, 3, NEAR, (int64_t *)(void *)w->out);
}
static bosc_status kdtree_offsets(struct world *w)
{
    return bosc_kdtree_radius(w->ctx, w->tree, w->points, w->n, 3, NEAR, w->offsets, NULL, NULL, 0);
}
static bosc_status kdtree_radius(struct world *w)
{
    return bosc_kdtree_radius(w->ctx, w->tree, w->points, w->n, 3, NEAR, w->offsets, w->out, NULL, OUT / 8);
}
static bosc_status kdtree_box_offsets(struct world *w)
{
    return bosc_kdtree_box(w->ctx, w->tree, w->boxes, w->n, w->offsets, NULL, 0);
}
static bosc_status kdtree_box(struct world *w)
{
    return bosc_kdtree_box(w->ctx, w->tree, w->boxes, w->n, w->offsets, w->out, OUT / 4);
}
static const bosc_kdtree_query_opts by_sums = {.size = sizeof by_sums, .p = 1};
static const double near_radius = NEAR;
static bosc_status kdtree_query_knn(struct world *w)
{
    return bosc_kdtree_knn_metric(w->ctx, w->tree, w->points, w->n, 3, K, &by_sums, w->out, NULL);
}
static bosc_status kdtree_query_count(struct world *w)
{
    return bosc_kdtree_radius_count_metric(w->ctx, w->tree, w->points, w->n, 3, &near_radius, 1, &by_sums,
                                           (int64_t *)(void *)w->out);
}
static bosc_status kdtree_query_offsets(struct world *w)
{
    return bosc_kdtree_radius_metric(w->ctx, w->tree, w->points, w->n, 3, &near_radius, 1, &by_sums, w->offsets, NULL,
                                     NULL, 0);
}
static bosc_status kdtree_query_radius(struct world *w)
{
    return bosc_kdtree_radius_metric(w->ctx, w->tree, w->points, w->n, 3, &near_radius, 1, &by_sums, w->offsets, w->out,
                                     NULL, OUT / 8);
}
static bosc_status kdtree_pair_offsets(struct world *w)
{
    return bosc_kdtree_pairs(w->ctx, w->tree, NULL, NEAR, NULL, w->offsets, NULL, NULL, 0);
}
static bosc_status kdtree_pairs(struct world *w)
{
    return bosc_kdtree_pairs(w->ctx, w->tree, NULL, NEAR, NULL, w->offsets, w->out, NULL, OUT / 8);
}
static bosc_status kdtree_count_pairs(struct world *w)
{
    return bosc_kdtree_count_pairs(w->ctx, w->tree, w->tree, &near_radius, 1, NULL, NULL, NULL, 0,
                                   (int64_t *)(void *)w->out, NULL);
}
static bosc_status kdtree_verify(struct world *w) { return bosc_kdtree_verify(w->ctx, w->tree, NULL); }

#endif
