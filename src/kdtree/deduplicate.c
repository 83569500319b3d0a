/* Removes duplicates: finds runs of equal points among sorted rows, and the first row of each run becomes a node. Each
 * row is compared with its left neighbour, as published; that also verifies the sort. */
#include "core/call.h"
#include "kdtree/drivers.h"

/* Marks the first row of each run. */
static bosc_status mark_runs(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const struct bi_kdtree_mark_runs *step)
{
    int64_t bad = INT64_MAX;
    BI_TRY(ctx->backend->copy(ctx, step->bad, &bad, sizeof bad));
    BI_TRY(ops->steps->mark_runs(ctx, step->rows.n, step));
    BI_TRY(bi_read_back(ctx, &bad, step->bad, sizeof bad));
    if (bad == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_INTERNAL, "deduplicate: unsorted at %lld",
                   (long long)bad); /* reached only if a sort failed */
}

bosc_status bi_kdtree_allocate_runs(bosc_ctx *ctx, int64_t n, struct bi_kdtree_runs *runs)
{
    *runs = (struct bi_kdtree_runs){.n = n};
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &runs->ranks));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &runs->names));
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof(uint32_t), &runs->starts));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &runs->nodes));
    return bi_scratch_of(ctx, n, sizeof(uint32_t), &runs->where);
}

/* Allocates *runs in scratch. runs->rows: the first row of each run; without duplicates, sorted->rows itself. Rows out
 * of order are BOSC_ERR_INTERNAL. */
bosc_status bi_kdtree_find_runs(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                                const struct bi_kdtree_sorted *sorted, struct bi_kdtree_runs *runs)
{
    const struct bi_core_ops *core = ctx->backend->core;
    int64_t n = sorted->rows.n;
    size_t row = bosc_dtype_size(opts->dtype) * (size_t)opts->dim;
    struct bi_kdtree_mark_runs step = {
        .rows = sorted->rows, .dtype = opts->dtype, .dim = opts->dim, .perm = sorted->perm};
    void *count, *packed;
    /* 1. Mark the first row of each run. */
    BI_TRY(bi_kdtree_allocate_runs(ctx, n, runs));
    runs->perm = sorted->perm;
    BI_TRY(bi_scratch_of(ctx, n, 1, &step.keep));
    BI_TRY(bi_scratch(ctx, sizeof(int64_t), (void **)&step.bad));
    BI_TRY(bi_scratch(ctx, sizeof(int64_t), &count));
    step.marks = runs->ranks;
    BI_TRY(mark_runs(ctx, ops, &step));
    /* 2. Find the ranks, names and begins of runs. */
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, runs->ranks, n, runs->ranks));
    BI_TRY(core->compact(ctx, sizeof(uint32_t), sorted->perm, step.keep, n, runs->names, count));
    BI_TRY(bi_read_back(ctx, &runs->count, count, sizeof runs->count));
    struct bi_kdtree_run_starts starts = {runs->ranks, n, runs->starts};
    BI_TRY(ops->steps->run_starts(ctx, n, &starts));
    /* 3. Compact their first rows. */
    runs->rows = sorted->rows;
    if (runs->count == n) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, runs->count, row, &packed));
    runs->rows = (struct bi_kdtree_rows){packed, runs->count, opts->dim};
    return core->compact(ctx, row, sorted->rows.data, step.keep, n, packed, count);
}

bosc_status bi_kdtree_write_runs(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_runs *runs)
{
    const struct bi_kdtree_steps *steps = next->ops->steps;
    bosc_kdtree_view view = next->ops->view(next);
    uint32_t *ids = (uint32_t *)view.ids;
    struct bi_kdtree_count_runs counts = {ids, view.id_stride, runs->starts, next->counts.data};
    struct bi_kdtree_name_nodes names = {ids, ids, view.id_stride, runs->names, runs->where};
    struct bi_kdtree_nodes_of_rows nodes = {runs->ranks, runs->where, runs->nodes};
    struct bi_kdtree_scatter inverse = {runs->perm, runs->nodes, next->inverse.data};
    BI_TRY(steps->count_runs(ctx, next->nodes, &counts));
    BI_TRY(steps->name_nodes(ctx, next->nodes, &names));
    BI_TRY(steps->nodes_of_rows(ctx, runs->n, &nodes));
    return steps->scatter(ctx, runs->n, &inverse);
}

