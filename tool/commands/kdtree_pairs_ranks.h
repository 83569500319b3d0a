/* boscage kdtree pairs over ranks. */
#ifndef TOOL_COMMANDS_KDTREE_PAIRS_RANKS_H
#define TOOL_COMMANDS_KDTREE_PAIRS_RANKS_H

#include "tool/ranks.h"

int pairs_over_ranks(struct job *job, const struct ranks *ranks, double radius);

#endif
