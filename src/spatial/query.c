/* The driver and front door of queries: counts, and rows of compressed sparse form. */
#include "core/call.h"
#include "spatial/driver.h"

/* The smallest float x with x * x > r2: floats of one sign order as their bits do. Infinite r2 has none. */
static double reach_f32(float r2)
{
    uint32_t low = 0, high = bi_f32_bits((float)INFINITY);
    if (r2 >= (float)INFINITY) return (double)INFINITY;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        float x = bi_f32_from_bits(middle), square = x * x;
        if (square > r2)
            high = middle;
        else
            low = middle + 1;
    }
    return (double)bi_f32_from_bits(low);
}

static double reach_f64(double r2)
{
    uint64_t low = 0, high = bi_f64_bits((double)INFINITY);
    if (r2 >= (double)INFINITY) return (double)INFINITY;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        double x = bi_f64_from_bits(middle), square = x * x;
        if (square > r2)
            high = middle;
        else
            low = middle + 1;
    }
    return bi_f64_from_bits(low);
}

void bi_grid_square(const bosc_grid *grid, double radius, double *r2, double *reach)
{
    float r = (float)radius, square = r * r;
    *r2 = grid->view.wide ? radius * radius : (double)square;
    *reach = grid->view.wide ? reach_f64(*r2) : reach_f32(square);
}

/* Checks what all queries take, and begins the call. */
static bosc_status begin(bosc_ctx *ctx, const bosc_grid *grid, const void *queries, int64_t m, int64_t stride,
                         struct bi_grid_query *query)
{
    BI_ENTER(ctx);
    BI_TRY(bi_grid_check(ctx, grid));
    BI_TRY(bi_grid_check_rows(ctx, grid, "queries", queries, "m", m, stride, &query->rows));
    if (m > INT64_MAX / 16) return bi_fail(ctx, BOSC_ERR_ARG, "m: %lld is too large", (long long)m);
    query->view = grid->view;
    query->wide_ids = grid->opts.id_bits == 64;
    return BOSC_OK;
}

/* Brings the queries in reach and looks for a NaN in them. */
static bosc_status stage_queries(bosc_ctx *ctx, const bosc_grid *grid, struct bi_grid_query *query, bool *staged)
{
    int64_t row = INT64_MAX;
    BI_TRY(bi_grid_stage_rows(ctx, &query->rows, staged));
    if (query->rows.n == 0 || grid->opts.assume_valid || query->rows.dtype == BOSC_I32 || query->rows.dtype == BOSC_I64)
        return BOSC_OK;
    struct bi_grid_nan nan = {.rows = query->rows};
    BI_TRY(bi_scratch_of(ctx, 1, sizeof row, &nan.row));
    BI_TRY(ctx->backend->copy(ctx, nan.row, &row, sizeof row));
    BI_TRY(ctx->ops->grid->grid_nan(ctx, query->rows.n, &nan));
    BI_TRY(bi_read_back(ctx, &row, nan.row, sizeof row));
    if (row == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "queries: row %lld holds a NaN", (long long)row);
}

enum { ORDERED = 4096 }; /* so many queries are worth it */

/* Many queries are served in the order of their voxels: what one reads the next ones find in the cache. */
static bosc_status order_queries(bosc_ctx *ctx, struct bi_grid_query *query)
{
    const struct bi_grid_view *v = &query->view;
    int64_t m = query->rows.n;
    if (m < ORDERED || m >= (int64_t)UINT32_MAX || v->n == 0 || !v->keyed) return BOSC_OK;
    struct bi_grid_order order = {.view = *v, .rows = query->rows};
    BI_TRY(bi_scratch_of(ctx, m, v->wide_keys ? 8 : 4, &order.keys));
    BI_TRY(bi_scratch_of(ctx, m, sizeof(uint32_t), &order.order));
    BI_TRY(ctx->ops->grid->grid_order(ctx, m, &order));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, v->wide_keys ? BOSC_U64 : BOSC_U32, order.keys, 4, order.order, m,
                                          order.keys, order.order, 0, v->key_bits > 0 ? v->key_bits : 1));
    void *points;
    BI_TRY(bi_scratch_of(ctx, m * v->dim, v->wide ? 8 : 4, &points));
    BI_TRY(bi_grid_gather_rows(ctx, &query->rows, order.order, m, v->wide, points));
    query->rows = (struct bi_grid_rows){points, m, v->dim, v->wide ? BOSC_F64 : BOSC_F32, v->dim};
    query->order = order.order;
    return BOSC_OK;
}

