/* Outputs of a tree: nodes, links, duplicates, a view. */
#include "core/call.h"
#include "kdtree/handle.h"
#include "kdtree/steps/steps.h"

/* Outputs of a call, staged if the caller's array is not reachable. */
struct outputs {
    struct bi_out list[2];
    int count;
    bool staged;
};

static bosc_status add_output(bosc_ctx *ctx, struct outputs *outs, void *array, int64_t n, size_t size,
                              void **reachable)
{
    struct bi_out *out = &outs->list[outs->count];
    BI_TRY(bi_stage_out(ctx, array, (size_t)n * size, out, &outs->staged));
    *reachable = out->reachable;
    outs->count++;
    return BOSC_OK;
}

static bosc_status stage_outputs_back(bosc_ctx *ctx, const struct outputs *outs)
{
    for (int i = 0; i < outs->count; i++) BI_TRY(bi_stage_back(ctx, &outs->list[i]));
    return outs->staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

/* Fetches the ids of the nodes in the caller's type. */
static bosc_status fetch_ids(bosc_ctx *ctx, const bosc_kdtree *tree, void *ids)
{
    uint32_t *ids32 = ids;
    bool is_64bit = tree->opts.id_bits == 64;
    if (is_64bit) BI_TRY(bi_scratch_of(ctx, tree->nodes, sizeof *ids32, &ids32));
    BI_TRY(tree->ops->fetch(ctx, tree, NULL, ids32));
    if (!is_64bit) return BOSC_OK;
    struct bi_kdtree_widen widen = {ids32, ids};
    return tree->ops->steps->widen_ids(ctx, tree->nodes, &widen);
}

static bosc_status get_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, void *points, void *ids)
{
    struct outputs outs = {0};
    size_t row = (size_t)tree->opts.dim * bosc_dtype_size(tree->opts.dtype);
    if (points) BI_TRY(add_output(ctx, &outs, points, tree->nodes, row, &points));
    if (ids) BI_TRY(add_output(ctx, &outs, ids, tree->nodes, (size_t)tree->opts.id_bits / 8, &ids));
    if (ids) BI_TRY(fetch_ids(ctx, tree, ids));
    if (points) BI_TRY(tree->ops->fetch(ctx, tree, points, NULL));
    return stage_outputs_back(ctx, &outs);
}

bosc_status bosc_kdtree_get_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, void *points, void *ids)
{
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    if (tree->nodes == 0) return BOSC_OK;
    BI_TRY(bi_check_aligned(ctx, "points", points, bosc_dtype_size(tree->opts.dtype)));
    BI_TRY(bi_check_aligned(ctx, "ids", ids, (size_t)tree->opts.id_bits / 8));
    BI_RETURN_WITH_SCRATCH(ctx, get_nodes(ctx, tree, points, ids));
}

bosc_status bosc_kdtree_get_view(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_kdtree_view *view)
{
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    if (!view) return bi_fail(ctx, BOSC_ERR_ARG, "view: NULL");
    *view = tree->ops->view(tree);
    view->version = BOSC_KDTREE_VIEW_VERSION;
    return BOSC_OK;
}

static void set_link(const bosc_kdtree *tree, void *links, int64_t node, struct bi_kdtree_range below)
{
    int64_t link = below.begin < below.end ? bi_kdtree_mid(below) : -1;
    if (!links) return;
    if (tree->opts.id_bits == 64)
        ((int64_t *)links)[node] = link;
    else
        ((uint32_t *)links)[node] = (uint32_t)link;
}

bosc_status bosc_kdtree_get_links(bosc_ctx *ctx, const bosc_kdtree *tree, void *less, void *greater, int64_t *root)
{
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    struct bi_kdtree_range all = {0, tree->nodes}, stack[64];
    int count = 0;
    if (root) *root = tree->nodes ? bi_kdtree_mid(all) : -1;
    if (tree->nodes && (less || greater)) stack[count++] = all;
    while (count > 0) {
        struct bi_kdtree_range r = stack[--count], l = bi_kdtree_less(r), g = bi_kdtree_greater(r);
        set_link(tree, less, bi_kdtree_mid(r), l);
        set_link(tree, greater, bi_kdtree_mid(r), g);
        if (g.begin < g.end) stack[count++] = g;
        if (l.begin < l.end) stack[count++] = l;
    }
    return BOSC_OK;
}

/* Fetches the node of each row, as int64 or uint32. */
static bosc_status fetch_inverse(bosc_ctx *ctx, const bosc_kdtree *tree, void *inverse)
{
    bool is_64bit = tree->opts.id_bits == 64;
    uint32_t *ids32 = inverse;
    if (tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) {
        if (!is_64bit) return ctx->backend->copy(ctx, inverse, tree->inverse.data, (size_t)tree->n * sizeof *ids32);
        ids32 = tree->inverse.data;
    } else {
        bosc_kdtree_view view = tree->ops->view(tree);
        if (is_64bit) BI_TRY(bi_scratch_of(ctx, tree->n, sizeof *ids32, &ids32));
        struct bi_kdtree_place_ids place = {view.ids, view.id_stride, ids32};
        BI_TRY(tree->ops->steps->place_ids(ctx, tree->nodes, &place));
        if (!is_64bit) return BOSC_OK;
    }
    struct bi_kdtree_widen widen = {ids32, inverse};
    return tree->ops->steps->widen_ids(ctx, tree->n, &widen);
}

static bosc_status get_duplicates(bosc_ctx *ctx, const bosc_kdtree *tree, void *inverse, void *counts)
{
    struct outputs outs = {0};
    bool removed = tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE;
    if (inverse) BI_TRY(add_output(ctx, &outs, inverse, tree->n, (size_t)tree->opts.id_bits / 8, &inverse));
    if (counts) BI_TRY(add_output(ctx, &outs, counts, tree->nodes, sizeof(int64_t), &counts));
    if (inverse) BI_TRY(fetch_inverse(ctx, tree, inverse));
    struct bi_kdtree_widen widen = {removed ? tree->counts.data : NULL, counts};
    if (counts) BI_TRY(tree->ops->steps->widen_counts(ctx, tree->nodes, &widen));
    return stage_outputs_back(ctx, &outs);
}

bosc_status bosc_kdtree_get_duplicates(bosc_ctx *ctx, const bosc_kdtree *tree, void *inverse, int64_t *counts)
{
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    if (tree->nodes == 0) return BOSC_OK;
    BI_TRY(bi_check_aligned(ctx, "inverse", inverse, (size_t)tree->opts.id_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "counts", counts, sizeof *counts));
    BI_RETURN_WITH_SCRATCH(ctx, get_duplicates(ctx, tree, inverse, counts));
}
