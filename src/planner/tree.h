/* Octrees of boxes of rotations, on the host: four cubes, each subdivided into eight and so on. */
#ifndef BI_PLANNER_TREE_H
#define BI_PLANNER_TREE_H

#include "planner/route_search.h"

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

/* Appends the four cubes; subdivides a leaf. New boxes are mixed. */
bosc_status bi_planner_tree_init(bosc_ctx *ctx, struct bi_planner_tree *tree);
bosc_status bi_planner_tree_subdivide(bosc_ctx *ctx, struct bi_planner_tree *tree, int64_t leaf);
void bi_planner_tree_free(bosc_ctx *ctx, struct bi_planner_tree *tree);

/* Returns the neighbour of the same size across the face where coordinate `p` is least (side -1) or greatest (1). */
struct bi_planner_box bi_planner_tree_neighbour(const struct bi_planner_box *box, int p, int side);

/* Returns the node of a box, which may be subdivided, or the leaf that contains it. */
int64_t bi_planner_tree_find(const struct bi_planner_tree *tree, const struct bi_planner_box *box);

enum { BI_PLANNER_NEAR_LEAVES = 8 };

/* Finds the leaves within rounding of a rotation. */
void bi_planner_tree_find_leaves(const struct bi_planner_tree *tree, const double *q,
                                 int64_t leaves[BI_PLANNER_NEAR_LEAVES]);

#endif
