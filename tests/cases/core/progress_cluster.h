/* Progress: the calls of clusters and of spanning trees of points. */
#ifndef TESTS_CASES_CORE_PROGRESS_CLUSTER_H
#define TESTS_CASES_CORE_PROGRESS_CLUSTER_H

#include "cases/core/progress_world.h"

static bosc_status dbscan_compute(struct world *w)
{
    const bosc_dbscan_opts o = {.size = sizeof o, .dim = 3};
    return bosc_dbscan_compute(w->ctx, w->points, w->n, 3, NEAR, 4, &o, w->out, NULL, NULL);
}
static bosc_status dbscan_compute_tree(struct world *w)
{
    return bosc_dbscan_compute_tree(w->ctx, w->tree, NEAR, 4, NULL, w->out, NULL, NULL);
}
static bosc_status emst_compute(struct world *w)
{
    const bosc_emst_opts o = {.size = sizeof o, .dim = 3};
    return bosc_emst_compute(w->ctx, w->points, w->n, 3, &o, w->out, NULL);
}
static bosc_status ranks_emst_compute(struct world *w)
{
    const bosc_emst_opts o = {.size = sizeof o, .dim = 3};
    return bosc_ranks_emst_compute(w->ctx, w->comm, w->points, w->n, 3, &o, w->out, NULL, NULL);
}
static bosc_status ranks_emst_compute_mutual(struct world *w)
{
    const bosc_emst_opts o = {.size = sizeof o, .dim = 3};
    return bosc_ranks_emst_compute_mutual(w->ctx, w->comm, w->points, w->n, 3, &o, 5, w->out, NULL, NULL);
}
static bosc_status ranks_emst_compute_minkowski(struct world *w)
{
    const bosc_emst_opts o = {.size = sizeof o, .dim = 3};
    return bosc_ranks_emst_compute_minkowski(w->ctx, w->comm, w->points, w->n, 3, &o, 3, 5, w->out, NULL, NULL);
}
static bosc_status ranks_hdbscan_compute(struct world *w)
{
    const bosc_hdbscan_opts o = {.size = sizeof o, .dim = 3};
    return bosc_ranks_hdbscan_compute(w->ctx, w->comm, w->points, w->n, 3, &o, w->out, NULL, NULL, NULL);
}
static bosc_status ranks_dbscan_compute(struct world *w)
{
    const bosc_dbscan_opts o = {.size = sizeof o, .dim = 3};
    return bosc_ranks_dbscan_compute(w->ctx, w->comm, w->points, w->n, 3, NEAR, 5, &o, w->out, NULL, NULL);
}
static bosc_status emst_compute_mutual(struct world *w)
{
    const bosc_emst_opts o = {.size = sizeof o, .dim = 3};
    return bosc_emst_compute_mutual(w->ctx, w->points, w->n, 3, &o, 5, w->out, NULL, NULL);
}
static bosc_status emst_compute_minkowski(struct world *w)
{
    const bosc_emst_opts o = {.size = sizeof o, .dim = 3};
    return bosc_emst_compute_minkowski(w->ctx, w->points, w->n, 3, &o, 1, 5, w->out, NULL, NULL);
}
static bosc_status emst_verify(struct world *w)
{
    const bosc_emst_opts o = {.size = sizeof o, .dim = 3};
    return bosc_emst_verify(w->ctx, w->points, w->n, 3, &o, 0, w->emst_pairs, NULL);
}
static bosc_status emst_verify_minkowski(struct world *w)
{
    const bosc_emst_opts o = {.size = sizeof o, .dim = 3};
    return bosc_emst_verify_minkowski(w->ctx, w->points, w->n, 3, &o, 1, 0, w->order_pairs, NULL);
}
static bosc_status emst_find_replacements_minkowski(struct world *w)
{
    const bosc_emst_opts o = {.size = sizeof o, .dim = 3};
    return bosc_emst_find_replacements_minkowski(w->ctx, w->points, w->n, 3, &o, 1, 0, w->emst_pairs, w->out, NULL);
}
static bosc_status emst_find_replacements(struct world *w)
{
    const bosc_emst_opts o = {.size = sizeof o, .dim = 3};
    return bosc_emst_find_replacements(w->ctx, w->points, w->n, 3, &o, 0, w->emst_pairs, w->out, NULL);
}
static bosc_status hdbscan_compute(struct world *w)
{
    const bosc_hdbscan_opts o = {.size = sizeof o, .dim = 3};
    return bosc_hdbscan_compute(w->ctx, w->points, w->n, 3, &o, w->out, NULL, NULL, NULL);
}
static bosc_status hdbscan_compute_linkage(struct world *w)
{
    const bosc_hdbscan_opts o = {.size = sizeof o, .dim = 3};
    return bosc_hdbscan_compute_linkage(w->ctx, w->points, w->n, 3, &o, (double *)(void *)w->out);
}
static bosc_status hdbscan_create(struct world *w)
{
    const bosc_hdbscan_opts o = {.size = sizeof o, .dim = 3};
    bosc_hdbscan *clustering = NULL;
    const bosc_status status = bosc_hdbscan_create(w->ctx, w->points, w->n, 3, &o, &clustering);
    bosc_hdbscan_free(clustering);
    return status;
}
/* Labels of a few points; the others are noise. */
static int64_t *few_labels(const struct world *w)
{
    int64_t *labels = suite_alloc((size_t)w->n * sizeof *labels);
    for (int64_t i = 0; i < w->n; i++) labels[i] = i < 60 ? i % 3 : -1;
    return labels;
}
static bosc_status cluster_compute_centers(struct world *w)
{
    const bosc_cluster_opts o = {.size = sizeof o, .dim = 3};
    int64_t *labels = few_labels(w);
    double *centroids = (double *)(void *)w->out;
    const bosc_status status = bosc_cluster_compute_centers(w->ctx, w->points, w->n, 3, &o, labels, NULL, 3, centroids,
                                                            (int64_t *)(void *)(centroids + 9));
    free(labels);
    return status;
}
static bosc_status cluster_compute_validity(struct world *w)
{
    const bosc_cluster_opts o = {.size = sizeof o, .dim = 3};
    int64_t *labels = few_labels(w);
    double *scores = (double *)(void *)w->out;
    const bosc_status status =
        bosc_cluster_compute_validity(w->ctx, w->points, w->n, 3, &o, labels, 3, scores, scores + 3);
    free(labels);
    return status;
}
/* Some point is in each of two clusters, the others leave the root. */
static bosc_status use_model(struct world *w, bosc_status (*use)(struct world *w, const bosc_hdbscan_model *model))
{
    const bosc_hdbscan_cluster clusters[] = {{-1, -1, w->n, 0, 1, 1}, {0, 0, 1, 1, 2, 1}, {0, 1, 1, 1, 2, 1}};
    bosc_hdbscan_model model = {.size = sizeof model, .tree = w->tree, .clusters = clusters, .cluster_count = 3};
    int64_t *leaves = suite_alloc((size_t)w->n * sizeof *leaves);
    double *densities = suite_alloc((size_t)w->n * sizeof *densities);
    for (int64_t i = 0; i < w->n; i++) {
        leaves[i] = i < 3 ? i : 0;
        densities[i] = i < 3 ? 2 : 0.5;
    }
    model.leaves = leaves;
    model.densities = densities;
    const bosc_status status = use(w, &model);
    free(leaves);
    free(densities);
    return status;
}
static bosc_status predict_labels(struct world *w, const bosc_hdbscan_model *model)
{
    const bosc_hdbscan_opts o = {.size = sizeof o};
    return bosc_hdbscan_predict(w->ctx, model, &o, w->points, w->n, 3, w->out, NULL);
}
static bosc_status predict_memberships(struct world *w, const bosc_hdbscan_model *model)
{
    const bosc_hdbscan_opts o = {.size = sizeof o};
    return bosc_hdbscan_predict_memberships(w->ctx, model, &o, w->points, w->n, 3, 2, (double *)(void *)w->out);
}
static bosc_status compute_memberships(struct world *w, const bosc_hdbscan_model *model)
{
    return bosc_hdbscan_compute_memberships(w->ctx, model, 2, (double *)(void *)w->out);
}
static bosc_status list_exemplars(struct world *w, const bosc_hdbscan_model *model)
{
    int64_t offsets[3];
    int64_t *rows = (int64_t *)(void *)w->out;
    return bosc_hdbscan_list_exemplars(w->ctx, model, 2, rows, offsets, NULL);
}
static bosc_status hdbscan_predict(struct world *w) { return use_model(w, predict_labels); }
static bosc_status hdbscan_predict_memberships(struct world *w) { return use_model(w, predict_memberships); }
static bosc_status hdbscan_compute_memberships(struct world *w) { return use_model(w, compute_memberships); }
static bosc_status hdbscan_list_exemplars(struct world *w) { return use_model(w, list_exemplars); }

#endif
