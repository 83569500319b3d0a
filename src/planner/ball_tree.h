/* Trees of balls around bodies, by which most pairs of bodies are skipped at once. */
#ifndef BI_PLANNER_BALL_TREE_H
#define BI_PLANNER_BALL_TREE_H

#include "planner/planner.h"

/* Builds the 2 count - 1 nodes of `count` bodies with these balls (x 4), in depth-first preorder. order: (count)
 * working
 * memory. */
void bi_planner_build_ball_tree(const double *balls, int64_t count, int64_t *order, struct bi_planner_node *nodes);

#endif
