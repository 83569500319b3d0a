/* Refines the tree of a terrain. */
#include "terrain/drivers.h"

bosc_status bi_terrain_refine_tree(bosc_ctx *ctx, bosc_terrain *terrain, struct bi_terrain_refinement *step)
{
    const struct bi_terrain_grid *g = &terrain->grid;
    int64_t words = bi_terrain_block_words(g);
    BI_TRY(bi_scratch_of(ctx, words, sizeof *step->bits, &step->bits));
    if (g->depth < BOSC_CBT_BLOCK_BITS)
        BI_TRY(ctx->backend->fill(ctx, step->bits, 0, (size_t)words * sizeof *step->bits));
    step->old_bits = bi_cbt_view_of(terrain->tree)->bits;
    if (ctx->ops->terrain->refine && bi_terrain_word_in_triangle(g))
        BI_TRY(ctx->ops->terrain->refine(ctx, step));
    else
        BI_TRY_WITH_COST(ctx, 64, BI_TERRAIN_STEP(ctx, refine, bi_terrain_words(g), step)); /* a word of bits an item */
    return bi_cbt_install_bits(ctx, terrain->tree, step->bits);
}
