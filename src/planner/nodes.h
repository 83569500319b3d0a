/* Trees of balls around bodies, so that most pairs of bodies are passed over at once. */
#ifndef BI_PLANNER_NODES_H
#define BI_PLANNER_NODES_H

#include "planner/planner.h"

/* Writes the nodes of `count` bodies with these balls (x 4), 2 count - 1 of them, in the order of a walk that goes
 * through a node before what is in it. order: (count) is overwritten. */
void bi_planner_make_nodes(const double *balls, int64_t count, int64_t *order, struct bi_planner_node *nodes);

#endif
