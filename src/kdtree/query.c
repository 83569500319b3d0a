/* Searches: the k nearest neighbours, and all points within a radius or in a box as CSR rows. */
#include "core/call.h"
#include "core/csr.h"
#include "kdtree/handle.h"
#include "kdtree/metric.h"
#include "kdtree/steps/steps.h"

/* Cost of a query, in simple items: the search, and 16 for its location in the index. Affects the progress only. */
enum { QUERY_ITEMS = 16 + BI_KDTREE_SEARCH_ITEMS };

/* Checks the arguments common to all searches. */
static bosc_status check_search(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t query_count,
                                int64_t stride, struct bi_kdtree_rows *rows)
{
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    return bi_kdtree_check_rows(ctx, tree, "queries", queries, "query_count", query_count, stride, rows);
}

static bosc_status check_radius(bosc_ctx *ctx, double radius)
{
    if (radius >= 0) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "radius: %g is not 0 or more", radius);
}

/* Returns the squared radius, rounded as distances are. */
static double square_radius(const bosc_kdtree *tree, double radius)
{
    if (tree->opts.dtype != BOSC_F32) return radius * radius;
    float r = (float)radius;
    return (double)(r * r);
}

bosc_status bi_kdtree_own_rows(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_rows *rows)
{
    int32_t size = (int32_t)bosc_dtype_size(tree->opts.dtype), dim = tree->opts.dim;
    void *points, *ordered;
    uint32_t *ids, *where;
    BI_TRY(bi_scratch_of(ctx, tree->nodes * dim, (size_t)size, &ordered));
    BI_TRY(bi_scratch_of(ctx, tree->nodes * dim, (size_t)size, &points));
    BI_TRY(bi_scratch_of(ctx, tree->nodes, sizeof *ids, &ids));
    BI_TRY(bi_scratch_of(ctx, tree->nodes, sizeof *where, &where));
    BI_TRY(tree->ops->fetch(ctx, tree, points, ids));
    struct bi_kdtree_place_ids positions = {ids, 1, where};
    struct bi_kdtree_gather_rows gather = {{points, tree->nodes, dim}, dim, size, where, ordered};
    BI_TRY(tree->ops->steps->place_ids(ctx, tree->nodes, &positions));
    BI_TRY(tree->ops->steps->gather_rows(ctx, tree->nodes * dim, &gather));
    rows->data = ordered;
    return BOSC_OK;
}

bosc_status bi_kdtree_nearest(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_query *query)
{
    if (!query->self) return tree->ops->knn(ctx, tree, query);
    if (tree->ops->supports_self_knn && tree->ops->supports_self_knn(tree, query->k))
        return tree->ops->knn_self(ctx, tree, query);
    BI_TRY(bi_kdtree_own_rows(ctx, tree, &query->rows));
    return tree->ops->knn(ctx, tree, query);
}

/* Stages the queries; the search checks them for NaN if it supports that. */
static bosc_status stage_queries(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_query *query, int64_t *nan,
                                 bool *staged)
{
    if (query->self) return BOSC_OK;
    if (!tree->ops->checks_queries || !tree->ops->checks_queries(tree, query))
        return bi_kdtree_stage_rows(ctx, tree, "queries", &query->rows, staged);
    query->nan = nan;
    return bi_kdtree_reach_rows(ctx, tree, &query->rows, staged);
}

static bosc_status knn_staged(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_query *query)
{
    bool staged = false;
    int64_t nan = INT64_MAX;
    struct bi_out ids, dist2;
    size_t entries = (size_t)(query->rows.n * query->k);
    BI_TRY(stage_queries(ctx, tree, query, &nan, &staged));
    BI_TRY(bi_stage_out(ctx, query->ids, entries * (size_t)tree->opts.id_bits / 8, &ids, &staged));
    BI_TRY(bi_stage_out(ctx, query->dist2, query->dist2 ? entries * bi_kdtree_dist2_size(tree) : 0, &dist2, &staged));
    query->ids = ids.reachable;
    query->dist2 = dist2.reachable;
    BI_TRY(bi_kdtree_nearest(ctx, tree, query));
    if (nan != INT64_MAX) return bi_kdtree_refuse_nan(ctx, "queries", nan);
    BI_TRY(bi_stage_back(ctx, &ids));
    BI_TRY(bi_stage_back(ctx, &dist2));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

static bosc_status check_and_run_knn(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_query *query)
{
    int64_t count = query->rows.n, k = query->k;
    BI_TRY(bi_kdtree_check_k(ctx, k, count));
    if (count > 0 && !query->ids) return bi_fail(ctx, BOSC_ERR_ARG, "ids: NULL");
    BI_TRY(bi_kdtree_check_answers(ctx, tree, query->ids, query->dist2));
    if (count == 0) return BOSC_OK;
    bi_progress_set_total(ctx, (QUERY_ITEMS + (double)k) * (double)count);
    BI_RETURN_WITH_SCRATCH(ctx, knn_staged(ctx, tree, query));
}

bosc_status bosc_kdtree_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t query_count,
                            int64_t stride, int64_t k, void *ids, void *dist2)
{
    struct bi_kdtree_query query = {.k = k, .ids = ids, .dist2 = dist2};
    BI_ENTER(ctx);
    BI_TRY(check_search(ctx, tree, queries, query_count, stride, &query.rows));
    return check_and_run_knn(ctx, tree, &query);
}

