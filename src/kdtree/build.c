/* The driver of builds: selects the builder, and keeps the tree valid if it fails.
 *
 * A build works on a copy of the handle, with new blocks where the old ones are too small. Builders allocate scratch
 * before they write to blocks of the tree, so a lack of scratch leaves the tree as it was. A lack of memory after that
 * (of a CUDA launch, or of the next attempt once sampling has failed) leaves it empty.
 *
 * Sorted lists are made as published (Brown 2015), but by radix sorts: the points sorted by each superkey, then
 * level by level the median of one list becomes the node and the other lists are partitioned around it. AUTO on CUDA
 * uses them where sampled pivots do not serve: 1 or more than 4 dimensions, or points in too narrow clusters. The
 * published sorts and partition, which compare superkeys, are in brown.c.
 *
 * Sorts are stable radix sorts of one coordinate. The first one, by coordinate 0, leaves runs of equal coordinates.
 * They are short in most data, and are ordered by comparisons. From then on a point's reference is its rank by superkey
 * 0. So list 0 is 0, 1, 2, ..., and the rank decides between points that agree in the coordinates from p to the last.
 * List p is the ranks sorted by coordinate p; its runs are ordered likewise. Where runs are long, list p is list p + 1
 * sorted stably by coordinate p, and list dim is the ranks: dim sorts that do not depend on how often coordinates
 * repeat. A tree of depth d needs min(dim, d) lists. */
#include <math.h>

#include "base/clock.h"
#include "core/call.h"
#include "kdtree/drivers.h"
#include "kdtree/nearest.h"
#include "kdtree/shape.h"

/* --- Sorted rows -------------------------------------------------------------------------------------------------- */

/* If runs are long, rows of at most this many dimensions are radix sorted. Others are sorted by a merge sort by
 * superkey, which reads only the coordinates that it needs (docs/design/kdtree.md, Rejected alternatives). */
enum { MOST_RADIX_DIM = 8 };

/* Scratch for the keys of a coordinate before and after a sort. */
struct columns {
    const struct bi_kdtree_ops *ops;
    const bosc_kdtree_opts *opts;
    void *keys, *sorted;
};

static bosc_status allocate_columns(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                                    int64_t n, struct columns *by)
{
    *by = (struct columns){.ops = ops, .opts = opts};
    BI_TRY(bi_scratch_of(ctx, n, bosc_dtype_size(opts->dtype), &by->keys));
    return bi_scratch_of(ctx, n, bosc_dtype_size(opts->dtype), &by->sorted);
}

/* to = the references `from`, sorted stably by coordinate c; by->sorted = their keys. */
static bosc_status sort_by_coordinate(bosc_ctx *ctx, const struct columns *by, const struct bi_kdtree_rows *rows,
                                      int32_t c, const uint32_t *from, uint32_t *to)
{
    bool is_32bit = bosc_dtype_size(by->opts->dtype) == 4;
    struct bi_kdtree_column column = {*rows, by->opts->dtype, c, from, by->keys};
    BI_TRY(by->ops->steps->column(ctx, rows->n, &column));
    return ctx->backend->core->sort_pairs(ctx, is_32bit ? BOSC_U32 : BOSC_U64, by->keys, sizeof *to, from, rows->n,
                                          by->sorted, to, 0, is_32bit ? 32 : 64);
}

/* out = the rows in the order of perm. */
static bosc_status gather_sorted_rows(bosc_ctx *ctx, const struct columns *by, const struct bi_kdtree_rows *rows,
                                      const uint32_t *perm, void *out)
{
    int32_t size = (int32_t)bosc_dtype_size(by->opts->dtype);
    struct bi_kdtree_gather_rows args = {*rows, by->opts->dim, size, perm, out};
    return by->ops->steps->gather_rows(ctx, rows->n * by->opts->dim, &args);
}

