/* Builds the table of a model. */
#include <math.h>

#include "core/call.h"
#include "geometric/drivers.h"

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

static bosc_status find_neighbours(bosc_ctx *ctx, struct bi_geometric_choice *choice)
{
    const bosc_kdtree *tree;
    if (!choice->neighbours.count) return BOSC_OK;
    BI_TRY(bi_geometric_make_tree(ctx, choice->points, choice->n, &tree));
    return bi_geometric_find_neighbours(ctx, tree, choice->n, choice);
}

/* Chooses bases; *list (scratch) and *bases: those that are large enough. */
static bosc_status choose_bases(bosc_ctx *ctx, struct bi_geometric_choice *choice, const struct spread *s,
                                uint32_t **list, int64_t *bases)
{
    choice->min_size = choice->affine ? sqrt(s->determinant > 0 ? s->determinant : 0) : s->trace;
    size_t size = BI_GEOMETRIC_CORNERS * sizeof(uint32_t);
    void *count;
    BI_TRY(find_neighbours(ctx, choice));
    BI_TRY(bi_scratch_of(ctx, choice->count, size, &choice->list));
    BI_TRY(bi_scratch_of(ctx, choice->count, size, list));
    BI_TRY(bi_scratch_of(ctx, choice->count, 1, &choice->keep));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *bases, &count));
    BI_TRY(ctx->ops->geometric->steps->choose_bases(ctx, choice->count, choice));
    BI_TRY(ctx->backend->core->compact(ctx, size, choice->list, choice->keep, choice->count, *list, count));
    BI_TRY(bi_read_back(ctx, bases, count, sizeof *bases));
    if (*bases == 0 || !(choice->min_size > s->trace * 1e-12))
        return bi_fail(ctx, BOSC_ERR_DATA, "points: they are in one place%s and make no basis",
                       choice->affine ? " or on a line" : "");
    return BOSC_OK;
}

/* Keeps the model and its bases, and builds the grid of the coordinates. */
static bosc_status keep(bosc_ctx *ctx, bosc_geometric *table, const struct bi_geometric_choice *choice,
                        const uint32_t *list, int64_t bases)
{
    int64_t n = choice->n, per = choice->neighbours.count ? choice->neighbours.count : n;
    enum { GRID_ITEMS = 14 }; /* of a coordinate: it is made, and the grid of them built */
    size_t bytes = (size_t)n * 2 * sizeof *choice->points, corners = BI_GEOMETRIC_CORNERS * sizeof *list;
    struct bi_geometric_coordinates entries = {
        .rows = choice->neighbours.rows, .per = per, .affine = choice->affine, .outside = BI_GEOMETRIC_OUTSIDE};
    bi_expect(ctx, 2 * (double)choice->count + GRID_ITEMS * (double)(bases * per));
    BI_TRY(bi_block_reserve(ctx, &table->memory, &table->points, bytes));
    BI_TRY(bi_block_reserve(ctx, &table->memory, &table->list, (size_t)bases * corners));
    BI_TRY(ctx->backend->copy(ctx, table->points.data, choice->points, bytes));
    BI_TRY(ctx->backend->copy(ctx, table->list.data, list, (size_t)bases * corners));
    entries.points = table->points.data;
    entries.list = table->list.data;
    BI_TRY(bi_scratch_of(ctx, bases * per, 2 * sizeof(float), &entries.uv));
    BI_TRY(ctx->ops->geometric->steps->coordinates(ctx, bases * per, &entries));
    BI_TRY(bi_geometric_fit_grid(ctx, table, table->vote_radius));
    return bosc_voxelgrid_build(ctx, table->grid, entries.uv, bases * per, 2);
}

static bosc_status build(bosc_ctx *ctx, bosc_geometric *table, const double *points, int64_t n)
{
    bool staged = false;
    const void *reachable;
    uint32_t *list;
    int64_t bases;
    struct bi_geometric_choice choice;
    BI_TRY(bi_geometric_plan(ctx, &table->opts, n, &choice));
    BI_TRY(bi_block_reserve(ctx, &table->host, &table->next_copy, (size_t)n * 2 * sizeof *points));
    struct bi_block copy = table->next_copy;
    BI_TRY(bi_geometric_fetch(ctx, "points", points, n, copy.data));
    struct spread s = measure(copy.data, n);
    BI_TRY(bi_stage_in(ctx, points, (size_t)n * 2 * sizeof *points, &reachable, &staged));
    choice.points = reachable;
    BI_TRY(choose_bases(ctx, &choice, &s, &list, &bases));
    table->n = table->bases = 0;
    table->next_copy = table->copy;
    table->copy = copy;
    table->neighbours = choice.neighbours.count;
    table->vote_radius = bi_geometric_vote_radius(&table->opts, table->neighbours);
    BI_TRY(keep(ctx, table, &choice, list, bases));
    BI_TRY(ctx->backend->sync(ctx));
    table->n = n;
    table->bases = bases;
    table->tolerance = table->opts.tolerance;
    if (table->tolerance == 0) table->tolerance = 0.03 * sqrt(s.trace) * (n > 256 ? sqrt(256.0 / (double)n) : 1);
    return BOSC_OK;
}

bosc_status bosc_geometric_build(bosc_ctx *ctx, bosc_geometric *table, const double *points, int64_t n)
{
    BI_ENTER(ctx);
    BI_TRY(bi_geometric_check(ctx, table));
    BI_TRY(bi_geometric_check_model(ctx, &table->opts, n));
    BI_TRY(bi_geometric_check_points(ctx, "points", points));
    BI_RETURN_WITH_SCRATCH(ctx, build(ctx, table, points, n));
}
