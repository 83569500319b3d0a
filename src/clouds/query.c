/* Searches around queries: the k nearest, counts, and CSR rows. */
#include "base/radius.h"
#include "clouds/handle.h"
#include "core/csr.h"

/* Cost of a search around one point, in simple items, for progress; estimated. */
enum { SEARCH_COST = 32 };

/* --- Queries ------------------------------------------------------------------------------------------------------ */

/* Makes the points of the batch the queries. */
static void use_own_points(struct bi_clouds_query *query)
{
    const struct bi_clouds_view *v = &query->view;
    query->self = true;
    query->rows = (struct bi_clouds_rows){v->points, v->n, v->pitch, v->dim, v->is_f64};
    query->order = v->ids;
    query->offsets = v->offsets;
}

/* Checks the arguments common to all searches. */
static bosc_status check_query(bosc_ctx *ctx, const bosc_clouds *clouds, const bosc_clouds_queries *queries,
                               double radius, struct bi_clouds_query *query)
{
    bosc_clouds_queries q = {.size = sizeof q};
    /* 1. The batch, the struct and the radius. */
    BI_TRY(bi_clouds_check(ctx, clouds));
    if (queries) {
        BI_TRY(bi_check_size(ctx, "queries", "bosc_clouds_queries", queries->size, sizeof q));
        BI_TRY(bi_read_opts(ctx, "bosc_clouds_queries", queries, &q, sizeof q));
    }
    if (!(radius >= 0)) return bi_fail(ctx, BOSC_ERR_ARG, "radius: %g is not 0 or more", radius);
    query->view = clouds->view;
    query->ids_64bit = clouds->opts.id_bits == 64;
    query->exclude_self = q.exclude_self != 0;
    query->r2 = bi_square_limit(radius, !clouds->view.is_f64);
    /* 2. The batch's own points, or the caller's rows. */
    if (!q.points && !q.offsets && !q.batch) {
        use_own_points(query);
        return BOSC_OK;
    }
    if (q.exclude_self) return bi_fail(ctx, BOSC_ERR_ARG, "queries: exclude_self is for the batch's own points");
    BI_TRY(bi_clouds_check_rows(ctx, clouds, "queries", q.points, "queries: count", q.count, q.stride, &query->rows));
    if (q.offsets && q.batch) return bi_fail(ctx, BOSC_ERR_ARG, "queries: batch: offsets are there too");
    if (q.batch)
        BI_TRY(bi_check_aligned(ctx, "queries: batch", q.batch, sizeof *q.batch));
    else
        BI_TRY(bi_clouds_check_offsets(ctx, "queries: offsets", q.offsets));
    query->offsets = q.offsets;
    query->batch = q.batch;
    if (q.count > INT64_MAX / 16)
        return bi_fail(ctx, BOSC_ERR_ARG, "queries: count %lld is too large", (long long)q.count);
    return BOSC_OK;
}

/* Makes offsets from the cloud of each query. */
static bosc_status make_query_offsets(bosc_ctx *ctx, const bosc_clouds *clouds, struct bi_clouds_query *query,
                                      bool *staged)
{
    const int64_t n = query->rows.n;
    const void *batch;
    BI_TRY(bi_stage_in(ctx, query->batch, (size_t)n * sizeof *query->batch, &batch, staged));
    struct bi_clouds_batch_vector vector = {.name = "queries: batch",
                                            .rows_name = "queries",
                                            .batch = batch,
                                            .n = n,
                                            .count = query->view.cloud_count,
                                            .rows = &query->rows};
    BI_TRY(bi_clouds_make_offsets(ctx, &vector, clouds->opts.assume_valid));
    query->offsets = vector.offsets;
    return BOSC_OK;
}

/* Stages the caller's queries, and checks them. */
static bosc_status stage_queries(bosc_ctx *ctx, const bosc_clouds *clouds, struct bi_clouds_query *query, bool *staged)
{
    const void *offsets;
    if (query->self) return BOSC_OK;
    const size_t bytes = ((size_t)query->view.cloud_count + 1) * sizeof *query->offsets;
    BI_TRY(bi_clouds_stage_rows(ctx, &query->rows, staged));
    if (query->batch) return make_query_offsets(ctx, clouds, query, staged);
    BI_TRY(bi_stage_in(ctx, query->offsets, bytes, &offsets, staged));
    query->offsets = offsets;
    if (clouds->opts.assume_valid) return BOSC_OK;
    struct bi_clouds_contents contents = {
        "queries: offsets", "queries", query->offsets, query->view.cloud_count, query->rows.n, &query->rows, 0, 0};
    return bi_clouds_check_contents(ctx, &contents);
}

