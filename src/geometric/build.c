/* The driver that makes the table of a model. */
#include "base/bits.h"
#include "geometric/driver.h"

enum {
    NEAR_PAIRS = 4, /* bases of each point's near ones */
    NEAR_TRIPLES = 16,
    ENTRIES_MOST = 1 << 24 /* unless the caller wants more */
};
#define NEAR_VOTE 0.05

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

uint64_t bi_geo_count_bases(int64_t n, const struct bi_geo_near *near, bool affine)
{
    uint64_t all = (uint64_t)n;
    if (near->count) return all * bi_geo_choices(near->low, near->high, affine);
    return all * (all - 1) * (affine ? all - 2 : 1);
}

/* How many bases of a model are looked at. */
static int64_t usual_bases(const bosc_geometric_opts *opts, int64_t n, const struct bi_geo_near *near, uint64_t all)
{
    int64_t count = opts->bases;
    if (count == 0 && near->count) {
        int64_t most = ENTRIES_MOST / near->count;
        count = n * (opts->kind == BOSC_GEOMETRIC_AFFINE ? NEAR_TRIPLES : NEAR_PAIRS);
        if (count > most) count = most;
    } else if (count == 0) {
        int64_t usual = (int64_t)(1 << 22) / n;
        count = usual < 64 ? 64 : usual > 16384 ? 16384 : usual;
    }
    return (uint64_t)count < all ? count : (int64_t)all;
}

bosc_status bi_geo_plan(bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n, struct bi_geo_choose *choose)
{
    *choose = (struct bi_geo_choose){.n = n, .seed = opts->seed, .model = true};
    choose->affine = opts->kind == BOSC_GEOMETRIC_AFFINE;
    int64_t count = bi_geo_near_count(opts, n);
    if (count) choose->near = bi_geo_near_of(count, n, choose->affine);
    choose->all = bi_geo_count_bases(n, &choose->near, choose->affine);
    choose->count = usual_bases(opts, n, &choose->near, choose->all);
    int64_t per = count ? count : n;
    if (choose->count > (int64_t)UINT32_MAX / per - 1)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld bases of %lld points are more than 2^32 entries",
                       (long long)choose->count, (long long)per);
    return BOSC_OK;
}

static bosc_status make_near(bosc_ctx *ctx, struct bi_geo_choose *choose)
{
    bosc_kdtree *tree = NULL;
    if (!choose->near.count) return BOSC_OK;
    bosc_status status = bi_geo_make_tree(ctx, choose->points, choose->n, &tree);
    if (status == BOSC_OK) status = bi_geo_find_near(ctx, tree, choose->n, choose);
    bosc_kdtree_free(tree);
    return status;
}

/* Chooses bases; *list (scratch) and *bases those that serve. */
static bosc_status choose_bases(bosc_ctx *ctx, struct bi_geo_choose *choose, const struct spread *s, uint32_t **list,
                                int64_t *bases)
{
    choose->least = choose->affine ? sqrt(s->determinant > 0 ? s->determinant : 0) : s->trace;
    size_t size = BI_GEOMETRIC_CORNERS * sizeof(uint32_t);
    void *count;
    BI_TRY(make_near(ctx, choose));
    BI_TRY(bi_scratch_of(ctx, choose->count, size, &choose->list));
    BI_TRY(bi_scratch_of(ctx, choose->count, size, list));
    BI_TRY(bi_scratch_of(ctx, choose->count, 1, &choose->keep));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *bases, &count));
    BI_TRY(ctx->ops->geometric->geo_choose(ctx, choose->count, choose));
    BI_TRY(ctx->backend->core->compact(ctx, size, choose->list, choose->keep, choose->count, *list, count));
    BI_TRY(bi_read_back(ctx, bases, count, sizeof *bases));
    if (*bases == 0 || !(choose->least > s->trace * 1e-12))
        return bi_fail(ctx, BOSC_ERR_DATA, "points: they are in one place%s and make no basis",
                       choose->affine ? " or on a line" : "");
    return BOSC_OK;
}

/* A grid with voxels as wide as votes reach. */
static bosc_status fit_grid(bosc_ctx *ctx, bosc_geometric *table)
{
    bosc_grid_info info = {.size = sizeof info};
    bosc_grid *grid = NULL;
    bosc_grid_get_info(table->grid, &info);
    if (info.cell == table->vote) return BOSC_OK;
    BI_TRY(bi_geo_make_grid(ctx, table->vote, &grid));
    bosc_grid_free(table->grid);
    table->grid = grid;
    return BOSC_OK;
}

static bosc_status keep(bosc_ctx *ctx, bosc_geometric *table, const struct bi_geo_choose *choose, const uint32_t *list,
                        int64_t bases)
{
    int64_t n = choose->n, per = choose->near.count ? choose->near.count : n;
    size_t bytes = (size_t)n * 2 * sizeof *choose->points, corners = BI_GEOMETRIC_CORNERS * sizeof *list;
    struct bi_geo_place place = {
        .rows = choose->near.rows, .per = per, .affine = choose->affine, .outside = BI_GEOMETRIC_OUTSIDE};
    BI_TRY(bi_block_reserve(ctx, &table->memory, &table->points, bytes));
    BI_TRY(bi_block_reserve(ctx, &table->memory, &table->list, (size_t)bases * corners));
    BI_TRY(ctx->backend->copy(ctx, table->points.data, choose->points, bytes));
    BI_TRY(ctx->backend->copy(ctx, table->list.data, list, (size_t)bases * corners));
    place.points = table->points.data;
    place.list = table->list.data;
    BI_TRY(bi_scratch_of(ctx, bases * per, 2 * sizeof(float), &place.uv));
    BI_TRY(ctx->ops->geometric->geo_place(ctx, bases * per, &place));
    BI_TRY(fit_grid(ctx, table));
    return bosc_grid_build(ctx, table->grid, place.uv, bases * per, 2);
}

bosc_status bi_geo_build(bosc_ctx *ctx, bosc_geometric *table, const double *points, int64_t n)
{
    bool staged = false;
    const void *reachable;
    uint32_t *list;
    int64_t bases;
    struct bi_block copy = {0};
    struct bi_geo_choose choose;
    struct spread s = {0, 0};
    BI_TRY(bi_geo_plan(ctx, &table->opts, n, &choose));
    BI_TRY(bi_block_reserve(ctx, &table->host, &copy, (size_t)n * 2 * sizeof *points));
    bosc_status status = bi_geo_fetch(ctx, "points", points, n, copy.data);
    if (status == BOSC_OK) s = measure(copy.data, n);
    if (status == BOSC_OK) status = bi_stage_in(ctx, points, (size_t)n * 2 * sizeof *points, &reachable, &staged);
    if (status == BOSC_OK) {
        choose.points = reachable;
        status = choose_bases(ctx, &choose, &s, &list, &bases);
    }
    if (status != BOSC_OK) {
        bi_block_free(&table->host, &copy);
        return status;
    }
    table->n = table->bases = 0;
    bi_block_free(&table->host, &table->copy);
    table->copy = copy;
    table->near = choose.near.count;
    table->vote = table->opts.vote > 0 ? table->opts.vote : table->near ? NEAR_VOTE : 0.02;
    BI_TRY(keep(ctx, table, &choose, list, bases));
    BI_TRY(ctx->backend->sync(ctx));
    table->n = n;
    table->bases = bases;
    table->tolerance = table->opts.tolerance;
    if (table->tolerance == 0) table->tolerance = 0.03 * sqrt(s.trace) * (n > 256 ? sqrt(256.0 / (double)n) : 1);
    return BOSC_OK;
}
