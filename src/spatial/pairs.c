/* The driver and front door of what is made of all points: pairs, groups, voxels. */
#include "core/call.h"
#include "spatial/driver.h"

/* Counts pairs by their smaller id, and where those of each begin. */
static bosc_status count_pairs(bosc_ctx *ctx, struct bi_grid_pairs *pairs, int64_t *count)
{
    int64_t n = pairs->view.n;
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof(int64_t), &pairs->counts));
    BI_TRY(ctx->backend->fill(ctx, pairs->counts + n, 0, sizeof(int64_t)));
    BI_TRY(ctx->ops->grid->grid_pair_count(ctx, n, pairs));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, pairs->counts, n + 1, pairs->counts));
    pairs->offsets = pairs->counts;
    return bi_read_back(ctx, count, pairs->counts + n, sizeof *count);
}

static bosc_status find_pairs(bosc_ctx *ctx, struct bi_grid_pairs *pairs, int64_t room, int64_t *count)
{
    struct bi_out ids, dist2;
    int64_t found;
    bool staged = false;
    BI_TRY(count_pairs(ctx, pairs, &found));
    if (pairs->pairs && room < found) {
        *count = found;
        return bi_fail(ctx, BOSC_ERR_SPACE, "room: %lld pairs, but there are %lld", (long long)room, (long long)found);
    }
    if (pairs->pairs) {
        size_t entries = (size_t)found;
        BI_TRY(bi_stage_out(ctx, pairs->pairs, entries * (pairs->wide_ids ? 16 : 8), &ids, &staged));
        BI_TRY(
            bi_stage_out(ctx, pairs->dist2, pairs->dist2 ? entries * (pairs->view.wide ? 8 : 4) : 0, &dist2, &staged));
        pairs->pairs = ids.reachable;
        pairs->dist2 = dist2.reachable;
        BI_TRY(bi_grid_list_rows(ctx, pairs->view.n, found, &pairs->long_rows));
        BI_TRY(ctx->ops->grid->grid_pair_fill(ctx, pairs->view.n, pairs));
        struct bi_row_out rows = {pairs->pairs, pairs->dist2, 0, pairs->wide_ids, !pairs->view.wide, true};
        BI_TRY(bi_grid_sort_rows(ctx, &rows, pairs->offsets, pairs->long_rows));
        BI_TRY(bi_stage_back(ctx, &ids));
        BI_TRY(bi_stage_back(ctx, &dist2));
        BI_TRY(ctx->backend->sync(ctx));
    }
    *count = found;
    return BOSC_OK;
}

bosc_status bosc_grid_pairs(bosc_ctx *ctx, const bosc_grid *grid, double radius, void *pairs, void *dist2, int64_t room,
                            int64_t *count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_grid_check(ctx, grid));
    BI_TRY(bi_grid_check_radius(ctx, radius));
    BI_TRY(bi_grid_check_answers(ctx, grid, "pairs", pairs, dist2));
    if (pairs && room < 0) return bi_fail(ctx, BOSC_ERR_ARG, "room: %lld is less than 0", (long long)room);
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    if (grid->view.n == 0) {
        *count = 0;
        return BOSC_OK;
    }
    struct bi_grid_pairs args = {
        .view = grid->view, .pairs = pairs, .dist2 = dist2, .wide_ids = grid->opts.id_bits == 64};
    bi_grid_square(grid, radius, &args.r2, &args.reach);
    BI_RETURN_WITH_SCRATCH(ctx, find_pairs(ctx, &args, room, count));
}

static bosc_status find_groups(bosc_ctx *ctx, struct bi_grid_groups *groups, int64_t *count)
{
    const struct bi_grid_steps *steps = ctx->ops->grid;
    int64_t n = groups->view.n, found, *place;
    struct bi_out labels;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, groups->labels, groups->labels ? (size_t)n * (groups->wide_ids ? 8 : 4) : 0, &labels,
                        &staged));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &groups->parent));
    BI_TRY(bi_scratch_of(ctx, n, 1, &groups->roots));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof found, &place));
    groups->labels = labels.reachable;
    struct bi_flatten flatten = {groups->parent};
    BI_TRY(steps->grid_alone(ctx, n, groups));
    BI_TRY(steps->grid_join(ctx, n, groups));
    BI_TRY(steps->flatten(ctx, n, &flatten));
    BI_TRY(steps->grid_roots(ctx, n, groups));
    BI_TRY(ctx->backend->core->compact(ctx, 1, groups->roots, groups->roots, n, NULL, place));
    BI_TRY(bi_read_back(ctx, &found, place, sizeof found));
    if (groups->labels) BI_TRY(steps->grid_label(ctx, n, groups));
    BI_TRY(bi_stage_back(ctx, &labels));
    BI_TRY(ctx->backend->sync(ctx));
    if (count) *count = found;
    return BOSC_OK;
}