enum { SORT_FROM = 4096 }; /* fewer queries are not worth a sort's launches; the limit is not measured */

/* Sorts many queries as the points are, so that neighbouring threads read the same points. */
static bosc_status order_queries(bosc_ctx *ctx, struct bi_clouds_query *query)
{
    const struct bi_clouds_view *v = &query->view;
    const int64_t m = query->rows.n;
    uint32_t *order;
    struct bi_clouds_gather gather = {.rows = query->rows, .pitch = v->pitch};
    if (query->self || !v->sorted || m < SORT_FROM || m >= (int64_t)UINT32_MAX) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, m, sizeof *order, &order));
    BI_TRY(bi_scratch_of(ctx, m * v->pitch, v->is_f64 ? sizeof(double) : sizeof(float), &gather.points));
    BI_TRY_WITH_SCRATCH(ctx, bi_clouds_order_rows(ctx, v, &query->rows, query->offsets, order));
    gather.numbers = order;
    BI_TRY(ctx->ops->clouds->steps->gather(ctx, m, &gather));
    query->rows = (struct bi_clouds_rows){gather.points, m, v->pitch, v->dim, v->is_f64};
    query->order = order;
    return BOSC_OK;
}

/* --- The k nearest ------------------------------------------------------------------------------------------------ */

static bosc_status find_nearest(bosc_ctx *ctx, struct bi_clouds_query *query)
{
    const struct bi_clouds_ops *ops = ctx->ops->clouds;
    bool served = false;
    BI_TRY(order_queries(ctx, query));
    if (ops->knn) BI_TRY_WITH_COST(ctx, SEARCH_COST, ops->knn(ctx, query->rows.n, query, &served));
    if (served) return BOSC_OK;
    if (!query->dist2 && query->k > BI_CLOUDS_SHORT)
        BI_TRY(bi_scratch_of(ctx, query->rows.n * query->k, query->view.is_f64 ? sizeof(double) : sizeof(float),
                             &query->dist2));
    BI_TRY_WITH_COST(ctx, SEARCH_COST, ops->steps->knn(ctx, query->rows.n, query));
    return BOSC_OK;
}

