/* The driver that builds a grid: the extent of the voxels, keys, one stable sort, and an index of the sorted keys. */
#include "voxelgrid/drivers.h"

/* Sets the extent of the voxels and the shape of their keys. */
static void shape_keys(struct bi_voxelgrid_view *v, const int64_t found[BI_VOXELGRID_FOUND])
{
    v->key_bits = 0;
    for (int32_t c = 0; c < v->dim; c++) {
        v->low.at[c] = found[BI_VOXELGRID_LOW + c];
        v->high.at[c] = -found[BI_VOXELGRID_HIGH + c];
        v->bits[c] = bi_bit_length((uint64_t)v->high.at[c] - (uint64_t)v->low.at[c]);
        v->key_bits += v->bits[c];
    }
    v->keyed = v->key_bits <= 64;
    v->wide_keys = v->key_bits > 32;
    int32_t fine = bi_voxelgrid_index_bits(v->n);
    v->index_bits = v->key_bits < fine ? v->key_bits : fine;
    v->shift = v->key_bits - v->index_bits;
}

static bosc_status find_extent(bosc_ctx *ctx, const bosc_voxelgrid *grid, const struct bi_voxelgrid_rows *rows,
                               int64_t found[BI_VOXELGRID_FOUND])
{
    void *minima;
    for (int k = 0; k < BI_VOXELGRID_FOUND; k++) found[k] = INT64_MAX;
    BI_TRY(bi_scratch_of(ctx, BI_VOXELGRID_FOUND, sizeof *found, &minima));
    BI_TRY(ctx->backend->copy(ctx, minima, found, BI_VOXELGRID_FOUND * sizeof *found));
    struct bi_voxelgrid_extent extent = {*rows, grid->opts.cell,
                                         rows->n < BI_VOXELGRID_ITEMS ? rows->n : BI_VOXELGRID_ITEMS, minima};
    BI_TRY_WEIGHED(ctx, (double)rows->n / (double)extent.items,
                   ctx->ops->voxelgrid->steps->extent(ctx, extent.items, &extent));
    BI_TRY(bi_read_back(ctx, found, minima, BI_VOXELGRID_FOUND * sizeof *found));
    if (found[BI_VOXELGRID_NAN] != INT64_MAX && !grid->opts.assume_valid)
        return bi_fail(ctx, BOSC_ERR_DATA, "points: row %lld holds a NaN", (long long)found[BI_VOXELGRID_NAN]);
    return BOSC_OK;
}

/* Orders the rows by their keys. */
static bosc_status sort_keys(bosc_ctx *ctx, const bosc_voxelgrid *grid, const struct bi_voxelgrid_view *v,
                             const struct bi_voxelgrid_rows *rows)
{
    struct bi_voxelgrid_key key = {.view = *v, .rows = *rows};
    BI_TRY(bi_scratch_of(ctx, v->n, v->wide_keys ? 8 : 4, &key.keys));
    BI_TRY(bi_scratch_of(ctx, v->n, sizeof(uint32_t), &key.ids));
    BI_TRY(ctx->ops->voxelgrid->steps->key(ctx, v->n, &key));
    return ctx->backend->core->sort_pairs(ctx, v->wide_keys ? BOSC_U64 : BOSC_U32, key.keys, 4, key.ids, v->n,
                                          grid->keys.data, grid->ids.data, 0, v->key_bits > 0 ? v->key_bits : 1);
}

/* Without keys: by the last coordinate, then stably by the one before it, and so on. */
static bosc_status sort_columns(bosc_ctx *ctx, const bosc_voxelgrid *grid, const struct bi_voxelgrid_view *v,
                                const struct bi_voxelgrid_rows *rows)
{
    const struct bi_voxelgrid_steps *steps = ctx->ops->voxelgrid->steps;
    struct bi_voxelgrid_key key = {.view = *v, .rows = *rows, .ids = grid->ids.data};
    struct bi_voxelgrid_column column = {.rows = *rows, .cell = v->cell, .perm = grid->ids.data};
    BI_TRY(bi_scratch_of(ctx, v->n, sizeof(int64_t), &column.out));
    BI_TRY(steps->key(ctx, v->n, &key));
    for (column.c = v->dim - 1; column.c >= 0; column.c--) {
        BI_TRY(steps->column(ctx, v->n, &column));
        BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_I64, column.out, 4, grid->ids.data, v->n, column.out,
                                              grid->ids.data, 0, 64));
    }
    return BOSC_OK;
}

static bosc_status make_index(bosc_ctx *ctx, const bosc_voxelgrid *grid, const struct bi_voxelgrid_view *v)
{
    int64_t entries = ((int64_t)1 << v->index_bits) + 1;
    struct bi_voxelgrid_index last = {*v, grid->starts.data};
    BI_TRY(ctx->backend->fill(ctx, grid->starts.data, 0, (size_t)entries * sizeof(uint32_t)));
    BI_TRY(ctx->ops->voxelgrid->steps->index(ctx, v->n, &last));
    return ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_INCLUSIVE, BOSC_U32, grid->starts.data, entries,
                                    grid->starts.data);
}

static bosc_status build_staged(bosc_ctx *ctx, bosc_voxelgrid *grid, struct bi_voxelgrid_rows *rows)
{
    bool staged = false;
    int64_t found[BI_VOXELGRID_FOUND];
    struct bi_voxelgrid_view next = grid->view;
    next.n = rows->n;
    if (rows->n == 0) {
        next.key_bits = 0;
        grid->view = next;
        return BOSC_OK;
    }
    BI_TRY(bi_voxelgrid_stage_rows(ctx, rows, &staged));
    BI_TRY(find_extent(ctx, grid, rows, found));
    shape_keys(&next, found);
    BI_TRY(bi_voxelgrid_reserve_blocks(ctx, grid, &next));
    if (next.keyed) {
        BI_TRY(sort_keys(ctx, grid, &next, rows));
        BI_TRY(make_index(ctx, grid, &next));
    } else {
        BI_TRY(sort_columns(ctx, grid, &next, rows));
    }
    BI_TRY(bi_voxelgrid_gather_rows(ctx, rows, grid->ids.data, next.n, next.wide, grid->points.data));
    if (staged) BI_TRY(ctx->backend->sync(ctx));
    grid->view = next;
    return BOSC_OK;
}

static bosc_status build(bosc_ctx *ctx, bosc_voxelgrid *grid, struct bi_voxelgrid_rows *rows)
{
    bosc_status status = build_staged(ctx, grid, rows);
    if (status != BOSC_OK && status != BOSC_ERR_DATA) grid->view.n = 0; /* its blocks may be half written */
    return status;
}

bosc_status bosc_voxelgrid_build(bosc_ctx *ctx, bosc_voxelgrid *grid, const void *points, int64_t n, int64_t stride)
{
    struct bi_voxelgrid_rows rows;
    BI_ENTER(ctx);
    BI_TRY(bi_voxelgrid_check(ctx, grid));
    if (n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points; a grid holds less than 2^32 - 1", (long long)n);
    BI_TRY(bi_voxelgrid_check_rows(ctx, grid, "points", points, "n", n, stride, &rows));
    bi_expect(ctx, 12 * (double)n);
    BI_RETURN_WITH_SCRATCH(ctx, build(ctx, grid, &rows));
}
