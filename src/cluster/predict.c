/* Clusters of new points in a condensed tree, by their nearest points. */
#include <math.h>

#include "base/bits.h"
#include "cluster/cluster.h"
#include "cluster/hdbscan.h"
#include "cluster/predict.h"
#include "cluster/steps/steps.h"
#include "core/check.h"
#include "kdtree/metric.h"

enum { PREDICT_ITEMS = 200 /* progress weight of a query; estimated */ };

bosc_status bi_predict_check_model(bosc_ctx *ctx, const bosc_hdbscan_model *model, bosc_hdbscan_model *m)
{
    if (!model) return bi_fail(ctx, BOSC_ERR_ARG, "model: NULL");
    BI_TRY(bi_check_size(ctx, "model", "bosc_hdbscan_model", model->size, sizeof *m));
    BI_TRY(bi_read_opts(ctx, "bosc_hdbscan_model", model, m, sizeof *m));
    BI_TRY(bi_kdtree_check_has_rows(ctx, m->tree));
    const int64_t n = m->tree->nodes;
    if (m->cluster_count < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "model: cluster_count: %lld is less than 0", (long long)m->cluster_count);
    if (n > 0 && !m->leaves) return bi_fail(ctx, BOSC_ERR_ARG, "model: leaves: NULL");
    if (n > 0 && !m->densities) return bi_fail(ctx, BOSC_ERR_ARG, "model: densities: NULL");
    if (m->cluster_count > 0 && !m->clusters) return bi_fail(ctx, BOSC_ERR_ARG, "model: clusters: NULL");
    BI_TRY(bi_check_aligned(ctx, "model: leaves", m->leaves, sizeof *m->leaves));
    BI_TRY(bi_check_aligned(ctx, "model: densities", m->densities, sizeof *m->densities));
    BI_TRY(bi_check_aligned(ctx, "model: clusters", m->clusters, sizeof(double)));
    return bi_check_aligned(ctx, "model: core_dist2", m->core_dist2, m->tree->opts.dtype == BOSC_F32 ? 4 : 8);
}

bosc_status bi_predict_check_queries(bosc_ctx *ctx, const struct bi_predict_call *s, const char *name, const void *out)
{
    const int32_t dim = s->model.tree->opts.dim;
    if (s->query_count < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "query_count: %lld is less than 0", (long long)s->query_count);
    if (s->query_count > 0 && !s->queries) return bi_fail(ctx, BOSC_ERR_ARG, "queries: NULL");
    if (s->query_count > 0 && !out) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    if (s->stride < 0 || (s->stride > 0 && s->stride < dim))
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than dim %d", (long long)s->stride, (int)dim);
    return bi_hdbscan_check_samples(ctx, &s->opts, s->model.tree->nodes);
}

bosc_status bi_predict_stage_model(bosc_ctx *ctx, const bosc_hdbscan_model *m, struct bi_hdbscan_predict *a)
{
    const size_t n = (size_t)m->tree->nodes, count = (size_t)m->cluster_count;
    const void *leaves, *densities, *clusters;
    bool staged = false;
    int64_t bad[2] = {INT64_MAX, INT64_MAX};
    BI_TRY(bi_stage_in(ctx, m->leaves, n * sizeof *m->leaves, &leaves, &staged));
    BI_TRY(bi_stage_in(ctx, m->densities, n * sizeof *m->densities, &densities, &staged));
    BI_TRY(bi_stage_in(ctx, m->clusters, count * sizeof *m->clusters, &clusters, &staged));
    a->leaves = leaves;
    a->densities = densities;
    a->clusters = clusters;
    BI_TRY(bi_scratch_of(ctx, 2, sizeof *a->bad, &a->bad));
    BI_TRY(ctx->backend->copy(ctx, a->bad, bad, sizeof bad));
    BI_TRY(ctx->ops->cluster->steps->predict_check(ctx, bi_max_i64(a->n, a->count), a));
    BI_TRY(bi_read_back(ctx, bad, a->bad, sizeof bad));
    if (bad[0] != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "model: leaves: row %lld names none of %lld clusters", (long long)bad[0],
                       (long long)a->count);
    if (bad[1] != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "model: clusters: row %lld has no parent before it", (long long)bad[1]);
    return BOSC_OK;
}

/* Finds the neighbours of the points, and stores the distances of the last ones. */
static bosc_status store_cores(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_hdbscan_cores *cores)
{
    const int64_t n = tree->nodes;
    void *ids, *dist2;
    BI_TRY(bi_scratch_of(ctx, n * cores->k, tree->opts.id_bits == 64 ? 8 : 4, &ids));
    BI_TRY(bi_scratch_of(ctx, n * cores->k, cores->is_64bit ? 8 : 4, &dist2));
    BI_TRY(bosc_kdtree_knn_self(ctx, tree, cores->k, ids, dist2));
    cores->dist2 = dist2;
    return ctx->ops->cluster->steps->predict_core(ctx, n, cores);
}

bosc_status bi_predict_compute_cores(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t min_samples, void *core)
{
    struct bi_hdbscan_cores cores = {.k = min_samples, .is_64bit = tree->opts.dtype != BOSC_F32, .core = core};
    BI_RETURN_WITH_SCRATCH(ctx, store_cores(ctx, tree, &cores));
}

