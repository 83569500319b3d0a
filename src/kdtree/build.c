/* The driver of builds: selects the builder, and keeps the tree valid if it fails.
 *
 * A build works on a copy of the handle, with new blocks where the old ones are too small. Builders allocate scratch
 * before they write to blocks of the tree, so a lack of memory leaves the tree as it was. */
#include "base/clock.h"
#include "core/call.h"
#include "kdtree/drivers.h"
#include "kdtree/side.h"

static bosc_status build_with_duplicates(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows)
{
    next->nodes = rows->n;
    bool missed = true;
    if (next->ops->builds(&next->opts, rows->n)) BI_TRY(next->ops->build(ctx, next, rows, &missed));
    return missed ? bi_kdtree_build_presorted(ctx, next, rows) : BOSC_OK;
}

/* Builds from the first row of each run of equal points. */
static bosc_status build_unique(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows)
{
    struct bi_kdtree_sorted sorted;
    struct bi_kdtree_runs runs;
    BI_TRY(bi_kdtree_sort_rows(ctx, next->ops, &next->opts, rows, &sorted));
    BI_TRY(bi_kdtree_find_runs(ctx, next->ops, &next->opts, &sorted, &runs));
    next->nodes = runs.rows.n;
    if (!next->ops->builds(&next->opts, runs.rows.n)) return bi_kdtree_build_sorted(ctx, next, &runs);
    BI_TRY(build_with_duplicates(ctx, next, &runs.rows));
    return bi_kdtree_write_runs(ctx, next, &runs);
}

/* Builds from presorted lists, stage by stage, with the time of each. */
static bosc_status build_presorted(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows)
{
    bool unique = next->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE;
    bosc_kdtree_times *times = &next->times;
    struct bi_kdtree_sorted sorted;
    struct bi_kdtree_lists lists;
    struct bi_kdtree_runs runs = {.n = rows->n, .count = rows->n};
    uint32_t *order;
    double since = bi_now();
    BI_TRY(bi_kdtree_sort_rows(ctx, next->ops, &next->opts, rows, &sorted));
    BI_TRY(bi_kdtree_end_stage(ctx, &since, &times->sort));
    runs.rows = sorted.rows;
    runs.names = sorted.perm;
    if (unique) BI_TRY(bi_kdtree_find_runs(ctx, next->ops, &next->opts, &sorted, &runs));
    next->nodes = runs.rows.n;
    BI_TRY(bi_kdtree_end_stage(ctx, &since, &times->deduplicate));
    BI_TRY(bi_kdtree_sort_lists(ctx, next->ops, &next->opts, &runs.rows, &lists));
    BI_TRY(bi_kdtree_end_stage(ctx, &since, &times->sort));
    BI_TRY(bi_kdtree_partition_lists(ctx, next, &lists, &order));
    BI_TRY(bi_kdtree_store_runs(ctx, next, &runs, order));
    return bi_kdtree_end_stage(ctx, &since, &times->build);
}

/* Builds *next by the builder of its options, and makes its index. */
static bosc_status run_builder(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows, bool last_sorted)
{
    next->n = rows->n;
    next->nodes = 0;
    if (rows->n == 0) return BOSC_OK;
    if (next->opts.builder == BOSC_KDTREE_BROWN)
        BI_TRY(bi_kdtree_build_brown(ctx, next, rows, last_sorted));
    else if (next->opts.builder == BOSC_KDTREE_PRESORTED)
        BI_TRY(build_presorted(ctx, next, rows));
    else if (next->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE)
        BI_TRY(build_unique(ctx, next, rows));
    else
        BI_TRY(build_with_duplicates(ctx, next, rows));
    return next->ops->make_index(ctx, next);
}

/* Stages the rows, builds a copy of the tree, and replaces the tree by it. On a failure other than a lack of memory the
 * tree becomes empty, as shared blocks may be overwritten. */
static bosc_status build_staged(bosc_ctx *ctx, bosc_kdtree *tree, struct bi_kdtree_rows *rows, bool last_sorted)
{
    bosc_kdtree next;
    bool staged = false;
    double since = bi_now();
    BI_TRY(bi_kdtree_stage_rows(ctx, tree, "points", rows, &staged));
    BI_TRY(bi_kdtree_reserve_blocks(ctx, tree, rows->n, &next));
    next.times = (bosc_kdtree_times){.size = sizeof next.times};
    bosc_status status = BOSC_OK;
    if (next.opts.builder != BOSC_KDTREE_AUTO) status = bi_kdtree_end_stage(ctx, &since, &next.times.init);
    if (status == BOSC_OK) status = run_builder(ctx, &next, rows, last_sorted);
    if (status == BOSC_OK && staged) status = ctx->backend->sync(ctx);
    if (status == BOSC_OK) {
        bi_kdtree_commit(tree, &next);
        return BOSC_OK;
    }
    bi_kdtree_abandon(tree, &next);
    if (status != BOSC_ERR_NOMEM) tree->n = tree->nodes = 0;
    return status;
}

bosc_status bosc_kdtree_build(bosc_ctx *ctx, bosc_kdtree *tree, const void *points, int64_t n, int64_t stride)
{
    struct bi_kdtree_rows rows;
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    BI_TRY(bi_kdtree_check_size(ctx, n));
    BI_TRY(bi_kdtree_check_rows(ctx, tree, "points", points, "n", n, stride, &rows));
    bi_progress_set_total(ctx, 25 * (double)n); /* simple items a point; chosen */
    BI_RETURN_WITH_SCRATCH(ctx, build_staged(ctx, tree, &rows, false));
}

bosc_status bi_kdtree_build_side(bosc_ctx *ctx, bosc_kdtree *side, const void *points, int64_t n)
{
    struct bi_kdtree_rows rows = {points, n, side->opts.dim};
    BI_RETURN_WITH_SCRATCH(ctx, build_staged(ctx, side, &rows, true));
}
