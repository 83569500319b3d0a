/* The handle of geometric hashing: options, checks, create and free, info. */
#include <math.h>
#include <string.h>

#include "geometric/handle.h"

/* MAX_BASES bounds memory. Fewer than MIN_NEIGHBOURS leave few bases a point; not measured. */
enum { MAX_BASES = 1 << 26, MIN_NEIGHBOURS = 8 };

bosc_status bi_geometric_check(bosc_ctx *ctx, const bosc_geometric *table)
{
    return bi_check_handle(ctx, "table", table ? &table->memory : NULL);
}

static bool is_fraction(double x) { return x > 0 && x <= 1; }

/* NULL means the defaults. Zero tolerance, vote_radius, neighbours, max_bases and max_trials stay: builds and searches
 * choose the values. A zero kind is SIMILARITY; all kinds are valid in both dimensions. *full may change on failure.
 * 1e60 is also the limit of 2-D coordinates. */
bosc_status bi_geometric_check_opts(bosc_ctx *ctx, const bosc_geometric_opts *opts, bosc_geometric_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_geometric_opts", opts, full, sizeof *full));
    /* 1. Defaults. */
    if (full->min_fraction == 0) full->min_fraction = 0.4;
    if (full->stop_fraction == 0) full->stop_fraction = 0.9;
    if (full->id_bits == 0) full->id_bits = 64;
    if (full->dim == 0) full->dim = 2;
    /* 2. Ranges. */
    if (full->kind != BOSC_GEOMETRIC_SIMILARITY && full->kind != BOSC_GEOMETRIC_AFFINE &&
        full->kind != BOSC_GEOMETRIC_RIGID)
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
    if (full->dim != 2 && full->dim != 3)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dim %d is neither 2 nor 3", (int)full->dim);
    if (full->instances != 0 && full->instances != 1)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: instances %d is neither 0 nor 1", (int)full->instances);
    if (full->exclusive != 0 && full->exclusive != 1)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: exclusive %d is neither 0 nor 1", (int)full->exclusive);
    if (full->id_bits != 32 && full->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)full->id_bits);
    return BOSC_OK;
}

/* Returns the least number of points of a model: a basis and one more. */
static int64_t min_points(const bosc_geometric_opts *opts)
{
    return opts->dim + 1 + (opts->kind == BOSC_GEOMETRIC_AFFINE);
}

bosc_status bi_geometric_check_model(bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n)
{
    if (n < min_points(opts))
        return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than %lld, a basis and a point", (long long)n,
                       (long long)min_points(opts));
    if (n > BI_GEOMETRIC_MAX_POINTS)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points are more than %d", (long long)n,
                       (int)BI_GEOMETRIC_MAX_POINTS);
    return BOSC_OK;
}

bosc_status bi_geometric_check_count(bosc_ctx *ctx, const int64_t *offsets, int64_t count)
{
    if (count < 1) return bi_fail(ctx, BOSC_ERR_ARG, "model_count: %lld is less than 1", (long long)count);
    if (count > BI_GEOMETRIC_MAX_MODELS)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "model_count: %lld models are more than %d", (long long)count,
                       (int)BI_GEOMETRIC_MAX_MODELS);
    if (!offsets) return bi_fail(ctx, BOSC_ERR_ARG, "offsets: NULL");
    return bi_check_aligned(ctx, "offsets", offsets, sizeof *offsets);
}

bosc_status bi_geometric_check_offsets(bosc_ctx *ctx, const bosc_geometric_opts *opts, const int64_t *offsets,
                                       int64_t count)
{
    if (offsets[0] != 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "offsets: they begin with %lld, not 0", (long long)offsets[0]);
    for (int64_t k = 0; k < count; k++) {
        int64_t n = 0;
        if (offsets[k + 1] >= offsets[k]) n = offsets[k + 1] - offsets[k];
        if (n < min_points(opts))
            return bi_fail(ctx, BOSC_ERR_ARG,
                           "offsets: model %lld has points %lld to %lld, less than %lld, a basis and "
                           "a point",
                           (long long)k, (long long)offsets[k], (long long)offsets[k + 1], (long long)min_points(opts));
        if (n > BI_GEOMETRIC_MAX_POINTS)
            return bi_fail(ctx, BOSC_ERR_LIMIT, "offsets: the %lld points of model %lld are more than %d", (long long)n,
                           (long long)k, (int)BI_GEOMETRIC_MAX_POINTS);
        if (offsets[k + 1] > BI_GEOMETRIC_MAX_TOTAL)
            return bi_fail(ctx, BOSC_ERR_LIMIT, "offsets: the points of all models are more than %d",
                           (int)BI_GEOMETRIC_MAX_TOTAL);
    }
    return BOSC_OK;
}

