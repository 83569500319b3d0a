/* Searches: the k nearest neighbours, and all points within a radius or in a box as CSR rows. */
#include "base/radius.h"
#include "core/call.h"
#include "core/csr.h"
#include "kdtree/handle.h"
#include "kdtree/metric.h"
#include "kdtree/nearest.h"
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

static double square_radius(const bosc_kdtree *tree, double radius)
{
    return bi_square_limit(radius, tree->opts.dtype == BOSC_F32);
}

/* Stages and checks the queries; *ordinary = no square of a difference from the tree's points overflows, and not all
 * underflow. */
static bosc_status stage_and_check(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_query *query,
                                   bool *ordinary, bool *staged)
{
    *ordinary = true;
    if (!query->self) BI_TRY(bi_kdtree_stage_queries(ctx, tree, &query->rows, ordinary, staged));
    *ordinary &= tree->magnitude == BI_KDTREE_ORDINARY;
    return BOSC_OK;
}

/* The same; an ordinary search checks the queries itself if it supports that. */
static bosc_status stage_queries(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_query *query,
                                 struct bi_kdtree_findings *found, bool *ordinary, bool *staged)
{
    found->beyond = INT64_MAX;
    if (query->self || tree->magnitude != BI_KDTREE_ORDINARY || !tree->ops->checks_queries ||
        !tree->ops->checks_queries(tree, query))
        return stage_and_check(ctx, tree, query, ordinary, staged);
    query->found = found;
    *ordinary = true;
    return bi_kdtree_reach_rows(ctx, tree, &query->rows, staged);
}

static bosc_status knn_staged(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_query *query)
{
    bool staged = false, ordinary;
    struct bi_kdtree_findings found;
    struct bi_out ids, dist2;
    size_t entries = (size_t)(query->rows.n * query->k);
    BI_TRY(stage_queries(ctx, tree, query, &found, &ordinary, &staged));
    BI_TRY(bi_stage_out(ctx, query->ids, entries * (size_t)tree->opts.id_bits / 8, &ids, &staged));
    BI_TRY(bi_stage_out(ctx, query->dist2, query->dist2 ? entries * bi_kdtree_dist2_size(tree) : 0, &dist2, &staged));
    query->ids = ids.reachable;
    query->dist2 = dist2.reachable;
    if (ordinary) BI_TRY(bi_kdtree_nearest(ctx, tree, query));
    if (found.beyond != INT64_MAX) BI_TRY(bi_kdtree_refuse_nan(ctx, tree, "queries", &query->rows));
    if (!ordinary || found.beyond != INT64_MAX) BI_TRY(bi_kdtree_knn_of_any_magnitude(ctx, tree, query));
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
    struct bi_kdtree_query query = {.k = k, .within = true, .radius = radius, .ids = ids, .dist2 = dist2};
    BI_ENTER(ctx);
    BI_TRY(check_search(ctx, tree, queries, query_count, stride, &query.rows));
    BI_TRY(check_radius(ctx, radius));
    query.r2 = square_radius(tree, radius);
    return check_and_run_knn(ctx, tree, &query);
}

static bosc_status count_staged(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_query *query)
{
    bool staged = false, ordinary;
    struct bi_out counts;
    BI_TRY(stage_and_check(ctx, tree, query, &ordinary, &staged));
    BI_TRY(bi_stage_out(ctx, query->counts, (size_t)query->rows.n * sizeof(int64_t), &counts, &staged));
    query->counts = counts.reachable;
    BI_TRY((ordinary ? tree->ops->radius_count : bi_kdtree_count_of_any_magnitude)(ctx, tree, query));
    BI_TRY(bi_stage_back(ctx, &counts));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_kdtree_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t query_count,
                                     int64_t stride, double radius, int64_t *counts)
{
    struct bi_kdtree_query query = {.within = true, .radius = radius, .counts = counts};
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
    bool staged = false, ordinary;
    s->query.counts = counts;
    BI_TRY(stage_and_check(ctx, s->tree, &s->query, &ordinary, &staged));
    return (ordinary ? s->tree->ops->radius_count : bi_kdtree_count_of_any_magnitude)(ctx, s->tree, &s->query);
}

static bosc_status fill_rows(bosc_ctx *ctx, void *search, const struct bi_csr_rows *to)
{
    struct radius_search *s = search;
    bool staged = false, ordinary;
    s->query.offsets = to->offsets;
    s->query.ids = to->columns[0];
    s->query.dist2 = to->columns[1];
    s->query.bad = to->bad;
    BI_TRY(stage_and_check(ctx, s->tree, &s->query, &ordinary, &staged));
    if (ordinary) return s->tree->ops->radius_fill(ctx, s->tree, &s->query);
    return bi_kdtree_fill_of_any_magnitude(ctx, s->tree, &s->query, to->total);
}

bosc_status bosc_kdtree_radius(bosc_ctx *ctx, const bosc_kdtree *tree, const void *queries, int64_t query_count,
                               int64_t stride, double radius, int64_t *offsets, void *ids, void *dist2,
                               int64_t capacity)
{
    struct radius_search s = {.tree = tree, .query = {.within = true, .radius = radius}};
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
    bi_progress_set_total(ctx, QUERY_ITEMS * (double)box_count);
    if (!ids) BI_RETURN_WITH_SCRATCH(ctx, bi_csr_offsets(ctx, box_count, count_box_rows, &s, offsets));
    const struct bi_csr_column columns[BI_CSR_COLUMNS] = {{ids, (size_t)tree->opts.id_bits / 8}};
    BI_RETURN_WITH_SCRATCH(ctx, bi_csr_fill(ctx, box_count, offsets, capacity, columns, fill_box_rows, &s));
}
