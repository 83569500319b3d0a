/* What the drivers of concurrent binary trees share. */
#ifndef BI_CBT_DRIVERS_H
#define BI_CBT_DRIVERS_H

#include "cbt/handle.h"
#include "cbt/steps/steps.h"

#define BI_CBT_STEP(ctx, name, n, args) (ctx->ops->cbt->steps->cbt_##name((ctx), (n), (args)))

/* What the call will pass over: `a_block` simple items for each block of the tree's bits, and some more items. */
enum { BI_CBT_VISIT = 8, BI_CBT_INSTALL = 17, BI_CBT_CHANGE = 17, BI_CBT_MAKE_HEAP = 64 };
enum { BI_CBT_LEAF = 8 /* simple items that a leaf takes where the caller's function visits it */ };
static inline int bi_cbt_heap_items(const bosc_cbt *tree) { return bi_cbt_is_published(tree) ? BI_CBT_MAKE_HEAP : 0; }
static inline void bi_cbt_expect(bosc_ctx *ctx, int32_t depth, int a_block, int64_t more)
{
    bi_progress_set_total(ctx, (double)a_block * (double)bi_cbt_blocks(depth) + (double)more);
}

/* The article's heap of the tree, to `heap` in reach. */
bosc_status bi_cbt_make_heap(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *heap);
/* The words of the tree's bit field, to `bits` anywhere. */
bosc_status bi_cbt_copy_bits(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *bits);
/* PUBLISHED: the sums are made anew; no commands are pending then. */
bosc_status bi_cbt_reduce_heap(bosc_ctx *ctx, bosc_cbt *tree, const struct bi_cbt_reduction *a);
/* PUBLISHED: where the leaves that the recorded commands make come from, to sources (capacity) anywhere. */
bosc_status bi_cbt_heap_give_sources(bosc_ctx *ctx, const bosc_cbt *tree, int64_t *sources, int64_t capacity);

/* As bosc_cbt_decode, without the checks. */
bosc_status bi_cbt_decode_leaves(bosc_ctx *ctx, const bosc_cbt *tree, int64_t first, int64_t count, void *nodes);

/* The lowest bit of a field in reach that does not belong in a tree, or INT64_MAX. Waits. */
bosc_status bi_cbt_find_invalid(bosc_ctx *ctx, int32_t depth, const uint64_t *bits, int64_t *invalid);

#endif
