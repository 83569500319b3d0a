/* A k-d tree over ranks, saved or built of points; boscage kdtree build, verify and knn over ranks. */
#ifndef TOOL_COMMANDS_KDTREE_RANKS_H
#define TOOL_COMMANDS_KDTREE_RANKS_H

#include "tool/ranks.h"

struct ranks_tree {
    const char *path, *output; /* file of the points or the tree; file to save the tree to */
    bool saved;
    bosc_kdtree_opts opts;
    struct input_rows points;
    int32_t first, count;      /* first rank of this process; number of ranks */
    bosc_ranks_kdtree **parts; /* (ranks): set for those of this process */
    bosc_ranks_kdtree_info info;
};

/* Loads a saved tree or builds one of points. Close the tree after a failure too. */
int ranks_tree_open(struct job *job, const struct ranks *ranks, const char *path, const bosc_kdtree_opts *opts,
                    struct ranks_tree *tree);
/* Builds a tree of the points of a file or of a saved tree; `points` stays set. */
int ranks_tree_build(struct job *job, const struct ranks *ranks, const char *path, struct ranks_tree *tree);
void ranks_tree_close(struct ranks_tree *tree);

int knn_over_ranks(struct job *job, const struct ranks *ranks, int64_t k, double within);
int build_over_ranks(struct job *job, const struct ranks *ranks, const bosc_kdtree_opts *opts);
int verify_over_ranks(struct job *job, const struct ranks *ranks);

/* Reads --queries and converts them to the type of the tree. */
int ranks_read_queries(struct job *job, const struct ranks *ranks, const struct ranks_tree *tree,
                       struct input_rows *queries);

#endif
