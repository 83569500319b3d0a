/* The driver that makes the table of a model. */
#include "base/bits.h"
#include "geometric/driver.h"

bosc_status bi_geo_fetch(bosc_ctx *ctx, const char *array, const double *points, int64_t n, double *copy)
{
    BI_TRY(ctx->backend->copy(ctx, copy, points, (size_t)n * 2 * sizeof *copy));
    BI_TRY(ctx->backend->sync(ctx));
    for (int64_t i = 0; i < 2 * n; i++)
        if (!(copy[i] >= -1e60 && copy[i] <= 1e60))
            return bi_fail(ctx, BOSC_ERR_DATA, "%s: row %lld holds %g, not finite or beyond 1e60", array,
                           (long long)(i / 2), copy[i]);
    return BOSC_OK;
}

/* The trace and the determinant of the points' mean squared deviations. */
struct spread {
    double trace, determinant;
};

static struct spread measure(const double *points, int64_t n)
{
    double mean[2] = {0, 0}, xx = 0, xy = 0, yy = 0;
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) mean[k] += points[2 * i + k] / (double)n;
    for (int64_t i = 0; i < n; i++) {
        double x = points[2 * i] - mean[0], y = points[2 * i + 1] - mean[1];
        xx += x * x / (double)n;
        xy += x * y / (double)n;
        yy += y * y / (double)n;
    }
    return (struct spread){xx + yy, xx * yy - xy * xy};
}

static uint64_t count_bases(uint64_t n, bool affine) { return n * (n - 1) * (affine ? n - 2 : 1); }

/* Chooses bases; *list (scratch) and *bases those that serve. */
static bosc_status choose(bosc_ctx *ctx, const bosc_geometric *table, const double *points, int64_t n,
                          const struct spread *s, uint32_t **list, int64_t *bases)
{
    bool affine = table->opts.kind == BOSC_GEOMETRIC_AFFINE;
    int64_t most = table->opts.bases, usual = (int64_t)(1 << 22) / n;
    if (most == 0) most = usual < 64 ? 64 : usual > 16384 ? 16384 : usual;
    struct bi_geo_choose choose = {.points = points, .n = n, .all = count_bases((uint64_t)n, affine)};
    choose.count = (uint64_t)most < choose.all ? most : (int64_t)choose.all;
    choose.seed = table->opts.seed;
    choose.affine = affine;
    choose.least = affine ? sqrt(s->determinant > 0 ? s->determinant : 0) : s->trace;
    if (choose.count > (int64_t)UINT32_MAX / n - 1)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld bases of %lld points are more than 2^32 entries",
                       (long long)choose.count, (long long)n);
    size_t size = BI_GEOMETRIC_CORNERS * sizeof(uint32_t);
    void *count;
    BI_TRY(bi_scratch_of(ctx, choose.count, size, &choose.list));
    BI_TRY(bi_scratch_of(ctx, choose.count, size, list));
    BI_TRY(bi_scratch_of(ctx, choose.count, 1, &choose.keep));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *bases, &count));
    BI_TRY(bi_geo_steps_of(ctx)->geo_choose(ctx, choose.count, &choose));
    BI_TRY(ctx->backend->core->compact(ctx, size, choose.list, choose.keep, choose.count, *list, count));
    BI_TRY(bi_read_back(ctx, bases, count, sizeof *bases));
    if (*bases == 0 || !(choose.least > s->trace * 1e-12))
        return bi_fail(ctx, BOSC_ERR_DATA, "points: they are in one place%s and make no basis",
                       affine ? " or on a line" : "");
    return BOSC_OK;
}

static bosc_status keep(bosc_ctx *ctx, bosc_geometric *table, const double *points, int64_t n, const uint32_t *list,
                        int64_t bases)
{
    size_t bytes = (size_t)n * 2 * sizeof *points, corners = BI_GEOMETRIC_CORNERS * sizeof *list;
    struct bi_geo_place place = {
        .n = n, .affine = table->opts.kind == BOSC_GEOMETRIC_AFFINE, .outside = BI_GEOMETRIC_OUTSIDE};
    BI_TRY(bi_block_reserve(ctx, &table->memory, &table->points, bytes));
    BI_TRY(bi_block_reserve(ctx, &table->memory, &table->list, (size_t)bases * corners));
    BI_TRY(ctx->backend->copy(ctx, table->points.data, points, bytes));
    BI_TRY(ctx->backend->copy(ctx, table->list.data, list, (size_t)bases * corners));
    place.points = table->points.data;
    place.list = table->list.data;
    BI_TRY(bi_scratch_of(ctx, bases * n, 2 * sizeof(float), &place.uv));
    BI_TRY(bi_geo_steps_of(ctx)->geo_place(ctx, bases * n, &place));
    return bosc_grid_build(ctx, table->grid, place.uv, bases * n, 2);
}

bosc_status bi_geo_build(bosc_ctx *ctx, bosc_geometric *table, const double *points, int64_t n)
{
    bool staged = false;
    const void *reachable;
    uint32_t *list;
    int64_t bases;
    struct bi_block copy = {0};
    BI_TRY(bi_block_reserve(ctx, &table->host, &copy, (size_t)n * 2 * sizeof *points));
    bosc_status status = bi_geo_fetch(ctx, "points", points, n, copy.data);
    struct spread s = {0, 0};
    if (status == BOSC_OK) s = measure(copy.data, n);
    if (status == BOSC_OK) status = bi_stage_in(ctx, points, (size_t)n * 2 * sizeof *points, &reachable, &staged);
    if (status == BOSC_OK) status = choose(ctx, table, reachable, n, &s, &list, &bases);
    if (status != BOSC_OK) {
        bi_block_free(&table->host, &copy);
        return status;
    }
    table->n = table->bases = 0;
    bi_block_free(&table->host, &table->copy);
    table->copy = copy;
    BI_TRY(keep(ctx, table, reachable, n, list, bases));
    BI_TRY(ctx->backend->sync(ctx));
    table->n = n;
    table->bases = bases;
    table->tolerance = table->opts.tolerance > 0 ? table->opts.tolerance : 0.03 * sqrt(s.trace);
    return BOSC_OK;
}
