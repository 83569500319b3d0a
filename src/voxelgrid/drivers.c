/* Shared by the drivers of voxel grids: staged rows, squared radii, choice of searches, sorts of long rows. */
#include "voxelgrid/drivers.h"

bosc_status bi_voxelgrid_stage_rows(bosc_ctx *ctx, struct bi_voxelgrid_rows *rows, bool *staged)
{
    if (rows->n == 0) return BOSC_OK;
    size_t bytes = (size_t)((rows->n - 1) * rows->stride + rows->dim) * bosc_dtype_size(rows->dtype);
    return bi_stage_in(ctx, rows->data, bytes, &rows->data, staged);
}

bosc_status bi_voxelgrid_gather_rows(bosc_ctx *ctx, const struct bi_voxelgrid_rows *rows, const uint32_t *ids,
                                     int64_t count, bool is_f64, void *points)
{
    struct bi_voxelgrid_gather gather = {*rows, ids, count, bosc_dtype_size(rows->dtype), is_f64, points};
    return ctx->ops->voxelgrid->steps->gather(ctx, count, &gather);
}

/* The smallest float x with x * x > r2, by binary search: non-negative floats order as their bits. Infinite if r2
 * is. */
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

/* The same for doubles. */
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

void bi_voxelgrid_square_radius(const bosc_voxelgrid *grid, double radius, double *r2, double *reach)
{
    float r = (float)radius, square = r * r;
    *r2 = grid->view.is_f64 ? radius * radius : (double)square;
    *reach = grid->view.is_f64 ? reach_f64(*r2) : reach_f32(square);
}

struct bi_voxelgrid_searches bi_voxelgrid_select_searches(const bosc_ctx *ctx, const struct bi_voxelgrid_view *view,
                                                          double r2)
{
    const struct bi_voxelgrid_ops *ops = ctx->ops->voxelgrid;
    if (ops->dense_searches && view->n > 0 && r2 < (double)INFINITY && bi_voxelgrid_is_dense(view))
        return *ops->dense_searches;
    const struct bi_voxelgrid_steps *s = ops->steps;
    return (struct bi_voxelgrid_searches){.radius_count = s->radius_count,
                                          .radius_fill = s->radius_fill,
                                          .pair_count = s->pair_count,
                                          .pair_fill = s->pair_fill};
}

bosc_status bi_voxelgrid_alloc_long_rows(bosc_ctx *ctx, int64_t rows, int64_t entries, uint32_t **list)
{
    int64_t most = entries / (BI_LONG_ROW + 1);
    if (most > rows) most = rows;
    *list = NULL;
    if (most == 0 || !ctx->ops->voxelgrid->sort_rows) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, most + 1, sizeof **list, list));
    return ctx->backend->fill(ctx, *list, 0, sizeof **list);
}

bosc_status bi_voxelgrid_sort_long_rows(bosc_ctx *ctx, const struct bi_row_out *rows, const int64_t *offsets,
                                        const uint32_t *list)
{
    return list ? ctx->ops->voxelgrid->sort_rows(ctx, rows, offsets, list) : BOSC_OK;
}
