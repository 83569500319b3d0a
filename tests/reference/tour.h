/* Plain tours: lengths, and the shortest tour of few points by dynamic programming. */
#ifndef TESTS_REFERENCE_TOUR_H
#define TESTS_REFERENCE_TOUR_H

#include <stdint.h>

enum { REFERENCE_TOUR_POINTS = 11 };

/* Returns the length of a closed tour of n points (n, dim). */
double reference_tour_length(const double *points, int64_t n, int64_t dim, const int64_t *order);

/* Returns the length of the shortest tour of at most REFERENCE_TOUR_POINTS points. Source: Held, Karp, A Dynamic
 * Programming Approach to Sequencing Problems (1962). */
double reference_shortest_tour(const double *points, int64_t n, int64_t dim);

#endif
