/* Graphs like road networks, with given numbers of vertices and edges. */
#ifndef BENCH_HARNESS_ROAD_H
#define BENCH_HARNESS_ROAD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a connected graph of exactly n vertices and m edges, n <= m + 1 <= 1.2 n; n is at least 64. Crossings lie on a
 * grid. Each but the last has the road to its right or the one below: a spanning tree. The other edges are chosen at
 * random among the remaining grid roads. Bends, vertices of degree 2, are spread evenly over the roads. With three
 * roads for two crossings, crossings have degrees 1 to 4, and 3 on average, as in street networks.
 * u, v, weights: (m); weights are 1 to 65,536. */
void bench_road(uint64_t seed, int64_t n, int64_t m, uint32_t *u, uint32_t *v, uint32_t *weights);

#ifdef __cplusplus
}
#endif
#endif
