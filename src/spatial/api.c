/* The front door of voxel grids: handles, options, and what every call checks. */
#include <string.h>

#include "core/call.h"
#include "spatial/driver.h"

bosc_status bi_grid_check(bosc_ctx *ctx, const bosc_grid *grid)
{
    return bi_check_handle(ctx, "grid", grid ? &grid->memory : NULL);
}

bosc_status bi_grid_check_rows(bosc_ctx *ctx, const bosc_grid *grid, const char *array, const void *data,
                               const char *n_name, int64_t count, int64_t stride, struct bi_grid_rows *rows)
{
    int64_t size = (int64_t)bosc_dtype_size(grid->opts.dtype), dim = grid->opts.dim;
    if (count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is less than 0", n_name, (long long)count);
    if (count > 0 && !data) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", array);
    if (stride < 0 || (stride > 0 && stride < dim))
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than dim %d", (long long)stride, (int)dim);
    *rows = (struct bi_grid_rows){data, count, stride ? stride : dim, grid->opts.dtype, (int32_t)dim};
    if (count > 0 && rows->stride > (INT64_MAX / size - dim) / count)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld rows of %lld elements are more than memory can hold", n_name,
                       (long long)count, (long long)rows->stride);
    return bi_check_aligned(ctx, array, data, (size_t)size);
}

bosc_status bi_grid_check_radius(bosc_ctx *ctx, double radius)
{
    if (radius >= 0) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "radius: %g is not 0 or more", radius);
}

bosc_status bi_grid_check_answers(bosc_ctx *ctx, const bosc_grid *grid, const char *ids_name, const void *ids,
                                  const void *dist2)
{
    BI_TRY(bi_check_aligned(ctx, ids_name, ids, (size_t)grid->opts.id_bits / 8));
    return bi_check_aligned(ctx, "dist2", dist2, grid->opts.dtype == BOSC_F32 ? 4 : 8);
}

bosc_status bi_grid_check_opts(bosc_ctx *ctx, const bosc_grid_opts *opts, bosc_grid_opts *full)
{
    if (!opts) return bi_fail(ctx, BOSC_ERR_ARG, "opts: NULL, but dim and cell have no default");
    BI_TRY(bi_take_opts(ctx, "bosc_grid_opts", opts, full, sizeof *full));
    if (full->dtype == 0) full->dtype = BOSC_F32;
    if (full->id_bits == 0) full->id_bits = 64;
    if (full->dtype != BOSC_F32 && full->dtype != BOSC_F64 && full->dtype != BOSC_I32 && full->dtype != BOSC_I64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dtype %d is none of F32, F64, I32, I64", (int)full->dtype);
    if (full->dim < 1 || full->dim > BI_GRID_DIM)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dim %d is not in 1 to %d", (int)full->dim, BI_GRID_DIM);
    if (!(full->cell > 0) || full->cell > 0x1.fffffffffffffp1023)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: cell %g is not finite and more than 0", full->cell);
    if (full->id_bits != 32 && full->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)full->id_bits);
    return BOSC_OK;
}

bosc_status bosc_grid_create(bosc_ctx *ctx, const bosc_grid_opts *opts, bosc_grid **grid)
{
    bosc_grid_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_grid_check_opts(ctx, opts, &full));
    if (!grid) return bi_fail(ctx, BOSC_ERR_ARG, "grid: NULL");
    bosc_grid *fresh = bi_host_alloc(ctx, sizeof *fresh);
    if (!fresh) return BOSC_ERR_NOMEM;
    *fresh = (bosc_grid){.memory = ctx->memory, .host = ctx->host, .opts = full};
    fresh->view.dim = full.dim;
    fresh->view.cell = full.cell;
    fresh->view.wide = full.dtype != BOSC_F32;
    *grid = fresh;
    return BOSC_OK;
}

void bosc_grid_free(bosc_grid *grid)
{
    if (!grid) return;
    struct bi_memory host = grid->host;
    bi_block_free(&grid->memory, &grid->points);
    bi_block_free(&grid->memory, &grid->ids);
    bi_block_free(&grid->memory, &grid->keys);
    bi_block_free(&grid->memory, &grid->starts);
    bi_memory_release(&host, grid, sizeof *grid);
}

bosc_status bosc_grid_build(bosc_ctx *ctx, bosc_grid *grid, const void *points, int64_t n, int64_t stride)
{
    struct bi_grid_rows rows;
    BI_ENTER(ctx);
    BI_TRY(bi_grid_check(ctx, grid));
    if (n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points; a grid holds less than 2^32 - 1", (long long)n);
    BI_TRY(bi_grid_check_rows(ctx, grid, "points", points, "n", n, stride, &rows));
    return bi_grid_build(ctx, grid, rows);
}

bosc_status bosc_grid_get_info(const bosc_grid *grid, bosc_grid_info *info)
{
    if (!grid || !info || info->size < sizeof(size_t) || info->size > sizeof *info) return BOSC_ERR_ARG;
    bosc_grid_info full = {.size = info->size,
                           .n = grid->view.n,
                           .cell = grid->opts.cell,
                           .dim = grid->opts.dim,
                           .dtype = grid->opts.dtype,
                           .id_bits = grid->opts.id_bits,
                           .key_bits = grid->view.key_bits,
                           .bytes =
                               (int64_t)(grid->points.bytes + grid->ids.bytes + grid->keys.bytes + grid->starts.bytes)};
    for (int c = 0; c < grid->opts.dim && full.n > 0; c++) {
        full.low[c] = grid->view.low.at[c];
        full.high[c] = grid->view.high.at[c];
    }
    memcpy(info, &full, info->size);
    return BOSC_OK;
}
