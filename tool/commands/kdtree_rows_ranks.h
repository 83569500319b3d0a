/* boscage kdtree radius and box over ranks. */
#ifndef TOOL_COMMANDS_KDTREE_ROWS_RANKS_H
#define TOOL_COMMANDS_KDTREE_ROWS_RANKS_H

#include "tool/ranks.h"

int search_over_ranks(struct job *job, const struct ranks *ranks, double radius); /* radius < 0: boxes */

#endif
