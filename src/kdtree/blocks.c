/* Makes the blocks of a tree and the boxes over them, level by level. */
#include "kdtree/blocks.h"

#include "core/call.h"
#include "kdtree/steps/steps.h"

bosc_status bi_kdtree_order_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_kdtree *order)
{
    size_t bytes[3];
    *order = *tree;
    if (!tree->ops->order_nodes || tree->opts.dim < 2 || tree->opts.dim > tree->ops->order_dim) return BOSC_OK;
    tree->ops->blocks(&tree->opts, tree->nodes, bytes);
    order->by_extent = true;
    order->ids.data = NULL; /* where points hold them */
    BI_TRY(bi_scratch(ctx, bytes[0], &order->points.data));
    if (bytes[1] > 0) BI_TRY(bi_scratch(ctx, bytes[1], &order->ids.data));
    return tree->ops->order_nodes(ctx, tree, order);
}

/* Returns the levels of blocks of at most `run` nodes. */
static int32_t count_run_levels(int64_t nodes, int32_t run)
{
    int32_t levels = 0;
    while ((int64_t)run << levels < nodes) levels++;
    return levels;
}

bosc_status bi_kdtree_make_blocks(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_blocks *blocks)
{
    const struct bi_kdtree_steps *steps = tree->ops->steps;
    const bosc_kdtree_view view = tree->ops->view(tree);
    const int32_t run = tree->by_extent ? tree->ops->order_run : 0,
                  levels = run ? count_run_levels(tree->nodes, run) : bi_kdtree_block_levels(tree->nodes),
                  used = view.dim < BI_KDTREE_BOX_COORDINATES ? view.dim : BI_KDTREE_BOX_COORDINATES;
    const int64_t boxes = ((int64_t)2 << levels) - 1;
    const size_t box = 2 * (size_t)used * (view.dtype == BOSC_F32 ? sizeof(float) : sizeof(double));
    char *memory;
    *blocks = (struct bi_kdtree_blocks){.view = view, .levels = levels, .level = levels, .used = used, .run = run};
    /* 1. Allocate. One element precedes box 0: so the two boxes below each box are aligned to 16 bytes. */
    BI_TRY(bi_scratch_of(ctx, ((int64_t)1 << levels) + 1, sizeof *blocks->begins, &blocks->begins));
    BI_TRY(bi_scratch_of(ctx, boxes + 1, box, (void **)&memory));
    BI_TRY(bi_scratch_of(ctx, boxes, sizeof *blocks->least_ids, &blocks->least_ids));
    blocks->boxes = memory + box;
    /* 2. The blocks, then the boxes above, bottom up. */
    BI_TRY(steps->make_block(ctx, (int64_t)1 << levels, blocks));
    while (blocks->level-- > 0) BI_TRY(steps->merge_boxes(ctx, (int64_t)1 << blocks->level, blocks));
    return BOSC_OK;
}