/* Sorts by all coordinates, for long runs of equal first coordinates. */
static bosc_status sort_all_coordinates(bosc_ctx *ctx, const struct columns *by, const struct bi_kdtree_rows *rows,
                                        const struct bi_kdtree_sorted *to)
{
    int32_t dim = by->opts->dim;
    if (dim > MOST_RADIX_DIM) {
        BI_TRY(ctx->backend->core->sort_superkey(ctx, by->opts->dtype, rows->data, rows->n, dim, rows->stride, 0,
                                                 to->perm, NULL));
        return gather_sorted_rows(ctx, by, rows, to->perm, (void *)to->rows.data);
    }
    BI_TRY(ctx->backend->core->iota(ctx, 4, to->perm, rows->n));
    for (int32_t c = dim - 1; c >= 0; c--) BI_TRY(sort_by_coordinate(ctx, by, rows, c, to->perm, to->perm));
    return gather_sorted_rows(ctx, by, rows, to->perm, (void *)to->rows.data);
}

/* Sorts by coordinate 0, then sorts each run; *too_long as in the step. */
static bosc_status sort_and_order_runs(bosc_ctx *ctx, const struct columns *by, const struct bi_kdtree_rows *rows,
                                       const struct bi_kdtree_sorted *to, int64_t *too_long)
{
    void *packed, *perm, *too_long_at;
    int32_t dim = by->opts->dim;
    *too_long = INT64_MAX;
    BI_TRY(bi_scratch(ctx, sizeof *too_long, &too_long_at));
    BI_TRY(bi_scratch_of(ctx, rows->n, sizeof *to->perm, &perm));
    BI_TRY(bi_scratch_of(ctx, rows->n, bosc_dtype_size(by->opts->dtype) * (size_t)dim, &packed));
    BI_TRY(ctx->backend->core->iota(ctx, 4, to->perm, rows->n));
    BI_TRY(sort_by_coordinate(ctx, by, rows, 0, to->perm, perm));
    BI_TRY(gather_sorted_rows(ctx, by, rows, perm, packed));
    struct bi_kdtree_order_runs runs = {{packed, rows->n, dim}, by->opts->dtype, dim,        by->sorted, perm,
                                        (void *)to->rows.data,  to->perm,        too_long_at};
    BI_TRY(ctx->backend->copy(ctx, too_long_at, too_long, sizeof *too_long));
    BI_TRY(by->ops->steps->order_runs(ctx, rows->n, &runs));
    return bi_read_back(ctx, too_long, too_long_at, sizeof *too_long);
}

static bosc_status sort_rows_into(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                                  const struct bi_kdtree_rows *rows, const struct bi_kdtree_sorted *to)
{
    struct columns by;
    int64_t too_long;
    BI_TRY(allocate_columns(ctx, ops, opts, rows->n, &by));
    BI_TRY(sort_and_order_runs(ctx, &by, rows, to, &too_long));
    return too_long == INT64_MAX ? BOSC_OK : sort_all_coordinates(ctx, &by, rows, to);
}

static bosc_status sort_rows(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                             const struct bi_kdtree_rows *rows, struct bi_kdtree_sorted *to)
{
    void *packed;
    BI_TRY(bi_scratch_of(ctx, rows->n, sizeof *to->perm, &to->perm));
    BI_TRY(bi_scratch_of(ctx, rows->n, bosc_dtype_size(opts->dtype) * (size_t)opts->dim, &packed));
    to->rows = (struct bi_kdtree_rows){packed, rows->n, opts->dim};
    BI_RETURN_WITH_SCRATCH(ctx, sort_rows_into(ctx, ops, opts, rows, to));
}

/* --- Sorted lists ------------------------------------------------------------------------------------------------- */

static bosc_status allocate_lists(bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n, struct bi_kdtree_lists *lists)
{
    int depth = bi_kdtree_depth(n);
    *lists = (struct bi_kdtree_lists){.n = n, .used = opts->dim < depth ? opts->dim : depth};
    for (int32_t p = 0; p < lists->used; p++) {
        BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &lists->in[p]));
        BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &lists->out[p]));
    }
    return BOSC_OK;
}

/* Results of checks of sorts, in backend memory: the first position of a run of equal keys that is too long, and for
 * each coordinate the first position out of order. */
struct findings {
    int64_t too_long, bad[32];
};