static bosc_status run_count(bosc_ctx *ctx, struct bi_grid_query *query, bool near)
{
    const struct bi_grid_steps *steps = ctx->ops->grid;
    int64_t m = query->rows.n;
    if (near) {
        BI_TRY(order_queries(ctx, query));
        return steps->grid_count(ctx, m, query);
    }
    if (query->view.n > 0 && query->view.keyed && query->view.shift == 0)
        return steps->grid_entries(ctx, bi_div_up(m, BI_GRID_TOGETHER), query);
    return steps->grid_inhabitants(ctx, m, query);
}

/* near: points within the radius are counted, else those of the query's voxel. */
static bosc_status count_staged(bosc_ctx *ctx, const bosc_grid *grid, struct bi_grid_query *query, bool near)
{
    bool staged = false;
    struct bi_out counts;
    BI_TRY(stage_queries(ctx, grid, query, &staged));
    BI_TRY(bi_stage_out(ctx, query->counts, (size_t)query->rows.n * sizeof(int64_t), &counts, &staged));
    query->counts = counts.reachable;
    BI_TRY(run_count(ctx, query, near));
    BI_TRY(bi_stage_back(ctx, &counts));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

static bosc_status count(bosc_ctx *ctx, const bosc_grid *grid, struct bi_grid_query *query, bool near)
{
    if (query->rows.n > 0 && !query->counts) return bi_fail(ctx, BOSC_ERR_ARG, "counts: NULL");
    BI_TRY(bi_check_aligned(ctx, "counts", query->counts, sizeof(int64_t)));
    if (query->rows.n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, count_staged(ctx, grid, query, near));
}

bosc_status bosc_grid_voxel_count(bosc_ctx *ctx, const bosc_grid *grid, const void *queries, int64_t m, int64_t stride,
                                  int64_t *counts)
{
    struct bi_grid_query query = {.counts = counts};
    BI_TRY(begin(ctx, grid, queries, m, stride, &query));
    return count(ctx, grid, &query, false);
}

bosc_status bosc_grid_radius_count(bosc_ctx *ctx, const bosc_grid *grid, const void *queries, int64_t m, int64_t stride,
                                   double radius, int64_t *counts)
{
    struct bi_grid_query query = {.counts = counts};
    BI_TRY(begin(ctx, grid, queries, m, stride, &query));
    BI_TRY(bi_grid_check_radius(ctx, radius));
    bi_grid_square(grid, radius, &query.r2, &query.reach);
    return count(ctx, grid, &query, true);
}

bosc_status bi_grid_list_rows(bosc_ctx *ctx, int64_t rows, int64_t entries, uint32_t **list)
{
    int64_t most = entries / (BI_LONG_ROW + 1);
    if (most > rows) most = rows;
    *list = NULL;
    if (most == 0 || !ctx->ops->grid->sort_rows) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, most + 1, sizeof **list, list));
    return ctx->backend->fill(ctx, *list, 0, sizeof **list);
}

bosc_status bi_grid_sort_rows(bosc_ctx *ctx, const struct bi_row_out *rows, const int64_t *offsets,
                              const uint32_t *list)
{
    return list ? ctx->ops->grid->sort_rows(ctx, rows, offsets, list) : BOSC_OK;
}

