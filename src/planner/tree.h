/* Trees of boxes of rotations, on the host: four cubes, each divided into eight and so on, as deep as it takes. */
#ifndef BI_PLANNER_TREE_H
#define BI_PLANNER_TREE_H

#include "planner/way.h"

struct bi_planner_tree {
    struct bi_block boxes;    /* (count) struct bi_planner_box; the first four are the cubes */
    struct bi_block children; /* (count) int64: the first of eight; -1: a leaf */
    int64_t count;
};

static inline struct bi_planner_box *bi_planner_tree_boxes(const struct bi_planner_tree *tree)
{
    return tree->boxes.data;
}

static inline bool bi_planner_tree_is_leaf(const struct bi_planner_tree *tree, int64_t node)
{
    return ((const int64_t *)tree->children.data)[node] < 0;
}

/* Appends the four cubes, or divides a leaf: the new boxes are mixed. */
bosc_status bi_planner_tree_begin(bosc_ctx *ctx, struct bi_planner_tree *tree);
bosc_status bi_planner_tree_divide(bosc_ctx *ctx, struct bi_planner_tree *tree, int64_t leaf);
void bi_planner_tree_free(bosc_ctx *ctx, struct bi_planner_tree *tree);

/* The box beside a box, of its size: across the face at which coordinate `p` is least (side -1) or most (1). */
struct bi_planner_box bi_planner_tree_beside(const struct bi_planner_box *box, int p, int side);

/* The node of a box's place: the box itself, which may be divided, or the leaf around it. */
int64_t bi_planner_tree_find(const struct bi_planner_tree *tree, const struct bi_planner_box *box);

enum { BI_PLANNER_AROUND = 8 };

/* The leaves that a rotation is in, and those it would be in if rounding had moved it. */
void bi_planner_tree_around(const struct bi_planner_tree *tree, const double *q, int64_t leaves[BI_PLANNER_AROUND]);

#endif
