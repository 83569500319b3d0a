/* The cell graph by the standard library. */
#ifndef BENCH_PEERS_CELLGRAPH_H
#define BENCH_PEERS_CELLGRAPH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All rows into a std::unordered_map, each with each 0 made 1 looked up: the number of edges between distinct rows. */
int64_t peer_unordered_map(const uint64_t *rows, int64_t n, int32_t length);

#ifdef __cplusplus
}
#endif
#endif