/* The first call of bosc_grid_radius: m counts and a zero, summed up to m + 1 offsets. */
static bosc_status find_offsets(bosc_ctx *ctx, const bosc_grid *grid, struct bi_grid_query *query, int64_t *offsets)
{
    bool staged = false;
    int64_t m = query->rows.n;
    BI_TRY(bi_scratch_of(ctx, m + 1, sizeof(int64_t), &query->counts));
    BI_TRY(stage_queries(ctx, grid, query, &staged));
    BI_TRY(ctx->backend->fill(ctx, query->counts + m, 0, sizeof(int64_t)));
    BI_TRY(order_queries(ctx, query));
    if (m > 0) BI_TRY(ctx->ops->grid->grid_count(ctx, m, query));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, query->counts, m + 1, query->counts));
    BI_TRY(ctx->backend->copy(ctx, offsets, query->counts, (size_t)(m + 1) * sizeof(int64_t)));
    return ctx->backend->sync(ctx);
}

static bosc_status fill_rows(bosc_ctx *ctx, const bosc_grid *grid, struct bi_grid_query *query, const int64_t *offsets,
                             int64_t room)
{
    bool staged = false;
    struct bi_out ids, dist2;
    const void *reachable;
    int64_t total, m = query->rows.n;
    BI_TRY(bi_stage_in(ctx, offsets, (size_t)(m + 1) * sizeof *offsets, &reachable, &staged));
    query->offsets = reachable;
    BI_TRY(bi_check_offsets(ctx, ctx->ops->grid->ascending, query->offsets, query->rows.n, room, &query->bad,
                            &total));
    BI_TRY(stage_queries(ctx, grid, query, &staged));
    BI_TRY(bi_stage_out(ctx, query->ids, (size_t)total * (size_t)grid->opts.id_bits / 8, &ids, &staged));
    BI_TRY(bi_stage_out(ctx, query->dist2, query->dist2 ? (size_t)total * (query->view.wide ? 8 : 4) : 0, &dist2,
                        &staged));
    query->ids = ids.reachable;
    query->dist2 = dist2.reachable;
    BI_TRY(order_queries(ctx, query));
    BI_TRY(bi_grid_list_rows(ctx, m, total, &query->long_rows));
    BI_TRY(ctx->ops->grid->grid_fill(ctx, m, query));
    BI_TRY(bi_check_filled(ctx, query->bad));
    struct bi_row_out rows = {query->ids, query->dist2, 0, query->wide_ids, !query->view.wide, false};
    BI_TRY(bi_grid_sort_rows(ctx, &rows, query->offsets, query->long_rows));
    BI_TRY(bi_stage_back(ctx, &ids));
    BI_TRY(bi_stage_back(ctx, &dist2));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_grid_radius(bosc_ctx *ctx, const bosc_grid *grid, const void *queries, int64_t m, int64_t stride,
                             double radius, int64_t *offsets, void *ids, void *dist2, int64_t room)
{
    struct bi_grid_query query = {.ids = ids, .dist2 = dist2};
    BI_TRY(begin(ctx, grid, queries, m, stride, &query));
    BI_TRY(bi_grid_check_radius(ctx, radius));
    if (!offsets) return bi_fail(ctx, BOSC_ERR_ARG, "offsets: NULL");
    BI_TRY(bi_check_aligned(ctx, "offsets", offsets, sizeof *offsets));
    BI_TRY(bi_grid_check_answers(ctx, grid, "ids", ids, dist2));
    if (ids && room < 0) return bi_fail(ctx, BOSC_ERR_ARG, "room: %lld is less than 0", (long long)room);
    bi_grid_square(grid, radius, &query.r2, &query.reach);
    BI_RETURN_WITH_SCRATCH(ctx, ids ? fill_rows(ctx, grid, &query, offsets, room) : find_offsets(ctx, grid, &query, offsets));
}
