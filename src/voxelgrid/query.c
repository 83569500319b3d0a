/* Queries: counts of points, the points within a radius as CSR rows, and the list of occupied voxels. */
#include "core/csr.h"
#include "voxelgrid/handle.h"

/* --- Queries ------------------------------------------------------------------------------------------------------ */

/* Describes the points of a view as rows. */
static struct bi_voxelgrid_rows rows_of_points(const void *points, int64_t n, int32_t dim, bool is_f64)
{
    if (is_f64) return (struct bi_voxelgrid_rows){points, n, dim, BOSC_F64, dim};
    return (struct bi_voxelgrid_rows){((const struct bi_voxelgrid_point *)points)->at + BI_VOXELGRID_DIM - dim, n,
                                      sizeof(struct bi_voxelgrid_point) / sizeof(float), BOSC_F32, dim};
}

/* Makes the grid's own points the queries. */
static bosc_status use_grid_points(bosc_ctx *ctx, int64_t query_count, struct bi_voxelgrid_query *query)
{
    const struct bi_voxelgrid_view *v = &query->view;
    if (query_count != v->n)
        return bi_fail(ctx, BOSC_ERR_ARG, "queries: NULL, but query_count %lld is not the number of points, %lld",
                       (long long)query_count, (long long)v->n);
    const struct bi_voxelgrid_point *points = v->points;
    query->self = true;
    query->rows = rows_of_points(v->points, v->n, v->dim, v->is_f64);
    query->order = v->is_f64 ? v->ids : &points->id;
    query->order_stride = v->is_f64 ? 1 : sizeof *points / sizeof points->id;
    return BOSC_OK;
}

/* Checks the arguments common to all queries. */
static bosc_status check_query(bosc_ctx *ctx, const bosc_voxelgrid *grid, const void *queries, int64_t query_count,
                               int64_t stride, struct bi_voxelgrid_query *query)
{
    BI_TRY(bi_voxelgrid_check(ctx, grid));
    query->view = grid->view;
    query->ids_64bit = grid->opts.id_bits == 64;
    if (!queries && query_count > 0) return use_grid_points(ctx, query_count, query);
    BI_TRY(bi_voxelgrid_check_rows(ctx, grid, "queries", queries, "query_count", query_count, stride, &query->rows));
    if (query_count > INT64_MAX / 16)
        return bi_fail(ctx, BOSC_ERR_ARG, "query_count: %lld is too large", (long long)query_count);
    query->same_source =
        queries == grid->source.data && query_count == grid->view.n && query->rows.stride == grid->source.stride;
    return BOSC_OK;
}

/* Stages the caller's queries, and checks them for NaN. */
static bosc_status stage_queries(bosc_ctx *ctx, const bosc_voxelgrid *grid, struct bi_voxelgrid_query *query,
                                 bool *staged)
{
    int64_t row = INT64_MAX;
    if (query->self) return BOSC_OK;
    BI_TRY(bi_voxelgrid_stage_rows(ctx, &query->rows, staged));
    if (query->rows.n == 0 || grid->opts.assume_valid || query->rows.dtype == BOSC_I32 || query->rows.dtype == BOSC_I64)
        return BOSC_OK;
    struct bi_voxelgrid_find_nan nan = {.rows = query->rows};
    BI_TRY(bi_scratch_of(ctx, 1, sizeof row, &nan.row));
    BI_TRY(ctx->backend->copy(ctx, nan.row, &row, sizeof row));
    BI_TRY(ctx->ops->voxelgrid->steps->find_nan(ctx, query->rows.n, &nan));
    BI_TRY(bi_read_back(ctx, &row, nan.row, sizeof row));
    if (row == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "queries: row %lld holds a NaN", (long long)row);
}

enum { SORT_FROM = 4096 }; /* fewer queries are not worth a sort's launches; the limit is not measured */

