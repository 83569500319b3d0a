/* A plain voxel grid: compares all points with all points. */
#ifndef TESTS_REFERENCE_VOXELGRID_H
#define TESTS_REFERENCE_VOXELGRID_H

#include "reference/kdtree.h"

/* Returns the squared radius, rounded as distances of the points are. */
double reference_square(const struct reference_points *p, double radius);

/* True if point i is within a squared radius of a row: of equal coordinates if r2 is 0. *dist2: squared distance. */
bool reference_is_within(const struct reference_points *p, int64_t i, const void *row, double r2, double *dist2);

/* Lists pairs i < j within r2, ascending: pairs (2 * count) and dist2 (count); either may be NULL. Returns count. */
int64_t reference_pairs(const struct reference_points *p, double r2, int64_t *pairs, double *dist2);

/* Sets labels[i] to the smallest id of its component; returns the number of components. */
int64_t reference_components(const struct reference_points *p, double r2, int64_t *labels);

/* Returns coordinate c of point i's voxel. */
int64_t reference_voxel(const struct reference_points *p, int64_t i, int32_t c, double cell);

#endif
