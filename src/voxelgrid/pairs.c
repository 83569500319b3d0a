/* All pairs of points within a radius, and the connected components that they make, by union-find. */
#include "voxelgrid/handle.h"

/* --- Pairs -------------------------------------------------------------------------------------------------------- */

/* Counts pairs: totals[0]. If the caller has arrays, rows are collected or counted by smaller id; totals[1]: rows
 * left to fill. */
static bosc_status count_pairs(bosc_ctx *ctx, const struct bi_voxelgrid_searches *searches,
                               struct bi_voxelgrid_pairs *pairs, int64_t capacity, int64_t totals[2])
{
    int64_t n = pairs->view.n;
    /* Number of pairs alone. */
    if (!pairs->pairs && searches->pair_total) {
        BI_TRY(bi_scratch_of(ctx, 1, sizeof *pairs->total, &pairs->total));
        BI_TRY(ctx->backend->fill(ctx, pairs->total, 0, sizeof *pairs->total));
        BI_TRY_WITH_COST(ctx, BI_VOXELGRID_SEARCH_COST, searches->pair_total(ctx, n, pairs));
        return bi_read_back(ctx, totals, pairs->total, sizeof *totals);
    }
    /* Collect rows where the search can; otherwise count them all. */
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof(int64_t), &pairs->counts));
    pairs->offsets = pairs->counts;
    if (n <= searches->collect_limit) {
        BI_TRY_WITH_COST(ctx, BI_VOXELGRID_SEARCH_COST, searches->pair_collect(ctx, pairs, capacity, totals));
        return BOSC_OK;
    }
    totals[1] = n;
    BI_TRY(ctx->backend->fill(ctx, pairs->counts + n, 0, sizeof(int64_t)));
    BI_TRY_WITH_COST(ctx, BI_VOXELGRID_SEARCH_COST, searches->pair_count(ctx, n, pairs));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, pairs->counts, n + 1, pairs->counts));
    return bi_read_back(ctx, totals, pairs->counts + n, sizeof *totals);
}

/* Writes the collected rows, and searches again for the others. */
static bosc_status fill_pairs(bosc_ctx *ctx, const struct bi_voxelgrid_searches *searches,
                              struct bi_voxelgrid_pairs *pairs, const int64_t totals[2])
{
    if (pairs->buffer.list && !pairs->outputs_reachable) BI_TRY(searches->pair_write(ctx, pairs));
    if (totals[1] == 0) return BOSC_OK;
    BI_TRY(bi_voxelgrid_alloc_long_rows(ctx, pairs->view.n, totals[0], &pairs->long_rows));
    BI_TRY_WITH_COST(ctx, BI_VOXELGRID_SEARCH_COST, searches->pair_fill(ctx, totals[1], pairs));
    struct bi_row_out rows = {pairs->pairs, pairs->dist2, 0, pairs->ids_64bit, !pairs->view.is_f64, true};
    return bi_voxelgrid_sort_long_rows(ctx, &rows, pairs->offsets, pairs->long_rows);
}

/* True if the backend reaches the caller's arrays. */
static bool check_reachable(bosc_ctx *ctx, const struct bi_voxelgrid_pairs *pairs)
{
    return pairs->pairs && ctx->backend->reaches(ctx, pairs->pairs) &&
           (!pairs->dist2 || ctx->backend->reaches(ctx, pairs->dist2));
}

/* As fill_pairs, through staged arrays. */
static bosc_status fill_staged(bosc_ctx *ctx, const struct bi_voxelgrid_searches *searches,
                               struct bi_voxelgrid_pairs *pairs, const int64_t totals[2])
{
    const size_t entries = (size_t)totals[0];
    struct bi_out ids, dist2;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, pairs->pairs, entries * (pairs->ids_64bit ? 16 : 8), &ids, &staged));
    BI_TRY(bi_stage_out(ctx, pairs->dist2, pairs->dist2 ? entries * (pairs->view.is_f64 ? 8 : 4) : 0, &dist2, &staged));
    pairs->pairs = ids.reachable;
    pairs->dist2 = dist2.reachable;
    BI_TRY(fill_pairs(ctx, searches, pairs, totals));
    BI_TRY(bi_stage_back(ctx, &ids));
    BI_TRY(bi_stage_back(ctx, &dist2));
    return ctx->backend->sync(ctx);
}