bosc_status bosc_grid_groups(bosc_ctx *ctx, const bosc_grid *grid, double radius, void *labels, int64_t *count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_grid_check(ctx, grid));
    BI_TRY(bi_grid_check_radius(ctx, radius));
    BI_TRY(bi_grid_check_answers(ctx, grid, "labels", labels, NULL));
    if (grid->view.n == 0) {
        if (count) *count = 0;
        return BOSC_OK;
    }
    struct bi_grid_groups args = {.view = grid->view, .labels = labels, .wide_ids = grid->opts.id_bits == 64};
    bi_grid_square(grid, radius, &args.r2, &args.reach);
    BI_RETURN_WITH_SCRATCH(ctx, find_groups(ctx, &args, count));
}

/* Where the voxels begin, and their number. */
static bosc_status find_heads(bosc_ctx *ctx, struct bi_grid_voxels *voxels)
{
    int64_t n = voxels->view.n;
    struct bi_grid_heads heads = {.view = voxels->view};
    void *place;
    uint32_t *list;
    BI_TRY(bi_scratch_of(ctx, n, 1, &heads.keep));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &heads.places));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *list, &list));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof voxels->count, &place));
    BI_TRY(ctx->ops->grid->grid_heads(ctx, n, &heads));
    BI_TRY(ctx->backend->core->compact(ctx, sizeof *list, heads.places, heads.keep, n, list, place));
    voxels->heads = list;
    return bi_read_back(ctx, &voxels->count, place, sizeof voxels->count);
}

static bosc_status list_voxels(bosc_ctx *ctx, struct bi_grid_voxels *voxels, int64_t room, int64_t *count)
{
    struct bi_out coords, counts;
    bool staged = false;
    BI_TRY(find_heads(ctx, voxels));
    if (!voxels->coords && !voxels->counts) {
        *count = voxels->count;
        return BOSC_OK;
    }
    if (room < voxels->count) {
        *count = voxels->count;
        return bi_fail(ctx, BOSC_ERR_SPACE, "room: %lld voxels, but %lld are occupied", (long long)room,
                       (long long)voxels->count);
    }
    size_t bytes = (size_t)voxels->count * sizeof(int64_t);
    BI_TRY(bi_stage_out(ctx, voxels->coords, voxels->coords ? bytes * (size_t)voxels->view.dim : 0, &coords, &staged));
    BI_TRY(bi_stage_out(ctx, voxels->counts, voxels->counts ? bytes : 0, &counts, &staged));
    voxels->coords = coords.reachable;
    voxels->counts = counts.reachable;
    BI_TRY(ctx->ops->grid->grid_voxel(ctx, voxels->count, voxels));
    BI_TRY(bi_stage_back(ctx, &coords));
    BI_TRY(bi_stage_back(ctx, &counts));
    BI_TRY(ctx->backend->sync(ctx));
    *count = voxels->count;
    return BOSC_OK;
}

bosc_status bosc_grid_voxels(bosc_ctx *ctx, const bosc_grid *grid, int64_t *coords, int64_t *counts, int64_t room,
                             int64_t *count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_grid_check(ctx, grid));
    BI_TRY(bi_check_aligned(ctx, "coords", coords, sizeof *coords));
    BI_TRY(bi_check_aligned(ctx, "counts", counts, sizeof *counts));
    if ((coords || counts) && room < 0) return bi_fail(ctx, BOSC_ERR_ARG, "room: %lld is less than 0", (long long)room);
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    if (grid->view.n == 0) {
        *count = 0;
        return BOSC_OK;
    }
    struct bi_grid_voxels args = {.view = grid->view, .coords = coords, .counts = counts};
    BI_RETURN_WITH_SCRATCH(ctx, list_voxels(ctx, &args, room, count));
}
