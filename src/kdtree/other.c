/* The driver and front door of searches for the nearest point with another label. */
#include "base/bits.h"
#include "kdtree/driver.h"

struct other {
    const void *labels, *bounds;
    void *ids, *dist2;
};

/* What the subtrees are all labelled, from the leaves up. */
static bosc_status find_same(bosc_ctx *ctx, const bosc_kdtree *tree, const void *labels, uint32_t *node_labels,
                             uint32_t *same)
{
    const struct bi_kd_steps *steps = tree->ops->steps;
    struct bi_kd_node_labels name = {tree->ops->view(tree), labels, tree->opts.id_bits == 64, node_labels};
    BI_TRY(steps->node_labels(ctx, tree->nodes, &name));
    for (int32_t level = bi_kd_depth(tree->nodes) - 1; level >= 0; level--) {
        struct bi_kd_same_labels args = {tree->nodes, level, node_labels, same};
        BI_TRY(steps->same_labels(ctx, (int64_t)1 << level, &args));
    }
    return BOSC_OK;
}

static bosc_status search(bosc_ctx *ctx, const bosc_kdtree *tree, const struct other *o)
{
    struct bi_kd_rows rows = {NULL, tree->nodes, tree->opts.dim};
    uint32_t *node_labels, *same;
    BI_TRY(bi_kd_scratch(ctx, tree->nodes, sizeof *node_labels, (void **)&node_labels));
    BI_TRY(bi_kd_scratch(ctx, tree->nodes, sizeof *same, (void **)&same));
    BI_TRY(find_same(ctx, tree, o->labels, node_labels, same));
    BI_TRY(bi_kd_own_rows(ctx, tree, &rows));
    struct bi_kd_other args = {.view = tree->ops->view(tree),
                               .rows = rows,
                               .labels = o->labels,
                               .node_labels = node_labels,
                               .same = same,
                               .bounds = o->bounds,
                               .ids = o->ids,
                               .dist2 = o->dist2,
                               .wide = tree->opts.id_bits == 64};
    return tree->ops->steps->nearest_other(ctx, tree->nodes, &args);
}

static bosc_status staged_search(bosc_ctx *ctx, const bosc_kdtree *tree, const struct other *o)
{
    size_t id_bytes = (size_t)tree->nodes * (size_t)tree->opts.id_bits / 8;
    size_t bytes = (size_t)tree->nodes * (tree->opts.dtype == BOSC_F32 ? 4 : 8);
    struct bi_out ids, dist2;
    struct other inside = *o;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, o->labels, id_bytes, &inside.labels, &staged));
    BI_TRY(bi_stage_in(ctx, o->bounds, o->bounds ? bytes : 0, &inside.bounds, &staged));
    BI_TRY(bi_stage_out(ctx, o->ids, id_bytes, &ids, &staged));
    BI_TRY(bi_stage_out(ctx, o->dist2, o->dist2 ? bytes : 0, &dist2, &staged));
    inside.ids = ids.reachable;
    inside.dist2 = dist2.reachable;
    BI_TRY(search(ctx, tree, &inside));
    BI_TRY(bi_stage_back(ctx, &ids));
    BI_TRY(bi_stage_back(ctx, &dist2));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_kdtree_nearest_other(bosc_ctx *ctx, const bosc_kdtree *tree, const void *labels, const void *bounds,
                                      void *ids, void *dist2)
{
    if (!ctx) return BOSC_ERR_ARG;
    bi_begin(ctx);
    BI_TRY(bi_kd_check_tree(ctx, tree));
    if (tree->opts.duplicates == BOSC_DUPLICATES_REMOVE)
        return bi_fail(ctx, BOSC_ERR_ARG, "tree: duplicates were removed, so that rows are missing");
    if (tree->nodes == 0) return BOSC_OK;
    if (!labels) return bi_fail(ctx, BOSC_ERR_ARG, "labels: NULL");
    if (!ids) return bi_fail(ctx, BOSC_ERR_ARG, "ids: NULL");
    BI_TRY(bi_kd_check_aligned(ctx, "labels", labels, (size_t)tree->opts.id_bits / 8));
    BI_TRY(bi_kd_check_aligned(ctx, "bounds", bounds, tree->opts.dtype == BOSC_F32 ? 4 : 8));
    BI_TRY(bi_kd_check_answers(ctx, tree, ids, dist2));
    struct other o = {labels, bounds, ids, dist2};
    struct bi_mark mark = bi_arena_mark(ctx);
    bosc_status status = staged_search(ctx, tree, &o);
    bi_arena_rewind(ctx, mark);
    return status;
}
