/* k-d trees of the commands. */
#ifndef TOOL_COMMANDS_TREES_H
#define TOOL_COMMANDS_TREES_H

#include "tool/tool.h"

/* Loads a saved tree, or builds one of the points of the file. */
int tree_read(struct job *job, const char *path, const bosc_kdtree_opts *opts, bosc_kdtree **tree);
int tree_build(struct job *job, const char *path, const bosc_array *points, const bosc_kdtree_opts *opts,
               bosc_kdtree **tree);

#endif
