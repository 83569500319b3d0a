/* The seam through which terrains use trees beyond the public calls. */
#ifndef BI_CBT_INSTALL_H
#define BI_CBT_INSTALL_H

#include <boscage/device/cbt.h>

#include "core/context.h"

/* The tree takes over a bit field in reach that encodes a tree and has whole blocks, clear beyond the tree; NULL or
 * that of the tree: its own, changed. Recorded commands are forgotten. */
bosc_status bi_cbt_install_bits(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits);

/* Scratch of bi_cbt_install_bits on a tree of this depth, at most. */
int64_t bi_cbt_install_scratch(const bosc_ctx *ctx, int32_t depth);

/* The tree as steps read it; its commands may be NULL. */
const bosc_cbt_view *bi_cbt_view_of(const bosc_cbt *tree);

/* Bytes of the blocks that the tree keeps. */
int64_t bi_cbt_kept_bytes(const bosc_cbt *tree);

#endif