bosc_status bosc_kdtree_knn_self(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t k, void *ids, void *dist2)
{
    struct bi_kdtree_query query = {.self = true, .k = k, .ids = ids, .dist2 = dist2};
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_has_rows(ctx, tree));
    query.rows = (struct bi_kdtree_rows){NULL, tree->nodes, tree->opts.dim};
    return check_and_run_knn(ctx, tree, &query);
}

bosc_status bosc_kdtree_knn_within(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t query_count,
                                   int64_t stride, int64_t k, double radius, void *ids, void *dist2)
{
    struct bi_kdtree_query query = {.k = k, .within = true, .ids = ids, .dist2 = dist2};
    BI_ENTER(ctx);
    BI_TRY(check_search(ctx, tree, queries, query_count, stride, &query.rows));
    BI_TRY(check_radius(ctx, radius));
    query.r2 = square_radius(tree, radius);
    return check_and_run_knn(ctx, tree, &query);
}

static bosc_status count_staged(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_query *query)
{
    bool staged = false;
    struct bi_out counts;
    BI_TRY(bi_kdtree_stage_rows(ctx, tree, "queries", &query->rows, &staged));
    BI_TRY(bi_stage_out(ctx, query->counts, (size_t)query->rows.n * sizeof(int64_t), &counts, &staged));
    query->counts = counts.reachable;
    BI_TRY(tree->ops->radius_count(ctx, tree, query));
    BI_TRY(bi_stage_back(ctx, &counts));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_kdtree_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t query_count,
                                     int64_t stride, double radius, int64_t *counts)
{
    struct bi_kdtree_query query = {.within = true, .counts = counts};
    BI_ENTER(ctx);
    BI_TRY(check_search(ctx, tree, queries, query_count, stride, &query.rows));
    BI_TRY(check_radius(ctx, radius));
    if (query_count > 0 && !counts) return bi_fail(ctx, BOSC_ERR_ARG, "counts: NULL");
    BI_TRY(bi_check_aligned(ctx, "counts", counts, sizeof *counts));
    if (query_count == 0) return BOSC_OK;
    query.r2 = square_radius(tree, radius);
    bi_progress_set_total(ctx, QUERY_ITEMS * (double)query_count);
    BI_RETURN_WITH_SCRATCH(ctx, count_staged(ctx, tree, &query));
}

/* A search by radius, in two calls: count and fill. */
struct radius_search {
    const bosc_kdtree *tree;
    struct bi_kdtree_query query;
};

static bosc_status count_rows(bosc_ctx *ctx, void *search, int64_t *counts)
{
    struct radius_search *s = search;
    bool staged = false;
    s->query.counts = counts;
    BI_TRY(bi_kdtree_stage_rows(ctx, s->tree, "queries", &s->query.rows, &staged));
    return s->tree->ops->radius_count(ctx, s->tree, &s->query);
}

static bosc_status fill_rows(bosc_ctx *ctx, void *search, const struct bi_csr_rows *to)
{
    struct radius_search *s = search;
    bool staged = false;
    s->query.offsets = to->offsets;
    s->query.ids = to->columns[0];
    s->query.dist2 = to->columns[1];
    s->query.bad = to->bad;
    BI_TRY(bi_kdtree_stage_rows(ctx, s->tree, "queries", &s->query.rows, &staged));
    return s->tree->ops->radius_fill(ctx, s->tree, &s->query);
}

