/* What the demonstration's rooms share. */
#ifndef TOOL_DEMO_H
#define TOOL_DEMO_H

#include "tool/tool.h"

/* One line of the summary: what was done, how long it took, how many items that is a second. */
void demo_row(struct job *job, const char *what, double seconds, double items);

/* Writes DIR/name and tells so. `draw` gets the canvas by way of the caller. */
struct canvas;
int demo_picture(struct job *job, const struct canvas *canvas, const char *name);

/* Trees of generated points, and of the points of `path` if that is not NULL. */
int demo_kdtree(struct job *job, const char *path);

/* The spanning forest of a random graph; the tree of points and the tour along it, with pictures. */
int demo_forest(struct job *job);
int demo_emst(struct job *job);

/* Look-ups; close pairs and groups of points, with a picture; a constellation found among other stars, with another. */
int demo_hash(struct job *job);
int demo_spatial(struct job *job);
int demo_geometric(struct job *job);

/* The cells into which lines cut a square, and a way through them, with a picture; a trie of them. */
int demo_cells(struct job *job);

/* Islands: a mesh with an error bound and one for a camera, with a picture of each. */
int demo_terrain(struct job *job);

/* In-order points of a two-dimensional f4 tree, as a picture of its partition, with queries and their neighbours. */
int demo_partition(struct job *job);

/* Points of at least two coordinates, coloured by how far their last neighbour is, as discs of a radius of `fill` times
 * that distance. */
int demo_density(struct job *job, const float *points, int64_t n, int32_t dim, const double *distances, double fill,
                 const char *name);

#endif
