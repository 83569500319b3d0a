/* boscage/arrangement.h - all cells into which planes divide space, or lines the plane; exact.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: motion
 * Start with: bosc_arrangement_build
 *
 * Plane k has the points x where a[0] x[0] + ... + a[dim - 1] x[dim - 1] + a[dim] is 0; row k of the input has a. With
 * dim = 2 planes are lines, with dim = 1 they are points. The space between them is divided into cells: convex, open,
 * bounded or not. A cell's vector has a bit for each plane, 1 where its sum is more than 0. Two cells have a common
 * wall (of dimension dim - 1) if and only if their vectors differ in one bit.
 *
 * So the cells are the vertices of a cell graph (boscage/cellgraph.h), and the walls between them its edges: known, not
 * sampled. Answers are exact for the given doubles: also where planes are parallel or share points.
 * Sources: Zaslavsky, Facing up to Arrangements (1975), for the number of cells; Edelsbrunner, Algorithms in
 * Combinatorial Geometry (1987). The method is ours: it orders the crossings of each line in which planes intersect. */
#ifndef BOSCAGE_ARRANGEMENT_H
#define BOSCAGE_ARRANGEMENT_H

#include <boscage/cellgraph.h>
#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* Numbers of an arrangement. If all planes are parallel to a line or plane, it is the product of that with an
 * arrangement of `rank` dimensions, whose parts are counted. Euler's relation holds: the sum of (-1)^d times the number
 * of parts of dimension d is (-1)^rank. */
typedef struct bosc_arrangement_info {
    size_t size;
    int32_t dim;
    int32_t rank;    /* of the normals, 1 to dim */
    int64_t corners; /* parts of dimension 0: points that planes of full rank share */
    int64_t pieces;  /* of dimension 1: of the lines in which planes intersect, between corners */
    int64_t walls;   /* of dimension rank - 1: parts of planes, each between two cells */
    int64_t cells;   /* of dimension rank */
} bosc_arrangement_info;

/* Finds all cells of n planes and stores them in a graph, as vertices; edges are its walls.
 * planes (n x (dim + 1)): host memory. Coefficients are 0 or of magnitude 2^-200 to 2^200; a plane's first dim ones are
 *     not all 0.
 * n: 1 to 65,536.
 * dim: 1, 2 or 3.
 * graph: of vectors of n letters of 1 bit; its earlier rows are removed. Each cell is one row, so rows and vertices
 *     have the same numbers.
 * info: host; set `size`; may be NULL.
 * Errors: BOSC_ERR_ARG for a graph of other vectors; BOSC_ERR_DATA with the plane for coefficients out of range, and
 *     for equal planes (multiples, also by negative numbers): merge them. BOSC_ERR_LIMIT for 2^32 - 1 rows or more
 *     (below). Rows are counted in the scratch of 4 n^dim bytes, so BOSC_ERR_NOMEM may come first. On failure the graph
 *     is unchanged; or empty, if building it failed.
 * Cost: O(n^dim log n) comparisons, and two builds of the graph, the first of a row for each cell and each of its
 *     pieces: at most 2 n^2 rows of (n + 63) / 64 words in the plane, 2 n^3 in space. Scratch of these rows and of
 *     4 n^dim bytes.
 * Waits. */
BOSC_API bosc_status bosc_arrangement_build(bosc_ctx *ctx, const double *planes, int64_t n, int32_t dim,
                                            bosc_cellgraph *graph, bosc_arrangement_info *info);

BOSC_END_DECLS
#endif
