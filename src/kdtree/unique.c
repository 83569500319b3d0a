/* Duplicates removed: runs of equal points among sorted rows, of which the first row is a node. Each row is compared
 * with its left neighbour, as published; that also finds a sort that failed. */
#include "kdtree/driver.h"

/* Marks the first row of each run of `list`. */
static bosc_status mark_runs(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const struct bi_kd_mark_runs *step)
{
    int64_t bad = INT64_MAX;
    BI_TRY(ctx->backend->copy(ctx, step->bad, &bad, sizeof bad));
    BI_TRY(ops->steps->mark_runs(ctx, step->rows.n, step));
    BI_TRY(bi_read_back(ctx, &bad, step->bad, sizeof bad));
    if (bad == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_INTERNAL, "deduplicate: the sort by superkey %d failed at position %lld",
                   (int)step->first, (long long)bad);
}

bosc_status bi_kd_find_runs(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                            const struct bi_kd_rows *rows, const uint32_t *perm, struct bi_kd_runs *runs)
{
    const struct bi_core_ops *core = ctx->backend->core;
    int64_t n = rows->n;
    struct bi_kd_mark_runs step = {.rows = *rows, .dtype = opts->dtype, .dim = opts->dim, .perm = perm};
    void *count;
    *runs = (struct bi_kd_runs){.n = n, .perm = perm};
    BI_TRY(bi_kd_scratch(ctx, n, sizeof(uint32_t), (void **)&runs->ranks));
    BI_TRY(bi_kd_scratch(ctx, n, sizeof(uint32_t), (void **)&runs->names));
    BI_TRY(bi_kd_scratch(ctx, n, sizeof(uint32_t), (void **)&runs->starts));
    BI_TRY(bi_kd_scratch(ctx, n, 1, (void **)&step.keep));
    BI_TRY(bi_scratch(ctx, sizeof(int64_t), (void **)&step.bad));
    BI_TRY(bi_scratch(ctx, sizeof(int64_t), &count));
    step.marks = runs->ranks;
    BI_TRY(mark_runs(ctx, ops, &step));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, runs->ranks, n, runs->ranks));
    BI_TRY(core->compact(ctx, sizeof(uint32_t), perm, step.keep, n, runs->names, count));
    BI_TRY(bi_read_back(ctx, &runs->count, count, sizeof runs->count));
    struct bi_kd_run_starts starts = {runs->ranks, runs->starts};
    return ops->steps->run_starts(ctx, n, &starts);
}

/* Keeps the first row of each run of a list that is ordered by superkey `first`. */
static bosc_status drop_list(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, struct bi_kd_mark_runs *step,
                             uint32_t *list, uint32_t *out, int64_t runs)
{
    void *place;
    int64_t count;
    step->perm = list;
    BI_TRY(bi_scratch(ctx, sizeof count, &place));
    BI_TRY(mark_runs(ctx, ops, step));
    BI_TRY(ctx->backend->core->compact(ctx, sizeof *list, list, step->keep, step->rows.n, out, place));
    BI_TRY(bi_read_back(ctx, &count, place, sizeof count));
    if (count == runs) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_INTERNAL, "deduplicate: list %d has %lld distinct points, list 0 %lld",
                   (int)step->first, (long long)count, (long long)runs);
}

bosc_status bi_kd_drop_lists(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                             const struct bi_kd_rows *rows, struct bi_kd_lists *lists, struct bi_kd_runs *runs)
{
    struct bi_kd_mark_runs step = {.rows = *rows, .dtype = opts->dtype, .dim = opts->dim};
    BI_TRY(bi_kd_scratch(ctx, rows->n, sizeof(uint32_t), (void **)&runs->perm));
    BI_TRY(ctx->backend->copy(ctx, (void *)runs->perm, lists->in[0], (size_t)rows->n * sizeof(uint32_t)));
    BI_TRY(bi_kd_find_runs(ctx, ops, opts, rows, runs->perm, runs));
    BI_TRY(bi_kd_scratch(ctx, rows->n, 1, (void **)&step.keep));
    BI_TRY(bi_scratch(ctx, sizeof(int64_t), (void **)&step.bad));
    for (int32_t p = 0; p < lists->used; p++) {
        uint32_t *list = lists->in[p];
        step.first = p;
        BI_TRY(drop_list(ctx, ops, &step, list, lists->out[p], runs->count));
        lists->in[p] = lists->out[p];
        lists->out[p] = list;
    }
    lists->n = runs->count;
    return BOSC_OK;
}

bosc_status bi_kd_unique_rows(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                              const struct bi_kd_rows *rows, const struct bi_kd_runs *runs, struct bi_kd_rows *unique)
{
    void *packed;
    size_t size = bosc_dtype_size(opts->dtype);
    BI_TRY(bi_kd_scratch(ctx, runs->count, size * (size_t)opts->dim, &packed));
    struct bi_kd_gather_rows gather = {*rows, opts->dim, (int32_t)size, runs->names, packed};
    *unique = (struct bi_kd_rows){packed, runs->count, opts->dim};
    return ops->steps->gather_rows(ctx, runs->count, &gather);
}

bosc_status bi_kd_keep_runs(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kd_runs *runs, uint32_t *where)
{
    const struct bi_kd_steps *steps = next->ops->steps;
    struct bi_kd_view view = next->ops->view(next);
    struct bi_kd_place_ids place = {view.ids, view.id_stride, where};
    struct bi_kd_inverse inverse = {runs->perm, runs->ranks, runs->names, where, next->inverse.data};
    struct bi_kd_count_runs counts = {runs->starts, runs->names, where, runs->count, runs->n, next->counts.data};
    BI_TRY(steps->place_ids(ctx, next->nodes, &place));
    BI_TRY(steps->inverse(ctx, runs->n, &inverse));
    return steps->count_runs(ctx, runs->count, &counts);
}
