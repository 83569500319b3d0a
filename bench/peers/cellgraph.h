/* The cell graph by the standard library. */
#ifndef BENCH_PEERS_CELLGRAPH_H
#define BENCH_PEERS_CELLGRAPH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inserts all rows into a std::unordered_map and looks up each with each 0 bit set: the number of edges between
 * distinct rows, or -1 if there is no C++ compiler. */
int64_t peer_unordered_map(const uint64_t *rows, int64_t n, int32_t length);

#ifdef __cplusplus
}
#endif
#endif
