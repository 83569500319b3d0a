/* The driver that builds a grid: the extent of the voxels, keys, one stable sort, and an index of the sorted keys. */
#include "spatial/driver.h"

bosc_status bi_grid_stage_rows(bosc_ctx *ctx, struct bi_grid_rows *rows, bool *staged)
{
    if (rows->n == 0) return BOSC_OK;
    size_t bytes = (size_t)((rows->n - 1) * rows->stride + rows->dim) * bosc_dtype_size(rows->dtype);
    return bi_stage_in(ctx, rows->data, bytes, &rows->data, staged);
}

bosc_status bi_grid_gather_rows(bosc_ctx *ctx, const struct bi_grid_rows *rows, const uint32_t *ids, int64_t count,
                                bool wide, void *points)
{
    struct bi_grid_gather gather = {*rows, ids, count, bosc_dtype_size(rows->dtype), wide, points};
    return ctx->ops->grid->grid_gather(ctx, count, &gather);
}

/* The extent of the voxels, and the shape of their keys. */
static void shape_keys(struct bi_grid_view *v, const int64_t found[BI_GRID_FOUND])
{
    v->key_bits = 0;
    for (int32_t c = 0; c < v->dim; c++) {
        v->low.at[c] = found[BI_GRID_LOW + c];
        v->high.at[c] = -found[BI_GRID_HIGH + c];
        v->bits[c] = bi_bit_length((uint64_t)v->high.at[c] - (uint64_t)v->low.at[c]);
        v->key_bits += v->bits[c];
    }
    v->keyed = v->key_bits <= 64;
    v->wide_keys = v->key_bits > 32;
    int32_t fine = bi_grid_index_bits(v->n);
    v->index_bits = v->key_bits < fine ? v->key_bits : fine;
    v->shift = v->key_bits - v->index_bits;
}

static bosc_status find_extent(bosc_ctx *ctx, const bosc_grid *grid, const struct bi_grid_rows *rows,
                               int64_t found[BI_GRID_FOUND])
{
    void *place;
    for (int k = 0; k < BI_GRID_FOUND; k++) found[k] = INT64_MAX;
    BI_TRY(bi_scratch_of(ctx, BI_GRID_FOUND, sizeof *found, &place));
    BI_TRY(ctx->backend->copy(ctx, place, found, BI_GRID_FOUND * sizeof *found));
    struct bi_grid_extent extent = {*rows, grid->opts.cell, rows->n < BI_GRID_ITEMS ? rows->n : BI_GRID_ITEMS, place};
    BI_TRY(ctx->ops->grid->grid_extent(ctx, extent.items, &extent));
    BI_TRY(bi_read_back(ctx, found, place, BI_GRID_FOUND * sizeof *found));
    if (found[BI_GRID_NAN] != INT64_MAX && !grid->opts.assume_valid)
        return bi_fail(ctx, BOSC_ERR_DATA, "points: row %lld holds a NaN", (long long)found[BI_GRID_NAN]);
    return BOSC_OK;
}

void bi_grid_show_blocks(const bosc_grid *grid, struct bi_grid_view *view)
{
    view->points = grid->points.data;
    view->ids = grid->ids.data;
    view->keys = grid->keys.data;
    view->starts = grid->starts.data;
}

static bosc_status reserve(bosc_ctx *ctx, bosc_grid *grid, struct bi_grid_view *v)
{
    size_t n = (size_t)v->n, row = (size_t)v->dim * (v->wide ? 8 : 4);
    BI_TRY(bi_block_reserve(ctx, &grid->memory, &grid->points, n * row));
    BI_TRY(bi_block_reserve(ctx, &grid->memory, &grid->ids, n * sizeof(uint32_t)));
    if (v->keyed) {
        size_t entries = ((size_t)1 << v->index_bits) + 1;
        BI_TRY(bi_block_reserve(ctx, &grid->memory, &grid->keys, n * (v->wide_keys ? 8 : 4)));
        BI_TRY(bi_block_reserve(ctx, &grid->memory, &grid->starts, entries * sizeof(uint32_t)));
    }
    bi_grid_show_blocks(grid, v);
    return BOSC_OK;
}

