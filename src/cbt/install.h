/* Functions for terrains beyond the public calls of trees. */
#ifndef BI_CBT_INSTALL_H
#define BI_CBT_INSTALL_H

#include <boscage/device/cbt.h>

#include "core/call.h"

/* Installs a bit field in reach as the tree's bits and counts leaves. The field encodes a tree, has whole blocks, and
 * is clear beyond the tree. NULL: the tree's own field, which the caller has changed. Clears recorded commands. */
bosc_status bi_cbt_install_bits(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits);

/* Upper bound of the scratch of bi_cbt_install_bits on a tree of this depth. */
int64_t bi_cbt_install_scratch(const bosc_ctx *ctx, int32_t depth);

/* The view that steps read; its commands may be NULL. */
const bosc_cbt_view *bi_cbt_view_of(const bosc_cbt *tree);

/* Bytes of the tree's memory. */
int64_t bi_cbt_kept_bytes(const bosc_cbt *tree);

#endif