/* Beyond MOST_RANDOM targets, a radix pass by the upper bits of the target before writing is faster than random writes.
 * Measured on an H200, 2^24 targets: 585 us by 8 bits, 835 without. MOST_RANDOM targets are 16 MB, which its L2 cache
 * of 50 MB holds; the limit itself is not measured. */
enum { MOST_RANDOM = 1 << 22, FAR_BITS = 8 };

/* out[to[i]] = in[i] for n distinct positions below `range`, sorted by their upper bits first. */
static bosc_status scatter_by_upper_bits(bosc_ctx *ctx, const struct bi_kdtree_steps *steps, const uint32_t *to,
                                         const uint32_t *in, int64_t n, int64_t range, uint32_t *out)
{
    int32_t bits = bi_bit_length((uint64_t)range - 1);
    uint32_t *positions, *values;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *positions, &positions));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *values, &values));
    struct bi_kdtree_scatter scatter = {positions, values, out};
    BI_TRY(
        ctx->backend->core->sort_pairs(ctx, BOSC_U32, to, sizeof *in, in, n, positions, values, bits - FAR_BITS, bits));
    return steps->scatter(ctx, n, &scatter);
}

/* *inverse = scratch with the node of each row; the id of a node is the first row of its run. */
static bosc_status find_inverse(bosc_ctx *ctx, const struct bi_kdtree_steps *steps, const struct bi_kdtree_runs *runs,
                                const uint32_t *ids, uint32_t **inverse)
{
    BI_TRY(bi_scratch_of(ctx, runs->n, sizeof **inverse, (void **)inverse));
    BI_TRY(ctx->backend->core->iota(ctx, 4, runs->where, runs->count));
    if (runs->count <= MOST_RANDOM) {
        struct bi_kdtree_scatter scatter = {ids, runs->where, *inverse};
        BI_TRY(steps->scatter(ctx, runs->count, &scatter));
    } else {
        BI_TRY_WITH_SCRATCH(ctx, scatter_by_upper_bits(ctx, steps, ids, runs->where, runs->count, runs->n, *inverse));
    }
    if (runs->count == runs->n) return BOSC_OK;
    struct bi_kdtree_other_rows_of_runs others = {runs->perm, runs->ranks, runs->starts, *inverse};
    return steps->other_rows_of_runs(ctx, runs->n, &others);
}

bosc_status bi_kdtree_store_nodes(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_runs *runs,
                                  const struct bi_kdtree_stored *stored)
{
    const struct bi_kdtree_steps *steps = next->ops->steps;
    uint32_t *inverse = NULL;
    if (runs->where) BI_TRY(find_inverse(ctx, steps, runs, stored->ids ? stored->ids : stored->order, &inverse));
    next->overwritten = true;
    BI_TRY(next->ops->store(ctx, next, &stored->rows, stored->order, stored->ids));
    if (!runs->where) return BOSC_OK;
    struct bi_kdtree_lengths lengths = {runs->perm, runs->starts, inverse, next->counts.data};
    BI_TRY(steps->single_counts(ctx, runs->count, &lengths));
    if (runs->count < runs->n) BI_TRY(steps->run_counts(ctx, runs->count, &lengths));
    return ctx->backend->copy(ctx, next->inverse.data, inverse, (size_t)runs->n * sizeof *inverse);
}

bosc_status bi_kdtree_store_runs(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_runs *runs,
                                 const uint32_t *order)
{
    uint32_t *ids;
    BI_TRY(bi_scratch_of(ctx, next->nodes, sizeof *ids, &ids));
    struct bi_kdtree_name_nodes names = {order, ids, 1, runs->names, NULL};
    struct bi_kdtree_stored stored = {runs->rows, order, ids};
    BI_TRY(next->ops->steps->name_nodes(ctx, next->nodes, &names));
    return bi_kdtree_store_nodes(ctx, next, runs, &stored);
}