/* Returns the status of a search. A limit gets a message with the caller's argument: the search names its own. */
static bosc_status name_limit(bosc_ctx *ctx, const char *name, bosc_status status)
{
    if (status != BOSC_ERR_LIMIT) return status;
    return bi_fail(
        ctx, status,
        "%s: the square of a distance to a point is out of range; multiply points and queries, and divide the "
        "densities, by a power of two",
        name);
}

/* Stages the caller's core distances, or computes them. */
static bosc_status find_cores(bosc_ctx *ctx, const struct bi_predict_call *s, struct bi_hdbscan_predict *a)
{
    const size_t size = a->distances_64bit ? 8 : 4;
    void *core;
    bool staged = false;
    if (s->model.core_dist2) return bi_stage_in(ctx, s->model.core_dist2, (size_t)a->n * size, &a->core, &staged);
    BI_TRY(bi_scratch_of(ctx, a->n, size, &core));
    a->core = core;
    if (a->n == 0) return BOSC_OK;
    return name_limit(ctx, "model: tree", bi_predict_compute_cores(ctx, s->model.tree, s->opts.min_samples, core));
}

bosc_status bi_predict_find_near(bosc_ctx *ctx, const struct bi_predict_call *s, struct bi_hdbscan_predict *a)
{
    const bosc_kdtree *tree = s->model.tree;
    const int64_t samples = s->opts.min_samples;
    void *near, *dist2;
    /* 1. The model. */
    *a = (struct bi_hdbscan_predict){.n = tree->nodes,
                                     .count = s->model.cluster_count,
                                     .k = samples < tree->nodes - samples ? 2 * samples : tree->nodes,
                                     .own = samples - 2,
                                     .distances_64bit = tree->opts.dtype != BOSC_F32,
                                     .ids_64bit = tree->opts.id_bits == 64};
    BI_TRY(bi_predict_stage_model(ctx, &s->model, a));
    BI_TRY(find_cores(ctx, s, a));
    /* 2. The nearest points of the queries. */
    if (a->k > 0 && s->query_count > INT64_MAX / a->k)
        return bi_fail(ctx, BOSC_ERR_NOMEM, "query_count: no memory for %lld neighbours of %lld queries",
                       (long long)a->k, (long long)s->query_count);
    BI_TRY(bi_scratch_of(ctx, s->query_count * a->k, a->ids_64bit ? 8 : 4, &near));
    BI_TRY(bi_scratch_of(ctx, s->query_count * a->k, a->distances_64bit ? 8 : 4, &dist2));
    if (a->k > 0)
        BI_TRY(name_limit(ctx, "queries",
                          bosc_kdtree_knn(ctx, tree, s->queries, s->query_count, s->stride, a->k, near, dist2)));
    a->near = near;
    a->dist2 = dist2;
    return BOSC_OK;
}

/* Predicts the clusters of the queries: at least one. */
static bosc_status predict_staged(bosc_ctx *ctx, const struct bi_predict_call *s, void *labels, double *probabilities)
{
    const bosc_hdbscan_opts *o = &s->opts;
    const size_t m = (size_t)s->query_count;
    struct bi_hdbscan_predict a;
    bosc_hdbscan_cluster root = {.death = 0};
    struct bi_out to_labels, to_probabilities;
    bool staged = false;
    /* 1. The model, and the nearest points. */
    BI_TRY(bi_predict_find_near(ctx, s, &a));
    if (a.count > 0) BI_TRY(bi_read_back(ctx, &root, a.clusters, sizeof root));
    a.root_density = o->epsilon != 0 ? 1 / o->epsilon : root.death;
    /* 2. The results. */
    BI_TRY(bi_stage_out(ctx, labels, m * (size_t)o->label_bits / 8, &to_labels, &staged));
    BI_TRY(bi_stage_out(ctx, probabilities, probabilities ? m * sizeof(double) : 0, &to_probabilities, &staged));
    a.labels_64bit = o->label_bits == 64;
    a.labels = to_labels.reachable;
    a.probabilities = probabilities ? to_probabilities.reachable : NULL;
    BI_TRY(ctx->ops->cluster->steps->predict(ctx, s->query_count, &a));
    BI_TRY(bi_stage_back(ctx, &to_labels));
    if (probabilities) BI_TRY(bi_stage_back(ctx, &to_probabilities));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_hdbscan_predict(bosc_ctx *ctx, const bosc_hdbscan_model *model, const bosc_hdbscan_opts *opts,
                                 const void *queries, int64_t query_count, int64_t stride, void *labels,
                                 double *probabilities)
{
    struct bi_predict_call s = {.queries = queries, .query_count = query_count, .stride = stride};
    BI_ENTER(ctx);
    BI_TRY(bi_hdbscan_check_opts(ctx, opts, &s.opts));
    BI_TRY(bi_hdbscan_check_euclidean(ctx, &s.opts));
    BI_TRY(bi_predict_check_model(ctx, model, &s.model));
    BI_TRY(bi_predict_check_queries(ctx, &s, "labels", labels));
    BI_TRY(bi_check_aligned(ctx, "labels", labels, (size_t)s.opts.label_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "probabilities", probabilities, sizeof(double)));
    bi_progress_set_total(ctx, PREDICT_ITEMS * ((double)query_count + (double)s.model.tree->nodes));
    if (query_count > 0) BI_RETURN_WITH_SCRATCH(ctx, predict_staged(ctx, &s, labels, probabilities));
    return BOSC_OK;
}
