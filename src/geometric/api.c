/* The front door of geometric hashing: handles, options, checks. */
#include <string.h>

#include "core/call.h"
#include "geometric/driver.h"

enum { MODEL_MOST = 65536, SCENE_MOST = 1 << 20, BASES_MOST = 1 << 26, NEAR_LEAST = 8 };

static bosc_status check_table(bosc_ctx *ctx, const bosc_geometric *table)
{
    return bi_check_handle(ctx, "table", table ? &table->memory : NULL);
}

bosc_status bi_geo_make_grid(bosc_ctx *ctx, double cell, bosc_grid **grid)
{
    bosc_grid_opts opts = {.size = sizeof opts, .dim = 2, .cell = cell, .id_bits = 32};
    return bosc_grid_create(ctx, &opts, grid);
}

static bool is_part(double x) { return x > 0 && x <= 1; }

static bosc_status check_opts(bosc_ctx *ctx, const bosc_geometric_opts *opts, bosc_geometric_opts *full)
{
    BI_TRY(bi_take_opts(ctx, "bosc_geometric_opts", opts, full, sizeof *full));
    if (full->least == 0) full->least = 0.4;
    if (full->enough == 0) full->enough = 0.9;
    if (full->kind != BOSC_GEOMETRIC_SIMILARITY && full->kind != BOSC_GEOMETRIC_AFFINE)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: kind %d is none", (int)full->kind);
    if (!(full->tolerance >= 0 && full->tolerance <= 1e60))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: tolerance %g is not in 0 to 1e60", full->tolerance);
    if (full->vote != 0 && !(full->vote >= 1e-6 && full->vote <= 1))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: vote %g is not in 1e-6 to 1", full->vote);
    if (full->near != 0 && full->near < NEAR_LEAST)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: near %d is neither 0 nor at least %d", (int)full->near, NEAR_LEAST);
    if (full->bases < 0 || full->bases > BASES_MOST)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: bases %lld is not in 0 to 2^26", (long long)full->bases);
    if (full->tries < 0 || full->tries > INT32_MAX)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: tries %lld is not in 0 to 2^31 - 1", (long long)full->tries);
    if (!is_part(full->least)) return bi_fail(ctx, BOSC_ERR_ARG, "opts: least %g is not in 0 to 1", full->least);
    if (!is_part(full->enough)) return bi_fail(ctx, BOSC_ERR_ARG, "opts: enough %g is not in 0 to 1", full->enough);
    return BOSC_OK;
}

bosc_status bosc_geometric_create(bosc_ctx *ctx, const bosc_geometric_opts *opts, bosc_geometric **table)
{
    bosc_geometric_opts full;
    BI_ENTER(ctx);
    BI_TRY(check_opts(ctx, opts, &full));
    if (!table) return bi_fail(ctx, BOSC_ERR_ARG, "table: NULL");
    bosc_grid *grid = NULL;
    BI_TRY(bi_geo_make_grid(ctx, full.vote > 0 ? full.vote : 0.02, &grid));
    bosc_geometric *fresh = bi_host_alloc(ctx, sizeof *fresh);
    if (!fresh) {
        bosc_grid_free(grid);
        return BOSC_ERR_NOMEM;
    }
    *fresh = (bosc_geometric){.memory = ctx->memory, .host = ctx->host, .opts = full, .grid = grid};
    *table = fresh;
    return BOSC_OK;
}

/* n points make a model of this kind. */
static bosc_status check_model(bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n)
{
    int64_t least = opts->kind == BOSC_GEOMETRIC_AFFINE ? 4 : 3;
    if (n < least)
        return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than %lld, a basis and a point", (long long)n,
                       (long long)least);
    if (n > MODEL_MOST)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points are more than %d", (long long)n, (int)MODEL_MOST);
    return BOSC_OK;
}

bosc_status bosc_geometric_bytes(const bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n, int64_t *kept,
                                 int64_t *scratch)
{
    bosc_geometric_opts full;
    struct bi_geo_choose choose;
    if (!ctx) return BOSC_ERR_ARG;
    bosc_ctx *says = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    bi_begin(says);
    BI_TRY(check_opts(says, opts, &full));
    BI_TRY(check_model(says, &full, n));
    BI_TRY(bi_geo_plan(says, &full, n, &choose));
    return bi_geo_plan_bytes(says, &choose, kept, scratch);
}

void bosc_geometric_free(bosc_geometric *table)
{
    if (!table) return;
    struct bi_memory host = table->host;
    bosc_grid_free(table->grid);
    bi_block_free(&table->memory, &table->points);
    bi_block_free(&table->memory, &table->list);
    bi_block_free(&host, &table->copy);
    bi_memory_release(&host, table, sizeof *table);
}

static bosc_status check_points(bosc_ctx *ctx, const char *array, const double *points)
{
    if (!points) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", array);
    return bi_check_aligned(ctx, array, points, sizeof *points);
}

bosc_status bosc_geometric_build(bosc_ctx *ctx, bosc_geometric *table, const double *points, int64_t n)
{
    BI_ENTER(ctx);
    BI_TRY(check_table(ctx, table));
    BI_TRY(check_model(ctx, &table->opts, n));
    BI_TRY(check_points(ctx, "points", points));
    BI_RETURN_WITH_SCRATCH(ctx, bi_geo_build(ctx, table, points, n));
}

bosc_status bosc_geometric_find(bosc_ctx *ctx, const bosc_geometric *table, const double *scene, int64_t m,
                                int64_t *ids, bosc_geometric_match *match)
{
    BI_ENTER(ctx);
    BI_TRY(check_table(ctx, table));
    if (table->n == 0) return bi_fail(ctx, BOSC_ERR_ARG, "table: it holds no model");
    if (m < 0) return bi_fail(ctx, BOSC_ERR_ARG, "m: %lld is less than 0", (long long)m);
    if (m > SCENE_MOST)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "m: %lld points are more than %d", (long long)m, (int)SCENE_MOST);
    if (m > 0) BI_TRY(check_points(ctx, "scene", scene));
    BI_TRY(bi_check_aligned(ctx, "ids", ids, sizeof *ids));
    if (!match) return bi_fail(ctx, BOSC_ERR_ARG, "match: NULL");
    BI_TRY(bi_check_size(ctx, "match", "bosc_geometric_match", match->size, sizeof *match));
    struct bi_mark mark = bi_arena_mark(ctx);
    bosc_geometric_match full = {0};
    bosc_status status = bi_geo_find(ctx, table, scene, m, ids, &full);
    bi_arena_rewind(ctx, mark);
    if (status != BOSC_OK) return status;
    full.size = match->size;
    memcpy(match, &full, full.size);
    return BOSC_OK;
}

bosc_status bosc_geometric_get_info(const bosc_geometric *table, bosc_geometric_info *info)
{
    bosc_grid_info grid = {.size = sizeof grid};
    if (!table || !info || info->size < sizeof(size_t) || info->size > sizeof *info) return BOSC_ERR_ARG;
    bosc_grid_get_info(table->grid, &grid);
    bosc_geometric_info full = {.size = info->size,
                                .n = table->n,
                                .bases = table->bases,
                                .entries = table->bases * bi_geo_per(table),
                                .tolerance = table->tolerance,
                                .bytes = (int64_t)(table->points.bytes + table->list.bytes) + grid.bytes};
    memcpy(info, &full, info->size);
    return BOSC_OK;
}
