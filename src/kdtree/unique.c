/* Duplicates removed: runs of equal points among sorted rows, of which the first row is a node. Each row is compared
 * with its left neighbour, as published; that also finds a sort that failed. */
#include "kdtree/driver.h"

/* Marks the first row of each run. */
static bosc_status mark_runs(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const struct bi_kd_mark_runs *step)
{
    int64_t bad = INT64_MAX;
    BI_TRY(ctx->backend->copy(ctx, step->bad, &bad, sizeof bad));
    BI_TRY(ops->steps->mark_runs(ctx, step->rows.n, step));
    BI_TRY(bi_read_back(ctx, &bad, step->bad, sizeof bad));
    if (bad == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_INTERNAL, "deduplicate: unsorted at %lld", (long long)bad); /* unreached: sorts sort */
}

bosc_status bi_kd_find_runs(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                            const struct bi_kd_sorted *sorted, struct bi_kd_runs *runs)
{
    const struct bi_core_ops *core = ctx->backend->core;
    int64_t n = sorted->rows.n;
    size_t row = bosc_dtype_size(opts->dtype) * (size_t)opts->dim;
    struct bi_kd_mark_runs step = {.rows = sorted->rows, .dtype = opts->dtype, .dim = opts->dim, .perm = sorted->perm};
    void *count, *packed;
    *runs = (struct bi_kd_runs){.n = n, .perm = sorted->perm};
    BI_TRY(bi_kd_scratch(ctx, n, sizeof(uint32_t), (void **)&runs->ranks));
    BI_TRY(bi_kd_scratch(ctx, n, sizeof(uint32_t), (void **)&runs->names));
    BI_TRY(bi_kd_scratch(ctx, n, sizeof(uint32_t), (void **)&runs->starts));
    BI_TRY(bi_kd_scratch(ctx, n, sizeof(uint32_t), (void **)&runs->where));
    BI_TRY(bi_kd_scratch(ctx, n, 1, (void **)&step.keep));
    BI_TRY(bi_scratch(ctx, sizeof(int64_t), (void **)&step.bad));
    BI_TRY(bi_scratch(ctx, sizeof(int64_t), &count));
    step.marks = runs->ranks;
    BI_TRY(mark_runs(ctx, ops, &step));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, runs->ranks, n, runs->ranks));
    BI_TRY(core->compact(ctx, sizeof(uint32_t), sorted->perm, step.keep, n, runs->names, count));
    BI_TRY(bi_read_back(ctx, &runs->count, count, sizeof runs->count));
    struct bi_kd_run_starts starts = {runs->ranks, runs->starts};
    BI_TRY(ops->steps->run_starts(ctx, n, &starts));
    runs->rows = sorted->rows;
    if (runs->count == n) return BOSC_OK;
    BI_TRY(bi_kd_scratch(ctx, runs->count, row, &packed));
    runs->rows = (struct bi_kd_rows){packed, runs->count, opts->dim};
    return core->compact(ctx, row, sorted->rows.data, step.keep, n, packed, count);
}

bosc_status bi_kd_keep_runs(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kd_runs *runs)
{
    const struct bi_kd_steps *steps = next->ops->steps;
    struct bi_kd_view view = next->ops->view(next);
    struct bi_kd_name_nodes names = {(uint32_t *)view.ids, view.id_stride, runs->names, runs->where};
    struct bi_kd_inverse inverse = {runs->perm, runs->ranks, runs->where, next->inverse.data};
    struct bi_kd_count_runs counts = {runs->starts, runs->where, runs->count, runs->n, next->counts.data};
    BI_TRY(steps->name_nodes(ctx, next->nodes, &names));
    if (!runs->where) return BOSC_OK;
    BI_TRY(steps->inverse(ctx, runs->n, &inverse));
    return steps->count_runs(ctx, runs->count, &counts);
}