/* `none` must live until the findings are read, as the copy may only be queued. */
static bosc_status reset_findings(bosc_ctx *ctx, struct findings *at, struct findings *none)
{
    none->too_long = INT64_MAX;
    for (int c = 0; c < 32; c++) none->bad[c] = INT64_MAX;
    return ctx->backend->copy(ctx, at, none, sizeof *none);
}

/* *found = the findings; fails if a sort left its keys out of order. */
static bosc_status read_findings(bosc_ctx *ctx, const struct findings *at, struct findings *found)
{
    BI_TRY(ctx->backend->copy(ctx, found, at, sizeof *found)); /* too large for bi_read_back */
    BI_TRY(ctx->backend->sync(ctx));
    for (int c = 0; c < 32; c++)
        if (found->bad[c] != INT64_MAX)
            return bi_fail(ctx, BOSC_ERR_INTERNAL, "sort: the keys of coordinate %d are out of order at position %lld",
                           c, (long long)found->bad[c]);
    return BOSC_OK;
}

static bosc_status check_keys(bosc_ctx *ctx, const struct columns *by, int64_t n, int64_t *bad)
{
    struct bi_kdtree_check_keys check = {by->sorted, bosc_dtype_size(by->opts->dtype) == 4, bad};
    return by->ops->steps->check_keys(ctx, n, &check);
}

/* Sorts each list by its own coordinate, then each run of equal keys. */
static bosc_status sort_lists_and_order_runs(bosc_ctx *ctx, const struct columns *by,
                                             const struct bi_kdtree_rows *sorted, struct bi_kdtree_lists *lists,
                                             struct findings *at)
{
    for (int32_t c = 1; c < lists->used; c++) {
        struct bi_kdtree_order_ties ties = {*sorted,    by->opts->dtype, by->opts->dim, c,
                                            by->sorted, lists->out[c],   lists->in[c],  &at->too_long};
        BI_TRY(sort_by_coordinate(ctx, by, sorted, c, lists->in[0], lists->out[c]));
        BI_TRY(check_keys(ctx, by, sorted->n, &at->bad[c]));
        BI_TRY(by->ops->steps->order_ties(ctx, sorted->n, &ties));
    }
    return BOSC_OK;
}

/* Sorts list 0 into the other ones, from the last coordinate down; works for any runs. */
static bosc_status sort_lists_all_coordinates(bosc_ctx *ctx, const struct columns *by,
                                              const struct bi_kdtree_rows *sorted, struct bi_kdtree_lists *lists,
                                              struct findings *at)
{
    const uint32_t *from = lists->in[0];
    for (int32_t c = by->opts->dim - 1; c > 0; c--) {
        uint32_t *to = lists->in[c < lists->used ? c : lists->used - 1];
        BI_TRY(sort_by_coordinate(ctx, by, sorted, c, from, to));
        BI_TRY(check_keys(ctx, by, sorted->n, &at->bad[c % 32]));
        from = to;
    }
    return BOSC_OK;
}

static bosc_status sort_other_lists(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                                    const struct bi_kdtree_rows *sorted, struct bi_kdtree_lists *lists)
{
    struct columns by;
    struct findings *at, found;
    if (lists->used < 2) return BOSC_OK;
    BI_TRY(allocate_columns(ctx, ops, opts, sorted->n, &by));
    BI_TRY(bi_scratch(ctx, sizeof *at, (void **)&at));
    BI_TRY(reset_findings(ctx, at, &found));
    BI_TRY(sort_lists_and_order_runs(ctx, &by, sorted, lists, at));
    BI_TRY(read_findings(ctx, at, &found));
    if (found.too_long == INT64_MAX) return BOSC_OK;
    BI_TRY(sort_lists_all_coordinates(ctx, &by, sorted, lists, at));
    return read_findings(ctx, at, &found);
}

/* Sorts the references 0, 1, 2, ... of sorted rows by each superkey that their tree needs. */
static bosc_status sort_lists(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                              const struct bi_kdtree_rows *sorted, struct bi_kdtree_lists *lists)
{
    BI_TRY(allocate_lists(ctx, opts, sorted->n, lists));
    BI_TRY(ctx->backend->core->iota(ctx, 4, lists->in[0], sorted->n));
    BI_RETURN_WITH_SCRATCH(ctx, sort_other_lists(ctx, ops, opts, sorted, lists));
}

