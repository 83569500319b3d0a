/* Stands in for the peers where there is no C++ compiler: lists without entries, and nothing found. */
#include <stddef.h>

#include "peers/cellgraph.h"
#include "peers/hash.h"
#include "peers/paths.h"
#include "peers/prims.h"
#include "peers/trie.h"

const struct peer bench_peers[1];
const struct hash_peer bench_hash_peers[1];
const char *const peer_dictionary_names[PEER_DICTIONARIES] = {"std::map", "std::unordered_map", "sorted array"};

int64_t peer_unordered_map(const uint64_t *rows, int64_t n, int32_t length)
{
    (void)rows, (void)n, (void)length;
    return -1;
}

struct peer_dictionary *peer_dictionary_make(enum peer_dictionary_kind kind, const uint64_t *rows, int64_t n,
                                             int32_t words)
{
    (void)kind, (void)rows, (void)n, (void)words;
    return NULL;
}

void peer_dictionary_free(struct peer_dictionary *dictionary) { (void)dictionary; }

int64_t peer_dictionary_find(const struct peer_dictionary *dictionary, const uint64_t *queries, int64_t m,
                             int64_t *values)
{
    (void)dictionary, (void)queries, (void)m, (void)values;
    return -1;
}

void *peer_paths_open(const uint32_t *u, const uint32_t *v, const uint32_t *weights, int64_t n, int64_t m)
{
    (void)u, (void)v, (void)weights, (void)n, (void)m;
    return NULL;
}

void peer_paths_close(void *graph) { (void)graph; }

void peer_paths_dijkstra(const void *graph, uint32_t source, uint64_t *distances)
{
    (void)graph, (void)source, (void)distances;
}

void peer_paths_breadth_first(const void *graph, uint32_t source, uint64_t *distances)
{
    (void)graph, (void)source, (void)distances;
}
