/* Euclidean minimum spanning trees of the points of a file. */
#ifndef TOOL_COMMANDS_SPANNING_TREE_H
#define TOOL_COMMANDS_SPANNING_TREE_H

#include "tool/tool.h"

struct spanning_tree {
    bosc_array points, edges; /* edges: (n - 1, 2) i8 */
    bosc_array lengths;       /* (n - 1) f8 */
};

/* Reads the points, reports their number, and allocates the edges. Free the tree after a failure too. */
int spanning_tree_read(struct job *job, const char *path, struct spanning_tree *tree);

/* Reads the points and computes the tree. */
int spanning_tree_compute(struct job *job, const char *path, struct spanning_tree *tree);
void spanning_tree_free(struct spanning_tree *tree);

#endif
