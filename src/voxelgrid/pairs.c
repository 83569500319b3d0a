/* All pairs of points within a radius. */
#include "voxelgrid/drivers.h"

/* Counts pairs: where they are asked for, by their smaller id, and where those of each begin. */
static bosc_status count_pairs(bosc_ctx *ctx, const struct bi_voxelgrid_searches *searches,
                               struct bi_voxelgrid_pairs *pairs, int64_t *count)
{
    int64_t n = pairs->view.n;
    if (!pairs->pairs && searches->pair_total) {
        BI_TRY(bi_scratch_of(ctx, 1, sizeof *pairs->total, &pairs->total));
        BI_TRY(ctx->backend->fill(ctx, pairs->total, 0, sizeof *pairs->total));
        BI_TRY_WEIGHED(ctx, BI_VOXELGRID_SEARCH, searches->pair_total(ctx, n, pairs));
        return bi_read_back(ctx, count, pairs->total, sizeof *count);
    }
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof(int64_t), &pairs->counts));
    BI_TRY(ctx->backend->fill(ctx, pairs->counts + n, 0, sizeof(int64_t)));
    BI_TRY_WEIGHED(ctx, BI_VOXELGRID_SEARCH, searches->pair_count(ctx, n, pairs));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, pairs->counts, n + 1, pairs->counts));
    pairs->offsets = pairs->counts;
    return bi_read_back(ctx, count, pairs->counts + n, sizeof *count);
}

static bosc_status find_pairs(bosc_ctx *ctx, struct bi_voxelgrid_pairs *pairs, int64_t capacity, int64_t *count)
{
    struct bi_out ids, dist2;
    int64_t found;
    bool staged = false;
    struct bi_voxelgrid_searches searches = bi_voxelgrid_searches_of(ctx, &pairs->view, pairs->r2);
    BI_TRY(count_pairs(ctx, &searches, pairs, &found));
    if (pairs->pairs && capacity < found) {
        *count = found;
        return bi_fail(ctx, BOSC_ERR_SPACE, "capacity: %lld pairs, but there are %lld", (long long)capacity,
                       (long long)found);
    }
    if (pairs->pairs) {
        size_t entries = (size_t)found;
        BI_TRY(bi_stage_out(ctx, pairs->pairs, entries * (pairs->wide_ids ? 16 : 8), &ids, &staged));
        BI_TRY(
            bi_stage_out(ctx, pairs->dist2, pairs->dist2 ? entries * (pairs->view.wide ? 8 : 4) : 0, &dist2, &staged));
        pairs->pairs = ids.reachable;
        pairs->dist2 = dist2.reachable;
        BI_TRY(bi_voxelgrid_list_rows(ctx, pairs->view.n, found, &pairs->long_rows));
        BI_TRY_WEIGHED(ctx, BI_VOXELGRID_SEARCH, searches.pair_fill(ctx, pairs->view.n, pairs));
        struct bi_row_out rows = {pairs->pairs, pairs->dist2, 0, pairs->wide_ids, !pairs->view.wide, true};
        BI_TRY(bi_voxelgrid_sort_rows(ctx, &rows, pairs->offsets, pairs->long_rows));
        BI_TRY(bi_stage_back(ctx, &ids));
        BI_TRY(bi_stage_back(ctx, &dist2));
        BI_TRY(ctx->backend->sync(ctx));
    }
    *count = found;
    return BOSC_OK;
}

bosc_status bosc_voxelgrid_pairs(bosc_ctx *ctx, const bosc_voxelgrid *grid, double radius, void *pairs, void *dist2,
                                 int64_t capacity, int64_t *count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_voxelgrid_check(ctx, grid));
    BI_TRY(bi_voxelgrid_check_radius(ctx, radius));
    BI_TRY(bi_voxelgrid_check_answers(ctx, grid, "pairs", pairs, dist2));
    if (pairs && capacity < 0) return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 0", (long long)capacity);
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    if (grid->view.n == 0) {
        *count = 0;
        return BOSC_OK;
    }
    struct bi_voxelgrid_pairs args = {
        .view = grid->view, .pairs = pairs, .dist2 = dist2, .wide_ids = grid->opts.id_bits == 64};
    bi_voxelgrid_square(grid, radius, &args.r2, &args.reach);
    bi_expect(ctx, 2 * BI_VOXELGRID_SEARCH * (double)grid->view.n);
    BI_RETURN_WITH_SCRATCH(ctx, find_pairs(ctx, &args, capacity, count));
}