/* Gathers the queries as points in this order. */
static bosc_status gather_queries(bosc_ctx *ctx, struct bi_voxelgrid_query *query, const uint32_t *order)
{
    const struct bi_voxelgrid_view *v = &query->view;
    int64_t m = query->rows.n;
    void *points;
    BI_TRY(bi_scratch(ctx, (size_t)m * (v->is_f64 ? (size_t)v->dim * 8 : sizeof(struct bi_voxelgrid_point)), &points));
    BI_TRY(bi_voxelgrid_gather_rows(ctx, &query->rows, order, m, v->is_f64, points));
    query->rows = rows_of_points(points, m, v->dim, v->is_f64);
    query->order = order;
    query->order_stride = 1;
    return BOSC_OK;
}

/* Sorts many queries by voxel, so that neighbouring threads read the same points. Not needed for the grid's own
 * points, nor for the rows of the build, which follow the view. */
static bosc_status order_queries(bosc_ctx *ctx, struct bi_voxelgrid_query *query, bool dense)
{
    const struct bi_voxelgrid_view *v = &query->view;
    int64_t m = query->rows.n;
    query->same_source &= dense;
    if (query->self || query->same_source) return BOSC_OK;
    if (m < SORT_FROM || m >= (int64_t)UINT32_MAX || v->n == 0 || !v->keyed) return BOSC_OK;
    struct bi_voxelgrid_query_key order = {.view = *v, .rows = query->rows};
    BI_TRY(bi_scratch_of(ctx, m, v->keys_64bit ? 8 : 4, &order.keys));
    BI_TRY(bi_scratch_of(ctx, m, sizeof(uint32_t), &order.order));
    BI_TRY(ctx->ops->voxelgrid->steps->query_key(ctx, m, &order));
    int bits = bi_bit_length(v->last_key);
    BI_TRY(ctx->backend->core->sort_pairs(ctx, v->keys_64bit ? BOSC_U64 : BOSC_U32, order.keys, 4, order.order, m,
                                          order.keys, order.order, 0, bits > 0 ? bits : 1));
    return gather_queries(ctx, query, order.order);
}

/* Searches around the ordered queries: fills their rows, or counts. */
static bosc_status search_in_order(bosc_ctx *ctx, struct bi_voxelgrid_query *query, bool fill)
{
    struct bi_voxelgrid_searches searches = bi_voxelgrid_select_searches(ctx, &query->view, query->r2);
    BI_TRY(order_queries(ctx, query, searches.pair_total != NULL));
    BI_TRY_WITH_COST(ctx, BI_VOXELGRID_SEARCH_COST,
                     (fill ? searches.radius_fill : searches.radius_count)(ctx, query->rows.n, query));
    return BOSC_OK;
}

static bosc_status count_points(bosc_ctx *ctx, struct bi_voxelgrid_query *query, bool within_radius)
{
    const struct bi_voxelgrid_steps *steps = ctx->ops->voxelgrid->steps;
    int64_t m = query->rows.n;
    if (within_radius) return search_in_order(ctx, query, false);
    if (query->view.n > 0 && query->view.keyed && query->view.shift == 0) {
        BI_TRY_WITH_COST(ctx, BI_VOXELGRID_BATCH,
                         steps->voxel_count_indexed(ctx, bi_div_up(m, BI_VOXELGRID_BATCH), query));
        return BOSC_OK;
    }
    return steps->voxel_count(ctx, m, query);
}

