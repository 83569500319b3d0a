/* Soft clustering: exemplars, and the memberships of points and queries in all clusters. */
#include "base/bits.h"
#include "cluster/hdbscan.h"
#include "cluster/members.h"
#include "cluster/predict.h"
#include "cluster/scale.h"
#include "cluster/steps/steps.h"
#include "core/check.h"
#include "kdtree/metric.h"

enum { EXEMPLAR_ITEMS = 20, MEMBERSHIP_ITEMS = 300 /* progress weights of a point; estimated */ };

/* Finds the exemplars of a staged and checked model, by label: *row and *begin (labels + 2), in scratch. Waits. */
static bosc_status find_exemplars(bosc_ctx *ctx, struct bi_hdbscan_exemplars *a, uint32_t **row, const int64_t **begin)
{
    const struct bi_cluster_steps *steps = ctx->ops->cluster->steps;
    int64_t bad = INT64_MAX;
    BI_TRY(bi_scratch_of(ctx, a->count, sizeof *a->is_split, &a->is_split));
    BI_TRY(bi_scratch_of(ctx, a->n, sizeof *a->label, &a->label));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *a->bad, &a->bad));
    BI_TRY(ctx->backend->copy(ctx, a->bad, &bad, sizeof bad));
    BI_TRY(ctx->backend->fill(ctx, a->is_split, 0, (size_t)a->count * sizeof *a->is_split));
    BI_TRY(steps->exemplars_find_split(ctx, a->count, a));
    BI_TRY(bi_read_back(ctx, &bad, a->bad, sizeof bad));
    if (bad != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "model: clusters: row %lld has none of %lld labels", (long long)bad,
                       (long long)a->labels);
    BI_TRY(steps->exemplars_find(ctx, a->n, a));
    return bi_members_sort(ctx, a->n, a->labels, a->label, row, begin);
}

/* Checks the number of labels of a call. */
static bosc_status check_labels(bosc_ctx *ctx, int64_t labels, int64_t n)
{
    if (labels >= 0 && labels <= n) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "labels: %lld is not in 0 to %lld, the points", (long long)labels, (long long)n);
}

/* --- Exemplars ---------------------------------------------------------------------------------------------------- */

/* Lists the exemplars of a checked model. */
static bosc_status list_exemplars(bosc_ctx *ctx, const bosc_hdbscan_model *m, int64_t labels, int64_t *rows,
                                  int64_t *offsets, int64_t *count)
{
    struct bi_hdbscan_predict model = {.n = m->tree->nodes, .count = m->cluster_count};
    const size_t bytes = (size_t)(labels + 1) * sizeof *offsets;
    struct bi_out to;
    uint32_t *row;
    const int64_t *begin;
    int64_t found;
    bool staged = false;
    /* 1. Find them. */
    BI_TRY(bi_predict_stage_model(ctx, m, &model));
    struct bi_hdbscan_exemplars a = {.leaves = model.leaves,
                                     .densities = model.densities,
                                     .clusters = model.clusters,
                                     .n = model.n,
                                     .count = model.count,
                                     .labels = labels};
    BI_TRY(find_exemplars(ctx, &a, &row, &begin));
    BI_TRY(bi_read_back(ctx, &found, begin + labels, sizeof found));
    /* 2. Write them. */
    BI_TRY(bi_stage_out(ctx, rows, (size_t)found * sizeof *rows, &to, &staged));
    a.row = row;
    a.rows = to.reachable;
    BI_TRY(ctx->ops->cluster->steps->exemplars_write(ctx, found, &a));
    BI_TRY(bi_stage_back(ctx, &to));
    BI_TRY(ctx->backend->copy(ctx, offsets, begin, bytes));
    BI_TRY(ctx->backend->sync(ctx));
    if (count) *count = found;
    return BOSC_OK;
}