/* Orders the rows by their keys. */
static bosc_status sort_keys(bosc_ctx *ctx, const bosc_grid *grid, const struct bi_grid_view *v,
                             const struct bi_grid_rows *rows)
{
    struct bi_grid_key key = {.view = *v, .rows = *rows};
    BI_TRY(bi_scratch_of(ctx, v->n, v->wide_keys ? 8 : 4, &key.keys));
    BI_TRY(bi_scratch_of(ctx, v->n, sizeof(uint32_t), &key.ids));
    BI_TRY(ctx->ops->grid->grid_key(ctx, v->n, &key));
    return ctx->backend->core->sort_pairs(ctx, v->wide_keys ? BOSC_U64 : BOSC_U32, key.keys, 4, key.ids, v->n,
                                          grid->keys.data, grid->ids.data, 0, v->key_bits > 0 ? v->key_bits : 1);
}

/* Without keys: by the last coordinate, then stably by the one before it, and so on. */
static bosc_status sort_columns(bosc_ctx *ctx, const bosc_grid *grid, const struct bi_grid_view *v,
                                const struct bi_grid_rows *rows)
{
    const struct bi_grid_steps *steps = ctx->ops->grid;
    struct bi_grid_key key = {.view = *v, .rows = *rows, .ids = grid->ids.data};
    struct bi_grid_column column = {.rows = *rows, .cell = v->cell, .perm = grid->ids.data};
    BI_TRY(bi_scratch_of(ctx, v->n, sizeof(int64_t), &column.out));
    BI_TRY(steps->grid_key(ctx, v->n, &key));
    for (column.c = v->dim - 1; column.c >= 0; column.c--) {
        BI_TRY(steps->grid_column(ctx, v->n, &column));
        BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_I64, column.out, 4, grid->ids.data, v->n, column.out,
                                              grid->ids.data, 0, 64));
    }
    return BOSC_OK;
}

static bosc_status make_index(bosc_ctx *ctx, const bosc_grid *grid, const struct bi_grid_view *v)
{
    int64_t entries = ((int64_t)1 << v->index_bits) + 1;
    struct bi_grid_last last = {*v, grid->starts.data};
    BI_TRY(ctx->backend->fill(ctx, grid->starts.data, 0, (size_t)entries * sizeof(uint32_t)));
    BI_TRY(ctx->ops->grid->grid_last(ctx, v->n, &last));
    return ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_INCLUSIVE, BOSC_U32, grid->starts.data, entries,
                                    grid->starts.data);
}

static bosc_status build_staged(bosc_ctx *ctx, bosc_grid *grid, struct bi_grid_rows *rows)
{
    bool staged = false;
    int64_t found[BI_GRID_FOUND];
    struct bi_grid_view next = grid->view;
    next.n = rows->n;
    if (rows->n == 0) {
        next.key_bits = 0;
        grid->view = next;
        return BOSC_OK;
    }
    BI_TRY(bi_grid_stage_rows(ctx, rows, &staged));
    BI_TRY(find_extent(ctx, grid, rows, found));
    shape_keys(&next, found);
    BI_TRY(reserve(ctx, grid, &next));
    if (next.keyed) {
        BI_TRY(sort_keys(ctx, grid, &next, rows));
        BI_TRY(make_index(ctx, grid, &next));
    } else {
        BI_TRY(sort_columns(ctx, grid, &next, rows));
    }
    BI_TRY(bi_grid_gather_rows(ctx, rows, grid->ids.data, next.n, next.wide, grid->points.data));
    if (staged) BI_TRY(ctx->backend->sync(ctx));
    grid->view = next;
    return BOSC_OK;
}

bosc_status bi_grid_build(bosc_ctx *ctx, bosc_grid *grid, struct bi_grid_rows rows)
{
    struct bi_mark mark = bi_arena_mark(ctx);
    bosc_status status = build_staged(ctx, grid, &rows);
    if (status != BOSC_OK && status != BOSC_ERR_DATA) grid->view.n = 0; /* its blocks may be half written */
    bi_arena_rewind(ctx, mark);
    return status;
}
