/* k-d trees of the commands, and pairs of close points from the neighbours of every point. */
#ifndef TOOL_COMMANDS_TREES_H
#define TOOL_COMMANDS_TREES_H

#include "tool/tool.h"

/* Loads a saved tree, or builds one of the points of the file. */
int tree_read(struct job *job, const char *path, const bosc_kdtree_opts *opts, bosc_kdtree **tree);
int tree_build(struct job *job, const char *path, const bosc_array *points, const bosc_kdtree_opts *opts,
               bosc_kdtree **tree);

/* Notes that -k is more than the points of a tree, and refuses one far beyond them. */
int tree_check_k(struct job *job, int64_t k, int64_t points);

/* Counts the points first .. first + n - 1 whose distance to themselves is within the radius (not infinite ones). */
int64_t count_own_neighbours(const bosc_array *points, int64_t first, int64_t n, double radius);

/* Lists the pairs (i, neighbour) with neighbour > i of points i = first .. first + n - 1, whose neighbours are CSR
 * rows. Returns their number. */
int64_t list_later_neighbours(int64_t first, int64_t n, const int64_t *offsets, const int64_t *ids, int64_t *pairs);

#endif
