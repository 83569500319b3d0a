/* Shortest paths from one source by another library, with one thread: Boost's. */
#ifndef BENCH_PEERS_PATHS_H
#define BENCH_PEERS_PATHS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rows of undirected edges, both ways; NULL without Boost. */
void *peer_paths_open(const uint32_t *u, const uint32_t *v, const uint32_t *weights, int64_t n, int64_t m);
void peer_paths_close(void *graph);

/* Write the distances of all vertices; UINT64_MAX where no path leads. */
void peer_paths_dijkstra(const void *graph, uint32_t source, uint64_t *distances);
void peer_paths_breadth_first(const void *graph, uint32_t source, uint64_t *distances);

#ifdef __cplusplus
}
#endif
#endif
