/* What a tree holds, copied out or seen: nodes, links, duplicates, a view. */
#include "core/call.h"
#include "kdtree/handle.h"
#include "kdtree/steps/steps.h"

/* Outputs of a call, staged where the caller's array is out of reach. */
struct outputs {
    struct bi_out list[2];
    int count;
    bool staged;
};

static bosc_status add_output(bosc_ctx *ctx, struct outputs *outs, void *array, int64_t n, size_t size, void **place)
{
    struct bi_out *out = &outs->list[outs->count];
    BI_TRY(bi_stage_out(ctx, array, (size_t)n * size, out, &outs->staged));
    *place = out->reachable;
    outs->count++;
    return BOSC_OK;
}

static bosc_status hand_over(bosc_ctx *ctx, const struct outputs *outs)
{
    for (int i = 0; i < outs->count; i++) BI_TRY(bi_stage_back(ctx, &outs->list[i]));
    return outs->staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

/* The ids of the nodes as the caller wants them. */
static bosc_status fetch_ids(bosc_ctx *ctx, const bosc_kdtree *tree, void *ids)
{
    uint32_t *narrow = ids;
    bool wide = tree->opts.id_bits == 64;
    if (wide) BI_TRY(bi_scratch_of(ctx, tree->nodes, sizeof *narrow, &narrow));
    BI_TRY(tree->ops->fetch(ctx, tree, NULL, narrow));
    if (!wide) return BOSC_OK;
    struct bi_kdtree_widen widen = {narrow, ids};
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
    return hand_over(ctx, &outs);
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
    struct bi_kdtree_range all = {0, tree->nodes}, waiting[64];
    int count = 0;
    if (root) *root = tree->nodes ? bi_kdtree_mid(all) : -1;
    if (tree->nodes && (less || greater)) waiting[count++] = all;
    while (count > 0) {
        struct bi_kdtree_range r = waiting[--count], l = bi_kdtree_less(r), g = bi_kdtree_greater(r);
        set_link(tree, less, bi_kdtree_mid(r), l);
        set_link(tree, greater, bi_kdtree_mid(r), g);
        if (g.begin < g.end) waiting[count++] = g;
        if (l.begin < l.end) waiting[count++] = l;
    }
    return BOSC_OK;
}

/* The node of each row, as int64 or uint32. */
static bosc_status fetch_inverse(bosc_ctx *ctx, const bosc_kdtree *tree, void *inverse)
{
    bool wide = tree->opts.id_bits == 64;
    uint32_t *narrow = inverse;
    if (tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) {
        if (!wide) return ctx->backend->copy(ctx, inverse, tree->inverse.data, (size_t)tree->n * sizeof *narrow);
        narrow = tree->inverse.data;
    } else {
        bosc_kdtree_view view = tree->ops->view(tree);
        if (wide) BI_TRY(bi_scratch_of(ctx, tree->n, sizeof *narrow, &narrow));
        struct bi_kdtree_place_ids place = {view.ids, view.id_stride, narrow};
        BI_TRY(tree->ops->steps->place_ids(ctx, tree->nodes, &place));
        if (!wide) return BOSC_OK;
    }
    struct bi_kdtree_widen widen = {narrow, inverse};
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
    return hand_over(ctx, &outs);
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
