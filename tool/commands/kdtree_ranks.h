/* A k-d tree over ranks: of points of which each takes a slice, or a saved one. */
#ifndef TOOL_COMMANDS_KDTREE_RANKS_H
#define TOOL_COMMANDS_KDTREE_RANKS_H

#include "tool/ranks.h"

struct tree_of_ranks {
    const char *path, *output; /* of the points or the tree; where it is saved */
    bool saved;
    bosc_kdtree_opts opts;
    struct rank_rows points;
    int32_t first, count;      /* rank of this process, and all ranks */
    bosc_ranks_kdtree **parts; /* (ranks): those of this process */
    bosc_ranks_kdtree_info info;
};

/* To be closed after a failure too. */
int tree_of_ranks_open(struct job *job, const struct ranks *ranks, const char *path, const bosc_kdtree_opts *opts,
                       struct tree_of_ranks *tree);
/* The same of points, or of those of a saved tree, which are there then. */
int tree_of_ranks_build(struct job *job, const struct ranks *ranks, const char *path, struct tree_of_ranks *tree);
void tree_of_ranks_close(struct tree_of_ranks *tree);

/* The queries, of the tree's type. */
int queries_of_ranks_read(struct job *job, const struct ranks *ranks, const struct tree_of_ranks *tree,
                          struct rank_rows *queries);

#endif
