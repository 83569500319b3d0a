/* Graphs like road networks, with as many vertices and edges as one asks for. */
#ifndef BENCH_HARNESS_ROAD_H
#define BENCH_HARNESS_ROAD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a connected graph of exactly n vertices and m edges, n <= m + 1 <= 1.2 n; n is at least 64. Crossings lie on a
 * grid: each but the last has the way to its right or the one below, which makes a spanning tree, and of the ways that
 * are left as many as m takes. Bends, vertices of degree 2, lie evenly on the ways. With three ways for two crossings
 * degrees are 1 to 4, and 3 in the mean, as where streets meet.
 * u, v, weights: (m), ends in no order of their own; weights are 1 to 65,536. */
void bench_road(uint64_t seed, int64_t n, int64_t m, uint32_t *u, uint32_t *v, uint32_t *weights);

#ifdef __cplusplus
}
#endif
#endif