bosc_status bosc_kdtree_radius(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t query_count,
                               int64_t stride, double radius, int64_t *offsets, void *ids, void *dist2,
                               int64_t capacity)
{
    struct radius_search s = {.tree = tree, .query = {.within = true}};
    BI_ENTER(ctx);
    BI_TRY(check_search(ctx, tree, queries, query_count, stride, &s.query.rows));
    BI_TRY(check_radius(ctx, radius));
    BI_TRY(bi_csr_check(ctx, query_count, offsets, ids != NULL, capacity));
    BI_TRY(bi_kdtree_check_answers(ctx, tree, ids, dist2));
    s.query.r2 = square_radius(tree, radius);
    bi_progress_set_total(ctx, QUERY_ITEMS * (double)query_count);
    if (!ids) BI_RETURN_WITH_SCRATCH(ctx, bi_csr_offsets(ctx, query_count, count_rows, &s, offsets));
    const struct bi_csr_column columns[BI_CSR_COLUMNS] = {{ids, (size_t)tree->opts.id_bits / 8},
                                                          {dist2, bi_kdtree_dist2_size(tree)}};
    BI_RETURN_WITH_SCRATCH(ctx, bi_csr_fill(ctx, query_count, offsets, capacity, columns, fill_rows, &s));
}

/* --- Boxes -------------------------------------------------------------------------------------------------------- */

/* A search in two calls: count and fill. */
struct box_search {
    const bosc_kdtree *tree;
    int64_t count;
    struct bi_kdtree_rows corners; /* two for each box */
};

/* Stages the boxes as queries. */
static bosc_status stage_boxes(bosc_ctx *ctx, const struct box_search *s, struct bi_kdtree_query *query)
{
    struct bi_kdtree_rows corners = s->corners;
    bool staged = false;
    BI_TRY(bi_kdtree_stage_rows(ctx, s->tree, "boxes", &corners, &staged));
    *query = (struct bi_kdtree_query){.rows = {corners.data, s->count, 2 * corners.stride}};
    return BOSC_OK;
}

static bool supports_boxes(const bosc_kdtree *tree)
{
    return tree->ops->supports_boxes && tree->ops->supports_boxes(tree);
}

static struct bi_kdtree_box_query make_args(const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return (struct bi_kdtree_box_query){.view = tree->ops->view(tree),
                                        .corners = query->rows.data,
                                        .counts = query->counts,
                                        .offsets = query->offsets,
                                        .ids = query->ids,
                                        .wide_ids = tree->opts.id_bits == 64,
                                        .bad = query->bad};
}

static bosc_status count_box_rows(bosc_ctx *ctx, void *search, int64_t *counts)
{
    const struct box_search *s = search;
    struct bi_kdtree_query query;
    BI_TRY(stage_boxes(ctx, s, &query));
    query.counts = counts;
    if (supports_boxes(s->tree)) return s->tree->ops->box_count(ctx, s->tree, &query);
    const struct bi_kdtree_box_query args = make_args(s->tree, &query);
    BI_TRY_WITH_COST(ctx, BI_KDTREE_SEARCH_ITEMS, s->tree->ops->steps->box_count(ctx, s->count, &args));
    return BOSC_OK;
}

static bosc_status fill_box_rows(bosc_ctx *ctx, void *search, const struct bi_csr_rows *to)
{
    const struct box_search *s = search;
    struct bi_kdtree_query query;
    BI_TRY(stage_boxes(ctx, s, &query));
    query.offsets = to->offsets;
    query.ids = to->columns[0];
    query.bad = to->bad;
    if (supports_boxes(s->tree)) return s->tree->ops->box_fill(ctx, s->tree, &query);
    const struct bi_kdtree_box_query args = make_args(s->tree, &query);
    BI_TRY_WITH_COST(ctx, BI_KDTREE_SEARCH_ITEMS, s->tree->ops->steps->box_fill(ctx, s->count, &args));
    return BOSC_OK;
}

bosc_status bosc_kdtree_box(bosc_ctx *ctx, const bosc_kdtree *tree, const void *boxes, int64_t box_count,
                            int64_t *offsets, void *ids, int64_t capacity)
{
    struct box_search s = {.tree = tree, .count = box_count};
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    const int32_t dim = tree->opts.dim;
    BI_TRY(bi_kdtree_check_rows(ctx, tree, "boxes", boxes, "box_count", box_count, 2 * (int64_t)dim, &s.corners));
    BI_TRY(bi_csr_check(ctx, box_count, offsets, ids != NULL, capacity));
    BI_TRY(bi_kdtree_check_answers(ctx, tree, ids, NULL));
    s.corners = (struct bi_kdtree_rows){boxes, 2 * box_count, dim};
    bi_progress_set_total(ctx, (3 + BI_KDTREE_SEARCH_ITEMS) * (double)box_count);
    if (!ids) BI_RETURN_WITH_SCRATCH(ctx, bi_csr_offsets(ctx, box_count, count_box_rows, &s, offsets));
    const struct bi_csr_column columns[BI_CSR_COLUMNS] = {{ids, (size_t)tree->opts.id_bits / 8}};
    BI_RETURN_WITH_SCRATCH(ctx, bi_csr_fill(ctx, box_count, offsets, capacity, columns, fill_box_rows, &s));
}
