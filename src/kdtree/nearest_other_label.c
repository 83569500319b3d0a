/* Finds the nearest point with another label for each row. */
#include "base/bits.h"
#include "core/call.h"
#include "kdtree/blocks.h"
#include "kdtree/handle.h"
#include "kdtree/nearest_other_label.h"
#include "kdtree/steps/steps.h"

/* Cost of a row in all steps, in simple items: a search, and 16 for blocks and labels. Affects the progress only. */
enum { ROW_ITEMS = 16 + BI_KDTREE_SEARCH_ITEMS };

/* The most dimensions in which blocks are pruned before the searches: those of boxes. With boxes by widest extent it
 * saved a third of the processor time of clusters in 5-D, a fifth in 10-D (docs/design/forest.md). */
enum { MAX_PRUNED_DIM = BI_KDTREE_BOX_COORDINATES };

struct label_search {
    const struct bi_kdtree_blocks *blocks;        /* labelled; NULL: not made yet */
    const void *labels, *bounds;                  /* labels: unused with blocks; bounds: may be NULL */
    void *ids, *dist2;                            /* dist2: may be NULL */
    const struct bi_kdtree_shared_bounds *shared; /* with the same bounds; NULL: not shared */
};

/* Makes the groups of boxes, bottom up; of floats and doubles. */
static bosc_status group_boxes(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_blocks *blocks)
{
    const bosc_dtype dtype = blocks->view.dtype;
    const int64_t groups = bi_kdtree_group_of(blocks->levels, ((int64_t)1 << blocks->levels) - 1);
    if (!tree->ops->nearest_other || (dtype != BOSC_F32 && dtype != BOSC_F64)) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, groups + 1, 2 * BI_KDTREE_GROUP * (size_t)blocks->used * bosc_dtype_size(dtype),
                         &blocks->groups));
    for (blocks->level = blocks->levels; blocks->level > 0;) {
        blocks->level = blocks->level < BI_KDTREE_GROUP_LEVELS ? 0 : blocks->level - BI_KDTREE_GROUP_LEVELS;
        BI_TRY(tree->ops->steps->group_boxes(ctx, (int64_t)1 << blocks->level, blocks));
    }
    return BOSC_OK;
}

bosc_status bi_kdtree_make_labelled_blocks(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_blocks *blocks)
{
    BI_TRY(bi_kdtree_make_blocks(ctx, tree, blocks));
    BI_TRY(bi_scratch_of(ctx, tree->nodes, sizeof *blocks->node_labels, &blocks->node_labels));
    /* One element precedes box 0: so the labels of the two boxes below each box are aligned to 8 bytes. Vectors of a
     * group read beyond the last box. */
    BI_TRY(bi_scratch_of(ctx, ((int64_t)2 << blocks->levels) + BI_KDTREE_GROUP, sizeof *blocks->same, &blocks->same));
    blocks->same++;
    return group_boxes(ctx, tree, blocks);
}

bosc_status bi_kdtree_label_blocks(bosc_ctx *ctx, const bosc_kdtree *tree, const void *labels,
                                   struct bi_kdtree_blocks *blocks)
{
    const struct bi_kdtree_steps *steps = tree->ops->steps;
    struct bi_kdtree_node_labels name = {blocks->view, labels, tree->opts.id_bits == 64, blocks->node_labels};
    blocks->level = blocks->levels;
    BI_TRY(steps->node_labels(ctx, tree->nodes, &name));
    BI_TRY(steps->label_block(ctx, (int64_t)1 << blocks->levels, blocks));
    while (blocks->level-- > 0) BI_TRY(steps->merge_labels(ctx, (int64_t)1 << blocks->level, blocks));
    return BOSC_OK;
}

bosc_status bi_kdtree_set_cores(bosc_ctx *ctx, const bosc_kdtree *tree, const void *cores,
                                struct bi_kdtree_blocks *blocks)
{
    const struct bi_kdtree_steps *steps = tree->ops->steps;
    const size_t size = bi_kdtree_dist2_size(tree);
    struct bi_kdtree_core_rows rows;
    BI_TRY(bi_scratch_of(ctx, tree->nodes, size, &blocks->node_cores));
    BI_TRY(bi_scratch_of(ctx, ((int64_t)2 << blocks->levels) + BI_KDTREE_GROUP, size, &blocks->least_cores));
    rows = (struct bi_kdtree_core_rows){*blocks, cores};
    BI_TRY(steps->node_cores(ctx, tree->nodes, &rows));
    blocks->level = blocks->levels;
    BI_TRY(steps->block_cores(ctx, (int64_t)1 << blocks->levels, blocks));
    while (blocks->level-- > 0) BI_TRY(steps->merge_cores(ctx, (int64_t)1 << blocks->level, blocks));
    return BOSC_OK;
}

