/* boscage/tour.h - short closed tours of points, and lower bounds of the shortest one.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_tour_improve, _bound
 *
 * A tour visits all points and returns to the first; its length is the sum of Euclidean distances. bosc_tour_compute
 * (boscage/forest.h) makes one of at most twice the shortest length from a spanning tree. bosc_tour_improve shortens
 * any tour, and bosc_tour_bound shows how far from the shortest it may be at most.
 *
 * All arrays are host memory. Moves run on the CPU threads of the context, on both backends; neighbours and spanning
 * trees are computed by its backend. Results are the same bits for both backends and any number of threads. */
#ifndef BOSCAGE_TOUR_H
#define BOSCAGE_TOUR_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_tour_search_opts {
    size_t size;
    bosc_dtype dtype; /* of the coordinates: F32 (default), F64, I32 or I64; 64-bit integers are rounded to double */
    int32_t dim;      /* coordinates of a point: 1 to 1024; required */
    int32_t id_bits;  /* of order: 64 (int64_t, default) or 32 (uint32_t) */
    int32_t kicks;    /* improve: random changes a point, up to 10,000; 0: 5; -1: none */
    int32_t rounds;   /* bound: spanning trees, 1 to 100,000; 0: 60. More give a greater bound, slower */
    uint64_t seed;    /* improve: of the random changes */
} bosc_tour_search_opts;

/* Shortens a tour by moves to places beside one of the 10 nearest points: 2-opt (two edges are replaced) and Or-opt (up
 * to three consecutive vertices move), until none is found that reverses at most 50,000 vertices. Then random changes
 * of up to 100 consecutive vertices, each followed by such moves, are kept where the tour does not become longer. Equal
 * points are visited one after the other.
 * points (n x dim): rows `stride` elements apart (0: dim). n: at most 2^31.
 * opts: required, as dim has no default.
 * order (n): of id_bits, a tour: every row once. Receives the shorter one, which begins with the same row. On failure
 *     it is unchanged.
 * length: receives the length of the tour, infinity beyond the range of double; may be NULL.
 * Errors: BOSC_ERR_DATA with the row for a coordinate that is no finite number, and with the position for an order
 *     that is no tour; BOSC_ERR_CANCELLED.
 * Cost: O(n) work expected for well-spread points, times 1 + kicks; two k-d trees of the points, one without copies;
 *     8 dim + 120 bytes of host memory a point.
 * Waits.
 * Sources: Croes (1958); Or (1976); Bentley, Fast Algorithms for Geometric Traveling Salesman Problems (1992); Martin,
 *     Otto, Felten, Large-Step Markov Chains for the Traveling Salesman Problem (1991). */
BOSC_API bosc_status bosc_tour_improve(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                       const bosc_tour_search_opts *opts, void *order, double *length);

/* Computes a lower bound of the length of every tour: that of a minimum 1-tree under prices of vertices, which is a
 * tour's length at most. Prices rise where the tree has few edges, and fall where it has many. Distant pairs of points
 * count with a lower bound of their distance, so the result bounds tours of all pairs. It is at least twice the extent
 * of the points in any coordinate.
 * points, n, stride: as in bosc_tour_improve. opts: required.
 * bound: receives the bound, finite; rounding is subtracted.
 * Errors: as bosc_tour_improve.
 * Cost: `rounds` spanning forests of about 11 n edges; two k-d trees of the points; 8 dim + 450 bytes of host memory
 *     a point.
 * Waits.
 * Sources: Held, Karp, The Traveling-Salesman Problem and Minimum Spanning Trees (1970, 1971); Volgenant, Jonker, A
 *     Branch and Bound Algorithm for the Symmetric Traveling Salesman Problem Based on the 1-Tree Relaxation (1982),
 *     for the steps of the prices. */
BOSC_API bosc_status bosc_tour_bound(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                     const bosc_tour_search_opts *opts, double *bound);

BOSC_END_DECLS
#endif
