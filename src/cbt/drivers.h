/* Declarations shared by the drivers of concurrent binary trees. */
#ifndef BI_CBT_DRIVERS_H
#define BI_CBT_DRIVERS_H

#include "cbt/handle.h"
#include "cbt/steps/steps.h"

#define BI_CBT_STEP(ctx, name, n, args) (ctx->ops->cbt->steps->cbt_##name((ctx), (n), (args)))

/* The length of calls for progress, in simple items a block of the bit field: estimates. */
enum { BI_CBT_VISIT_ITEMS = 8, BI_CBT_INSTALL_ITEMS = 17, BI_CBT_CHANGE_ITEMS = 17, BI_CBT_MAKE_HEAP_ITEMS = 64 };
enum { BI_CBT_LEAF_ITEMS = 8 /* simple items a visited leaf, for the caller's function */ };
static inline int bi_cbt_heap_items(const bosc_cbt *tree)
{
    return bi_cbt_is_published(tree) ? BI_CBT_MAKE_HEAP_ITEMS : 0;
}
/* Sets the length of a call: `per_block` items a block of the bit field, and `more` items. */
static inline void bi_cbt_set_progress_total(bosc_ctx *ctx, int32_t depth, int per_block, int64_t more)
{
    bi_progress_set_total(ctx, (double)per_block * (double)bi_cbt_blocks(depth) + (double)more);
}

/* Writes the published heap of the tree to `heap` in reach. */
bosc_status bi_cbt_make_heap(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *heap);
/* Copies the words of the tree's bit field to `bits` anywhere. */
bosc_status bi_cbt_copy_bits(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *bits);
/* PUBLISHED: computes all sums; afterwards no commands are pending. */
bosc_status bi_cbt_reduce_heap(bosc_ctx *ctx, bosc_cbt *tree, const struct bi_cbt_reduction *a);
/* PUBLISHED: writes the sources of the leaves that the recorded commands will create, to sources (capacity)
 * anywhere. */
bosc_status bi_cbt_heap_write_sources(bosc_ctx *ctx, const bosc_cbt *tree, int64_t *sources, int64_t capacity);

/* The same as bosc_cbt_decode, without the checks. */
bosc_status bi_cbt_decode_leaves(bosc_ctx *ctx, const bosc_cbt *tree, int64_t first, int64_t count, void *nodes);

/* Finds the lowest bit of a field in reach that no tree has, or INT64_MAX. Waits. */
bosc_status bi_cbt_find_invalid(bosc_ctx *ctx, int32_t depth, const uint64_t *bits, int64_t *invalid);

#endif
