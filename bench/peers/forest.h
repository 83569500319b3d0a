/* Minimum spanning forests by other methods, with one thread: the baselines of the spanning tree paper. */
#ifndef BENCH_PEERS_FOREST_H
#define BENCH_PEERS_FOREST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct forest_edges {
    int64_t n, m;
    const uint32_t *u, *v, *weights;
};

/* Each sets *seconds and returns the weight of the forest. */
double peer_forest_kruskal(const struct forest_edges *e, double *seconds); /* edges sorted, disjoint sets */
double peer_forest_boruvka(const struct forest_edges *e, double *seconds); /* the least edge of each component */
double peer_forest_boost(const struct forest_edges *e, double *seconds);   /* Boost's Kruskal, its graph built before */

#ifdef __cplusplus
}
#endif
#endif
