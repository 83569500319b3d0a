/* Builds a grid: extent of the voxels, keys, one stable sort, and an index of the sorted keys. */
#include "voxelgrid/handle.h"

/* Finds the first NaN, and the least and greatest coordinates. */
static bosc_status find_extent(bosc_ctx *ctx, const struct bi_voxelgrid_rows *rows, uint64_t found[BI_VOXELGRID_FOUND])
{
    const struct bi_voxelgrid_ops *ops = ctx->ops->voxelgrid;
    const size_t bytes = BI_VOXELGRID_FOUND * sizeof *found;
    struct bi_voxelgrid_extent extent = {*rows, rows->n < BI_VOXELGRID_ITEMS ? rows->n : BI_VOXELGRID_ITEMS, NULL};
    if (ops->extent) return ops->extent(ctx, rows, found);
    BI_TRY(bi_scratch_of(ctx, BI_VOXELGRID_FOUND, sizeof *found, &extent.found));
    BI_TRY(ctx->backend->fill(ctx, extent.found, 0xff, bytes));
    BI_TRY_WITH_COST(ctx, (double)rows->n / (double)extent.items, ops->steps->extent(ctx, extent.items, &extent));
    return bi_read_back(ctx, found, extent.found, bytes);
}

static bosc_status check_extent(bosc_ctx *ctx, const bosc_voxelgrid *grid, const uint64_t found[BI_VOXELGRID_FOUND])
{
    if (found[BI_VOXELGRID_NAN] != UINT64_MAX && !grid->opts.assume_valid)
        return bi_fail(ctx, BOSC_ERR_DATA, "points: row %lld holds a NaN", (long long)found[BI_VOXELGRID_NAN]);
    return BOSC_OK;
}

/* Sorts the row numbers by key into `ids`. */
static bosc_status sort_keys(bosc_ctx *ctx, struct bi_voxelgrid_view *v, const struct bi_voxelgrid_rows *rows,
                             void *sorted, uint32_t *ids)
{
    struct bi_voxelgrid_key key = {.view = *v, .rows = *rows};
    int bits = bi_bit_length(v->last_key);
    BI_TRY(bi_scratch_of(ctx, v->n, v->keys_64bit ? 8 : 4, &key.keys));
    BI_TRY(bi_scratch_of(ctx, v->n, sizeof(uint32_t), &key.ids));
    BI_TRY(ctx->ops->voxelgrid->steps->key(ctx, v->n, &key));
    return ctx->backend->core->sort_pairs(ctx, v->keys_64bit ? BOSC_U64 : BOSC_U32, key.keys, 4, key.ids, v->n, sorted,
                                          ids, 0, bits > 0 ? bits : 1);
}

/* The same where there are no keys: stable sorts by one coordinate after the other, from the last to the first. */
static bosc_status sort_columns(bosc_ctx *ctx, const struct bi_voxelgrid_view *v, const struct bi_voxelgrid_rows *rows,
                                uint32_t *ids)
{
    const struct bi_voxelgrid_steps *steps = ctx->ops->voxelgrid->steps;
    struct bi_voxelgrid_key key = {.view = *v, .rows = *rows, .ids = ids};
    struct bi_voxelgrid_column column = {.rows = *rows, .cell = v->cell, .perm = ids};
    BI_TRY(bi_scratch_of(ctx, v->n, sizeof(int64_t), &column.out));
    BI_TRY(steps->key(ctx, v->n, &key));
    for (column.c = v->dim - 1; column.c >= 0; column.c--) {
        BI_TRY(steps->column(ctx, v->n, &column));
        BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_I64, column.out, 4, ids, v->n, column.out, ids, 0, 64));
    }
    return BOSC_OK;
}

/* Builds the index of the sorted keys. */
static bosc_status build_index(bosc_ctx *ctx, const bosc_voxelgrid *grid, const struct bi_voxelgrid_view *v,
                               const void *sorted)
{
    int64_t entries = bi_voxelgrid_entries(v);
    struct bi_voxelgrid_index last = {*v, grid->starts.data};
    last.view.keys = sorted;
    BI_TRY(ctx->backend->fill(ctx, grid->starts.data, 0, (size_t)(entries + 1) * sizeof(uint32_t)));
    BI_TRY(ctx->ops->voxelgrid->steps->index(ctx, v->n, &last));
    return ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_INCLUSIVE, BOSC_U32, grid->starts.data, entries + 1,
                                    grid->starts.data);
}

