/* Other libraries' hash maps of 32-bit keys and values, as far as the build found them. */
#ifndef BENCH_PEERS_HASH_H
#define BENCH_PEERS_HASH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hash_peer {
    const char *name;
    int parallel; /* 0: one thread alone */
    void *(*build)(const uint32_t *keys, const uint32_t *values, int64_t n, int threads);
    /* values[i] of each query, 0 for those that are absent; returns how many were found. */
    int64_t (*find)(const void *table, const uint32_t *queries, int64_t m, uint32_t *values, int threads);
    void (*drop)(void *table);
};

/* The list ends with a name of NULL. */
extern const struct hash_peer bench_hash_peers[];

#ifdef __cplusplus
}
#endif
#endif