static bosc_status find_staged(bosc_ctx *ctx, const bosc_clouds *clouds, struct bi_clouds_query *query)
{
    const int64_t entries = query->rows.n * query->k;
    const size_t id_bytes = query->ids_64bit ? 8 : 4, size = query->view.is_f64 ? sizeof(double) : sizeof(float);
    bool staged = false;
    struct bi_out ids, dist2;
    BI_TRY(stage_queries(ctx, clouds, query, &staged));
    BI_TRY(bi_stage_out(ctx, query->ids, (size_t)entries * id_bytes, &ids, &staged));
    BI_TRY(bi_stage_out(ctx, query->dist2, query->dist2 ? (size_t)entries * size : 0, &dist2, &staged));
    query->ids = ids.reachable;
    query->dist2 = dist2.reachable;
    BI_TRY(find_nearest(ctx, query));
    BI_TRY(bi_stage_back(ctx, &ids));
    BI_TRY(bi_stage_back(ctx, &dist2));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

static bosc_status check_k(bosc_ctx *ctx, int64_t k, int64_t queries)
{
    if (k < 1) return bi_fail(ctx, BOSC_ERR_ARG, "k: %lld is less than 1", (long long)k);
    if (queries > 0 && k > INT64_MAX / 64 / queries)
        return bi_fail(ctx, BOSC_ERR_ARG, "k: %lld for %lld queries is more than memory can hold", (long long)k,
                       (long long)queries);
    return BOSC_OK;
}

bosc_status bosc_clouds_knn(bosc_ctx *ctx, const bosc_clouds *clouds, const bosc_clouds_queries *queries, int64_t k,
                            double radius, void *ids, void *dist2)
{
    struct bi_clouds_query query = {.k = k, .ids = ids, .dist2 = dist2};
    BI_ENTER(ctx);
    BI_TRY(check_query(ctx, clouds, queries, radius, &query));
    BI_TRY(check_k(ctx, k, query.rows.n));
    if (query.rows.n > 0 && !ids) return bi_fail(ctx, BOSC_ERR_ARG, "ids: NULL");
    BI_TRY(bi_check_aligned(ctx, "ids", ids, query.ids_64bit ? 8 : 4));
    BI_TRY(bi_check_aligned(ctx, "dist2", dist2, query.view.is_f64 ? 8 : 4));
    if (query.rows.n == 0 && query.self) return BOSC_OK;
    bi_progress_set_total(ctx, (10 + SEARCH_COST) * (double)query.rows.n);
    BI_RETURN_WITH_SCRATCH(ctx, find_staged(ctx, clouds, &query));
}

/* Finds the ids, and writes the query of each into the other half of the edges. */
static bosc_status find_nearest_edges(bosc_ctx *ctx, const bosc_clouds *clouds, struct bi_clouds_query *query,
                                      int64_t *edges, bool ids_first)
{
    const int64_t entries = query->rows.n * query->k;
    bool staged = false;
    struct bi_out out;
    BI_TRY(stage_queries(ctx, clouds, query, &staged));
    BI_TRY(bi_stage_out(ctx, edges, (size_t)entries * 2 * sizeof *edges, &out, &staged));
    int64_t *first = out.reachable, *second = first + entries;
    const struct bi_clouds_edge_queries queries = {NULL, query->k, ids_first ? second : first};
    query->ids = ids_first ? first : second;
    BI_TRY(find_nearest(ctx, query));
    BI_TRY(ctx->ops->clouds->steps->edge_queries(ctx, query->rows.n, &queries));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_clouds_knn_edges(bosc_ctx *ctx, const bosc_clouds *clouds, const bosc_clouds_queries *queries,
                                  int64_t k, double radius, int64_t *edges, int32_t ids_first)
{
    struct bi_clouds_query query = {.k = k};
    BI_ENTER(ctx);
    BI_TRY(check_query(ctx, clouds, queries, radius, &query));
    BI_TRY(check_k(ctx, k, query.rows.n));
    if (query.rows.n > 0 && !edges) return bi_fail(ctx, BOSC_ERR_ARG, "edges: NULL");
    BI_TRY(bi_check_aligned(ctx, "edges", edges, sizeof *edges));
    if (query.rows.n == 0 && query.self) return BOSC_OK;
    query.ids_64bit = true;
    bi_progress_set_total(ctx, (11 + SEARCH_COST) * (double)query.rows.n);
    BI_RETURN_WITH_SCRATCH(ctx, find_nearest_edges(ctx, clouds, &query, edges, ids_first != 0));
}

/* --- Counts ------------------------------------------------------------------------------------------------------- */

/* Counts the points within the radius of ordered queries, or fills their rows. */
static bosc_status search_ordered(bosc_ctx *ctx, struct bi_clouds_query *query, bool fill)
{
    const struct bi_clouds_ops *ops = ctx->ops->clouds;
    const struct bi_clouds_steps *steps = ops->steps;
    bool served = false;
    if (ops->radius) BI_TRY_WITH_COST(ctx, SEARCH_COST, ops->radius(ctx, query->rows.n, query, fill, &served));
    if (served) return BOSC_OK;
    BI_TRY_WITH_COST(ctx, SEARCH_COST, (fill ? steps->radius_fill : steps->radius_count)(ctx, query->rows.n, query));
    return BOSC_OK;
}

static bosc_status search_rows(bosc_ctx *ctx, struct bi_clouds_query *query, bool fill)
{
    BI_TRY(order_queries(ctx, query));
    return search_ordered(ctx, query, fill);
}

static bosc_status count_staged(bosc_ctx *ctx, const bosc_clouds *clouds, struct bi_clouds_query *query)
{
    bool staged = false;
    struct bi_out counts;
    BI_TRY(stage_queries(ctx, clouds, query, &staged));
    BI_TRY(bi_stage_out(ctx, query->counts, (size_t)query->rows.n * sizeof(int64_t), &counts, &staged));
    query->counts = counts.reachable;
    BI_TRY(search_rows(ctx, query, false));
    BI_TRY(bi_stage_back(ctx, &counts));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_clouds_radius_count(bosc_ctx *ctx, const bosc_clouds *clouds, const bosc_clouds_queries *queries,
                                     double radius, int64_t *counts)
{
    struct bi_clouds_query query = {.counts = counts};
    BI_ENTER(ctx);
    BI_TRY(check_query(ctx, clouds, queries, radius, &query));
    if (query.rows.n > 0 && !counts) return bi_fail(ctx, BOSC_ERR_ARG, "counts: NULL");
    BI_TRY(bi_check_aligned(ctx, "counts", counts, sizeof *counts));
    if (query.rows.n == 0 && query.self) return BOSC_OK;
    bi_progress_set_total(ctx, (10 + SEARCH_COST) * (double)query.rows.n);
    BI_RETURN_WITH_SCRATCH(ctx, count_staged(ctx, clouds, &query));
}

/* --- CSR rows ----------------------------------------------------------------------------------------------------- */

/* State of a call of bosc_clouds_radius. */
struct radius_call {
    const bosc_clouds *clouds;
    struct bi_clouds_query query;
};

static bosc_status count_rows(bosc_ctx *ctx, void *call, int64_t *counts)
{
    struct radius_call *c = call;
    bool staged = false;
    c->query.counts = counts;
    BI_TRY(stage_queries(ctx, c->clouds, &c->query, &staged));
    return search_rows(ctx, &c->query, false);
}

/* Allocates an empty list for the long rows among `rows` of `entries` in all; NULL if fills sort every row. */
static bosc_status alloc_long_rows(bosc_ctx *ctx, int64_t rows, int64_t entries, uint32_t **list)
{
    int64_t most = entries / (BI_LONG_ROW + 1);
    if (most > rows) most = rows;
    *list = NULL;
    if (most == 0 || !ctx->ops->clouds->sort_rows) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, most + 1, sizeof **list, list));
    return ctx->backend->fill(ctx, *list, 0, sizeof **list);
}

/* Fills rows of ordered queries, `total` entries in all, and sorts them. */
static bosc_status fill_ordered(bosc_ctx *ctx, struct bi_clouds_query *query, int64_t total)
{
    BI_TRY(alloc_long_rows(ctx, query->rows.n, total, &query->long_rows));
    BI_TRY(search_ordered(ctx, query, true));
    if (!query->long_rows) return BOSC_OK;
    const struct bi_row_out rows = {query->ids, query->dist2, 0, query->ids_64bit, !query->view.is_f64, false};
    return ctx->ops->clouds->sort_rows(ctx, &rows, query->row_offsets, query->long_rows);
}

static bosc_status fill_rows(bosc_ctx *ctx, void *call, const struct bi_csr_rows *to)
{
    struct radius_call *c = call;
    struct bi_clouds_query *query = &c->query;
    bool staged = false;
    query->row_offsets = to->offsets;
    query->ids = to->columns[0];
    query->dist2 = to->columns[1];
    query->bad = to->bad;
    BI_TRY(stage_queries(ctx, c->clouds, query, &staged));
    BI_TRY(order_queries(ctx, query));
    return fill_ordered(ctx, query, to->total);
}

bosc_status bosc_clouds_radius(bosc_ctx *ctx, const bosc_clouds *clouds, const bosc_clouds_queries *queries,
                               double radius, int64_t *offsets, void *ids, void *dist2, int64_t capacity)
{
    struct radius_call call = {.clouds = clouds};
    struct bi_clouds_query *query = &call.query;
    BI_ENTER(ctx);
    BI_TRY(check_query(ctx, clouds, queries, radius, query));
    BI_TRY(bi_csr_check(ctx, query->rows.n, offsets, ids != NULL, capacity));
    BI_TRY(bi_check_aligned(ctx, "ids", ids, query->ids_64bit ? 8 : 4));
    BI_TRY(bi_check_aligned(ctx, "dist2", dist2, query->view.is_f64 ? 8 : 4));
    bi_progress_set_total(ctx, (10 + SEARCH_COST) * (double)query->rows.n);
    if (!ids) BI_RETURN_WITH_SCRATCH(ctx, bi_csr_offsets(ctx, query->rows.n, count_rows, &call, offsets));
    const struct bi_csr_column columns[BI_CSR_COLUMNS] = {{ids, query->ids_64bit ? 8 : 4},
                                                          {dist2, query->view.is_f64 ? 8 : 4}};
    BI_RETURN_WITH_SCRATCH(ctx, bi_csr_fill(ctx, query->rows.n, offsets, capacity, columns, fill_rows, &call));
}

/* --- Edges -------------------------------------------------------------------------------------------------------- */

/* Counts the edges of ordered queries, and makes row offsets of the counts. One wait brings their sum and maximum. */
static bosc_status count_edges(bosc_ctx *ctx, struct bi_clouds_query *query, bosc_clouds_edges *edges)
{
    const int64_t n = query->rows.n;
    const struct bi_core_ops *core = ctx->backend->core;
    int64_t *counts, found[2]; /* counts, a zero behind which the scan ends with the sum, and the maximum */
    BI_TRY(bi_scratch_of(ctx, n + 2, sizeof *counts, &counts));
    BI_TRY(ctx->backend->fill(ctx, counts + n, 0, 2 * sizeof *counts));
    query->counts = counts;
    if (n > 0) {
        BI_TRY(search_ordered(ctx, query, false));
        BI_TRY(core->reduce(ctx, BOSC_MAX, BOSC_I64, counts, n, counts + n + 1));
        BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, counts, n + 1, counts));
    }
    BI_TRY(bi_read_back(ctx, found, counts + n, sizeof found));
    query->row_offsets = counts;
    edges->total = found[0];
    edges->longest = found[1];
    return BOSC_OK;
}

