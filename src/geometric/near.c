/* Near points: bases and coordinates of large models and their scenes are taken from them. */
#include "geometric/driver.h"

enum { ALL_MOST = 64, NEAR = 24 };

int64_t bi_geo_near_count(const bosc_geometric_opts *opts, int64_t n)
{
    if (opts->near == 0) return n <= ALL_MOST ? 0 : NEAR;
    return opts->near < n - 1 ? opts->near : 0;
}

struct bi_geo_near bi_geo_near_of(int64_t count, int64_t n, bool affine)
{
    if (count > n - 1) count = n - 1;
    struct bi_geo_near near = {.count = count, .low = (uint32_t)count / 6, .high = (uint32_t)count};
    if (affine) near.high /= 2;
    if (affine && near.high < near.low + 2) near.high = near.low + 2;
    return near;
}

static const bosc_kdtree_opts tree_opts = {
    .size = sizeof tree_opts, .dtype = BOSC_F64, .dim = 2, .id_bits = 32, .assume_valid = 1};

bosc_status bi_geo_make_tree(bosc_ctx *ctx, const double *points, int64_t n, bosc_kdtree **tree)
{
    BI_TRY(bosc_kdtree_create(ctx, &tree_opts, tree));
    return bosc_kdtree_build(ctx, *tree, points, n, 0);
}

bosc_status bi_geo_find_near(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t rows, struct bi_geo_choose *choose)
{
    const struct bi_geo_steps *steps = ctx->ops->geometric;
    int64_t width = choose->near.count + 1;
    struct bi_geo_others others = {.count = choose->near.count};
    BI_TRY(bi_scratch_of(ctx, rows * width, sizeof(uint32_t), &choose->near.rows));
    others.rows = choose->near.rows;
    if (choose->model) {
        BI_TRY(bosc_kdtree_knn_self(ctx, tree, width, others.rows, NULL));
    } else {
        BI_TRY(bi_scratch_of(ctx, rows, 2 * sizeof(double), &choose->places));
        BI_TRY(bi_scratch_of(ctx, rows, sizeof(uint32_t), &choose->self));
        BI_TRY(steps->geo_pick(ctx, rows, choose));
        BI_TRY(bosc_kdtree_knn(ctx, tree, choose->places, rows, 0, width, others.rows, NULL));
        others.self = choose->self;
    }
    return steps->geo_others(ctx, rows, &others);
}

bosc_status bi_geo_plan_bytes(bosc_ctx *ctx, const struct bi_geo_choose *choose, int64_t *kept, int64_t *scratch)
{
    int64_t n = choose->n, near = choose->near.count, entries = choose->count * (near ? near : n);
    int64_t grid_kept, grid_scratch, tree_kept = 0, tree_scratch = 0;
    bosc_grid_opts grid = {.size = sizeof grid, .dim = 2, .cell = 1, .id_bits = 32};
    BI_TRY(bosc_grid_bytes(ctx, &grid, entries, &grid_kept, &grid_scratch));
    if (near) BI_TRY(bosc_kdtree_bytes(ctx, &tree_opts, n, &tree_kept, &tree_scratch));
    int64_t corners = BI_GEOMETRIC_CORNERS * sizeof(uint32_t);
    if (kept) *kept = 16 * n + corners * choose->count + grid_kept;
    /* The points, bases before and after the short ones are left out, coordinates; rows of near points, and as many of
     * numbers and distances while they are looked for. */
    int64_t lists = 16 * n + (2 * corners + 1) * choose->count + 8 * entries + (near ? 24 * n * (near + 1) : 0);
    if (scratch) *scratch = lists + grid_scratch + tree_kept + tree_scratch;
    return BOSC_OK;
}
