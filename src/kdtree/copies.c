/* Finds copies of points: each point searches for the smallest row at distance 0. The searches skip boxes without
 * smaller rows, so that their cost does not grow with the number of copies. */
#include "kdtree/copies.h"
#include "base/bits.h"
#include "core/call.h"
#include "kdtree/handle.h"
#include "kdtree/nearest.h"
#include "kdtree/nearest_other_label.h"
#include "kdtree/steps/steps.h"

/* Average length of runs, over all nodes, from which copies are many: a search around a point measures about as many
 * nodes without copies. Not measured. */
enum { MANY_COPIES = 64 };

/* *sum = the lengths of the sampled runs. */
static bosc_status sum_run_lengths(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *sum)
{
    const int64_t samples = bi_div_up(tree->nodes, BI_KDTREE_RUN_STRIDE);
    struct bi_kdtree_run_lengths runs = {.view = tree->ops->view(tree)};
    BI_TRY(bi_scratch_of(ctx, samples, sizeof *runs.lengths, &runs.lengths));
    BI_TRY(tree->ops->steps->run_lengths(ctx, samples, &runs));
    return bi_sum_i64(ctx, runs.lengths, samples, sum);
}

bosc_status bi_kdtree_has_many_copies(bosc_ctx *ctx, const bosc_kdtree *tree, bool *many)
{
    int64_t sum = 0;
    if (tree->nodes > MANY_COPIES) BI_TRY_WITH_SCRATCH(ctx, sum_run_lengths(ctx, tree, &sum));
    *many = sum * BI_KDTREE_RUN_STRIDE >= MANY_COPIES * tree->nodes && sum > 0;
    return BOSC_OK;
}

/* first[i] = the smallest other row at distance 0 of row i. */
static bosc_status find_first(bosc_ctx *ctx, const bosc_kdtree *tree, uint32_t *first)
{
    struct bi_kdtree_blocks blocks;
    uint32_t *labels;
    void *bounds;
    const size_t bytes = (size_t)tree->nodes * bi_kdtree_dist2_size(tree);
    BI_TRY(bi_scratch_of(ctx, tree->nodes, sizeof *labels, &labels));
    BI_TRY(bi_scratch(ctx, bytes, &bounds));
    BI_TRY(ctx->backend->core->iota(ctx, sizeof *labels, labels, tree->nodes));
    BI_TRY(ctx->backend->fill(ctx, bounds, 0, bytes));
    BI_TRY(bi_kdtree_make_labelled_blocks(ctx, tree, &blocks));
    BI_TRY(bi_kdtree_label_blocks(ctx, tree, labels, &blocks));
    const struct bi_kdtree_shared_bounds within = {.bounds = bounds};
    return bi_kdtree_nearest_other_in(ctx, tree, &blocks, &within, first, NULL);
}

/* Lists the kept rows, and copies their points. points: of all nodes, in the order of ids. */
static bosc_status compact_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const void *points,
                                struct bi_kdtree_copies *copies)
{
    const struct bi_core_ops *core = ctx->backend->core;
    const size_t row = bosc_dtype_size(tree->opts.dtype) * (size_t)tree->opts.dim;
    const int64_t n = tree->nodes;
    uint32_t *rows;
    int64_t *count;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *rows, &rows));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    BI_TRY(core->iota(ctx, sizeof *rows, rows, n));
    BI_TRY(core->compact(ctx, sizeof *rows, rows, copies->is_kept, n, copies->kept_rows, count));
    BI_TRY(core->compact(ctx, row, points, copies->is_kept, n, copies->kept_points, count));
    return bi_read_back(ctx, &copies->kept, count, sizeof copies->kept);
}

/* Marks copies. points: of all nodes, in the order of ids. */
static bosc_status mark_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const void *points,
                             const struct bi_kdtree_copies *copies)
{
    const bosc_kdtree_view view = tree->ops->view(tree);
    const struct bi_kdtree_mark_copies mark = {points,        view.dtype,      view.dim,
                                               copies->first, copies->is_copy, copies->is_kept};
    return tree->ops->steps->mark_copies(ctx, tree->nodes, &mark);
}

/* Fetches the points, marks copies if `marks`, and lists the kept rows if `lists`. */
static bosc_status scan_rows(bosc_ctx *ctx, const bosc_kdtree *tree, bool marks, bool lists,
                             struct bi_kdtree_copies *copies)
{
    struct bi_kdtree_rows points = {NULL, tree->nodes, tree->opts.dim};
    BI_TRY(bi_kdtree_own_rows(ctx, tree, &points));
    if (marks) BI_TRY(mark_rows(ctx, tree, points.data, copies));
    return lists ? compact_rows(ctx, tree, points.data, copies) : BOSC_OK;
}

/* Allocates the marks, and finds the rows at distance 0. */
static bosc_status allocate_marks(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_copies *copies)
{
    const int64_t n = tree->nodes;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *copies->first, &copies->first));
    BI_TRY(bi_scratch_of(ctx, n, 1, &copies->is_copy));
    BI_TRY(bi_scratch_of(ctx, n, 1, &copies->is_kept));
    BI_RETURN_WITH_SCRATCH(ctx, find_first(ctx, tree, copies->first));
}

static bosc_status allocate_lists(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_copies *copies)
{
    const size_t row = bosc_dtype_size(tree->opts.dtype) * (size_t)tree->opts.dim;
    BI_TRY(bi_scratch_of(ctx, tree->nodes, sizeof *copies->kept_rows, &copies->kept_rows));
    return bi_scratch_of(ctx, tree->nodes, row, &copies->kept_points);
}

bosc_status bi_kdtree_mark_copies(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_copies *copies)
{
    BI_TRY(allocate_marks(ctx, tree, copies));
    BI_RETURN_WITH_SCRATCH(ctx, scan_rows(ctx, tree, true, false, copies));
}

bosc_status bi_kdtree_list_kept(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_copies *copies)
{
    BI_TRY(allocate_lists(ctx, tree, copies));
    BI_RETURN_WITH_SCRATCH(ctx, scan_rows(ctx, tree, false, true, copies));
}

bosc_status bi_kdtree_find_copies(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_copies *copies)
{
    BI_TRY(allocate_marks(ctx, tree, copies));
    BI_TRY(allocate_lists(ctx, tree, copies));
    BI_RETURN_WITH_SCRATCH(ctx, scan_rows(ctx, tree, true, true, copies));
}

bosc_status bi_kdtree_build_kept(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_copies *copies,
                                 bosc_kdtree **kept)
{
    const bosc_kdtree_opts opts = {
        .size = sizeof opts, .dtype = tree->opts.dtype, .dim = tree->opts.dim, .id_bits = 32};
    BI_TRY(bosc_kdtree_create(ctx, &opts, kept));
    const bosc_status status = bosc_kdtree_build(ctx, *kept, copies->kept_points, copies->kept, 0);
    if (status != BOSC_OK) bosc_kdtree_free(*kept);
    return status;
}
