/* The rooms of the demonstration. */
#ifndef DEMO_PARTS_H
#define DEMO_PARTS_H

#include "demo/report.h"

/* Trees of generated points, and of the caller's if there are any. */
bosc_status demo_kdtree(struct demo *demo);

/* The spanning forest of a random graph; the tree of points and the tour along it, with pictures. */
bosc_status demo_forest(struct demo *demo);
bosc_status demo_emst(struct demo *demo);

/* Look-ups; close pairs and groups of points, with a picture; a constellation found among other stars, with another. */
bosc_status demo_hash(struct demo *demo);
bosc_status demo_spatial(struct demo *demo);
bosc_status demo_geometric(struct demo *demo);

/* The cells into which lines cut a square, and a way through them, with a picture; a trie of them. */
bosc_status demo_cells(struct demo *demo);

/* Islands: a mesh with an error bound and one for a camera, with a picture of each. */
bosc_status demo_terrain(struct demo *demo);

/* A planet from afar and from near its ground, with a picture of each. */
bosc_status demo_planet(struct demo *demo);

/* A key that finds its way through a slot, with a picture. */
bosc_status demo_plan(struct demo *demo);

/* In-order points of a two-dimensional f4 tree, as a picture of its partition, with queries and their neighbours. */
bosc_status demo_partition(struct demo *demo);

/* Points of at least two coordinates, coloured by how far their last neighbour is, as discs of a radius of `fill` times
 * that distance. */
bosc_status demo_density(struct demo *demo, const float *points, int64_t n, int32_t dim, const double *distances,
                         double fill, const char *name);

#endif
