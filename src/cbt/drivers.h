/* Between the front door and the drivers of concurrent binary trees. */
#ifndef BI_CBT_DRIVERS_H
#define BI_CBT_DRIVERS_H

#include "core/check.h"
#include "cbt/steps/steps.h"

#define BI_CBT_STEP(ctx, name, n, args) (ctx->ops->cbt->steps->cbt_##name((ctx), (n), (args)))

/* A copy of the options with the defaults filled in. */
bosc_status bi_cbt_check_opts(bosc_ctx *ctx, const bosc_cbt_opts *opts, bosc_cbt_opts *full);
bosc_status bi_cbt_check_depth(bosc_ctx *ctx, int32_t depth);
/* Whether the context can reach the tree; BOSC_ERR_ARG with the reason. */
bosc_status bi_cbt_check(bosc_ctx *ctx, const bosc_cbt *tree);
/* An array of n elements of `size` bytes that must be there and aligned; n may be too many. */
bosc_status bi_cbt_check_array(bosc_ctx *ctx, const char *n_name, int64_t n, const char *name, const void *array,
                               size_t size);
static inline size_t bi_cbt_id_size(const bosc_cbt *tree) { return (size_t)tree->opts.id_bits / 8; }

/* Scratch for n elements of `size` bytes. */
bosc_status bi_cbt_scratch(bosc_ctx *ctx, int64_t n, size_t size, void *p);

/* A tree with these (full) options and memory for its bits, which are not set. */
bosc_status bi_cbt_new(bosc_ctx *ctx, const bosc_cbt_opts *full, bosc_cbt **tree);

/* Memory for commands, none of which are recorded. */
bosc_status bi_cbt_need_commands(bosc_ctx *ctx, bosc_cbt *tree);
bosc_status bi_cbt_forget_commands(bosc_ctx *ctx, bosc_cbt *tree);

/* The tree takes over a field in reach, with zeros beyond its end, or its own one, changed; commands are forgotten. */
bosc_status bi_cbt_install_bits(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits);

/* The article's heap of the tree; of a PUBLISHED one as the last thing of every change. */
bosc_status bi_cbt_make_heap(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *heap);
bosc_status bi_cbt_refresh_heap(bosc_ctx *ctx, bosc_cbt *tree);

/* As bosc_cbt_decode, without the checks. */
bosc_status bi_cbt_decode_leaves(bosc_ctx *ctx, const bosc_cbt *tree, int64_t first, int64_t count, void *nodes);

/* The first wrong place of a field in reach, or INT64_MAX. Waits. */
bosc_status bi_cbt_find_bad(bosc_ctx *ctx, int32_t depth, const uint64_t *bits, int64_t *bad);

#endif
