/* Outputs of a tree: nodes, links, duplicates, a view. The verification checks every node against all its ancestors,
 * and reports the first error in words. */
#include "base/clock.h"
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

/* --- Verification ------------------------------------------------------------------------------------------------- */

static bosc_status find_offender(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *node)
{
    int64_t *found;
    BI_TRY(bi_scratch(ctx, sizeof *found, (void **)&found));
    BI_TRY(tree->ops->verify(ctx, tree, found));
    return bi_read_back(ctx, node, found, sizeof *node);
}

/* The ordered key of coordinate c of a node, read back. */
static bosc_status read_key(bosc_ctx *ctx, const bosc_kdtree_view *v, int64_t node, int32_t c, uint64_t *key)
{
    uint64_t element = 0;
    size_t size = bosc_dtype_size(v->dtype);
    const char *at = (const char *)v->points + (size_t)bosc_kdtree_element(v, node, c) * size;
    BI_TRY(bi_read_back(ctx, &element, at, size));
    *key = bi_kdtree_key(&element, 0, v->dtype);
    return BOSC_OK;
}

/* Compares nodes i and j by values read back: *order as bi_kdtree_compare_nodes; *c = the deciding coordinate, -1 for
 * the id. */
static bosc_status compare_back(bosc_ctx *ctx, const bosc_kdtree_view *v, int64_t i, int64_t j, int32_t first,
                                int *order, int32_t *c)
{
    uint32_t a, b;
    *c = first;
    for (int32_t t = 0; t < v->dim; t++, *c = bi_kdtree_cycle(*c, v->dim)) {
        uint64_t x, y;
        BI_TRY(read_key(ctx, v, i, *c, &x));
        BI_TRY(read_key(ctx, v, j, *c, &y));
        *order = x < y ? -1 : x > y;
        if (*order) return BOSC_OK;
    }
    *c = -1;
    BI_TRY(bi_read_back(ctx, &a, v->ids + i * v->id_stride, sizeof a));
    BI_TRY(bi_read_back(ctx, &b, v->ids + j * v->id_stride, sizeof b));
    *order = a < b ? -1 : a > b;
    return BOSC_OK;
}

/* Reports the ancestor on whose wrong side the node is, or else the error of its id. The node is known to be wrong, so
 * it never returns BOSC_OK. */
static bosc_status report_error(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t node)
{
    bosc_kdtree_view v = tree->ops->view(tree);
    struct bi_kdtree_range r = {0, tree->nodes};
    /* 1. Compare with the ancestors from the root down. */
    for (int level = 0; bi_kdtree_mid(r) != node; level++) {
        int64_t mid = bi_kdtree_mid(r);
        bool less = node < mid;
        int order;
        int32_t c;
        BI_TRY(compare_back(ctx, &v, node, mid, level % v.dim, &order, &c));
        if (less ? order >= 0 : order <= 0)
            return bi_fail(
                ctx, BOSC_ERR_DATA,
                "node %lld is on the %s side of its ancestor %lld (level %d, coordinate %d), but is %s by %s %d",
                (long long)node, less ? "less" : "greater", (long long)mid, level, level % v.dim,
                order < 0   ? "less"
                : order > 0 ? "greater"
                            : "equal",
                c < 0 ? "id, not coordinate" : "coordinate", c < 0 ? level % v.dim : (int)c);
        r = less ? bi_kdtree_less(r) : bi_kdtree_greater(r);
    }
    /* 2. All are in order, so the id is wrong. */
    uint32_t id;
    BI_TRY(bi_read_back(ctx, &id, v.ids + node * v.id_stride, sizeof id));
    return bi_fail(ctx, BOSC_ERR_DATA, "node %lld has the id %lu, which is %s", (long long)node, (unsigned long)id,
                   (int64_t)id >= tree->n ? "out of range" : "also that of a node before it");
}

bosc_status bosc_kdtree_verify(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *node)
{
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_tree(ctx, tree));
    bi_progress_set_total(ctx, 3 * (double)tree->nodes); /* the steps of the check */
    int64_t offender = INT64_MAX;
    double begin = bi_now();
    BI_TRY_WITH_SCRATCH(ctx, tree->nodes ? find_offender(ctx, tree, &offender) : BOSC_OK);
    double seconds = bi_now() - begin; /* several contexts may verify one tree at once */
    __atomic_store(&((bosc_kdtree *)tree)->times.verify, &seconds, __ATOMIC_RELAXED);
    if (offender == INT64_MAX) return BOSC_OK;
    if (node) *node = offender;
    return report_error(ctx, tree, offender);
}
