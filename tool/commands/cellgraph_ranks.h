/* boscage cellgraph over ranks. */
#ifndef TOOL_COMMANDS_CELLGRAPH_RANKS_H
#define TOOL_COMMANDS_CELLGRAPH_RANKS_H

#include "tool/ranks.h"

/* components: labels every row; otherwise lists the pairs. allowed: (rows) for components; NULL: all. */
int cellgraph_over_ranks(struct job *job, const struct ranks *ranks, const bosc_vectors *vectors,
                         const uint8_t *allowed, const bosc_cellgraph_opts *opts, bool components, bosc_array *out);

#endif