bosc_status bosc_hdbscan_list_exemplars(bosc_ctx *ctx, const bosc_hdbscan_model *model, int64_t labels, int64_t *rows,
                                        int64_t *offsets, int64_t *count)
{
    bosc_hdbscan_model full;
    BI_ENTER(ctx);
    BI_TRY(bi_predict_check_model(ctx, model, &full));
    const int64_t n = full.tree->nodes;
    BI_TRY(check_labels(ctx, labels, n));
    if (n > 0 && !rows) return bi_fail(ctx, BOSC_ERR_ARG, "rows: NULL");
    if (!offsets) return bi_fail(ctx, BOSC_ERR_ARG, "offsets: NULL");
    BI_TRY(bi_check_aligned(ctx, "rows", rows, sizeof *rows));
    BI_TRY(bi_check_aligned(ctx, "offsets", offsets, sizeof *offsets));
    bi_progress_set_total(ctx, EXEMPLAR_ITEMS * (double)n);
    BI_RETURN_WITH_SCRATCH(ctx, list_exemplars(ctx, &full, labels, rows, offsets, count));
}

/* --- Memberships -------------------------------------------------------------------------------------------------- */

/* Copies the points of the tree to rows of doubles. */
static bosc_status copy_points(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_hdbscan_membership *a)
{
    const int64_t n = tree->nodes;
    void *nodes, *ids;
    BI_TRY(bi_scratch_of(ctx, n * a->dim, bosc_dtype_size(a->dtype), &nodes));
    BI_TRY(bi_scratch_of(ctx, n, a->p.ids_64bit ? 8 : 4, &ids));
    BI_TRY(bosc_kdtree_get_nodes(ctx, tree, nodes, ids));
    a->nodes = nodes;
    a->ids = ids;
    return ctx->ops->cluster->steps->membership_scatter(ctx, n, a);
}

/* Finds the exemplars and the selected clusters, and copies the points, times a factor. a->p has the staged model. */
static bosc_status prepare(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_hdbscan_membership *a, double factor[2])
{
    const size_t bytes = (size_t)a->labels * sizeof *a->chosen;
    struct bi_hdbscan_exemplars exemplars = {.leaves = a->p.leaves,
                                             .densities = a->p.densities,
                                             .clusters = a->p.clusters,
                                             .n = a->p.n,
                                             .count = a->p.count,
                                             .labels = a->labels};
    uint32_t *row;
    /* 1. Exemplars: this checks the labels. */
    BI_TRY(find_exemplars(ctx, &exemplars, &row, &a->begin));
    a->exemplars = row;
    /* 2. The selected clusters. */
    BI_TRY(bi_scratch_of(ctx, a->labels, sizeof *a->chosen, &a->chosen));
    BI_TRY(ctx->backend->fill(ctx, a->chosen, 0x7f, bytes)); /* BI_MEMBERSHIP_NONE */
    BI_TRY(ctx->ops->cluster->steps->membership_choose(ctx, a->p.count, a));
    /* 3. The points. */
    a->dtype = tree->opts.dtype;
    a->dim = tree->opts.dim;
    BI_TRY(bi_scratch_of(ctx, a->p.n * a->dim, sizeof *a->x, &a->x));
    BI_TRY_WITH_SCRATCH(ctx, copy_points(ctx, tree, a));
    return bi_cluster_make_ordinary(ctx, a->p.n, a->dim, a->x, factor);
}

/* Writes the memberships of `rows` points or queries by a step. */
static bosc_status write_rows(bosc_ctx *ctx, struct bi_hdbscan_membership *a, bi_step_fn step, int64_t rows,
                              double *memberships)
{
    struct bi_out to;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, memberships, (size_t)(rows * a->labels) * sizeof *memberships, &to, &staged));
    a->memberships = to.reachable;
    BI_TRY(step(ctx, rows, a));
    BI_TRY(bi_stage_back(ctx, &to));
    return ctx->backend->sync(ctx);
}