/* Counts points within the radius, or those of the query's voxel. */
static bosc_status count_staged(bosc_ctx *ctx, const bosc_voxelgrid *grid, struct bi_voxelgrid_query *query,
                                bool within_radius)
{
    bool staged = false;
    struct bi_out counts;
    BI_TRY(stage_queries(ctx, grid, query, &staged));
    BI_TRY(bi_stage_out(ctx, query->counts, (size_t)query->rows.n * sizeof(int64_t), &counts, &staged));
    query->counts = counts.reachable;
    BI_TRY(count_points(ctx, query, within_radius));
    BI_TRY(bi_stage_back(ctx, &counts));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

static bosc_status count_queries(bosc_ctx *ctx, const bosc_voxelgrid *grid, struct bi_voxelgrid_query *query,
                                 bool within_radius)
{
    if (query->rows.n > 0 && !query->counts) return bi_fail(ctx, BOSC_ERR_ARG, "counts: NULL");
    BI_TRY(bi_check_aligned(ctx, "counts", query->counts, sizeof(int64_t)));
    if (query->rows.n == 0) return BOSC_OK;
    bi_progress_set_total(ctx, (10 + (within_radius ? BI_VOXELGRID_SEARCH_COST : 0)) * (double)query->rows.n);
    BI_RETURN_WITH_SCRATCH(ctx, count_staged(ctx, grid, query, within_radius));
}

bosc_status bosc_voxelgrid_voxel_count(bosc_ctx *ctx, const bosc_voxelgrid *grid, const void *queries,
                                       int64_t query_count, int64_t stride, int64_t *counts)
{
    struct bi_voxelgrid_query query = {.counts = counts};
    BI_ENTER(ctx);
    BI_TRY(check_query(ctx, grid, queries, query_count, stride, &query));
    return count_queries(ctx, grid, &query, false);
}

bosc_status bosc_voxelgrid_radius_count(bosc_ctx *ctx, const bosc_voxelgrid *grid, const void *queries,
                                        int64_t query_count, int64_t stride, double radius, int64_t *counts)
{
    struct bi_voxelgrid_query query = {.counts = counts};
    BI_ENTER(ctx);
    BI_TRY(check_query(ctx, grid, queries, query_count, stride, &query));
    BI_TRY(bi_voxelgrid_check_radius(ctx, grid, radius, query.self));
    bi_voxelgrid_square_radius(grid, radius, &query.r2, &query.reach);
    return count_queries(ctx, grid, &query, true);
}

/* State of a call of bosc_voxelgrid_radius. */
struct radius_call {
    const bosc_voxelgrid *grid;
    struct bi_voxelgrid_query query;
};

static bosc_status count_rows(bosc_ctx *ctx, void *call, int64_t *counts)
{
    struct radius_call *c = call;
    bool staged = false;
    c->query.counts = counts;
    BI_TRY(stage_queries(ctx, c->grid, &c->query, &staged));
    return search_in_order(ctx, &c->query, false);
}

static bosc_status fill_rows(bosc_ctx *ctx, void *call, const struct bi_csr_rows *to)
{
    struct radius_call *c = call;
    struct bi_voxelgrid_query *query = &c->query;
    bool staged = false;
    query->offsets = to->offsets;
    query->ids = to->columns[0];
    query->dist2 = to->columns[1];
    query->bad = to->bad;
    BI_TRY(stage_queries(ctx, c->grid, query, &staged));
    BI_TRY(bi_voxelgrid_alloc_long_rows(ctx, to->rows, to->total, &query->long_rows));
    BI_TRY(search_in_order(ctx, query, true));
    struct bi_row_out rows = {query->ids, query->dist2, 0, query->ids_64bit, !query->view.is_f64, false};
    return bi_voxelgrid_sort_long_rows(ctx, &rows, query->offsets, query->long_rows);
}

bosc_status bosc_voxelgrid_radius(bosc_ctx *ctx, const bosc_voxelgrid *grid, const void *queries, int64_t query_count,
                                  int64_t stride, double radius, int64_t *offsets, void *ids, void *dist2,
                                  int64_t capacity)
{
    struct radius_call call = {.grid = grid};
    BI_ENTER(ctx);
    BI_TRY(check_query(ctx, grid, queries, query_count, stride, &call.query));
    BI_TRY(bi_voxelgrid_check_radius(ctx, grid, radius, call.query.self));
    BI_TRY(bi_csr_check(ctx, query_count, offsets, ids != NULL, capacity));
    BI_TRY(bi_voxelgrid_check_answers(ctx, grid, "ids", ids, dist2));
    bi_voxelgrid_square_radius(grid, radius, &call.query.r2, &call.query.reach);
    bi_progress_set_total(ctx, (10 + BI_VOXELGRID_SEARCH_COST) * (double)query_count);
    if (!ids) BI_RETURN_WITH_SCRATCH(ctx, bi_csr_offsets(ctx, query_count, count_rows, &call, offsets));
    const struct bi_csr_column columns[BI_CSR_COLUMNS] = {{ids, (size_t)grid->opts.id_bits / 8},
                                                          {dist2, grid->view.is_f64 ? 8 : 4}};
    BI_RETURN_WITH_SCRATCH(ctx, bi_csr_fill(ctx, query_count, offsets, capacity, columns, fill_rows, &call));
}

/* --- Voxels ------------------------------------------------------------------------------------------------------- */

/* Finds the first positions of the voxels, and their number. */
static bosc_status find_heads(bosc_ctx *ctx, struct bi_voxelgrid_voxel_list *voxels)
{
    int64_t n = voxels->view.n;
    struct bi_voxelgrid_voxel_heads heads = {.view = voxels->view};
    void *count;
    uint32_t *list;
    BI_TRY(bi_scratch_of(ctx, n, 1, &heads.is_head));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &heads.positions));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *list, &list));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof voxels->count, &count));
    BI_TRY(ctx->ops->voxelgrid->steps->voxel_heads(ctx, n, &heads));
    BI_TRY(ctx->backend->core->compact(ctx, sizeof *list, heads.positions, heads.is_head, n, list, count));
    voxels->heads = list;
    return bi_read_back(ctx, &voxels->count, count, sizeof voxels->count);
}

