/* Models of clustered points for the cases of predictions and memberships. */
#ifndef TESTS_CASES_CLUSTER_HDBSCAN_MODEL_H
#define TESTS_CASES_CLUSTER_HDBSCAN_MODEL_H

#include <stdlib.h>

#include "cases/kdtree/kdtree_data.h"

/* A condensed tree of points, and their k-d tree. */
struct clustered {
    bosc_hdbscan_model model;
    bosc_kdtree *tree;
    int64_t *leaves, *labels, label_count;
    double *densities, *core; /* core: as doubles */
    void *core_dist2;
    bosc_hdbscan_cluster *clusters;
};

static inline struct clustered make_model(bosc_ctx *ctx, const struct reference_points *p, const bosc_hdbscan_opts *o,
                                          int32_t id_bits)
{
    const int64_t n = p->n, room = 2 * (n / o->min_cluster_size) + 1;
    const bosc_kdtree_opts tree = {.size = sizeof tree, .dtype = p->dtype, .dim = p->dim, .id_bits = id_bits};
    const bosc_emst_opts emst = {.size = sizeof emst, .dtype = p->dtype, .dim = p->dim};
    bosc_hdbscan_info info = {.size = sizeof info};
    struct clustered c = {.leaves = suite_alloc((size_t)n * 8),
                          .labels = suite_alloc((size_t)n * 8),
                          .densities = suite_alloc((size_t)n * 8),
                          .core = suite_alloc((size_t)n * 8),
                          .core_dist2 = suite_alloc((size_t)n * 8),
                          .clusters = suite_alloc((size_t)room * sizeof *c.clusters)};
    double *z = suite_alloc((size_t)n * 32);
    int64_t *pairs = suite_alloc((size_t)n * 16);
    /* 1. The condensed tree, core distances and labels of the points. */
    CHECK_OK(ctx, bosc_hdbscan_compute_linkage(ctx, p->data, n, p->stride, o, z));
    CHECK_OK(ctx, bosc_hdbscan_condense(ctx, z, n, o, c.leaves, c.densities, c.clusters, &info));
    CHECK_OK(ctx,
             bosc_emst_compute_mutual(ctx, p->data, n, p->stride, &emst, o->min_samples, pairs, NULL, c.core_dist2));
    CHECK_OK(ctx, bosc_hdbscan_select(ctx, z, n, o, c.labels, NULL, NULL, NULL));
    for (int64_t i = 0; i < n; i++)
        c.core[i] = p->dtype == BOSC_F32 ? (double)((float *)c.core_dist2)[i] : ((double *)c.core_dist2)[i];
    /* 2. The tree in which new points search. */
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &tree, &c.tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, c.tree, p->data, n, p->stride));
    c.model = (bosc_hdbscan_model){sizeof c.model, c.tree, NULL, c.leaves, c.densities, c.clusters, info.condensed};
    c.label_count = info.clusters;
    free(z);
    free(pairs);
    return c;
}

static inline void free_model(const struct clustered *c)
{
    bosc_kdtree_free(c->tree);
    free(c->leaves);
    free(c->labels);
    free(c->densities);
    free(c->core);
    free(c->core_dist2);
    free(c->clusters);
}

#endif
