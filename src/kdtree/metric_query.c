/* Searches with options: by any metric, in periodic boxes, within bounds. The Euclidean searches answer
 * calls that they support. */
#include "core/call.h"
#include "core/csr.h"
#include "kdtree/metric.h"

/* A search, with the arguments of its call. */
struct search {
    const bosc_kdtree *tree;
    bosc_kdtree_query_opts opts; /* bounds: the radii, in searches by radius */
    struct bi_kdtree_rows rows;
    int64_t k;
    void *ids;
    double *distances;
    int64_t *counts;
};

/* Checks the arguments common to all searches. */
static bosc_status check_search(bosc_ctx *ctx, const void *queries, int64_t query_count, int64_t stride,
                                const bosc_kdtree_query_opts *opts, struct search *s)
{
    BI_TRY(bi_kdtree_check_tree(ctx, s->tree));
    BI_TRY(bi_kdtree_check_query_opts(ctx, s->tree, opts, &s->opts));
    if (!s->opts.self)
        return bi_kdtree_check_rows(ctx, s->tree, "queries", queries, "query_count", query_count, stride, &s->rows);
    BI_TRY(bi_kdtree_check_has_rows(ctx, s->tree));
    if (queries) return bi_fail(ctx, BOSC_ERR_ARG, "queries: not NULL, but opts->self is set");
    if (query_count != s->tree->nodes)
        return bi_fail(ctx, BOSC_ERR_ARG, "query_count: %lld is not the number of points, %lld", (long long)query_count,
                       (long long)s->tree->nodes);
    s->rows = (struct bi_kdtree_rows){NULL, query_count, s->tree->opts.dim};
    return BOSC_OK;
}

/* *euclidean: true if the Euclidean search supports the call (for F32 it rounds distances to float, and does not);
 * *limit = the largest squared distance that counts. */
static bosc_status find_euclidean(bosc_ctx *ctx, const struct search *s, bool *euclidean, double *limit)
{
    const bosc_kdtree_query_opts *o = &s->opts;
    double bound = INFINITY;
    *euclidean = o->p == 2 && !o->periods && !o->exclude_self && s->tree->opts.dtype != BOSC_F32 &&
                 (!o->bounds || o->bound_count == 1);
    if (!*euclidean) return BOSC_OK;
    if (o->bounds) {
        const void *reachable; /* bi_read_back needs reachable memory */
        bool staged = false;
        BI_TRY(bi_stage_in(ctx, o->bounds, sizeof bound, &reachable, &staged));
        BI_TRY(bi_read_back(ctx, &bound, reachable, sizeof bound));
    }
    *euclidean = bound >= 0;
    *limit = bound * bound;
    return BOSC_OK;
}

static bosc_status stage_rows(bosc_ctx *ctx, const struct search *s, struct bi_kdtree_rows *rows)
{
    bool staged = false;
    *rows = s->rows;
    if (s->opts.self) return BOSC_OK;
    return bi_kdtree_stage_rows(ctx, s->tree, "queries", rows, &staged);
}

/* Makes the arguments of a general search, and stages queries and bounds. */
static bosc_status stage_search(bosc_ctx *ctx, const struct search *s, struct bi_kdtree_metric_search *a)
{
    const void *bounds;
    bool staged = false;
    struct bi_kdtree_rows rows;
    *a = (struct bi_kdtree_metric_search){.view = s->tree->ops->view(s->tree),
                                          .bound_step = s->opts.bound_count > 1,
                                          .exclude_self = s->opts.exclude_self != 0,
                                          .k = s->k,
                                          .wide_ids = s->tree->opts.id_bits == 64};
    BI_TRY(stage_rows(ctx, s, &rows));
    BI_TRY(bi_kdtree_stage_metric(ctx, "tree", s->tree, &s->opts, &a->metric));
    size_t size = s->opts.bounds ? (size_t)s->opts.bound_count * sizeof(double) : 0;
    BI_TRY(bi_stage_in(ctx, s->opts.bounds, size, &bounds, &staged));
    a->bounds = bounds;
    if (s->opts.self) return bi_kdtree_place_nodes(ctx, s->tree, &a->metric, &a->queries, &a->numbers);
    return bi_kdtree_place_rows(ctx, s->tree, &rows, &a->metric, &a->queries);
}

/* Replaces distances by their square roots. */
static bosc_status convert_to_roots(bosc_ctx *ctx, const struct search *s, double *distances, int64_t count)
{
    struct bi_kdtree_roots roots = {distances};
    return distances ? s->tree->ops->steps->roots(ctx, count, &roots) : BOSC_OK;
}