static bosc_status list_voxels(bosc_ctx *ctx, struct bi_voxelgrid_voxel_list *voxels, int64_t capacity, int64_t *count)
{
    struct bi_out coords, counts;
    bool staged = false;
    BI_TRY(find_heads(ctx, voxels));
    if (!voxels->coords && !voxels->counts) {
        *count = voxels->count;
        return BOSC_OK;
    }
    if (capacity < voxels->count) {
        *count = voxels->count;
        return bi_fail(ctx, BOSC_ERR_SPACE, "capacity: %lld voxels, but %lld are occupied", (long long)capacity,
                       (long long)voxels->count);
    }
    size_t bytes = (size_t)voxels->count * sizeof(int64_t);
    BI_TRY(bi_stage_out(ctx, voxels->coords, voxels->coords ? bytes * (size_t)voxels->view.dim : 0, &coords, &staged));
    BI_TRY(bi_stage_out(ctx, voxels->counts, voxels->counts ? bytes : 0, &counts, &staged));
    voxels->coords = coords.reachable;
    voxels->counts = counts.reachable;
    BI_TRY(ctx->ops->voxelgrid->steps->list_voxels(ctx, voxels->count, voxels));
    BI_TRY(bi_stage_back(ctx, &coords));
    BI_TRY(bi_stage_back(ctx, &counts));
    BI_TRY(ctx->backend->sync(ctx));
    *count = voxels->count;
    return BOSC_OK;
}

bosc_status bosc_voxelgrid_voxels(bosc_ctx *ctx, const bosc_voxelgrid *grid, int64_t *coords, int64_t *counts,
                                  int64_t capacity, int64_t *count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_voxelgrid_check(ctx, grid));
    BI_TRY(bi_check_aligned(ctx, "coords", coords, sizeof *coords));
    BI_TRY(bi_check_aligned(ctx, "counts", counts, sizeof *counts));
    if ((coords || counts) && capacity < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 0", (long long)capacity);
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    if (grid->view.n == 0) {
        *count = 0;
        return BOSC_OK;
    }
    struct bi_voxelgrid_voxel_list args = {.view = grid->view, .coords = coords, .counts = counts};
    bi_progress_set_total(ctx, 3 * (double)grid->view.n);
    BI_RETURN_WITH_SCRATCH(ctx, list_voxels(ctx, &args, capacity, count));
}