/* Lists the active nodes in active_nodes, and counts them. */
static bosc_status list_active(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_mark_active *mark,
                               uint32_t *active_nodes, int64_t *count)
{
    int64_t *counted;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *counted, &counted));
    BI_TRY(ctx->backend->core->compact(ctx, sizeof *active_nodes, mark->nodes, mark->active, tree->nodes, active_nodes,
                                       counted));
    return bi_read_back(ctx, count, counted, sizeof *count);
}

/* A search of listed nodes. */
struct node_search {
    const struct label_search *o;
    struct bi_kdtree_blocks blocks;
    void *rows; /* scratch for the coordinates of all nodes */
};

static bosc_status search_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, const struct node_search *s,
                                const uint32_t *nodes, int64_t count)
{
    const struct bi_kdtree_steps *steps = tree->ops->steps;
    const struct label_search *o = s->o;
    const bosc_kdtree_view view = s->blocks.view;
    const struct bi_kdtree_active_rows gather = {view, nodes, s->rows};
    struct bi_kdtree_nearest_other_label args = {.blocks = s->blocks,
                                                 .active_nodes = nodes,
                                                 .rows = {s->rows, count, view.dim},
                                                 .bounds = o->bounds,
                                                 .ids = o->ids,
                                                 .dist2 = o->dist2,
                                                 .wide = tree->opts.id_bits == 64};
    if (o->shared) {
        args.shared_bounds = o->shared->bounds;
        args.best = o->shared->best;
        args.least = o->shared->least;
    }
    const bi_step_fn search = tree->ops->nearest_other ? tree->ops->nearest_other : steps->nearest_other_label;
    BI_TRY(steps->active_rows(ctx, count * view.dim, &gather));
    BI_TRY_WITH_COST(ctx, BI_KDTREE_SEARCH_ITEMS, search(ctx, count, &args));
    return BOSC_OK;
}

/* Searches from a sample of the active nodes, so that shared distances are small before blocks are pruned, and
 * deactivates it. */
static bosc_status search_sample(bosc_ctx *ctx, const bosc_kdtree *tree, const struct node_search *s,
                                 const uint32_t *active_nodes, int64_t count, uint8_t *active)
{
    struct bi_kdtree_sample_active sample = {.active_nodes = active_nodes, .active = active};
    const int64_t sampled = bi_div_up(count, BI_KDTREE_SAMPLED);
    BI_TRY(bi_scratch_of(ctx, sampled, sizeof *sample.sample, &sample.sample));
    BI_TRY(tree->ops->steps->sample_active(ctx, sampled, &sample));
    return search_nodes(ctx, tree, s, sample.sample, sampled);
}

/* Searches for all active rows: those with a bound of 0 or more, or all rows if there are no bounds. Points at the
 * bound count. The tree is not empty. Outputs are written last, when only the device can still fail. */
static bosc_status search_active(bosc_ctx *ctx, const bosc_kdtree *tree, const struct label_search *o)
{
    const struct bi_kdtree_steps *steps = tree->ops->steps;
    bosc_kdtree_view view = tree->ops->view(tree);
    struct bi_kdtree_write_none empty = {o->ids, o->dist2, tree->opts.id_bits == 64, view.dtype == BOSC_F32};
    struct bi_kdtree_mark_active mark = {.view = view, .bounds = o->bounds};
    struct node_search s = {.o = o};
    const bool shares = o->shared && o->shared->best;
    uint32_t *active_nodes;
    int64_t count;
    /* 1. List the active nodes. */
    BI_TRY(bi_scratch_of(ctx, tree->nodes, sizeof *mark.nodes, &mark.nodes));
    BI_TRY(bi_scratch_of(ctx, tree->nodes, sizeof *active_nodes, &active_nodes));
    BI_TRY(bi_scratch_of(ctx, tree->nodes, 1, &mark.active));
    BI_TRY(steps->mark_active(ctx, tree->nodes, &mark));
    BI_TRY(list_active(ctx, tree, &mark, active_nodes, &count));
    if (count == 0) return steps->write_none(ctx, tree->nodes, &empty);
    /* 2. Make and label blocks, unless they exist. */
    if (o->blocks) {
        s.blocks = *o->blocks;
    } else {
        BI_TRY(bi_kdtree_make_labelled_blocks(ctx, tree, &s.blocks));
        BI_TRY(bi_kdtree_label_blocks(ctx, tree, o->labels, &s.blocks));
    }
    BI_TRY(bi_scratch_of(ctx, tree->nodes * view.dim, bosc_dtype_size(view.dtype), &s.rows));
    /* 3. Prune blocks within bounds. The step is NULL where searches alone are faster (cuda/table.cu). In more
     * dimensions than boxes have, pruning is not measured. */
    if (o->bounds && steps->prune && view.dim <= MAX_PRUNED_DIM) {
        struct bi_kdtree_prune prune = {.blocks = s.blocks, .bounds = o->bounds, .active = mark.active};
        if (shares) {
            prune.best = o->shared->best;
            prune.shared_bounds = o->shared->bounds;
        }
        BI_TRY(steps->write_none(ctx, tree->nodes, &empty));
        if (shares) BI_TRY(search_sample(ctx, tree, &s, active_nodes, count, mark.active));
        BI_TRY((tree->ops->prune ? tree->ops->prune : steps->prune)(ctx, (int64_t)1 << s.blocks.levels, &prune));
        BI_TRY(list_active(ctx, tree, &mark, active_nodes, &count));
    } else {
        BI_TRY(steps->write_none(ctx, tree->nodes, &empty));
    }
    /* 4. Search from the nodes that remain. */
    return search_nodes(ctx, tree, &s, active_nodes, count);
}

