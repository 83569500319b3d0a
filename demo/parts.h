/* The parts of the demonstration. */
#ifndef DEMO_PARTS_H
#define DEMO_PARTS_H

#include "demo/report.h"

/* Trees of generated points, and of the caller's points if given. */
bosc_status demo_kdtree(struct demo *demo);

/* The spanning forest of a random graph; the tree of points and the tour along it, with pictures. */
bosc_status demo_forest(struct demo *demo);
bosc_status demo_emst(struct demo *demo);

/* Look-ups; close pairs and groups of points, with a picture; a constellation found among other stars, with another. */
bosc_status demo_hash(struct demo *demo);
bosc_status demo_spatial(struct demo *demo);
bosc_status demo_geometric(struct demo *demo);

/* The cells of an arrangement of lines in a square, a shortest path through them, and a trie of them; a picture. */
bosc_status demo_cells(struct demo *demo);

/* Islands: a mesh with an error bound and a mesh for a camera; a picture of each. */
bosc_status demo_terrain(struct demo *demo);

/* A planet from far away and near its ground; a picture of each. */
bosc_status demo_planet(struct demo *demo);

/* A path of a key through a slot; a picture. */
bosc_status demo_plan(struct demo *demo);

/* Draws the partition of the plane by a tree, with queries and their neighbours. */
bosc_status demo_partition(struct demo *demo);

/* Draws points of at least two coordinates as discs. Colour and radius follow from the distance of the farthest
 * neighbour found; the radius is `fill` times that distance. */
bosc_status demo_density(struct demo *demo, const float *points, int64_t n, int32_t dim, const double *distances,
                         double fill, const char *name);

#endif