/* Writes the memberships of the points of a model. */
static bosc_status write_points(bosc_ctx *ctx, const bosc_hdbscan_model *m, int64_t labels, double *memberships)
{
    struct bi_hdbscan_membership a = {.labels = labels};
    double factor[2];
    a.p.n = m->tree->nodes;
    a.p.count = m->cluster_count;
    a.p.ids_64bit = m->tree->opts.id_bits == 64;
    BI_TRY(bi_predict_stage_model(ctx, m, &a.p));
    BI_TRY(prepare(ctx, m->tree, &a, factor));
    a.queries = a.x;
    return write_rows(ctx, &a, ctx->ops->cluster->steps->membership_points, a.p.n, memberships);
}

/* Writes the memberships of queries: at least one. */
static bosc_status write_queries(bosc_ctx *ctx, const struct bi_predict_call *s, int64_t labels, double *memberships)
{
    struct bi_hdbscan_membership a = {.labels = labels};
    const int32_t dim = s->model.tree->opts.dim;
    struct bi_hdbscan_rows q = {.stride = s->stride ? s->stride : dim, .dtype = s->model.tree->opts.dtype, .dim = dim};
    bool staged = false;
    /* 1. The model. */
    BI_TRY(bi_predict_find_near(ctx, s, &a.p));
    BI_TRY(prepare(ctx, s->model.tree, &a, q.factor));
    /* 2. The queries, times the factor of the points. */
    BI_TRY(bi_stage_in(ctx, s->queries, (size_t)((s->query_count - 1) * q.stride + dim) * bosc_dtype_size(q.dtype),
                       &q.data, &staged));
    BI_TRY(bi_scratch_of(ctx, s->query_count * dim, sizeof *q.to, &q.to));
    BI_TRY(ctx->ops->cluster->steps->hdbscan_scale(ctx, s->query_count, &q));
    a.queries = q.to;
    return write_rows(ctx, &a, ctx->ops->cluster->steps->membership_queries, s->query_count, memberships);
}

bosc_status bosc_hdbscan_compute_memberships(bosc_ctx *ctx, const bosc_hdbscan_model *model, int64_t labels,
                                             double *memberships)
{
    bosc_hdbscan_model full;
    BI_ENTER(ctx);
    BI_TRY(bi_predict_check_model(ctx, model, &full));
    const int64_t n = full.tree->nodes;
    BI_TRY(check_labels(ctx, labels, n));
    if (n > 0 && labels > 0 && !memberships) return bi_fail(ctx, BOSC_ERR_ARG, "memberships: NULL");
    BI_TRY(bi_check_aligned(ctx, "memberships", memberships, sizeof *memberships));
    bi_progress_set_total(ctx, MEMBERSHIP_ITEMS * (double)n);
    if (n > 0 && labels > 0) BI_RETURN_WITH_SCRATCH(ctx, write_points(ctx, &full, labels, memberships));
    return BOSC_OK;
}

bosc_status bosc_hdbscan_predict_memberships(bosc_ctx *ctx, const bosc_hdbscan_model *model,
                                             const bosc_hdbscan_opts *opts, const void *queries, int64_t query_count,
                                             int64_t stride, int64_t labels, double *memberships)
{
    struct bi_predict_call s = {.queries = queries, .query_count = query_count, .stride = stride};
    BI_ENTER(ctx);
    BI_TRY(bi_hdbscan_check_opts(ctx, opts, &s.opts));
    BI_TRY(bi_hdbscan_check_euclidean(ctx, &s.opts));
    BI_TRY(bi_predict_check_model(ctx, model, &s.model));
    BI_TRY(check_labels(ctx, labels, s.model.tree->nodes));
    BI_TRY(bi_predict_check_queries(ctx, &s, "memberships", labels > 0 ? memberships : (double *)&s));
    BI_TRY(bi_check_aligned(ctx, "memberships", memberships, sizeof *memberships));
    bi_progress_set_total(ctx, MEMBERSHIP_ITEMS * ((double)query_count + (double)s.model.tree->nodes));
    if (query_count > 0 && labels > 0) BI_RETURN_WITH_SCRATCH(ctx, write_queries(ctx, &s, labels, memberships));
    return BOSC_OK;
}