/* Sorts the rows, and gathers the points in that order. */
static bosc_status sort_rows(bosc_ctx *ctx, const bosc_voxelgrid *grid, struct bi_voxelgrid_view *v,
                             const struct bi_voxelgrid_rows *rows)
{
    uint32_t *ids = grid->ids.data;
    void *sorted = grid->keys.data;
    if (!v->is_f64) BI_TRY(bi_scratch_of(ctx, v->n, sizeof *ids, &ids));
    if (!v->keyed) {
        BI_TRY(sort_columns(ctx, v, rows, ids));
    } else {
        if (v->shift == 0) BI_TRY(bi_scratch_of(ctx, v->n, v->keys_64bit ? 8 : 4, &sorted));
        BI_TRY(sort_keys(ctx, v, rows, sorted, ids));
        BI_TRY(build_index(ctx, grid, v, sorted));
        if (v->bricks.slots) BI_TRY(ctx->ops->voxelgrid->index_bricks(ctx, v));
    }
    return bi_voxelgrid_gather_rows(ctx, rows, ids, v->n, v->is_f64, grid->points.data);
}

/* Sorts the rows of a dense view by the backend's bucket build, if it has one. */
static bosc_status sort_by_buckets(bosc_ctx *ctx, const bosc_voxelgrid *grid, struct bi_voxelgrid_view *v,
                                   const struct bi_voxelgrid_rows *rows)
{
    if (!ctx->ops->voxelgrid->sort_by_buckets || !bi_voxelgrid_is_dense(v)) return BOSC_OK;
    struct bi_voxelgrid_dense_target target = {*v, *rows, grid->starts.data, grid->points.data};
    return ctx->ops->voxelgrid->sort_by_buckets(ctx, &target, &v->peak_density);
}

/* Finds the extent. With few rows the backend may build at once; v->peak_density is then not 0. */
static bosc_status find_extent_or_build(bosc_ctx *ctx, bosc_voxelgrid *grid, struct bi_voxelgrid_view *v,
                                        const struct bi_voxelgrid_rows *rows, uint64_t found[BI_VOXELGRID_FOUND])
{
    const struct bi_voxelgrid_ops *ops = ctx->ops->voxelgrid;
    v->peak_density = 0;
    if (v->is_f64 || !ops->build_in_one_launch || rows->n > ops->one_launch_limit) return find_extent(ctx, rows, found);
    BI_TRY(bi_voxelgrid_reserve_dense(ctx, grid, rows->n));
    struct bi_voxelgrid_dense_target target = {*v, *rows, grid->starts.data, grid->points.data};
    return ops->build_in_one_launch(ctx, &target, found, &v->peak_density);
}

/* Builds the grid; *rows may become a staged copy. No rows make an empty grid. The view changes last: after a NaN the
 * grid is as it was; other failures may have overwritten its blocks, so the caller empties it. */
static bosc_status build_staged(bosc_ctx *ctx, bosc_voxelgrid *grid, struct bi_voxelgrid_rows *rows)
{
    bool staged = false;
    uint64_t found[BI_VOXELGRID_FOUND];
    struct bi_voxelgrid_view next = grid->view;
    const struct bi_voxelgrid_rows source = *rows;
    next.n = rows->n;
    if (rows->n == 0) {
        next.key_bits = 0;
        grid->view = next;
        return BOSC_OK;
    }
    /* 1. Extent; with it the shape of the keys and the blocks. */
    BI_TRY(bi_voxelgrid_stage_rows(ctx, rows, &staged));
    BI_TRY(find_extent_or_build(ctx, grid, &next, rows, found));
    BI_TRY(check_extent(ctx, grid, found));
    bi_voxelgrid_shape_keys(&next, found);
    BI_TRY(bi_voxelgrid_reserve_blocks(ctx, grid, &next));
    /* 2. Sort: by the first method that applies. */
    if (next.peak_density == 0) BI_TRY(sort_by_buckets(ctx, grid, &next, rows));
    if (next.peak_density == 0) {
        BI_TRY(sort_rows(ctx, grid, &next, rows));
        next.peak_density = (double)INFINITY;
    }
    /* 3. Staged rows must outlive the kernels that read them. */
    if (staged) BI_TRY(ctx->backend->sync(ctx));
    grid->view = next;
    grid->source = source;
    return BOSC_OK;
}

static bosc_status build_or_clear(bosc_ctx *ctx, bosc_voxelgrid *grid, struct bi_voxelgrid_rows *rows)
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
    bi_progress_set_total(ctx, 12 * (double)n);
    BI_RETURN_WITH_SCRATCH(ctx, build_or_clear(ctx, grid, &rows));
}