static bosc_status find_pairs(bosc_ctx *ctx, struct bi_voxelgrid_pairs *pairs, int64_t capacity, int64_t *count)
{
    int64_t totals[2];
    struct bi_voxelgrid_searches searches = bi_voxelgrid_select_searches(ctx, &pairs->view, pairs->r2);
    pairs->outputs_reachable = check_reachable(ctx, pairs);
    BI_TRY(count_pairs(ctx, &searches, pairs, capacity, totals));
    const int64_t found = totals[0];
    if (pairs->pairs && capacity < found) {
        *count = found;
        return bi_fail(ctx, BOSC_ERR_SPACE, "capacity: %lld pairs, but there are %lld", (long long)capacity,
                       (long long)found);
    }
    if (pairs->pairs) BI_TRY((pairs->outputs_reachable ? fill_pairs : fill_staged)(ctx, &searches, pairs, totals));
    *count = found;
    return BOSC_OK;
}

bosc_status bosc_voxelgrid_pairs(bosc_ctx *ctx, const bosc_voxelgrid *grid, double radius, void *pairs, void *dist2,
                                 int64_t capacity, int64_t *count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_voxelgrid_check(ctx, grid));
    BI_TRY(bi_voxelgrid_check_radius(ctx, grid, radius, true));
    BI_TRY(bi_voxelgrid_check_answers(ctx, grid, "pairs", pairs, dist2));
    if (pairs && capacity < 0) return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 0", (long long)capacity);
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    if (grid->view.n == 0) {
        *count = 0;
        return BOSC_OK;
    }
    struct bi_voxelgrid_pairs args = {
        .view = grid->view, .pairs = pairs, .dist2 = dist2, .ids_64bit = grid->opts.id_bits == 64};
    bi_voxelgrid_square_radius(grid, radius, &args.r2, &args.reach);
    bi_progress_set_total(ctx, 2 * BI_VOXELGRID_SEARCH_COST * (double)grid->view.n);
    BI_RETURN_WITH_SCRATCH(ctx, find_pairs(ctx, &args, capacity, count));
}

/* --- Components --------------------------------------------------------------------------------------------------- */

static bosc_status find_components(bosc_ctx *ctx, struct bi_voxelgrid_components *components, int64_t *count)
{
    const struct bi_voxelgrid_steps *steps = ctx->ops->voxelgrid->steps;
    int64_t n = components->view.n, found, *found_at;
    struct bi_out labels;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, components->labels, components->labels ? (size_t)n * (components->ids_64bit ? 8 : 4) : 0,
                        &labels, &staged));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &components->parent));
    BI_TRY(bi_scratch_of(ctx, n, 1, &components->roots));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof found, &found_at));
    components->labels = labels.reachable;
    struct bi_flatten flatten = {components->parent};
    BI_TRY(steps->singletons(ctx, n, components));
    BI_TRY(bi_voxelgrid_join_copies(ctx, &components->view, components->parent));
    BI_TRY_WITH_COST(ctx, BI_VOXELGRID_SEARCH_COST, steps->unite(ctx, components->view.n, components));
    BI_TRY(steps->flatten(ctx, n, &flatten));
    BI_TRY(steps->roots(ctx, n, components));
    BI_TRY(ctx->backend->core->compact(ctx, 1, components->roots, components->roots, n, NULL, found_at));
    BI_TRY(bi_read_back(ctx, &found, found_at, sizeof found));
    if (components->labels) BI_TRY(steps->label(ctx, n, components));
    BI_TRY(bi_stage_back(ctx, &labels));
    BI_TRY(ctx->backend->sync(ctx));
    if (count) *count = found;
    return BOSC_OK;
}

bosc_status bosc_voxelgrid_components(bosc_ctx *ctx, const bosc_voxelgrid *grid, double radius, void *labels,
                                      int64_t *count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_voxelgrid_check(ctx, grid));
    BI_TRY(bi_voxelgrid_check_radius(ctx, grid, radius, true));
    BI_TRY(bi_voxelgrid_check_answers(ctx, grid, "labels", labels, NULL));
    if (grid->view.n == 0) {
        if (count) *count = 0;
        return BOSC_OK;
    }
    struct bi_voxelgrid_components args = {.view = grid->view, .labels = labels, .ids_64bit = grid->opts.id_bits == 64};
    bi_voxelgrid_square_radius(grid, radius, &args.r2, &args.reach);
    bi_progress_set_total(ctx, (5 + BI_VOXELGRID_SEARCH_COST) * (double)grid->view.n);
    BI_RETURN_WITH_SCRATCH(ctx, find_components(ctx, &args, count));
}