static bosc_status euclidean_knn(bosc_ctx *ctx, const struct search *s, double limit)
{
    struct bi_kdtree_query query = {
        .k = s->k, .within = true, .r2 = limit, .ids = s->ids, .dist2 = s->distances, .self = s->opts.self != 0};
    BI_TRY(stage_rows(ctx, s, &query.rows));
    BI_TRY(bi_kdtree_nearest(ctx, s->tree, &query));
    return convert_to_roots(ctx, s, s->distances, s->rows.n * s->k);
}

static bosc_status general_knn(bosc_ctx *ctx, const struct search *s)
{
    struct bi_kdtree_metric_search a;
    BI_TRY(stage_search(ctx, s, &a));
    a.ids = s->ids;
    a.distances = s->distances;
    if (!a.distances) BI_TRY(bi_scratch_of(ctx, s->rows.n * s->k, sizeof *a.distances, &a.distances));
    BI_TRY_WITH_COST(ctx, BI_KDTREE_METRIC_ITEMS, s->tree->ops->steps->query_knn(ctx, s->rows.n, &a));
    return BOSC_OK;
}

static bosc_status knn_staged(bosc_ctx *ctx, const struct search *call)
{
    struct search s = *call;
    struct bi_out ids, distances;
    bool staged = false, euclidean;
    double limit;
    size_t entries = (size_t)(s.rows.n * s.k);
    BI_TRY(bi_stage_out(ctx, s.ids, entries * (size_t)s.tree->opts.id_bits / 8, &ids, &staged));
    BI_TRY(bi_stage_out(ctx, s.distances, s.distances ? entries * sizeof(double) : 0, &distances, &staged));
    s.ids = ids.reachable;
    s.distances = distances.reachable;
    BI_TRY(find_euclidean(ctx, &s, &euclidean, &limit));
    BI_TRY(euclidean ? euclidean_knn(ctx, &s, limit) : general_knn(ctx, &s));
    BI_TRY(bi_stage_back(ctx, &ids));
    BI_TRY(bi_stage_back(ctx, &distances));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_kdtree_knn_metric(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t query_count,
                                   int64_t stride, int64_t k, const bosc_kdtree_query_opts *opts, void *ids,
                                   double *distances)
{
    struct search s = {.tree = tree, .k = k, .ids = ids, .distances = distances};
    BI_ENTER(ctx);
    BI_TRY(check_search(ctx, queries, query_count, stride, opts, &s));
    if (s.opts.bounds)
        BI_TRY(bi_kdtree_check_bounds(ctx, "opts: bounds", s.opts.bounds, "opts: bound_count", s.opts.bound_count,
                                      query_count));
    BI_TRY(bi_kdtree_check_k(ctx, k, query_count));
    if (query_count > 0 && !ids) return bi_fail(ctx, BOSC_ERR_ARG, "ids: NULL");
    BI_TRY(bi_check_aligned(ctx, "ids", ids, (size_t)tree->opts.id_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "distances", distances, sizeof *distances));
    if (query_count == 0) return BOSC_OK;
    bi_progress_set_total(ctx, (16 + BI_KDTREE_METRIC_ITEMS + (double)k) * (double)query_count);
    BI_RETURN_WITH_SCRATCH(ctx, knn_staged(ctx, &s));
}

static bosc_status count_rows(bosc_ctx *ctx, void *search, int64_t *counts)
{
    const struct search *s = search;
    struct bi_kdtree_metric_search a;
    bool euclidean;
    double limit;
    BI_TRY(find_euclidean(ctx, s, &euclidean, &limit));
    if (euclidean) {
        struct bi_kdtree_query query = {.within = true, .r2 = limit, .counts = counts};
        BI_TRY(stage_rows(ctx, s, &query.rows));
        if (s->opts.self) BI_TRY(bi_kdtree_own_rows(ctx, s->tree, &query.rows));
        return s->tree->ops->radius_count(ctx, s->tree, &query);
    }
    BI_TRY(stage_search(ctx, s, &a));
    a.counts = counts;
    BI_TRY_WITH_COST(ctx, BI_KDTREE_METRIC_ITEMS, s->tree->ops->steps->query_count(ctx, s->rows.n, &a));
    return BOSC_OK;
}

static bosc_status fill_rows(bosc_ctx *ctx, void *search, const struct bi_csr_rows *to)
{
    const struct search *s = search;
    struct bi_kdtree_metric_search a;
    bool euclidean;
    double limit;
    BI_TRY(find_euclidean(ctx, s, &euclidean, &limit));
    if (euclidean) {
        struct bi_kdtree_query query = {.within = true,
                                        .r2 = limit,
                                        .offsets = to->offsets,
                                        .ids = to->columns[0],
                                        .dist2 = to->columns[1],
                                        .bad = to->bad};
        BI_TRY(stage_rows(ctx, s, &query.rows));
        if (s->opts.self) BI_TRY(bi_kdtree_own_rows(ctx, s->tree, &query.rows));
        BI_TRY(s->tree->ops->radius_fill(ctx, s->tree, &query));
        return convert_to_roots(ctx, s, to->columns[1], to->total);
    }
    BI_TRY(stage_search(ctx, s, &a));
    a.offsets = to->offsets;
    a.ids = to->columns[0];
    a.distances = to->columns[1];
    a.bad = to->bad;
    BI_TRY_WITH_COST(ctx, BI_KDTREE_METRIC_ITEMS, s->tree->ops->steps->query_fill(ctx, s->rows.n, &a));
    return BOSC_OK;
}

/* Checks radii, which become the bounds. */
static bosc_status check_radii(bosc_ctx *ctx, const double *radii, int64_t radius_count, struct search *s)
{
    if (s->opts.bounds) return bi_fail(ctx, BOSC_ERR_ARG, "opts: bounds: radii are given instead");
    s->opts.bounds = radii;
    s->opts.bound_count = radius_count;
    if (s->rows.n == 0) return BOSC_OK;
    return bi_kdtree_check_bounds(ctx, "radii", radii, "radius_count", radius_count, s->rows.n);
}

bosc_status bosc_kdtree_radius_metric(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t query_count,
                                      int64_t stride, const double *radii, int64_t radius_count,
                                      const bosc_kdtree_query_opts *opts, int64_t *offsets, void *ids,
                                      double *distances, int64_t capacity)
{
    struct search s = {.tree = tree};
    BI_ENTER(ctx);
    BI_TRY(check_search(ctx, queries, query_count, stride, opts, &s));
    BI_TRY(check_radii(ctx, radii, radius_count, &s));
    BI_TRY(bi_csr_check(ctx, query_count, offsets, ids != NULL, capacity));
    BI_TRY(bi_check_aligned(ctx, "ids", ids, (size_t)tree->opts.id_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "distances", distances, sizeof *distances));
    bi_progress_set_total(ctx, (16 + BI_KDTREE_METRIC_ITEMS) * (double)query_count);
    if (!ids) BI_RETURN_WITH_SCRATCH(ctx, bi_csr_offsets(ctx, query_count, count_rows, &s, offsets));
    const struct bi_csr_column columns[BI_CSR_COLUMNS] = {{ids, (size_t)tree->opts.id_bits / 8},
                                                          {distances, sizeof *distances}};
    BI_RETURN_WITH_SCRATCH(ctx, bi_csr_fill(ctx, query_count, offsets, capacity, columns, fill_rows, &s));
}

static bosc_status count_staged(bosc_ctx *ctx, struct search *s)
{
    bool staged = false;
    struct bi_out counts;
    BI_TRY(bi_stage_out(ctx, s->counts, (size_t)s->rows.n * sizeof(int64_t), &counts, &staged));
    BI_TRY(count_rows(ctx, s, counts.reachable));
    BI_TRY(bi_stage_back(ctx, &counts));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_kdtree_radius_count_metric(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries,
                                            int64_t query_count, int64_t stride, const double *radii,
                                            int64_t radius_count, const bosc_kdtree_query_opts *opts, int64_t *counts)
{
    struct search s = {.tree = tree, .counts = counts};
    BI_ENTER(ctx);
    BI_TRY(check_search(ctx, queries, query_count, stride, opts, &s));
    BI_TRY(check_radii(ctx, radii, radius_count, &s));
    if (query_count > 0 && !counts) return bi_fail(ctx, BOSC_ERR_ARG, "counts: NULL");
    BI_TRY(bi_check_aligned(ctx, "counts", counts, sizeof *counts));
    if (query_count == 0) return BOSC_OK;
    bi_progress_set_total(ctx, (16 + BI_KDTREE_METRIC_ITEMS) * (double)query_count);
    BI_RETURN_WITH_SCRATCH(ctx, count_staged(ctx, &s));
}
