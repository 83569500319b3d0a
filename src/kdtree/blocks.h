/* Blocks of a tree's nodes with boxes over them, for searches that exclude many nodes at once. */
#ifndef BI_KDTREE_BLOCKS_H
#define BI_KDTREE_BLOCKS_H

#include "kdtree/kdtree.h"
#include "kdtree/steps/blocks.h"

/* *order = a handle of a tree's nodes by widest extent, whose arrays are scratch of the caller; or a copy of the tree's
 * where the backend makes none. It serves walks over blocks; it is not freed. */
bosc_status bi_kdtree_order_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_kdtree *order);

/* Makes the blocks of a non-empty tree, in scratch, without arrays of labels. */
bosc_status bi_kdtree_make_blocks(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_blocks *blocks);

#endif
