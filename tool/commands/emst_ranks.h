/* boscage emst over ranks. */
#ifndef TOOL_COMMANDS_EMST_RANKS_H
#define TOOL_COMMANDS_EMST_RANKS_H

#include "tool/commands/spanning_tree.h"
#include "tool/ranks.h"

int emst_over_ranks(struct job *job, const struct ranks *ranks, struct spanning_tree *tree);

#endif
