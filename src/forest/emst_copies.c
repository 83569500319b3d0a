/* Equal points under mutual reachability: those whose core distances and lists need a search. */
#include "core/call.h"
#include "forest/emst.h"

/* Keeps the first min_samples of equal rows. */
static bosc_status mark_excess(bosc_ctx *ctx, int64_t n, int64_t min_samples, const struct bi_kdtree_copies *copies)
{
    const struct bi_forest_steps *steps = ctx->ops->forest->steps;
    struct bi_emst_excess a = {
        .first = copies->first, .is_copy = copies->is_copy, .is_kept = copies->is_kept, .most = min_samples};
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a.keys, &a.keys));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a.rows, &a.rows));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a.begins, &a.begins));
    BI_TRY(steps->emst_copy_keys(ctx, n, &a));
    BI_TRY_WITH_SCRATCH(
        ctx, ctx->backend->core->sort_pairs(ctx, BOSC_U32, a.keys, sizeof *a.rows, a.rows, n, a.keys, a.rows, 0, 32));
    BI_TRY(steps->emst_copy_begins(ctx, n, &a));
    return steps->emst_mark_excess(ctx, n, &a);
}

bosc_status bi_emst_keep_rows(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t min_samples,
                              struct bi_kdtree_copies *copies)
{
    BI_TRY(bi_kdtree_mark_copies(ctx, tree, copies));
    BI_TRY_WITH_SCRATCH(ctx, mark_excess(ctx, tree->nodes, min_samples, copies));
    return bi_kdtree_list_kept(ctx, tree, copies);
}

bosc_status bi_emst_list_core_rows(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t min_samples, uint32_t **rows,
                                   int64_t *count)
{
    struct bi_kdtree_copies copies;
    bool many;
    *rows = NULL;
    *count = tree->nodes;
    BI_TRY(bi_kdtree_has_many_copies(ctx, tree, &many));
    if (!many) return BOSC_OK;
    BI_TRY(bi_emst_keep_rows(ctx, tree, min_samples, &copies));
    *rows = copies.kept_rows;
    *count = copies.kept;
    return BOSC_OK;
}