static bosc_status build_from_runs(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_runs *runs)
{
    struct bi_kdtree_lists lists;
    uint32_t *order;
    BI_TRY(sort_lists(ctx, next->ops, &next->opts, &runs->rows, &lists));
    BI_TRY(bi_scratch_of(ctx, lists.n, sizeof *order, &order));
    BI_TRY(next->ops->partition_by_rank(ctx, next, &lists, order));
    return bi_kdtree_store_runs(ctx, next, runs, order);
}

static bosc_status build_from_rows(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows)
{
    struct bi_kdtree_sorted sorted;
    BI_TRY(sort_rows(ctx, next->ops, &next->opts, rows, &sorted));
    struct bi_kdtree_runs all_rows = {.n = rows->n, .count = rows->n, .rows = sorted.rows, .names = sorted.perm};
    return build_from_runs(ctx, next, &all_rows);
}

/* --- Builds ------------------------------------------------------------------------------------------------------- */

/* Builds from all rows. */
static bosc_status build_with_duplicates(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows)
{
    enum bi_kdtree_outcome outcome;
    next->nodes = rows->n;
    BI_TRY(next->ops->build(ctx, next, rows, &outcome));
    return outcome == BI_KDTREE_NEEDS_LISTS ? build_from_rows(ctx, next, rows) : BOSC_OK;
}

/* Builds from the first row of each run of equal points. Lists are made of the rows that the removal of duplicates has
 * sorted. */
static bosc_status build_unique(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows)
{
    struct bi_kdtree_sorted sorted;
    struct bi_kdtree_runs runs;
    BI_TRY(sort_rows(ctx, next->ops, &next->opts, rows, &sorted));
    BI_TRY(bi_kdtree_find_runs(ctx, next->ops, &next->opts, &sorted, &runs));
    enum bi_kdtree_outcome outcome;
    next->nodes = runs.rows.n;
    BI_TRY(next->ops->build(ctx, next, &runs.rows, &outcome));
    return outcome == BI_KDTREE_NEEDS_LISTS ? build_from_runs(ctx, next, &runs)
                                            : bi_kdtree_write_runs(ctx, next, &runs);
}

/* Builds *next by the builder of its options, and makes its index. */
static bosc_status run_builder(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows, bool last_sorted)
{
    next->n = rows->n;
    next->nodes = 0;
    next->mixing = BI_KDTREE_NOT_SAMPLED;
    next->indexed = false;
    if (rows->n == 0) return BOSC_OK;
    if (next->opts.builder == BOSC_KDTREE_BROWN)
        BI_TRY(bi_kdtree_build_brown(ctx, next, rows, last_sorted));
    else if (next->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE)
        BI_TRY(build_unique(ctx, next, rows));
    else
        BI_TRY(build_with_duplicates(ctx, next, rows));
    next->overwritten = true;
    return next->ops->make_index(ctx, next);
}

/* Stages the rows, builds a copy of the tree, and replaces the tree by it. On a failure other than a lack of memory, or
 * once the builder has begun to write, the tree becomes empty, as shared blocks may be overwritten. */
static bosc_status build_staged(bosc_ctx *ctx, bosc_kdtree *tree, struct bi_kdtree_rows *rows, bool last_sorted)
{
    bosc_kdtree next;
    bool staged = false;
    double since = bi_now();
    enum bi_kdtree_magnitude magnitude;
    BI_TRY(bi_kdtree_stage_points(ctx, tree, rows, &magnitude, &staged));
    BI_TRY(bi_kdtree_reserve_blocks(ctx, tree, rows->n, &next));
    next.overwritten = false;
    next.magnitude = magnitude;
    next.times = (bosc_kdtree_times){.size = sizeof next.times};
    bosc_status status = BOSC_OK;
    if (next.opts.builder == BOSC_KDTREE_BROWN) status = bi_kdtree_end_stage(ctx, &since, &next.times.init);
    if (status == BOSC_OK) status = run_builder(ctx, &next, rows, last_sorted);
    if (status == BOSC_OK && staged) status = ctx->backend->sync(ctx);
    if (status == BOSC_OK) {
        bi_kdtree_commit(tree, &next);
        return BOSC_OK;
    }
    bi_kdtree_abandon(tree, &next);
    if (status != BOSC_ERR_NOMEM || next.overwritten) tree->n = tree->nodes = 0;
    return status;
}