static bosc_status search_staged(bosc_ctx *ctx, const bosc_kdtree *tree, const struct label_search *o)
{
    size_t id_bytes = (size_t)tree->nodes * (size_t)tree->opts.id_bits / 8;
    size_t bytes = (size_t)tree->nodes * bi_kdtree_dist2_size(tree);
    struct bi_out ids, dist2;
    struct label_search staged_args = *o;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, o->labels, id_bytes, &staged_args.labels, &staged));
    BI_TRY(bi_stage_in(ctx, o->bounds, o->bounds ? bytes : 0, &staged_args.bounds, &staged));
    BI_TRY(bi_stage_out(ctx, o->ids, id_bytes, &ids, &staged));
    BI_TRY(bi_stage_out(ctx, o->dist2, o->dist2 ? bytes : 0, &dist2, &staged));
    staged_args.ids = ids.reachable;
    staged_args.dist2 = dist2.reachable;
    BI_TRY(search_active(ctx, tree, &staged_args));
    BI_TRY(bi_stage_back(ctx, &ids));
    BI_TRY(bi_stage_back(ctx, &dist2));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_kdtree_nearest_other(bosc_ctx *ctx, const bosc_kdtree *tree, const void *labels, const void *bounds,
                                      void *ids, void *dist2)
{
    BI_ENTER(ctx);
    BI_TRY(bi_kdtree_check_has_rows(ctx, tree));
    if (tree->nodes == 0) return BOSC_OK;
    if (tree->magnitude != BI_KDTREE_ORDINARY)
        return bi_fail(ctx, BOSC_ERR_LIMIT,
                       "tree: squares of differences of its coordinates are out of the range of %s",
                       tree->opts.dtype == BOSC_F32 ? "float" : "double");
    if (!labels) return bi_fail(ctx, BOSC_ERR_ARG, "labels: NULL");
    if (!ids) return bi_fail(ctx, BOSC_ERR_ARG, "ids: NULL");
    BI_TRY(bi_check_aligned(ctx, "labels", labels, (size_t)tree->opts.id_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "bounds", bounds, bi_kdtree_dist2_size(tree)));
    BI_TRY(bi_kdtree_check_answers(ctx, tree, ids, dist2));
    struct label_search o = {NULL, labels, bounds, ids, dist2, NULL};
    bi_progress_set_total(ctx, ROW_ITEMS * (double)tree->nodes);
    BI_RETURN_WITH_SCRATCH(ctx, search_staged(ctx, tree, &o));
}

bosc_status bi_kdtree_nearest_other_in(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_blocks *blocks,
                                       const struct bi_kdtree_shared_bounds *shared, uint32_t *ids, void *dist2)
{
    struct label_search o = {blocks, NULL, shared->bounds, ids, dist2, shared};
    BI_RETURN_WITH_SCRATCH(ctx, search_active(ctx, tree, &o));
}

bosc_status bi_kdtree_bound_labels(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_blocks *blocks,
                                   uint64_t *best)
{
    const struct bi_kdtree_bound_labels args = {*blocks, best};
    return tree->ops->steps->bound_labels(ctx, tree->nodes - 1, &args);
}

bosc_status bi_kdtree_query_other_label(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_blocks *blocks,
                                        const struct bi_kdtree_labelled_queries *queries, uint32_t *ids, void *dist2)
{
    const struct bi_kdtree_steps *steps = tree->ops->steps;
    const int64_t count = queries->rows.n;
    struct bi_kdtree_write_none empty = {ids, dist2, false, tree->opts.dtype == BOSC_F32};
    struct bi_kdtree_nearest_other_label args = {.blocks = *blocks,
                                                 .labels = queries->labels,
                                                 .rows = queries->rows,
                                                 .bounds = queries->bounds,
                                                 .cores = queries->cores,
                                                 .ids = ids,
                                                 .dist2 = dist2};
    const bi_step_fn search = tree->ops->nearest_other ? tree->ops->nearest_other : steps->nearest_other_label;
    BI_TRY(steps->write_none(ctx, count, &empty));
    BI_TRY_WITH_COST(ctx, BI_KDTREE_SEARCH_ITEMS, search(ctx, count, &args));
    return BOSC_OK;
}
