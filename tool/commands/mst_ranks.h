/* boscage mst and components over ranks. */
#ifndef TOOL_COMMANDS_MST_RANKS_H
#define TOOL_COMMANDS_MST_RANKS_H

#include "tool/ranks.h"

int mst_over_ranks(struct job *job, const struct ranks *ranks);
int components_over_ranks(struct job *job, const struct ranks *ranks);

#endif
