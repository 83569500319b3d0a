/* Makes the blocks of a tree and the boxes over them, level by level. */
#include "kdtree/blocks.h"

#include "core/call.h"
#include "kdtree/steps/steps.h"

bosc_status bi_kdtree_make_blocks(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_blocks *blocks)
{
    const struct bi_kdtree_steps *steps = tree->ops->steps;
    const bosc_kdtree_view view = tree->ops->view(tree);
    const int32_t levels = bi_kdtree_block_levels(tree->nodes),
                  used = view.dim < BI_KDTREE_BOX_COORDINATES ? view.dim : BI_KDTREE_BOX_COORDINATES;
    const int64_t boxes = ((int64_t)2 << levels) - 1;
    const size_t box = 2 * (size_t)used * (view.dtype == BOSC_F32 ? sizeof(float) : sizeof(double));
    char *memory;
    *blocks = (struct bi_kdtree_blocks){.view = view, .levels = levels, .level = levels, .used = used};
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
