/* Other libraries' hash maps of 32-bit keys and values, if the build found the libraries. */
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
    /* values[i]: the value of query i, 0 if it is absent. Returns the number found. */
    int64_t (*find)(const void *table, const uint32_t *queries, int64_t m, uint32_t *values, int threads);
    void (*drop)(void *table);
};

/* The list ends with a name of NULL. */
extern const struct hash_peer bench_hash_peers[];

#ifdef __cplusplus
}
#endif
#endif
