/* The handle of geometric hashing: options, checks, and what a table tells of itself. */
#include <string.h>

#include "geometric/handle.h"

enum { MAX_BASES = 1 << 26, MIN_NEIGHBOURS = 8 };

bosc_status bi_geometric_check(bosc_ctx *ctx, const bosc_geometric *table)
{
    return bi_check_handle(ctx, "table", table ? &table->memory : NULL);
}

static bool is_fraction(double x) { return x > 0 && x <= 1; }

bosc_status bi_geometric_check_opts(bosc_ctx *ctx, const bosc_geometric_opts *opts, bosc_geometric_opts *full)
{
    BI_TRY(bi_take_opts(ctx, "bosc_geometric_opts", opts, full, sizeof *full));
    if (full->min_fraction == 0) full->min_fraction = 0.4;
    if (full->stop_fraction == 0) full->stop_fraction = 0.9;
    if (full->id_bits == 0) full->id_bits = 64;
    if (full->kind != BOSC_GEOMETRIC_SIMILARITY && full->kind != BOSC_GEOMETRIC_AFFINE)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: kind %d is none", (int)full->kind);
    if (!(full->tolerance >= 0 && full->tolerance <= 1e60))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: tolerance %g is not in 0 to 1e60", full->tolerance);
    if (full->vote_radius != 0 && !(full->vote_radius >= 1e-6 && full->vote_radius <= 1))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: vote_radius %g is not in 1e-6 to 1", full->vote_radius);
    if (full->neighbours != 0 && full->neighbours < MIN_NEIGHBOURS)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: neighbours %d is neither 0 nor at least %d", (int)full->neighbours,
                       MIN_NEIGHBOURS);
    if (full->max_bases < 0 || full->max_bases > MAX_BASES)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: max_bases %lld is not in 0 to 2^26", (long long)full->max_bases);
    if (full->max_trials < 0 || full->max_trials > INT32_MAX)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: max_trials %lld is not in 0 to 2^31 - 1", (long long)full->max_trials);
    if (!is_fraction(full->min_fraction))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: min_fraction %g is not in 0 to 1", full->min_fraction);
    if (!is_fraction(full->stop_fraction))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: stop_fraction %g is not in 0 to 1", full->stop_fraction);
    if (full->reserved) return bi_fail(ctx, BOSC_ERR_ARG, "opts: reserved is not 0");
    if (full->id_bits != 32 && full->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)full->id_bits);
    return BOSC_OK;
}

bosc_status bi_geometric_check_model(bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n)
{
    int64_t least = opts->kind == BOSC_GEOMETRIC_AFFINE ? 4 : 3;
    if (n < least)
        return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than %lld, a basis and a point", (long long)n,
                       (long long)least);
    if (n > BI_GEOMETRIC_MAX_MODEL)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points are more than %d", (long long)n,
                       (int)BI_GEOMETRIC_MAX_MODEL);
    return BOSC_OK;
}

bosc_status bi_geometric_check_points(bosc_ctx *ctx, const char *array, const double *points)
{
    if (!points) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", array);
    return bi_check_aligned(ctx, array, points, sizeof *points);
}

bosc_status bi_geometric_fetch(bosc_ctx *ctx, const char *array, const double *points, int64_t n, double *copy)
{
    BI_TRY(ctx->backend->copy(ctx, copy, points, (size_t)n * 2 * sizeof *copy));
    BI_TRY(ctx->backend->sync(ctx));
    for (int64_t i = 0; i < 2 * n; i++)
        if (!(copy[i] >= -1e60 && copy[i] <= 1e60))
            return bi_fail(ctx, BOSC_ERR_DATA, "%s: row %lld holds %g, not finite or beyond 1e60", array,
                           (long long)(i / 2), copy[i]);
    return BOSC_OK;
}

bosc_status bi_geometric_make_grid(bosc_ctx *ctx, double vote_radius, bosc_voxelgrid **grid)
{
    bosc_voxelgrid_opts opts = {.size = sizeof opts, .dim = 2, .cell = vote_radius, .id_bits = 32};
    return bosc_voxelgrid_create(ctx, &opts, grid);
}

bosc_status bi_geometric_fit_grid(bosc_ctx *ctx, bosc_geometric *table, double vote_radius)
{
    bosc_voxelgrid_info info = {.size = sizeof info};
    bosc_voxelgrid *grid = NULL;
    BI_TRY(bosc_voxelgrid_get_info(ctx, table->grid, &info));
    if (info.cell == vote_radius) return BOSC_OK;
    BI_TRY(bi_geometric_make_grid(ctx, vote_radius, &grid));
    bosc_voxelgrid_free(table->grid);
    table->grid = grid;
    return BOSC_OK;
}

bosc_status bosc_geometric_create(bosc_ctx *ctx, const bosc_geometric_opts *opts, bosc_geometric **table)
{
    bosc_geometric_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_geometric_check_opts(ctx, opts, &full));
    if (!table) return bi_fail(ctx, BOSC_ERR_ARG, "table: NULL");
    bosc_voxelgrid *grid = NULL;
    BI_TRY(bi_geometric_make_grid(ctx, full.vote_radius > 0 ? full.vote_radius : 0.02, &grid));
    bosc_geometric *fresh = bi_host_alloc(ctx, sizeof *fresh);
    if (!fresh) {
        bosc_voxelgrid_free(grid);
        return BOSC_ERR_NOMEM;
    }
    *fresh = (bosc_geometric){.memory = ctx->memory, .host = ctx->host, .opts = full, .grid = grid};
    *table = fresh;
    return BOSC_OK;
}

void bosc_geometric_free(bosc_geometric *table)
{
    if (!table) return;
    struct bi_memory host = table->host;
    bosc_voxelgrid_free(table->grid);
    bi_block_free(&table->memory, &table->points);
    bi_block_free(&table->memory, &table->list);
    bi_block_free(&host, &table->copy);
    bi_block_free(&host, &table->next_copy);
    bi_memory_release(&host, table, sizeof *table);
}

bosc_status bosc_geometric_get_info(bosc_ctx *ctx, const bosc_geometric *table, bosc_geometric_info *info)
{
    bosc_voxelgrid_info grid = {.size = sizeof grid};
    BI_ENTER(ctx);
    BI_TRY(bi_geometric_check(ctx, table));
    if (!info) return bi_fail(ctx, BOSC_ERR_ARG, "info: NULL");
    BI_TRY(bi_check_info(ctx, "info", "bosc_geometric_info", info->size, sizeof *info));
    BI_TRY(bosc_voxelgrid_get_info(ctx, table->grid, &grid));
    bosc_geometric_info full = {.n = table->n,
                                .bases = table->bases,
                                .entries = table->bases * bi_geometric_points_per_basis(table),
                                .tolerance = table->tolerance,
                                .id_bits = table->opts.id_bits,
                                .bytes = (int64_t)(table->points.bytes + table->list.bytes) + grid.bytes};
    bi_give_info(info, &full, sizeof full);
    return BOSC_OK;
}
