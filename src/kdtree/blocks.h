/* Blocks of a tree's nodes with boxes over them, for searches that exclude many nodes at once. */
#ifndef BI_KDTREE_BLOCKS_H
#define BI_KDTREE_BLOCKS_H

#include "kdtree/kdtree.h"
#include "kdtree/steps/blocks.h"

/* Makes the blocks of a non-empty tree, in scratch, without arrays of labels. */
bosc_status bi_kdtree_make_blocks(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_blocks *blocks);

#endif