bosc_status bi_geometric_check_points(bosc_ctx *ctx, const char *array, const double *points)
{
    if (!points) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", array);
    return bi_check_aligned(ctx, array, points, sizeof *points);
}

bosc_status bi_geometric_fetch_points(bosc_ctx *ctx, const char *array, const double *points, int64_t n, int32_t dim,
                                      double *copy)
{
    /* Products of the coordinates of a basis stay finite, and those of extents do not underflow. */
    const double most = dim == 3 ? 1e40 : 1e60, least = dim == 3 ? 1e-40 : 1e-60;
    double largest = 0;
    BI_TRY(ctx->backend->copy(ctx, copy, points, (size_t)(n * dim) * sizeof *copy));
    BI_TRY(ctx->backend->sync(ctx));
    for (int64_t i = 0; i < dim * n; i++) {
        if (!(copy[i] >= -most && copy[i] <= most))
            return bi_fail(ctx, BOSC_ERR_DATA, "%s: row %lld holds %g, not finite or beyond %s", array,
                           (long long)(i / dim), copy[i], dim == 3 ? "1e40" : "1e60");
        if (fabs(copy[i]) > largest) largest = fabs(copy[i]);
    }
    if (largest > 0 && largest < least)
        return bi_fail(ctx, BOSC_ERR_DATA, "%s: the largest coordinate is %g, less than %s; multiply all points", array,
                       largest, dim == 3 ? "1e-40" : "1e-60");
    return BOSC_OK;
}

/* Creates an empty grid with voxels as wide as the vote radius. */
static bosc_status create_grid(bosc_ctx *ctx, int32_t dim, double vote_radius, bosc_voxelgrid **grid)
{
    bosc_voxelgrid_opts opts = {.size = sizeof opts, .dim = dim, .cell = vote_radius, .id_bits = 32};
    return bosc_voxelgrid_create(ctx, &opts, grid);
}

bosc_status bi_geometric_resize_grid(bosc_ctx *ctx, bosc_geometric *table, double vote_radius)
{
    bosc_voxelgrid_info info = {.size = sizeof info};
    bosc_voxelgrid *grid = NULL;
    BI_TRY(bosc_voxelgrid_get_info(ctx, table->grid, &info));
    if (info.cell == vote_radius) return BOSC_OK;
    BI_TRY(create_grid(ctx, table->opts.dim, vote_radius, &grid));
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
    BI_TRY(create_grid(ctx, full.dim, full.vote_radius > 0 ? full.vote_radius : 0.02, &grid));
    const bosc_status status = BI_NEW_HANDLE(ctx, table, .opts = full, .grid = grid);
    if (status != BOSC_OK) bosc_voxelgrid_free(grid);
    return status;
}

void bosc_geometric_free(bosc_geometric *table)
{
    if (!table) return;
    bosc_voxelgrid_free(table->grid);
    bi_block_free(&table->memory, &table->points);
    bi_block_free(&table->memory, &table->models);
    bi_block_free(&table->memory, &table->list);
    bi_block_free(&table->memory, &table->basis_of);
    bi_block_free(&table->host, &table->copy);
    bi_block_free(&table->host, &table->next_copy);
    bi_memory_release(&table->host, table, sizeof *table);
}

bosc_status bosc_geometric_get_info(bosc_ctx *ctx, const bosc_geometric *table, bosc_geometric_info *info)
{
    bosc_voxelgrid_info grid = {.size = sizeof grid};
    BI_ENTER(ctx);
    BI_TRY(bi_geometric_check(ctx, table));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_geometric_info));
    BI_TRY(bosc_voxelgrid_get_info(ctx, table->grid, &grid));
    const struct bi_block *const blocks[] = {&table->points, &table->models, &table->list, &table->basis_of};
    const struct bi_geometric_model *models = bi_geometric_models_in(&table->copy);
    bosc_geometric_info full = {.n = table->n,
                                .bases = table->bases,
                                .entries = table->entries,
                                .bytes = grid.bytes,
                                .id_bits = table->opts.id_bits,
                                .dim = table->opts.dim,
                                .models = table->count,
                                .largest = table->largest};
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) full.bytes += (int64_t)blocks[b]->bytes;
    for (int64_t k = 0; k < table->count; k++)
        if (models[k].tolerance > full.tolerance) full.tolerance = models[k].tolerance;
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}