bosc_status bosc_kdtree_build(bosc_ctx *ctx, bosc_kdtree *tree, const void *points, int64_t n, int64_t stride)
{
    struct bi_kdtree_rows rows;
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    BI_TRY(bi_kdtree_check_size(ctx, n));
    BI_TRY(bi_kdtree_check_rows(ctx, tree, "points", points, "n", n, stride, &rows));
    bi_progress_set_total(ctx, 25 * (double)n); /* simple items a point: they affect the fraction of progress only */
    BI_RETURN_WITH_SCRATCH(ctx, build_staged(ctx, tree, &rows, false));
}

bosc_status bi_kdtree_build_side(bosc_ctx *ctx, bosc_kdtree *side, const void *points, int64_t n)
{
    struct bi_kdtree_rows rows = {points, n, side->opts.dim};
    BI_RETURN_WITH_SCRATCH(ctx, build_staged(ctx, side, &rows, true));
}

/* --- Scaled trees ------------------------------------------------------------------------------------------------- */

/* *scale = the power of two that brings the largest finite coordinate of rows between half the largest ordinary one and
 * that, or 2^1023 if that is less. By bisection of the exponent. */
static bosc_status find_scale(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_rows *rows, double *scale)
{
    const bosc_dtype dtype = tree->opts.dtype;
    const bool single = dtype == BOSC_F32;
    int low = single ? -150 : -1075, high = single ? 128 : 1024; /* coordinates are within 2^high, not all in 2^low */
    while (high - low > 1) {
        const int mid = low + (high - low) / 2;
        struct bi_kdtree_findings found;
        BI_TRY(tree->ops->find_beyond(ctx, dtype, tree->opts.dim, rows, ldexp(1, mid), &found));
        if (found.beyond == INT64_MAX)
            high = mid;
        else
            low = mid;
    }
    const int exponent = ilogb(bi_kdtree_largest_ordinary(dtype)) - high;
    *scale = ldexp(1, exponent < 1023 ? exponent : 1023);
    return BOSC_OK;
}

/* Scales the points and builds the tree again. */
static bosc_status rebuild_scaled(bosc_ctx *ctx, bosc_kdtree *tree, double *scale, bool *exact)
{
    struct bi_kdtree_scale_rows step = {
        .rows = {NULL, tree->nodes, tree->opts.dim}, .dtype = tree->opts.dtype, .dim = tree->opts.dim};
    struct bi_kdtree_rows scaled = step.rows;
    uint32_t rounded;
    /* 1. Scale the points. */
    BI_TRY(bi_kdtree_own_rows(ctx, tree, &step.rows));
    BI_TRY(find_scale(ctx, tree, &step.rows, scale));
    step.scale = *scale;
    BI_TRY(bi_scratch_of(ctx, tree->nodes * tree->opts.dim, bosc_dtype_size(tree->opts.dtype), &step.out));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *step.rounded, &step.rounded));
    BI_TRY(ctx->backend->fill(ctx, step.rounded, 0, sizeof *step.rounded));
    BI_TRY(tree->ops->steps->scale_rows(ctx, tree->nodes * tree->opts.dim, &step));
    BI_TRY(bi_read_back(ctx, &rounded, step.rounded, sizeof rounded));
    *exact = rounded == 0;
    /* 2. Build the tree again. */
    scaled.data = step.out;
    return build_staged(ctx, tree, &scaled, false);
}

bosc_status bi_kdtree_make_ordinary(bosc_ctx *ctx, bosc_kdtree *tree, double *scale, bool *exact)
{
    *scale = 1;
    *exact = true;
    if (tree->magnitude == BI_KDTREE_ORDINARY) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, rebuild_scaled(ctx, tree, scale, exact));
}