static bosc_status find_edges(bosc_ctx *ctx, const bosc_clouds *clouds, struct bi_clouds_query *query,
                              bosc_clouds_edges *edges)
{
    bool staged = false;
    struct bi_out out;
    /* 1. Numbers of edges. */
    BI_TRY(stage_queries(ctx, clouds, query, &staged));
    BI_TRY(order_queries(ctx, query));
    BI_TRY(count_edges(ctx, query, edges));
    if (edges->total == 0 || edges->total > edges->capacity || edges->longest > edges->max_edges) return BOSC_OK;
    /* 2. The ids, and the query of each. */
    BI_TRY(bi_stage_out(ctx, edges->edges, (size_t)edges->total * 2 * sizeof *edges->edges, &out, &staged));
    int64_t *first = out.reachable, *second = first + edges->total;
    const struct bi_clouds_edge_queries queries = {query->row_offsets, 0, edges->ids_first ? second : first};
    query->ids = edges->ids_first ? first : second;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *query->bad, &query->bad)); /* lowered by no row: all have their counts */
    BI_TRY(fill_ordered(ctx, query, edges->total));
    BI_TRY(ctx->ops->clouds->steps->edge_queries(ctx, query->rows.n, &queries));
    BI_TRY(bi_stage_back(ctx, &out));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_clouds_radius_edges(bosc_ctx *ctx, const bosc_clouds *clouds, const bosc_clouds_queries *queries,
                                     double radius, bosc_clouds_edges *edges)
{
    struct bi_clouds_query query = {.counts = NULL};
    bosc_clouds_edges full;
    BI_ENTER(ctx);
    BI_TRY(check_query(ctx, clouds, queries, radius, &query));
    if (!edges) return bi_fail(ctx, BOSC_ERR_ARG, "edges: NULL");
    BI_TRY(bi_check_size(ctx, "edges", "bosc_clouds_edges", edges->size, sizeof full));
    BI_TRY(bi_read_opts(ctx, "bosc_clouds_edges", edges, &full, sizeof full));
    if (full.reserved) return bi_fail(ctx, BOSC_ERR_ARG, "edges: reserved %d is not 0", (int)full.reserved);
    if (full.capacity < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "edges: capacity %lld is less than 0", (long long)full.capacity);
    if (full.capacity > 0 && !full.edges) return bi_fail(ctx, BOSC_ERR_ARG, "edges: NULL for a capacity");
    BI_TRY(bi_check_aligned(ctx, "edges", full.edges, sizeof *full.edges));
    query.ids_64bit = true;
    bi_progress_set_total(ctx, (10 + 2 * SEARCH_COST) * (double)query.rows.n);
    BI_TRY_WITH_SCRATCH(ctx, find_edges(ctx, clouds, &query, &full));
    edges->total = full.total;
    edges->longest = full.longest;
    return BOSC_OK;
}
